//! Why calls are refused without running.

use serde::{Deserialize, Serialize};

/// Why a call was refused without running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The tool is not on the turn's surface: a boundary violation.
    OutsideSurface,
    /// There is no such tool.
    UnknownTool,
    /// The arguments do not fit the tool's schema.
    BadArguments,
    /// The same call was answered from the log often enough.
    Repeated,
    /// The turn made too many calls.
    TooManyCalls,
    /// The task's budget of rejected claims is spent.
    RejectionsSpent,
    /// The task's budget of accepted facts is spent.
    FactsSpent,
    /// What it would add to the graph does not rest on the facts that it names.
    Unsupported,
    /// As many tasks as a run may hand out were handed out.
    TasksSpent,
    /// A lesson of earlier runs says that it cannot work; it runs once a reason is given. Since format 2.26.
    Remembered,
}

impl Refusal {
    /// The word for it that stands in the log.
    pub const fn name(self) -> &'static str {
        match self {
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
}
