//! The closed set of persisted events.
//!
//! An event holds what two equal runs share: no wall time, no path, no measurement.
//! Those are stored beside it as its circumstance (see [`crate::chain`]).
//! Payloads of any size (model replies, tool outputs) are stored separately under their digest.

mod apart;
mod end;
mod format;
mod invocation;
mod lead;
mod refusal;
mod stored;
mod turn;

use crate::absence::AbsenceEntry;
use crate::agent::{AgentSpec, Objective};
use crate::asked::AskedQuestion;
use crate::brought::{BroughtFile, RulesMatched};
use crate::case::{CaseEntry, Integrity};
use crate::claim::Claim;
use crate::derivation::DerivationEntry;
use crate::digest::Digest;
use crate::dispatch::Dispatch;
use crate::exchange::{Exchange, Prices, Window};
use crate::fact::{FactEntry, Healing};
use crate::id::{
    CallId, ClaimId, EntityId, FactId, HypothesisId, InvocationId, PhenomenonId, RelationId, RunId, Seed,
    TaskId,
};
use crate::node::{Assessment, EntityKind, NodeId, RelationKind};
use crate::record::Gap;
use crate::rejection::Rejection;
use crate::remembered::Remembered;
use crate::rules::Rules;
use crate::tool::{Surface, ToolSpec};
use crate::vocabulary::Vocabulary;
use crate::writer::Writers;
pub use apart::{NoteWritten, ObjectiveAdded};
pub use end::{ObjectiveResult, SeenRecord, Spent, TaskEnded, TaskStatus, WithoutFact};
pub use format::{FORMAT, Format};
pub use invocation::{InvocationEnded, InvocationStarted, RecordRange};
pub use lead::{
    ArtifactRetrieved, ArtifactStored, DispatchedTask, QuestionsDeclined, RecoveryBegun, RecoveryEnded,
    RecoveryTrigger, SentenceAccepted, StatementTold, SuggestedCall, TaskReported, TasksDispatched,
};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};
pub use stored::Stored;
pub use turn::{Recalled, RecalledRecord, RequestTooLong, TurnFailed, TurnReplied, TurnRequested};

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", content = "fields", rename_all = "snake_case")]
pub enum Event {
    /// Run: it began, under these rules. Always the first event.
    RunOpened(Box<RunOpened>),
    /// Run: it was interrupted, and continues from here.
    RunResumed(RunResumed),
    /// Run: the names of a piece of evidence were indexed, before the first step of a task.
    NamesIndexed(NamesIndexed),
    /// Run: the times of a piece of evidence were indexed, before the first call that uses the index.
    TimelineIndexed(TimelineIndexed),
    /// Run: case tables that calls read instead of decoding, before the evidence's hash.
    TablesRead(TablesRead),
    /// Run: its records were compared with supplied rules, after its agents had ended. Since format 2.24.
    RulesMatched(Box<RulesMatched>),
    /// Run: a task was assigned.
    TaskAssigned(TaskAssigned),
    /// Run: the bytes of a piece of evidence were checked.
    EvidenceHashed(EvidenceHashed),
    /// Run: nothing follows. Always the last event.
    RunSealed(RunSealed),
    /// Task: it entered a phase.
    PhaseEntered(PhaseEntered),
    /// Task: the model was asked.
    TurnRequested(TurnRequested),
    /// Task: the model answered.
    TurnReplied(TurnReplied),
    /// Task: the model was not available.
    TurnFailed(TurnFailed),
    /// Task: the request was longer than the model accepts; a shorter one follows.
    RequestTooLong(RequestTooLong),
    /// Task: a tool is about to run.
    InvocationStarted(InvocationStarted),
    /// Task: a tool has run.
    InvocationEnded(InvocationEnded),
    /// Task: a call was refused without running.
    CallRefused(CallRefused),
    /// Task: an identical earlier call answered this one.
    CallServed(CallServed),
    /// Task: a page of an output was shown.
    OutputPaged(OutputPaged),
    /// Task: a claim was made.
    ClaimSubmitted(ClaimSubmitted),
    /// Task: the gateway grounded a reading.
    ClaimAccepted(Box<ClaimAccepted>),
    /// Task: the gateway grounded a reading that repeats a fact of the task.
    ClaimRepeated(ClaimRepeated),
    /// Task: complete, empty searches cover an absence.
    AbsenceAccepted(AbsenceAccepted),
    /// Task: its facts support a derivation.
    DerivationAccepted(DerivationAccepted),
    /// Task: the gateway refused a claim.
    ClaimRejected(ClaimRejected),
    /// Task: a phenomenon was recorded.
    PhenomenonRecorded(PhenomenonRecorded),
    /// Task: the agent says that there is nothing to record.
    NothingToRecord(NothingToRecord),
    /// Task: the agent wrote a remark that is not a fact.
    NoteWritten(NoteWritten),
    /// Task: the agent added a question of its own.
    ObjectiveAdded(ObjectiveAdded),
    /// A lead gave the reason for leaving questions of the case open.
    QuestionsDeclined(QuestionsDeclined),
    /// Task: a thing that facts name was added to the graph.
    EntityAdded(EntityAdded),
    /// Task: two nodes of the graph were related.
    RelationAdded(RelationAdded),
    /// Task: a hypothesis was proposed.
    HypothesisProposed(HypothesisProposed),
    /// Task: a hypothesis was assessed.
    HypothesisAssessed(HypothesisAssessed),
    /// Task: nodes of the graph were shown.
    GraphRead(GraphRead),
    /// Task: the part cut from its conversation was searched.
    Recalled(Recalled),
    /// Task: it assigned tasks.
    TasksDispatched(TasksDispatched),
    /// Task: one of the assigned tasks has ended.
    TaskReported(TaskReported),
    /// Task: text was stored for others.
    ArtifactStored(ArtifactStored),
    /// Task: a stored text was read.
    ArtifactRetrieved(ArtifactRetrieved),
    /// Task: it began to try another way.
    RecoveryBegun(RecoveryBegun),
    /// Task: the attempt ended, with this result.
    RecoveryEnded(RecoveryEnded),
    /// Task: the cited nodes support a sentence of the narrative.
    SentenceAccepted(SentenceAccepted),
    /// Task: a statement became part of the story. Since format 2.22.
    StatementTold(StatementTold),
    /// Task: the task that assigned it no longer waits for it, or nothing decides its steps any more.
    Cancelled,
    /// Task: its wall time ran out.
    TimeSpent,
    /// Task: the common budget of the run's tasks ran out.
    PurseSpent(Spent),
    /// Task: nothing follows in it.
    TaskEnded(TaskEnded),
}

/// The run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOpened {
    /// The format of everything in the run.
    pub format: Format,
    /// The version of Locard.
    pub program: String,
    /// What the run's ids are derived from.
    pub seed: Seed,
    /// The case.
    pub case: CaseEntry,
    /// The rules.
    pub rules: Rules,
    /// The predicates and what proves them.
    pub vocabulary: Vocabulary,
    /// Who could have written the fields of records; empty before format 2.3.
    #[serde(default, skip_serializing_if = "Writers::is_empty")]
    pub writers: Writers,
    /// Every tool that any surface of the run can offer.
    pub tools: Vec<ToolSpec>,
    /// The agents that a lead can dispatch; empty if there is no lead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roster: Vec<AgentSpec>,
    /// The questions of the case: first the standard ones for its kinds of evidence, then its owner's. Empty before format 2.11.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<CaseQuestion>,
    /// The supplied files of rules, indicators and known files. Since format 2.24.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<BroughtFile>,
    /// What its agents are told about earlier runs. Since format 2.25.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remembered: Vec<Remembered>,
    /// The questions that were asked about it in words, each with a task of its own. Since format 2.27.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedQuestion>,
    /// The numbers of its behaviours (see [`crate::Behaviour`]).
    pub behaviour: Vec<u16>,
    /// Whether tools ran confined; `false` only with `--unconfined`.
    pub confined: bool,
    /// Where it branched off another run; `None` before format 2.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// A question of the case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseQuestion {
    /// The agent whose question it is.
    pub agent: String,
    /// Who asks.
    pub by: AskedBy,
    /// The question, and what answers it.
    pub objective: Objective,
}

/// Who asks a question of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedBy {
    /// Every case with evidence of the kind asks it.
    Standard,
    /// The case file.
    Owner,
}

/// Where a run branched off another one: its log before that point is the other run's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    /// The other run.
    pub run: RunId,
    /// The last link of its chain.
    pub head: Digest,
    /// The task that continues differently.
    pub task: TaskId,
    /// The first turn of that task that is asked again.
    pub turn: u32,
}

/// An interrupted run continues from here: an earlier process recorded everything before this event.
///
/// Its position says how much was recorded by then; its circumstance says when it continued and where the evidence was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResumed {
    /// The version of Locard that continues.
    pub program: String,
}

/// The names of a piece of evidence were indexed, and searches for names used the index.
///
/// It makes no difference whether the index was built for this run or an earlier one: the bytes are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamesIndexed {
    /// Its label.
    pub evidence: String,
    /// The digest of the index.
    pub index: Digest,
    /// Entries in it.
    pub entries: u64,
}

/// The times of a piece of evidence were indexed, and the timeline used the index: only in runs of earlier versions.
///
/// Today the timeline is read from case tables, which [`TablesRead`] records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimelineIndexed {
    /// Its label.
    pub evidence: String,
    /// The digest of the index.
    pub index: Digest,
    /// Times in it.
    pub events: u64,
    /// Sources that were decoded for it.
    pub sources: u64,
}

/// Case tables of one group of sources, which calls of the run read instead of decoding.
///
/// It makes no difference whether they were made for this run or by an earlier one: the rows are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablesRead {
    /// The label of the evidence.
    pub evidence: String,
    /// The group: a decoder, or a part of the registry.
    pub group: String,
    /// Its tables that have rows, sorted by name.
    pub tables: Vec<TableDigest>,
}

impl TablesRead {
    /// Returns the number of rows in all its tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).fold(0, u64::saturating_add)
    }
}

/// A short description of a case table's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDigest {
    /// Its name, which is that of its record type.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// The digest of its rows in order.
    pub digest: Digest,
}

/// A task was assigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskAssigned {
    /// Its number.
    pub task: TaskId,
    /// Its agent.
    pub agent: AgentSpec,
    /// What decides its steps, such as `playbook`.
    pub model: String,
    /// The digest of the model's data, such as the playbook's text; `None` for a model that is not ours.
    pub model_digest: Option<Digest>,
    /// The model's context window; `None` if its conversation is never cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The prices of its tokens, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// Who assigned it, and what it was given; `None` for a task that the run began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Box<Dispatch>>,
    /// Whether only code runs it, to search for answers that the run's agents left open; no model takes part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sweep: bool,
    /// Whether only code runs it, to record the matches of supplied rules. Since format 2.24.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hunt: bool,
    /// Whether only code runs it, to record the answer to a question asked in words. Since format 2.27.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask: bool,
    /// The question in words that it answers, unless the first event holds it. Since format 2.28.
    ///
    /// Without `ask`, a model looks for the answer. Since format 2.29.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Box<AskedQuestion>>,
}

impl TaskAssigned {
    /// Makes a task whose model is not used over a network.
    pub fn new(task: TaskId, agent: AgentSpec, model: &str) -> TaskAssigned {
        TaskAssigned {
            task,
            agent,
            model: model.to_owned(),
            model_digest: None,
            window: None,
            prices: None,
            dispatch: None,
            sweep: false,
            hunt: false,
            ask: false,
            asked: None,
        }
    }

    /// Checks whether the run began with it: it was not assigned by another task, and it is not a sweep, a hunt or a question in words.
    pub fn is_of_the_beginning(&self) -> bool {
        self.dispatch.is_none() && !self.sweep && !self.hunt && !self.is_of_a_question()
    }

    /// Checks whether it answers a question in words, through code or through a model.
    pub fn is_of_a_question(&self) -> bool {
        self.ask || self.asked.is_some()
    }
}

/// The bytes of a piece of evidence were checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceHashed {
    /// Its label.
    pub evidence: String,
    /// What was found.
    pub integrity: Integrity,
    /// Whether it matches the hash that the case gives; `None` if the case gives none.
    pub as_expected: Option<bool>,
    /// What could not be read and is not in the hash.
    pub gaps: Vec<Gap>,
}

/// The run ended normally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSealed {
    /// Each task's last link, in the order of the tasks.
    pub heads: Vec<TaskHead>,
    /// The number of stored outputs and replies.
    pub payloads: u64,
    /// The entities and relations that code makes of the run's facts.
    /// Since format 2.25, and only in runs with [`crate::Behaviour::Connects`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionsMade>,
}

/// The digest of the entities and relations that code makes of a run's facts:
/// they are a view and not events, so the seal records what they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionsMade {
    /// The version of the rules that make them.
    pub rules: u16,
    /// How many entities there are.
    pub entities: u64,
    /// How many relations there are.
    pub relations: u64,
    /// The digest over all of them, with the facts that each is based on.
    pub digest: Digest,
}

/// The end of a task's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskHead {
    /// The task.
    pub task: TaskId,
    /// Its number of events.
    pub events: u32,
    /// Its last link.
    pub head: Digest,
}

/// A phase of an agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The agent's full surface.
    Investigate,
    /// The agent's full surface, while it tries another way.
    Recover,
    /// The record-only surface.
    Record,
}

/// A task entered a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseEntered {
    /// The phase.
    pub phase: Phase,
    /// What its turns may use.
    pub surface: Surface,
    /// Why the task entered it.
    pub reason: String,
}

/// A call was refused without running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRefused {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The tool that was named.
    pub tool: String,
    /// Why.
    pub refusal: Refusal,
    /// What the model was told.
    pub told: String,
    /// The lesson of earlier runs for which it was refused. Since format 2.26.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
}

/// An identical earlier call answered this one: no tool ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallServed {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// The invocation whose output was given again.
    pub invocation: InvocationId,
}

/// A page of an output was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputPaged {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The invocation whose output was read.
    pub invocation: InvocationId,
    /// The records shown.
    pub shown: RecordRange,
}

/// A claim was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSubmitted {
    /// The claim.
    pub claim: ClaimId,
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call that carried it.
    pub call: CallId,
    /// The claim as submitted.
    pub stated: Claim,
}

/// The gateway grounded a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimAccepted {
    /// The claim.
    pub claim: ClaimId,
    /// The fact.
    pub fact: FactEntry,
    /// The corrected citation, if it was healed.
    pub healing: Option<Healing>,
}

/// The gateway grounded a claim that repeats a fact of the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRepeated {
    /// The claim.
    pub claim: ClaimId,
    /// The fact that says the same.
    pub fact: FactId,
    /// The corrected citation, if it was healed.
    pub healing: Option<Healing>,
}

/// Facts of the task support a derivation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivationAccepted {
    /// The claim.
    pub claim: ClaimId,
    /// The derivation.
    pub derivation: DerivationEntry,
    /// The agent's own words.
    pub interpretation: String,
}

/// Complete, empty searches cover an absence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsenceAccepted {
    /// The claim.
    pub claim: ClaimId,
    /// The absence.
    pub absence: AbsenceEntry,
    /// The agent's own words; interpretation, not evidence.
    pub interpretation: String,
}

/// The gateway refused a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRejected {
    /// The claim.
    pub claim: ClaimId,
    /// Why, and what the agent was told.
    pub rejection: Rejection,
}

/// A phenomenon was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhenomenonRecorded {
    /// The phenomenon.
    pub phenomenon: PhenomenonId,
    /// Its facts, at least one.
    pub facts: Vec<FactId>,
    /// The agent's own words; interpretation, not evidence.
    pub interpretation: String,
}

/// The agent says that there is nothing to record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NothingToRecord {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The agent's reason.
    pub reason: String,
}

/// A thing that facts name was added to the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityAdded {
    /// Its id.
    pub entity: EntityId,
    /// What it is.
    pub kind: EntityKind,
    /// Its name, as in the facts.
    pub name: String,
    /// The facts that name it, at least one.
    pub facts: Vec<FactId>,
}

/// A relation between two nodes was added to the graph; its kind is the agent's interpretation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationAdded {
    /// Its id.
    pub relation: RelationId,
    /// The first node.
    pub from: NodeId,
    /// How it relates to the other.
    pub kind: RelationKind,
    /// The other node.
    pub to: NodeId,
    /// The facts that show it, at least one.
    pub facts: Vec<FactId>,
}

/// A hypothesis was proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HypothesisProposed {
    /// Its id.
    pub hypothesis: HypothesisId,
    /// The agent's own words; interpretation, not evidence.
    pub statement: String,
}

/// A hypothesis was assessed; an agent's last assessment counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HypothesisAssessed {
    /// The hypothesis.
    pub hypothesis: HypothesisId,
    /// The agent's assessment.
    pub assessment: Assessment,
    /// Facts and absences that support it.
    pub supporting: Vec<NodeId>,
    /// Facts and absences that contradict it.
    pub contradicting: Vec<NodeId>,
    /// The agent's own words; interpretation, not evidence.
    pub reason: String,
}

/// Nodes of the graph were shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphRead {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// Nodes shown.
    pub shown: u32,
    /// Nodes that matched but were not shown.
    pub left_out: u32,
}

impl Event {
    /// Returns the network exchange of a turn, if the turn used a network.
    pub fn exchange(&self) -> Option<&Exchange> {
        match self {
            Event::TurnReplied(replied) => replied.exchange.as_ref(),
            Event::TurnFailed(failed) => failed.exchange.as_ref(),
            Event::RequestTooLong(refused) => refused.exchange.as_ref(),
            _ => None,
        }
    }

    /// Returns the digest of the stored payload that this event refers to.
    pub fn payload(&self) -> Option<Digest> {
        match self {
            Event::TurnReplied(replied) => Some(replied.reply),
            Event::InvocationEnded(ended) => ended.output,
            Event::RunOpened(_)
            | Event::RunResumed(_)
            | Event::NamesIndexed(_)
            | Event::TimelineIndexed(_)
            | Event::TablesRead(_)
            | Event::RulesMatched(_)
            | Event::TaskAssigned(_)
            | Event::EvidenceHashed(_)
            | Event::RunSealed(_)
            | Event::PhaseEntered(_)
            | Event::TurnRequested(_)
            | Event::TurnFailed(_)
            | Event::RequestTooLong(_)
            | Event::Recalled(_)
            | Event::PurseSpent(_)
            | Event::InvocationStarted(_)
            | Event::CallRefused(_)
            | Event::CallServed(_)
            | Event::OutputPaged(_)
            | Event::ClaimSubmitted(_)
            | Event::ClaimAccepted(_)
            | Event::ClaimRepeated(_)
            | Event::AbsenceAccepted(_)
            | Event::DerivationAccepted(_)
            | Event::ClaimRejected(_)
            | Event::PhenomenonRecorded(_)
            | Event::NothingToRecord(_)
            | Event::NoteWritten(_)
            | Event::ObjectiveAdded(_)
            | Event::QuestionsDeclined(_)
            | Event::EntityAdded(_)
            | Event::RelationAdded(_)
            | Event::HypothesisProposed(_)
            | Event::HypothesisAssessed(_)
            | Event::GraphRead(_)
            | Event::TasksDispatched(_)
            | Event::TaskReported(_)
            | Event::ArtifactStored(_)
            | Event::ArtifactRetrieved(_)
            | Event::RecoveryBegun(_)
            | Event::RecoveryEnded(_)
            | Event::SentenceAccepted(_)
            | Event::StatementTold(_)
            | Event::Cancelled
            | Event::TimeSpent
            | Event::TaskEnded(_) => None,
        }
    }
}
