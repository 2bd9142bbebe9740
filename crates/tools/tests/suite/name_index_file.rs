//! The file of an index: made from hostile bytes, and read as hostile.

use crate::memory_tree::MemoryTree;
use crate::name_index::{Built, write};
use evidence::{Tree, open_directory};
use ledger::{Defect, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tools::{Indexes, Return, build_index, run_indexed};

fn trees(extra: bool) -> Vec<Box<dyn Tree>> {
    let mut tree = MemoryTree::new("disk", true);
    let users = tree.add(0, "Users", None);
    for user in ["Ann", "Bob", "\u{c4}nne"] {
        let home = tree.add(users, user, None);
        tree.add(home, "NTUSER.DAT", Some(7));
        tree.add(home, "notes.txt", Some(3));
        tree.entry(home).defects.push(Defect { path: user.into(), offset: None, what: "torn".into() });
    }
    if extra {
        tree.add(users, "more", None);
    }
    tree.seal();
    vec![Box::new(tree)]
}

fn questions() -> [Value; 8] {
    [
        json!({}),
        json!({ "name": "ntuser.dat" }),
        json!({ "name": "*o*s*" }),
        json!({ "extension": "txt", "under": "Users/Ann" }),
        json!({ "name": "Users/*/notes.txt", "min_size": 1 }),
        json!({ "name": "**/Bob/**" }),
        json!({ "name": "/Users/**/*.dat", "extension": "dat" }),
        json!({ "name": "?otes.tx?", "under": "Users/Bob" }),
    ]
}

fn ask(trees: &[Box<dyn Tree>], path: &Path, arguments: &Value) -> Return {
    let indexes = Indexes::from([("disk".to_owned(), path.to_owned())]);
    run_indexed("find_files", arguments, trees, &indexes, Path::new("/nonexistent"))
}

#[test]
fn equal_trees_give_equal_indexes() {
    let of = |trees: &[Box<dyn Tree>]| build_index(trees[0].as_ref()).unwrap();
    assert_eq!(of(&trees(false)), of(&trees(false)));
    assert_ne!(of(&trees(false)).bytes, of(&trees(true)).bytes);
    assert_eq!(of(&trees(true)).entries, 11);
    // The numbers that this machine gives to copies of files are not in it.
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let copies = folders.each_ref().map(|folder| {
        write(&folder.path().join("a.txt"), b"a");
        build_index(&open_directory(folder.path(), "disk").unwrap()).unwrap()
    });
    assert_eq!(copies[0], copies[1]);
}

#[test]
fn a_hit_that_is_not_there_fails_the_call() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.txt"), b"a");
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    let built = Built::of(&trees);
    fs::remove_file(folder.path().join("a.txt")).unwrap();
    let returned = ask(&trees, &built.indexes["disk"], &json!({ "name": "*.txt" }));
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(returned.notes[0].contains("a.txt is not what the name index says"), "{:?}", returned.notes);
}

#[test]
fn a_folder_that_the_index_does_not_know_is_walked() {
    let folder = tempfile::tempdir().unwrap();
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    let built = Built::of(&trees);
    fs::create_dir(folder.path().join("new")).unwrap();
    write(&folder.path().join("new/a.txt"), b"a");
    let returned = ask(&trees, &built.indexes["disk"], &json!({ "name": "*.txt", "under": "new" }));
    assert_eq!(returned.records.len(), 1);
}

#[test]
fn what_is_no_index_or_a_cut_one_is_refused() {
    let trees = trees(false);
    let bytes = build_index(trees[0].as_ref()).unwrap().bytes;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let refused = |bytes: &[u8]| {
        write(&path, bytes);
        let returned = ask(&trees, &path, &json!({}));
        assert_eq!(returned.outcome, Outcome::Failed, "{} bytes", bytes.len());
        assert!(returned.notes[0].contains("the name index"), "{:?}", returned.notes);
        assert!(!returned.notes[0].contains("/index"), "{:?}", returned.notes);
    };
    for length in 0..bytes.len() {
        refused(&bytes[..length]);
    }
    refused(&[&bytes[..], b"x"].concat());
    // Another version of the format, and lengths that overflow.
    refused(&[&bytes[..8], &[9], &bytes[9..]].concat());
    refused(&[&bytes[..16], &[0xff; 40], &bytes[56..]].concat());
    fs::remove_file(&path).unwrap();
    assert_eq!(ask(&trees, &path, &json!({})).outcome, Outcome::Failed);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_index_never_invents(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        wide in prop::option::of((any::<prop::sample::Index>(), prop::sample::select(vec![0u32, 1, 5, 0x7fff_ffff, u32::MAX]))),
    ) {
        let trees = trees(false);
        let mut bytes = build_index(trees[0].as_ref()).unwrap().bytes;
        for (place, value) in changes {
            *place.get_mut(&mut bytes) = value;
        }
        if let Some((place, value)) = wide {
            let at = place.index(bytes.len() / 4) * 4;
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        write(&path, &bytes);
        for arguments in questions() {
            let walked = run_indexed("find_files", &arguments, &trees, &Indexes::new(), Path::new("/nonexistent"));
            let returned = ask(&trees, &path, &arguments);
            for record in &returned.records {
                let same = |other: &&ledger::Record| other.locator == record.locator && other.fields == record.fields;
                prop_assert!(walked.records.iter().any(|other| same(&other)), "{} {:?}", arguments, record);
            }
        }
    }
}
