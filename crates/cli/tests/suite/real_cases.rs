//! Real evidence with published answers; skipped if the folder of cases is not beside the checkout.

use crate::support::Place;
use graph::Run;
use report::score::{Score, score};
use std::path::{Path, PathBuf};

/// Unpacks a case and returns its folder, or `None` if there are no cases.
#[expect(clippy::disallowed_methods, reason = "the cases are unpacked by their own script")]
fn unpacked(place: &Place, case: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    let script = shared.join("unpack");
    if !script.exists() {
        println!("skipped: there is no {}", shared.display());
        return None;
    }
    let cases = place.path("cases");
    let status = std::process::Command::new("bash")
        .arg(script.canonicalize().unwrap())
        .arg(&cases)
        .arg(case)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    Some(cases.join(case))
}

/// Runs the case with the playbook and returns the run and its score. The run must verify.
fn investigated(place: &Place, case: &Path) -> (Run, Score) {
    let evidence = case.join("evidence");
    place.locard_ends(0, &["run", evidence.to_str().unwrap()]);
    let folder = place.only_run();
    let certificate = app::verify(&folder);
    assert!(certificate.holds(), "{:?}", certificate.findings);
    let run = app::load_run(&folder).unwrap();
    let score = score(&app::load_truth(&case.join("truth.json")).unwrap(), &run);
    (run, score)
}

fn assert_found(score: &Score, wanted: impl Fn(&str) -> bool) {
    let wanted: Vec<_> = score.answers.iter().filter(|answer| wanted(&answer.id)).collect();
    assert!(!wanted.is_empty());
    let missed: Vec<_> = wanted.iter().filter(|answer| !answer.is_found()).collect();
    assert!(missed.is_empty(), "missed {missed:?} of {}", wanted.len());
}

#[test]
fn the_playbook_finds_what_was_published_of_a_windows_7_registry() {
    let place = Place::new();
    let Some(case) = unpacked(&place, "open-shieldbase-win732bita") else { return };
    let (_, score) = investigated(&place, &case);
    let exact =
        ["control-set", "computer-name", "tcpip-hostname", "tcpip-domain", "tz-key", "last-logged-on"];
    let kinds =
        ["os-product", "os-build", "os-owner", "os-sp", "profile-", "run-run-", "net-", "malware-run"];
    assert_found(&score, |id| {
        exact.contains(&id) || kinds.iter().any(|kind| id.starts_with(kind)) || id.contains("-typedurl-")
    });
    assert!(score.findings.iter().any(|it| it.finding.contains("svchost.exe") && it.missing.is_empty()));
}

#[test]
fn the_playbook_reads_dirty_hives_with_their_logs_applied_and_says_so() {
    let place = Place::new();
    let Some(case) = unpacked(&place, "open-dirtyhives-lonewolf") else { return };
    let (run, score) = investigated(&place, &case);
    let exact = ["control-set", "computer-name", "tcpip-hostname", "tz-key"];
    assert_found(&score, |id| exact.contains(&id) || id.starts_with("net-"));
    let replayed = |fact: &&ledger::FactEntry| {
        fact.kind == "hive_replay" && fact.subject.value.to_text().ends_with("config/SYSTEM")
    };
    let facts: Vec<_> = run.facts().map(|(_, accepted)| &accepted.fact).filter(replayed).collect();
    let pages = facts.iter().flat_map(|fact| &fact.values).find(|value| value.field == "pages");
    assert_eq!(pages.unwrap().value.to_text(), "315");
}

/// Every published truth can be parsed, so that runs can be scored against it.
#[test]
fn every_published_truth_reads() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    for entry in std::fs::read_dir(shared).into_iter().flatten().flatten() {
        let file = entry.path().join("truth.json");
        if file.exists() {
            let truth = app::load_truth(&file).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(truth.tolerance, 1_000_000, "{}", file.display());
        }
    }
}
