//! Windows Timeline and WebCache, as calls give them.

use crate::fixture::{Fixture, text};
use ledger::Record;
use serde_json::json;

const TIMELINE: &str = "C/Users/ann/AppData/Local/ConnectedDevicesPlatform/L.ann/ActivitiesCache.db";
const WEB_CACHE: &str = "C/Users/ann/AppData/Local/Microsoft/Windows/WebCache/WebCacheV01.dat";

fn parsed(path: &str) -> Vec<Record> {
    Fixture::new().ok("parse_file", json!({ "path": path, "evidence": "files" })).records
}

#[test]
fn a_timeline_gives_one_record_of_each_row() {
    let records = parsed(TIMELINE);
    let kinds: Vec<_> = records.iter().map(|record| record.kind.as_str()).collect();
    let expected = ["activity", "activity", "activity", "activity_operation", "activity_package"];
    assert_eq!(kinds, [&expected[..], &["activity_package"]].concat());
    let opened = &records[0];
    assert_eq!(text(opened, "application"), "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\notepad.exe");
    assert_eq!(
        (text(opened, "display_text"), text(opened, "activity")),
        ("plan.txt".into(), "opened".into())
    );
    assert_eq!(text(opened, "content"), "file:///C:/Users/ann/plan.txt");
    assert_eq!((text(opened, "user"), text(opened, "row")), ("ann".into(), format!("{TIMELINE}/Activity/1")));
    assert_eq!(text(opened, "started"), "2012-04-04T01:58:40Z");
    assert_eq!(text(opened, "last_modified"), "2012-04-04T01:58:41Z");
    assert_eq!(text(opened, "expires"), "2012-05-04T01:58:40Z");
    for absent in ["ended", "parent", "modified_on_client", "state"] {
        assert!(!opened.fields.contains_key(absent), "{absent}");
    }
    let used = &records[1];
    assert_eq!(
        (text(used, "ended"), text(used, "active_seconds")),
        ("2012-04-04T01:59:40Z".into(), "42".into())
    );
    assert_eq!(text(&records[2], "application"), "Microsoft.Default.Input");
    assert_eq!(text(&records[5], "package"), "no PackageName");
}

#[test]
fn rows_of_a_timeline_are_counted_by_the_table() {
    let counted = json!({ "evidence": "files", "source": "windows_timeline", "count_by": "record" });
    let records = Fixture::new().ok("records", counted).records;
    let counts: Vec<_> =
        records.iter().map(|record| (text(record, "counted"), text(record, "count"))).collect();
    for (kind, count) in [("activity", "3"), ("activity_operation", "1"), ("activity_package", "2")] {
        assert!(counts.contains(&(kind.into(), count.into())), "{counts:?}");
    }
}

#[test]
fn a_file_and_a_host_of_the_history_are_no_visits() {
    let records = parsed(WEB_CACHE);
    let found: Vec<_> = records.iter().map(|record| (record.kind.as_str(), text(record, "url"))).collect();
    let expected = [
        ("web_cache_visit", "https://docs.example/Page"),
        ("web_cache_file", "file:///C:/plan.txt"),
        ("web_cache_entry", ":Host: docs.example"),
    ];
    assert_eq!(found, expected.map(|(kind, url)| (kind, url.to_owned())));
}
