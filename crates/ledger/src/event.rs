//! The closed set of persisted events.
//!
//! An event holds what two equal runs share: no wall time, no path, no measurement.
//! Those stand beside it as its circumstance (see [`crate::chain`]).
//! Payloads of any size (model replies, tool outputs) are stored apart under their digest.

mod apart;
mod end;
mod format;
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
    CallId, ClaimId, EntityId, FactId, HypothesisId, InvocationId, PhenomenonId, RecordId, RelationId, RunId,
    Seed, TaskId,
};
use crate::node::{Assessment, EntityKind, NodeId, RelationKind};
use crate::record::{Defect, Gap};
use crate::rejection::Rejection;
use crate::remembered::{Insisted, Remembered};
use crate::rules::Rules;
use crate::tool::{Completeness, Outcome, Surface, ToolSpec};
use crate::vocabulary::Vocabulary;
use crate::writer::Writers;
pub use apart::{NoteWritten, ObjectiveAdded};
pub use end::{ObjectiveResult, SeenRecord, Spent, TaskEnded, TaskStatus, WithoutFact};
pub use format::{FORMAT, Format};
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
    /// Run: it had broken off, and goes on from here.
    RunResumed(RunResumed),
    /// Run: the names of a piece of evidence were indexed, before the first step of a task.
    NamesIndexed(NamesIndexed),
    /// Run: the times of a piece of evidence were indexed, before the first call that looks into the index.
    TimelineIndexed(TimelineIndexed),
    /// Run: case tables that calls read in place of decoding, before the evidence's hash.
    TablesRead(TablesRead),
    /// Run: its records were compared with rules that were brought along, when its agents had ended. Since format 2.24.
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
    /// Task: the model could not be had.
    TurnFailed(TurnFailed),
    /// Task: the request was longer than the model takes; a shorter one follows.
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
    /// Task: the gateway grounded a reading that says what a fact of the task says already.
    ClaimRepeated(ClaimRepeated),
    /// Task: complete, empty searches cover an absence.
    AbsenceAccepted(AbsenceAccepted),
    /// Task: its facts bear out a derivation.
    DerivationAccepted(DerivationAccepted),
    /// Task: the gateway refused a claim.
    ClaimRejected(ClaimRejected),
    /// Task: a phenomenon was recorded.
    PhenomenonRecorded(PhenomenonRecorded),
    /// Task: the agent says that there is nothing to record.
    NothingToRecord(NothingToRecord),
    /// Task: the agent wrote down a remark that is no fact.
    NoteWritten(NoteWritten),
    /// Task: the agent asks a question of its own.
    ObjectiveAdded(ObjectiveAdded),
    /// A lead says why it leaves questions of the case open.
    QuestionsDeclined(QuestionsDeclined),
    /// Task: a thing that facts name was added to the graph.
    EntityAdded(EntityAdded),
    /// Task: two nodes of the graph were related.
    RelationAdded(RelationAdded),
    /// Task: an explanation was put up for test.
    HypothesisProposed(HypothesisProposed),
    /// Task: an explanation was weighed.
    HypothesisAssessed(HypothesisAssessed),
    /// Task: nodes of the graph were shown.
    GraphRead(GraphRead),
    /// Task: what was cut from its conversation was searched.
    Recalled(Recalled),
    /// Task: tasks were handed out.
    TasksDispatched(TasksDispatched),
    /// Task: one of them has ended.
    TaskReported(TaskReported),
    /// Task: text was stored for others.
    ArtifactStored(ArtifactStored),
    /// Task: a stored text was read.
    ArtifactRetrieved(ArtifactRetrieved),
    /// Task: it tries another way.
    RecoveryBegun(RecoveryBegun),
    /// Task: what came of that.
    RecoveryEnded(RecoveryEnded),
    /// Task: a sentence of the narrative rests on what it cites.
    SentenceAccepted(SentenceAccepted),
    /// Task: a statement of the story is told. Since format 2.22.
    StatementTold(StatementTold),
    /// Task: whoever handed it out no longer waits for it, or nobody decides for it any longer.
    Cancelled,
    /// Task: its wall time is spent.
    TimeSpent,
    /// Task: what the tasks of the run may spend together is spent.
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
    /// Who could have written the fields of records; nothing before format 2.3.
    #[serde(default, skip_serializing_if = "Writers::is_empty")]
    pub writers: Writers,
    /// Every tool that any surface of the run can offer.
    pub tools: Vec<ToolSpec>,
    /// The agents that a lead can dispatch; none where there is no lead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roster: Vec<AgentSpec>,
    /// The questions of the case: those that every case of its kinds of evidence is asked, then its owner's. Empty before format 2.11.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<CaseQuestion>,
    /// Files of rules, indicators and known files that were brought along. Since format 2.24.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<BroughtFile>,
    /// What its agents are told of earlier runs. Since format 2.25.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remembered: Vec<Remembered>,
    /// The questions that were asked of it in words, each with a task of its own. Since format 2.27.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedQuestion>,
    /// The numbers of the behaviours that it is made with (see [`crate::Behaviour`]).
    pub behaviour: Vec<u16>,
    /// Whether tools ran confined; `false` only with `--unconfined`.
    pub confined: bool,
    /// Where it branched off another run; nothing before format 2.4.
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
    /// Every case is asked it that has evidence of the kind.
    Standard,
    /// The case file.
    Owner,
}

/// Where a run branched off another one: what stands in its log before that is the other's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    /// The other run.
    pub run: RunId,
    /// The last link of its chain.
    pub head: Digest,
    /// The task that goes another way.
    pub task: TaskId,
    /// The first turn of that task that is asked anew.
    pub turn: u32,
}

/// The run had broken off, and goes on from here: what stands before this was recorded by an earlier process.
///
/// Where it stands says how much was recorded by then; its circumstance says when it goes on, and where the evidence was found then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResumed {
    /// The version of Locard that goes on.
    pub program: String,
}

/// The names of a piece of evidence were indexed; searches for names looked into the index.
///
/// Whether it was built for this run or an earlier one makes no difference here: the bytes are the same.
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

/// The times of a piece of evidence were indexed, and the timeline was looked up in the index: of runs of earlier versions only.
///
/// Today's timeline is read from case tables, which [`TablesRead`] tells.
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

/// Case tables of one group of sources, which calls of the run read in place of decoding.
///
/// Whether they were made for this run or by an earlier one makes no difference here: the rows are the same.
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
    /// The rows of all its tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).fold(0, u64::saturating_add)
    }
}

/// What a case table holds, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDigest {
    /// Its name: that of the type of its records.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// The digest of its rows in their order.
    pub digest: Digest,
}

/// A task was assigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskAssigned {
    /// Its number.
    pub task: TaskId,
    /// Who does it.
    pub agent: AgentSpec,
    /// What decides its steps, such as `playbook`.
    pub model: String,
    /// The digest of the model's data, such as the playbook's text; `None` for a model that is not ours.
    pub model_digest: Option<Digest>,
    /// How much the model takes at once; `None` where its conversation is never cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// What its tokens cost, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// Who handed it out, and with what; `None` for a task that the run began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Box<Dispatch>>,
    /// Whether code alone does it, to ask what the agents of the run have left open; no model has a part in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sweep: bool,
    /// Whether code alone does it, to record what rules that were brought along found. Since format 2.24.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hunt: bool,
    /// Whether code alone does it, to record what answers a question that was asked in words. Since format 2.27.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask: bool,
    /// That question, where it was asked after the first event, which has the others. Since format 2.27.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Box<AskedQuestion>>,
}

impl TaskAssigned {
    /// A task whose model is asked over no network.
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

    /// Whether the run began with it: nobody handed it out, and it is neither a sweep of what others left, nor what rules of others found, nor a question in words.
    pub fn is_of_the_beginning(&self) -> bool {
        self.dispatch.is_none() && !self.sweep && !self.hunt && !self.ask
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
    /// Whether it agrees with the hash that the case promises; `None` where the case promises none.
    pub as_expected: Option<bool>,
    /// What could not be read, and is not in the hash.
    pub gaps: Vec<Gap>,
}

/// The run ended in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSealed {
    /// Each task's last link, in the order of the tasks.
    pub heads: Vec<TaskHead>,
    /// Stored outputs and replies.
    pub payloads: u64,
    /// The entities and relations that code makes of the run's facts. Since format 2.25, and only of runs with [`crate::Behaviour::Connects`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionsMade>,
}

/// The entities and relations that code makes of the facts of a run, as a digest: they are a view and no events, so the seal says what they were.
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

/// A phase of an agent's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// On the agent's full surface.
    Investigate,
    /// On the agent's full surface, another way.
    Recover,
    /// On the record-only surface.
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

/// A tool is about to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvocationStarted {
    /// The invocation.
    pub invocation: InvocationId,
    /// The turn that asked for it.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// The arguments as the model wrote them, without the reason for which it insists on a call.
    pub arguments: serde_json::Value,
    /// Why it runs, where a lesson of earlier runs speaks against it. Since format 2.26.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insists: Option<Insisted>,
}

/// A tool has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvocationEnded {
    /// The invocation.
    pub invocation: InvocationId,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it returned everything that was asked for.
    pub completeness: Completeness,
    /// The arguments as they were used; `None` where the tool never came to read them.
    pub normalised: Option<serde_json::Value>,
    /// The digest of the stored output; `None` where there is none.
    pub output: Option<Digest>,
    /// Records in it.
    pub records: u32,
    /// Stored bytes of it.
    pub bytes: u64,
    /// The records that the agent was shown.
    pub shown: Vec<RecordRange>,
    /// Damage met.
    pub defects: Vec<Defect>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// What the tool says about its work; never evidence.
    pub notes: Vec<String>,
}

/// Records from `first` up to, but not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRange {
    /// The first record.
    pub first: RecordId,
    /// The record after the last.
    pub end: RecordId,
}

impl RecordRange {
    /// One record.
    pub fn of(record: RecordId) -> RecordRange {
        RecordRange { first: record, end: RecordId(record.0.saturating_add(1)) }
    }

    /// Whether the record is in the range.
    pub fn contains(&self, record: RecordId) -> bool {
        self.first <= record && record < self.end
    }
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
    /// The lesson of earlier runs that it was refused for. Since format 2.26.
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
    /// The rewritten citation, where it was healed.
    pub healing: Option<Healing>,
}

/// The gateway grounded a claim, and what it says is a fact of the task already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRepeated {
    /// The claim.
    pub claim: ClaimId,
    /// The fact that says the same.
    pub fact: FactId,
    /// The rewritten citation, where it was healed.
    pub healing: Option<Healing>,
}

/// Facts of the task bear out a derivation.
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
    /// The facts it carries, at least one.
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
    /// Its name, which stands in the facts.
    pub name: String,
    /// The facts that name it, at least one.
    pub facts: Vec<FactId>,
}

/// Two nodes of the graph were related; how they are is the agent's interpretation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationAdded {
    /// Its id.
    pub relation: RelationId,
    /// The one node.
    pub from: NodeId,
    /// How it relates to the other.
    pub kind: RelationKind,
    /// The other node.
    pub to: NodeId,
    /// The facts that show it, at least one.
    pub facts: Vec<FactId>,
}

/// An explanation was put up for test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HypothesisProposed {
    /// Its id.
    pub hypothesis: HypothesisId,
    /// The agent's own words; interpretation, not evidence.
    pub statement: String,
}

/// An explanation was weighed: the last word of an agent on it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HypothesisAssessed {
    /// The hypothesis.
    pub hypothesis: HypothesisId,
    /// What the agent makes of it.
    pub assessment: Assessment,
    /// Facts and absences that speak for it.
    pub supporting: Vec<NodeId>,
    /// Facts and absences that speak against it.
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
    /// Nodes that fit, but were not shown.
    pub left_out: u32,
}

impl Event {
    /// What a turn was over the network, where it was asked over one.
    pub fn exchange(&self) -> Option<&Exchange> {
        match self {
            Event::TurnReplied(replied) => replied.exchange.as_ref(),
            Event::TurnFailed(failed) => failed.exchange.as_ref(),
            Event::RequestTooLong(refused) => refused.exchange.as_ref(),
            _ => None,
        }
    }

    /// The digests of stored payloads that this event stands for.
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
