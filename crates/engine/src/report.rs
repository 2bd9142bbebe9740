//! What a task that has ended hands over: folded from its log, and reported to the task that assigned it.

use crate::notebook::Notebook;
use crate::shelf::{bounded, within};
use graph::fact_title_as_told;
use ledger::event::{
    InvocationEnded, InvocationStarted, ObjectiveResult, TaskAssigned, TaskStatus, WithoutFact,
};
use ledger::turn::{Listed, NodeView};
use ledger::{
    AgentSpec, Artifact, CallMade, ClockListing, Digest, Event, FactEntry, FactView, Handed, InvocationId,
    NodeId, Output, Record, ReportedObjective, TaskReport, canonical,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// The most entries of each kind in a report.
const MOST_FOUND: usize = 40;
const MOST_FACTS: usize = 80;
const MOST_CALLS: usize = 30;
const MOST_REFUSED: usize = 20;
/// The most characters of a title in a report.
const TITLE: usize = 600;
/// The most characters of a record in a report.
const RECORD: usize = 240;
/// The most lines of each kind that later tasks are shown.
const SOME_FACTS: usize = 60;
const SOME_CALLS: usize = 40;

/// Returns what a task hands over, from its events; `output` finds what its calls returned.
///
/// `None` if it has not ended.
pub fn handed(
    assigned: &TaskAssigned,
    events: &[Event],
    output: impl Fn(&Digest) -> Option<Arc<Output>>,
) -> Option<Handed> {
    let ended = events.iter().rev().find_map(|event| match event {
        Event::TaskEnded(ended) => Some(ended),
        _ => None,
    })?;
    let (mut notebook, mut facts) = (Notebook::default(), Vec::new());
    let mut handed = Handed {
        task: assigned.task,
        agent: assigned.agent.clone(),
        status: ended.status,
        objectives: ended.objectives.clone(),
        facts: Vec::new(),
        absences: Vec::new(),
        derivations: Vec::new(),
        entities: Vec::new(),
        nodes: Vec::new(),
        artifacts: Vec::new(),
        calls: Vec::new(),
        clocks: Vec::new(),
        refused: Vec::new(),
        recoveries: Vec::new(),
    };
    let mut started: BTreeMap<InvocationId, &InvocationStarted> = BTreeMap::new();
    for event in events {
        notebook.take(event);
        match event {
            Event::ClaimAccepted(accepted) => facts.push(accepted.fact.clone()),
            Event::ClaimRejected(rejected) => {
                let rejection = &rejected.rejection;
                handed.refused.push(bounded(&format!("{}: {}", rejection.code, rejection.reason)));
            }
            Event::ArtifactStored(stored) => handed.artifacts.push(Artifact {
                artifact: stored.artifact,
                kind: stored.kind,
                summary: stored.summary.clone(),
                content: stored.content.as_str().into(),
            }),
            Event::InvocationStarted(it) => drop(started.insert(it.invocation, it)),
            Event::InvocationEnded(ended) => {
                let Some(started) = started.get(&ended.invocation) else { continue };
                let returned = ended.output.as_ref().and_then(&output);
                handed.clocks.extend(ClockListing::of(started, ended, returned.as_deref()));
                handed.calls.push(made(started, ended, returned.as_deref()));
            }
            Event::RecoveryBegun(begun) => handed.recoveries.push((begun.clone(), None)),
            Event::RecoveryEnded(ended) => {
                if let Some((_, end)) = handed.recoveries.last_mut() {
                    *end = Some(ended.clone());
                }
            }
            _ => {}
        }
    }
    handed.nodes = notebook.views(&facts, &[]).collect();
    handed.absences = notebook.absences.iter().map(|(entry, _)| entry.clone()).collect();
    handed.derivations = notebook.derivations.iter().map(|(entry, _)| entry.clone()).collect();
    handed.entities = notebook.entities;
    handed.facts = facts;
    Some(handed)
}

fn made(started: &InvocationStarted, ended: &InvocationEnded, output: Option<&Output>) -> CallMade {
    let records = output.map(Output::records).unwrap_or_default();
    let line = |record: Option<&Record>| record.map(told).unwrap_or_default();
    CallMade {
        invocation: started.invocation,
        tool: started.tool.clone(),
        arguments: bounded(&canonical::to_string(&started.arguments).unwrap_or_default()),
        outcome: ended.outcome,
        records: ended.records,
        head: line(records.first()),
        tail: line(records.last().filter(|_| records.len() > 1)),
        gaps: ended
            .gaps
            .iter()
            .map(|gap| bounded(&format!("{}: {}", gap.path, gap.reason)))
            .take(5)
            .collect(),
    }
}

/// Writes a record in one line.
fn told(record: &Record) -> String {
    let values = record.fields.iter().map(|(name, field)| format!("{name} = {}", field.value.to_text()));
    within(&format!("{}: {}", record.kind, values.collect::<Vec<_>>().join(", ")), RECORD)
}

/// Checks whether a task ended in a way that answers nothing by itself.
pub(crate) const fn failed(status: TaskStatus) -> bool {
    match status {
        TaskStatus::Completed | TaskStatus::Incomplete => false,
        TaskStatus::BudgetSpent | TaskStatus::ModelFailed | TaskStatus::Cancelled => true,
    }
}

/// Checks whether each objective of a task is answered, whatever an agent says about the whole.
pub(crate) fn accepted(handed: &Handed) -> bool {
    !failed(handed.status) && !handed.objectives.iter().any(ObjectiveResult::is_unmet)
}

/// Makes the report for the task that assigned it.
pub(crate) fn report(handed: &Handed, sequence: u32) -> TaskReport {
    let answering = answering(handed);
    let is_found = |node: &&NodeView| {
        matches!(
            node.id,
            NodeId::Phenomenon(_) | NodeId::Absence(_) | NodeId::Derivation(_) | NodeId::Hypothesis(_)
        )
    };
    let answers = |node: &&NodeView| {
        node.nodes.iter().any(|id| matches!(id, NodeId::Fact(fact) if answering.contains(fact)))
    };
    let (first, rest): (Vec<_>, Vec<_>) = handed.nodes.iter().filter(is_found).partition(answers);
    let facts = handed.facts.iter().filter(|fact| answering.contains(&fact.id)).map(fact);
    TaskReport {
        task: handed.task,
        agent: handed.agent.name.clone(),
        sequence,
        status: handed.status,
        accepted: accepted(handed),
        objectives: objectives(&handed.agent, &handed.objectives),
        found: listed(first.into_iter().chain(rest).cloned().collect(), MOST_FOUND),
        facts: listed(facts.collect(), MOST_FACTS),
        artifacts: handed.artifacts.iter().map(Artifact::head).collect(),
        calls: latest(handed.calls.clone(), MOST_CALLS),
        refused: latest(handed.refused.clone(), MOST_REFUSED),
        recoveries: recoveries(handed),
        all: handed.facts.iter().map(fact).collect(),
    }
}

fn fact(fact: &FactEntry) -> FactView {
    let subject = ("subject".to_owned(), fact.subject.value.to_text().into_owned());
    let values = fact.values.iter().map(|bound| (bound.field.clone(), bound.value.to_text().into_owned()));
    FactView {
        id: fact.id,
        title: within(&fact_title_as_told(fact), TITLE),
        values: std::iter::once(subject).chain(values).collect(),
    }
}

fn answering(handed: &Handed) -> BTreeSet<ledger::FactId> {
    handed.objectives.iter().flat_map(|result| result.facts.iter().copied()).collect()
}

fn objectives(agent: &AgentSpec, results: &[ObjectiveResult]) -> Vec<ReportedObjective> {
    let one = |result: &ObjectiveResult| {
        let question = agent.objectives.iter().find(|objective| objective.id == result.id);
        let needed = match &result.without {
            Some(WithoutFact::NotDeterminable { needed }) => needed.clone(),
            Some(WithoutFact::Partly { missing, .. }) => missing.clone(),
            Some(
                WithoutFact::Empty { .. }
                | WithoutFact::Unmet
                | WithoutFact::Seen { .. }
                | WithoutFact::NotAsked,
            )
            | None => Vec::new(),
        };
        let facts = result.facts.iter().copied().map(NodeId::Fact);
        let searches = match &result.without {
            Some(WithoutFact::Empty { searches: calls, .. } | WithoutFact::Partly { calls, .. }) => {
                calls.iter().copied().map(NodeId::Invocation).collect()
            }
            Some(WithoutFact::Seen { records, .. }) => {
                let calls: BTreeSet<_> = records.iter().map(|seen| seen.invocation).collect();
                calls.into_iter().map(NodeId::Invocation).collect()
            }
            Some(WithoutFact::NotDeterminable { .. } | WithoutFact::Unmet | WithoutFact::NotAsked) | None => {
                Vec::new()
            }
        };
        ReportedObjective {
            id: result.id.clone(),
            question: question.map(|objective| objective.question.clone()).unwrap_or_default(),
            answer: result.answer(),
            by: facts.chain(searches).take(MOST_FACTS).collect(),
            needed,
            all: result.facts.clone(),
        }
    };
    results.iter().map(one).collect()
}

fn recoveries(handed: &Handed) -> Vec<String> {
    let one = |(begun, ended): &(ledger::event::RecoveryBegun, Option<ledger::event::RecoveryEnded>)| {
        let effect = match ended {
            None => "not ended".to_owned(),
            Some(ended) => format!("{} facts, answered {}", ended.facts, ended.answered.join(", ")),
        };
        format!(
            "recovery:attempt={} {} for {} ({}): {effect}",
            begun.attempt,
            begun.strategy,
            begun.objective,
            begun.trigger.name()
        )
    };
    handed.recoveries.iter().map(one).collect()
}

fn listed<T>(mut all: Vec<T>, most: usize) -> Listed<T> {
    let left_out = all.len().saturating_sub(most) as u32;
    all.truncate(most);
    Listed { shown: all, left_out }
}

/// Returns the latest entries of a list.
fn latest<T>(mut all: Vec<T>, most: usize) -> Listed<T> {
    let left_out = all.len().saturating_sub(most);
    Listed { shown: all.split_off(left_out), left_out: left_out as u32 }
}

/// Describes a task's results for later tasks: objectives, facts with their ids, calls that need not be repeated.
pub(crate) fn report_text(handed: &Handed) -> String {
    let mut text = format!("What {} ({}) came to.\nObjectives:\n", handed.task, handed.agent.name);
    for objective in objectives(&handed.agent, &handed.objectives) {
        let _ = writeln!(text, "- {} ({}): {}", objective.id, objective.answer, objective.question);
    }
    let answering = answering(handed);
    let title = |fact: &&FactEntry| handed.nodes.iter().find(|node| node.id == NodeId::Fact(fact.id));
    let (first, rest): (Vec<_>, Vec<_>) = handed.facts.iter().partition(|fact| answering.contains(&fact.id));
    let facts: Vec<_> = first.iter().chain(&rest).filter_map(title).collect();
    let _ = writeln!(text, "Facts ({}), to be stated by derivation over their ids:", facts.len());
    for node in facts.iter().take(SOME_FACTS) {
        let _ = writeln!(text, "- {}: {}", node.id, within(&node.title, RECORD));
    }
    for artifact in &handed.artifacts {
        let _ = writeln!(
            text,
            "Stored as {} ({}): {}",
            artifact.artifact,
            artifact.kind.name(),
            artifact.summary
        );
    }
    let _ = writeln!(text, "Calls ({}), which need not be made again:", handed.calls.len());
    for call in handed.calls.iter().take(SOME_CALLS) {
        let outcome = canonical::to_string(&call.outcome).unwrap_or_default();
        let _ = writeln!(
            text,
            "- {} {}: {}, {} records",
            call.tool,
            call.arguments,
            outcome.trim_matches('"'),
            call.records
        );
    }
    text
}
