//! The closed vocabulary of predicates, kept as data.

mod predicate;
mod proof;

pub(crate) use proof::Proof;

use crate::placement::{Placement, tells_of_host};
use crate::record::Record;
use crate::record_data::{self, RecordDataError};
use crate::value::FieldValue;
pub use predicate::Predicate;
pub use proof::Denials;
use proof::denying;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The predicates of a run, and what can prove each of them.
///
/// ```
/// use ledger::{Predicate, Vocabulary};
///
/// # fn main() -> Result<(), ledger::vocabulary::VocabularyError> {
/// let shipped = Vocabulary::shipped()?;
/// let proved: Vec<String> = shipped.proved_by("prefetch").map(Predicate::to_string).collect();
/// assert_eq!(proved, ["executed", "recorded"]);
///
/// // For records of your own:
/// let own = "[predicate.paid]\nmeaning = \"money was paid\"\n[record.transfer.paid]\nstates = \"amount\"";
/// assert_eq!(Vocabulary::from_toml(own)?.proved_by("transfer").count(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Default, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vocabulary {
    predicates: BTreeMap<Predicate, Meaning>,
}

/// One entry of the vocabulary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meaning {
    /// What the predicate says about a subject.
    pub meaning: String,
    /// Whether a file proves it wherever it is; any other predicate needs a file that is where it belongs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anywhere: bool,
    /// The record types of which a single record proves it.
    pub proved_by: BTreeSet<String>,
    /// By record type, the field that a reading must state for the predicate to mean anything: for a change, its time.
    #[serde(default)]
    pub states: BTreeMap<String, String>,
    /// By record type, values of that field with which a record says the opposite, as a claim would state them:
    /// for a disabled service, that it starts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unless: BTreeMap<String, BTreeSet<String>>,
    /// By record type, a field that must not have the stated value: for a renaming, the subject's present name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unlike: BTreeMap<String, String>,
    /// By record type, fields with which a record says the opposite whether or not a reading states them,
    /// with patterns of such values ([`crate::pattern`]).
    /// An example is a subscription that was deleted. Since format 2.20.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub denied_by: BTreeMap<String, Denials>,
}

/// The vocabulary as written: the predicates, and what a record of each type proves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VocabularyFile {
    predicate: BTreeMap<Predicate, Said>,
    #[serde(default)]
    record: BTreeMap<String, BTreeMap<Predicate, Proof>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    meaning: String,
    #[serde(default)]
    anywhere: bool,
}

/// Why a text is not a vocabulary.
#[derive(Debug, Error)]
pub enum VocabularyError {
    /// The text is not TOML of this form.
    #[error("read a vocabulary of predicates")]
    Read(#[source] toml::de::Error),
    /// The data about record types cannot be read.
    #[error(transparent)]
    Records(&'static RecordDataError),
    /// A record type names a predicate that is not in the vocabulary.
    #[error("read a vocabulary of predicates: record {record:?}: no predicate {:?}", predicate.0)]
    UnknownPredicate {
        /// The record type.
        record: String,
        /// The predicate that it names.
        predicate: Predicate,
    },
}

impl VocabularyFile {
    fn read(text: &str) -> Result<VocabularyFile, VocabularyError> {
        toml::from_str(text).map_err(VocabularyError::Read)
    }

    fn vocabulary(self) -> Result<Vocabulary, VocabularyError> {
        let meaning = |Said { meaning, anywhere }| Meaning { meaning, anywhere, ..Meaning::default() };
        let mut predicates: BTreeMap<_, _> =
            self.predicate.into_iter().map(|(name, said)| (name, meaning(said))).collect();
        for (record, proofs) in self.record {
            for (predicate, Proof { states, unless, unlike, denied_by }) in proofs {
                let Some(meaning) = predicates.get_mut(&predicate) else {
                    return Err(VocabularyError::UnknownPredicate { record, predicate });
                };
                meaning.proved_by.insert(record.clone());
                meaning.unlike.extend(unlike.map(|field| (record.clone(), field)));
                meaning.states.extend(states.map(|field| (record.clone(), field)));
                if !unless.is_empty() {
                    meaning.unless.insert(record.clone(), unless);
                }
                if !denied_by.is_empty() {
                    meaning.denied_by.insert(record.clone(), denied_by);
                }
            }
        }
        Ok(Vocabulary { predicates })
    }
}

impl Meaning {
    /// Checks whether a record of a file with this placement can prove it.
    pub fn is_proved_at(&self, placement: Option<Placement>) -> bool {
        self.anywhere || tells_of_host(placement)
    }

    /// Checks whether a record proves it if a reading cites the record and states the field that it needs.
    pub fn is_proved_by(&self, record: &Record) -> bool {
        self.is_proved_at(record.placement) && self.is_said_by(record)
    }

    /// Does the same wherever the record's file is: for a misplaced copy of a log, what the copy says.
    pub fn is_said_by(&self, record: &Record) -> bool {
        let needed = self.states.get(&record.kind).map(|field| record.fields.get(field));
        let is_stated =
            needed.is_none_or(|held| held.is_some_and(|held| self.is_stated(record, &held.value)));
        self.proved_by.contains(&record.kind) && self.denied_by(record).is_none() && is_stated
    }

    /// Checks whether the value of the needed field supports it, and not the opposite or nothing.
    fn is_stated(&self, record: &Record, value: &FieldValue) -> bool {
        let text = value.to_text();
        let is_instant = !matches!(value, FieldValue::Time(time) if time.utc.is_none());
        let denies = self.unless.get(&record.kind).is_some_and(|values| values.contains(text.as_ref()));
        let other = self.unlike.get(&record.kind).and_then(|other| record.fields.get(other));
        is_instant && !denies && other.is_none_or(|other| other.value.to_text() != text)
    }

    /// Returns the field with which a record says the opposite, whether or not a reading states it.
    pub fn denied_by<'m>(&'m self, record: &Record) -> Option<&'m str> {
        denying(self.denied_by.get(&record.kind)?, record)
    }
}

impl Vocabulary {
    /// Reads a vocabulary from TOML: `[predicate.<name>]` with its `meaning`, `[record.<type>]` with what a record of the type proves.
    pub fn from_toml(text: &str) -> Result<Vocabulary, VocabularyError> {
        VocabularyFile::read(text)?.vocabulary()
    }

    /// Reads the vocabulary of this version (`data/predicates.toml`, and what `data/records` says about record types).
    ///
    /// # Errors
    ///
    /// If that data cannot be read: a bug in this program, which a test finds.
    pub fn shipped() -> Result<Vocabulary, VocabularyError> {
        let mut file = VocabularyFile::read(include_str!("../data/predicates.toml"))?;
        let records = record_data::all().map_err(VocabularyError::Records)?;
        file.record.extend(records.iter().map(|(record, of)| (record.clone(), of.proves.clone())));
        file.vocabulary()
    }

    /// Returns the entry of a predicate; `None` if the vocabulary does not have it.
    pub fn meaning(&self, predicate: &Predicate) -> Option<&Meaning> {
        self.predicates.get(predicate)
    }

    /// Returns all entries in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = (&Predicate, &Meaning)> {
        self.predicates.iter()
    }

    /// Returns the predicates that a record of this type can prove.
    pub fn proved_by<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Predicate> {
        self.entries().filter(move |(_, meaning)| meaning.proved_by.contains(kind)).map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_vocabulary_reads_and_knows_what_proves_a_quotation() {
        let vocabulary = Vocabulary::shipped().unwrap();
        let quoted = vocabulary.meaning(&Predicate::quoted()).unwrap();
        assert!(quoted.proved_by.contains("text_line"));
        assert!(vocabulary.meaning(&Predicate("suspected".into())).is_none());
    }

    #[test]
    fn a_misspelt_member_is_refused() {
        assert!(Vocabulary::from_toml("[predicate.present]\nmeaning = \"x\"\nproved_by = []").is_err());
        let unknown = Vocabulary::from_toml("[predicate.a]\nmeaning = \"x\"\n[record.r]\nb = {}");
        assert!(matches!(unknown, Err(VocabularyError::UnknownPredicate { .. })));
    }
}
