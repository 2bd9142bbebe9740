//! Name indexes in whole runs: cached for images, rebuilt for folders, never trusted blindly, and never a reason
//! for a run to fail.

use crate::support::{Place, collect_demo, str, text};
use ledger::TaskId;
use ledger::event::NamesIndexed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A disk with a partition table and one partition with an unknown file system.
fn disk(place: &Place) -> PathBuf {
    let mut bytes = vec![0u8; 64 * 512];
    bytes[446 + 4] = 0x83;
    bytes[446 + 8..446 + 12].copy_from_slice(&8u32.to_le_bytes());
    bytes[446 + 12..446 + 16].copy_from_slice(&32u32.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    place.file("evidence/disk.raw", bytes)
}

/// A run of the program over a piece of evidence: the indexes in its log, the last link of each task, and its standard error.
struct Ran {
    names: Vec<NamesIndexed>,
    heads: BTreeMap<TaskId, String>,
    said: String,
}

fn run(place: &Place, evidence: &Path, more: &[&str]) -> Ran {
    let before = place.runs();
    let output = place.locard(&[&["run", str(evidence), "-q"], more].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let folder = place.runs().into_iter().find(|folder| !before.contains(folder)).unwrap();
    let run = app::load_run(&folder).unwrap();
    let heads = run.sealed.unwrap().heads.into_iter().map(|head| (head.task, head.head.to_string()));
    Ran { names: run.names, heads: heads.collect(), said }
}

/// The files of name indexes in a folder.
fn indexes(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("names-")).collect();
    files.sort();
    files
}

/// The cached index and its metadata file.
fn cached(place: &Place) -> (PathBuf, PathBuf) {
    let mut files = indexes(&place.path("cache"));
    assert_eq!(files.len(), 2, "{files:?}");
    (files.remove(0), files.remove(0))
}

#[expect(clippy::disallowed_methods, reason = "the tests write their own files")]
fn replace(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn an_image_is_indexed_once_and_equal_runs_are_equal() {
    let place = Place::new();
    let disk = disk(&place);
    let cold = run(&place, &disk, &["--cache", "cache"]);
    let (index, known) = cached(&place);
    let made = index.metadata().unwrap();
    assert_eq!(made.mode() & 0o777, 0o400);
    let told: Value = serde_json::from_slice(&std::fs::read(&known).unwrap()).unwrap();
    assert_eq!(told["index"], json!(cold.names[0].index.to_string()));
    assert!(told["evidence"].is_string(), "every byte was hashed: {told}");

    let warm = run(&place, &disk, &["--cache", "cache"]);
    let without = run(&place, &disk, &["--no-cache"]);
    assert_eq!(index.metadata().unwrap().ino(), made.ino());
    assert_eq!((cold.names.len(), cold.names[0].entries), (1, 1));
    for other in [&warm, &without] {
        assert_eq!((&other.names, &other.heads), (&cold.names, &cold.heads));
        assert_eq!(other.said, cold.said);
    }
    // Evidence that differs, even only in its modification time, has its own entry.
    place.file("evidence/disk.raw", std::fs::read(&disk).unwrap());
    run(&place, &disk, &["--cache", "cache"]);
    assert_eq!(indexes(&place.path("cache")).len(), 4, "its time of change differs");
}

#[test]
fn a_damaged_entry_is_built_again_and_said_so() {
    let place = Place::new();
    let disk = disk(&place);
    let first = run(&place, &disk, &["--cache", "cache"]);
    let (index, known) = cached(&place);
    let bytes = std::fs::read(&index).unwrap();
    for (path, damaged) in [(&index, &bytes[..bytes.len() - 1]), (&known, &b"{"[..])] {
        replace(path, damaged);
        let again = run(&place, &disk, &["--cache", "cache"]);
        assert!(again.said.contains("is built again"), "{}", again.said);
        assert_eq!((again.names, &again.heads), (first.names.clone(), &first.heads));
        assert_eq!(std::fs::read(&index).unwrap(), bytes);
    }
}

#[test]
fn an_index_of_other_evidence_keeps_the_run_unsealed_and_leaves_the_cache() {
    let place = Place::new();
    let disk = disk(&place);
    run(&place, &disk, &["--cache", "cache"]);
    let (_, known) = cached(&place);
    let mut told: Value = serde_json::from_slice(&std::fs::read(&known).unwrap()).unwrap();
    told["evidence"] = json!("0".repeat(64));
    replace(&known, crate::support::with_own_check(&told).as_bytes());

    // Sampled hashes cannot detect this.
    let sampled = run(&place, &disk, &["--cache", "cache", "--integrity", "sampled"]);
    assert_eq!(sampled.names.len(), 1);
    let output = place.locard(&["run", str(&disk), "-q", "--cache", "cache"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("was built from other evidence") && said.contains("investigate again"), "{said}");
    assert!(!place.runs().last().unwrap().join("manifest.json").exists());
    assert!(indexes(&place.path("cache")).is_empty());
    run(&place, &disk, &["--cache", "cache"]);
    cached(&place);
}

#[test]
fn a_folder_is_indexed_for_its_run_alone() {
    let place = Place::new();
    let folder = place.folder("folder");
    collect_demo(&folder);
    let demo = run(&place, &folder, &["--cache", "cache"]);
    assert_eq!(demo.names.len(), 1);
    assert!(demo.names[0].entries > 31);
    assert!(indexes(&place.path("cache")).is_empty());
    let left: Vec<_> =
        std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "nothing of the indexes stays: {left:?}");
}

#[test]
fn a_cache_that_cannot_be_written_is_a_note() {
    let place = Place::new();
    let disk = disk(&place);
    let file = place.file("cache", "a file");
    let output = place.command(&["run", str(&disk), "-q"]).env("XDG_CACHE_HOME", &file).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("note: the name index of disk"), "{said}");
    assert_eq!(app::load_run(&place.only_run()).unwrap().names.len(), 1);
}

#[test]
fn the_cache_is_never_inside_the_evidence() {
    let place = Place::new();
    let evidence = place.folder("evidence");
    place.file("evidence/a.txt", "a");
    let inside = str(&evidence).to_owned() + "/cache";
    place.locard_ends(2, &["run", str(&evidence), "--cache", &inside]);
    let mut command = place.command(&["run", str(&evidence), "-q"]);
    let output = command.env("XDG_CACHE_HOME", &evidence).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("the cache folder lies inside the evidence"), "{said}");
    assert_eq!(std::fs::read_dir(&evidence).unwrap().count(), 1);
}

#[test]
fn the_cache_is_where_the_user_keeps_caches() {
    for (variable, below) in [("XDG_CACHE_HOME", "locard"), ("HOME", ".cache/locard")] {
        let place = Place::new();
        let disk = disk(&place);
        let mut command = place.command(&["run", str(&disk), "-q"]);
        assert!(command.env(variable, place.path("of-user")).status().unwrap().success());
        assert_eq!(indexes(&place.path("of-user").join(below)).len(), 2);
    }
}

#[test]
fn a_cache_that_is_a_file_is_one_error_before_any_run() {
    let place = Place::new();
    let disk = disk(&place);
    place.file("cache", "mine");
    for cache in ["cache", "cache/inner/folder"] {
        let output = place.locard(&["run", str(&disk), "--cache", cache]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(said.trim(), "error: failed to use the cache cache: expected a folder, found a file");
    }
    assert!(place.runs().is_empty());
    assert_eq!(std::fs::read(place.path("cache")).unwrap(), b"mine");
}
