//! What a task hands over to the task that dispatched it, after it has ended.

use crate::absence::AbsenceEntry;
use crate::agent::AgentSpec;
use crate::clock_steps::ClockListing;
use crate::derivation::DerivationEntry;
use crate::dispatch::{ArtifactHead, ArtifactKind};
use crate::event::{EntityAdded, ObjectiveResult, RecoveryBegun, RecoveryEnded, TaskStatus};
use crate::fact::FactEntry;
use crate::id::{ArtifactId, FactId, InvocationId, TaskId};
use crate::node::NodeId;
use crate::tool::Outcome;
use crate::turn::{Listed, NodeView};
use serde::Serialize;
use std::sync::Arc;

/// Everything that a task hands over: folded from its log.
#[derive(Debug, Clone, PartialEq)]
pub struct Handed {
    /// The task.
    pub task: TaskId,
    /// Its agent, with its objectives.
    pub agent: AgentSpec,
    /// How it ended.
    pub status: TaskStatus,
    /// Its objectives with their results.
    pub objectives: Vec<ObjectiveResult>,
    /// Its facts.
    pub facts: Vec<FactEntry>,
    /// Its absences.
    pub absences: Vec<AbsenceEntry>,
    /// Its derivations.
    pub derivations: Vec<DerivationEntry>,
    /// Its entities, each with all the facts that name it.
    pub entities: Vec<EntityAdded>,
    /// Every node of its part of the graph, in the form shown to agents.
    pub nodes: Vec<NodeView>,
    /// The artifacts that its agent stored.
    pub artifacts: Vec<Artifact>,
    /// Its calls in order, with the first and last record that they returned.
    pub calls: Vec<CallMade>,
    /// The clock steps that its calls list.
    pub clocks: Vec<ClockListing>,
    /// Refused claims: code and reason.
    pub refused: Vec<String>,
    /// Its recoveries with their results.
    pub recoveries: Vec<(RecoveryBegun, Option<RecoveryEnded>)>,
}

/// A stored text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its id.
    pub artifact: ArtifactId,
    /// What it is.
    pub kind: ArtifactKind,
    /// One line about it.
    pub summary: String,
    /// The text.
    pub content: Arc<str>,
}

impl Artifact {
    /// Returns the artifact without its content.
    pub fn head(&self) -> ArtifactHead {
        let characters = u32::try_from(self.content.chars().count()).unwrap_or(u32::MAX);
        ArtifactHead { artifact: self.artifact, kind: self.kind, summary: self.summary.clone(), characters }
    }
}

/// A call that a task made, with samples of its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallMade {
    /// The invocation.
    pub invocation: InvocationId,
    /// The tool.
    pub tool: String,
    /// Its arguments, in one line.
    pub arguments: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The number of records that it returned.
    pub records: u32,
    /// The first record, shortened to a line; empty if there is none.
    pub head: String,
    /// The last record, if there is more than one.
    pub tail: String,
    /// What it did not examine.
    pub gaps: Vec<String>,
}

/// The report on a task for the agent that dispatched it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskReport {
    /// The task.
    pub task: TaskId,
    /// Its agent.
    pub agent: String,
    /// Its sequence number.
    pub sequence: u32,
    /// How it ended.
    pub status: TaskStatus,
    /// Whether all its objectives are answered; code decides this for each objective.
    pub accepted: bool,
    /// Its objectives.
    pub objectives: Vec<ReportedObjective>,
    /// Phenomena, absences and derivations; those that answer objectives come first.
    pub found: Listed<NodeView>,
    /// Facts that answer objectives.
    pub facts: Listed<FactView>,
    /// The stored artifacts: by the task, and by code about the task.
    pub artifacts: Vec<ArtifactHead>,
    /// Its latest calls.
    pub calls: Listed<CallMade>,
    /// Refused claims: code and reason.
    pub refused: Listed<String>,
    /// Its recoveries, one line each.
    pub recoveries: Vec<String>,
    /// All facts of the task, for readers that do not use the text of the report and need no bound.
    #[serde(skip)]
    pub all: Vec<FactView>,
}

/// A fact in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactView {
    /// The fact.
    pub id: FactId,
    /// What it says, in one line rendered by code.
    pub title: String,
    /// Its subject and its values by field, complete, for readers that do not use titles.
    #[serde(skip)]
    pub values: Vec<(String, String)>,
}

/// One objective in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedObjective {
    /// Its name.
    pub id: String,
    /// The question.
    pub question: String,
    /// Its status: `met`, `seen`, `empty`, `not_determinable`, `partly` or `not_asked`.
    /// In runs before [`crate::Behaviour::Questions`] also `unmet` and `nothing_found`.
    pub answer: &'static str,
    /// The nodes that answer it.
    pub by: Vec<NodeId>,
    /// What would be needed to answer it.
    pub needed: Vec<String>,
    /// All facts that answer it, for such readers.
    #[serde(skip)]
    pub all: Vec<FactId>,
}
