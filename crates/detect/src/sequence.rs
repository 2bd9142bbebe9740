//! Patterns that only several records show together: steps in order of time, and rare pairs.

use crate::data::{self, KindEntry, Lists};
use crate::error::AttackError;
use crate::rule::Kind;
use crate::{Attack, Level, TechniqueId};
use ledger::pattern::Patterns;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The data of this version of the program.
const DATA: &str = include_str!("../data/sequences.toml");

/// The most fields that join records.
pub(crate) const MOST_FIELDS: usize = 4;

/// All sequences.
#[derive(Debug, Clone, Default)]
pub struct Sequences {
    pub(crate) all: Vec<Sequence>,
    /// For each record type, the numbers of the sequences with a step on it.
    pub(crate) by_record: BTreeMap<String, Vec<usize>>,
}

/// A sequence.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pub(crate) id: String,
    pub(crate) note: String,
    pub(crate) level: Level,
    pub(crate) techniques: Vec<TechniqueId>,
    /// The fields whose values its records share.
    pub(crate) by: Vec<String>,
    pub(crate) form: Form,
}

/// How records form a sequence.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// One step after another, with the first and last record at most so many nanoseconds apart.
    Steps { within: i128, steps: Vec<Step> },
    /// A value that only one record has, among at least so many records that share the other fields.
    Rare { step: Step, least: usize },
}

/// Records that form a step.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    /// How many records are needed.
    pub(crate) least: usize,
    /// The fields of which so many different values are needed, instead of so many records; for a rare value, the fields that have it.
    pub(crate) distinct: Vec<String>,
    /// What its records call a field that joins records.
    pub(crate) fields: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SequencesFile {
    sequence: Vec<SequenceEntry>,
    #[serde(default)]
    rare: Vec<RareEntry>,
    #[serde(default)]
    list: Lists,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SequenceEntry {
    id: String,
    level: Level,
    note: String,
    techniques: Vec<TechniqueId>,
    within: String,
    by: Vec<String>,
    step: Vec<StepEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepEntry {
    record: Patterns,
    #[serde(default)]
    when: BTreeMap<String, Patterns>,
    #[serde(default)]
    unless: BTreeMap<String, Patterns>,
    #[serde(default = "one")]
    least: usize,
    #[serde(default)]
    distinct: Option<String>,
    #[serde(default)]
    fields: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RareEntry {
    id: String,
    level: Level,
    note: String,
    techniques: Vec<TechniqueId>,
    record: Patterns,
    #[serde(default)]
    when: BTreeMap<String, Patterns>,
    #[serde(default)]
    unless: BTreeMap<String, Patterns>,
    by: Vec<String>,
    of: Vec<String>,
    least: usize,
}

const fn one() -> usize {
    1
}

impl Sequences {
    /// Reads the data of this version of the program.
    pub fn shipped() -> Result<Sequences, AttackError> {
        Sequences::from_toml(DATA, &Attack::shipped()?)
    }

    /// Reads sequences from TOML (docs/attack.md describes the form); their techniques must be in `attack`.
    pub fn from_toml(text: &str, attack: &Attack) -> Result<Sequences, AttackError> {
        let file: SequencesFile = toml::from_str(text).map_err(AttackError::Read)?;
        let mut all = Vec::new();
        for entry in file.sequence {
            all.push(steps(entry, &file.list)?);
        }
        for entry in file.rare {
            all.push(rare(entry, &file.list)?);
        }
        data::once("the sequences", all.iter().map(|it| &it.id))?;
        for it in &all {
            if let Some(unknown) = it.techniques.iter().find(|id| attack.technique(id).is_none()) {
                return Err(AttackError::UnknownTechnique {
                    rule: it.id.clone(),
                    technique: unknown.clone(),
                });
            }
            let many = it.by.len() > MOST_FIELDS;
            for (lacks, is_empty) in [
                ("note", it.note.is_empty()),
                ("technique", it.techniques.is_empty()),
                ("fields to join by, four at most", it.by.is_empty() || many),
                ("step", it.steps().next().is_none()),
            ] {
                if is_empty {
                    return Err(AttackError::EmptyRule { rule: it.id.clone(), lacks });
                }
            }
        }
        let mut by_record: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, it) in all.iter().enumerate() {
            let records: BTreeSet<&String> = it.steps().flat_map(|step| &step.kind.records).collect();
            for record in records {
                by_record.entry(record.clone()).or_default().push(number);
            }
        }
        Ok(Sequences { all, by_record })
    }

    /// Returns the record types that steps cover.
    pub fn record_types(&self) -> BTreeSet<&str> {
        self.by_record.keys().map(String::as_str).collect()
    }

    /// Returns each sequence with its name, level, description and techniques.
    pub fn told(&self) -> impl Iterator<Item = (&str, Level, &str, &[TechniqueId])> {
        self.all.iter().map(|it| (it.id.as_str(), it.level, it.note.as_str(), it.techniques.as_slice()))
    }

    /// Returns the fields of a record type that its steps read.
    pub fn fields_of(&self, record: &str) -> BTreeSet<&str> {
        let steps = self.all.iter().flat_map(|it| it.steps().map(move |step| (it, step)));
        let over = steps.filter(|(_, step)| step.kind.records.contains(record));
        over.flat_map(|(it, step)| {
            it.by.iter().map(|name| step.called(name)).chain(step.distinct.iter().map(String::as_str))
        })
        .collect()
    }
}

impl Sequence {
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        let (steps, rare) = match &self.form {
            Form::Steps { steps, .. } => (steps.as_slice(), None),
            Form::Rare { step, .. } => (&[][..], Some(step)),
        };
        steps.iter().chain(rare)
    }
}

impl Step {
    /// Returns what its records call a field that joins records.
    pub(crate) fn called<'a>(&'a self, name: &'a str) -> &'a str {
        self.fields.get(name).map_or(name, String::as_str)
    }
}

fn steps(entry: SequenceEntry, lists: &Lists) -> Result<Sequence, AttackError> {
    let SequenceEntry { id, level, note, techniques, within, by, step } = entry;
    let within = span(&within).ok_or(AttackError::EmptyRule { rule: id.clone(), lacks: "span of time" })?;
    let mut steps = Vec::new();
    for StepEntry { record, when, unless, least, distinct, fields } in step {
        let kind =
            data::kind(&id, KindEntry { record, predicate: None, when, unless, earlier: None }, lists)?;
        steps.push(Step { kind, least: least.max(1), distinct: distinct.into_iter().collect(), fields });
    }
    Ok(Sequence { id, note, level, techniques, by, form: Form::Steps { within, steps } })
}

fn rare(entry: RareEntry, lists: &Lists) -> Result<Sequence, AttackError> {
    let RareEntry { id, level, note, techniques, record, when, unless, by, of, least } = entry;
    let kind = data::kind(&id, KindEntry { record, predicate: None, when, unless, earlier: None }, lists)?;
    let step = Step { kind, least: 1, distinct: of, fields: BTreeMap::new() };
    Ok(Sequence { id, note, level, techniques, by, form: Form::Rare { step, least } })
}

/// Returns the nanoseconds of `30s`, `10m`, `2h` or `1d`.
fn span(text: &str) -> Option<i128> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    number.parse::<i128>().ok().filter(|number| *number > 0)?.checked_mul(seconds * 1_000_000_000)
}

/// Returns the shipped data; a test checks that it can be read.
pub fn shipped_sequences() -> &'static Sequences {
    static SHIPPED: LazyLock<Sequences> = LazyLock::new(|| Sequences::shipped().unwrap_or_default());
    &SHIPPED
}
