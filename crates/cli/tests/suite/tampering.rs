//! A changed run is found, and the place is named.

use crate::support::{Place, demo_folder};
use std::path::{Path, PathBuf};

/// A sealed run of the demo.
fn sealed(place: &Place) -> PathBuf {
    place.locard_ends(0, &["run", demo_folder().to_str().unwrap()]);
    place.only_run()
}

/// The run with a stretch of `run.db` replaced wherever it stands: SQLite leaves stale copies of moved rows.
fn changed(place: &Place, run: &Path, name: &str, from: &[u8], to: &[u8]) -> PathBuf {
    let copy = place.path(name);
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(run.join("manifest.json"), copy.join("manifest.json")).unwrap();
    let mut bytes = std::fs::read(run.join("run.db")).unwrap();
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "the bytes stand in run.db");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    write(&copy.join("run.db"), &bytes);
    copy
}

#[expect(clippy::disallowed_methods, reason = "the tests tamper with copies of a run")]
fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn an_untouched_run_verifies() {
    let place = Place::new();
    let run = sealed(&place);
    let out = place.locard_ends(0, &["verify", run.to_str().unwrap()]);
    assert!(out.contains("verified: facts stand in stored outputs"), "{out}");
}

#[test]
fn a_changed_fact_is_found_at_its_position() {
    let place = Place::new();
    let run = sealed(&place);
    let copy = changed(&place, &run, "fact", b"\"tier\":\"exact\"", b"\"tier\":\"typed\"");
    let out = place.locard_ends(31, &["verify", copy.to_str().unwrap()]);
    assert!(out.contains("does not hold: position "), "{out}");
}

#[test]
fn a_changed_output_is_found_by_its_digest() {
    let place = Place::new();
    let run = sealed(&place);
    let reader = store::Reader::open(&run).unwrap();
    let raw = reader.payload_index().unwrap().into_iter().flatten().next().unwrap();
    drop(reader);
    // Its bytes may be compressed: the digest that names them is changed instead.
    let mut other = *raw.digest.as_bytes();
    other[5] ^= 1;
    let copy = changed(&place, &run, "output", raw.digest.as_bytes(), &other);
    let out = place.locard_ends(31, &["verify", copy.to_str().unwrap()]);
    assert!(out.contains(&raw.digest.to_string()), "{out}");
}

#[test]
fn a_changed_or_missing_manifest_is_found() {
    let place = Place::new();
    let run = sealed(&place);
    let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    let at = manifest.find("\"head\": \"").unwrap() + 9;
    let mut other = manifest.clone().into_bytes();
    other[at] = if other[at] == b'0' { b'1' } else { b'0' };
    write(&run.join("manifest.json"), &other);
    let out = place.locard_ends(31, &["verify", run.to_str().unwrap()]);
    assert!(out.contains("manifest.json: expected the head"), "{out}");
    std::fs::remove_file(run.join("manifest.json")).unwrap();
    place.locard_ends(31, &["verify", run.to_str().unwrap()]);
}

/// Every byte of every stored column of the events and payloads tables is covered; a sample of the file, a byte in 97, is flipped here.
#[test]
fn no_flipped_byte_changes_what_a_run_says_unseen() {
    let place = Place::new();
    let run = sealed(&place);
    let original = std::fs::read(run.join("run.db")).unwrap();
    let before = facts(&run).expect("the untouched run reads");
    let copy = place.path("flipped");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(run.join("manifest.json"), copy.join("manifest.json")).unwrap();
    let (mut found, mut meaningless) = (0, 0);
    for at in (0..original.len()).step_by(97) {
        let mut bytes = original.clone();
        bytes[at] ^= 1 << (at % 8);
        let _ = std::fs::remove_file(copy.join("run.db"));
        write(&copy.join("run.db"), &bytes);
        match app::verify(&copy).holds() {
            false => found += 1,
            true => {
                // Bytes of no page in use, or outside every value: the run must read as before.
                assert_eq!(facts(&copy).as_ref(), Some(&before), "byte {at}");
                meaningless += 1;
            }
        }
    }
    assert!(found > meaningless / 4, "{found} found, {meaningless} without meaning");
}

fn facts(folder: &Path) -> Option<String> {
    let run = app::load_run(folder).ok()?;
    Some(format!("{}{}", report::json(&run), report::facts(&run)))
}
