//! What is known about record types, as data: what a record proves, who could have written it, and its kind of source.
//!
//! Each file of `data/records` is about one format, tool or artifact, and has three tables for each of its record types:
//! `[<type>]`, `[<type>.proves]` and `[<type>.writers]`.
//! `[<type>]` has the kind of `source`, the places that it `belongs` to, the field that says whether it is in force (`state`),
//! and how earlier formats described it (`former`).

use crate::record::Record;
use crate::vocabulary::{Predicate, Proof};
use crate::writer::RecordWriters;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use thiserror::Error;

/// The files, by name.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/records.in"));

/// What is known about one record type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfType {
    /// The kind of source of its records, if they come from a source.
    source: Option<String>,
    /// The place where Windows keeps files with such records (`data/places.toml`), if that matters.
    belongs: Option<String>,
    /// The field that says whether the thing is in force, if there is one.
    state: Option<StateField>,
    /// How earlier formats described such records, if they did so differently.
    former: Option<Former>,
    /// What one record proves.
    #[serde(default)]
    pub(crate) proves: BTreeMap<Predicate, Proof>,
    /// Who could have written it.
    pub(crate) writers: Option<RecordWriters>,
}

/// The field of a record type that says whether its subject is in force: for a scheduled task, whether it is disabled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateField {
    /// Its name.
    pub field: String,
    /// Values that mean that it is in force, the usual state.
    pub usual: BTreeSet<String>,
}

/// How earlier formats described the records of a type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Former {
    /// The first format 2.x with today's description.
    #[serde(default = "first_in_force")]
    since: u16,
    /// The type in earlier formats.
    kind: String,
    /// The fields that they lacked.
    #[serde(default)]
    without: Vec<String>,
    /// Field values for which they already used today's description.
    #[serde(default)]
    unless: BTreeMap<String, BTreeSet<String>>,
    /// Fields that held what another field holds today: for an address, also its port.
    #[serde(default)]
    whole: BTreeMap<String, String>,
}

/// The first format 2.x in which things that no longer start had types of their own.
const fn first_in_force() -> u16 {
    19
}

/// Why the files of `data/records` cannot be used.
#[derive(Debug, Error)]
pub enum RecordDataError {
    /// A file is not TOML of this form.
    #[error("read data/records/{file}.toml")]
    Read {
        /// Its name.
        file: &'static str,
        /// The reason.
        #[source]
        source: toml::de::Error,
    },
    /// A record type is in two files.
    #[error("read data/records/{file}.toml: {record:?} is in another file, too")]
    Twice {
        /// The name of the second.
        file: &'static str,
        /// The record type.
        record: String,
    },
}

type All = BTreeMap<String, OfType>;

/// Returns all record types.
///
/// # Errors
///
/// If a file cannot be read: a bug in this program, which a test finds.
pub(crate) fn all() -> Result<&'static All, &'static RecordDataError> {
    static ALL: LazyLock<Result<All, RecordDataError>> = LazyLock::new(|| read(FILES));
    ALL.as_ref()
}

/// Returns the word for the kind of source of records of this type; `None` if the type does not say.
pub fn source_kind(record: &str) -> Option<&'static str> {
    all().ok()?.get(record)?.source.as_deref()
}

/// Returns the field of this record type that says whether the thing is in force; `None` if there is none.
pub fn state_field(record: &str) -> Option<&'static StateField> {
    all().ok()?.get(record)?.state.as_ref()
}

/// Returns a record as format 2.`minor` described it.
/// Before 2.19, things that no longer start had no type of their own; before 2.21, events had fewer fields.
pub fn as_formerly_told(record: &Record, minor: u16) -> Record {
    let former = all().ok().and_then(|all| all.get(&record.kind)?.former.as_ref());
    let former = former.filter(|former| minor < former.since);
    let is_as_then = |former: &&Former| {
        former.unless.iter().any(|(field, values)| {
            record.fields.get(field).is_some_and(|held| values.contains(held.value.to_text().as_ref()))
        })
    };
    let mut record = record.clone();
    if let Some(former) = former.filter(|former| !is_as_then(former)) {
        record.kind.clone_from(&former.kind);
        for (field, holder) in &former.whole {
            if let Some(held) = record.fields.get(holder).cloned() {
                record.fields.insert(field.clone(), held);
            }
        }
        record.fields.retain(|field, _| !former.without.contains(field));
    }
    record
}

/// Checks whether one of a record's fields says the opposite of a predicate that records of its type prove.
/// See [`crate::vocabulary::Meaning::denied_by`].
pub fn denies(record: &Record, predicate: &Predicate) -> bool {
    let proof = all().ok().and_then(|all| all.get(&record.kind)?.proves.get(predicate));
    proof.is_some_and(|proof| proof.is_denied_by(record))
}

/// Checks whether a record of this type proves at least one of `these`, and nothing else except predicates in `beside`.
pub(crate) fn proves_only(record: &str, these: &[&str], beside: &[&str]) -> bool {
    let Some(of) = all().ok().and_then(|all| all.get(record)) else { return false };
    let mut proved = of.proves.keys().map(|predicate| predicate.0.as_str());
    proved.clone().any(|one| these.contains(&one))
        && proved.all(|one| these.contains(&one) || beside.contains(&one))
}

/// Returns the kind of place that records of this type belong to.
pub(crate) fn place_of(record: &str) -> Option<&'static str> {
    all().ok()?.get(record)?.belongs.as_deref()
}

/// Returns all kinds of places that record types belong to.
#[cfg(test)]
pub(crate) fn places() -> impl Iterator<Item = &'static str> {
    all().ok().into_iter().flatten().filter_map(|(_, of)| of.belongs.as_deref())
}

/// Returns the record types that have a kind of source, with its word.
pub fn source_kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = all().ok().into_iter().flatten();
    all.filter_map(|(record, of)| Some((record.as_str(), of.source.as_deref()?)))
}

fn read(files: &[(&'static str, &str)]) -> Result<All, RecordDataError> {
    let mut all = All::new();
    for (file, text) in files {
        let types: All = toml::from_str(text).map_err(|source| RecordDataError::Read { file, source })?;
        for (record, of) in types {
            if all.contains_key(&record) {
                return Err(RecordDataError::Twice { file, record });
            }
            all.insert(record, of);
        }
    }
    Ok(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::{Field, FieldValue, Locator, RecordId};

    #[test]
    fn every_type_is_in_one_file_and_each_file_lists_its_types_in_order() {
        let all = all().unwrap();
        assert!(all.values().all(|of| of.writers.is_some()));
        for (file, text) in FILES {
            let types = text.lines().filter(|line| line.starts_with('[') && line.ends_with(".writers]"));
            assert!(types.is_sorted(), "{file}");
        }
    }

    #[test]
    fn a_record_is_told_as_earlier_formats_told_it() {
        let name = |text: &str| Field { at: None, value: FieldValue::Name(text.into()) };
        let locator = Locator { evidence: "e".into(), path: "SOFTWARE".into(), stream: None, span: None };
        let disabled = |by: &str| Record {
            id: RecordId(0),
            kind: "disabled_autostart".into(),
            locator: locator.clone(),
            placement: None,
            defects: Vec::new(),
            fields: [("name".to_owned(), name("x")), ("disabled_by".to_owned(), name(by))].into(),
        };
        let told = |by| {
            let told = as_formerly_told(&disabled(by), 18);
            (told.kind, told.fields.len())
        };
        assert_eq!(told("type"), ("autostart".to_owned(), 1));
        assert_eq!(told("StartupApproved"), ("disabled_autostart".to_owned(), 2));
        assert_eq!(as_formerly_told(&disabled("type"), 19), disabled("type"));
        let fields = [("address", "192.0.2.7"), ("port", "3389"), ("endpoint", "192.0.2.7:3389")];
        let fields = fields.map(|(field, text)| (field.to_owned(), name(text)));
        let split = Record { kind: "rdp_connection".into(), fields: fields.into(), ..disabled("type") };
        let told = as_formerly_told(&split, 20).fields;
        assert_eq!(told, [("address".to_owned(), name("192.0.2.7:3389"))].into());
        assert_eq!(as_formerly_told(&split, 21), split);
        let types = all().unwrap();
        assert!(
            types.values().filter_map(|of| of.former.as_ref()).all(|former| types.contains_key(&former.kind))
        );
    }

    #[test]
    fn a_type_of_two_files_and_a_misspelt_table_are_refused() {
        let one = "[a.writers]\nwriter = \"any_user\"\n";
        assert!(matches!(read(&[("x", one), ("y", one)]), Err(RecordDataError::Twice { .. })));
        assert!(matches!(read(&[("x", "[a.writer]\n")]), Err(RecordDataError::Read { .. })));
    }
}
