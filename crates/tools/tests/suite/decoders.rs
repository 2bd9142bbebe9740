//! Runs every decoder on its samples: located, filtered, counted, and mutated.

use crate::fixture::{Fixture, text};
use ledger::{Completeness, Outcome};
use serde_json::json;
use std::fs;
use testkit::samples::{exported_logs, samples};
use tools::{catalogue, run};

#[test]
fn every_sample_is_told_by_content_and_decoded_without_damage() {
    let fixture = Fixture::new();
    for sample in samples() {
        let path = format!("C/{}", sample.path);
        let returned = fixture.ok("parse_file", json!({ "path": path, "evidence": "files" }));
        assert_eq!(returned.defects, [], "{path}");
        assert!(returned.records.iter().all(|record| record.defects.is_empty()), "{path}");
        assert!(returned.records.iter().all(|record| record.locator.path == path), "{path}");
    }
}

#[test]
fn a_count_tells_how_many_and_in_which_file() {
    let fixture = Fixture::new();
    let counted =
        fixture.ok("records", json!({ "evidence": "files", "source": "recycle_bin", "count_by": "sid" }));
    let count = &counted.records[0];
    assert_eq!((text(count, "value"), text(count, "count")), ("S-1-5-21-1-2-3-1001".into(), "1".into()));
    assert_eq!(text(count, "first"), "2012-04-04T01:58:40.8392490Z");
}

#[test]
fn a_span_takes_records_by_any_of_their_times() {
    let fixture = Fixture::new();
    let within = json!({
        "evidence": "files", "source": "recycle_bin", "from": "2012-04-04T01:58:00Z", "to": "2012-04-04T01:59:00Z",
    });
    assert_eq!(fixture.ok("records", within).records.len(), 1);
    let after = json!({ "evidence": "files", "source": "recycled", "from": "2012-04-04T02:00:00Z" });
    let after = fixture.run("records", after);
    assert_eq!((after.outcome, after.completeness), (Outcome::Empty, Completeness::Complete));
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own evidence")]
/// A damaged file gives damage, an error, or the records that are still in it; never a panic, and never more records than bytes.
#[test]
fn mutated_samples_are_read_as_far_as_they_go() {
    let folder = tempfile::tempdir().unwrap();
    for sample in samples().into_iter().chain(exported_logs()) {
        let name = sample.path.rsplit('/').next().unwrap();
        let path = folder.path().join(name);
        for mutant in testkit::mutate::mutants(&sample.bytes, 60) {
            fs::write(&path, &mutant).unwrap();
            let tree = evidence::open_directory(folder.path(), "files").unwrap();
            let arguments = json!({ "path": name, "limit": 10_000 });
            let scratch = tempfile::tempdir().unwrap();
            let returned = run("parse_file", &arguments, &[Box::new(tree)], scratch.path());
            assert!(returned.records.len() <= mutant.len(), "{}", sample.path);
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn every_decoder_has_a_sample() {
    let spec = catalogue().into_iter().find(|spec| spec.name == "parse_file").unwrap();
    for sample in samples() {
        assert!(spec.description.contains(&format!("{}: ", sample.decoder)), "{}", sample.decoder);
    }
    let about = spec.description.split(". ").nth(1).unwrap();
    for decoder in about.split("; ").filter_map(|one| one.split(": ").next()) {
        assert!(samples().iter().any(|sample| sample.decoder == decoder), "{decoder} has no sample");
    }
}
