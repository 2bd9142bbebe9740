//! Windows Timeline and WebCache, as calls return them.

use crate::fixture::{Fixture, text};
use crate::sqlite;
use evidence::open_directory;
use ledger::Record;
use serde_json::json;
use tools::{Prepared, run_prepared};

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

#[test]
fn a_visit_that_this_browser_did_not_make_says_where_it_comes_from() {
    let path = "C/Users/ann/AppData/Local/Google/Chrome/User Data/Default/History";
    let made = "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INTEGER, typed_count INTEGER, last_visit_time INTEGER);
        CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, from_visit INTEGER, transition INTEGER, visit_duration INTEGER, originator_cache_guid TEXT);
        INSERT INTO urls VALUES (1, 'https://one.example/', 'One', 5, 0, 13300000000000000);
        INSERT INTO visits VALUES (1, 1, 13300000000000001, 0, 0, 0, ''), (2, 1, 13300000000000002, 0, 0, 0, NULL),
            (3, 1, 13300000000000003, 0, 0, 0, ''), (4, 1, 13300000000000004, 0, 0, 0, ''),
            (5, 1, 13300000000000005, 0, 0, 0, 'c2FtcGxl'), (6, 1, 13300000000000006, 0, 0, 0, '');";
    let sources = "CREATE TABLE visit_source(id INTEGER PRIMARY KEY, source INTEGER);
        INSERT INTO visit_source VALUES (2, 0), (3, 2), (4, 3), (6, 1);";
    for (also, expected) in [
        (sources, ["", "synced", "extension", "imported", "synced", ""]),
        // A history without that table is also complete.
        ("", ["", "", "", "", "synced", ""]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        sqlite::open(&file).execute_batch(&format!("{made}{also}")).unwrap();
        let tree = open_directory(folder.path(), "disk").unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let asked = json!({ "path": path });
        let found =
            run_prepared("parse_file", &asked, &[Box::new(tree)], &Prepared::default(), scratch.path());
        assert!(found.defects.is_empty(), "{:?}", found.defects);
        let visits = found.records.iter().filter(|record| record.kind == "page_visit");
        let origin =
            |visit: &Record| visit.fields.get("origin").map(|held| held.value.to_text().into_owned());
        let origins: Vec<_> = visits.map(|visit| origin(visit).unwrap_or_default()).collect();
        assert_eq!(origins, expected);
    }
}
