//! The files that a verification writes, and the use of a head that is kept elsewhere.

use crate::support::{Logged, Place, collected_case, demo_file, rechained, str};
use ledger::Digest;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The key pair from RFC 8410, section 10.3.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

/// A sealed run over one small hive.
fn sealed(place: &Place) -> PathBuf {
    let sam = "Windows/System32/config/SAM";
    place.file(&format!("host/C/{sam}"), demo_file(sam));
    place.locard_ends(0, &["run", "host"]);
    place.only_run()
}

/// Changes a wall clock time, which only the hash chain covers.
fn another_hour(log: &mut Logged) {
    log[1].2.at = "2001-01-01T00:00:00Z".to_owned();
}

fn verify(place: &Place, code: i32, run: &Path, arguments: &[&str]) -> String {
    place.locard_ends(code, &[&["verify", str(run)], arguments].concat())
}

#[test]
fn a_certificate_names_the_levels_and_is_the_same_for_the_same_run() {
    let place = Place::new();
    let run = sealed(&place);
    for name in ["one.json", "two.json"] {
        verify(&place, 0, &run, &["--certificate", name]);
    }
    let bytes = std::fs::read(place.path("one.json")).unwrap();
    assert_eq!(bytes, std::fs::read(place.path("two.json")).unwrap());
    let told: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&told["locard_certificate"], &told["level"]), (&1.into(), &"facts_stand".into()));
    let standings: Vec<_> =
        told["levels"].as_array().unwrap().iter().map(|it| it["standing"].as_str().unwrap()).collect();
    assert_eq!(standings, ["reached", "reached", "not_examined", "not_examined", "not_examined"]);
    assert_eq!(told["run"], run.file_name().unwrap().to_str().unwrap());
    assert_eq!(told["evidence"][0]["integrity"]["level"], "full");
    let printed: Value = serde_json::from_str(&verify(&place, 0, &run, &["--format", "json"])).unwrap();
    assert_eq!(printed["certificate"], told);
}

#[test]
fn a_certificate_overwrites_nothing_and_never_lies_in_the_evidence() {
    let place = Place::new();
    let case = collected_case(&place, "case");
    place.locard_ends(0, &["run", str(&case)]);
    let run = place.only_run();
    let there = place.file("there.json", "precious");
    place.file("other.json.sig", "precious");
    place.file("key.pem", PRIVATE);
    for arguments in [
        &["--certificate", "there.json"][..],
        &["--certificate", "other.json", "--sign", "key.pem"],
        &["--certificate", "other.json", "--timestamp-request", "there.json"],
        &["--certificate", "case/evidence/C/certificate.json"],
        &["--certificate", "other.json", "--timestamp-request", "case/evidence/request"],
        &["--certificate", "no/such/folder.json"],
    ] {
        verify(&place, 2, &run, arguments);
    }
    assert_eq!(std::fs::read(&there).unwrap(), b"precious");
    assert!(!place.path("other.json").exists() && !case.join("evidence/C/certificate.json").exists());
    verify(&place, 0, &run, &["--certificate", "case/beside.json"]);
}

#[test]
fn only_a_head_kept_elsewhere_finds_a_run_that_was_written_anew_as_a_whole() {
    let place = Place::new();
    let run = sealed(&place);
    let manifest = std::fs::read_to_string(run.join(app::MANIFEST)).unwrap();
    let head = serde_json::from_str::<Value>(&manifest).unwrap()["head"].as_str().unwrap().to_owned();
    place.file("kept.json", &manifest);
    place.file("kept.txt", verify(&place, 0, &run, &["--certificate", "certificate.json"]));
    place.file("kept.head", format!("{head}\n"));
    let other = rechained(&place, &run, "other", another_hour);
    let out = verify(&place, 0, &other, &[]);
    assert!(out.contains("nothing outside this folder vouches for its head"), "{out}");
    for kept in ["kept.json", "kept.txt", "kept.head", "certificate.json", head.as_str()] {
        let out = verify(&place, 0, &run, &["--head", kept]);
        assert!(
            out.contains("verified: facts stand in stored outputs, head anchored outside (sealed)"),
            "{out}"
        );
        let out = verify(&place, 36, &other, &["--head", kept]);
        assert!(out.contains("does not hold: the head: expected") && out.contains(&head), "{out}");
    }
    let told: Value =
        serde_json::from_str(&verify(&place, 36, &other, &["--head", &head, "--format", "json"])).unwrap();
    assert_eq!((&told["verified"], &told["exit_code"]), (&false.into(), &36.into()));
    assert_eq!(told["certificate"]["levels"][4]["standing"], "not_reached");
    place.file("nonsense", "no head");
    place.file("two", format!("{head} {}", Digest::of(b"")));
    for kept in ["nonsense", "two", "missing", str(&run.join(app::MANIFEST))] {
        verify(&place, 2, &run, &["--head", kept]);
    }
}

#[test]
fn the_head_of_a_beginning_is_told_as_such() {
    let place = Place::new();
    let run = sealed(&place);
    let begun = rechained(&place, &run, "begun", |log| log.truncate(5));
    verify(&place, 32, &begun, &[]);
    verify(&place, 0, &begun, &["--unsealed", "--certificate", "begun.json"]);
    let out = verify(&place, 36, &run, &["--head", "begun.json"]);
    assert!(out.contains("is that of its first 5 events"), "{out}");
}

#[test]
fn a_kept_head_is_believed_only_with_the_signature_of_the_key() {
    let place = Place::new();
    let run = sealed(&place);
    place.file("key.pem", PRIVATE);
    place.file("pub.pem", PUBLIC);
    let request = ["--timestamp-request", "request.tsq"];
    let keep = ["--certificate", "kept.json", "--sign", "key.pem"];
    verify(&place, 0, &run, &[&keep[..], &request].concat());
    let check = ["--head", "kept.json", "--key", "pub.pem"];
    let out = verify(&place, 0, &run, &check);
    assert!(out.contains("it is the head kept elsewhere, and the signature over it verifies"), "{out}");
    let certificate = std::fs::read(place.path("kept.json")).unwrap();
    let request = std::fs::read(place.path("request.tsq")).unwrap();
    assert!(request.windows(32).any(|bytes| bytes == Digest::of(&certificate).as_bytes()));
    let signature = std::fs::read(place.path("kept.json.sig")).unwrap();
    assert_eq!(signature.len(), 64);
    let other = [b" ".as_slice(), &certificate].concat();
    place.file("kept.json", &other);
    assert!(!verify(&place, 37, &run, &check).contains("verified"));
    place.file("kept.json", &certificate);
    verify(&place, 0, &run, &check);
    std::fs::remove_file(place.path("kept.json.sig")).unwrap();
    verify(&place, 37, &run, &check);
    // A run that was never signed has no signature beside its manifest.
    verify(&place, 37, &run, &["--key", "pub.pem"]);
    for arguments in [
        &["--certificate", "new.json", "--sign", "pub.pem"][..],
        &["--certificate", "new.json", "--sign", "missing.pem"],
        &["--head", "kept.json", "--key", "key.pem"],
        &["--sign", "key.pem"],
    ] {
        let output = place.locard(&[&["verify", str(&run)], arguments].concat());
        let told = crate::support::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(!told.contains("MC4C"), "{told}");
    }
    assert!(!place.path("new.json").exists());
}

#[test]
fn the_lowest_level_that_fails_gives_the_code() {
    let place = Place::new();
    let run = sealed(&place);
    let head = Digest::of(b"another").to_string();
    let unsealed = rechained(&place, &run, "unsealed", |log| drop(log.pop()));
    verify(&place, 36, &run, &["--head", &head]);
    verify(&place, 32, &unsealed, &["--head", &head]);
    verify(&place, 36, &unsealed, &["--head", &head, "--unsealed"]);
    std::fs::remove_file(run.join(app::MANIFEST)).unwrap();
    verify(&place, 31, &run, &["--head", &head]);
}

#[test]
fn a_manifest_names_every_tool_prompt_and_table() {
    let place = Place::new();
    let run = sealed(&place);
    let manifest = std::fs::read_to_string(run.join(app::MANIFEST)).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let opened = app::load_run(&run).unwrap().opened;
    assert_eq!(manifest["each_tool"].as_object().unwrap().len(), opened.tools.len());
    assert!(manifest["writers"].is_string() && manifest["behaviour"].is_array(), "{manifest}");
    let agents = manifest["agents"].as_object().unwrap();
    assert!(agents.values().all(|agent| agent["prompt"].is_string() && agent["model_digest"].is_string()));
}
