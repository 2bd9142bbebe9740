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
    /// The log answered the same call often enough.
    Repeated,
    /// The turn made too many calls.
    TooManyCalls,
    /// The task's budget of rejected claims ran out.
    RejectionsSpent,
    /// The task's budget of accepted facts ran out.
    FactsSpent,
    /// What it would add to the graph is not supported by the facts that it names.
    Unsupported,
    /// The run has assigned as many tasks as it may.
    TasksSpent,
    /// A lesson of earlier runs says that it cannot work; it runs once a reason is given. Since format 2.26.
    Remembered,
}

impl Refusal {
    /// Returns the word for it in the log.
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
