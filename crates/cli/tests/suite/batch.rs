//! Several cases at once: a failure of one does not stop the others, and they do not collide.

use crate::support::{Place, SMALL, copy_folder, demo_folder, str, text};
use serde_json::{Value, json};

const CASE: &str = "title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n";

fn outcomes(value: &Value) -> Vec<(&str, u64)> {
    let cases = value["cases"].as_array().unwrap().iter();
    cases.map(|case| (case["outcome"].as_str().unwrap(), case["exit_code"].as_u64().unwrap())).collect()
}

/// Cases that fail in different ways, and two that succeed: the first and the last.
fn mixed(place: &Place) -> Vec<String> {
    place.file("malformed/case.toml", "title = 7\n");
    place.file("gone/case.toml", CASE);
    place.file("wrong-hash/evidence/a.txt", "a");
    place.file("wrong-hash/case.toml", format!("{CASE}sha256 = \"{}\"\n", "0".repeat(64)));
    place.folder("empty/evidence");
    let demo = str(&demo_folder()).to_owned();
    let others = ["malformed", "no-such-folder", "gone", "wrong-hash", "empty/evidence"];
    [demo].into_iter().chain(others.map(str::to_owned)).collect()
}

#[test]
fn a_case_that_fails_stops_no_other() {
    for jobs in ["1", "3"] {
        let place = Place::new();
        let cases = mixed(&place);
        let arguments: Vec<&str> = ["run", "--format", "json", "--jobs", jobs]
            .into_iter()
            .chain(SMALL)
            .chain(cases.iter().map(String::as_str))
            .collect();
        let output = place.locard(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        let failed = ("failed", 2);
        assert_eq!(
            outcomes(&value),
            [("sealed", 0), failed, failed, failed, ("sealed", 2), ("sealed", 0)],
            "{value}"
        );
        assert_eq!(value["exit_code"], 2);
        let totals = &value["totals"];
        assert_eq!(
            (&totals["cases"], &totals["sealed"], &totals["failed"]),
            (&6.into(), &3.into(), &3.into())
        );
        assert_eq!(totals["facts"], value["cases"][0]["result"]["facts"]);
        assert!(value["cases"][1]["error"].as_str().unwrap().contains("line 1"), "{value}");
        assert_eq!(value["cases"][1]["folder"], Value::Null);
        assert_eq!(place.runs().len(), 3);
        for case in [0, 4, 5] {
            place.locard_ends(0, &["verify", value["cases"][case]["folder"].as_str().unwrap()]);
        }
        let told = text(&output.stderr);
        assert!(told.contains("no-such-folder: error: failed to open the case"), "{told}");
        assert!(told.contains("wrong-hash: warning: "), "{told}");
    }
}

#[test]
fn the_summary_tells_each_case_and_all_of_them() {
    let place = Place::new();
    let cases = mixed(&place);
    let arguments: Vec<&str> =
        ["run", "--fail-on", "unmet"].into_iter().chain(cases.iter().map(String::as_str)).collect();
    let out = place.locard_ends(25, &arguments);
    let starts = |start: &str| out.lines().any(|line| line.starts_with(start));
    for case in &cases {
        assert!(starts(&format!("{case}: ")), "{case}: {out}");
    }
    assert!(starts("6 cases: 3 sealed, 3 failed") && starts("exit code 25"), "{out}");
    assert!(starts("malformed: failed to read "), "{out}");
}

#[test]
fn one_case_and_many_have_the_same_shape() {
    let place = Place::new();
    let demo = str(&demo_folder()).to_owned();
    let shape = |cases: &[&str]| {
        let out = place.locard_ends(0, &[&["run", "--format", "json"], &SMALL[..], cases].concat());
        let value: Value = serde_json::from_str(&out).unwrap();
        let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        (members(&value), members(&value["cases"][0]), members(&value["cases"][0]["result"]))
    };
    assert_eq!(shape(&[&demo]), shape(&[&demo, &demo]));
    let output = place.locard(&["run", "--format", "json", "no-such-folder"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["exit_code"], &value["cases"][0]["result"]), (&json!(2), &Value::Null));
}

#[test]
fn runs_of_equal_names_that_begin_together_do_not_collide() {
    let place = Place::new();
    for folder in ["a/demo", "b/demo"] {
        copy_folder(&demo_folder(), &place.path(folder));
    }
    // Four programs with three cases each, all with the same name and most of them started within one second.
    let programs: Vec<_> = (0..4)
        .map(|_| {
            let mut command = place.command(&["run", "a/demo", "b/demo", "a/demo", "--jobs", "3"]);
            command.args(SMALL).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut program in programs {
        assert!(program.wait().unwrap().success());
    }
    let runs = place.runs();
    assert_eq!(runs.len(), 12);
    for run in runs {
        assert!(app::verify(&run).holds(), "{}", run.display());
    }
}

#[test]
fn no_case_is_written_into_the_evidence_of_another() {
    let place = Place::new();
    place.folder("evidence/tmp");
    let demo = str(&demo_folder()).to_owned();
    let output = place.locard(&["run", &demo, "evidence", "--runs", "evidence/runs"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let temporary = place.path("evidence/tmp");
    let output = place.command(&["run", &demo, "evidence"]).env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(!place.path("evidence/runs").exists() && place.runs().is_empty());
    assert_eq!(std::fs::read_dir(temporary).unwrap().count(), 0);
}
