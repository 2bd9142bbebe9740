//! A turn: what a model is asked and what it answers.
//!
//! A reply is stored as a payload; a request is stored only as a digest, because everything in it can be rebuilt from the log.
//! Tool results are structured: a playbook reads the records, a provider renders them as text.

mod listed;
mod node_view;

use crate::agent::Objective;
use crate::canonical::{self, CanonicalError};
use crate::digest::Digest;
use crate::dispatch::ArtifactHead;
use crate::event::{RecordRange, Refusal, SuggestedCall};
use crate::fact::BoundValue;
use crate::fence::Fence;
use crate::handed::TaskReport;
use crate::id::{
    AbsenceId, ArtifactId, CallId, DerivationId, FactId, InvocationId, PhenomenonId, RecordId, SentenceId,
    StatementId,
};
use crate::lessons::Lessons;
use crate::node::NodeId;
use crate::output::Output;
use crate::record::{Defect, Gap};
use crate::rejection::Rejection;
use crate::tool::{Completeness, Outcome, ToolSpec};
pub use listed::Listed;
pub use node_view::NodeView;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// A request to a model.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The turn's number in its task, from 1.
    pub turn: u32,
    /// Role, rules and objectives.
    pub system: Arc<str>,
    /// The tools on this turn's surface, sorted by name.
    pub tools: Arc<[ToolSpec]>,
    /// The conversation: user and assistant alternate; the first and the last message are the user's.
    pub messages: Arc<Vec<Arc<Message>>>,
    /// The digest of all of the above.
    pub digest: Digest,
    /// The fence around answers that are rendered as text; the system prompt names it.
    pub fence: Fence,
    /// The lessons of earlier runs, for a model that is code; a language model reads them in its first message.
    pub lessons: Arc<Lessons>,
    /// The names of the objectives without an answer so far; given if a lesson may refuse calls.
    pub open: Arc<[String]>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "role", content = "content", rename_all = "snake_case")]
pub enum Message {
    /// From the engine.
    User(Vec<UserBlock>),
    /// From the model.
    Assistant(Vec<ReplyBlock>),
}

impl Message {
    /// Returns the digest of the message's canonical form.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        Ok(Digest::of(&canonical::to_vec(self)?))
    }
}

/// A part of an engine message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// An instruction.
    Text {
        /// The words.
        text: String,
    },
    /// The answer to one call of the previous message.
    Answer {
        /// The model's own name for the call.
        call: CallId,
        /// The answer.
        answer: Answer,
    },
    /// A summary that replaces the cut beginning of the conversation: made from the log, by code.
    Distilled(Distilled),
    /// Another way to try.
    Recovery(Box<Advice>),
}

/// Another way to answer an objective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Its number in the task, from 1.
    pub attempt: u32,
    /// The strategy's name.
    pub strategy: String,
    /// The objective that it is for.
    pub objective: Objective,
    /// What to do.
    pub told: String,
    /// Calls that do it.
    pub calls: Vec<SuggestedCall>,
}

/// The state of a task at the end of a part of its conversation that is no longer shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Distilled {
    /// The number of turns that are not shown.
    pub turns: u32,
    /// Objectives that facts meet.
    pub met: Vec<String>,
    /// The questions that are open.
    pub open: Vec<String>,
    /// What was recorded, latest last.
    pub recorded: Listed<NodeView>,
    /// The calls that were made, latest last.
    pub invocations: Listed<NodeView>,
    /// The latest refused claims: code and reason.
    pub rejections: Listed<String>,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Text and calls in order.
    pub blocks: Vec<ReplyBlock>,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ReplyBlock {
    /// Text outside any call; never evidence.
    Text {
        /// The words.
        text: String,
    },
    /// A call.
    Call(ToolCall),
    /// The message exactly as its provider sent it: thinking must be returned with its signature over the same bytes, or not at all.
    ///
    /// It is for the provider alone: it is never evidence, and nothing reads its content.
    Verbatim {
        /// The dialect of the provider, such as `anthropic`.
        provider: String,
        /// The message: JSON as text, so that the record's own JSON form does not change it.
        message: String,
    },
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The model's own name for it.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: serde_json::Value,
}

impl Reply {
    /// Returns the calls in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            ReplyBlock::Call(call) => Some(call),
            ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
        })
    }
}

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// What a tool returned.
    Returned(Returned),
    /// A page of an earlier output.
    Page(Page),
    /// The results of a record call's readings.
    Recorded(Recorded),
    /// The result of a claim that something is absent.
    Absence(AbsenceResult),
    /// The result of a claim that facts say something together.
    Derivation(DerivationResult),
    /// A node or edge was added to the graph, or already exists.
    Node {
        /// Its id.
        id: NodeId,
    },
    /// Nodes of the graph.
    Nodes {
        /// The nodes shown.
        nodes: Vec<NodeView>,
        /// The number of further nodes that match.
        left_out: u32,
    },
    /// Records of earlier outputs that match a text, best first.
    Recalled(RecalledPages),
    /// A placeholder for an answer that is no longer shown.
    Cut(Loss),
    /// The result of an assigned task.
    Reported(Box<TaskReport>),
    /// A text was stored.
    Stored {
        /// Its id.
        artifact: ArtifactId,
    },
    /// A stored text.
    Artifact {
        /// What it is.
        head: ArtifactHead,
        /// The text; an agent's words, never evidence.
        content: String,
    },
    /// The results of sentences of the narrative, in order.
    Sentences {
        /// The result of each sentence.
        sentences: Vec<SentenceResult>,
    },
    /// The results of statements of the story, in order.
    Statements {
        /// The result of each statement.
        statements: Vec<StatementResult>,
    },
    /// The engine noted something.
    Noted {
        /// What it noted.
        text: String,
    },
    /// The call was refused without running.
    Refused {
        /// Why.
        refusal: Refusal,
        /// What to do instead.
        told: String,
    },
}

/// What a tool returned, in the form shown to the agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Returned {
    /// The invocation to cite.
    pub invocation: InvocationId,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the tool returned everything it was asked for.
    pub completeness: Completeness,
    /// Whether this is the output of an earlier invocation, returned again.
    pub from_log: bool,
    /// The arguments as used.
    pub normalised: Option<serde_json::Value>,
    /// The records shown.
    pub page: Option<Page>,
    /// Damage found.
    pub defects: Vec<Defect>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// What the tool says about its work.
    pub notes: Vec<String>,
}

impl Answer {
    /// Returns the pages of outputs that it shows.
    pub fn pages(&self) -> Vec<&Page> {
        match self {
            Answer::Returned(returned) => returned.page.iter().collect(),
            Answer::Page(page) => vec![page],
            Answer::Recalled(recalled) => recalled.hits.iter().map(|hit| &hit.page).collect(),
            Answer::Recorded(_)
            | Answer::Absence(_)
            | Answer::Derivation(_)
            | Answer::Node { .. }
            | Answer::Nodes { .. }
            | Answer::Cut(_)
            | Answer::Reported(_)
            | Answer::Stored { .. }
            | Answer::Artifact { .. }
            | Answer::Sentences { .. }
            | Answer::Statements { .. }
            | Answer::Noted { .. }
            | Answer::Refused { .. } => Vec::new(),
        }
    }
}

/// What was cut from the conversation, and how to see it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The tool.
    pub tool: String,
    /// The invocation whose output can be read again; `None` if the answer was not a tool's.
    pub invocation: Option<InvocationId>,
    /// The number of records in its output.
    pub records: u32,
    /// The number of those records, or of other listed items, that were shown and no longer are.
    pub cut: u32,
    /// The files that they were read from, the first few.
    pub paths: Vec<String>,
}

/// Records of earlier outputs that match a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecalledPages {
    /// The records, best first.
    pub hits: Vec<RecalledHit>,
    /// The number of records that were found but not shown for lack of room.
    pub left_out: u32,
}

/// One recalled record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecalledHit {
    /// The record; the rest of its output is read by `read_output`.
    pub page: Page,
    /// The number of records in that output.
    pub records: u32,
    /// The number of them that the conversation no longer shows.
    pub lost: u32,
}

/// Some records of an output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// The invocation to cite.
    pub invocation: InvocationId,
    /// The whole output; a provider renders only the shown ranges.
    #[serde(serialize_with = "as_digest")]
    pub output: Arc<Output>,
    /// The records shown.
    pub shown: Vec<RecordRange>,
}

impl Page {
    /// Returns the records shown, in order.
    pub fn records(&self) -> impl Iterator<Item = &crate::record::Record> {
        self.output.records().iter().filter(|record| self.shown.iter().any(|range| range.contains(record.id)))
    }

    /// Returns the first record that is not shown.
    pub fn first_hidden(&self) -> Option<RecordId> {
        let hidden = |record: &&crate::record::Record| !self.shown.iter().any(|r| r.contains(record.id));
        self.output.records().iter().find(hidden).map(|record| record.id)
    }
}

fn as_digest<S: Serializer>(output: &Arc<Output>, serializer: S) -> Result<S::Ok, S::Error> {
    output.digest().serialize(serializer)
}

/// The result of a record call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recorded {
    /// The phenomenon, if at least one reading was grounded.
    pub phenomenon: Option<PhenomenonId>,
    /// The result of each reading, in order.
    pub readings: Vec<ReadingResult>,
}

/// The result of one reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum ReadingResult {
    /// It is a fact.
    Accepted {
        /// The fact.
        fact: FactId,
        /// The invocation that grounds it.
        invocation: InvocationId,
        /// The record that grounds it.
        record: RecordId,
        /// The values as the record states them.
        values: Vec<BoundValue>,
        /// Whether the citation was healed.
        healed: bool,
    },
    /// It was not judged: the budget of refused readings or of facts ran out first.
    NotJudged,
    /// It was refused.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
}

/// The result of a claim that something is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum AbsenceResult {
    /// The searches cover it.
    Accepted {
        /// The absence.
        absence: AbsenceId,
        /// The searches that cover it.
        searches: Vec<InvocationId>,
    },
    /// The searches do not cover it.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
}

/// The result of a claim that facts say something together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum DerivationResult {
    /// The facts support it.
    Accepted {
        /// The derivation.
        derivation: DerivationId,
    },
    /// The facts do not support it.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
}

/// The result of one sentence of the narrative.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum SentenceResult {
    /// It is part of the narrative.
    Accepted {
        /// Its id.
        sentence: SentenceId,
    },
    /// It is not.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
    /// It was not judged: the budget of refused claims ran out first.
    NotJudged,
}

/// The result of one statement of the story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum StatementResult {
    /// It is part of the story.
    Accepted {
        /// Its id.
        statement: StatementId,
        /// Why its comment is not kept, or why it is in another chapter; the statement is accepted anyway.
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<String>,
    },
    /// It was refused.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
    /// It was not judged: the budget of refused claims ran out first.
    NotJudged,
}
