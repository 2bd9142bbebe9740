//! Checks that the published schema of the JSON report names its members.

use serde_json::Value;
use std::collections::BTreeSet;
use testkit::history::{History, fact, reading};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/schema/report-1.json")).unwrap()
}

fn names(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_schema_is_that_of_this_version_and_has_every_member() {
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["v"], None));
    let stated = fact(1, 0, "k", &[("data", "d")]);
    history.accepted(1, 0, stated.clone()).phenomenon(1, 0, &[stated.id], "");
    let report = report::json(&graph::fold(history.events()).unwrap());
    let schema = schema();
    assert_eq!(schema["properties"]["locard_report"]["const"], report["locard_report"]);
    let required: BTreeSet<&str> =
        schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(required, names(&report));
    // For a run with supplied rules, one that was asked in words, and one that began with lessons of earlier runs.
    let mut all = required.clone();
    all.extend(["brought", "questions_in_words", "remembered"]);
    assert_eq!(all, names(&schema["properties"]));
    for list in ["facts", "phenomena", "tasks", "invocations"] {
        let item = &schema["properties"][list]["items"];
        assert_eq!(names(&item["properties"]), names(&report[list][0]), "{list}");
    }
}
