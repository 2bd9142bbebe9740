//! `locard export --as`: a run in the formats of other tools.

use crate::lesser_runs::broken_off;
use crate::support::{Place, str, text};
use ledger::Digest;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The private key from RFC 8410, section 10.3.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";

/// The SHA-256 of its public key, as `openssl pkey -pubout -outform DER` writes it.
const KEY_ID: &str = "a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f";

const TEXTS: [&str; 6] = ["timesketch", "case-uco", "stix", "csv-facts", "csv-timeline", "navigator"];

fn sealed(place: &Place) -> PathBuf {
    place.has_demo_run(&[]);
    place.only_run()
}

fn facts(place: &Place) -> BTreeSet<String> {
    let told = place.locard_ends(0, &["facts", "latest", "--format", "json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let facts = told["facts"].as_array().unwrap();
    facts.iter().map(|fact| fact["fact"]["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_format_is_a_file_named_after_the_run_and_the_same_bytes_on_standard_output() {
    let place = Place::new();
    let run = sealed(&place);
    let name = run.file_name().unwrap().to_str().unwrap();
    let known = facts(&place);
    for (format, suffix) in TEXTS.iter().zip([
        "timesketch.jsonl",
        "case.jsonld",
        "stix.json",
        "facts.csv",
        "timeline.csv",
        "navigator.json",
    ]) {
        let out = place.locard_ends(0, &["export", "latest", "--as", format, "--format", "json"]);
        let told: Value = serde_json::from_str(&out).unwrap();
        let file = format!("{name}.{suffix}");
        assert_eq!((told["file"].as_str(), told["as"].as_str()), (Some(file.as_str()), Some(*format)));
        let bytes = std::fs::read(place.path(&file)).unwrap();
        assert_eq!(told["written"]["bytes"], bytes.len());
        assert_eq!(told["written"]["run"], name);
        let output = place.locard(&["export", "latest", "--as", format, "-o", "-"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("into standard output: "));
        assert!(output.stdout == bytes, "{format}");
        let unheard = place.locard_unheard(&["export", "latest", "--as", format, "-o", "-"]);
        assert_eq!(unheard.status.code(), Some(3));
        if ["case-uco", "stix", "csv-facts"].contains(format) {
            let content = text(&bytes);
            let missing: Vec<&String> = known.iter().filter(|id| !content.contains(id.as_str())).collect();
            assert!(missing.is_empty(), "{format}: {missing:?}");
        }
    }
}

#[test]
fn a_statement_is_signed_and_names_what_was_sealed() {
    let place = Place::new();
    let run = sealed(&place);
    place.file("key.pem", PRIVATE);
    place.file("report.md", "a report");
    let signed = ["export", "latest", "--as", "in-toto", "--sign", "key.pem", "--subject", "report.md"];
    place.locard_ends(0, &[&signed[..], &["-o", "a.json"]].concat());
    let envelope: Value = serde_json::from_slice(&std::fs::read(place.path("a.json")).unwrap()).unwrap();
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    assert_eq!(envelope["signatures"][0]["keyid"], KEY_ID);
    let again = place.locard_ends(0, &[&signed[..], &["-o", "-"]].concat());
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), envelope);
    let payload = decoded(envelope["payload"].as_str().unwrap());
    let statement: Value = serde_json::from_slice(&payload).unwrap();
    let subjects = statement["subject"].as_array().unwrap();
    let digests: Vec<&str> = subjects.iter().filter_map(|it| it["digest"]["sha256"].as_str()).collect();
    let manifest = std::fs::read(run.join("manifest.json")).unwrap();
    assert_eq!(digests, [Digest::of(&manifest).to_string(), Digest::of(b"a report").to_string()]);
    let sealed: Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(subjects[1]["digest"]["locardHead"], sealed["head"]);
}

/// Decodes Base64 (RFC 4648, section 4).
pub(crate) fn decoded(text: &str) -> Vec<u8> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for c in text.trim_end_matches('=').chars() {
        bits = bits << 6 | alphabet.find(c).unwrap() as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

#[test]
fn there_is_no_envelope_without_a_key_and_no_key_for_anything_else() {
    let place = Place::new();
    sealed(&place);
    place.file("key.pem", PRIVATE);
    for (arguments, told) in [
        (&["--as", "in-toto"][..], "at least one signature"),
        (&["--as", "in-toto", "--sign", "none.pem"], "none.pem"),
        (&["--as", "in-toto", "--sign", "key.pem", "--subject", "none.md"], "none.md"),
        (&["--as", "stix", "--sign", "key.pem"], "belong to --as in-toto"),
        (&["--subject", "key.pem"], "belong to --as in-toto"),
    ] {
        let output = place.locard(&[&["export", "latest", "-o", "a.json"], arguments].concat());
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(told) && !complaint.contains("MC4"), "{complaint}");
        assert!(!place.path("a.json").exists());
    }
}

#[test]
fn a_file_that_is_there_is_never_overwritten_by_any_format() {
    let place = Place::new();
    sealed(&place);
    let there = place.file("mine", "mine");
    for format in TEXTS {
        let output = place.locard(&["export", "latest", "--as", format, "-o", "mine"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("mine: the file exists"), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read(there).unwrap(), b"mine");
}

#[test]
fn a_run_that_broke_off_is_written_only_where_that_is_asked_for_and_never_stated() {
    let place = Place::new();
    let run = broken_off(&place);
    place.file("key.pem", PRIVATE);
    for format in TEXTS {
        let output = place.locard(&["export", str(&run), "--as", format, "-o", "a"]);
        assert_eq!(output.status.code(), Some(32), "{}", text(&output.stderr));
        assert!(!place.path("a").exists());
        let out = place.locard_ends(0, &["export", str(&run), "--as", format, "--unsealed", "-o", format]);
        assert!(out.contains("the run is not sealed"), "{out}");
    }
    let stated = ["export", str(&run), "--as", "in-toto", "--sign", "key.pem", "--unsealed", "-o", "a"];
    let output = place.locard(&stated);
    assert_eq!(output.status.code(), Some(32), "{}", text(&output.stderr));
    assert!(!place.path("a").exists());
}

#[test]
fn a_manifest_of_another_run_stops_every_format() {
    let place = Place::new();
    let run = sealed(&place);
    let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    place.file("copy/run.db", std::fs::read(run.join("run.db")).unwrap());
    let at = manifest.find("\"head\": \"").unwrap() + 9;
    let digit = if manifest[at..].starts_with('0') { "1" } else { "0" };
    place.file("copy/manifest.json", format!("{}{digit}{}", &manifest[..at], &manifest[at + 1..]));
    place.file("key.pem", PRIVATE);
    let copy = place.path("copy");
    for format in TEXTS {
        place.locard_ends(31, &["export", str(&copy), "--as", format, "-o", "a"]);
    }
    place.locard_ends(31, &["export", str(&copy), "--as", "in-toto", "--sign", "key.pem", "-o", "a"]);
    assert!(!place.path("a").exists());
}

/// A bundle in MITRE's format, with one tactic and one technique.
const BUNDLE: &str = r#"{"type": "bundle", "id": "bundle--1", "objects": [
    {"type": "x-mitre-collection", "id": "x-mitre-collection--1", "name": "Enterprise", "x_mitre_version": "99.1"},
    {"type": "x-mitre-matrix", "id": "x-mitre-matrix--1", "name": "Enterprise", "tactic_refs": ["x-mitre-tactic--1"],
     "external_references": [{"source_name": "mitre-attack", "external_id": "enterprise-attack"}]},
    {"type": "x-mitre-tactic", "id": "x-mitre-tactic--1", "name": "Staying", "x_mitre_shortname": "staying",
     "external_references": [{"source_name": "mitre-attack", "external_id": "TA0003"}]},
    {"type": "attack-pattern", "id": "attack-pattern--1", "name": "Keys that start things",
     "external_references": [{"source_name": "mitre-attack", "external_id": "T1547.001"}],
     "kill_chain_phases": [{"kill_chain_name": "mitre-attack", "phase_name": "staying"}]}]}"#;

#[test]
fn a_newer_bundle_of_attack_is_told_by_every_format_that_names_techniques_and_refused_by_the_others() {
    let place = Place::new();
    sealed(&place);
    place.file("bundle.json", BUNDLE);
    for format in ["timesketch", "case-uco", "stix", "csv-facts", "navigator"] {
        let written =
            place.locard_ends(0, &["export", "latest", "--as", format, "-o", "-", "--attack", "bundle.json"]);
        assert!(written.contains("T1547.001") && !written.contains("T1543.003"), "{format}");
        assert!(format == "timesketch" || written.contains("99.1") || format == "navigator", "{format}");
    }
    place.file("broken.json", BUNDLE.replace("enterprise-attack", "other"));
    for (arguments, told) in [
        (&["export", "latest", "--as", "stix", "--attack", "none.json"][..], "none.json"),
        (&["export", "latest", "--as", "stix", "--attack", "broken.json"], "broken.json"),
        (&["export", "latest", "--attack", "bundle.json"], "--as tar"),
        (&["report", "latest", "--format", "json", "--attack", "bundle.json"], "--format html"),
    ] {
        let output = place.locard(arguments);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(told) && output.stdout.is_empty(), "{complaint}");
    }
}

#[test]
fn nothing_about_a_run_is_written_into_its_evidence() {
    let place = Place::new();
    let evidence = place.path("evidence");
    std::fs::create_dir(&evidence).unwrap();
    place.locard_ends(0, &["run", "evidence"]);
    for arguments in [
        &["report", "latest", "-o", "evidence/report.html"][..],
        &["report", "latest", "-o", "runs/../evidence/report.md"],
        &["export", "latest", "-o", "evidence/run.tar"],
        &["export", "latest", "--as", "stix", "-o", "evidence/stix.json"],
    ] {
        let output = place.locard(arguments);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains("inside the evidence"), "{complaint}");
        assert_eq!(std::fs::read_dir(&evidence).unwrap().count(), 0, "{arguments:?}");
    }
    place.locard_ends(0, &["report", "latest", "-o", "evidence.html"]);
}
