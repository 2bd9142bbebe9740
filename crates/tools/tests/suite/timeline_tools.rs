//! Counts of times, and records that do not fit the order of time.

use crate::fixture::{Fixture, text, write};
use evidence::open_directory;
use ledger::Outcome;
use serde_json::json;
use testkit::evtx::{Event, log};
use tools::{Prepared, run_prepared};

#[test]
fn buckets_are_whole_and_hold_every_time_of_their_source_once() {
    let fixture = Fixture::new();
    let line = fixture.ok("timeline", json!({ "source": "registry", "limit": 5000 }));
    for by in ["hour", "day", "month"] {
        let buckets = fixture.ok("timeline_histogram", json!({ "by": by, "source": "registry" }));
        let count = |record| text(record, "count").parse::<usize>().unwrap();
        assert_eq!(buckets.records.iter().map(count).sum::<usize>(), line.records.len());
        assert!(buckets.records.iter().all(|record| text(record, "length") == by));
        assert!(buckets.records.iter().all(|record| record.locator.path.is_empty()));
    }
    let day = json!({ "by": "day", "source": "registry", "from": "2012-04-04T01:58:40Z", "to": "2012-04-04T02:00:00Z" });
    let day = fixture.ok("timeline_histogram", day);
    assert_eq!(text(&day.records[0], "from"), "2012-04-04T00:00:00Z");
    assert_eq!(text(&day.records[0], "to"), "2012-04-04T23:59:59.9999999Z");
}

#[test]
fn a_creation_that_lies_before_that_of_the_name_is_told() {
    let fixture = Fixture::new();
    let found =
        fixture.ok("timeline_anomalies", json!({ "evidence": "image", "record": "timestomp_indicator" }));
    let paths: Vec<_> = found.records.iter().map(|record| text(record, "path")).collect();
    assert_eq!(paths, ["p1/Users/mara/tool.exe"]);
    assert_eq!(text(&found.records[0], "earlier"), "true");
    let none = fixture.run("timeline_anomalies", json!({ "evidence": "disk" }));
    assert_eq!(none.outcome, Outcome::Empty, "{:?}", none.notes);
}

#[test]
fn a_source_that_is_not_known_is_refused_with_those_that_are() {
    let fixture = Fixture::new();
    let returned = fixture.run("timeline", json!({ "source": "registry,journal" }));
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(returned.notes[0].contains("recycle_bin"), "{:?}", returned.notes);
    let returned =
        fixture.run("timeline", json!({ "around": "2012-04-04T00:00:00Z", "to": "2012-04-05T00:00:00Z" }));
    assert_eq!(returned.outcome, Outcome::Failed);
}

/// Makes a log of the channel System whose records have these numbers and seconds.
fn log_of(records: &[(u64, u64)]) -> Vec<u8> {
    let event = |(number, second): &(u64, u64)| Event {
        record_id: *number,
        time: 133_000_000_000_000_000 + second * 10_000_000,
        provider: "Microsoft-Windows-Eventlog",
        guid: Some("{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}"),
        event_id: 104,
        level: 4,
        channel: "System",
        computer: "ALDER-07",
        user_sid: None,
        user_data: Some("LogFileCleared"),
        data: &[("SubjectUserName", "mara"), ("Channel", "Application")],
    };
    log(&records.iter().map(event).collect::<Vec<_>>())
}

#[test]
fn a_log_that_goes_on_with_the_next_number_at_an_earlier_time_tells_of_a_step() {
    let archive = "C/Windows/System32/winevt/Logs/Archive-System-2022-06-19-09-00-00-000.evtx";
    for (later, of_later, expected) in [
        ("C/Windows/System32/winevt/Logs/System.evtx", [(3, 4_000), (4, 9_000)], Some("1000")),
        // A number is missing between them: which came first is unknown.
        ("C/Windows/System32/winevt/Logs/System.evtx", [(4, 4_000), (5, 9_000)], None),
        ("C/Windows/System32/winevt/Logs/System.evtx", [(3, 5_001), (4, 9_000)], None),
        ("C/Users/mara/Downloads/System.evtx", [(3, 4_000), (4, 9_000)], None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "C/Windows/notepad.exe", b"x");
        write(folder.path(), archive, &log_of(&[(1, 0), (2, 5_000)]));
        write(folder.path(), later, &log_of(&of_later));
        let tree = open_directory(folder.path(), "disk").unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let asked = json!({ "record": "clock_step" });
        let found = run_prepared(
            "timeline_anomalies",
            &asked,
            &[Box::new(tree)],
            &Prepared::default(),
            scratch.path(),
        );
        let told: Vec<_> = found.records.iter().map(|step| text(step, "seconds")).collect();
        assert_eq!(told, Vec::from_iter(expected), "{later} {of_later:?}");
        for step in &found.records {
            assert_eq!((text(step, "path"), step.placement), (later.to_owned(), None));
            assert_eq!((text(step, "record_before"), text(step, "record_after")), ("2".into(), "3".into()));
            assert_eq!(text(step, "computers"), "ALDER-07");
        }
    }
}
