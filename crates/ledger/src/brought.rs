//! Rules that a team brings along to a run: which files they were, and which records fit them.
//!
//! That a record fits such a rule is somebody's opinion of it: it proves nothing, and no fact says it.

use crate::digest::Digest;
use crate::locator::Locator;
use serde::{Deserialize, Serialize};

/// The agent of the task in which code records what rules that were brought along found.
pub const HUNT: &str = "hunt";

/// What a file of others holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BroughtKind {
    /// Rules in the language Sigma.
    Sigma,
    /// Indicators.
    Ioc,
    /// Hashes of files that are known to be good.
    KnownGood,
}

impl BroughtKind {
    /// Its name, as people and formats have it.
    pub const fn name(self) -> &'static str {
        match self {
            BroughtKind::Sigma => "sigma",
            BroughtKind::Ioc => "ioc",
            BroughtKind::KnownGood => "known good",
        }
    }
}

/// A file that was brought along to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BroughtFile {
    /// What it holds.
    pub kind: BroughtKind,
    /// Its name; of one in a folder that was named, with the way to it from there.
    pub name: String,
    /// SHA-256 of its bytes; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// Where a file or folder that was brought along was found: a circumstance, as the places of evidence are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BroughtFrom {
    /// What it holds.
    pub kind: BroughtKind,
    /// Where it was.
    pub path: String,
}

/// The records of the evidence were compared with the rules that were brought along.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesMatched {
    /// Rules in the language Sigma that could be read.
    pub rules: u64,
    /// Of these those that no record here can fit.
    pub unmatched: u64,
    /// Indicators that could be read.
    pub indicators: u64,
    /// Records that were compared.
    pub records: u64,
    /// What could not be used of the files, the first of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<Unusable>,
    /// How many more of them there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_unusable: u64,
    /// Things that were not examined of what was compared.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gaps: u64,
    /// Each rule that a record fits, and each indicator that one names: the highest level first.
    pub fits: Vec<RuleFit>,
    /// Records that fit one, what matters most first; of many the first.
    pub hits: Vec<RuleHit>,
    /// Why nothing was compared, where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What could not be used of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unusable {
    /// The file, by its name in the run.
    pub file: String,
    /// The line, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Why.
    pub reason: String,
}

/// A rule that records fit, or an indicator that they name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFit {
    /// Whether it is a rule or an indicator.
    pub kind: BroughtKind,
    /// Its id, or the title where it has none; of an indicator its value.
    pub rule: String,
    /// What such a record is, in the words of the rule.
    pub title: String,
    /// The highest level of its hits, by the names of levels.
    pub level: String,
    /// The ids of the techniques that it names, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub techniques: Vec<String>,
    /// Its other tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The file that it stands in, by its name in the run; of an indicator with the line.
    pub file: String,
    /// SHA-256 of the file of a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// How many records fit it; of a rule over several events how often it found something.
    pub records: u64,
}

/// A record that fits rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleHit {
    /// The type of the record, and the name of its case table.
    pub record: String,
    /// The number of its row there.
    pub row: i64,
    /// Where it stands in the evidence.
    pub locator: Locator,
    /// The computer that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
    /// What fits, the highest level first; at least one.
    pub fits: Vec<HitOf>,
    /// The list that knows the file that it is about to be good: then its level is low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_good: Option<String>,
}

/// That a record fits one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HitOf {
    /// The place of the rule among [`RulesMatched::fits`].
    pub rule: u32,
    /// How much such a record stands out, by the names of levels.
    pub level: String,
    /// What the rule looked at in the record, by its own names of fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<MatchedField>,
    /// What has to be known of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// A field that a rule looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchedField {
    /// Its name, as the rule has it.
    pub name: String,
    /// Its value, of a long one the beginning.
    pub value: String,
}
