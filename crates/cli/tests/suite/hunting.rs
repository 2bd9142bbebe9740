//! What stands out: in evidence that nobody investigated, and first in what a run prints.

use crate::support::{Place, demo_folder, str};
use serde_json::Value;
use std::fs;
use std::path::Path;
use testkit::event_text::{Shape, exported};
use testkit::evtx::Event;

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

/// A logon that is guessed, and a service that hands a command on.
fn intrusion() -> Vec<u8> {
    log(None)
}

fn log(shape: Option<Shape>) -> Vec<u8> {
    const FAILED: &[(&str, &str)] =
        &[("TargetUserName", "adm"), ("LogonType", "3"), ("IpAddress", "203.0.113.7")];
    const SERVICE: &[(&str, &str)] =
        &[("ServiceName", "x"), ("ImagePath", "%COMSPEC% /c powershell -enc SQBFAFgA")];
    let security = |record_id: u64, event_id, data| Event {
        record_id,
        time: 133_500_000_000_000_000 + record_id * 10_000_000,
        provider: "Microsoft-Windows-Security-Auditing",
        guid: Some("{54849625-5478-4994-a5ba-3e3b0328c30d}"),
        event_id,
        level: 0,
        channel: "Security",
        computer: "PC-1",
        user_sid: None,
        user_data: None,
        data,
    };
    let mut events: Vec<Event<'_>> = (1..10).map(|number| security(number, 4625, FAILED)).collect();
    events.push(security(10, 4624, FAILED));
    events.push(Event {
        provider: "Service Control Manager",
        guid: Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"),
        channel: "System",
        ..security(11, 7045, SERVICE)
    });
    match shape {
        Some(shape) => exported(&events, shape),
        None => testkit::evtx::log(&events),
    }
}

#[test]
fn a_folder_of_exported_logs_is_hunted_through_as_the_log_itself() {
    let rules = |place: &Place, folder: &Path| -> Vec<String> {
        let out = place.locard_ends(0, &["hunt", str(folder), "--format", "jsonl"]);
        let all: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        all.iter().map(|it| it["rules"].to_string()).collect()
    };
    let place = Place::new();
    fs::create_dir(place.path("log")).unwrap();
    place.file("log/a.evtx", intrusion());
    let expected = rules(&place, &place.path("log"));
    assert!(expected.iter().any(|rule| rule.contains("guessed-then-logged-on")), "{expected:?}");
    assert!(expected.len() >= 2, "{expected:?}");
    for (number, shape) in Shape::ALL.into_iter().filter(|shape| *shape != Shape::PowerShell).enumerate() {
        let folder = format!("exports-{number}");
        fs::create_dir(place.path(&folder)).unwrap();
        let end =
            if matches!(shape, Shape::Wevtutil | Shape::ToXml | Shape::DumpXml) { "xml" } else { "json" };
        place.file(&format!("{folder}/a.{end}"), log(Some(shape)));
        assert_eq!(rules(&place, &place.path(&folder)), expected, "{shape:?}");
    }
}

#[test]
fn what_several_records_tell_is_given_with_the_first_and_the_last_of_them() {
    let place = Place::new();
    fs::create_dir(place.path("log")).unwrap();
    place.file("log/a.jsonl", log(Some(Shape::DumpLines)));
    let folder = place.path("log");
    let out = place.locard_ends(0, &["hunt", str(&folder), "--format", "json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    let all = found["sightings"].as_array().unwrap();
    let one = all.iter().find(|it| it["rules"][0]["rule"] == "guessed-then-logged-on").unwrap();
    assert_eq!(one["together"]["records"], 10);
    assert_eq!(one["together"]["shared"]["address"], "203.0.113.7");
    assert_eq!(one["together"]["first"]["kind"], "logon_failed");
    assert_eq!((one["record"]["kind"].as_str(), one["computer"].as_str()), (Some("logon"), Some("PC-1")));
    let out = place.locard(&["hunt", str(&folder)]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(told.contains("1 log is exported"), "{told}");
    let table = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(table.contains("10 records from") && table.contains("told by several records"), "{table}");
}
