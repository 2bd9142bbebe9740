//! One run, reduced to what an audit counts.

use super::Counts;
use crate::questions::questions;
use crate::rejections::{Fate, refused_claims};
use crate::run::{ClaimView, InvocationView, Judged, Run, TaskView};
use crate::tally::{Kind, lost_turns};
use ledger::canonical;
use ledger::event::{CallRefused, Refusal};
use ledger::{Claim, ClaimId, Digest, NodeId, Outcome, RejectionCode, TaskId, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Replaces a tool name that does not exist: it is a model's own text.
pub const UNKNOWN_TOOL: &str = "(no such tool)";

/// Replaces the tool name if a claim cites no known call.
pub const NO_TOOL: &str = "(none)";

/// A run in the form that an audit counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditedRun {
    /// Its name from its log; empty if the log has none.
    pub run: String,
    /// The name of its case.
    pub case: String,
    /// When it began, as recorded.
    pub begun: String,
    /// Whether its log ends with a seal.
    pub sealed: bool,
    /// The versions that it was made with.
    pub made: Made,
    /// Its tasks in order.
    pub tasks: Vec<AuditedTask>,
    /// The number of questions of the case that no task was assigned, and how many of these are open.
    pub unassigned: (u64, u64),
}

/// The versions that a run was made with, from its first event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The version of Locard.
    pub program: String,
    /// The highest number of its behaviours.
    pub behaviour: u16,
    /// The digest of its rules.
    pub rules: Option<Digest>,
    /// The kinds of its evidence.
    pub evidence: BTreeSet<String>,
}

/// A task in the form that an audit counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditedTask {
    /// Its agent.
    pub agent: String,
    /// What decided its steps.
    pub model: String,
    /// The digest of its agent's prompt.
    pub prompt: Digest,
    /// The digest of the model's data, such as a playbook.
    pub model_data: Option<Digest>,
    /// Its counts.
    pub counts: Counts,
    /// Its counts by tool.
    pub tools: BTreeMap<String, Counts>,
    /// Its counts by code, for claims and calls.
    pub codes: BTreeMap<String, Counts>,
}

impl AuditedRun {
    /// Returns the counts of the whole run.
    pub fn counts(&self) -> Counts {
        let (asked, open) = self.unassigned;
        let mut all = Counts { asked, open, ..Counts::default() };
        self.tasks.iter().for_each(|task| all.add(&task.counts));
        all
    }
}

/// Reduces a run to what an audit counts.
pub fn audited(run: &Run) -> AuditedRun {
    let fates = refused_claims(run).iter().map(|refused| (refused.claim, refused.fate)).collect();
    let mut tasks: BTreeMap<TaskId, AuditedTask> =
        run.tasks.iter().map(|(id, view)| (*id, task(run, *id, view, &fates))).collect();
    let mut unassigned = (0, 0);
    for question in questions(run).iter().filter(|question| question.is_of_case()) {
        let open = u64::from(question.stands.is_open());
        match question.tasks.first().and_then(|first| tasks.get_mut(first)) {
            Some(task) => {
                task.counts.asked += 1;
                task.counts.open += open;
            }
            None => unassigned = (unassigned.0 + 1, unassigned.1 + open),
        }
    }
    let opened = &run.opened;
    let kind = |kind: &ledger::EvidenceKind| format!("{kind:?}").to_ascii_lowercase();
    AuditedRun {
        run: run.name().to_owned(),
        case: opened.case.name.clone(),
        begun: run.circumstance.at.clone(),
        sealed: run.sealed.is_some(),
        made: Made {
            program: opened.program.clone(),
            behaviour: opened.behaviour.iter().copied().max().unwrap_or(0),
            rules: canonical::to_vec(&opened.rules).ok().map(|bytes| Digest::of(&bytes)),
            evidence: opened.case.evidence.iter().map(|evidence| kind(&evidence.kind)).collect(),
        },
        tasks: tasks.into_values().collect(),
        unassigned,
    }
}

fn task(run: &Run, id: TaskId, view: &TaskView, fates: &BTreeMap<ClaimId, Fate>) -> AuditedTask {
    let mut task = AuditedTask {
        agent: view.assigned.agent.name.clone(),
        model: view.assigned.model.clone(),
        prompt: Digest::of(view.assigned.agent.prompt.as_bytes()),
        model_data: view.assigned.model_digest,
        counts: of_task(run, view),
        tools: BTreeMap::new(),
        codes: BTreeMap::new(),
    };
    view.invocations.iter().for_each(|invocation| called(&mut task, invocation));
    view.refusals.iter().for_each(|refused| call_refused(run, &mut task, refused));
    claims(run, id, view, fates, &mut task);
    // Each tool and each code counts this task once.
    task.tools.values_mut().chain(task.codes.values_mut()).for_each(|counts| counts.tasks = 1);
    task
}

/// Counts the claims of a task: all together, by the tool whose output they cite, and by code.
fn claims(run: &Run, id: TaskId, view: &TaskView, fates: &BTreeMap<ClaimId, Fate>, task: &mut AuditedTask) {
    let lost = lost_turns(view);
    task.counts.lost_turns = lost.len() as u64;
    // A turn with two refusals counts as wasted once.
    let (mut of_tools, mut of_codes) = (BTreeSet::new(), BTreeSet::new());
    for claim in &view.claims {
        let Some(kind) = Kind::of(run, view, claim) else { continue };
        let judged = Judgement {
            is_accepted: claim.accepted().is_some(),
            is_refused: kind.refused,
            is_healed: !kind.refused && kind.code.is_some(),
            is_foreign: is_foreign(run, id, claim),
            fate: fates.get(&claim.submitted.claim).copied(),
        };
        judged.count(&mut task.counts);
        let turn = Some(claim.submitted.turn).filter(|turn| kind.refused && lost.contains(turn));
        let tool = kind.tool.unwrap_or_else(|| NO_TOOL.to_owned());
        let counts = task.tools.entry(tool.clone()).or_default();
        judged.count(counts);
        counts.lost_turns += u64::from(turn.is_some_and(|turn| of_tools.insert((tool, turn))));
        let Some(code) = kind.code else { continue };
        let counts = task.codes.entry(code.name().to_owned()).or_default();
        judged.count(counts);
        counts.lost_turns += u64::from(turn.is_some_and(|turn| of_codes.insert((code, turn))));
    }
}

/// Counts a task, except for its calls and claims.
fn of_task(run: &Run, view: &TaskView) -> Counts {
    let helped = |ended: &&ledger::event::RecoveryEnded| !ended.answered.is_empty();
    // A pause between two processes belongs to no task.
    let took = view.ended_at.as_deref().filter(|_| run.resumed.is_empty());
    let took = took.and_then(|ended| between(&view.begun_at, ended));
    Counts {
        tasks: 1,
        turns: view.turns.into(),
        served: view.served.into(),
        recoveries: view.recoveries.len() as u64,
        helped: view.recoveries.iter().filter_map(|(_, ended)| ended.as_ref()).filter(helped).count() as u64,
        requests: view.requests.into(),
        input: view.usage.input,
        output: view.usage.output,
        micro_dollars: view.cost.map_or(0, |cost| cost.0),
        timed: u64::from(took.is_some()),
        microseconds: took.unwrap_or(0),
        ..Counts::default()
    }
}

/// Returns the microseconds between two RFC 3339 times.
fn between(begun: &str, ended: &str) -> Option<u64> {
    let instant = |text: &str| Some(text.parse::<Utc>().ok()?.unix_nanoseconds());
    u64::try_from((instant(ended)? - instant(begun)?) / 1_000).ok()
}

fn called(task: &mut AuditedTask, invocation: &InvocationView) {
    let ended = invocation.ended.as_ref().map(|ended| ended.outcome);
    let failed = matches!(ended, Some(Outcome::Failed | Outcome::Timeout | Outcome::Denied));
    let wall = invocation.cost.map_or(0, |cost| cost.wall_microseconds);
    let tool = task.tools.entry(invocation.started.tool.clone()).or_default();
    for counts in [&mut task.counts, tool] {
        counts.calls += 1;
        counts.failed += u64::from(failed);
        counts.tool_microseconds = counts.tool_microseconds.saturating_add(wall);
    }
}

fn call_refused(run: &Run, task: &mut AuditedTask, refused: &CallRefused) {
    // A name that is no tool's is the model's own text and may come from the evidence.
    let known = run.opened.tools.iter().any(|tool| tool.name == refused.tool);
    let name = if known { refused.tool.as_str() } else { UNKNOWN_TOOL };
    let tool = task.tools.entry(name.to_owned()).or_default();
    let code = task.codes.entry(refusal(refused.refusal).to_owned()).or_default();
    for counts in [&mut task.counts, tool, code] {
        counts.calls_refused += 1;
        counts.outside += u64::from(refused.refusal == Refusal::OutsideSurface);
    }
}

/// Returns its name in the log.
const fn refusal(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::OutsideSurface => "outside_surface",
        Refusal::UnknownTool => "unknown_tool",
        Refusal::BadArguments => "bad_arguments",
        Refusal::Repeated => "repeated",
        Refusal::TooManyCalls => "too_many_calls",
        Refusal::RejectionsSpent => "rejections_spent",
        Refusal::FactsSpent => "facts_spent",
        Refusal::Unsupported => "unsupported",
        Refusal::TasksSpent => "tasks_spent",
        Refusal::Remembered => "remembered",
    }
}

/// The outcome of a claim.
struct Judgement {
    is_accepted: bool,
    is_refused: bool,
    is_healed: bool,
    is_foreign: bool,
    fate: Option<Fate>,
}

impl Judgement {
    fn count(&self, counts: &mut Counts) {
        counts.claims += 1;
        counts.foreign += u64::from(self.is_foreign);
        counts.facts += u64::from(self.is_accepted);
        counts.healed += u64::from(self.is_healed);
        counts.refused += u64::from(self.is_refused);
        match self.fate {
            Some(Fate::Corrected { tries, .. }) => *counts.corrected.entry(tries).or_default() += 1,
            Some(Fate::Abandoned) | None => counts.abandoned += u64::from(self.is_refused),
        }
    }
}

/// Checks whether a claim illegally cited something of another task: an invocation, or a node that was not handed over.
fn is_foreign(run: &Run, task: TaskId, claim: &ClaimView) -> bool {
    let because = match &claim.judged {
        Some(Judged::Rejected(rejection)) => Some(rejection.code),
        Some(Judged::Accepted(accepted)) => accepted.healing.as_ref().map(|healing| healing.because),
        Some(Judged::Repeated(repeated)) => repeated.healing.as_ref().map(|healing| healing.because),
        _ => None,
    };
    let of_another = |node: &NodeId| owner(run, *node).is_some_and(|owner| owner != task);
    match because {
        Some(RejectionCode::ForeignInvocation) => true,
        Some(RejectionCode::UnknownFact) => named(&claim.submitted.stated).iter().any(of_another),
        _ => false,
    }
}

/// Returns the nodes that a claim names.
fn named(claim: &Claim) -> Vec<NodeId> {
    match claim {
        Claim::Derivation(derivation) => derivation.facts().into_iter().map(NodeId::Fact).collect(),
        Claim::Statement(statement) => statement.node.trim().parse().into_iter().collect(),
        Claim::Sentence(sentence) => {
            sentence.cites.iter().filter_map(|cited| cited.trim().parse().ok()).collect()
        }
        Claim::Reading(_) | Claim::Absence(_) => Vec::new(),
    }
}

/// Returns the task that recorded a node that a statement can name.
fn owner(run: &Run, node: NodeId) -> Option<TaskId> {
    match node {
        NodeId::Fact(id) => run.index.facts.get(&id).map(|place| place.task),
        NodeId::Derivation(id) => {
            run.derivations().find(|(_, derived)| derived.derivation.id == id).map(|(task, _)| task)
        }
        NodeId::Absence(id) => {
            run.absences().find(|(_, covered)| covered.absence.id == id).map(|(task, _)| task)
        }
        _ => None,
    }
}
