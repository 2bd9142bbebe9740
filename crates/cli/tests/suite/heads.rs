//! Heads of sealed runs are noted outside their folders, signed, and compared later.

use crate::support::{Logged, Place, demo_file, rechained, str, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The key pair from RFC 8410, section 10.3.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

/// Runs the program with a folder for its state; returns its exit code and its output.
fn with_state(place: &Place, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = place.command(arguments);
    let output = command.env("XDG_STATE_HOME", place.path("state")).output().unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// Investigates one small hive.
fn run(place: &Place, more: &[&str]) -> PathBuf {
    let sam = "Windows/System32/config/SAM";
    place.file(&format!("host/C/{sam}"), demo_file(sam));
    let (code, said) = with_state(place, &[&["run", "host", "-q"], more].concat());
    assert_eq!(code, Some(0), "{said}");
    place.only_run()
}

fn heads(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path("state/locard/heads")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn forged(place: &Place, run: &Path) -> PathBuf {
    rechained(place, run, "forged", |log: &mut Logged| log[1].2.at = "2001-01-01T00:00:00Z".to_owned())
}

#[test]
fn a_sealed_run_is_noted_and_verify_compares_by_default() {
    let place = Place::new();
    let run = run(&place, &[]);
    let noted = heads(&place);
    let manifest = std::fs::read_to_string(run.join(app::MANIFEST)).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(noted.len(), 1);
    assert_eq!((&noted[0]["run"], &noted[0]["head"]), (&manifest["run"], &manifest["head"]));
    assert_eq!(noted[0]["folder"], run.file_name().unwrap().to_str().unwrap());
    let at = noted[0]["at"].as_str().unwrap();
    let (code, said) = with_state(&place, &["verify", str(&run)]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("head matches the one noted at sealing on {at}")), "{said}");
    let (_, said) = with_state(&place, &["verify", str(&run), "--format", "json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["noted_at"], at);
}

#[test]
fn a_run_that_was_written_anew_as_a_whole_is_refused_under_its_name_and_under_another() {
    let place = Place::new();
    let run = run(&place, &[]);
    let forged = forged(&place, &run);
    // Without the log of heads, nothing shows that the run was forged.
    place.locard_ends(0, &["verify", str(&forged)]);
    let (code, said) = with_state(&place, &["verify", str(&forged)]);
    assert_eq!(code, Some(36), "{said}");
    assert!(said.contains("which was noted when the run was sealed, on "), "{said}");
    let (code, said) = with_state(&place, &["verify", str(&forged), "--no-head-log"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("nothing outside this folder vouches for its head"), "{said}");
    // Renaming the run in its log and manifest does not change the folder's name.
    let renamed = rechained(&place, &run, "renamed", |log| {
        log[0].2.run = Some(ledger::RunId::new("another").unwrap());
    });
    let manifest = renamed.join(app::MANIFEST);
    let mut told: Value = serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
    told["run"] = "another".into();
    place.file(str(&manifest), told.to_string());
    let within = place.folder("elsewhere").join(run.file_name().unwrap());
    std::fs::rename(&renamed, &within).unwrap();
    place.locard_ends(0, &["verify", str(&within)]);
    let (code, said) = with_state(&place, &["verify", str(&within)]);
    assert_eq!(code, Some(36), "{said}");
}

#[test]
fn nothing_is_noted_where_that_is_not_wanted_or_nobody_has_a_home() {
    for (arguments, variable) in [(&["--no-head-log"][..], None), (&[], Some("LOCARD_NO_HEAD_LOG"))] {
        let place = Place::new();
        place.file("host/a.txt", "a");
        let mut command = place.command(&[&["run", "host", "-q"], arguments].concat());
        command.env("XDG_STATE_HOME", place.path("state"));
        command.envs(variable.map(|name| (name, "1")));
        assert!(command.status().unwrap().success());
        assert!(!place.path("state").exists());
    }
    let place = Place::new();
    place.file("host/a.txt", "a");
    let mut command = place.command(&["run", "host", "-q"]);
    assert!(command.env("HOME", place.path("home")).status().unwrap().success());
    assert!(place.path("home/.local/state/locard/heads").is_file());
}

#[test]
fn a_log_of_heads_that_cannot_be_written_or_read_is_told_and_loses_no_run() {
    let place = Place::new();
    place.file("host/a.txt", "a");
    place.file("state/locard", "a file");
    let (code, said) = with_state(&place, &["run", "host"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the run is sealed, but this failed: note the head in "), "{said}");
    std::fs::remove_file(place.path("state/locard")).unwrap();
    place.folder("state/locard/heads");
    let (code, said) = with_state(&place, &["verify", "latest"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("warning: failed to read the noted heads "), "{said}");
}

#[test]
fn the_log_of_heads_is_never_inside_the_evidence() {
    let place = Place::new();
    place.file("state/a.txt", "a");
    let (code, said) = with_state(&place, &["run", "state", "-q"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the log of heads lies inside the evidence"), "{said}");
    assert_eq!(std::fs::read_dir(place.path("state")).unwrap().count(), 1);
}

#[test]
fn a_signed_run_verifies_by_its_key_and_a_run_that_was_written_anew_does_not() {
    let place = Place::new();
    place.file("key.pem", PRIVATE);
    place.file("pub.pem", PUBLIC);
    let run = run(&place, &["--sign", "key.pem"]);
    assert_eq!(std::fs::read(run.join("manifest.json.sig")).unwrap().len(), 64);
    let out = place.locard_ends(0, &["verify", str(&run), "--key", "pub.pem"]);
    assert!(out.contains("the signature over it verifies"), "{out}");
    let forged = forged(&place, &run);
    place.locard_ends(37, &["verify", str(&forged), "--key", "pub.pem"]);
    std::fs::copy(run.join("manifest.json.sig"), forged.join("manifest.json.sig")).unwrap();
    place.locard_ends(37, &["verify", str(&forged), "--key", "pub.pem"]);
    // A key that cannot be used is reported before anything begins.
    let (code, _) = with_state(&place, &["run", "host", "--runs", "others", "--sign", "pub.pem"]);
    assert_eq!(code, Some(2));
    assert!(!place.path("others").exists());
}
