//! Tests of the comparison of two runs: what counts as the same, and how the rest is reported.

use graph::{Changes, Diff, Run, Setup, Told, diff, fact_title, fold};
use ledger::event::{
    EntityAdded, HypothesisAssessed, HypothesisProposed, ObjectiveResult, RelationAdded, TaskEnded,
    TaskStatus,
};
use ledger::{
    Assessment, Digest, EntityId, EntityKind, Event, FactEntry, HypothesisId, NodeId, Objective, Reading,
    RejectionCode, RelationId, RelationKind, Seed, Stream, TaskId,
};
use proptest::prelude::*;
use proptest::sample::Index;
use testkit::history::{History, fact, ids, invocation, reading};

/// A plan of what the tasks of a run record, without ids.
#[derive(Debug, Clone)]
struct Plan {
    tasks: Vec<TaskPlan>,
}

#[derive(Debug, Clone)]
struct TaskPlan {
    agent: usize,
    /// The subject and value of each fact.
    facts: Vec<(usize, usize)>,
    /// The facts that each phenomenon carries; here and below, indexes wrap around.
    phenomena: Vec<Vec<usize>>,
    /// The value and code of each refused claim.
    refused: Vec<(usize, bool)>,
    /// The name, and the fact that names it.
    entities: Vec<(usize, usize)>,
    /// The statement, the last assessment, and the fact that it is based on.
    hypotheses: Vec<(usize, bool, usize)>,
}

/// The choice of ids for a run built from a plan.
#[derive(Debug, Clone)]
struct Labels {
    /// The number of each task.
    tasks: Vec<u16>,
    /// The first ordinal.
    first: u32,
    seed: &'static [u8],
}

const PLAIN: Labels = Labels { tasks: Vec::new(), first: 0, seed: b"history" };

const SUBJECTS: [&str; 4] = ["Run\\a", "Run\\b", "Select", "Lsa"];
const WORDS: [&str; 3] = ["one", "two", "three"];

fn build(plan: &Plan, labels: &Labels) -> Run {
    let mut history = History::opened("T");
    let number = |place: usize| labels.tasks.get(place).copied().unwrap_or(place as u16 + 1);
    let mut places: Vec<usize> = (0..plan.tasks.len()).collect();
    places.sort_by_key(|place| number(*place));
    for place in places {
        record(&mut history, &plan.tasks[place], number(place), labels.first);
    }
    let mut events = history.events();
    if let Some((_, Event::RunOpened(opened), _)) = events.first_mut() {
        opened.seed = Seed(Digest::of(labels.seed));
    }
    fold(events).unwrap()
}

fn record(history: &mut History, plan: &TaskPlan, task: u16, first: u32) {
    let stream = Stream::Task(TaskId(task));
    history.assigned(task, WORDS[plan.agent]).asked(task, 1);
    // A fact is based on its task's first invocation, whatever else was called.
    for ordinal in 0..=first {
        history.invoked(task, ordinal);
    }
    let facts: Vec<FactEntry> = (first..)
        .zip(&plan.facts)
        .map(|(ordinal, (subject, value))| {
            fact(task, ordinal, SUBJECTS[*subject], &[("data", WORDS[*value])])
        })
        .collect();
    for (ordinal, fact) in (first..).zip(&facts) {
        history.claimed(task, ordinal, 1, reading("configured", &["x"], None));
        history.accepted(task, ordinal, fact.clone());
    }
    let claims = first + facts.len() as u32;
    for (ordinal, (value, weak)) in (claims..).zip(&plan.refused) {
        let cited = invocation(task, first).to_string();
        let claimed = Reading { invocation: cited, ..reading("configured", &[WORDS[*value]], Some("r0")) };
        history.claimed(task, ordinal, 1, claimed);
        let code = if *weak { RejectionCode::TooWeak } else { RejectionCode::ValueAbsent };
        history.refused(task, ordinal, code);
    }
    if facts.is_empty() {
        return;
    }
    let id = |at: usize| facts[at % facts.len()].id;
    for (ordinal, carried) in (first..).zip(&plan.phenomena) {
        let carried: Vec<_> = carried.iter().map(|at| id(*at)).collect();
        history.phenomenon(task, ordinal, &carried, "an agent's words");
    }
    for (ordinal, (name, at)) in (first..).zip(&plan.entities) {
        let entity = EntityId::assign(&ids(), TaskId(task), ordinal).unwrap();
        let facts = vec![id(*at)];
        let added = EntityAdded { entity, kind: EntityKind::Account, name: WORDS[*name].into(), facts };
        history.push(stream, Event::EntityAdded(added));
    }
    for (ordinal, (statement, supported, at)) in (first..).zip(&plan.hypotheses) {
        let hypothesis = HypothesisId::assign(&ids(), TaskId(task), ordinal).unwrap();
        let statement = WORDS[*statement].to_owned();
        history.push(stream, Event::HypothesisProposed(HypothesisProposed { hypothesis, statement }));
        let speaks = vec![NodeId::Fact(id(*at))];
        let (assessment, supporting, contradicting) = match supported {
            true => (Assessment::Supported, speaks, vec![]),
            false => (Assessment::Contradicted, vec![], speaks),
        };
        let reason = String::new();
        let assessed = HypothesisAssessed { hypothesis, assessment, supporting, contradicting, reason };
        history.push(stream, Event::HypothesisAssessed(assessed));
    }
}

fn task_plan() -> impl Strategy<Value = TaskPlan> {
    use proptest::collection::vec;
    (
        0..2usize,
        vec((0..4usize, 0..3usize), 0..6),
        vec(vec(0..6usize, 1..4), 0..4),
        vec((0..3usize, any::<bool>()), 0..3),
        vec((0..3usize, 0..6usize), 0..3),
        vec((0..2usize, any::<bool>(), 0..6usize), 0..3),
    )
        .prop_map(|(agent, facts, phenomena, refused, entities, hypotheses)| TaskPlan {
            agent,
            facts,
            phenomena,
            refused,
            entities,
            hypotheses,
        })
}

fn plan() -> impl Strategy<Value = Plan> {
    proptest::collection::vec(task_plan(), 0..4).prop_map(|tasks| Plan { tasks })
}

/// Returns everything that a diff says about the first run alone, the second alone, and both, each in its own order.
fn told(diff: &Diff<'_>) -> (Vec<String>, Vec<String>, Vec<(String, String)>) {
    let (mut removed, mut added, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    fn both<T: std::fmt::Debug>(changes: &Changes<T>, removed: &mut Vec<String>, added: &mut Vec<String>) {
        removed.extend(changes.removed.iter().map(|it| format!("{it:?}")));
        added.extend(changes.added.iter().map(|it| format!("{it:?}")));
    }
    both(&diff.facts, &mut removed, &mut added);
    both(&diff.phenomena, &mut removed, &mut added);
    both(&diff.entities, &mut removed, &mut added);
    both(&diff.hypotheses, &mut removed, &mut added);
    both(&diff.rejections, &mut removed, &mut added);
    for it in &diff.changed_phenomena {
        changed.push((format!("{:?} {:?}", it.before, it.removed), format!("{:?} {:?}", it.after, it.added)));
    }
    changed.extend(diff.changed_facts.iter().map(|(a, b)| (format!("{a:?}"), format!("{b:?}"))));
    changed.extend(diff.changed_hypotheses.iter().map(|(a, b)| (format!("{a:?}"), format!("{b:?}"))));
    let in_both = [diff.facts.both, diff.phenomena.both, diff.entities.both, diff.hypotheses.both];
    changed.push((format!("{in_both:?}"), format!("{in_both:?}")));
    removed.push(format!("{:?}", diff.effort[0]));
    added.push(format!("{:?}", diff.effort[1]));
    changed.sort();
    (removed, added, changed)
}

fn assert_nothing_differs(diff: &Diff<'_>) {
    assert!(diff.recorded_the_same() && diff.rejections.is_empty(), "{diff:#?}");
    assert!(diff.setup.is_empty() && diff.tasks.is_empty(), "{diff:#?}");
}

proptest! {
    #[test]
    fn a_run_is_the_same_as_itself(plan in plan()) {
        let run = build(&plan, &PLAIN);
        let diff = diff(&run, &run);
        assert_nothing_differs(&diff);
        prop_assert_eq!(diff.facts.both, run.facts().count());
        prop_assert_eq!(diff.effort[0], diff.effort[1]);
    }

    #[test]
    fn turning_two_runs_round_turns_the_diff_round(one in plan(), other in plan()) {
        let (one, other) = (build(&one, &PLAIN), build(&other, &PLAIN));
        let (removed, added, changed) = told(&diff(&one, &other));
        let (added_again, removed_again, turned) = told(&diff(&other, &one));
        prop_assert_eq!((removed, added), (removed_again, added_again));
        let mut turned: Vec<_> = turned.into_iter().map(|(a, b)| (b, a)).collect();
        turned.sort();
        prop_assert_eq!(changed, turned);
    }

    #[test]
    fn ids_seeds_and_the_order_of_tasks_make_no_difference(plan in plan(), turn in any::<Index>()) {
        let mut tasks: Vec<u16> = (1..=plan.tasks.len() as u16).rev().collect();
        if !tasks.is_empty() {
            let by = turn.index(tasks.len());
            tasks.rotate_left(by);
        }
        let relabelled = Labels { tasks, first: 5, seed: b"another" };
        let (run, other) = (build(&plan, &PLAIN), build(&plan, &relabelled));
        let diff = diff(&run, &other);
        assert_nothing_differs(&diff);
        prop_assert_eq!(diff.facts.by_another_agent, 0);
    }

    #[test]
    fn a_fact_that_is_gone_is_told_and_nothing_else(mut plan in plan(), which in any::<Index>()) {
        for task in &mut plan.tasks {
            (task.phenomena, task.entities, task.hypotheses) = (vec![], vec![], vec![]);
        }
        let whole = build(&plan, &PLAIN);
        let full: Vec<usize> = (0..plan.tasks.len()).filter(|at| !plan.tasks[*at].facts.is_empty()).collect();
        prop_assume!(!full.is_empty());
        let task = &mut plan.tasks[*which.get(&full)];
        let at = which.index(task.facts.len());
        let (subject, value) = task.facts.remove(at);
        let less = build(&plan, &PLAIN);
        let diff = diff(&whole, &less);
        prop_assert!(diff.facts.added.is_empty() && diff.changed_facts.is_empty());
        let titles: Vec<_> = diff.facts.removed.iter().map(|it| fact_title(it.what)).collect();
        prop_assert_eq!(titles, [format!("configured {}: data = {}", SUBJECTS[subject], WORDS[value])]);
        prop_assert!(diff.phenomena.is_empty() && diff.rejections.is_empty() && diff.setup.is_empty());
    }
}

fn one_task(agent: usize, facts: &[(usize, usize)], carried: &[&[usize]]) -> Plan {
    let phenomena = carried.iter().map(|of| of.to_vec()).collect();
    let task = TaskPlan {
        agent,
        facts: facts.to_vec(),
        phenomena,
        refused: vec![],
        entities: vec![],
        hypotheses: vec![],
    };
    Plan { tasks: vec![task] }
}

#[test]
fn a_phenomenon_that_carries_other_facts_is_changed_and_neither_gone_nor_new() {
    let (a, b, c, d) = ((0, 0), (1, 0), (2, 0), (3, 0));
    let before = build(&one_task(0, &[a, b, c, d], &[&[0, 1, 2], &[3]]), &PLAIN);
    // Two phenomena share facts with the first one; the second of them shares more.
    let after = build(&one_task(0, &[a, b, c, d], &[&[0], &[3, 1, 2], &[3]]), &PLAIN);
    let diff = diff(&before, &after);
    assert!(diff.facts.is_empty());
    assert_eq!((diff.phenomena.both, diff.phenomena.removed.len(), diff.phenomena.added.len()), (1, 0, 1));
    let [changed] = &diff.changed_phenomena[..] else { panic!("{diff:#?}") };
    let subjects = |facts: &[&FactEntry]| {
        facts.iter().map(|it| it.subject.value.to_text().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(changed.kept, 2);
    assert_eq!(
        (subjects(&changed.removed), subjects(&changed.added)),
        (vec!["Run\\a".into()], vec!["Lsa".into()])
    );
    assert!(!diff.recorded_the_same());
}

#[test]
fn what_is_said_twice_is_there_twice_whoever_says_it() {
    let once = build(&one_task(0, &[(0, 0)], &[]), &PLAIN);
    let twice = build(&one_task(0, &[(0, 0), (0, 0)], &[]), &PLAIN);
    let other = build(&one_task(1, &[(0, 0)], &[]), &PLAIN);
    let more = diff(&once, &twice);
    assert_eq!((more.facts.both, more.facts.added.len(), more.facts.removed.len()), (1, 1, 0));
    let moved = diff(&once, &other);
    assert!(moved.facts.is_empty());
    assert_eq!((moved.facts.both, moved.facts.by_another_agent), (1, 1));
    assert_eq!(moved.setup.iter().copied().collect::<Vec<_>>(), [Setup::Agents, Setup::Models]);
    let agents: Vec<_> =
        moved.tasks.iter().map(|it| (it.agent, it.before.is_some(), it.after.is_some())).collect();
    assert_eq!(agents, [("one", true, false), ("two", false, true)]);
}

#[test]
fn a_fact_of_another_place_is_another_one_with_other_values_a_changed_one_and_of_another_record_the_same() {
    let run = |change: &dyn Fn(&mut FactEntry)| {
        let mut history = History::opened("T");
        let mut stated = fact(1, 0, "Select", &[("data", "one")]);
        change(&mut stated);
        history.assigned(1, "one").asked(1, 1).invoked(1, 0);
        history.claimed(1, 0, 1, reading("configured", &["x"], None)).accepted(1, 0, stated);
        fold(history.events()).unwrap()
    };
    let plain = run(&|_| {});
    let other_record = run(&|fact| fact.record = ledger::RecordId(7));
    assert!(diff(&plain, &other_record).facts.is_empty());
    for (what, other) in [
        ("place", run(&|fact| fact.locator.path = "SOFTWARE".into())),
        ("record type", run(&|fact| fact.kind = "registry_key".into())),
        ("predicate", run(&|fact| fact.predicate = ledger::Predicate("present".into()))),
    ] {
        let diff = diff(&plain, &other);
        assert_eq!((diff.facts.removed.len(), diff.facts.added.len()), (1, 1), "another {what}");
        assert!(diff.changed_facts.is_empty());
    }
    for (what, other) in [
        ("field", run(&|fact| fact.values[0].field = "text".into())),
        ("type", run(&|fact| fact.values[0].value = ledger::FieldValue::Name("one".into()))),
        ("quotation", run(&|fact| fact.values[0].quotation = Some("one".into()))),
        ("number of values", run(&|fact| fact.values.push(fact.values[0].clone()))),
    ] {
        let diff = diff(&plain, &other);
        assert!(diff.facts.is_empty() && !diff.recorded_the_same(), "another {what}");
        assert_eq!(diff.changed_facts.len(), 1, "another {what}");
    }
}

#[test]
fn a_hypothesis_on_which_the_last_word_changed_is_changed() {
    let with = |supported| {
        let mut plan = one_task(0, &[(0, 0)], &[]);
        plan.tasks[0].hypotheses = vec![(0, supported, 0)];
        build(&plan, &PLAIN)
    };
    let (before, after) = (with(true), with(false));
    let diff = diff(&before, &after);
    assert!(diff.hypotheses.is_empty());
    let word = |told: &Told<'_, graph::HypothesisView>| told.what.assessments[0].assessment;
    let [(old, new)] = &diff.changed_hypotheses[..] else { panic!("{diff:#?}") };
    assert_eq!((word(old), word(new)), (Assessment::Supported, Assessment::Contradicted));
}

#[test]
fn relations_are_compared_by_what_they_join() {
    let joined = |first: u32, kind| {
        let mut history = History::opened("T");
        history.assigned(1, "one").asked(1, 1).invoked(1, 0);
        history.claimed(1, first, 1, reading("configured", &["x"], None));
        history.accepted(1, first, fact(1, first, "Select", &[("data", "one")]));
        let fact = fact(1, first, "", &[]).id;
        let entity = EntityId::assign(&ids(), TaskId(1), first).unwrap();
        let name = "Eve".to_owned();
        let added = EntityAdded { entity, kind: EntityKind::Account, name, facts: vec![fact] };
        history.push(Stream::Task(TaskId(1)), Event::EntityAdded(added));
        let relation = RelationId::assign(&ids(), TaskId(1), first).unwrap();
        let (from, to) = (NodeId::Entity(entity), NodeId::Fact(fact));
        let added = RelationAdded { relation, from, kind, to, facts: vec![fact] };
        history.push(Stream::Task(TaskId(1)), Event::RelationAdded(added));
        fold(history.events()).unwrap()
    };
    let (one, same) = (joined(0, RelationKind::Used), joined(3, RelationKind::Used));
    assert_nothing_differs(&diff(&one, &same));
    let other = joined(0, *RelationKind::ALL.iter().find(|kind| **kind != RelationKind::Used).unwrap());
    let diff = diff(&one, &other);
    assert_eq!((diff.relations.removed.len(), diff.relations.added.len()), (1, 1));
    assert!(diff.entities.is_empty() && diff.facts.is_empty());
}

#[test]
fn a_task_that_ended_otherwise_is_told_with_the_objectives_that_are_met_in_one_run_only() {
    let objective: Objective = {
        let condition = ledger::Condition {
            predicate: ledger::Predicate("configured".into()),
            record: "registry_value".into(),
            subject: "*".into(),
            field: "data".into(),
            value: None,
            unless: None,
            earlier: None,
        };
        let (id, question) = ("computer-name".into(), "What is its name?".into());
        Objective {
            id,
            question,
            applies: None,
            weight: ledger::Weight::Activity,
            searched: Vec::new(),
            or: Vec::new(),
            condition,
        }
    };
    let run = |found: bool| {
        let mut history = History::opened("T");
        history.assigned_with(1, "one", "scripted", vec![objective.clone()]).asked(1, 1).invoked(1, 0);
        let stated = fact(1, 0, "Select", &[("data", "one")]);
        let facts = if found { vec![stated.id] } else { vec![] };
        if found {
            history.claimed(1, 0, 1, reading("configured", &["x"], None)).accepted(1, 0, stated);
        }
        let status = if found { TaskStatus::Completed } else { TaskStatus::Incomplete };
        let objectives =
            vec![ObjectiveResult { id: "computer-name".into(), facts, watched: false, without: None }];
        let ended = TaskEnded {
            status,
            spent: None,
            objectives,
            own: vec![],
            turns: 1,
            facts: found.into(),
            rejections: 0,
        };
        history.ended(1, ended);
        fold(history.events()).unwrap()
    };
    let (found, missed) = (run(true), run(false));
    let diff = diff(&found, &missed);
    let [task] = &diff.tasks[..] else { panic!("{diff:#?}") };
    let objectives: Vec<_> = task.objectives.iter().map(|it| (it.id, it.before, it.after)).collect();
    assert_eq!(objectives, [("computer-name", Some(1), Some(0))]);
}
