//! Real evidence with known answers, if `LOCARD_CASES` names the folder of unpacked cases.

use crate::fixture::{fits, text};
use evidence::{Tree, open_directory};
use ledger::{Outcome, Record};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tools::{Return, run};

struct Case {
    trees: Vec<Box<dyn Tree>>,
    truth: Value,
}

impl Case {
    fn open(name: &str) -> Option<Case> {
        #[expect(clippy::disallowed_methods, reason = "where the developer keeps unpacked cases")]
        let folder = std::env::var_os("LOCARD_CASES").map(PathBuf::from);
        let Some(folder) = folder.map(|cases| cases.join(name)).filter(|folder| folder.is_dir()) else {
            println!("skipped: LOCARD_CASES names no folder with {name}");
            return None;
        };
        let tree = open_directory(&folder.join("evidence"), name).unwrap();
        let truth = serde_json::from_slice(&fs::read(folder.join("truth.json")).unwrap()).unwrap();
        Some(Case { trees: vec![Box::new(tree)], truth })
    }

    fn ok(&self, tool: &str, arguments: Value) -> Return {
        let returned = run(tool, &arguments, &self.trees, Path::new("/nonexistent"));
        assert_eq!(returned.outcome, Outcome::Ok, "{arguments}: {:?}", returned.notes);
        fits(&returned, tool);
        returned
    }

    fn values(&self, fact: &str) -> Vec<String> {
        let facts = self.truth["facts"].as_array().unwrap();
        let fact = facts.iter().find(|found| found["id"] == fact).unwrap();
        let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
        fact["values"].as_array().unwrap().iter().map(text).collect()
    }
}

fn data(returned: &Return, name: &str) -> String {
    let named = |record: &&Record| record.kind == "registry_value" && text(record, "name") == name;
    returned.records.iter().find(named).map(|record| text(record, "data")).unwrap()
}

fn values_named<'r>(returned: &'r Return, name: &str) -> Vec<&'r Record> {
    let named = |record: &&Record| record.kind == "registry_value" && text(record, "name") == name;
    returned.records.iter().filter(named).collect()
}

#[test]
fn the_registry_of_a_compromised_host_reads_as_published() {
    let Some(case) = Case::open("open-shieldbase-win732bita") else { return };
    let hives = case.ok("list_hives", json!({}));
    let of_type = |kind: &str| {
        let hive = hives.records.iter().find(|record| text(record, "hive_type") == kind).unwrap();
        text(hive, "path")
    };
    let read = |hive: &str, key: &str, depth: u64| {
        case.ok("parse_registry_key", json!({ "hive": of_type(hive), "key": key, "depth": depth }))
    };
    let control = "HKLM\\SYSTEM\\CurrentControlSet\\Control";
    let name = read("SYSTEM", &format!("{control}\\ComputerName\\ComputerName"), 0);
    assert_eq!([data(&name, "ComputerName")], case.values("computer-name")[..]);
    let zone = read("SYSTEM", &format!("{control}\\TimeZoneInformation"), 0);
    assert_eq!([data(&zone, "TimeZoneKeyName")], case.values("tz-key")[..]);
    assert_eq!([data(&zone, "ActiveTimeBias")], case.values("tz-bias")[..]);

    let run = read("SOFTWARE", "Microsoft\\Windows\\CurrentVersion\\Run", 0);
    assert_eq!([data(&run, "svchost")], case.values("run-run-svchost")[..]);
    let profiles = read("SOFTWARE", "HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion/ProfileList", 1);
    let paths = values_named(&profiles, "ProfileImagePath");
    for fact in case.truth["facts"].as_array().unwrap() {
        let id = fact["id"].as_str().unwrap();
        if let Some(sid_end) = id.strip_prefix("profile-") {
            let artifact = fact["artifact"].as_str().unwrap().rsplit('\\').nth(1).unwrap();
            let value =
                paths.iter().find(|record| text(record, "key_path").ends_with(&format!("\\{artifact}")));
            assert_eq!([text(value.unwrap(), "data")], case.values(id)[..], "{sid_end}");
        }
    }
    let user = read("NTUSER", "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run", 0);
    assert_eq!([data(&user, "Sidebar")], case.values("vibranium-run-Sidebar")[..]);
}

#[test]
fn what_users_did_reads_as_published() {
    for name in ["open-shieldbase-win732bita", "open-goldpaper-w10-kape"] {
        let Some(case) = Case::open(name) else { return };
        let read = |artifact: &str| case.ok("records", json!({ "source": artifact }));
        let (programs, documents, typed) =
            (read("user_assist"), read("recent_documents"), read("typed_entries"));
        let mut checked = 0;
        for fact in case.truth["facts"].as_array().unwrap() {
            let id = fact["id"].as_str().unwrap();
            let values = case.values(id);
            let user = fact["artifact"].as_str().unwrap().to_owned() + &fact["question"].to_string();
            let of_user = |record: &&Record| user.contains(text(record, "hive").rsplit('/').nth(1).unwrap());
            if id.contains("-ua-") {
                let named = |record: &&Record| text(record, "name") == values[0];
                let record = programs.records.iter().filter(of_user).find(named).unwrap();
                let time = text(record, "last_run") + &text(record, "preset_time");
                assert_eq!(
                    (text(record, "run_count"), &time[..19]),
                    (values[1].clone(), &values[2][..19]),
                    "{id}"
                );
            } else if id.ends_with("-recentdocs") {
                let of_all = |record: &&Record| !record.fields.contains_key("extension");
                let names = documents
                    .records
                    .iter()
                    .filter(of_user)
                    .filter(of_all)
                    .map(|record| text(record, "name"));
                assert_eq!(names.take(values.len()).collect::<Vec<_>>(), values, "{id}");
            } else if id.ends_with("-recentdocs-time") {
                let record =
                    documents.records.iter().filter(of_user).find(|record| text(record, "position") == "0");
                assert_eq!(text(record.unwrap(), "opened_last")[..26], values[0][..26], "{id}");
            } else if id.contains("-typedurl-") {
                let found =
                    typed.records.iter().filter(of_user).any(|record| text(record, "text") == values[0]);
                assert!(found, "{id}");
            } else {
                continue;
            }
            checked += 1;
        }
        assert!(checked >= 3, "{name}: {checked} facts of users checked");
    }
}

#[test]
fn every_file_of_hostile_evidence_is_read_without_a_panic() {
    let Some(case) = Case::open("open-malformed") else { return };
    let listed = case.ok("list_directory", json!({ "path": "", "recursive": true, "limit": 10000 }));
    let hives = case.ok("list_hives", json!({}));
    for hive in &hives.records {
        let arguments = json!({ "hive": text(hive, "path"), "key": "", "depth": 2 });
        let returned = run("parse_registry_key", &arguments, &case.trees, Path::new("/nonexistent"));
        fits(&returned, "parse_registry_key");
    }
    for file in listed.records.iter().filter(|record| text(record, "kind") == "file") {
        for encoding in ["auto", "utf-16le", "utf-8"] {
            let arguments = json!({ "path": text(file, "path"), "encoding": encoding, "length": 5000 });
            let returned = run("read_file", &arguments, &case.trees, Path::new("/nonexistent"));
            assert_ne!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.notes);
            fits(&returned, "read_file");
        }
        let hashed = case.ok("hash_file", json!({ "path": text(file, "path") }));
        assert_eq!(text(&hashed.records[0], "size"), text(file, "size"));
    }
    let found = case.ok("find_files", json!({ "limit": 10000 }));
    assert_eq!(found.records, listed.records);
}

#[test]
fn every_hit_in_real_evidence_stands_at_its_place() {
    for name in ["open-malformed", "open-shieldbase-win732bita"] {
        let Some(case) = Case::open(name) else { return };
        for wanted in ["re", "svchost", "\\system32\\"] {
            let returned = case.ok("search_text", json!({ "text": wanted, "limit": 2000 }));
            let holds = |record: &Record| text(record, "text").to_lowercase().contains(wanted);
            assert!(returned.records.iter().all(holds), "{name}: {wanted}");
            assert!(returned.records.iter().all(|record| text(record, "text").len() <= 3 * 4096));
        }
    }
}

#[test]
fn the_registry_is_searched_and_put_in_order_of_time() {
    let Some(case) = Case::open("open-shieldbase-win732bita") else { return };
    let found = case.ok("search_registry", json!({ "text": "CurrentVersion\\Run", "key": "HKLM\\SOFTWARE" }));
    assert!(
        found
            .records
            .iter()
            .any(|record| text(record, "key_path") == "Microsoft\\Windows\\CurrentVersion\\Run")
    );
    let data = case.ok("search_registry", json!({ "text": "svchost", "in": "data", "limit": 2000 }));
    assert!(data.records.iter().any(|record| text(record, "name") == "svchost"));
    let line = case.ok("timeline", json!({ "from": "2012-04-01T00:00:00Z", "limit": 5000 }));
    let times: Vec<_> = line.records.iter().map(|record| text(record, "last_written")).collect();
    assert!(times.is_sorted() && times.len() > 100, "{} records", times.len());
}

#[test]
fn dirty_hives_are_read_with_their_logs_or_without() {
    let Some(case) = Case::open("open-dirtyhives-lonewolf") else { return };
    let hives = case.ok("list_hives", json!({}));
    let dirty = |record: &&Record| text(record, "clean") == "false";
    let replays: Vec<_> = hives.records.iter().filter(|record| record.kind == "hive_replay").collect();
    assert_eq!(hives.records.iter().filter(dirty).count(), replays.len());
    let told = |record: &Record| {
        ["pages", "keys_before", "keys_after", "structural_differences"].map(|field| text(record, field))
    };
    for replay in replays {
        println!("{} {:?}", text(replay, "path"), told(replay));
        for (logs, state) in [("applied", "replayed"), ("ignored", "base")] {
            let arguments = json!({ "hive": text(replay, "path"), "key": "", "logs": logs });
            let returned = case.ok("parse_registry_key", arguments);
            assert!(returned.records.iter().all(|record| text(record, "hive_state") == state));
            let gap =
                returned.gaps.iter().any(|gap| gap.reason == "transaction logs present and not applied");
            assert_eq!(gap, logs == "ignored");
        }
    }
    assert!(hives.records.iter().all(|record| !text(record, "path").to_lowercase().contains(".log")));
}
