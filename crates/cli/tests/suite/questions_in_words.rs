//! `locard ask`: answers a question in words from facts, in its own run or in a branch of a run, or says
//! why it cannot.

use crate::support::{Place, demo_folder, rechained, str};
use ledger::Event;
use serde_json::Value;

/// Asks about the demo or one of its runs.
fn ask(place: &Place, code: i32, of: &str, question: &str) -> Value {
    let printed = place.locard_ends(
        code,
        &["ask", of, question, "--format", "json", "--cache", "cache", "--integrity", "stat"],
    );
    serde_json::from_str(&printed).unwrap()
}

fn asked(place: &Place, code: i32, question: &str) -> Value {
    ask(place, code, str(&demo_folder()), question)
}

fn cites(answer: &Value, value: &str) -> bool {
    let lines = answer["cited"].as_array().unwrap();
    let holds = |line: &Value| {
        line["values"].as_object().unwrap().values().any(|it| it.as_str().unwrap().contains(value))
    };
    lines.iter().any(holds)
}

#[test]
fn values_are_facts_of_a_run_that_verifies() {
    let place = Place::new();
    let answer = asked(&place, 0, "When was ScanToPdf-Setup.exe started for the first time?");
    assert_eq!(answer["answer"], "values", "{answer:#}");
    assert!(cites(&answer, "2025-09-16T09:44:03"), "{answer:#}");
    for line in answer["cited"].as_array().unwrap() {
        assert!(line["fact"].as_str().unwrap().starts_with("fact-"), "{line:#}");
    }
    let run = answer["run"].as_str().unwrap();
    place.locard_ends(0, &["verify", run, "--no-head-log"]);
    place.locard_ends(0, &["replay", run]);
    let loaded = app::load_run(&place.path(run)).unwrap();
    assert_eq!(loaded.opened.asked.len(), 1);
    assert_eq!(loaded.tasks.len(), 1);
    let report = place.locard_ends(0, &["report", run]);
    assert!(
        report.contains(
            "- When was ScanToPdf-Setup.exe started for the first time? (task-1, answered by code): 2 facts"
        ),
        "{report}"
    );
    assert!(!report.contains("does not list the questions"), "{report}");
    let report: Value =
        serde_json::from_str(&place.locard_ends(0, &["report", run, "--format", "json"])).unwrap();
    assert_eq!(report["questions_in_words"][0]["answered_by"], "code");
    let page = place.locard_ends(0, &["report", run, "--format", "html"]);
    assert!(page.contains("questions-in-words"));
}

#[test]
fn yes_no_and_what_cannot_be_determined_are_told_apart() {
    let place = Place::new();
    let yes = asked(&place, 0, "Was the Security log cleared?");
    assert_eq!((&yes["answer"], yes["cited"].as_array().unwrap().len()), (&"yes".into(), 1), "{yes:#}");
    let no = asked(&place, 0, "Was the System event log cleared?");
    assert_eq!((&no["answer"], &no["run"]), (&"no".into(), &Value::Null), "{no:#}");
    for (question, reason) in [
        ("At what time did mara type the Copy-Item command?", "not_recorded"),
        ("Which processes were running when the image was taken?", "no_source"),
        ("Did mara want to hide something?", "not_a_question_of_evidence"),
        ("Was setup.exe run on 03/04/2025?", "ambiguous"),
        ("Lorem ipsum dolor?", "ambiguous"),
        ("Did mara frobnicate the logs in the recycle bin?", "ambiguous"),
    ] {
        let answer = asked(&place, 26, question);
        assert_eq!(
            (&answer["answer"], &answer["reason"]),
            (&"not_determinable".into(), &reason.into()),
            "{answer:#}"
        );
        assert!(answer["questions"].as_array().unwrap().len() <= 2);
        assert_eq!(answer["run"], Value::Null);
    }
    let back = asked(&place, 26, "Was setup.exe run on 03/04/2025?");
    assert_eq!(back["questions"].as_array().unwrap().len(), 1);
    assert!(
        !place.path("runs").exists() || place.runs().len() == 1,
        "what cannot be determined makes no run"
    );
}

#[test]
fn a_question_of_a_sealed_run_is_a_branch_and_what_it_has_needs_none() {
    let place = Place::new();
    let first = asked(&place, 0, "Welche geplanten Aufgaben gibt es auf ALDER-07?");
    let parent = first["run"].as_str().unwrap().to_owned();
    let before = std::fs::read(place.path(&parent).join("run.db")).unwrap();
    let again = ask(&place, 0, &parent, "which scheduled tasks are there on alder-07");
    assert_eq!((&again["run"], &again["calls"]), (&Value::Null, &0.into()), "{again:#}");
    assert_eq!(again["cited"].as_array().unwrap().len(), first["cited"].as_array().unwrap().len());
    let other = ask(&place, 0, &parent, "What is in mara's recycle bin?");
    let branch = other["run"].as_str().unwrap();
    assert_ne!(branch, parent);
    assert!(cites(&other, "lunch-list.txt"), "{other:#}");
    place.locard_ends(0, &["verify", branch, "--no-head-log"]);
    place.locard_ends(0, &["replay", branch]);
    let (old, new) =
        (app::load_run(&place.path(&parent)).unwrap(), app::load_run(&place.path(branch)).unwrap());
    let made = new.opened.parent.as_ref().unwrap();
    assert_eq!(made.run.as_str(), old.name());
    assert_eq!((old.tasks.len(), new.tasks.len(), new.opened.asked.len()), (1, 2, 2));
    assert_eq!(std::fs::read(place.path(&parent).join("run.db")).unwrap(), before, "the parent is as it was");
    // A branch can be branched again.
    let third = ask(&place, 0, branch, "Who are the members of the local Administrators group?");
    place.locard_ends(0, &["verify", third["run"].as_str().unwrap(), "--no-head-log"]);
}

#[test]
fn a_branch_that_broke_off_is_resumed_and_one_that_was_changed_is_refused() {
    let place = Place::new();
    let first = asked(&place, 0, "What is in mara's recycle bin?");
    let parent = place.path(first["run"].as_str().unwrap());
    let question = app::load_run(&parent).unwrap().opened.asked.remove(0);
    let ask = app::ToAsk { question, by: app::Answerer::Code };
    let branch =
        app::AskBranch { folder: &parent, ask: &ask, runs: &place.path("runs"), clock: &app::SystemClock };
    let made = app::branch_to_ask(&branch).unwrap();
    place.locard_ends(32, &["verify", str(&made), "--no-head-log"]);
    place.locard_ends(0, &["resume", str(&made), "--no-head-log", "--no-memory"]);
    place.locard_ends(0, &["verify", str(&made), "--no-head-log"]);
    let run = app::load_run(&made).unwrap();
    let facts = |task: u16| run.facts().filter(|(of, _)| of.0 == task).count();
    assert!(facts(1) > 0 && facts(1) == facts(2), "{} {}", facts(1), facts(2));
    // Make the first event ask for different rows than the task records.
    let changed = rechained(&place, &made, "changed", |log| {
        let Event::RunOpened(opened) = &mut log[0].1 else { panic!("a log begins with its run") };
        opened.asked[0].rows[0].rows.pop();
    });
    let told = place.locard_ends(33, &["verify", str(&changed), "--no-head-log"]);
    assert!(told.contains("it does not record what its question"), "{told}");
}
