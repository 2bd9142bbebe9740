//! What a run was told of earlier ones: advice that code wrote, an input of the run, and no evidence.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one agent of a run is told of earlier runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remembered {
    /// The agent.
    pub agent: String,
    /// The lessons, the one that fits best first.
    pub lessons: Vec<RememberedLesson>,
}

/// A lesson as it was recalled when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RememberedLesson {
    /// Its id in the memory: `g-` for one that is in words of this program alone, `c-` for one of the same evidence.
    pub id: String,
    /// What it asks.
    pub rule: LessonRule,
    /// What it says, in words of code, on one line.
    pub text: String,
    /// The tool that it is about; `None` where it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments of the call that it is about: their names, each with the kind of its value, or the value where it is one of the tool's choices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Which calls of its tool are refused once for it; `None` where it is advice alone. Since format 2.26.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuses: Option<Refuses>,
    /// In how many tasks it was learned.
    pub seen: u32,
    /// In how many tasks the opposite was.
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
    /// Those with its arguments, whatever their values.
    Form,
    /// The very call that failed over the same evidence ([`crate::same_call`]).
    Call(Digest),
}

/// Why a call runs that a lesson speaks against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insisted {
    /// The lesson.
    pub lesson: String,
    /// Why it should work now, in the agent's words.
    pub reason: String,
}

/// What a lesson asks of an agent: how to look for something, never whether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonRule {
    /// Not to do again what could not work.
    MustNot,
    /// To begin with what worked.
    ShouldPrefer,
}

impl LessonRule {
    /// The words that stand before a lesson.
    pub const fn words(self) -> &'static str {
        match self {
            LessonRule::MustNot => "MUST NOT",
            LessonRule::ShouldPrefer => "SHOULD PREFER",
        }
    }
}
