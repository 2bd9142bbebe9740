//! Rules that a team supplies for a run: which files they were, and which records match them.
//!
//! A matching rule is somebody's opinion about a record: it proves nothing, and no fact says it.

use crate::digest::Digest;
use crate::locator::Locator;
use serde::{Deserialize, Serialize};

/// The agent of the task in which code records the matches of the supplied rules.
pub const HUNT: &str = "hunt";

/// What a supplied file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BroughtKind {
    /// Rules in the Sigma language.
    Sigma,
    /// Indicators.
    Ioc,
    /// Hashes of known good files.
    KnownGood,
}

impl BroughtKind {
    /// Returns its name, for people and formats.
    pub const fn name(self) -> &'static str {
        match self {
            BroughtKind::Sigma => "sigma",
            BroughtKind::Ioc => "ioc",
            BroughtKind::KnownGood => "known good",
        }
    }
}

/// A file that was supplied for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BroughtFile {
    /// What it holds.
    pub kind: BroughtKind,
    /// Its name; for a file in a supplied folder, its path from that folder.
    pub name: String,
    /// SHA-256 of its bytes; `None` if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// The place where a supplied file or folder was found: a circumstance, like the places of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BroughtFrom {
    /// What it holds.
    pub kind: BroughtKind,
    /// The path.
    pub path: String,
}

/// The result of comparing the evidence's records with the supplied rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesMatched {
    /// Readable rules in the Sigma language.
    pub rules: u64,
    /// Those of them that no record here can match.
    pub unmatched: u64,
    /// Readable indicators.
    pub indicators: u64,
    /// Records that were compared.
    pub records: u64,
    /// Parts of the files that could not be used; only the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<Unusable>,
    /// The number of further unusable parts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_unusable: u64,
    /// Items in the compared data that were not examined.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gaps: u64,
    /// Each rule that a record matches, and each indicator that one names, highest level first.
    pub fits: Vec<RuleFit>,
    /// Records that match, most important first; if there are many, only the first.
    pub hits: Vec<RuleHit>,
    /// Why nothing was compared, if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A part of a file that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unusable {
    /// The file, by its name in the run.
    pub file: String,
    /// The line, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The reason.
    pub reason: String,
}

/// A rule that records match, or an indicator that they name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFit {
    /// Whether it is a rule or an indicator.
    pub kind: BroughtKind,
    /// Its id, or its title if it has none; for an indicator, its value.
    pub rule: String,
    /// What such a record is, in the rule's words.
    pub title: String,
    /// The highest level of its hits, by level name.
    pub level: String,
    /// The ids of the techniques that it names, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub techniques: Vec<String>,
    /// Its other tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The file that contains it, by its name in the run; for an indicator, with the line.
    pub file: String,
    /// SHA-256 of the rule's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// How many records match it; for a rule over several events, how often it matched.
    pub records: u64,
}

/// A record that matches rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleHit {
    /// The type of the record, and the name of its case table.
    pub record: String,
    /// Its row number there.
    pub row: i64,
    /// Its place in the evidence.
    pub locator: Locator,
    /// The computer that the record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
    /// The matches, highest level first; at least one.
    pub fits: Vec<HitOf>,
    /// The list in which the record's file is known good: then its level is low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_good: Option<String>,
}

/// One match: a record matches a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HitOf {
    /// The index of the rule in [`RulesMatched::fits`].
    pub rule: u32,
    /// How much such a record stands out, by level name.
    pub level: String,
    /// The fields of the record that the rule compared, by the rule's own field names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<MatchedField>,
    /// Remarks that the reader needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// A field that a rule compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchedField {
    /// Its name in the rule.
    pub name: String,
    /// Its value; the beginning of a long one.
    pub value: String,
}
