//! The inputs and outputs of a step.

use ground::{AbsenceVerdict, Verdict};
use ledger::canonical::CanonicalError;
use ledger::event::Spent;
use ledger::turn::{Reply, TurnRequest};
use ledger::{
    AbsenceClaim, AbsenceId, AgentSpec, ClaimId, Completeness, Defect, Dispatch, Event, Exchange, FactId,
    Gap, Handed, IdError, InvocationId, Outcome, Output, Reading, RecordId, TaskId,
};
use std::sync::Arc;
use thiserror::Error;

/// What happened outside since the last step.
#[derive(Debug)]
pub enum Input {
    /// Nothing yet: the task was assigned.
    Begin,
    /// The model answered, with the network exchange, if there was one.
    Replied(Reply, Option<Exchange>),
    /// The model was not available, with its provider's reason.
    ModelFailed(String, Option<Exchange>),
    /// The request was longer than the model accepts, in its provider's words.
    TooLong(String, Option<Exchange>),
    /// The tool that the last step asked for has run.
    Returned(ToolReturn),
    /// The gateway has judged the reading that the last step asked about.
    Judged(Box<Verdict>),
    /// The gateway has judged the absence that the last step asked about.
    AbsenceJudged(Box<AbsenceVerdict>),
    /// The task's wall time ran out; given instead of a reply.
    TimeSpent,
    /// The common budget of the run's tasks ran out; given instead of a reply.
    PurseSpent(Spent),
    /// The result of the search that the last step asked for.
    Found(Found),
    /// The tasks that the last step assigned have ended; in the order of their assignments.
    Reported(Vec<Handed>),
    /// The task that assigned it no longer waits for it, or nothing decides its steps any more; given instead of a reply.
    Cancelled,
}

impl Input {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Input::Begin => "begin",
            Input::Replied(..) => "a reply",
            Input::ModelFailed(..) => "a failed turn",
            Input::Returned(_) => "a tool's return",
            Input::Judged(_) => "a verdict",
            Input::AbsenceJudged(_) => "a verdict on an absence",
            Input::TooLong(..) => "a refused request",
            Input::TimeSpent => "the end of the wall time",
            Input::PurseSpent(_) => "the end of the money",
            Input::Found(_) => "what was found",
            Input::Reported(_) => "the reports of tasks",
            Input::Cancelled => "a cancellation",
        }
    }
}

/// What a tool returned.
#[derive(Debug, Clone)]
pub struct ToolReturn {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it returned everything it was asked for.
    pub completeness: Completeness,
    /// The arguments as used.
    pub normalised: Option<serde_json::Value>,
    /// The records; `None` if the call did not end normally.
    pub output: Option<Arc<Output>>,
    /// Damage found.
    pub defects: Vec<Defect>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// What the tool says about its work.
    pub notes: Vec<String>,
}

/// The outcome of a step: append all of `append`, in order, then do `command`.
#[derive(Debug)]
pub struct Step {
    /// The events of this step.
    pub append: Vec<Append>,
    /// What to do next.
    pub command: Command,
}

/// An event to append to the task's stream.
#[derive(Debug, Clone)]
pub struct Append {
    /// The event.
    pub event: Event,
    /// The payload bytes that the event refers to.
    pub payload: Option<Arc<[u8]>>,
}

/// What to do next.
#[derive(Debug)]
pub enum Command {
    /// Ask the model.
    ///
    /// Answer with [`Input::Replied`], [`Input::ModelFailed`], [`Input::TooLong`], [`Input::TimeSpent`], [`Input::PurseSpent`]
    /// or [`Input::Cancelled`].
    AskModel(TurnRequest),
    /// Run a tool; answer with [`Input::Returned`].
    CallTool(Invoke),
    /// Search the outputs of [`crate::Task::shelf`] for a text; answer with [`Input::Found`].
    Find(Sought),
    /// Judge a claim against [`crate::Task::shelf`]; answer with [`Input::Judged`] or [`Input::AbsenceJudged`].
    Judge(Judgement),
    /// Assign tasks and wait until all of them have ended; answer with [`Input::Reported`].
    Dispatch(Vec<Assignment>),
    /// The task has ended.
    End,
}

/// A task to assign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its number.
    pub task: TaskId,
    /// Its agent, with its objectives.
    pub agent: AgentSpec,
    /// The task that assigns it, and what it is given.
    pub dispatch: Dispatch,
}

/// A tool to run.
#[derive(Debug, Clone)]
pub struct Invoke {
    /// The invocation's id.
    pub invocation: InvocationId,
    /// The tool.
    pub tool: String,
    /// The arguments as the model wrote them.
    pub arguments: serde_json::Value,
}

/// What to search for in a task's own outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// The text.
    pub text: String,
}

/// A record of one of a task's own outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The invocation whose output holds it.
    pub invocation: InvocationId,
    /// The record.
    pub record: RecordId,
}

/// The records in which a text was found, in two rankings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The records with some of its words, best first.
    pub by_words: Vec<Place>,
    /// The records with the exact text, latest first.
    pub by_text: Vec<Place>,
}

/// A claim to judge.
#[derive(Debug, Clone)]
pub enum Judgement {
    /// Values are in the evidence.
    Reading {
        /// The claim.
        claim: ClaimId,
        /// The id that the fact gets if it is grounded.
        fact: FactId,
        /// The reading.
        reading: Reading,
    },
    /// Something is absent.
    Absence {
        /// The claim.
        claim: ClaimId,
        /// The id that the absence gets if it is covered.
        id: AbsenceId,
        /// The absence and its searches.
        absence: AbsenceClaim,
    },
}

/// Why a step could not be made: a bug in this program, or a task beyond every limit.
#[derive(Debug, Error)]
pub enum StepError {
    /// The input is not the one that the last command asked for.
    #[error("take a step: expected {expected}, found {found}")]
    Unexpected {
        /// What the task waits for.
        expected: &'static str,
        /// The input that came.
        found: &'static str,
    },
    /// No id is left.
    #[error("take a step")]
    Id(#[from] IdError),
    /// Something has no canonical form.
    #[error("take a step")]
    Canonical(#[from] CanonicalError),
}
