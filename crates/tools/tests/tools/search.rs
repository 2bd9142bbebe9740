//! Tools that look for something, and what it means when they find nothing.

use crate::fixture::{Fixture, SYSTEM, text};
use evidence::{Tree, open_directory};
use ledger::{Completeness, Outcome};
use serde_json::json;
use std::path::Path;
use tools::run;

#[test]
fn one_entry_is_the_one_that_its_folder_lists() {
    let fixture = Fixture::new();
    let listed = fixture.ok("list_directory", json!({ "path": "C/Users/Ann" }));
    for entry in &listed.records {
        let returned = fixture.ok("stat_file", json!({ "path": text(entry, "path") }));
        assert_eq!(returned.records, std::slice::from_ref(entry));
        assert_eq!(returned.completeness, Completeness::Complete);
    }
    let returned = fixture.ok("stat_file", json!({ "path": "c:\\windows\\system32\\config\\system" }));
    assert_eq!(text(&returned.records[0], "path"), SYSTEM);
    let normalised = returned.normalised.unwrap();
    assert_eq!((&normalised["path"], &normalised["evidence"]), (&json!(SYSTEM), &json!("disk")));
}

#[test]
fn an_absent_entry_is_an_empty_answer_that_names_the_deepest_folder() {
    let fixture = Fixture::new();
    for (path, used, deepest) in [
        ("C:\\Users\\Bob\\Desktop\\x.exe", "C:/Users/Bob/Desktop/x.exe", "C/Users"),
        ("C/Users/Ann/notes.txt/below", "C/Users/Ann/notes.txt/below", "C/Users/Ann"),
        ("D:\\x", "D:/x", "/"),
    ] {
        let returned = fixture.run("stat_file", json!({ "path": path }));
        assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Complete));
        let says = format!("the deepest folder on that way is {deepest}");
        assert!(returned.notes[0].ends_with(&says), "{path}: {:?}", returned.notes);
        let normalised = returned.normalised.clone().unwrap();
        assert_eq!((&normalised["path"], &normalised["evidence"]), (&json!(used), &json!("disk")));
        assert_eq!(fixture.run("stat_file", normalised).records, returned.records);
    }
}

#[test]
fn what_cannot_be_told_is_a_failure_and_no_absence() {
    let fixture = Fixture::new();
    for (path, says) in [
        ("C/Users/Ann/link/passwd", "symbolic link to \"/etc\" is not followed"),
        ("", "the root of the evidence is no entry"),
        ("C/../x", ".."),
    ] {
        let returned = fixture.run("stat_file", json!({ "path": path }));
        assert_eq!(returned.outcome, Outcome::Failed, "{path}");
        assert!(returned.notes[0].contains(says), "{path}: {:?}", returned.notes);
    }
}

#[test]
fn an_absence_in_several_pieces_of_evidence_names_each() {
    let (one, two) = (Fixture::new(), Fixture::new());
    let trees: Vec<Box<dyn Tree>> = vec![
        Box::new(open_directory(one.root(), "one").unwrap()),
        Box::new(open_directory(two.root(), "two").unwrap()),
    ];
    let returned = run("stat_file", &json!({ "path": "C/Users/Bob" }), &trees, Path::new("/nonexistent"));
    assert_eq!(returned.outcome, Outcome::Empty);
    assert!(returned.notes[0].ends_with("are C/Users of one, C/Users of two"), "{:?}", returned.notes);
    assert_eq!(returned.normalised.unwrap(), json!({ "path": "C/Users/Bob" }));
}
