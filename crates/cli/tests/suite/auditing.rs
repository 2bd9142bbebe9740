//! `locard audit`: totals over many runs, and the guarantee that it writes nothing but its own state file.

use crate::lesser_runs::broken_off;
use crate::recoveries::recovered;
use crate::support::{Place, copy_folder, demo_folder, invocations, script, str, text};
use ledger::{Digest, Rules};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::scripted::{calls, words};

fn audit(place: &Place, code: i32, arguments: &[&str]) -> Value {
    let out = place.locard_ends(code, &[&["audit", "--format", "json"], arguments].concat());
    serde_json::from_str(&out).unwrap()
}

/// Every file below a folder, with the digest of its content, its permissions and its modification time.
///
/// For an unsealed log, SQLite keeps its locks in a separate file (`-shm`), which every reader creates.
/// That file is ignored, and so is the modification time of its folder.
fn everything(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, metadata) = (entry.path(), entry.metadata().unwrap());
        if path.to_str().unwrap().ends_with("-shm") {
            continue;
        }
        let is_open = path.join("run.db-wal").exists();
        let digest = Digest::of(&std::fs::read(&path).unwrap_or_default());
        let changed = (!is_open).then(|| metadata.modified().unwrap());
        let about = format!("{digest} {:?} {changed:?}", metadata.permissions());
        if metadata.is_dir() {
            found.extend(everything(&path));
        }
        found.insert(path, about);
    }
    found
}

/// A run whose agent has claims refused, and calls tools by names that contain values from the evidence.
fn refused(place: &Place) -> PathBuf {
    let reading = |request: &ledger::turn::TurnRequest, name: &str| {
        let cited = invocations(request).first().cloned().unwrap_or_default();
        json!({"predicate": "configured", "values": {"name": name}, "record": "r0", "invocation": cited})
    };
    let agent = script(vec![
        Box::new(|_| {
            let arguments = json!({"hive": "p1/Windows/System32/config/SYSTEM", "key": "Select"});
            calls(1, &[("parse_registry_key", arguments)])
        }),
        Box::new(move |request| {
            let wrong = reading(request, "Currant");
            calls(2, &[("record_phenomenon", json!({"readings": [wrong], "interpretation": ""}))])
        }),
        Box::new(|_| calls(3, &[(r"C:\Users\mara\secret.exe", json!({})), ("list_mara", json!({}))])),
        Box::new(|_| words("done")),
    ]);
    place.investigate(Rules::default(), vec![("reg\u{1b}[31m<script>istry", agent)]).0.folder
}

#[test]
fn an_audit_says_the_same_of_several_runs_as_the_commands_of_one() {
    let place = Place::new();
    place.has_demo_run(&[]);
    place.has_demo_run(&["--model", "sloppy:3"]);
    place.has_demo_run(&["--model", "sloppy:4"]);
    let names: Vec<String> = place.runs().iter().map(|run| str(run).to_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let of = audit(&place, 0, &[]);
    assert_eq!(of["runs"].as_array().unwrap().len(), 3);
    let refused = place.locard_ends(0, &[&["rejections", "--format", "json"], &names[..]].concat());
    let refused: Value = serde_json::from_str(&refused).unwrap();
    let same = |audited: &Value, tallied: &Value| {
        for member in ["claims", "refused", "healed", "abandoned", "lost_turns"] {
            assert_eq!(audited[member], tallied[member], "{member} of {audited} and {tallied}");
        }
        assert_eq!(audited["corrected"], tallied["corrected_after_tries"]);
    };
    same(&of["all"], &refused["summary"]["all"]);
    for by in ["by_agent", "by_model"] {
        for (name, tallied) in refused["summary"][by].as_object().unwrap() {
            same(&of[by][name], tallied);
        }
    }
    assert!(of["all"]["refused"].as_u64().unwrap() > 10, "{}", of["all"]);
    for (code, tallied) in refused["summary"]["by_code"].as_object().unwrap() {
        same(&of["by_code"][code], tallied);
    }
    let listed: Value = serde_json::from_str(&place.locard_ends(0, &["runs", "--format", "json"])).unwrap();
    let facts: u64 =
        listed["runs"].as_array().unwrap().iter().map(|run| run["facts"].as_u64().unwrap()).sum();
    assert_eq!(of["all"]["facts"], facts);
    assert!(of["all"]["microseconds"].as_u64().unwrap() > 0, "how long tasks took");
    assert!(of["trends"].as_array().unwrap().iter().all(|trend| trend["verdict"] == "too_few"), "three runs");

    let out = place.locard_ends(0, &["audit"]);
    assert!(out.lines().count() <= 24, "{out}");
    assert!(out.contains("3 sealed runs of the case demo") && out.contains("too few runs to tell"), "{out}");
    for by in ["agent", "model", "tool", "code", "run", "version", "trend"] {
        let out = place.locard_ends(0, &["audit", "--by", by]);
        assert!(out.contains("3 sealed runs"), "{out}");
    }
    let page = place.locard_ends(0, &["audit", "--format", "html"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && !page.contains("<script"));
    let out = place.locard_ends(0, &["audit", "--by", "version"]);
    assert!(out.contains("sloppy:3") && out.contains("playbook"), "{out}");
    // No run began after this time, and no run has a case of this name.
    for none in [&["--since", "2999-01-01"][..], &["--case", "lap*"]] {
        assert_eq!(audit(&place, 0, none)["all"]["runs"], 0);
    }
    assert_eq!(audit(&place, 0, &["--case", "de?o", names[0]])["all"]["runs"], 1);
    // A copy counts as the same run.
    copy_folder(Path::new(names[0]), &place.path("archive/copy"));
    let twice = audit(&place, 0, &["runs", "archive"]);
    assert_eq!((&twice["all"]["runs"], &twice["copies"]), (&json!(3), &json!(["copy"])));
}

#[test]
fn confidences_are_compared_with_the_ground_truth_as_by_score() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let truth = demo_folder().join("truth.toml");
    let scored = ["score", "latest", "--truth", str(&truth), "--format", "json"];
    let score: Value = serde_json::from_str(&place.locard_ends(0, &scored)).unwrap();
    let of = audit(&place, 0, &["--truth", str(&truth)]);
    assert_eq!(of["confidence"]["all"]["brier"], score["runs"][0]["reliability"]["brier"]);
    assert!(of["confidence"]["by_agent"]["registry"]["confirmed"].as_u64().unwrap() > 0, "{of}");
    let out = place.locard_ends(0, &["audit", "--truth", str(&truth)]);
    assert!(out.contains("answers within the ground truth"), "{out}");
    assert_eq!(audit(&place, 0, &[])["confidence"], Value::Null);
}

#[test]
fn scripted_agents_are_counted_with_what_they_did_and_no_value_of_the_evidence() {
    let place = Place::new();
    recovered(&place);
    refused(&place);
    let of = audit(&place, 0, &[]);
    let recovering = &of["by_agent"]["registry"];
    assert!(recovering["recoveries"].as_u64().unwrap() > 0, "{recovering}");
    assert_eq!(recovering["helped"], 1);
    let name = "reg\u{1b}[31m<script>istry";
    let refused = &of["by_agent"][name];
    assert_eq!(
        (&refused["claims"], &refused["refused"], &refused["abandoned"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(of["by_tool"]["(no such tool)"]["calls_refused"], 2);
    let text = of.to_string();
    assert!(!text.contains("mara") && !text.contains("Currant"), "{text}");
    for by in ["agent", "run", "tool"] {
        let out = place.locard_ends(0, &["audit", "--by", by]);
        assert!(!out.contains('\u{1b}') && !out.contains("mara"), "{out}");
    }
}

#[test]
fn nothing_is_written_into_runs_and_what_is_no_sealed_run_is_counted_apart() {
    let place = Place::new();
    let unsealed = broken_off(&place);
    std::fs::remove_dir_all(place.only_run()).unwrap();
    std::fs::rename(unsealed, place.path("runs/19700101T000000Z-demo")).unwrap();
    place.folder("runs/19990101T000000Z-empty");
    place.has_demo_run(&["--model", "sloppy:4"]);
    let before = everything(&place.path("runs"));
    let of = audit(&place, 31, &["--state", "state/audit.json"]);
    let again = audit(&place, 31, &["--state", "state/audit.json"]);
    place.locard_ends(31, &["audit"]);
    assert_eq!(before, everything(&place.path("runs")));
    assert_eq!(of, again);
    assert_eq!((&of["all"]["runs"], &of["not_sealed"]["runs"]), (&json!(1), &json!(1)));
    assert_eq!(of["not_sealed"]["claims"], 1);
    let states: Vec<&str> =
        of["runs"].as_array().unwrap().iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["sealed", "unsealed", "unreadable"]);
    let out = place.locard_ends(31, &["audit"]);
    assert!(out.contains("1 not sealed, counted apart: 19700101T000000Z-demo"), "{out}");
    assert!(out.contains("cannot be read, not counted: 19990101T000000Z-empty: failed to"), "{out}");
    assert_eq!(audit(&place, 0, &["latest"])["all"]["runs"], 1, "the damaged one is not asked for");
    let output = place.locard(&["audit", "no-such-run"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn the_state_changes_nothing_but_the_time() {
    let place = Place::new();
    place.has_demo_run(&[]);
    place.has_demo_run(&["--model", "sloppy:4"]);
    let state = place.path("state/audit.json");
    let kept = || -> usize {
        let text = std::fs::read_to_string(&state).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["runs"].as_array().unwrap().len()
    };
    let with = || audit(&place, 0, &["--state", str(&state)]);
    let without = audit(&place, 0, &["--no-state"]);
    assert_eq!((with(), kept()), (without.clone(), 2));
    assert_eq!((with(), kept()), (without.clone(), 2));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(state.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let written = std::fs::read_to_string(&state).unwrap();
    assert!(!written.contains("ALDER") && !written.contains("mara"), "names, codes and numbers alone");
    // Whatever happens to the file, it is rebuilt.
    let numbers = written.replacen("\"claims\":", "\"claims\":1", 1);
    for damaged in ["", "{}", "{\"locard_audit_state\":1}", &written[..written.len() / 2], &numbers] {
        place.file("state/audit.json", damaged);
        let output = place.locard(&["audit", "--format", "json", "--state", str(&state)]);
        assert!(text(&output.stderr).contains("the file is damaged"), "{}", text(&output.stderr));
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), without);
        assert_eq!((std::fs::read_to_string(&state).unwrap(), kept()), (written.clone(), 2));
    }
    place.file("state/audit.json", "{\"locard_audit_state\":0,\"other\":[]}");
    assert_eq!((with(), kept()), (without.clone(), 2), "another version");
    std::fs::remove_file(&state).unwrap();
    assert_eq!((with(), kept()), (without, 2));
    // By default, the state file is in the user's folder.
    let mut command = place.command(&["audit"]);
    assert!(command.env("XDG_STATE_HOME", place.path("home")).output().unwrap().status.success());
    assert!(place.path("home/locard/audit.json").is_file());
}

#[test]
fn a_run_that_was_changed_is_not_taken_from_the_state() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = place.only_run();
    let first = audit(&place, 0, &["--state", "s"]);
    assert_eq!(first["all"]["runs"], 1);
    let file = run.join("run.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let place_of = bytes.len() / 2;
    for byte in &mut bytes[place_of..place_of + 4096] {
        *byte ^= 0x5a;
    }
    std::fs::remove_file(&file).unwrap();
    place.file(str(&file), bytes);
    let with = place.locard(&["audit", "--format", "json", "--state", "s"]);
    let without = place.locard(&["audit", "--format", "json", "--no-state"]);
    assert_eq!(with.status.code(), without.status.code());
    assert_eq!(text(&with.stdout), text(&without.stdout));
}

#[test]
fn a_state_inside_a_run_is_refused_and_several_audits_share_one() {
    let place = Place::new();
    place.has_demo_run(&[]);
    place.has_demo_run(&["--model", "sloppy:4"]);
    let runs = place.runs();
    for inside in [runs[0].join("state"), runs[0].join("run.db"), runs[0].join("a/b/../state")] {
        let before = everything(&runs[0]);
        let output = place.locard(&["audit", "--state", str(&inside)]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("which is never written"), "{}", text(&output.stderr));
        assert_eq!(before, everything(&runs[0]));
    }
    let begun: Vec<_> = (0..6)
        .map(|number| {
            let mut command = place.command(&["audit", str(&runs[number % 2]), "--state", "shared"]);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut audit in begun {
        assert!(audit.wait().unwrap().success());
    }
    let text = std::fs::read_to_string(place.path("shared")).unwrap();
    let kept: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(kept["runs"].as_array().unwrap().len(), 2, "what one of them adds no other takes away");
}
