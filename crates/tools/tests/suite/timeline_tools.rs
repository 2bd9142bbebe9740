//! Counts of times, and what does not fit their order.

use crate::fixture::{Fixture, text};
use ledger::Outcome;
use serde_json::json;

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
