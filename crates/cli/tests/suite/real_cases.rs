//! Real evidence with published answers, where the folder of cases is present beside the checkout.

use crate::support::Place;
use graph::Run;
use ledger::BoundValue;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of a case, unpacked; `None` where there are no cases.
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

/// Runs the case with the playbook; the run must verify.
fn investigated(place: &Place, case: &Path) -> Run {
    let evidence = case.join("evidence");
    place.locard_ends(0, &["run", evidence.to_str().unwrap()]);
    let folder = place.only_run();
    let certificate = app::verify(&folder);
    assert!(certificate.holds(), "{:?}", certificate.findings);
    app::load_run(&folder).unwrap()
}

fn truth(case: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(case.join("truth.json")).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    truth["facts"].as_array().unwrap().clone()
}

/// Whether one fact of the run carries every value of a published answer.
fn is_found(run: &Run, answer: &Value) -> bool {
    let wanted: Vec<String> = answer["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    run.facts().any(|(_, accepted)| {
        let said: Vec<String> = std::iter::once(&accepted.fact.subject)
            .chain(&accepted.fact.values)
            .map(|value: &BoundValue| value.value.to_text().into_owned())
            .collect();
        wanted.iter().all(|wanted| said.contains(wanted))
    })
}

fn assert_found(run: &Run, answers: &[Value], wanted: impl Fn(&str) -> bool) {
    let wanted: Vec<_> = answers.iter().filter(|answer| answer["id"].as_str().is_some_and(&wanted)).collect();
    assert!(!wanted.is_empty());
    let missed: Vec<_> =
        wanted.iter().filter(|answer| !is_found(run, answer)).map(|answer| &answer["id"]).collect();
    assert!(missed.is_empty(), "missed {missed:?} of {}", wanted.len());
}

#[test]
fn the_playbook_finds_what_was_published_of_a_windows_7_registry() {
    let place = Place::new();
    let Some(case) = unpacked(&place, "open-shieldbase-win732bita") else { return };
    let run = investigated(&place, &case);
    let exact =
        ["control-set", "computer-name", "tcpip-hostname", "tcpip-domain", "tz-key", "last-logged-on"];
    let kinds =
        ["os-product", "os-build", "os-owner", "os-sp", "profile-", "run-run-", "net-", "malware-run"];
    assert_found(&run, &truth(&case), |id| {
        exact.contains(&id) || kinds.iter().any(|kind| id.starts_with(kind)) || id.contains("-typedurl-")
    });
}

#[test]
fn the_playbook_reads_dirty_hives_and_says_that_their_logs_were_not_applied() {
    let place = Place::new();
    let Some(case) = unpacked(&place, "open-dirtyhives-lonewolf") else { return };
    let run = investigated(&place, &case);
    let exact = ["control-set", "computer-name", "tcpip-hostname", "tz-key"];
    assert_found(&run, &truth(&case), |id| exact.contains(&id) || id.starts_with("net-"));
    let gaps: Vec<_> = run
        .tasks
        .values()
        .flat_map(|task| &task.invocations)
        .filter_map(|invocation| invocation.ended.as_ref())
        .flat_map(|ended| &ended.gaps)
        .collect();
    assert!(gaps.iter().any(|gap| gap.path.ends_with("config/SYSTEM") && gap.reason.contains("log")));
}
