//! Patterns that can match nothing are refused, and say where they could have stood; those of a volume are found in it.

use evidence::Tree;
use ledger::{EvidenceKind, Outcome};
use serde_json::{Value, json};
use std::path::Path;
use tools::{Return, run};

fn asked(tool: &str, arguments: &Value) -> Return {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo/alder-07.E01");
    let trees: Vec<Box<dyn Tree>> = vec![evidence::open(EvidenceKind::Image, &demo, "pc").unwrap()];
    run(tool, arguments, &trees, Path::new("/nonexistent"))
}

#[test]
fn a_pattern_that_leaves_out_the_volume_is_looked_for_in_every_volume() {
    let with_volume = asked("find_files", &json!({ "name": "p1/Users/**/*.exe" }));
    assert!(with_volume.outcome == Outcome::Ok && !with_volume.records.is_empty());
    for name in ["Users/**/*.exe", "/users/**/*.exe", "Users\\**\\*.{exe}", "{Users,Userz}/**/*.exe"] {
        let found = asked("find_files", &json!({ "name": name }));
        assert_eq!(found.records, with_volume.records, "{name}: {:?}", found.notes);
    }
    let used = asked("find_files", &json!({ "name": "Users/**/*.exe" })).normalised;
    assert_eq!(used.unwrap()["name"], "/p1/Users/**/*.exe");
}

#[test]
fn what_can_match_nothing_does_not_end_empty_and_complete() {
    for (tool, arguments, told) in [
        ("find_files", json!({ "name": "Userz/**/*.exe" }), "/ of pc, p1 of pc"),
        ("find_files", json!({ "name": "D:/Users/*" }), "drive"),
        ("find_files", json!({ "name": ".*\\.exe$" }), "regular expression"),
        ("find_files", json!({ "extension": "*.{exe" }), "without patterns"),
        ("find_files", json!({ "name": "*.exe", "under": "Userz" }), "Userz"),
        ("list_deleted", json!({ "name": "D:/x*" }), "drive"),
        ("search_text", json!({ "text": "x y", "name": "Users/*" }), "without separators"),
        ("records", json!({ "source": "services", "under": "D:/x" }), "drive"),
        ("records", json!({ "source": "prefetchs" }), "prefetch"),
        ("records", json!({ "record": "logonz" }), "logon"),
        ("records", json!({ "source": "prefetch", "where": "channel = 'Security'" }), "channel"),
        ("timeline", json!({ "field": "zzz" }), "field"),
        ("timeline", json!({ "source": "zzz" }), "source"),
    ] {
        let returned = asked(tool, &arguments);
        let is_told = returned.notes.iter().any(|note| note.contains(told));
        assert!(returned.outcome == Outcome::Failed && is_told, "{tool} {arguments}: {returned:?}");
    }
}
