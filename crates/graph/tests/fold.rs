//! What a log folds into, and what is no log.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use graph::{Fate, FoldError, Node, fact_title, fold, phenomenon_title, refused_claims};
use ledger::{Event, RejectionCode, Stream, TaskId};
use testkit::history::{History, claim, fact, invocation, reading};

fn because(history: &History) -> &'static str {
    match fold(history.events()).unwrap_err() {
        FoldError::OutOfPlace { because, .. } => because,
        FoldError::NotOpened { found } => found,
    }
}

#[test]
fn a_fact_rests_on_its_invocation_and_its_evidence() {
    let stated = fact(1, 0, r"Run\x", &[("data", "a.exe")]);
    let mut history = History::opened("T");
    history.assigned(1, "registry").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["a.exe"], None));
    history.accepted(1, 0, stated.clone()).phenomenon(1, 0, &[stated.id], "starts");
    let run = fold(history.events()).unwrap();
    let grounds = run.graph.grounds(stated.id);
    assert!(grounds.contains(&&Node::Invocation(invocation(1, 0), TaskId(1))));
    assert!(grounds.contains(&&Node::Evidence("host".into())));
    assert_eq!(run.graph.carried_by(stated.id).len(), 1);
    assert_eq!(run.graph.size(), (4, 3));
    assert_eq!(run.facts().count(), 1);
}

#[test]
fn the_same_streams_fold_to_the_same_facts_whatever_their_merge_order() {
    let stream = |task: u16| {
        let mut history = History::opened("T");
        history.assigned(1, "a").assigned(2, "b").invoked(task, 0);
        history.claimed(task, 0, 1, reading("configured", &["v"], None));
        history.accepted(task, 0, fact(task, 0, "k", &[("data", "v")]));
        history.events()
    };
    let (one, two) = (stream(1), stream(2));
    let first = [&one[..], &two[3..]].concat();
    let second = [&two[..], &one[3..]].concat();
    let facts = |events| fold(events).unwrap().facts().map(|(task, a)| (task, a.fact.id)).collect::<Vec<_>>();
    assert_eq!(facts(first), facts(second));
}

#[test]
fn what_is_no_log_is_refused_at_its_place() {
    assert_eq!(fold([]).unwrap_err(), FoldError::NotOpened { found: "nothing" });

    let mut history = History::opened("T");
    history.invoked(1, 0);
    assert_eq!(because(&history), "the task was not assigned");

    let mut history = History::opened("T");
    history.assigned(1, "a").assigned(1, "a");
    assert_eq!(because(&history), "the task was assigned before");

    let mut history = History::opened("T");
    history.assigned(1, "a").claimed(1, 0, 1, reading("configured", &["v"], None));
    history.accepted(1, 0, fact(1, 0, "k", &[]));
    assert_eq!(because(&history), "its invocation is unknown");

    let mut history = History::opened("T");
    history.assigned(1, "a").refused(1, 0, RejectionCode::TooWeak);
    assert_eq!(because(&history), "the claim was not submitted");

    let mut history = History::opened("T");
    history.assigned(1, "a").phenomenon(1, 0, &[fact(1, 0, "k", &[]).id], "");
    assert_eq!(because(&history), "it carries no known fact");

    let mut history = History::opened("T");
    history.push(Stream::Run, Event::TimeSpent);
    assert_eq!(because(&history), "it belongs to a task");
}

#[test]
fn a_refused_claim_is_corrected_by_a_later_one_at_the_same_point() {
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0);
    let claims = [
        reading("configured", &["Name", "ALDER-08"], Some("r1")),
        reading("executed", &["nothing alike"], Some("r7")),
        reading("configured", &["Name", "ALDER-O7"], Some("r1")),
        reading("configured", &["Name", "ALDER-07"], Some("r1")),
    ];
    for (ordinal, reading) in (0..).zip(claims) {
        history.claimed(1, ordinal, ordinal + 1, reading);
        match ordinal {
            3 => history.accepted(1, 3, fact(1, 3, "k", &[("data", "ALDER-07")])),
            _ => history.refused(1, ordinal, RejectionCode::ValueAbsent),
        };
    }
    let run = fold(history.events()).unwrap();
    let fates: Vec<_> = refused_claims(&run).iter().map(|claim| claim.fate).collect();
    let by = claim(1, 3);
    assert_eq!(fates, [Fate::Corrected { by, tries: 3 }, Fate::Abandoned, Fate::Corrected { by, tries: 2 }]);
}

#[test]
fn a_title_says_predicate_subject_and_values_once_on_one_line() {
    let named = fact(1, 0, r"CurrentVersion\Run\OneDrive", &[("name", "OneDrive"), ("data", "a.exe")]);
    assert_eq!(fact_title(&named), r"configured CurrentVersion\Run\OneDrive: data = a.exe");
    let hostile = fact(1, 1, "k", &[("data", "a\u{1b}[2J\nb\u{202e}c")]);
    assert_eq!(fact_title(&hostile), "configured k: data = a\\u{1b}[2J\\u{a}b\\u{202e}c");
    let long = fact(1, 2, "k", &[("data", &"x".repeat(500))]);
    assert!(fact_title(&long).chars().count() < 200);
    assert!(phenomenon_title(&[&named, &hostile, &long]).ends_with("(and 2 more)"));
}
