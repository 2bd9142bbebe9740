//! Search tools, and what it means if they find nothing.

use crate::fixture::{Fixture, SYSTEM, text, value, write};
use evidence::{Tree, open_directory};
use ledger::{ByteSpan, Completeness, Digest, FieldValue, Outcome};
use serde_json::json;
use std::fs;
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
        ("C/Users/Ann/link/passwd", "symbolic link to \"/C/Windows\" is not followed"),
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

/// Returns the paths that `find_files` finds.
fn found(fixture: &Fixture, arguments: serde_json::Value) -> Vec<String> {
    let returned = fixture.run("find_files", arguments.clone());
    assert_ne!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.notes);
    // A link in the user's folder leads out of the folder that is searched.
    let told = returned.gaps.iter().all(|gap| gap.path == "C/Users/Ann/link");
    let is_whole = returned.completeness == Completeness::Complete;
    assert!(told && is_whole == returned.gaps.is_empty(), "{arguments}: {:?}", returned.gaps);
    returned.records.iter().map(|record| text(record, "path")).collect()
}

#[test]
fn files_and_folders_are_found_by_all_that_is_given() {
    let fixture = Fixture::new();
    let ann = |names: &[&str]| names.iter().map(|name| format!("C/Users/Ann/{name}")).collect::<Vec<_>>();
    let texts = ann(&["notes.txt", "wide.txt"]);
    for (arguments, expected) in [
        (json!({ "name": "*.txt" }), texts.clone()),
        (json!({ "name": "ANN" }), vec!["C/Users/Ann".to_owned()]),
        (json!({ "name": "notes.???" }), ann(&["notes.txt"])),
        (json!({ "name": "system" }), vec![SYSTEM.to_owned()]),
        (json!({ "name": "users\\*\\*.txt" }), texts.clone()),
        (json!({ "name": "**\\users\\*\\*.txt" }), texts.clone()),
        (json!({ "name": "C:\\users\\*\\*.txt" }), texts.clone()),
        (json!({ "name": "\\\\?\\c:/**/NOTES.txt" }), ann(&["notes.txt"])),
        (json!({ "name": "c:/*" }), vec!["C/Users".to_owned(), "C/Windows".to_owned()]),
        (json!({ "extension": "TXT" }), texts.clone()),
        (json!({ "extension": "*.txt", "name": "w*" }), ann(&["wide.txt"])),
        (json!({ "extension": "xt" }), vec![]),
        (json!({ "under": "c:\\Users", "max_size": 0 }), ann(&["empty"])),
        (json!({ "min_size": 600, "max_size": 600 }), ann(&["data.bin"])),
        (json!({ "name": "*.txt", "under": "C/Windows" }), vec![]),
        (json!({ "name": "l?nk" }), ann(&["link"])),
    ] {
        assert_eq!(found(&fixture, arguments.clone()), expected, "{arguments}");
    }
    let everything = fixture.ok("list_directory", json!({ "path": "", "recursive": true }));
    assert_eq!(fixture.ok("find_files", json!({})).records, everything.records);
}

#[test]
fn no_constraint_is_dropped_without_being_shown() {
    let fixture = Fixture::new();
    let given = json!({ "name": "c:\\Users/*", "under": "C:\\USERS", "extension": ".Bin", "min_size": 1 });
    let returned = fixture.run("find_files", given);
    assert_eq!(
        returned.normalised.unwrap(),
        json!({
            "name": "/C/Users/*", "under": "C/Users", "extension": "bin", "min_size": 1,
            "evidence": "disk", "limit": 1000, "offset": 0,
        })
    );
    let elsewhere = fixture.run("find_files", json!({ "name": "D:\\x*" }));
    assert_eq!((elsewhere.outcome, elsewhere.completeness), (Outcome::Failed, Completeness::Truncated));
    assert!(elsewhere.notes[0].contains("stands for the drive of \"D:\\\\x*\""), "{:?}", elsewhere.notes);
    for (arguments, says) in [
        (json!({ "name": "" }), "a pattern of a name or a path"),
        (json!({ "name": "a/../b" }), "names and no . or .."),
        (json!({ "extension": "." }), "the end of a name"),
        (json!({ "extension": "t*t" }), "without patterns"),
        (json!({ "min_size": 2, "max_size": 1 }), "at least as much as"),
        (json!({ "under": "C/Users/Bob" }), "the deepest folder on that way is C/Users"),
        (json!({ "under": "C/Users/Ann/notes.txt" }), "not a folder"),
    ] {
        let returned = fixture.run("find_files", arguments.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{arguments}");
        assert!(returned.notes[0].contains(says), "{arguments}: {:?}", returned.notes);
    }
}

#[test]
fn a_search_that_stopped_early_or_met_a_gap_is_not_complete() {
    let fixture = Fixture::new();
    let whole = fixture.ok("find_files", json!({ "name": "*e*" }));
    let mut joined = Vec::new();
    for offset in (0..).step_by(2) {
        let page = fixture.run("find_files", json!({ "name": "*e*", "limit": 2, "offset": offset }));
        assert_eq!(page.completeness, Completeness::Truncated);
        joined.extend(page.records);
        if !page.notes[0].contains(&format!("\"offset\": {}", offset + 2)) {
            break;
        }
    }
    assert_eq!(joined, whole.records);

    let mut deep = "deep".to_owned();
    for _ in 0..evidence::MAX_DEPTH + 2 {
        deep.push_str("/d");
    }
    write(fixture.root(), &format!("{deep}/hidden"), b"x");
    let returned = fixture.run("find_files", json!({ "name": "hidden" }));
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Truncated));
    assert!(returned.gaps[0].reason.contains("deeper than"), "{:?}", returned.gaps);
}

#[test]
fn a_file_has_the_hash_of_its_content() {
    let fixture = Fixture::new();
    for path in ["C/Users/Ann/notes.txt", "C/Users/Ann/empty", SYSTEM] {
        let returned = fixture.ok("hash_file", json!({ "path": path.to_uppercase() }));
        let bytes = fs::read(fixture.root().join(path)).unwrap();
        let [record] = returned.records.as_slice() else { panic!("{:?}", returned.records) };
        assert_eq!(value(record, "sha256"), &FieldValue::Hash(Digest::of(&bytes).to_string()));
        assert_eq!(value(record, "size"), &FieldValue::Size(bytes.len() as u64));
        assert_eq!(text(record, "path"), path);
        assert_eq!(record.locator.span, Some(ByteSpan::new(0, bytes.len() as u64)));
    }
    for (path, says) in [
        ("C/Users", "not a regular file"),
        ("C/Users/Ann/link", "not followed"),
        ("C/Users/Bob", "the deepest folder on that way is C/Users"),
    ] {
        let returned = fixture.run("hash_file", json!({ "path": path }));
        assert_eq!(returned.outcome, Outcome::Failed, "{path}");
        assert!(returned.notes[0].contains(says), "{path}: {:?}", returned.notes);
    }
}

/// If a claim repeats a pattern in another case, it must match the same names, or its empty answer would show the absence of existing files.
#[test]
fn letters_of_names_are_compared_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["\u{391}\u{3a3}\u{392}.txt", "\u{130}.log", "\u{39f}\u{394}\u{39f}\u{3a3}"] {
        write(folder.path(), name, b"x");
    }
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    for pattern in ["\u{391}\u{3a3}*", "?.log", "\u{3bf}\u{3b4}\u{3bf}\u{3c3}"] {
        let returned = run("find_files", &json!({ "name": pattern }), &trees, Path::new("/nonexistent"));
        assert_eq!(returned.records.len(), 1, "{pattern}: {:?}", returned.notes);
    }
}
