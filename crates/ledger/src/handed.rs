//! What a task that has ended hands over to whoever dispatched it.

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
    /// Its objectives and how each was answered.
    pub objectives: Vec<ObjectiveResult>,
    /// Its facts.
    pub facts: Vec<FactEntry>,
    /// Its absences.
    pub absences: Vec<AbsenceEntry>,
    /// Its derivations.
    pub derivations: Vec<DerivationEntry>,
    /// Its entities, each with all the facts that name it.
    pub entities: Vec<EntityAdded>,
    /// Every node of its part of the graph, as nodes are shown.
    pub nodes: Vec<NodeView>,
    /// What its agent stored.
    pub artifacts: Vec<Artifact>,
    /// Its calls in order, with the head and the tail of what they returned.
    pub calls: Vec<CallMade>,
    /// Where clocks were set back, as its calls list it.
    pub clocks: Vec<ClockListing>,
    /// Refused claims: code and reason.
    pub refused: Vec<String>,
    /// Its recoveries, with what came of each.
    pub recoveries: Vec<(RecoveryBegun, Option<RecoveryEnded>)>,
}

/// A stored text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its id.
    pub artifact: ArtifactId,
    /// What it is.
    pub kind: ArtifactKind,
    /// One line on it.
    pub summary: String,
    /// The text.
    pub content: Arc<str>,
}

impl Artifact {
    /// The same without its content.
    pub fn head(&self) -> ArtifactHead {
        let characters = u32::try_from(self.content.chars().count()).unwrap_or(u32::MAX);
        ArtifactHead { artifact: self.artifact, kind: self.kind, summary: self.summary.clone(), characters }
    }
}

/// A call that a task made, and the evidence of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallMade {
    /// The invocation.
    pub invocation: InvocationId,
    /// The tool.
    pub tool: String,
    /// Its arguments, in a line.
    pub arguments: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Records that it returned.
    pub records: u32,
    /// The first record, as far as it fits a line; empty where there is none.
    pub head: String,
    /// The last record, where there is another one.
    pub tail: String,
    /// What it did not examine.
    pub gaps: Vec<String>,
}

/// What an agent that dispatched a task is told of it.
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
    /// Whether every objective of it is answered: decided by code, objective by objective.
    pub accepted: bool,
    /// Its objectives.
    pub objectives: Vec<ReportedObjective>,
    /// Phenomena, absences and derivations, those first that answer objectives.
    pub found: Listed<NodeView>,
    /// Facts that answer objectives.
    pub facts: Listed<FactView>,
    /// What was stored: by the task, and by code of it.
    pub artifacts: Vec<ArtifactHead>,
    /// Its latest calls.
    pub calls: Listed<CallMade>,
    /// Refused claims: code and reason.
    pub refused: Listed<String>,
    /// Its recoveries, in a line each.
    pub recoveries: Vec<String>,
    /// All facts of the task, for who reads no text of the report and is not bounded by it.
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
    /// Its subject and its values by their fields, whole, for who reads no titles.
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
    /// How it stands: `met`, `seen`, `empty`, `not_determinable`, `partly` or `not_asked`; in runs before [`crate::Behaviour::Questions`] `unmet` and `nothing_found`, too.
    pub answer: &'static str,
    /// The nodes that answer it.
    pub by: Vec<NodeId>,
    /// What would be needed to answer it.
    pub needed: Vec<String>,
    /// All facts that answer it, likewise.
    #[serde(skip)]
    pub all: Vec<FactId>,
}
