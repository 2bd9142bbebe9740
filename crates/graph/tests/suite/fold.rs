//! Tests of what a log folds into, and of what is not a valid log.

use crate::ranking::objective;
use graph::{Asker, FoldError, answer_title, fact_title, fold, phenomenon_title};
use ledger::event::{ObjectiveAdded, ObjectiveResult, TaskEnded, TaskStatus, WithoutFact};
use ledger::{
    Behaviour, CallId, Condition, Digest, Event, FactEntry, IdSpace, Objective, Outcome, PhenomenonId,
    Predicate, RejectionCode, Stream, TaskId, Weight,
};
use testkit::history::{History, fact, ids, invocation, reading};

fn because(history: &History) -> &'static str {
    match fold(history.events()).unwrap_err() {
        FoldError::OutOfPlace { because, .. } => because,
        FoldError::NotOpened { found } => found,
    }
}

fn phenomenon(ids: &IdSpace) -> PhenomenonId {
    PhenomenonId::assign(ids, TaskId(1), 0).unwrap()
}

/// Builds a task that has called a tool and made a claim.
fn working() -> History {
    let mut history = History::opened("T");
    history.assigned(1, "a").assigned(2, "b").asked(1, 1).invoked(1, 0);
    history.claimed(1, 0, 1, reading("configured", &["v"], None));
    history
}

fn stated() -> FactEntry {
    fact(1, 0, "k", &[("data", "v")])
}

#[test]
fn a_fact_rests_on_its_invocation_and_its_evidence() {
    let stated = fact(1, 0, r"Run\x", &[("data", "a.exe")]);
    let mut history = History::opened("T");
    history.assigned(1, "registry").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["a.exe"], None));
    history.accepted(1, 0, stated.clone()).phenomenon(1, 0, &[stated.id], "starts");
    let run = fold(history.events()).unwrap();
    assert_eq!(run.graph.grounded_in(invocation(1, 0)), [stated.id]);
    assert_eq!(run.graph.read_from("host"), [stated.id]);
    assert_eq!(run.graph.carried_by(stated.id), [phenomenon(&ids())]);
    assert_eq!(run.facts().count(), 1);
    assert_eq!(run.fact(stated.id), Some(&stated));
    assert_eq!(run.invocation(invocation(1, 0)).map(|(task, _)| task), Some(TaskId(1)));
    assert!(run.invocation(invocation(1, 1)).is_none());
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
    assert_eq!(because(&history), "it carries an unknown fact");

    let mut history = History::opened("T");
    history.push(Stream::Run, Event::TimeSpent);
    assert_eq!(because(&history), "it belongs to a task");
}

#[test]
fn ids_are_given_once_and_verdicts_stand() {
    let refused = |change: &dyn Fn(&mut History), expected: &str| {
        let mut history = working();
        change(&mut history);
        assert_eq!(because(&history), expected);
    };
    refused(
        &|log| {
            log.invoked(1, 0);
        },
        "the invocation was started before",
    );
    refused(
        &|log| {
            log.started(2, 0, "t").started(2, 0, "t");
        },
        "the invocation was started before",
    );
    let ended_twice = |log: &mut History| {
        let end = log.events()[5].1.clone();
        log.push(Stream::Task(TaskId(1)), end);
    };
    refused(&ended_twice, "the invocation ended before");
    let ended_elsewhere = |log: &mut History| {
        let end = log.events()[5].1.clone();
        log.push(Stream::Task(TaskId(2)), end);
    };
    refused(&ended_elsewhere, "the invocation was not started");
    refused(
        &|log| {
            log.claimed(1, 0, 1, reading("opened", &["w"], None));
        },
        "the claim was submitted before",
    );
    let accept = |log: &mut History| {
        log.accepted(1, 0, stated());
    };
    let refuse = |log: &mut History| {
        log.refused(1, 0, RejectionCode::TooWeak);
    };
    refused(
        &|log| {
            accept(log);
            refuse(log)
        },
        "the claim was judged before",
    );
    refused(
        &|log| {
            refuse(log);
            accept(log)
        },
        "the claim was judged before",
    );
    refused(
        &|log| {
            accept(log);
            accept(log)
        },
        "its fact was recorded before",
    );
    refused(
        &|log| {
            log.asked(1, 3);
        },
        "its turn is not the next one",
    );
    let recorded_twice = |log: &mut History| {
        log.accepted(1, 0, stated()).phenomenon(1, 0, &[stated().id], "").phenomenon(
            1,
            0,
            &[stated().id],
            "",
        );
    };
    refused(&recorded_twice, "it was recorded before");
    refused(
        &|log| {
            log.phenomenon(1, 0, &[], "");
        },
        "it carries no fact",
    );
}

#[test]
fn a_fact_rests_on_an_invocation_of_its_own_task_that_grounds() {
    let refused = |history: &mut History, fact: FactEntry, expected: &str| {
        history.accepted(1, 0, fact);
        assert_eq!(because(history), expected);
    };
    let mut foreign = working();
    foreign.invoked(2, 0);
    let fact = FactEntry { invocation: invocation(2, 0), ..stated() };
    refused(&mut foreign, fact, "its invocation belongs to another task");

    let mut open = working();
    open.started(1, 1, "t");
    let fact = FactEntry { invocation: invocation(1, 1), ..stated() };
    refused(&mut open, fact, "its invocation has not ended");

    for outcome in [Outcome::Empty, Outcome::Failed, Outcome::Timeout, Outcome::Denied] {
        let mut failed = working();
        failed.invoked_as(1, 1, "t", |end| end.outcome = outcome);
        let fact = FactEntry { invocation: invocation(1, 1), ..stated() };
        refused(&mut failed, fact, "its invocation did not end in a way that grounds a fact");
    }

    let fact = FactEntry { output: Digest::of(b"another"), ..stated() };
    refused(&mut working(), fact, "its output is not that of its invocation");
    let mut silent = working();
    silent.invoked_as(1, 1, "t", |end| end.output = None);
    let fact = FactEntry { invocation: invocation(1, 1), ..stated() };
    refused(&mut silent, fact, "its output is not that of its invocation");

    let mut elsewhere = stated();
    elsewhere.locator.evidence = "nowhere".into();
    refused(&mut working(), elsewhere, "its evidence is unknown");
}

#[test]
fn a_phenomenon_carries_facts_of_its_own_task() {
    let mut history = working();
    history.accepted(1, 0, stated()).phenomenon(2, 0, &[stated().id], "");
    assert_eq!(because(&history), "it carries a fact of another task");
}

#[test]
fn a_task_ends_with_what_was_counted() {
    let objective = |id: &str, subject: &str| Objective {
        id: id.into(),
        question: id.into(),
        applies: None,
        weight: ledger::Weight::Activity,
        searched: Vec::new(),
        or: Vec::new(),
        condition: Condition {
            predicate: Predicate("configured".into()),
            record: "registry_value".into(),
            subject: subject.into(),
            field: "data".into(),
            value: None,
            unless: None,
            earlier: None,
        },
    };
    let mut history = History::opened("T");
    history.assigned_with(1, "a", "m", vec![objective("met", "k"), objective("unmet", "other")]);
    history.asked(1, 1).asked(1, 2).invoked(1, 0);
    for ordinal in 0..3 {
        history.claimed(1, ordinal, 1, reading("configured", &["v"], None));
    }
    history.accepted(1, 0, stated()).refused(1, 1, RejectionCode::TooWeak).accepted(
        1,
        2,
        fact(1, 2, "k", &[("data", "w")]),
    );
    let result = |id: &str, facts: &[u32]| ObjectiveResult {
        id: id.into(),
        facts: facts.iter().map(|ordinal| fact(1, *ordinal, "", &[]).id).collect(),
        watched: false,
        without: None,
    };
    let right = TaskEnded {
        spent: None,
        status: TaskStatus::Incomplete,
        objectives: vec![result("met", &[0, 2]), result("unmet", &[])],
        own: vec![],
        turns: 2,
        facts: 2,
        rejections: 1,
    };
    assert!(fold(history.clone().ended(1, right.clone()).events()).is_ok());
    let foreign = "its objectives are not those of its agent";
    let unmet = "an objective's facts are not those that meet it";
    for (change, expected) in [
        (TaskEnded { turns: 3, ..right.clone() }, "its number of turns is not that of the log"),
        (TaskEnded { facts: 3, ..right.clone() }, "its number of facts is not that of the log"),
        (TaskEnded { rejections: 0, ..right.clone() }, "its number of refused claims is not that of the log"),
        (TaskEnded { objectives: vec![], ..right.clone() }, foreign),
        (
            TaskEnded {
                objectives: vec![
                    result("met", &[0, 2]),
                    ObjectiveResult { watched: true, ..result("unmet", &[]) },
                ],
                ..right.clone()
            },
            foreign,
        ),
        (
            TaskEnded { objectives: vec![result("unmet", &[]), result("met", &[0, 2])], ..right.clone() },
            foreign,
        ),
        (TaskEnded { objectives: vec![result("met", &[0]), result("unmet", &[])], ..right.clone() }, unmet),
        (
            TaskEnded { objectives: vec![result("met", &[2, 0]), result("unmet", &[])], ..right.clone() },
            unmet,
        ),
        (
            TaskEnded { objectives: vec![result("met", &[0, 2]), result("unmet", &[0])], ..right.clone() },
            unmet,
        ),
    ] {
        assert_eq!(because(history.clone().ended(1, change)), expected);
    }
}

#[test]
fn a_title_says_predicate_subject_and_values_once_on_one_line() {
    let named = fact(1, 0, r"CurrentVersion\Run\OneDrive", &[("name", "OneDrive"), ("data", "a.exe")]);
    assert_eq!(fact_title(&named), r"configured CurrentVersion\Run\OneDrive: data = a.exe");
    let repeated = fact(1, 3, r"CurrentVersion\Run\calc", &[("name", "calc"), ("data", "calc")]);
    assert_eq!(fact_title(&repeated), r"configured CurrentVersion\Run\calc: data = calc");
    let hostile = fact(1, 1, "k", &[("data", "a\u{1b}[2J\nb\u{202e}c")]);
    assert_eq!(fact_title(&hostile), "configured k: data = a\\u{1b}[2J\\u{a}b\\u{202e}c");
    let long = fact(1, 2, "k", &[("data", &"x".repeat(500))]);
    assert!(fact_title(&long).chars().count() < 200);
    assert!(phenomenon_title(&[&named, &hostile, &long]).ends_with("(and 2 more)"));
}

#[test]
fn an_answer_says_of_a_task_that_it_is_not_in_force() {
    let mut asked = objective("tasks", "*", Weight::Finding);
    asked.condition.record = "scheduled_task".into();
    asked.condition.field = "command".into();
    let told = |starts: &str| {
        let task = fact(1, 0, "\\Tool", &[("command", "t.exe"), ("author", "Ann"), ("starts", starts)]);
        answer_title(&FactEntry { kind: "scheduled_task".into(), ..task }, &asked)
    };
    assert_eq!(told("by_trigger"), "configured \\Tool: command = t.exe");
    assert_eq!(told("disabled"), "configured \\Tool: command = t.exe, starts = disabled");
}

#[test]
fn a_question_of_an_agents_own_stands_apart_even_where_it_asks_the_same() {
    let condition = Condition {
        predicate: Predicate("configured".into()),
        record: "registry_value".into(),
        subject: "*".into(),
        field: "data".into(),
        value: Some("nothing like this".into()),
        unless: None,
        earlier: None,
    };
    let given = Objective {
        id: "given".into(),
        question: "What is it?".into(),
        applies: None,
        weight: ledger::Weight::Activity,
        searched: Vec::new(),
        or: Vec::new(),
        condition,
    };
    let own = Objective { id: "own-1".into(), ..given.clone() };
    let added = ObjectiveAdded { turn: 1, call: CallId("c".into()), objective: own };
    let searched = WithoutFact::Empty { searches: vec![invocation(1, 0)], lacking: Vec::new() };
    let result = |id: &str, without| ObjectiveResult {
        id: id.into(),
        facts: Vec::new(),
        watched: false,
        without: Some(without),
    };
    let mut history = History::opened("T").behaving(&Behaviour::ALL);
    history.assigned_with(1, "a", "m", vec![given]).asked(1, 1);
    history.invoked_as(1, 0, "t", |end| (end.outcome, end.output, end.records) = (Outcome::Empty, None, 0));
    history.push(Stream::Task(TaskId(1)), Event::ObjectiveAdded(added));
    let ended = TaskEnded {
        spent: None,
        status: TaskStatus::Incomplete,
        objectives: vec![result("given", WithoutFact::NotAsked)],
        own: vec![result("own-1", searched)],
        turns: 1,
        facts: 0,
        rejections: 0,
    };
    let run = fold(history.clone().ended(1, ended.clone()).events()).unwrap();
    let told: Vec<_> =
        graph::questions(&run).iter().map(|it| (it.objective.id.clone(), it.by, it.stands.word())).collect();
    let expected =
        [("given".to_owned(), Asker::Unlisted, "not_asked"), ("own-1".to_owned(), Asker::Agent, "empty")];
    assert_eq!(told, expected);
    assert!(graph::questions(&run).iter().all(|it| it.is_of_case() == (it.by != Asker::Agent)));
    for wrong in [
        TaskEnded { own: vec![], ..ended.clone() },
        TaskEnded { own: vec![result("given", WithoutFact::NotAsked)], ..ended.clone() },
        TaskEnded { own: vec![], objectives: [&ended.objectives[..], &ended.own[..]].concat(), ..ended },
    ] {
        assert!(fold(history.clone().ended(1, wrong.clone()).events()).is_err(), "{wrong:?}");
    }
}
