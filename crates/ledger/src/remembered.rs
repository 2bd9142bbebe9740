//! What a run was told about earlier runs: advice written by code. It is an input of the run, not evidence.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one agent of a run is told about earlier runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remembered {
    /// The agent.
    pub agent: String,
    /// The lessons, best match first.
    pub lessons: Vec<RememberedLesson>,
}

/// A lesson as it was recalled when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RememberedLesson {
    /// Its id in the memory: `g-` for a lesson in this program's own words alone, `c-` for one about the same evidence.
    pub id: String,
    /// What it asks.
    pub rule: LessonRule,
    /// Its text, written by code, on one line.
    pub text: String,
    /// The tool that it is about; `None` if it is about no tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments of the call that it is about:
    /// each name with the kind of its value, or the value itself if it is one of the tool's choices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Which calls of its tool are refused once because of it; `None` if it is only advice. Since format 2.26.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuses: Option<Refuses>,
    /// The number of tasks in which it was learned.
    pub seen: u32,
    /// The number of tasks in which the opposite was learned.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contradicted: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Which calls a lesson refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refuses {
    /// Calls with its arguments, whatever their values.
    Form,
    /// The exact call that failed on the same evidence ([`crate::same_call`]).
    Call(Digest),
}

/// Why a call runs although a lesson advises against it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insisted {
    /// The lesson.
    pub lesson: String,
    /// Why it should work now, in the agent's words.
    pub reason: String,
}

/// What a lesson asks of an agent: how to search for something, never whether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonRule {
    /// Not to repeat what could not work.
    MustNot,
    /// To begin with what worked.
    ShouldPrefer,
}

impl LessonRule {
    /// Returns the words that precede a lesson.
    pub const fn words(self) -> &'static str {
        match self {
            LessonRule::MustNot => "MUST NOT",
            LessonRule::ShouldPrefer => "SHOULD PREFER",
        }
    }
}
