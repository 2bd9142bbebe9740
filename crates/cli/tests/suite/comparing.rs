//! `locard diff`: compares two runs.

use crate::support::{Place, demo_folder, str};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn investigated(place: &Place, arguments: &[&str]) -> PathBuf {
    let before = place.runs();
    place.locard_ends(0, &[&["run"], arguments].concat());
    place.runs().into_iter().find(|run| !before.contains(run)).unwrap()
}

/// The folder of a demo run that the tests share.
fn shared(place: &Place, arguments: &'static [&'static str]) -> PathBuf {
    let before = place.runs();
    place.has_demo_run(arguments);
    place.runs().into_iter().find(|run| !before.contains(run)).unwrap()
}

fn compared(place: &Place, code: i32, before: &Path, after: &Path) -> Value {
    let arguments = ["diff", str(before), str(after), "--exit-code", "--format", "json"];
    serde_json::from_str(&place.locard_ends(code, &arguments)).unwrap()
}

/// The kinds of things that a run records.
const KINDS: [&str; 7] =
    ["facts", "phenomena", "absences", "derivations", "entities", "relations", "hypotheses"];

#[test]
fn two_runs_of_one_case_are_the_same() {
    let place = Place::new();
    let one = shared(&place, &[]);
    let other = investigated(&place, &[str(&demo_folder())]);
    let diff = compared(&place, 0, &one, &other);
    assert_eq!((&diff["locard_diff"], &diff["recorded_the_same"]), (&1.into(), &true.into()));
    assert_eq!(diff["not_the_same"].as_array().unwrap().len(), 0, "{diff}");
    assert!(diff["facts"]["both"].as_u64().unwrap() > 20);
    for kind in KINDS.iter().chain(&["rejections"]) {
        for side in ["only_before", "only_after"] {
            assert_eq!(diff[kind][side].as_array().unwrap().len(), 0, "{kind} {side}");
        }
    }
    assert_eq!(diff["tasks"].as_array().unwrap().len(), 0);
    assert_eq!(diff["cost"]["before"]["turns"], diff["cost"]["after"]["turns"]);
    let out = place.locard_ends(0, &["diff", str(&one), str(&other)]);
    assert!(out.starts_with("before  ") && out.ends_with("\nboth runs recorded the same\n"), "{out}");
    assert!(!out.contains("only before\n"), "{out}");
}

#[test]
fn a_sloppy_run_differs_by_what_was_refused_and_by_nothing_that_it_made_up() {
    let place = Place::new();
    let honest = shared(&place, &[]);
    let sloppy = shared(&place, &["--model", "sloppy:3"]);
    let [old, new] = [&honest, &sloppy].map(|run| app::load_run(run).unwrap());
    let said = |run: &graph::Run| run.facts().map(|(_, it)| graph::fact_title(&it.fact)).collect::<Vec<_>>();
    let same = said(&old).len() == said(&new).len();
    let diff = compared(&place, if same { 0 } else { 15 }, &honest, &sloppy);
    assert_eq!(diff["recorded_the_same"], same);
    assert_eq!(diff["not_the_same"], serde_json::json!(["models"]));
    let count = |kind: &str, side: &str| diff[kind][side].as_array().unwrap().len();
    assert_eq!(count("facts", "only_after"), 0, "{}", diff["facts"]["only_after"]);
    assert_eq!(count("facts", "only_before"), said(&old).len() - said(&new).len());
    assert_eq!((count("rejections", "only_before"), diff["rejections"]["both"].as_u64()), (0, Some(0)));
    assert_eq!(count("rejections", "only_after"), graph::refused_claims(&new).len());
    assert!(count("rejections", "only_after") > 0);
    for kind in ["absences", "derivations", "entities", "relations", "hypotheses"] {
        assert_eq!(count(kind, "only_after"), 0, "{kind}");
    }
    // Compared the other way round, the two sides are swapped.
    let turned = compared(&place, if same { 0 } else { 15 }, &sloppy, &honest);
    for kind in KINDS {
        assert_eq!(diff[kind]["only_before"], turned[kind]["only_after"], "{kind}");
        assert_eq!(diff[kind]["only_after"], turned[kind]["only_before"], "{kind}");
    }
    let out = place.locard_ends(0, &["diff", str(&honest), str(&sloppy)]);
    assert!(out.contains("different in the two runs: models"), "{out}");
    assert!(
        out.contains("\nrejections only after\n  + ") && !out.contains("rejections only before"),
        "{out}"
    );
}

#[test]
fn runs_of_different_cases_say_so_first() {
    let place = Place::new();
    place.folder("empty");
    let demo = shared(&place, &[]);
    let empty = investigated(&place, &["empty"]);
    let out = place.locard_ends(0, &["diff", str(&demo), str(&empty)]);
    assert!(out.starts_with("the runs are of different cases: demo and empty\n"), "{out}");
    assert!(out.contains("\nfacts only before\n  - ") && out.contains("  … and "), "{out}");
    assert!(out.ends_with("the runs recorded different things; --all lists everything\n"), "{out}");
    let all = place.locard_ends(15, &["diff", str(&demo), str(&empty), "--all", "--exit-code"]);
    assert!(!all.contains("  … and ") && all.lines().count() > out.lines().count(), "{all}");
    let run = app::load_run(&demo).unwrap();
    let list = all.split("\nfacts only before\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(list.lines().filter(|line| line.starts_with("  - ")).count(), run.facts().count());
    place.locard_ends(2, &["diff", str(&demo), "no-such-run"]);
}
