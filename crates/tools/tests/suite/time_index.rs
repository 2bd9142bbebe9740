//! With a timeline index and without one: the same answers. The file of an index is made of hostile bytes, and read as such.

use crate::fixture::{TICKS, write};
use crate::timeline::Image;
use evidence::{Tree, open_directory};
use ledger::{Outcome, Record, Time};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use testkit::recycle_bin::dollar_i;
use tools::{BuiltTimeline, Indexes, Prepared, Return, build_timeline, run, run_prepared};

const SECOND: u64 = 10_000_000;
const BIN: &str = "C/$Recycle.Bin/S-1-5-21-1-2-3-1001";

/// A computer of two hives and some deleted files; the seconds of their times.
#[derive(Debug, Clone)]
struct Computer {
    keys: Vec<(bool, u8, u64)>,
    deleted: Vec<(u8, u64)>,
    files: Vec<u8>,
    odd: bool,
}

fn computers() -> impl Strategy<Value = Computer> {
    let keys = prop::collection::vec((any::<bool>(), 0u8..6, 0u64..30), 0..12);
    let deleted = prop::collection::vec((0u8..6, 0u64..30), 0..6);
    (keys, deleted, prop::collection::vec(0u8..30, 0..6), any::<bool>())
        .prop_map(|(keys, deleted, files, odd)| Computer { keys, deleted, files, odd })
}

impl Computer {
    fn write(&self, root: &Path) {
        for folder in ["C/files", BIN] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (of_user, path) in [(false, "C/Windows/SYSTEM"), (true, "C/Users/NTUSER.DAT")] {
            let mut spec = KeySpec::new("r").written(TICKS);
            for (_, name, seconds) in self.keys.iter().filter(|(user, ..)| *user == of_user) {
                spec = spec.path(&format!("Key{name}\\Sub{seconds}"), KeySpec::new("").written(at(*seconds)));
            }
            if of_user {
                spec = spec.path("Environment", KeySpec::new(""));
                spec = spec.path("Software\\Microsoft\\a", KeySpec::new("").value(ValueSpec::sz("a", "b")));
            }
            write(root, path, &HiveSpec::new(spec).build().bytes);
        }
        for (number, (name, seconds)) in self.deleted.iter().enumerate() {
            let path = format!("C:\\Users\\ann\\file{name}.txt");
            write(root, &format!("{BIN}/$I{number:06}.txt"), &dollar_i(&path, 7, at(*seconds)));
        }
        for name in &self.files {
            write(root, &format!("C/files/f{name}"), b"x");
        }
        if self.odd {
            // Named as what it is not, and a hive that is none.
            write(root, &format!("{BIN}/$Iodd.txt"), b"something else");
            write(root, "C/files/cut", b"regf and then nothing");
        }
    }
}

fn at(seconds: u64) -> u64 {
    TICKS + seconds * SECOND
}

fn instant(seconds: u64) -> String {
    Time::from_filetime(at(seconds)).to_text()
}

/// Files whose times the host kept, and others whose times are those of a copy.
fn trees(root: &Path) -> Vec<Box<dyn Tree>> {
    let dated = Image(Box::new(open_directory(root, "image").unwrap()));
    vec![Box::new(dated), Box::new(open_directory(root, "copy").unwrap())]
}

fn built(trees: &[Box<dyn Tree>], folder: &Path) -> Prepared {
    let mut prepared = Prepared::default();
    for tree in trees {
        let path = folder.join(tree.label());
        crate::name_index::write(&path, &build(tree.as_ref(), None).bytes);
        prepared.timelines.insert(tree.label().to_owned(), path);
    }
    prepared
}

fn build(tree: &dyn Tree, previous: Option<&Path>) -> BuiltTimeline {
    build_timeline(tree, &Indexes::new(), previous, Path::new("/nonexistent")).unwrap()
}

fn ask(trees: &[Box<dyn Tree>], prepared: &Prepared, tool: &str, arguments: &Value) -> Return {
    run_prepared(tool, arguments, trees, prepared, Path::new("/nonexistent"))
}

fn questions() -> Vec<(&'static str, Value)> {
    let line = |arguments| ("timeline", arguments);
    vec![
        line(json!({})),
        line(json!({ "from": instant(5), "to": instant(12) })),
        line(json!({ "around": instant(8), "minutes": 1, "evidence": "image" })),
        line(json!({ "source": "registry", "limit": 3, "offset": 2 })),
        line(json!({ "source": "recycle_bin" })),
        line(json!({ "source": "recycle_bin, file_system", "under": "C/files", "evidence": "copy" })),
        line(json!({ "under": "C/files", "evidence": "image", "field": "b?rn" })),
        line(json!({ "under": BIN, "evidence": "image" })),
        line(json!({ "field": "recycled_file.*" })),
        line(json!({ "text": "FILE3" })),
        line(json!({ "text": "key1\\sub", "to": instant(20) })),
        line(json!({ "key": "Key2" })),
        line(json!({ "hive": "C/Windows/SYSTEM", "key": "Key1", "evidence": "image" })),
        line(json!({ "copied_times": true, "source": "file_system", "limit": 4 })),
        ("timeline_histogram", json!({ "by": "hour" })),
        ("timeline_histogram", json!({ "by": "month", "source": "recycle_bin", "from": instant(3) })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_from_an_index_is_that_of_decoding(computer in computers()) {
        let (folder, indexes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        computer.write(folder.path());
        let trees = trees(folder.path());
        let prepared = built(&trees, indexes.path());
        for (tool, arguments) in questions() {
            let direct = run(tool, &arguments, &trees, Path::new("/nonexistent"));
            prop_assert_ne!(direct.outcome, Outcome::Failed, "{} {}: {:?}", tool, arguments, direct.notes);
            let indexed = ask(&trees, &prepared, tool, &arguments);
            prop_assert_eq!(&direct, &indexed, "{} {}", tool, arguments);
        }
    }
}

fn sample() -> Computer {
    Computer {
        keys: vec![(false, 1, 3), (false, 2, 9), (true, 1, 5), (true, 4, 5)],
        deleted: vec![(1, 4), (3, 8), (3, 8)],
        files: vec![3, 7, 20],
        odd: true,
    }
}

/// The sample, its trees, and the path and bytes of the index of the first.
fn indexed() -> (tempfile::TempDir, Vec<Box<dyn Tree>>, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("evidence");
    sample().write(&root);
    let mut trees = trees(&root);
    trees.truncate(1);
    let bytes = build(trees[0].as_ref(), None).bytes;
    let path = folder.path().join("index");
    (folder, trees, path, bytes)
}

fn over(path: &Path) -> Prepared {
    let timelines = Indexes::from([("image".to_owned(), path.to_owned())]);
    Prepared { timelines, ..Prepared::default() }
}

fn unnumbered(returned: &Return) -> Vec<Record> {
    returned.records.clone()
}

#[test]
fn a_cut_or_longer_index_is_refused() {
    let (_folder, trees, path, bytes) = indexed();
    let refused = |bytes: &[u8]| {
        crate::name_index::write(&path, bytes);
        let returned = ask(&trees, &over(&path), "timeline", &json!({}));
        assert_eq!(returned.outcome, Outcome::Failed, "{} bytes", bytes.len());
        assert!(returned.notes[0].contains("the timeline index"), "{:?}", returned.notes);
        assert!(!returned.notes[0].contains("/index"), "{:?}", returned.notes);
    };
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        refused(&bytes[..length]);
    }
    refused(&[&bytes[..], b"x"].concat());
    refused(&[&bytes[..7], &[9], &bytes[8..]].concat());
    refused(&[&bytes[..8], &[0xff; 32], &bytes[40..]].concat());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_index_never_invents(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let (_folder, trees, path, mut bytes) = indexed();
        let every = |arguments: Value| unnumbered(&run("timeline", &arguments, &trees, Path::new("/nonexistent")));
        let all = every(json!({ "limit": 5000 }));
        for (place, value) in changes {
            *place.get_mut(&mut bytes) = value;
        }
        crate::name_index::write(&path, &bytes);
        for arguments in [json!({}), json!({ "text": "file" }), json!({ "from": instant(4), "to": instant(8) })] {
            let allowed = every(arguments.clone());
            let returned = ask(&trees, &over(&path), "timeline", &arguments);
            for record in unnumbered(&returned) {
                prop_assert!(all.contains(&record), "{:?}", record);
                // A time in the span is held against the evidence; that nothing is missing cannot be.
                let spanned = arguments.get("from").is_none() || allowed.contains(&record);
                prop_assert!(spanned, "{:?}", record);
            }
        }
    }
}

#[test]
fn a_record_that_is_not_there_fails_the_call() {
    let (folder, trees, path, bytes) = indexed();
    crate::name_index::write(&path, &bytes);
    let changed = dollar_i("C:\\Users\\ann\\file1.txt", 7, at(5));
    write(&folder.path().join("evidence"), &format!("{BIN}/$I000000.txt"), &changed);
    let asked = json!({ "source": "recycle_bin" });
    let returned = ask(&trees, &over(&path), "timeline", &asked);
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(returned.notes[0].contains("$I000000.txt has no such record"), "{:?}", returned.notes);
}

#[test]
fn only_what_changed_is_decoded_again_and_the_index_is_the_same() {
    let (folder, trees, path, bytes) = indexed();
    crate::name_index::write(&path, &bytes);
    let again = build(trees[0].as_ref(), Some(&path));
    assert_eq!(again.bytes, bytes);
    // Everything but the walk over the entries.
    assert_eq!(again.taken, again.sources - 1);
    let changed = dollar_i("C:\\Users\\ann\\other.txt", 7, at(6));
    write(&folder.path().join("evidence"), &format!("{BIN}/$I000001.txt"), &changed);
    let after = build(trees[0].as_ref(), Some(&path));
    assert_eq!(after.taken, after.sources - 2);
    assert_eq!(after.bytes, build(trees[0].as_ref(), None).bytes);
    assert_ne!(after.bytes, bytes);
    // What is no index saves nothing and spoils nothing.
    crate::name_index::write(&path, b"no index");
    let anew = build(trees[0].as_ref(), Some(&path));
    assert_eq!((anew.taken, anew.bytes), (0, after.bytes));
}
