//! What stands out: in evidence that nobody has investigated, and at the top of what a run prints.

use crate::support::{Place, demo_folder, str};
use ledger::Digest;
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
    // Files that exist were not deleted, and installed software is ordinary.
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
    let out = place.has_demo_run(&[]);
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

const SERVICE_RULE: &str = "title: A Service in ProgramData
id: 6a1e1b3e-6c36-4a3c-9f39-0a4d2b8d9f10
status: test
level: critical
tags:
    - attack.persistence
    - attack.t1543.003
logsource:
    product: windows
    service: system
detection:
    selection:
        Provider_Name: Service Control Manager
        EventID: 7045
        ImagePath|contains: ':\\ProgramData\\'
    filter:
        ServiceName|startswith: 'Windows '
    condition: selection and not filter
";

/// A folder with a rule that matches the demo, one that looks like it but matches other services, one for another system,
/// and a broken one.
fn rules(place: &Place) -> String {
    let folder = place.path("rules");
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    let write = |name: &str, text: &str| drop(place.file(&format!("rules/{name}"), text));
    write("service.yml", SERVICE_RULE);
    write(
        "inner/alike.yaml",
        &SERVICE_RULE.replace("6a1e1b3e", "7a1e1b3e").replace("startswith: 'Windows '", "startswith: 'Scan'"),
    );
    write("linux.yml", &SERVICE_RULE.replace("6a1e1b3e", "8a1e1b3e").replace("windows", "linux"));
    write("broken.yml", "title: none\ndetection:\n    s: [\n");
    write("notes.txt", "no rule");
    str(&folder).to_owned()
}

#[test]
fn a_hunt_by_rules_of_others_shows_them_beside_ours_and_names_those_that_it_cannot_use() {
    let place = Place::new();
    let rules = rules(&place);
    let out = place.locard_ends(0, &["hunt", &demo(), "--rules-sigma", &rules, "--format", "json"]);
    let out: Value = serde_json::from_str(&out).unwrap();
    let sightings = out["sightings"].as_array().unwrap();
    let of = |whose: &str| {
        let has = |it: &&Value| it["rules"].as_array().unwrap().iter().any(|rule| rule["whose"] == whose);
        sightings.iter().filter(has).count()
    };
    assert_eq!(of("sigma"), 1);
    assert!(of("locard") > 5);
    let both = sightings.iter().find(|it| it["rules"][0]["whose"] == "sigma").unwrap();
    let (theirs, ours) = (&both["rules"][0], &both["rules"][1]);
    assert_eq!((&theirs["level"], &ours["whose"]), (&"critical".into(), &"locard".into()), "{both}");
    assert_eq!(theirs["rule"], "6a1e1b3e-6c36-4a3c-9f39-0a4d2b8d9f10");
    assert_eq!(theirs["note"], "A Service in ProgramData");
    assert_eq!(theirs["techniques"][0], "T1543.003");
    assert_eq!(theirs["tags"][0], "attack.persistence");
    assert_eq!(theirs["digest"], Digest::of(SERVICE_RULE.as_bytes()).to_string());
    let matched = theirs["matched"].as_array().unwrap();
    assert!(
        matched
            .iter()
            .any(|it| it["field"] == "ImagePath" && it["value"].as_str().unwrap().contains("ScanToPdf")),
        "{matched:?}"
    );
    let totals = out["totals"].as_array().unwrap();
    assert!(totals.iter().any(|it| it["whose"] == "sigma" && it["records"] == 1), "{totals:?}");
    assert!(out["broken_rules"][0]["file"].as_str().unwrap().ends_with("broken.yml"));
    assert_eq!(
        out["unmatched_rules"][0],
        "cannot match here: log source product linux, service system (1 rule)"
    );
}

#[test]
fn rules_of_others_go_by_the_level_that_is_asked_for_and_stand_in_every_form() {
    let place = Place::new();
    let rules = rules(&place);
    let low = std::path::Path::new(&rules).join("service.yml");
    place.file("rules/service.yml", SERVICE_RULE.replace("level: critical", "level: informational"));
    let csv = |level: &str| {
        place.locard_ends(
            0,
            &["hunt", &demo(), "--rules-sigma", str(&low), "--level", level, "--format", "csv"],
        )
    };
    let sigma = |out: &str| out.lines().filter(|line| line.contains("sigma:6a1e1b3e")).count();
    assert_eq!((sigma(&csv("medium")), sigma(&csv("low"))), (0, 1));
    let text = place.locard_ends(0, &["hunt", &demo(), "--rules-sigma", &rules, "--level", "low"]);
    assert!(text.contains("sigma low A Service in ProgramData: "), "{text}");
    assert!(
        text.contains("     1  low       sigma 6a1e1b3e-6c36-4a3c-9f39-0a4d2b8d9f10: A Service"),
        "{text}"
    );
}

#[test]
fn checking_rules_tells_what_is_wrong_with_each() {
    let place = Place::new();
    let rules = rules(&place);
    let out = place.locard_ends(2, &["rules", "check", &rules]);
    let broken = out.lines().find(|line| line.starts_with("broken: ")).unwrap();
    assert!(broken.contains("broken.yml:4: ") && broken.contains("YAML"), "{out}");
    assert!(out.contains("cannot match here: log source product linux, service system (1 rule)\n"), "{out}");
    assert!(out.ends_with("3 rules read, 2 of them can match records; 1 broken\n"), "{out}");
    let one = std::path::Path::new(&rules).join("service.yml");
    place.locard_ends(0, &["rules", "check", str(&one)]);
    place.locard_ends(2, &["rules", "check", "nowhere.yml"]);
}

#[test]
fn a_hunt_for_indicators_tells_each_with_its_file_and_line_and_what_it_could_not_read() {
    let place = Place::new();
    let list = place.file(
        "bad.txt",
        "# ours\nC:\\ProgramData\\ScanToPdf\\svchost.exe # dropper\nnowhere.example\nno kind at all\n",
    );
    let broken = place.file("feed.json", "{\"type\": \"bundle\",\n\"objects\": [}");
    let (list, broken) = (str(&list), str(&broken));
    let out = place.locard_ends(0, &["hunt", &demo(), "--ioc", list, broken, "--format", "json"]);
    let out: Value = serde_json::from_str(&out).unwrap();
    let named = |it: &&Value| it["rules"].as_array().unwrap().iter().any(|rule| rule["whose"] == "ioc");
    let found: Vec<&Value> = out["sightings"].as_array().unwrap().iter().filter(named).collect();
    assert!(found.len() > 3, "{}", found.len());
    let rule = found[0]["rules"].as_array().unwrap().iter().find(|rule| rule["whose"] == "ioc").unwrap();
    assert_eq!(rule["rule"], "C:\\ProgramData\\ScanToPdf\\svchost.exe");
    assert_eq!(rule["level"], "high");
    assert!(rule["file"].as_str().unwrap().ends_with("bad.txt:2"), "{rule}");
    assert!(rule["note"].as_str().unwrap().ends_with("(dropper)"), "{rule}");
    let kinds: std::collections::BTreeSet<&str> =
        found.iter().map(|it| it["record"]["kind"].as_str().unwrap()).collect();
    assert!(kinds.len() > 2, "{kinds:?}");
    let totals = out["totals"].as_array().unwrap();
    let total = totals.iter().find(|it| it["whose"] == "ioc").unwrap();
    assert_eq!(total["records"], found.len());
    let unusable: Vec<&str> =
        out["unusable_indicators"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert!(unusable[0].contains("feed.json:2: read JSON"), "{unusable:?}");
    assert!(unusable[1].contains("bad.txt:4: a value of no kind"), "{unusable:?}");
}

#[test]
fn a_list_of_good_files_that_is_none_is_told() {
    let place = Place::new();
    let good = place.file("good.txt", "00112233445566778899aabbccddeeff  a.exe\n");
    place.locard_ends(0, &["hunt", &demo(), "--level", "critical", "--known-good", str(&good)]);
    let none = place.file("none.txt", "no hash\n");
    for list in [str(&none), "gone.txt"] {
        let output = place.locard(&["hunt", &demo(), "--known-good", list]);
        assert_eq!(output.status.code(), Some(2));
        assert!(crate::support::text(&output.stderr).contains(list), "{list}");
    }
}

/// A guessed password (failed logons, then a successful one), and a service that runs a command shell.
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
    assert!(table.contains("10 records from") && table.contains("from several records together"), "{table}");
}

#[test]
fn a_hunt_of_a_span_gives_what_lies_in_it_and_a_page_needs_no_script() {
    let place = Place::new();
    let (demo, span) = (demo(), ["--since", "2025-09-16T17:00:00Z", "--until", "2025-09-16"]);
    let hunt = |format| {
        let arguments: Vec<&str> = ["hunt", &demo, "--format", format].into_iter().chain(span).collect();
        place.locard_ends(0, &arguments)
    };
    let out: Value = serde_json::from_str(&hunt("json")).unwrap();
    let rules: Vec<&str> = out["sightings"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|it| it["rules"].as_array().unwrap())
        .map(|rule| rule["rule"].as_str().unwrap())
        .collect();
    assert!(rules.contains(&"log-cleared") && !rules.contains(&"logon-screen-aid"), "{rules:?}");
    let page = hunt("html");
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<script"), "{page}");
    assert!(
        page.contains("somebody cleared an event log") && page.contains("from 2025-09-16T17:00:00Z"),
        "{page}"
    );
    assert!(page.contains("By tactic of ATT&amp;CK") && page.contains("What was not read"), "{page}");
    let whole = place.locard_ends(0, &["hunt", &demo, "--format", "html"]);
    assert!(whole.contains("an accessibility tool of the logon screen"), "{whole}");
    place.locard_ends(2, &["hunt", &demo, "--since", "yesterday"]);
}
