//! What stands out: in evidence that nobody investigated, and first in what a run prints.

use crate::support::{Place, demo_folder, str};
use serde_json::Value;

fn demo() -> String {
    str(&demo_folder()).to_owned()
}

#[test]
fn a_hunt_gives_what_was_planted_the_highest_level_first_and_nothing_ordinary() {
    let place = Place::new();
    let out = place.locard_ends(0, &["hunt", &demo(), "--format", "jsonl"]);
    let all: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = |rule: &str| all.iter().position(|it| it["rules"][0]["rule"] == rule);
    assert_eq!(first("logon-screen-aid"), Some(0));
    for planted in
        ["log-cleared", "windows-name-elsewhere", "windows-file-elsewhere", "startup-folder-script"]
    {
        assert!(first(planted).is_some(), "{planted}: {out}");
    }
    let levels: Vec<&str> = all.iter().map(|it| it["level"].as_str().unwrap()).collect();
    let order = ["critical", "high", "medium"];
    let places: Vec<_> = levels.iter().map(|level| order.iter().position(|it| it == level)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{levels:?}");
    // Files that are there were not deleted, and installed software is ordinary.
    for ordinary in ["log-file-deleted", "run-key", "service-installed"] {
        assert_eq!(first(ordinary), None, "{ordinary}");
    }
    let critical = place.locard_ends(0, &["hunt", &demo(), "--level", "critical", "--format", "csv"]);
    let lines: Vec<&str> = critical.lines().collect();
    assert!(
        lines[0].starts_with("level,time,computer,rule,note,techniques,record,file,details"),
        "{critical}"
    );
    assert_eq!(lines.len(), 1 + levels.iter().filter(|level| **level == "critical").count());
}

#[test]
fn a_run_begins_with_what_stands_out_and_its_answers_are_one_command_away() {
    let place = Place::new();
    let out = place.locard_ends(0, &["run", &demo()]);
    assert!(out.starts_with("what stands out\n  critical  "), "{out}");
    assert!(out.lines().count() <= 60, "{} lines", out.lines().count());
    assert!(out.contains("questions: ") && out.contains(" answered"), "{out}");
    let answers = place.locard_ends(0, &["answers", "latest"]);
    assert!(answers.contains("  answered                What is the computer's name?"), "{answers}");
    let json = place.locard_ends(0, &["answers", "latest", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["locard_answers"], 1);
    assert!(json["answers"].as_array().is_some_and(|answers| answers.len() > 30), "{json}");
}
