//! Searches for text in files of any kind.

use crate::fixture::{Fixture, SOFTWARE, fits, text, wide, write};
use evidence::{EvidencePath, Listing, Node, ReadAt, ReadError, Tree, open_directory};
use ledger::{Completeness, Outcome, Record};
use serde_json::{Value, json};
use std::path::Path;
use tools::{Return, run};

fn search(fixture: &Fixture, arguments: Value) -> Return {
    let returned = fixture.run("search_text", arguments.clone());
    assert_ne!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.notes);
    fits(&returned, "search_text");
    for record in &returned.records {
        let bytes = fixture.bytes_of(record, "text");
        let same = bytes == text(record, "text").into_bytes() || bytes == wide(&text(record, "text"));
        assert!(same, "the text of {record:?} does not stand at its place");
    }
    returned
}

fn numbers(returned: &Return) -> Vec<usize> {
    returned.records.iter().map(|record| text(record, "line").parse().unwrap()).collect()
}

#[test]
fn a_line_that_is_found_is_the_line_that_is_read() {
    let fixture = Fixture::new();
    let read = |path: &str| fixture.ok("read_file", json!({ "path": path })).records;
    let expected = [read("C/Users/Ann/notes.txt")[1].clone(), read("C/Users/Ann/wide.txt")[1].clone()];
    for wanted in ["zwei", "ZWEI", "Zwei"] {
        let returned = search(&fixture, json!({ "text": wanted }));
        assert_eq!(returned.records, expected, "{wanted}");
        assert_eq!(returned.completeness, Completeness::Complete);
    }
    let returned = search(&fixture, json!({ "text": "GRÜN", "under": "c:\\users\\ANN\\notes.txt" }));
    assert_eq!(returned.records, expected[..1]);
    let normalised = returned.normalised.unwrap();
    assert_eq!(
        (&normalised["under"], &normalised["text"]),
        (&json!("C/Users/Ann/notes.txt"), &json!("GRÜN"))
    );
    for (arguments, found) in [
        (json!({ "text": "zwei", "ignore_case": false }), 2),
        (json!({ "text": "Zwei", "ignore_case": false }), 0),
        (json!({ "text": "zwei", "name": "W*.TXT" }), 1),
        (json!({ "text": "zwei", "under": "C/Windows" }), 0),
        (json!({ "text": "fi*e" }), 0),
    ] {
        let returned = search(&fixture, arguments.clone());
        assert_eq!(returned.records.len(), found, "{arguments}");
        assert_eq!(returned.completeness, Completeness::Complete, "{arguments}");
    }
}

#[test]
fn what_is_no_regular_file_is_not_searched_and_says_so() {
    let fixture = Fixture::new();
    let _socket =
        std::os::unix::net::UnixListener::bind(fixture.root().join("C/Users/Ann/chat.txt")).unwrap();
    let returned = search(&fixture, json!({ "text": "no such words" }));
    assert_eq!(returned.outcome, Outcome::Empty);
    let gaps: Vec<_> = returned.gaps.iter().map(|gap| (gap.path.as_str(), gap.reason.as_str())).collect();
    assert_eq!(gaps, [("C/Users/Ann/chat.txt", "not a regular file, so it was not searched")]);
    let named = search(&fixture, json!({ "text": "no such words", "name": "notes*" }));
    assert_eq!(named.gaps, []);
}

#[test]
fn files_of_an_image_that_hold_named_streams_alone_are_no_gap() {
    let folder = tempfile::tempdir().unwrap();
    let trees = [crate::image_fixture::open(folder.path())];
    let returned = tools::run("search_text", &json!({ "text": "no such words" }), &trees, folder.path());
    assert_eq!((returned.outcome, returned.gaps), (Outcome::Empty, vec![]));
}

#[test]
fn a_pattern_that_no_file_fits_is_refused() {
    let fixture = Fixture::new();
    let arguments = json!({ "text": "zwei", "name": "w*", "under": "C/Users/Ann/notes.txt" });
    let returned = fixture.run("search_text", arguments);
    assert_eq!(returned.outcome, Outcome::Failed, "{:?}", returned.notes);
    assert!(returned.notes[0].contains("looked in C/Users/Ann/notes.txt of disk"), "{:?}", returned.notes);
}

#[test]
fn in_bytes_the_printable_run_is_the_line() {
    let fixture = Fixture::new();
    let returned = search(&fixture, json!({ "text": "EVIL.exe" }));
    let [record] = returned.records.as_slice() else { panic!("{:?}", returned.records) };
    assert_eq!(
        (text(record, "path"), text(record, "text")),
        (SOFTWARE.to_owned(), "c:\\evil.exe".to_owned())
    );
    assert!(!record.fields.contains_key("line"));
    let bytes =
        [&b"MZ\0\x01\x02\xFF"[..], b"one needle, two needles", &[0x90; 9], &wide("a Needle")].concat();
    write(fixture.root(), "tool.bin", &bytes);
    let returned = search(&fixture, json!({ "text": "needle" }));
    let texts: Vec<_> = returned.records.iter().map(|record| text(record, "text")).collect();
    assert_eq!(texts, ["one needle, two needles", "a Needle"]);
    assert!(returned.records.iter().all(|record| !record.fields.contains_key("line")));
}

#[test]
fn windows_lose_no_line_and_count_none_twice() {
    let fixture = Fixture::new();
    let line = |number: usize| match number % 1000 {
        0 => format!("{number} the Needle"),
        1 => format!("{number} needle and needle"),
        _ => format!("{number} {}", "hay ".repeat(number % 9)),
    };
    let lines: Vec<_> = (1..=100_000).map(line).collect();
    let expected: Vec<_> = (1..=100_000).filter(|number| number % 1000 < 2).collect();
    let content = lines.join("\r\n");
    write(fixture.root(), "narrow.log", content.as_bytes());
    write(fixture.root(), "wide.log", &wide(&content));
    for name in ["narrow.log", "wide.log"] {
        let returned = search(&fixture, json!({ "text": "needle", "name": name, "limit": 2000 }));
        assert_eq!(numbers(&returned), expected, "{name}");
        for (record, number) in returned.records.iter().zip(&expected) {
            assert_eq!(text(record, "text"), lines[number - 1], "{name}");
        }
    }
    // The hit is at every offset around the border of two windows.
    for shift in 0..14 {
        let border = (1 << 20) - 10;
        let content = format!("{}\nx needle\n{}", "a".repeat(border + shift - 1), "needle ".repeat(2));
        write(fixture.root(), "border", content.as_bytes());
        let returned = search(&fixture, json!({ "text": "needle", "under": "border" }));
        assert_eq!(numbers(&returned), [2, 3], "{shift}");
        assert_eq!(text(&returned.records[0], "text"), "x needle");
    }
}

#[test]
fn of_a_long_line_the_part_around_each_hit_is_given() {
    let fixture = Fixture::new();
    let content = format!("{}needle{}needle{}\nend", "ä".repeat(4000), "ö".repeat(2500), "ü".repeat(4000));
    write(fixture.root(), "long.txt", content.as_bytes());
    let returned = search(&fixture, json!({ "text": "needle", "under": "long.txt" }));
    let parts: Vec<_> = returned.records.iter().map(|record| text(record, "text")).collect();
    assert_eq!((parts.len(), numbers(&returned)), (2, vec![1, 1]));
    for part in &parts {
        assert!(part.contains("needle") && (4090..=4096).contains(&part.len()), "{}", part.len());
    }
    assert!(returned.records.iter().all(|record| record.defects.is_empty()));
}

#[test]
fn pages_of_lines_join_to_all_of_them() {
    let fixture = Fixture::new();
    write(fixture.root(), "many.txt", "needle\n".repeat(23).as_bytes());
    let whole = search(&fixture, json!({ "text": "needle" }));
    assert_eq!((whole.records.len(), whole.completeness), (23, Completeness::Complete));
    let page = |offset: usize| search(&fixture, json!({ "text": "needle", "limit": 10, "offset": offset }));
    let pages = [0, 10, 20].map(page);
    assert!(pages.iter().all(|page| page.completeness == Completeness::Truncated));
    assert!(pages[1].notes[0].contains("go on with \"offset\": 20"), "{:?}", pages[1].notes);
    assert!(pages[2].notes[0].contains("last page"), "{:?}", pages[2].notes);
    let joined: Vec<Record> = pages.into_iter().flat_map(|page| page.records).collect();
    assert_eq!(joined, whole.records);
}

#[test]
fn what_cannot_be_looked_for_is_refused() {
    let fixture = Fixture::new();
    for (arguments, says) in [
        (json!({ "text": "x" }), "2 to 256 characters"),
        (json!({ "text": "x".repeat(257) }), "2 to 256 characters"),
        (json!({ "text": "two\nlines" }), "text of one line"),
        (json!({ "text": "ab", "name": "C/*.txt" }), "without separators"),
        (json!({ "text": "ab", "under": "C/Users/Ann/link" }), "not followed"),
        (json!({ "text": "ab", "under": "C/Users/Bob" }), "the deepest folder on that way is C/Users"),
    ] {
        let returned = fixture.run("search_text", arguments.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{arguments}");
        assert!(returned.notes[0].contains(says), "{arguments}: {:?}", returned.notes);
    }
}

/// A folder with one file that cannot be read.
struct Locked(Box<dyn Tree>);

impl Tree for Locked {
    fn label(&self) -> &str {
        self.0.label()
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        self.0.node(path)
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        self.0.children(directory)
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        if node.name == "notes.txt" {
            let source = std::io::ErrorKind::PermissionDenied.into();
            return Err(ReadError::Io { path: node.path.clone(), source });
        }
        self.0.open(node, stream)
    }
}

#[test]
fn an_unreadable_file_is_a_gap_and_the_search_not_complete() {
    let fixture = Fixture::new();
    let tree = Locked(Box::new(open_directory(fixture.root(), "disk").unwrap()));
    let trees: [Box<dyn Tree>; 1] = [Box::new(tree)];
    let ask = |arguments: Value| run("search_text", &arguments, &trees, Path::new("/nonexistent"));
    for (wanted, outcome) in [("zwei", Outcome::Ok), ("no such words", Outcome::Empty)] {
        let returned = ask(json!({ "text": wanted }));
        assert_eq!((returned.outcome, returned.completeness), (outcome, Completeness::Truncated));
        assert_eq!(returned.gaps[0].path, "C/Users/Ann/notes.txt");
        assert_eq!(returned.notes[0], ledger::tool::LEFT_UNREAD);
    }
    let returned = ask(json!({ "text": "zwei", "under": "C/Users/Ann/notes.txt" }));
    assert_eq!(returned.outcome, Outcome::Failed);
    let returned =
        run("hash_file", &json!({ "path": "C/Users/Ann/notes.txt" }), &trees, Path::new("/nonexistent"));
    assert_eq!(returned.outcome, Outcome::Failed);
}
