//! The near misses that an empty search reports.

use crate::fixture::write;
use evidence::{Tree, open_directory};
use serde_json::{Value, json};
use std::path::Path;
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};

const SYSTEM: &str = "C/Windows/System32/config/SYSTEM";

/// Makes a folder with file names that conceal others, and a hive with keys that conceal a service.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["host.txt:mimi16.exe", "m1mi8.exe", "\u{ab87}imi20.exe", "mimi16.exe.zip"] {
        write(folder.path(), &format!("C/Users/Ann/{name}"), b"MZ");
    }
    let current = KeySpec { values: vec![ValueSpec::dword("Current", 1)], ..KeySpec::default() };
    let root = KeySpec::new("R")
        .path("Select", current)
        .path("ControlSet001\\Services\\evilsvc3\0x", KeySpec::default())
        .path("ControlSet002\\Services\\evilsvc6", KeySpec::default());
    write(folder.path(), SYSTEM, &HiveSpec::new(root).build().bytes);
    folder
}

fn notes(tool: &str, arguments: Value) -> Vec<String> {
    let folder = folder();
    let trees = vec![Box::new(open_directory(folder.path(), "disk").unwrap()) as Box<dyn Tree>];
    let returned = tools::run(tool, &arguments, &trees, Path::new("/nonexistent"));
    assert!(returned.records.is_empty(), "{arguments}");
    returned.notes
}

#[test]
fn a_search_names_what_hides_the_thing() {
    for (name, near) in [
        ("mimi16.exe", "C/Users/Ann/host.txt:mimi16.exe"),
        ("mimi8.exe", "C/Users/Ann/m1mi8.exe"),
        ("mimi20.exe", r"C/Users/Ann/\u{ab87}imi20.exe"),
    ] {
        let notes = notes("find_files", json!({ "name": name }));
        assert_eq!(notes.iter().filter(|note| note.contains(near)).count(), 1, "{notes:?}");
        assert!(!notes.iter().any(|note| note.contains(".zip")), "{notes:?}");
    }
}

#[test]
fn a_key_is_near_its_like_with_a_nul_and_in_another_control_set() {
    for (set, service, near) in [
        ("ControlSet001", "evilsvc3", "a key that reads the same: ControlSet001\\Services\\evilsvc3"),
        (
            "ControlSet001",
            "evilsvc6",
            "the same key in another control set: ControlSet002\\Services\\evilsvc6",
        ),
        (
            "CurrentControlSet",
            "evilsvc6",
            "the same key in another control set: ControlSet002\\Services\\evilsvc6",
        ),
    ] {
        let key = format!("{set}\\Services\\{service}");
        let notes = notes("parse_registry_key", json!({ "hive": SYSTEM, "key": key }));
        assert!(notes.iter().any(|note| note.contains(near)), "{notes:?}");
    }
}
