//! One medium in several containers, and one collection in several forms, give the same facts with different citations.

use crate::support::{Place, collect_demo, str};
use std::collections::BTreeSet;
use std::path::Path;
use testkit::ewf::{EwfSpec, extension};
use testkit::zip::ZipEntry;

/// What a run over this evidence says, except about the container.
fn says(place: &Place, evidence: &Path) -> BTreeSet<String> {
    place.locard_ends(0, &["run", str(evidence), "-q"]);
    let out = place.locard_ends(0, &["facts", "latest", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let facts = told["facts"].as_array().unwrap();
    let of_the_medium = facts.iter().filter(|fact| fact["fact"]["kind"] != "image");
    let said: BTreeSet<_> = of_the_medium.map(|fact| fact["title"].as_str().unwrap().to_owned()).collect();
    // A run's name contains the second it began in; the next run must not find this name in use.
    std::fs::remove_dir_all(place.path("runs")).unwrap();
    said
}

#[test]
fn one_medium_gives_the_same_facts_in_every_container() {
    let place = Place::new();
    let medium = testkit::demo::disk().unwrap();
    let raw = place.file("raw.dd", &medium);
    let said = says(&place, &raw);
    assert!(said.len() > 100, "{} facts", said.len());

    let (first, rest) = medium.split_at(7_000_000);
    place.file("split.002", rest);
    assert_eq!(says(&place, &place.file("split.001", first)), said);

    let segmented = EwfSpec { segment: Some(50_000), ..EwfSpec::default() };
    let uncompressed = EwfSpec { compressed: false, ..EwfSpec::default() };
    for (name, spec) in
        [("one", EwfSpec::default()), ("segmented", segmented), ("uncompressed", uncompressed)]
    {
        for (index, bytes) in spec.write(&medium).iter().enumerate() {
            place.file(&format!("{name}.{}", extension(index)), bytes);
        }
        assert_eq!(says(&place, &place.path(&format!("{name}.E01"))), said, "{name}");
    }
    assert!(place.path("segmented.E02").exists());
}

#[test]
fn a_folder_and_an_archive_of_it_give_the_same_facts() {
    let place = Place::new();
    let folder = place.folder("folder");
    collect_demo(&folder);
    let said = says(&place, &folder);
    assert!(said.len() > 100, "{} facts", said.len());
    let entries = testkit::demo::files().unwrap().into_iter().map(|file| ZipEntry {
        name: file.path.replacen("p1/", "C/", 1),
        bytes: file.bytes,
        modified: 133_801_632_000_000_000,
    });
    let zip = place.file("collected.zip", testkit::zip::write(&entries.collect::<Vec<_>>()));
    assert_eq!(says(&place, &zip), said);
}

#[test]
fn a_stored_hash_that_is_not_the_mediums_is_a_fact() {
    let place = Place::new();
    let spec = EwfSpec { wrong_hash: true, ..EwfSpec::default() };
    let image = place.file("changed.E01", spec.write(&testkit::demo::disk().unwrap()).concat());
    place.locard_ends(0, &["run", str(&image), "-q"]);
    let facts = place.locard_ends(0, &["facts", "latest"]);
    assert!(facts.contains("hash_matches = false"), "{facts}");
}
