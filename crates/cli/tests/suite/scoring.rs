//! `locard score`: scores runs of the demo against its ground truth.

use crate::support::{Place, demo_folder, str, text};
use serde_json::Value;
use std::path::Path;

fn demo() -> String {
    str(&demo_folder()).to_owned()
}

/// The ground truth file shown in docs/scoring.md.
fn documented() -> String {
    let page = std::fs::read_to_string(demo_folder().join("../../docs/scoring.md")).unwrap();
    page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

fn scored(place: &Place, truth: &Path, arguments: &[&str]) -> Value {
    let base = ["score", "latest", "--truth", str(truth), "--format", "json"];
    serde_json::from_str(&place.locard_ends(0, &[&base[..], arguments].concat())).unwrap()
}

#[test]
fn the_documented_truth_is_found_in_the_demo_and_its_traps_are_told() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let truth = place.file("truth.toml", documented());
    let score = scored(&place, &truth, &[]);
    assert_eq!(score["locard_score"], 1);
    let run = &score["runs"][0];
    let standings: Vec<_> =
        run["facts"].as_array().unwrap().iter().map(|fact| fact["standing"].as_str().unwrap()).collect();
    assert_eq!(standings, ["found", "found", "missed"], "{run}");
    assert!(
        run["facts"][2]["nearest"]["how"].as_str().unwrap().contains("not \"2025-09-16T10:47:31Z\""),
        "{run}"
    );
    assert_eq!(run["findings"][0]["found"], true);
    assert_eq!(run["violations"].as_array().unwrap().len(), 1);
    assert_eq!(score["truth"]["for_a_person"].as_array().unwrap().len(), 1);
    let figures = &run["figures"];
    assert_eq!((&figures["found"], &figures["must_not_claim_violated"]), (&2.into(), &1.into()));
    assert_eq!(figures["recorded_per_found"], figures["recorded"].as_f64().unwrap() / 2.0);
    let told = place.locard_ends(0, &["score", "latest", "--truth", str(&truth)]);
    for expected in ["missed run-key-time", "finding found", "must not be claimed:", "for a person to judge"]
    {
        assert!(told.contains(expected), "{expected} is not in\n{told}");
    }
}

#[test]
fn the_same_truth_in_json_gives_the_same_figures() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let toml = place.file(
        "truth.toml",
        "case = \"demo\"\n[[fact]]\nid = \"a\"\nagent = \"registry\"\nquestion = \"?\"\nvalues = [\"ALDER-07\"]\n",
    );
    let json = place.file(
        "truth.json",
        r#"{"case": "demo", "facts": [{"id": "a", "agent": "registry", "question": "?", "values": ["ALDER-07"]}]}"#,
    );
    assert_eq!(scored(&place, &toml, &[]), scored(&place, &json, &[]));
}

#[test]
fn several_runs_are_shown_beside_each_other_with_mean_least_and_most() {
    let place = Place::new();
    place.has_demo_run(&[]);
    place.has_demo_run(&["--model", "sloppy:3"]);
    let truth = place.file("truth.toml", documented());
    let mut names: Vec<String> = std::fs::read_dir(place.path("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    let base = ["score", "--truth", str(&truth)];
    let told = place.locard_ends(0, &[&base[..], &arguments].concat());
    for row in ["mean", "min", "max", names[0].as_str(), names[1].as_str()] {
        assert!(told.lines().any(|line| line.starts_with(row)), "{row}: {told}");
    }
    let json = place.locard_ends(0, &[&base[..], &arguments, &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    let recorded = |run: usize| json["runs"][run]["figures"]["recorded"].as_f64().unwrap();
    let over = &json["over_runs"]["recorded"];
    assert_eq!(over["mean"].as_f64().unwrap(), (recorded(0) + recorded(1)) / 2.0);
    assert_eq!(over["min"].as_f64().unwrap(), recorded(0).min(recorded(1)));
}

#[test]
fn without_the_sweep_agents_have_the_figures_of_a_run_that_is_not_swept() {
    let place = Place::new();
    let truth = place.file("truth.toml", documented());
    let agents = ["run", &demo(), "--agent", "timeline"];
    place.locard_ends(0, &agents);
    let swept = scored(&place, &truth, &[]);
    place.locard_ends(0, &[&agents[..], &["--no-sweep"]].concat());
    let alone = scored(&place, &truth, &[]);
    let figures = |score: &Value, of: &str| {
        let mut figures = score.pointer(&format!("/runs/0{of}/figures")).unwrap().clone();
        // A confidence depends on all facts of a run, whoever recorded them.
        figures.as_object_mut().unwrap().remove("brier");
        figures
    };
    assert_eq!(figures(&swept, "/without_sweep"), figures(&alone, ""));
    assert_ne!(figures(&swept, ""), figures(&alone, ""));
    assert!(alone["runs"][0]["without_sweep"].is_null(), "{alone}");
    let told = place.locard_ends(0, &["score", "latest", "--truth", str(&truth)]);
    assert!(!told.contains("without the sweep"), "{told}");
}

#[test]
fn a_score_below_what_was_asked_ends_with_25_and_another_case_is_remarked() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let truth = place.file("truth.toml", documented().replace("case = \"demo\"", "case = \"other\""));
    let output = place.locard(&["score", "latest", "--truth", str(&truth), "--fail-under", "67"]);
    assert_eq!(output.status.code(), Some(25));
    assert!(text(&output.stderr).contains("remark: the run"), "{}", text(&output.stderr));
    place.locard_ends(0, &["score", "latest", "--truth", str(&truth), "--fail-under", "66"]);
    assert_eq!(
        place.locard(&["score", "latest", "--truth", str(&truth), "--fail-under", "101"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_truth_that_makes_no_sense_is_told_with_file_and_place() {
    let place = Place::new();
    place.has_demo_run(&[]);
    for (name, text_of, expected) in [
        ("truth.toml", documented().replace("agent = ", "agnt = "), "did you mean `agent`?"),
        (
            "truth.toml",
            documented().replace("time_tolerance = \"1 ms\"", "time_tolerance = \"soon\""),
            "line 3: expected",
        ),
        ("truth.json", "{\"facts\": [{}]}".to_owned(), "missing field `id` at line 1"),
    ] {
        let file = place.file(name, text_of);
        let output = place.locard(&["score", "latest", "--truth", str(&file)]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(name) && told.contains(expected), "{expected}: {told}");
        assert!(output.stdout.is_empty());
    }
    let output = place.locard(&["score", "latest", "--truth", "gone.toml"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_truth_with_nothing_in_it_passes_no_limit() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let truth = place.file("truth.toml", "case = \"demo\"\n");
    place.locard_ends(25, &["score", "latest", "--truth", str(&truth), "--fail-under", "1"]);
    place.locard_ends(0, &["score", "latest", "--truth", str(&truth)]);
}
