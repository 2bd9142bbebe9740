//! Errors of runs.

use crate::agents::AgentError;
use crate::brought::BroughtError;
use crate::drive::DriveError;
use crate::given::GivenError;
use crate::open::OpenRunError;
use crate::replay::Divergence;
use crate::seal::ManifestError;
use crate::unchanged::Change;
use crate::worker::ToolError;
use engine::CriterionFault;
use ledger::canonical::CanonicalError;
use ledger::vocabulary::VocabularyError;
use ledger::writer::WritersError;
use ledger::{Digest, TaskId};
use std::path::{Path, PathBuf};
use store::{CreateError, Fault, ResumeError, SealError, Stopped};
use thiserror::Error;

/// Why a run could not be sealed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The shipped vocabulary of predicates cannot be read, which is a bug in this program.
    #[error("open a run")]
    Vocabulary(#[source] VocabularyError),
    /// The shipped agents cannot be read, which is a bug in this program.
    #[error("open a run")]
    Agents(#[source] AgentError),
    /// The shipped tables of writers cannot be read, which is a bug in this program.
    #[error("open a run")]
    Writers(#[source] WritersError),
    /// A value has no canonical form, which is a bug in this program.
    #[error("open a run")]
    Canonical(#[source] CanonicalError),
    /// The run would be written inside the evidence.
    #[error("open a run: {} lies inside the evidence {}", runs.display(), evidence.display())]
    InsideEvidence {
        /// Where the run would be written.
        runs: PathBuf,
        /// The evidence.
        evidence: PathBuf,
    },
    /// The case has an objective for an unknown agent.
    #[error("open a run: the case has an objective for the agent {agent:?}, which is none of {}", known.join(", "))]
    UnknownAgent {
        /// The agent that the case names.
        agent: String,
        /// The agents of the run.
        known: Vec<String>,
    },
    /// The third-party rules of the run are missing or have changed.
    #[error(transparent)]
    Brought(BroughtError),
    /// The rules name an unknown tool.
    #[error(
        "open a run: the rules name a tool {tool:?}, and there is none; `locard tool` lists those that read evidence"
    )]
    UnknownTool {
        /// The name.
        tool: String,
    },
    /// An objective can never be met.
    #[error("open a run: the objective {objective:?} of the agent {agent:?}: expected {fault}")]
    Objective {
        /// The agent.
        agent: String,
        /// The name of the objective.
        objective: String,
        /// What is wrong.
        fault: Box<CriterionFault>,
    },
    /// Two objectives of an agent have the same name.
    #[error("open a run: two objectives of the agent {agent:?} are named {objective:?}")]
    SameObjective {
        /// The agent.
        agent: String,
        /// The name.
        objective: String,
    },
    /// A branch was requested at a task that another task assigned; a different result would contradict what the assigning task was told.
    #[error("branch {}: {by} handed the task of {agent:?} out in its turn {turn}: branch there", folder.display())]
    HandedOut {
        /// The run folder.
        folder: PathBuf,
        /// The agent.
        agent: String,
        /// The task that assigned it.
        by: TaskId,
        /// The turn in which it was assigned.
        turn: u32,
    },
    /// The rules limit the cost of the run, but the prices of the model are unknown.
    #[error("open a run: the rules limit its cost, but no prices are given for {model}")]
    NoPrice {
        /// The model.
        model: String,
    },
    /// The evidence cannot be opened; no run was begun.
    #[error("open the evidence {label}")]
    Evidence {
        /// Its label.
        label: String,
        /// The cause.
        #[source]
        source: ToolError,
    },
    /// The run folder cannot be made.
    #[error("open a run")]
    Create(#[source] CreateError),
    /// The log of a run cannot be read.
    #[error(transparent)]
    Log(OpenRunError),
    /// A run cannot be resumed: another process is writing it, or its file is damaged.
    #[error("resume {}", folder.display())]
    Resume {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: Box<ResumeError>,
    },
    /// The run broke off before anything was recorded.
    #[error("resume {}: nothing was recorded", folder.display())]
    NothingRecorded {
        /// The run folder.
        folder: PathBuf,
    },
    /// The log of the run has no seal.
    #[error("write the manifest of {}: the log is not sealed", folder.display())]
    NotSealed {
        /// The run folder.
        folder: PathBuf,
    },
    /// The run is not an interrupted session of questions.
    #[error(
        "continue {}: expected an unsealed run in which only questions are open; `locard resume` continues others",
        folder.display()
    )]
    NoSession {
        /// The run folder.
        folder: PathBuf,
    },
    /// The evidence of a run cannot be located.
    #[error(transparent)]
    Given(GivenError),
    /// The name index of the evidence differs from the one that the run has used.
    #[error("resume {}: {label} is not the evidence that it was started with", folder.display())]
    OtherEvidence {
        /// The run folder.
        folder: PathBuf,
        /// The label of the evidence.
        label: String,
    },
    /// Names, sizes or times of the evidence's files have changed since the run was begun.
    #[error("resume {}: names, sizes or times of its evidence's files have changed since it was started", folder.display())]
    NotAsItWas {
        /// The run folder.
        folder: PathBuf,
    },
    /// The run was begun by a program version with another format, vocabulary, tools or behaviour.
    #[error("resume {}: it was started by version {program}, with another {what} than this version has", folder.display())]
    OtherProgram {
        /// The run folder.
        folder: PathBuf,
        /// The version of that program.
        program: String,
        /// What differs.
        what: &'static str,
    },
    /// The model in the log is unknown here.
    #[error("resume {}: there is no model {model:?} here", folder.display())]
    UnknownModel {
        /// The run folder.
        folder: PathBuf,
        /// The model.
        model: String,
    },
    /// The model in the log, or the requested one, is not available now.
    #[error("resume {}: the model {model} is not available", folder.display())]
    NoModel {
        /// The run folder.
        folder: PathBuf,
        /// The model.
        model: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model of that name has changed.
    #[error("resume {}: the {model} of the agent {agent} is not the one that it was started with", folder.display())]
    OtherModel {
        /// The run folder.
        folder: PathBuf,
        /// The agent.
        agent: String,
        /// The model.
        model: String,
    },
    /// The steps computed again differ from the log.
    #[error(
        "resume {}: event {} of {task} does not come out as it stands in the log: `locard replay` shows it",
        folder.display(), divergence.event
    )]
    Diverged {
        /// The run folder.
        folder: PathBuf,
        /// The task.
        task: TaskId,
        /// The first difference.
        divergence: Box<Divergence>,
    },
    /// No task, or more than one, matches the request.
    #[error("branch off {}: expected one of its agents, {}", folder.display(), known.join(", "))]
    WhichTask {
        /// The run folder.
        folder: PathBuf,
        /// Its agents.
        known: Vec<String>,
    },
    /// The task never reached the turn.
    #[error("branch off {}: {agent} was never asked for turn {turn}", folder.display())]
    NoTurn {
        /// The run folder.
        folder: PathBuf,
        /// The agent.
        agent: String,
        /// The turn.
        turn: u32,
    },
    /// Recording stopped.
    #[error("record the run {}", folder.display())]
    Recording {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: Stopped,
    },
    /// Tools cannot be run.
    #[error("run tools")]
    Tools(#[source] ToolError),
    /// A task could not continue.
    #[error("investigate {}", folder.display())]
    Drive {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: DriveError,
    },
    /// The evidence could not be hashed, which is required for sealing a run.
    #[error("hash the evidence {label}")]
    Hash {
        /// The run folder.
        folder: PathBuf,
        /// Its label.
        label: String,
        /// The cause.
        #[source]
        source: ToolError,
    },
    /// Calls used an index that was built from different evidence, which its samples could not distinguish; the index was removed.
    #[error(
        "seal the run {}: an index of {label} was built from other evidence: expected the hash {expected}, found {found}",
        folder.display()
    )]
    IndexOfOther {
        /// The run folder.
        folder: PathBuf,
        /// The label of the evidence.
        label: String,
        /// The hash of the evidence that the index was built from.
        expected: Digest,
        /// The hash of this evidence.
        found: Digest,
    },
    /// The evidence changed since the run began, so it is unknown which state a call has read.
    #[error(
        "seal the run {}: the evidence {label} changed while it was examined: {} {change}",
        folder.display(), path.display()
    )]
    Changed {
        /// The run folder.
        folder: PathBuf,
        /// The label of the evidence.
        label: String,
        /// The first file that shows the change.
        path: PathBuf,
        /// The change of that file.
        change: Change,
    },
    /// The run was interrupted; it stays unsealed and readable.
    #[error("investigate {}: it was interrupted", folder.display())]
    Interrupted {
        /// The run folder.
        folder: PathBuf,
    },
    /// A thread of the program panicked.
    #[error("investigate {}: a thread of the program panicked", folder.display())]
    Panicked {
        /// The run folder.
        folder: PathBuf,
    },
    /// A thread of the program panicked before the run was begun.
    #[error("open a run: a thread of the program panicked")]
    ThreadPanicked,
    /// The run could not be sealed.
    #[error("seal the run {}", folder.display())]
    Seal {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: SealError,
    },
    /// The manifest could not be written.
    #[error("seal the run {}", folder.display())]
    Manifest {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: ManifestError,
    },
}

/// Why a model is not available.
#[derive(Debug, Error)]
pub enum NoModel {
    /// No model has this name.
    #[error("there is no model of this name")]
    Unknown,
    /// The model cannot be used; for example, its key or its address is missing.
    #[error("the model is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl NoModel {
    /// Converts this to an error of a run.
    pub(super) fn of(self, folder: PathBuf, model: &str) -> RunError {
        let model = model.to_owned();
        match self {
            NoModel::Unknown => RunError::UnknownModel { folder, model },
            NoModel::Unavailable(source) => RunError::NoModel { folder, model, source },
        }
    }
}

impl RunError {
    /// Whether the run was not resumed because another process is writing it.
    pub fn is_held(&self) -> bool {
        let RunError::Resume { source, .. } = self else { return false };
        matches!(**source, ResumeError::Fault(Fault::Held { .. }))
    }

    /// Returns the folder of the run that was begun, if any.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            RunError::Recording { folder, .. }
            | RunError::Drive { folder, .. }
            | RunError::Hash { folder, .. }
            | RunError::IndexOfOther { folder, .. }
            | RunError::Changed { folder, .. }
            | RunError::Interrupted { folder }
            | RunError::Seal { folder, .. }
            | RunError::Manifest { folder, .. }
            | RunError::Resume { folder, .. }
            | RunError::NothingRecorded { folder }
            | RunError::NotSealed { folder }
            | RunError::NoSession { folder }
            | RunError::OtherEvidence { folder, .. }
            | RunError::NotAsItWas { folder }
            | RunError::OtherProgram { folder, .. }
            | RunError::UnknownModel { folder, .. }
            | RunError::NoModel { folder, .. }
            | RunError::OtherModel { folder, .. }
            | RunError::Diverged { folder, .. }
            | RunError::Panicked { folder } => Some(folder),
            RunError::Vocabulary(_)
            | RunError::Agents(_)
            | RunError::Writers(_)
            | RunError::Canonical(_)
            | RunError::InsideEvidence { .. }
            | RunError::UnknownAgent { .. }
            | RunError::UnknownTool { .. }
            | RunError::Objective { .. }
            | RunError::SameObjective { .. }
            | RunError::HandedOut { .. }
            | RunError::NoPrice { .. }
            | RunError::Evidence { .. }
            | RunError::Create(_)
            | RunError::Log(_)
            | RunError::Given(_)
            | RunError::Brought(_)
            | RunError::WhichTask { .. }
            | RunError::NoTurn { .. }
            | RunError::ThreadPanicked
            | RunError::Tools(_) => None,
        }
    }
}
