//! Folders and files.

use crate::fixture::{Fixture, SYSTEM, fits, text, value, wide, write};
use evidence::{Tree, open_directory};
use ledger::{Clock, Completeness, FieldValue, Outcome};
use serde_json::json;
use std::path::Path;
use tools::run;

const ANN: [&str; 7] =
    ["cut-hive", "data.bin", "empty", "hive-without-a-name", "link", "notes.txt", "wide.txt"];

#[test]
fn a_folder_is_listed_by_name_with_times_of_the_copy() {
    let fixture = Fixture::new();
    let returned = fixture.ok("list_directory", json!({ "path": "C:\\users\\ANN" }));
    let names: Vec<_> = returned.records.iter().map(|record| text(record, "name")).collect();
    assert_eq!(names, ANN);
    assert_eq!(returned.completeness, Completeness::Complete);
    assert_eq!(returned.normalised.as_ref().unwrap()["path"], "C/Users/Ann");
    let notes = &returned.records[5];
    assert_eq!(text(notes, "path"), "C/Users/Ann/notes.txt");
    assert_eq!((text(notes, "kind"), text(notes, "state")), ("file".into(), "allocated".into()));
    assert_eq!(value(notes, "size"), &FieldValue::Size(37));
    let FieldValue::Time(modified) = value(notes, "modified") else { panic!() };
    assert_eq!(modified.clock, Clock::CollectionCopy);
    let link = &returned.records[4];
    assert_eq!((text(link, "kind"), text(link, "target")), ("symlink".into(), "/C/Windows".into()));
    assert!(!link.fields.contains_key("size"));
}

#[test]
fn pages_join_to_the_whole_and_never_call_themselves_complete() {
    let fixture = Fixture::new();
    let whole = fixture.ok("list_directory", json!({ "path": "", "recursive": true }));
    assert_eq!(whole.completeness, Completeness::Complete);
    let mut joined = Vec::new();
    for offset in (0..).step_by(4) {
        let arguments = json!({ "path": "", "recursive": true, "limit": 4, "offset": offset });
        let page = fixture.run("list_directory", arguments);
        assert_eq!(page.completeness, Completeness::Truncated);
        joined.extend(page.records);
        if !page.notes[0].contains(&format!("\"offset\": {}", offset + 4)) {
            break;
        }
    }
    assert_eq!(joined, whole.records);
    let beyond = fixture.run("list_directory", json!({ "path": "", "offset": 1000 }));
    assert_eq!((beyond.outcome, beyond.completeness), (Outcome::Empty, Completeness::Truncated));
}

#[test]
fn what_is_not_there_or_no_folder_fails() {
    let fixture = Fixture::new();
    for (path, says) in [
        ("C/Users/Bob/Desktop", "the deepest folder on that way is C/Users"),
        ("D:\\Users", "nothing of the evidence stands for the drive"),
        ("C/Users/Ann/notes.txt", "not a folder"),
        ("C/Users/Ann/link/passwd", "symbolic link to \"/C/Windows\" is not followed"),
    ] {
        let returned = fixture.run("list_directory", json!({ "path": path }));
        assert_eq!(returned.outcome, Outcome::Failed, "{path}");
        assert!(returned.notes[0].contains(says), "{path}: {:?}", returned.notes);
    }
    let returned = fixture.run("read_file", json!({ "path": "C/Users/Ann/link" }));
    assert!(returned.notes[0].contains("not followed"), "{:?}", returned.notes);
    let returned = fixture.run("read_file", json!({ "path": "C/Users" }));
    assert!(returned.notes[0].contains("not a regular file"), "{:?}", returned.notes);
}

#[test]
fn a_drive_letter_is_dropped_only_where_no_folder_stands_for_a_drive() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "Windows/a.txt", b"x");
    write(folder.path(), "other/C%3A/Windows/b.txt", b"x");
    let list = |root: &Path, path: &str| {
        let trees = vec![Box::new(open_directory(root, "disk").unwrap()) as Box<dyn Tree>];
        run("list_directory", &json!({ "path": path }), &trees, root)
    };
    let returned = list(folder.path(), "C:/windows");
    assert_eq!(text(&returned.records[0], "path"), "Windows/a.txt");
    assert_eq!(returned.normalised.unwrap()["path"], "Windows");
    let returned = list(&folder.path().join("other"), "c:\\Windows");
    assert_eq!(text(&returned.records[0], "path"), "C%3A/Windows/b.txt");
    write(folder.path(), "D/x", b"x");
    assert_eq!(list(folder.path(), "C:/windows").outcome, Outcome::Failed);
}

#[test]
fn a_path_that_two_pieces_of_evidence_hold_needs_the_label() {
    let (one, two) = (Fixture::new(), Fixture::new());
    write(two.root(), "only-here.txt", b"x");
    let trees: Vec<Box<dyn Tree>> = vec![
        Box::new(open_directory(one.root(), "one").unwrap()),
        Box::new(open_directory(two.root(), "two").unwrap()),
    ];
    let ask = |tool: &str, arguments| run(tool, &arguments, &trees, Path::new("/nonexistent"));
    let returned = ask("list_directory", json!({ "path": "C" }));
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(returned.notes[0].contains("one, two"), "{:?}", returned.notes);
    let returned = ask("list_directory", json!({ "path": "C", "evidence": "two" }));
    assert_eq!(returned.records[0].locator.evidence, "two");
    let returned = ask("read_file", json!({ "path": "only-here.txt" }));
    assert_eq!(returned.normalised.unwrap()["evidence"], "two");
    let returned = ask("list_hives", json!({}));
    let labels: Vec<_> = returned.records.iter().map(|record| record.locator.evidence.as_str()).collect();
    assert_eq!(labels, ["one", "one", "one", "two", "two", "two"]);
}

#[test]
fn lines_have_numbers_and_their_bytes() {
    let fixture = Fixture::new();
    let returned = fixture.ok("read_file", json!({ "path": "C/Users/Ann/notes.txt" }));
    assert_eq!(returned.completeness, Completeness::Complete);
    assert_eq!(returned.normalised.as_ref().unwrap()["encoding"], "utf-8");
    let lines: Vec<_> =
        returned.records.iter().map(|record| (text(record, "line"), text(record, "text"))).collect();
    let expected = [("1", "first line"), ("2", "zweite Zeile: grün"), ("3", ""), ("4", "last")];
    assert_eq!(lines, expected.map(|(line, text)| (line.to_owned(), text.to_owned())));
    for record in &returned.records {
        assert_eq!(fixture.bytes_of(record, "text"), text(record, "text").into_bytes());
    }
    let returned = fixture.ok("read_file", json!({ "path": "C/Users/Ann/wide.txt" }));
    assert_eq!(returned.normalised.as_ref().unwrap()["encoding"], "utf-16le");
    assert_eq!(text(&returned.records[0], "text"), "eins");
    assert_eq!(fixture.bytes_of(&returned.records[1], "text"), wide("zwei"));
}

#[test]
fn a_window_gives_whole_lines_and_says_how_to_go_on() {
    let fixture = Fixture::new();
    let path = "C/Users/Ann/notes.txt";
    let returned = fixture.ok("read_file", json!({ "path": path, "length": 20 }));
    assert_eq!((returned.records.len(), returned.completeness), (1, Completeness::Truncated));
    assert!(returned.notes[0].contains("\"offset\": 12"), "{:?}", returned.notes);
    let returned = fixture.ok("read_file", json!({ "path": path, "offset": 12 }));
    assert_eq!(text(&returned.records[0], "text"), "zweite Zeile: grün");
    assert!(returned.records.iter().all(|record| !record.fields.contains_key("line")));
    assert_eq!(returned.completeness, Completeness::Truncated);
    let returned = fixture.run("read_file", json!({ "path": path, "offset": 4000 }));
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Truncated));
    let returned = fixture.run("read_file", json!({ "path": "C/Users/Ann/empty" }));
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Complete));
}

#[test]
fn no_window_cuts_a_word_out_of_a_line() {
    let fixture = Fixture::new();
    let line = "malware.exe was not executed; balance -512345.67";
    let at = line.find("executed").unwrap();
    write(fixture.root(), "log.txt", format!("first line\n{line}\nlast line").as_bytes());
    for (offset, length) in [(11 + at, 8), (11 + at + 14, 4), (11, 1), (11, 20)] {
        let returned =
            fixture.ok("read_file", json!({ "path": "log.txt", "offset": offset, "length": length }));
        assert_eq!(text(&returned.records[0], "text"), line, "{offset} {length}");
        assert_eq!(returned.normalised.as_ref().unwrap()["offset"], 11);
    }
    write(fixture.root(), "wide.txt", &[b"\xFF\xFE".to_vec(), wide("not executed\nnext")].concat());
    let returned = fixture.ok("read_file", json!({ "path": "wide.txt", "offset": 11, "length": 3 }));
    assert_eq!(text(&returned.records[0], "text"), "not executed");
}

#[test]
fn a_long_line_comes_in_parts_and_a_flood_of_lines_in_portions() {
    let fixture = Fixture::new();
    write(fixture.root(), "long.txt", format!("{}\nshort", "x".repeat(10_000)).as_bytes());
    let returned = fixture.ok("read_file", json!({ "path": "long.txt" }));
    let parts: Vec<_> = returned
        .records
        .iter()
        .map(|record| (text(record, "line"), text(record, "part"), text(record, "text").len()))
        .collect();
    let expected = [("1", "1", 4096), ("1", "2", 4096), ("1", "3", 1808), ("2", "", 5)];
    assert_eq!(parts, expected.map(|(line, part, length)| (line.to_owned(), part.to_owned(), length)));
    write(fixture.root(), "flood.txt", &vec![b'\n'; 50_000]);
    let returned = fixture.ok("read_file", json!({ "path": "flood.txt" }));
    assert_eq!((returned.records.len(), returned.completeness), (20_000, Completeness::Truncated));
    assert!(returned.notes[0].contains("\"offset\": 20000"), "{:?}", returned.notes);
}

#[test]
fn what_is_no_text_comes_as_rows_of_bytes() {
    let fixture = Fixture::new();
    let returned = fixture.ok("read_file", json!({ "path": "C/Users/Ann/data.bin" }));
    assert_eq!(returned.normalised.as_ref().unwrap()["encoding"], "hex");
    let tail = json!({ "path": "C/Users/Ann/data.bin", "offset": 590, "encoding": "hex" });
    let returned = fixture.ok("read_file", tail);
    assert_eq!(text(&returned.records[0], "bytes"), "4e4f5051525354555657");
    assert_eq!(value(&returned.records[0], "offset"), &FieldValue::Integer(590));
    let returned = fixture.ok("read_file", json!({ "path": SYSTEM, "length": 64 }));
    assert_eq!(returned.records.len(), 4);
    assert!(text(&returned.records[0], "bytes").starts_with("72656766"));
    let returned = fixture.ok("read_file", json!({ "path": "C/Users/Ann/data.bin", "encoding": "utf-8" }));
    assert!(returned.records.iter().any(|record| !record.defects.is_empty()));
    fits(&returned, "read_file");
}
