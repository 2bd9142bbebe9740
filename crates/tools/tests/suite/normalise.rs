//! Arguments, as models write them.

use crate::fixture::{Fixture, SOFTWARE, SYSTEM, calls, text, write};
use ledger::{Completeness, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use tools::Return;

/// Makes evidence with more users, and names that look like something else.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    for path in [
        "C/Users/Bob/only.txt",
        "C/Users/Bob/notes.txt",
        "C/Users/Bob/AppData/Roaming/app.ini",
        "C/ProgramData/x.ini",
        "C/Users/Ann/~$draft.doc",
        "C/Users/Ann/copy[1].htm",
        "C/Users/Ann/{a,b}.txt",
        "C/Users/Ann/'quoted'",
        "%SystemDrive%/odd",
    ] {
        write(fixture.root(), path, b"x");
    }
    let image = KeySpec::new("").value(ValueSpec::sz("ProfileImagePath", "%SystemDrive%\\Users\\Bob"));
    let list =
        KeySpec::new("ROOT").path("Microsoft\\Windows NT\\CurrentVersion\\ProfileList\\S-1-5-21-7", image);
    write(fixture.root(), SOFTWARE, &HiveSpec::new(list).build().bytes);
    let user = KeySpec::new("ROOT").key(KeySpec::new("Environment")).key(KeySpec::new("Software"));
    write(fixture.root(), "C/Users/Bob/NTUSER.DAT", &HiveSpec::new(user).build().bytes);
    fixture
}

fn used(fixture: &Fixture, tool: &str, arguments: Value, name: &str) -> Value {
    let returned = fixture.run(tool, arguments.clone());
    assert_ne!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.notes);
    again(fixture, tool, &returned);
    returned.normalised.unwrap()[name].clone()
}

/// Checks that normalised arguments are their own normal form and give the same records.
fn again(fixture: &Fixture, tool: &str, first: &Return) {
    let normalised = first.normalised.clone().unwrap();
    let second = fixture.run(tool, normalised.clone());
    assert_eq!(second.normalised, Some(normalised.clone()), "{tool}");
    assert_eq!(second.records, first.records, "{tool} {normalised}");
}

fn refused(fixture: &Fixture, tool: &str, arguments: Value, says: &str) {
    let returned = fixture.run(tool, arguments.clone());
    assert_eq!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.normalised);
    assert!(returned.notes[0].contains(says), "{arguments}: {:?}", returned.notes);
}

#[test]
fn paths_of_a_running_system_are_read_where_one_entry_is_meant() {
    let fixture = fixture();
    for (path, expected) in [
        ("%SystemRoot%\\System32\\config\\SYSTEM", SYSTEM),
        ("%windir%/system32/CONFIG/system", SYSTEM),
        ("\\SystemRoot\\System32\\config\\SYSTEM", SYSTEM),
        ("$env:windir\\System32\\config\\SYSTEM", SYSTEM),
        ("%ProgramData%\\x.ini", "C/ProgramData/x.ini"),
        ("%SystemDrive%\\Windows", "C/Windows"),
        ("%APPDATA%\\app.ini", "C/Users/Bob/AppData/Roaming/app.ini"),
        ("%USERPROFILE%\\only.txt", "C/Users/Bob/only.txt"),
        ("~/only.txt", "C/Users/Bob/only.txt"),
        ("~ann/notes.txt", "C/Users/Ann/notes.txt"),
        ("~Bob", "C/Users/Bob"),
        ("file:///C:/Users/Ann/notes.txt", "C/Users/Ann/notes.txt"),
        ("  `\"C:\\Users\\Ann\\notes.txt\"` ", "C/Users/Ann/notes.txt"),
        ("C/Users/Ann/'quoted'", "C/Users/Ann/'quoted'"),
        ("C/Users/Ann/~$draft.doc", "C/Users/Ann/~$draft.doc"),
        ("%SystemDrive%/odd", "%SystemDrive%/odd"),
    ] {
        assert_eq!(used(&fixture, "stat_file", json!({ "path": path }), "path"), expected, "{path}");
    }
    let several =
        "can mean several; give one of C/Users/Ann/notes.txt of disk, C/Users/Bob/notes.txt of disk";
    refused(&fixture, "stat_file", json!({ "path": "~\\notes.txt" }), several);
    refused(&fixture, "stat_file", json!({ "path": "%USERPROFILE%/none" }), "looked in C/Users/Ann/none");
    refused(&fixture, "stat_file", json!({ "path": "%PUBLIC%/x" }), "nothing of the evidence stands for");
    // A user who has a profile is not replaced by another.
    let absent = fixture.run("stat_file", json!({ "path": "~ann/only.txt" }));
    assert_eq!(
        (absent.outcome, &absent.normalised.unwrap()["path"]),
        (Outcome::Empty, &json!("C/Users/Ann/only.txt"))
    );
}

#[test]
fn what_was_changed_is_said_and_what_was_not_is_not() {
    let fixture = fixture();
    let returned = fixture.ok("stat_file", json!({ "file": "%windir%\\System32", "evidence": "DISK" }));
    assert_eq!(
        returned.notes,
        ["argument \"file\" was read as \"path\"", "evidence: read \"DISK\" as \"disk\"",],
    );
    let returned = fixture.ok("stat_file", json!({ "path": "%windir%\\System32" }));
    assert_eq!(returned.notes, ["path: read \"%windir%\\\\System32\" as \"C/Windows/System32\""]);
    let returned = fixture.ok("stat_file", json!({ "path": "c\\WINDOWS" }));
    assert!(returned.notes.is_empty(), "{:?}", returned.notes);
}

#[test]
fn patterns_keep_every_constraint() {
    let fixture = fixture();
    let found = |name: &str| {
        let returned = fixture.run("find_files", json!({ "name": name }));
        assert_ne!(returned.outcome, Outcome::Failed, "{name}: {:?}", returned.notes);
        again(&fixture, "find_files", &returned);
        returned.records.iter().map(|record| text(record, "path")).collect::<Vec<_>>()
    };
    for (name, expected) in [
        ("~/notes.txt", &["C/Users/Ann/notes.txt", "C/Users/Bob/notes.txt"][..]),
        ("~bob/notes.*", &["C/Users/Bob/notes.txt"]),
        ("%APPDATA%\\*.ini", &["C/Users/Bob/AppData/Roaming/app.ini"]),
        ("%SystemRoot%/**/SYSTEM", &[SYSTEM]),
        ("`only.{txt,doc}`", &["C/Users/Bob/only.txt"]),
        ("{a,b}.txt", &["C/Users/Ann/{a,b}.txt"]),
        ("copy[1].*", &["C/Users/Ann/copy[1].htm"]),
        ("~$*", &["C/Users/Ann/~$draft.doc"]),
    ] {
        assert_eq!(found(name), expected, "{name}");
    }
    let returned = fixture.run("find_files", json!({ "name": "copy[12].htm" }));
    assert!(returned.notes[0].contains("[ and ] stand for themselves"), "{:?}", returned.notes);
    refused(
        &fixture,
        "find_files",
        json!({ "name": ".*\\.exe$" }),
        "looks like a regular expression or a list",
    );
    refused(&fixture, "find_files", json!({ "name": "~nobody/*" }), "nothing of the evidence stands for");
    refused(&fixture, "find_files", json!({ "name": "%PUBLIC%\\*" }), "nothing of the evidence stands for");
}

#[test]
fn hives_are_found_by_the_name_of_their_mount() {
    let fixture = fixture();
    let key = |hive: Option<&str>, key: &str| {
        let arguments = hive.map_or(json!({ "key": key }), |hive| json!({ "hive": hive, "key": key }));
        let returned = fixture.run("parse_registry_key", arguments.clone());
        assert_eq!(returned.outcome, Outcome::Ok, "{arguments}: {:?}", returned.notes);
        again(&fixture, "parse_registry_key", &returned);
        let normalised = returned.normalised.unwrap();
        (normalised["hive"].as_str().unwrap().to_owned(), normalised["key"].as_str().unwrap().to_owned())
    };
    let is = |hive: &str, key: &str| (hive.to_owned(), key.to_owned());
    for hive in
        ["SYSTEM", "hklm\\system", "`HKEY_LOCAL_MACHINE\\SYSTEM`", "%SystemRoot%/System32/config/SYSTEM"]
    {
        assert_eq!(key(Some(hive), "select"), is(SYSTEM, "Select"), "{hive}");
    }
    let control = is(SYSTEM, "ControlSet001\\Control");
    for asked in [
        "HKLM\\SYSTEM\\CurrentControlSet\\Control",
        "hkey_local_machine/system/controlset001/control/",
        "Computer\\HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control",
        "HKLM:\\SYSTEM\\ControlSet001\\Control\\",
        "\\REGISTRY\\MACHINE\\SYSTEM\\ControlSet001\\Control",
        "\"HKLM\\SYSTEM\\ControlSet001\\Control\"",
    ] {
        assert_eq!(key(None, asked), control, "{asked}");
    }
    let bob = "C/Users/Bob/NTUSER.DAT";
    assert_eq!(key(None, "HKU\\S-1-5-21-7\\software"), is(bob, "Software"));
    assert_eq!(key(Some("HKU\\S-1-5-21-7"), "HKCU\\Software"), is(bob, "Software"));
    assert_eq!(key(Some("~bob\\ntuser.dat"), "Software"), is(bob, "Software"));
    for (arguments, says) in [
        (
            json!({ "key": "HKCU\\Software" }),
            "several; give one of C/Users/Ann/hive-without-a-name (NTUSER of disk), C/Users/Bob",
        ),
        (json!({ "hive": "NTUSER", "key": "" }), "several"),
        (json!({ "key": "HKU\\S-1-5-21-8\\Software" }), "nothing of the evidence stands for"),
        (json!({ "key": "HKLM\\SAM\\SAM" }), "nothing of the evidence stands for"),
        (json!({ "key": "HKCR\\.exe" }), "HKLM\\SOFTWARE\\Classes"),
        (json!({ "key": "HKCC\\System" }), "Hardware Profiles"),
        (json!({ "key": "Software\\Microsoft" }), "\"hive\" is missing"),
        (json!({ "hive": null, "key": null }), "\"key\" is missing"),
        (
            json!({ "hive": SYSTEM, "key": "HKU\\S-1-5-21-7\\Software" }),
            "does not lie in a hive of type SYSTEM",
        ),
    ] {
        refused(&fixture, "parse_registry_key", arguments, says);
    }
}

#[test]
fn numbers_flags_and_choices_are_read_as_they_are_meant() {
    let fixture = fixture();
    for (given, name, expected) in [
        (json!({ "limit": "5" }), "limit", json!(5)),
        (json!({ "limit": " 5 " }), "limit", json!(5)),
        (json!({ "limit": 5.0 }), "limit", json!(5)),
        (json!({ "limit": null }), "limit", json!(1000)),
        (json!({ "max_results": 7 }), "limit", json!(7)),
        (json!({ "recursive": "True" }), "recursive", json!(true)),
        (json!({ "Recurse": false }), "recursive", json!(false)),
        (json!({ "evidence": "" }), "evidence", json!("disk")),
    ] {
        let mut arguments = json!({ "directory": "C/Users/Ann" });
        arguments.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        assert_eq!(used(&fixture, "list_directory", arguments.clone(), name), expected, "{arguments}");
    }
    for (given, says) in [
        (json!({ "path": ["C"] }), "found an array"),
        (json!({ "path": "C", "limit": "many" }), "expected integer"),
        (json!({ "path": "C", "limit": "-1" }), "expected integer"),
        (json!({ "path": "C", "recursive": 1 }), "expected boolean"),
        (json!({ "path": "C", "limt": 1 }), "(is \"limit\" meant?)"),
        (json!({ "path": "C", "file": "D" }), "unknown argument \"file\""),
    ] {
        refused(&fixture, "list_directory", given, says);
    }
    let arguments = json!({ "path": "~ann/wide.txt", "encoding": "UTF-16LE" });
    assert_eq!(used(&fixture, "read_file", arguments, "encoding"), "utf-16le");
}

#[test]
fn every_tool_that_met_a_gap_is_incomplete() {
    let fixture = Fixture::new();
    let mut deep = "deep".to_owned();
    for _ in 0..evidence::MAX_DEPTH + 2 {
        deep.push_str("/d");
    }
    write(fixture.root(), &format!("{deep}/hidden"), b"x");
    for (tool, arguments) in [
        ("list_directory", json!({ "path": "deep", "recursive": true, "limit": 10000 })),
        ("list_hives", json!({ "path": "deep" })),
        ("find_files", json!({ "under": "deep" })),
        ("search_text", json!({ "text": "none", "under": "deep" })),
        ("parse_registry_key", json!({ "hive": SOFTWARE, "key": "Microsoft" })),
    ] {
        let returned = fixture.run(tool, arguments);
        assert!(!returned.gaps.is_empty(), "{tool}");
        assert_eq!(returned.completeness, Completeness::Truncated, "{tool}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_normalised_call_is_its_own_normal_form(
        lead in prop::sample::select(vec!["", "C:\\", "c/", "~", "~/", "~ann/", "%windir%\\", "%APPDATA%/", "\\\\?\\C:\\", "file:///C:/", "HKLM\\"]),
        rest in prop::sample::select(vec!["", "Users/Ann", "Users\\Bob\\", "*.txt", "{a,b}.txt", "notes.txt", "**/x", "SYSTEM", "'", "~$*", "software"]),
        quote in prop::sample::select(vec!["", "\"", "`", " ", "'"]),
    ) {
        let fixture = fixture();
        let asked = format!("{quote}{lead}{rest}{quote}");
        for (spec, valid) in calls() {
            for name in ["path", "under", "name", "hive", "key"] {
                if spec.arguments["properties"].get(name).is_none() {
                    continue;
                }
                let mut arguments = valid.clone();
                arguments[name] = json!(asked);
                let returned = fixture.run(&spec.name, arguments);
                if returned.outcome != Outcome::Failed {
                    again(&fixture, &spec.name, &returned);
                }
            }
        }
    }
}
