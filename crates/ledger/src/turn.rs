//! A turn: what a model is asked and what it answers.
//!
//! A reply is persisted as a payload; of a request only the digest is, because everything in it can be folded from the log again.
//! Tool results are structured: a playbook reads the records, a provider renders them as text.

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
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The turn's number in its task, from 1.
    pub turn: u32,
    /// Role, rules and objectives.
    pub system: Arc<str>,
    /// The tools on this turn's surface, sorted by name.
    pub tools: Arc<[ToolSpec]>,
    /// The conversation: user and assistant alternate, the user begins and has the last word.
    pub messages: Arc<Vec<Arc<Message>>>,
    /// The digest of all of the above.
    pub digest: Digest,
    /// What encloses answers where they are rendered as text; the system prompt names it.
    pub fence: Fence,
    /// What earlier runs showed, for a model that is code; a language model reads it in its first message.
    pub lessons: Arc<Lessons>,
    /// The objectives without an answer so far, by name; told where a lesson may refuse calls.
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
    /// The digest of the message's canonical form.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        Ok(Digest::of(&canonical::to_vec(self)?))
    }
}

/// A part of what the engine says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// An instruction.
    Text {
        /// The words.
        text: String,
    },
    /// The answer to one call of the message before.
    Answer {
        /// The model's own name for the call.
        call: CallId,
        /// The answer.
        answer: Answer,
    },
    /// What stands in place of the conversation's beginning, which was cut: made from the log, by code.
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

/// What a task came to by the end of a part of its conversation that is no longer shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Distilled {
    /// Turns that are not shown.
    pub turns: u32,
    /// Objectives that facts meet.
    pub met: Vec<String>,
    /// The questions that are open.
    pub open: Vec<String>,
    /// What was recorded, the latest last.
    pub recorded: Listed<NodeView>,
    /// The calls that were made, the latest last.
    pub invocations: Listed<NodeView>,
    /// The latest refused claims: code and reason.
    pub rejections: Listed<String>,
}

/// The latest of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed<T> {
    /// Those shown.
    pub shown: Vec<T>,
    /// How many earlier ones are not.
    pub left_out: u32,
}

impl<T> Default for Listed<T> {
    fn default() -> Listed<T> {
        Listed { shown: Vec::new(), left_out: 0 }
    }
}

/// What a model answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Text and calls in their order.
    pub blocks: Vec<ReplyBlock>,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ReplyBlock {
    /// Words to nobody in particular; never evidence.
    Text {
        /// The words.
        text: String,
    },
    /// A call.
    Call(ToolCall),
    /// The message as its provider said it: thinking goes back there with its signature, over its very bytes, or not at all.
    ///
    /// It is for the provider alone: never evidence, and nothing that is read for what it says.
    Verbatim {
        /// The dialect of the provider, such as `anthropic`.
        provider: String,
        /// The message: JSON, as text, so that the record's own form of JSON does not touch it.
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
    /// The calls in their order.
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
    /// What became of a record call's readings.
    Recorded(Recorded),
    /// What became of a claim that something is absent.
    Absence(AbsenceResult),
    /// What became of a claim that facts say something together.
    Derivation(DerivationResult),
    /// A node or edge was added to the graph, or is there already.
    Node {
        /// Its id.
        id: NodeId,
    },
    /// Nodes of the graph.
    Nodes {
        /// Those shown.
        nodes: Vec<NodeView>,
        /// How many more fit.
        left_out: u32,
    },
    /// Records of earlier outputs that fit a text, the best first.
    Recalled(RecalledPages),
    /// What stands in place of an answer that is no longer shown.
    Cut(Loss),
    /// What a task that was handed out came to.
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
    /// What became of sentences of the narrative, in their order.
    Sentences {
        /// Each of them.
        sentences: Vec<SentenceResult>,
    },
    /// What became of statements of the story, in their order.
    Statements {
        /// Each of them.
        statements: Vec<StatementResult>,
    },
    /// The engine took note.
    Noted {
        /// Of what.
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

/// What a tool returned, as the agent is shown it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Returned {
    /// The invocation to cite.
    pub invocation: InvocationId,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the tool returned everything that was asked for.
    pub completeness: Completeness,
    /// Whether this is an earlier invocation's output, given again.
    pub from_log: bool,
    /// The arguments as they were used.
    pub normalised: Option<serde_json::Value>,
    /// The records that are shown.
    pub page: Option<Page>,
    /// Damage met.
    pub defects: Vec<Defect>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// What the tool says about its work.
    pub notes: Vec<String>,
}

impl Answer {
    /// The pages of outputs that it shows.
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

/// What was cut out of the conversation, and how to see it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The tool.
    pub tool: String,
    /// The invocation by which its output can be read again; `None` where the answer was no tool's.
    pub invocation: Option<InvocationId>,
    /// Records in its output.
    pub records: u32,
    /// Of those, or of other things listed, the ones that were shown and no longer are.
    pub cut: u32,
    /// Files that they were read from, the first few.
    pub paths: Vec<String>,
}

/// Records of earlier outputs that fit a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecalledPages {
    /// The records, the best first.
    pub hits: Vec<RecalledHit>,
    /// Records that were found and did not fit.
    pub left_out: u32,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecalledHit {
    /// The record; the rest of its output is read by `read_output`.
    pub page: Page,
    /// Records in that output.
    pub records: u32,
    /// How many of them the conversation no longer shows.
    pub lost: u32,
}

/// Some records of an output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// The invocation to cite.
    pub invocation: InvocationId,
    /// The whole output; a provider renders the shown ranges only.
    #[serde(serialize_with = "as_digest")]
    pub output: Arc<Output>,
    /// The records shown.
    pub shown: Vec<RecordRange>,
}

impl Page {
    /// The records shown, in order.
    pub fn records(&self) -> impl Iterator<Item = &crate::record::Record> {
        self.output.records().iter().filter(|record| self.shown.iter().any(|range| range.contains(record.id)))
    }

    /// The first record that is not shown.
    pub fn first_hidden(&self) -> Option<RecordId> {
        let hidden = |record: &&crate::record::Record| !self.shown.iter().any(|r| r.contains(record.id));
        self.output.records().iter().find(hidden).map(|record| record.id)
    }
}

fn as_digest<S: Serializer>(output: &Arc<Output>, serializer: S) -> Result<S::Ok, S::Error> {
    output.digest().serialize(serializer)
}

/// What became of a record call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recorded {
    /// The phenomenon, where at least one reading was grounded.
    pub phenomenon: Option<PhenomenonId>,
    /// Each reading in its order.
    pub readings: Vec<ReadingResult>,
}

/// What became of one reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum ReadingResult {
    /// It is a fact now.
    Accepted {
        /// The fact.
        fact: FactId,
        /// The invocation that grounds it.
        invocation: InvocationId,
        /// The record that does.
        record: RecordId,
        /// The values as they stand there.
        values: Vec<BoundValue>,
        /// Whether the citation was healed.
        healed: bool,
    },
    /// It was not judged: the budget of refused readings, or that of facts, was spent before its turn came.
    NotJudged,
    /// It was refused.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
}

/// What became of a claim that something is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum AbsenceResult {
    /// Its searches cover it.
    Accepted {
        /// The absence.
        absence: AbsenceId,
        /// The searches that do.
        searches: Vec<InvocationId>,
    },
    /// They do not.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
}

/// What became of a claim that facts say something together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum DerivationResult {
    /// They do.
    Accepted {
        /// The derivation.
        derivation: DerivationId,
    },
    /// They do not.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
}

/// What became of one sentence of the narrative.
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
    /// It was not judged: the budget of refused claims was spent before its turn came.
    NotJudged,
}

/// What became of one statement of the story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum StatementResult {
    /// It is told.
    Accepted {
        /// Its id.
        statement: StatementId,
        /// Why its comment is not kept, or another than its chapter stands; the statement is told all the same.
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<String>,
    },
    /// It is not.
    Rejected {
        /// Why, and what to do next.
        rejection: Rejection,
    },
    /// It was not judged: the budget of refused claims was spent before its turn came.
    NotJudged,
}

/// A node of the graph, as an agent is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeView {
    /// Its id.
    pub id: NodeId,
    /// What it says, in one line rendered by code.
    pub title: String,
    /// The nodes that it rests on or that it joins.
    pub nodes: Vec<NodeId>,
    /// An agent's own words on it, where there are some; interpretation, not evidence.
    pub words: String,
}
