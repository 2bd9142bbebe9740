//! `--log` and `LOCARD_LOG`: what the program did, without anything from the evidence above `debug`.

use crate::support::{Place, demo_folder, str, text};
use serde_json::Value;
use std::collections::BTreeSet;

/// Investigates the demo with a log and returns the log's text.
fn logged(place: &Place, file: &str, levels: Option<&str>) -> String {
    let mut command = place.command(&["run", str(&demo_folder()), "--log", file]);
    if let Some(levels) = levels {
        command.env("LOCARD_LOG", levels);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    std::fs::read_to_string(place.path(file)).unwrap()
}

#[test]
fn a_log_holds_each_call_and_no_value_of_the_evidence_above_debug() {
    let place = Place::new();
    let log = logged(&place, "a.jsonl", None);
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls = lines.iter().filter(|line| line["message"] == "call").count();
    assert!(calls > 20, "{calls}");
    assert!(lines.iter().any(|line| line["target"] == "sandbox" && line["message"] == "worker started"));
    assert_eq!((&lines[0]["message"], &lines[0]["command"]), (&"started".into(), &"run".into()));
    assert_eq!(lines.last().unwrap()["code"], 0);
    let facts = place.locard_ends(0, &["facts", "latest", "--format", "json"]);
    let facts: Value = serde_json::from_str(&facts).unwrap();
    // The labels, paths and subjects of facts, if they have at least six bytes.
    let mut values = BTreeSet::new();
    for fact in facts["facts"].as_array().unwrap() {
        let fact = &fact["fact"];
        let paths =
            [&fact["locator"]["evidence"], &fact["locator"]["path"], &fact["subject"]["value"]["value"]];
        values.extend(
            paths.into_iter().filter_map(Value::as_str).filter(|it| it.len() >= 6).map(str::to_owned),
        );
    }
    assert!(values.len() > 50);
    let found: Vec<_> = values.iter().filter(|value| log.contains(value.as_str())).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn levels_are_set_by_crate_and_a_wrong_one_is_named() {
    let place = Place::new();
    let log = logged(&place, "a.log", Some("warn,memory=info,engine=warn,app=debug"));
    assert!(log.contains("run folder") && !log.contains(" call "), "{log}");
    let mut command = place.command(&["doctor"]);
    let output = command.env("LOCARD_LOG", "engine=loud").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("LOCARD_LOG"), "{}", text(&output.stderr));
    let output = place.locard(&["doctor", "--log", "no/such/folder/a.log"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_log_is_its_owners_alone_and_goes_on_where_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    for _ in 0..2 {
        place.locard_ends(0, &["completions", "bash", "--log", "a.log"]);
    }
    let path = place.path("a.log");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(path).unwrap().matches("started").count(), 2);
}
