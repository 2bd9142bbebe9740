//! Tests of the sums over audited runs.

use graph::audit::{AuditedRun, By, Counts, NO_TOOL, UNKNOWN_TOOL, audited, grouped, total};
use graph::fold;
use ledger::event::{
    CallRefused, RecoveryBegun, RecoveryEnded, RecoveryTrigger, Refusal, TaskEnded, TaskStatus,
};
use ledger::{
    CallId, Circumstance, Claim, Derivation, Event, Outcome, Reading, RejectionCode, Stream, TaskId,
};
use proptest::prelude::*;
use testkit::history::{History, fact, invocation, reading};

type Logged = Vec<(Stream, Event, Circumstance)>;

fn claim(history: &mut History, task: u16, ordinal: u32, turn: u32, value: &str) {
    let cited = invocation(task, 0).to_string();
    history.claimed(
        task,
        ordinal,
        turn,
        Reading { invocation: cited, ..reading("configured", &[value], Some("r1")) },
    );
}

fn refused_call(tool: &str, refusal: Refusal) -> Event {
    Event::CallRefused(CallRefused {
        turn: 1,
        call: CallId("c".into()),
        tool: tool.into(),
        refusal,
        told: "no".into(),
        lesson: None,
    })
}

/// Builds a log with refusals, a correction, a recovery and a citation of another task's node.
fn history() -> Logged {
    let mut history = History::opened("T");
    history.assigned_with(1, "registry", "sloppy:1", vec![]).assigned_with(2, "timeline", "playbook", vec![]);
    history.asked(1, 1).invoked(1, 0).asked(1, 2).asked(1, 3);
    history.invoked_as(1, 1, "list_hives", |ended| {
        (ended.outcome, ended.output, ended.records) = (Outcome::Failed, None, 0);
    });
    // Turn 2 is wasted; in turn 3 the point is made again and accepted.
    claim(&mut history, 1, 0, 2, "ALDER-08");
    history.refused(1, 0, RejectionCode::ValueAbsent);
    claim(&mut history, 1, 1, 2, "ALDER-O7");
    history.refused(1, 1, RejectionCode::ValueAbsent);
    claim(&mut history, 1, 2, 3, "ALDER-07");
    history.accepted(1, 2, fact(1, 0, "k", &[("data", "ALDER-07")]));
    let task = Stream::Task(TaskId(1));
    history.push(task, refused_call("parse_registry_key", Refusal::OutsideSurface));
    history.push(task, refused_call(r"C:\Users\mara\evil.exe", Refusal::UnknownTool));
    let begun = RecoveryBegun {
        attempt: 1,
        trigger: RecoveryTrigger::ApparentCompletion,
        objective: "o".into(),
        strategy: "s".into(),
        because: None,
        calls: vec![],
    };
    history.push(task, Event::RecoveryBegun(begun.clone()));
    history
        .push(task, Event::RecoveryEnded(RecoveryEnded { attempt: 1, facts: 0, answered: vec!["o".into()] }));
    history.push(task, Event::RecoveryBegun(RecoveryBegun { attempt: 2, ..begun }));
    history.push(task, Event::RecoveryEnded(RecoveryEnded { attempt: 2, facts: 0, answered: vec![] }));
    // The other task cites a call of the first task and derives from its fact.
    history.asked(2, 1).invoked(2, 0);
    let foreign = Reading { invocation: invocation(1, 0).to_string(), ..reading("configured", &["x"], None) };
    history.claimed(2, 0, 1, foreign);
    history.refused(2, 0, RejectionCode::ForeignInvocation);
    let mut of_fact = fact(1, 0, "k", &[("data", "ALDER-07")]);
    derives(&mut history, 1, &of_fact);
    of_fact = fact(2, 9, "k", &[("data", "ALDER-07")]);
    derives(&mut history, 2, &of_fact);
    for (task, facts, rejections, turns) in [(1, 1, 2, 3), (2, 0, 3, 1)] {
        let ended = TaskEnded {
            status: TaskStatus::Completed,
            spent: None,
            objectives: vec![],
            own: vec![],
            turns,
            facts,
            rejections,
        };
        history.ended(task, ended);
    }
    timed(history.events())
}

/// Lets task 2 derive from a fact that it did not record, and be refused.
fn derives(history: &mut History, ordinal: u32, fact: &ledger::FactEntry) {
    let term = ledger::Term { fact: fact.id, field: "data".into() };
    let stated = Claim::Derivation(Derivation::Same { terms: vec![term.clone(), term] });
    history.push(
        Stream::Task(TaskId(2)),
        Event::ClaimSubmitted(ledger::event::ClaimSubmitted {
            claim: testkit::history::claim(2, ordinal),
            turn: 1,
            call: CallId("c".into()),
            stated,
        }),
    );
    history.refused(2, ordinal, RejectionCode::UnknownFact);
}

/// Adds a time to each event, one second apart.
fn timed(mut events: Logged) -> Logged {
    for (second, (_, _, circumstance)) in events.iter_mut().enumerate() {
        circumstance.at = format!("2026-01-01T00:00:{second:02}.500Z");
    }
    events
}

fn run() -> AuditedRun {
    audited(&fold(history()).unwrap())
}

#[test]
fn a_run_is_counted_by_agent_tool_and_code() {
    let run = run();
    assert_eq!(run.begun, "2026-01-01T00:00:00.500Z");
    assert!(!run.sealed);
    let by_agent = grouped([&run], By::Agent);
    let one = &by_agent["registry"].counts;
    assert_eq!((one.tasks, one.turns, one.lost_turns, one.calls, one.failed), (1, 3, 1, 2, 1));
    assert_eq!((one.claims, one.refused, one.facts, one.abandoned), (3, 2, 1, 0));
    assert_eq!(one.corrected.iter().map(|it| (*it.0, *it.1)).collect::<Vec<_>>(), [(2, 1), (3, 1)]);
    assert_eq!((one.tries(), one.corrections()), (5, 2));
    assert_eq!((one.calls_refused, one.outside, one.foreign, one.boundary()), (2, 1, 0, 1));
    assert_eq!((one.recoveries, one.helped), (2, 1));
    let other = &by_agent["timeline"].counts;
    assert_eq!((other.claims, other.refused, other.abandoned), (3, 3, 3));
    assert_eq!(other.foreign, 2, "a call and a fact of another task; the third id is nobody's");
    let by_tool = grouped([&run], By::Tool);
    let tool = |name: &str| &by_tool[name].counts;
    assert_eq!((tool("parse_registry_key").calls, tool("parse_registry_key").claims), (2, 4));
    assert_eq!((tool("list_hives").failed, tool(NO_TOOL).claims), (1, 2));
    let by_code = grouped([&run], By::Code);
    assert_eq!((by_code["value_absent"].counts.refused, by_code["value_absent"].counts.lost_turns), (2, 1));
    assert_eq!(by_code["outside_surface"].counts.calls_refused, 1);
    assert_eq!(by_code["unknown_fact"].counts.foreign, 1);
}

#[test]
fn a_name_that_is_no_tool_is_not_shown() {
    let run = run();
    let text = serde_json::to_string(&run).unwrap();
    assert!(!text.contains("evil") && !text.contains("ALDER"), "{text}");
    assert_eq!(grouped([&run], By::Tool)[UNKNOWN_TOOL].counts.calls_refused, 2, "this log lists no tools");
}

#[test]
fn a_task_takes_the_time_from_its_assignment_to_its_end() {
    let events = history();
    let last = events.len() as u64 - 1;
    let run = audited(&fold(events).unwrap());
    // The tasks were assigned in seconds 1 and 2 and ended in the last two.
    let took: Vec<_> = run.tasks.iter().map(|task| (task.counts.timed, task.counts.microseconds)).collect();
    assert_eq!(took, [(1, (last - 1 - 1) * 1_000_000), (1, (last - 2) * 1_000_000)]);
    let untimed = history().into_iter().map(|(stream, event, _)| (stream, event, Circumstance::default()));
    let run = audited(&fold(untimed).unwrap());
    assert_eq!(run.counts().timed, 0);
}

#[test]
fn what_is_counted_of_a_run_reads_as_it_was_written() {
    let run = run();
    let text = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<AuditedRun>(&text).unwrap(), run);
}

/// Generates random runs of two agents and two tools.
fn runs() -> impl Strategy<Value = Vec<AuditedRun>> {
    let number = 0_u64..50;
    let counts =
        (number.clone(), number.clone(), number, proptest::collection::btree_map(2_u32..5, 1_u64..9, 0..3));
    let counts = counts.prop_map(|(claims, calls, input, corrected)| Counts {
        tasks: 1,
        claims,
        calls,
        input,
        corrected,
        ..Counts::default()
    });
    let task = (0..2_usize, 0..2_usize, counts).prop_map(|(agent, tool, counts)| {
        let mut task = run().tasks.remove(0);
        task.agent = ["registry", "timeline"][agent].to_owned();
        task.model = ["playbook", "sloppy"][tool].to_owned();
        task.tools = [(["a", "b"][tool].to_owned(), counts.clone())].into();
        task.codes = task.tools.clone();
        task.counts = counts;
        task
    });
    let one = proptest::collection::vec(task, 0..4).prop_map(|tasks| AuditedRun { tasks, ..run() });
    proptest::collection::vec(one, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_way_to_group_adds_up_to_the_same(runs in runs()) {
        let all = total(&runs).counts;
        for by in [By::Agent, By::Model, By::Tool, By::Code] {
            let mut sum = Counts::default();
            grouped(&runs, by).values().for_each(|group| sum.add(&group.counts));
            prop_assert_eq!(&sum, &all);
        }
    }

    #[test]
    fn the_order_of_runs_changes_no_sum(runs in runs()) {
        let reversed: Vec<_> = runs.iter().rev().collect();
        prop_assert_eq!(total(&runs), total(reversed.clone()));
        prop_assert_eq!(grouped(&runs, By::Agent), grouped(reversed, By::Agent));
    }
}
