//! Event logs, as `records` returns them.

use crate::fixture::{Fixture, text};
use ledger::{Completeness, Outcome};
use serde_json::{Value, json};

/// Returns a call for the events of the samples that meet a condition.
fn events(condition: &str) -> Value {
    json!({ "source": "event_log", "evidence": "files", "where": condition })
}

#[test]
fn events_of_certain_meaning_are_records_of_their_own() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", events("event_id = 4624"));
    let logon = &found.records[0];
    assert_eq!(logon.kind, "logon");
    assert_eq!((text(logon, "account"), text(logon, "logon_id")), ("ann".into(), "6699".into()));
    assert_eq!(text(logon, "logon_type_name"), "remote interactive");
    assert_eq!(text(logon, "sid"), "S-1-5-21-1-2-3-1001");
    assert_eq!(text(logon, "time"), "2012-04-04T01:58:43.8392490Z");
}

#[test]
fn an_event_without_the_guid_of_its_provider_is_only_an_event() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", events("event_id BETWEEN 7000 AND 7045"));
    let kinds: Vec<_> = found.records.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["service_installed", "event"]);
    assert_eq!(text(&found.records[1], "imitates"), "service_installed");
}

#[test]
fn a_text_has_its_place_in_the_record() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", json!({ "evidence": "files", "record": "service_installed" }));
    let record = &found.records[0];
    let bytes = std::fs::read(fixture.files_root().join(&record.locator.path)).unwrap();
    for field in ["image_path", "record_id", "time"] {
        let at = record.fields[field].at.unwrap();
        let held = &bytes[at.offset as usize..at.end() as usize];
        if field == "image_path" {
            assert_eq!(held, crate::fixture::wide(&text(record, field)));
        } else {
            assert_eq!(held.len(), 8);
        }
    }
}

#[test]
fn failed_logons_are_counted_by_their_source() {
    let fixture = Fixture::new();
    let asked =
        json!({ "evidence": "files", "record": "logon_failed", "count_by": "address,account,reason" });
    let found = fixture.ok("records", asked);
    assert_eq!(text(&found.records[0], "count"), "2");
    assert_eq!(text(&found.records[0], "values"), "203.0.113.7; root; wrong password");
}

#[test]
fn a_count_tells_what_narrowed_it_and_refuses_a_span_that_it_cannot_tell() {
    let fixture = Fixture::new();
    let mut asked = events("channel = 'Security' AND event_id = 4625");
    asked["count_by"] = json!("account");
    let count = &fixture.ok("records", asked).records[0];
    assert_eq!(text(count, "by"), "account; channel; event_id");
    assert_eq!(text(count, "values"), "root; Security; 4625");
    // A program's prefetch file has several times, none of which is the record's own.
    let asked = json!({ "evidence": "files", "count_by": "record", "source": "prefetch", "from": "2012-01-01T00:00:00Z" });
    let found = fixture.run("records", asked);
    assert_eq!((found.records.len(), found.completeness), (0, Completeness::Truncated));
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own evidence")]
#[test]
fn a_count_over_a_damaged_log_says_that_there_may_be_more() {
    let fixture = Fixture::new();
    let log = fixture.ok("records", json!({ "evidence": "files", "record": "logon_failed" }));
    let path = log.records[0].locator.path.clone();
    let mut bytes = std::fs::read(fixture.files_root().join(&path)).unwrap();
    // A second chunk, which is unreadable.
    bytes.extend([0x41; 0x10000]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Security.evtx"), &bytes).unwrap();
    let trees: Vec<Box<dyn evidence::Tree>> =
        vec![Box::new(evidence::open_directory(folder.path(), "files").unwrap())];
    let asked = [
        ("records", json!({ "source": "event_log", "count_by": "event_id" })),
        ("query", json!({ "sql": "SELECT count(*) FROM logon_failed" })),
    ];
    for (tool, arguments) in asked {
        let scratch = tempfile::tempdir().unwrap();
        let found = tools::run(tool, &arguments, &trees, scratch.path());
        assert!(!found.records.is_empty(), "{tool}: {found:?}");
        assert!(found.records.iter().all(|count| text(count, "incomplete") == "damage"), "{tool}: {found:?}");
    }
    let asked = json!({ "source": "event_log", "evidence": "files", "count_by": "event_id" });
    let whole = fixture.ok("records", asked);
    assert!(whole.records.iter().all(|count| !count.fields.contains_key("incomplete")));
}

#[test]
fn nothing_of_the_kind_is_an_empty_and_complete_answer() {
    let fixture = Fixture::new();
    let found = fixture.run("records", events("channel = 'Security' AND event_id = 1102"));
    assert_eq!((found.outcome, found.completeness), (Outcome::Empty, Completeness::Complete));
}

#[test]
fn a_call_that_no_record_can_answer_is_refused_by_name() {
    let fixture = Fixture::new();
    for (asked, names) in [
        (events("event_id = 'many'"), &["event_id"][..]),
        (events("event_id LIKE '46%'"), &["event_id"]),
        (events("channel = 7"), &["channel"]),
        (events("account > 'a'"), &["account"]),
        (events("event_id = 1 AND event_id = 2"), &["event_id"]),
        (
            json!({ "record": "logon_failed", "where": "nosuchfield = 1" }),
            &["nosuchfield", "account", "address", "event_id"],
        ),
        // A field of some records, but of none that are asked for.
        (json!({ "source": "prefetch", "where": "event_id = 4624" }), &["event_id", "run_count"]),
        (events("event_id = 4624 OR event_id = 4625"), &[]),
        (json!({ "evidence": "files", "where": "event_id = 4624" }), &["source", "record"]),
    ] {
        let returned = fixture.run("records", asked.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{asked}");
        let said = &returned.notes[0];
        assert!(names.iter().all(|name| said.contains(name)), "{asked}: {said}");
    }
}

#[test]
fn the_conditions_of_a_call_hold_together() {
    let fixture = Fixture::new();
    let found = |condition: &str| {
        let returned = fixture.run("records", events(condition));
        assert_ne!(returned.outcome, Outcome::Failed, "{condition}: {:?}", returned.notes);
        returned.records.iter().map(|record| record.kind.clone()).collect::<Vec<_>>()
    };
    for (condition, expected) in [
        ("account = 'ROOT'", &["logon_failed", "logon_failed"][..]),
        ("account = 'root' AND event_id IN (4624, 4625)", &["logon_failed", "logon_failed"]),
        ("account LIKE 'a%' AND event_id IN (4624, 4625)", &["logon"]),
        ("account LIKE 'a%' AND event_id NOT IN (4624, 4625)", &[]),
        ("imitates IS NOT NULL", &["event"]),
        ("event_id = 7045 AND imitates IS NULL", &["service_installed"]),
        ("event_id = 4624 AND time > '2012-04-04T01:58:43Z'", &["logon"]),
        ("event_id = 4624 AND time > '2012-04-04T01:58:44Z'", &[]),
        ("data LIKE 'ServiceName=%'", &["event"]),
    ] {
        assert_eq!(found(condition), expected, "{condition}");
    }
}

#[test]
fn a_log_tells_what_it_holds_and_what_only_imitates() {
    let fixture = Fixture::new();
    let found = fixture.ok("list_event_channels", json!({ "evidence": "files", "name": "*.evtx" }));
    let log = &found.records[0];
    assert_eq!(
        (text(log, "records"), text(log, "imitations"), text(log, "cleared")),
        ("5".into(), "1".into(), "0".into())
    );
    assert_eq!(text(log, "channels"), "Security; System");
}

#[test]
fn logs_before_vista_are_read_too() {
    let fixture = Fixture::new();
    let found = fixture.ok("records", events("event_id = 528"));
    assert_eq!(text(&found.records[0], "data"), "data0=ann");
    assert_eq!(text(&found.records[0], "time"), "2012-04-04T01:58:40Z");
}

#[test]
fn a_count_says_what_its_records_lack_and_what_was_left_out() {
    let fixture = Fixture::new();
    let ask = |mut asked: Value| {
        asked["source"] = json!("event_log");
        fixture.ok("records", asked).records
    };
    // A field that no record has is not the same as one with an empty value.
    let asked = json!({ "evidence": "files", "source": "prefetch", "count_by": "program_path,nothing" });
    assert_eq!(fixture.run("records", asked).outcome, Outcome::Failed);
    let lacking = ask(json!({ "evidence": "files", "count_by": "image_path" }));
    let without: Vec<_> = lacking.iter().filter(|count| count.fields.contains_key("without")).collect();
    assert!(!without.is_empty() && without.len() < lacking.len());
    assert!(without.iter().all(|count| text(count, "without") == "image_path"));
    assert!(without.iter().all(|count| !count.fields.contains_key("values")));
    // A time span leaves out records without a time.
    let all = ask(json!({ "evidence": "files", "count_by": "record" }));
    let within = ask(json!({
        "evidence": "files", "count_by": "record", "from": "1990-01-01T00:00:00Z",
    }));
    assert!(all.iter().all(|count| !count.fields.contains_key("bounded")));
    assert!(within.iter().all(|count| text(count, "bounded") == "true"));
    // Only numbers are added up.
    let sum =
        |field: &str| json!({ "source": "mft", "evidence": "files", "count_by": "record", "sum": field });
    assert_eq!(fixture.run("records", sum("name")).outcome, Outcome::Failed);
    let sums = fixture.ok("records", sum("size")).records;
    assert!(sums.iter().any(|count| text(count, "total").parse::<u64>().is_ok_and(|total| total > 0)));
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own evidence")]
#[test]
fn a_count_of_a_folder_with_a_file_that_is_another_thing_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let source = Fixture::new();
    let log = source.ok("records", json!({ "evidence": "files", "record": "logon_failed" }));
    let log = std::fs::read(source.files_root().join(&log.records[0].locator.path)).unwrap();
    std::fs::write(folder.path().join("Security.evtx"), log).unwrap();
    std::fs::write(folder.path().join("Other.evtx"), "no log").unwrap();
    let trees: Vec<Box<dyn evidence::Tree>> =
        vec![Box::new(evidence::open_directory(folder.path(), "files").unwrap())];
    let count = |tool: &str, arguments: Value| {
        let scratch = tempfile::tempdir().unwrap();
        tools::run(tool, &arguments, &trees, scratch.path()).records
    };
    let logs = count("list_event_channels", json!({ "count_by": "record" }));
    let events = count("records", json!({ "record": "logon_failed", "count_by": "record" }));
    assert!(!logs.is_empty() && !events.is_empty());
    // The file itself was read completely; the folder of the other counts was not.
    for count in logs.iter().chain(&events) {
        let of_file = text(count, "file").ends_with(".evtx");
        assert_eq!(count.fields.contains_key("incomplete"), !of_file, "{count:?}");
    }
}

#[test]
fn a_chunk_that_is_not_as_its_checksum_says_may_hide_events() {
    let fixture = Fixture::new();
    let log = fixture.ok("records", events("event_id = 4624")).records[0].locator.path.clone();
    let path = fixture.files_root().join(&log);
    let mut bytes = std::fs::read(&path).unwrap();
    // The checksum of the first chunk's records.
    bytes[4096 + 52] ^= 1;
    crate::fixture::write(&fixture.files_root(), &log, &bytes);
    let found = fixture.run("records", events("account = 'nobody'"));
    assert_eq!((found.outcome, found.completeness), (Outcome::Empty, Completeness::Truncated));
    assert!(found.defects.iter().any(|defect| defect.path == log && defect.offset == Some(4096)));
}
