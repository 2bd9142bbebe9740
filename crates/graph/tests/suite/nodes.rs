//! Tests of nodes other than facts: what a log may say about them, and the support for a hypothesis.

use graph::{Run, Sources, fold, looked_for, refused_claims, standing};
use ledger::event::{
    AbsenceAccepted, ClaimSubmitted, DerivationAccepted, EntityAdded, HypothesisAssessed, HypothesisProposed,
    RelationAdded,
};
use ledger::{
    Absence, AbsenceClaim, AbsenceEntry, AbsenceId, Assessment, CallId, Claim, Derivation, DerivationEntry,
    DerivationId, EntityId, EntityKind, Event, HypothesisId, NodeId, Outcome, RejectionCode, RelationId,
    RelationKind, Stream, TaskId, Term,
};
use testkit::history::{History, claim, fact, ids, invocation, reading};

/// A value that starts a program when LSASS ends; one of our rules matches it.
const MONITOR: &str = "Microsoft\\Windows NT\\CurrentVersion\\SilentProcessExit\\lsass.exe\\MonitorProcess";

/// Builds two tasks, each with one invocation and one fact that stands out.
fn history() -> History {
    let mut history = History::opened("nodes");
    for task in [1, 2] {
        history.assigned(task, "agent").asked(task, 1).invoked(task, 0);
        history.claimed(task, 0, 1, reading("configured", &["x"], None));
        history.accepted(task, 0, fact(task, 0, MONITOR, &[("data", "C:\\Windows\\Temp\\d.exe")]));
    }
    history
}

fn with(events: Vec<Event>) -> Result<Run, String> {
    let mut history = history();
    for event in events {
        history.push(Stream::Task(TaskId(1)), event);
    }
    fold(history.events()).map_err(|error| error.to_string())
}

fn fact_of(task: u16) -> NodeId {
    NodeId::Fact(fact(task, 0, "", &[]).id)
}

fn entity(ordinal: u32, fact_of_task: u16) -> Event {
    Event::EntityAdded(EntityAdded {
        entity: EntityId::assign(&ids(), TaskId(1), ordinal).unwrap(),
        kind: EntityKind::Account,
        name: "eve".into(),
        facts: vec![fact(fact_of_task, 0, "", &[]).id],
    })
}

fn hypothesis() -> HypothesisId {
    HypothesisId::assign(&ids(), TaskId(1), 0).unwrap()
}

fn proposed() -> Event {
    Event::HypothesisProposed(HypothesisProposed { hypothesis: hypothesis(), statement: "Eve did it".into() })
}

fn assessed(assessment: Assessment, supporting: Vec<NodeId>) -> Event {
    let (hypothesis, reason) = (hypothesis(), String::new());
    let contradicting = Vec::new();
    Event::HypothesisAssessed(HypothesisAssessed {
        hypothesis,
        assessment,
        supporting,
        contradicting,
        reason,
    })
}

#[test]
fn entities_relations_and_hypotheses_rest_on_facts_of_their_own_task() {
    let from = NodeId::Entity(EntityId::assign(&ids(), TaskId(1), 0).unwrap());
    let related = |to: NodeId| {
        Event::RelationAdded(RelationAdded {
            relation: RelationId::assign(&ids(), TaskId(1), 0).unwrap(),
            from,
            kind: RelationKind::Used,
            to,
            facts: vec![fact(1, 0, "", &[]).id],
        })
    };
    let run = with(vec![
        entity(0, 1),
        related(fact_of(1)),
        proposed(),
        assessed(Assessment::Supported, vec![fact_of(1)]),
    ])
    .unwrap();
    assert_eq!(run.graph.resting_on(fact_of(1)).len(), 4, "entity, relation twice, hypothesis");
    let task = &run.tasks[&TaskId(1)];
    assert_eq!((task.entities.len(), task.relations.len(), task.hypotheses.len()), (1, 1, 1));
    let standing = standing(&run, &task.hypotheses[0]);
    assert_eq!(
        (standing.assessment, standing.supporting_sources),
        (Some(Assessment::Supported), Sources { places: 1, kinds: 1 })
    );
    assert_eq!((standing.supporting, standing.ordinary), (1, 0));
    for events in [
        vec![entity(0, 2)],
        vec![entity(0, 1), related(fact_of(2))],
        vec![related(fact_of(1))],
        vec![assessed(Assessment::Undecided, vec![])],
        vec![proposed(), proposed()],
        vec![proposed(), assessed(Assessment::Supported, vec![])],
        vec![proposed(), assessed(Assessment::Supported, vec![fact_of(2)])],
        vec![entity(0, 1), related(from)],
        vec![proposed(), assessed(Assessment::Supported, vec![fact_of(1), fact_of(1)])],
        vec![proposed(), assessed(Assessment::Supported, vec![NodeId::Hypothesis(hypothesis())])],
        vec![entity(0, 1), proposed(), assessed(Assessment::Supported, vec![from])],
        vec![proposed(), assessed(Assessment::Supported, vec![NodeId::Invocation(invocation(1, 0))])],
    ] {
        assert!(with(events.clone()).is_err(), "{events:?}");
    }
}

#[test]
fn an_entity_that_is_added_again_keeps_its_kind_and_name() {
    assert_eq!(with(vec![entity(0, 1), entity(0, 1)]).unwrap().tasks[&TaskId(1)].entities.len(), 1);
    let Event::EntityAdded(added) = entity(0, 1) else { panic!() };
    let other = Event::EntityAdded(EntityAdded { name: "mallory".into(), ..added });
    assert!(with(vec![entity(0, 1), other]).is_err());
}

/// Folds a search of task 1 with this outcome, and an absence that is based on it.
fn absence(outcome: Outcome, of_task: u16) -> Result<Run, String> {
    let mut history = history();
    history.invoked_as(1, 1, "find_files", |ended| {
        ended.outcome = outcome;
        ended.output = None;
    });
    let absence = Absence::File { near: Vec::new(), name: "x".into(), under: String::new(), evidence: None };
    let searches = vec![invocation(of_task, 1)];
    let stated =
        Claim::Absence(AbsenceClaim { absence: absence.clone(), searches: vec![searches[0].to_string()] });
    let submitted = ClaimSubmitted { claim: claim(1, 1), turn: 1, call: CallId("c".into()), stated };
    let id = AbsenceId::assign(&ids(), TaskId(1), 1).unwrap();
    let accepted = AbsenceAccepted {
        claim: claim(1, 1),
        absence: AbsenceEntry { id, absence, searches },
        interpretation: String::new(),
    };
    history.push(Stream::Task(TaskId(1)), Event::ClaimSubmitted(submitted));
    history.push(Stream::Task(TaskId(1)), Event::AbsenceAccepted(accepted));
    fold(history.events()).map_err(|error| error.to_string())
}

#[test]
fn an_absence_rests_on_an_empty_search_of_its_own_task() {
    let run = absence(Outcome::Empty, 1).unwrap();
    let (task, covered) = run.absences().next().unwrap();
    assert_eq!(task, TaskId(1));
    let resting = run.graph.resting_on(NodeId::Invocation(covered.absence.searches[0]));
    assert_eq!(resting, [NodeId::Absence(covered.absence.id)]);
    for (outcome, task) in [(Outcome::Ok, 1), (Outcome::Failed, 1), (Outcome::Empty, 2)] {
        assert!(absence(outcome, task).is_err(), "{outcome:?} of task {task}");
    }
}

/// Folds a derivation of task 1 that was claimed in one form and accepted in another.
fn derivation(claimed: Derivation, accepted: Derivation) -> Result<Run, String> {
    let mut history = history();
    let stated = Claim::Derivation(claimed);
    let submitted = ClaimSubmitted { claim: claim(1, 1), turn: 1, call: CallId("c".into()), stated };
    let id = DerivationId::assign(&ids(), TaskId(1), 1).unwrap();
    let accepted = DerivationAccepted {
        claim: claim(1, 1),
        derivation: DerivationEntry { id, derivation: accepted, clocks: vec![] },
        interpretation: String::new(),
    };
    history.push(Stream::Task(TaskId(1)), Event::ClaimSubmitted(submitted));
    history.push(Stream::Task(TaskId(1)), Event::DerivationAccepted(accepted));
    fold(history.events()).map_err(|error| error.to_string())
}

#[test]
fn a_derivation_is_the_claimed_one_and_rests_on_facts_of_its_own_task() {
    let of = |task: u16| {
        let term = |field: &str| Term { fact: fact(task, 0, "", &[]).id, field: field.into() };
        Derivation::Different { terms: vec![term("value_path"), term("data")] }
    };
    let run = derivation(of(1), of(1)).unwrap();
    let (task, derived) = run.derivations().next().unwrap();
    assert_eq!(task, TaskId(1));
    let resting = run.graph.resting_on(fact_of(1));
    assert!(resting.contains(&NodeId::Derivation(derived.derivation.id)), "{resting:?}");
    assert!(derivation(of(2), of(2)).is_err());
    let other = Derivation::Same { terms: of(1).terms().to_vec() };
    assert!(derivation(of(1), other).is_err());
}

#[test]
fn a_reading_never_becomes_an_absence_nor_an_absence_a_fact() {
    let mut history = history();
    history.claimed(1, 1, 1, reading("configured", &["x"], None));
    let id = AbsenceId::assign(&ids(), TaskId(1), 1).unwrap();
    let absence = Absence::File { near: Vec::new(), name: "x".into(), under: String::new(), evidence: None };
    let entry = AbsenceEntry { id, absence, searches: vec![invocation(1, 0)] };
    let accepted = AbsenceAccepted { claim: claim(1, 1), absence: entry, interpretation: String::new() };
    history.push(Stream::Task(TaskId(1)), Event::AbsenceAccepted(accepted));
    assert!(fold(history.events()).is_err());
}

#[test]
fn a_refused_absence_is_reported_and_corrected_by_a_later_one_of_the_same_thing() {
    let mut history = history();
    history.invoked_as(1, 1, "find_files", |ended| {
        ended.outcome = Outcome::Empty;
        ended.output = None;
    });
    for ordinal in [1, 2] {
        let stated = Claim::Absence(absence_claim());
        let submitted =
            ClaimSubmitted { claim: claim(1, ordinal), turn: 1, call: CallId("c".into()), stated };
        history.push(Stream::Task(TaskId(1)), Event::ClaimSubmitted(submitted));
        match ordinal {
            1 => drop(history.refused(1, 1, RejectionCode::CoverageMissing)),
            _ => {
                let id = AbsenceId::assign(&ids(), TaskId(1), 2).unwrap();
                let absence = absence_claim().absence;
                let entry = AbsenceEntry { id, absence, searches: vec![invocation(1, 1)] };
                let accepted =
                    AbsenceAccepted { claim: claim(1, 2), absence: entry, interpretation: String::new() };
                history.push(Stream::Task(TaskId(1)), Event::AbsenceAccepted(accepted));
            }
        }
    }
    let run = fold(history.events()).unwrap();
    let refused = refused_claims(&run);
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].fate, graph::Fate::Corrected { by: claim(1, 2), tries: 2 });
}

fn absence_claim() -> AbsenceClaim {
    let absence = Absence::File { near: Vec::new(), name: "x".into(), under: String::new(), evidence: None };
    AbsenceClaim { absence, searches: vec![invocation(1, 1).to_string()] }
}

#[test]
fn what_is_ordinary_counts_for_no_hypothesis() {
    let ordinary = fact(1, 1, "Run\\eve", &[("data", "C:\\Users\\eve")]);
    let id = NodeId::Fact(ordinary.id);
    let weighed = |assessment: Assessment, supporting: Vec<NodeId>| {
        let mut history = history();
        history.claimed(1, 1, 1, reading("configured", &["x"], None)).accepted(1, 1, ordinary.clone());
        for event in [proposed(), assessed(assessment, supporting)] {
            history.push(Stream::Task(TaskId(1)), event);
        }
        fold(history.events()).unwrap()
    };
    let run = weighed(Assessment::Supported, vec![fact_of(1), id]);
    let hypothesis = &run.tasks[&TaskId(1)].hypotheses[0];
    let both = standing(&run, hypothesis);
    assert_eq!((both.supporting, both.ordinary), (1, 1));
    assert_eq!(both.supporting_sources, Sources { places: 1, kinds: 1 });
    let (_, reasons) = looked_for(&run, hypothesis);
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    let run = weighed(Assessment::Undecided, vec![id]);
    let alone = standing(&run, &run.tasks[&TaskId(1)].hypotheses[0]);
    assert_eq!((alone.supporting, alone.ordinary, alone.supporting_sources), (0, 1, Sources::default()));
}
