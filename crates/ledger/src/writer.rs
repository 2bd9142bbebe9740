//! Who could have written the value of a record's field.
//!
//! Every record type has a table of who writes its fields.
//! The place of the file that a record was read from, and for some types the value of another field, can only lower that.
//! So the answer is the least trusted writer by all that is known, and [`Writer::AnyUser`] if nothing is known.
//! The tables are data (`data/writers.toml`, `data/records`) and are stored in a run's first event,
//! so that a later examination of the run uses the same tables.

use crate::pattern;
use crate::record::Record;
use crate::record_data::{self, RecordDataError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The tables of a run; for a run before format 2.3 they are empty and say nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Writers {
    /// The possible paths of a drive's root in the evidence, component by component;
    /// the first that matches the beginning of a path is removed from it.
    #[serde(default)]
    pub root: Vec<String>,
    /// Places on a drive; the first that matches counts.
    #[serde(default)]
    pub place: Vec<Place>,
    /// How the value of a field lowers the writer, by field.
    #[serde(default)]
    pub limit: BTreeMap<String, Limit>,
    /// The record types.
    #[serde(default)]
    pub record: BTreeMap<String, RecordWriters>,
}

/// Files and folders, by their paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Paths from the root of a drive: `**` at the end matches any components, `*` and `?` match characters within one.
    pub paths: Vec<String>,
    /// Who writes the files.
    pub writer: Writer,
    /// Whose words can be in their bytes, if that is a less trusted party: a log of the system contains what others said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Writer>,
}

/// How the value of a field lowers the writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Fields of the same record that it does not lower.
    #[serde(default)]
    pub kept: BTreeSet<String>,
    /// Entries by value; the first that matches counts.
    pub is: Vec<LimitEntry>,
    /// The writer for every other value, and for a record without this field.
    pub other: Writer,
}

/// Values of a field, and the writer that they point to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitEntry {
    /// The values: `*` and `?` match characters.
    pub values: Vec<String>,
    /// If given, the entry applies only to files at these places; see [`Place::paths`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The writer.
    pub writer: Writer,
}

/// Why a text is not a table of writers.
#[derive(Debug, Error)]
pub enum WritersError {
    /// The text is not TOML of this form.
    #[error("read the tables of writers")]
    Read(#[source] toml::de::Error),
    /// The data about record types cannot be read.
    #[error(transparent)]
    Records(&'static RecordDataError),
    /// A record type names a limit that does not exist.
    #[error("read the tables of writers: record {record:?}: no limit {limit:?}")]
    UnknownLimit {
        /// The record type.
        record: String,
        /// The limit.
        limit: String,
    },
}

impl Writers {
    /// Reads the tables from TOML: `[record.<type>]`, `[[place]]`, `[limit.<field>]`, `root`.
    pub fn from_toml(text: &str) -> Result<Writers, WritersError> {
        toml::from_str::<Writers>(text).map_err(WritersError::Read)?.checked()
    }

    fn checked(self) -> Result<Writers, WritersError> {
        for (record, table) in &self.record {
            if let Some(limit) = table.by.as_ref().filter(|limit| !self.limit.contains_key(*limit)) {
                let (record, limit) = (record.clone(), limit.clone());
                return Err(WritersError::UnknownLimit { record, limit });
            }
        }
        Ok(self)
    }

    /// Reads the tables of this version (`data/writers.toml`, and what `data/records` says about record types).
    ///
    /// # Errors
    ///
    /// If that data cannot be read: a bug in this program, which a test finds.
    pub fn shipped() -> Result<Writers, WritersError> {
        let text = include_str!("../data/writers.toml");
        let mut writers: Writers = toml::from_str(text).map_err(WritersError::Read)?;
        let records = record_data::all().map_err(WritersError::Records)?;
        let tables = records.iter().filter_map(|(record, of)| Some((record.clone(), of.writers.clone()?)));
        writers.record.extend(tables);
        writers.checked()
    }

    /// Checks whether the tables are empty, as in a run before format 2.3.
    pub fn is_empty(&self) -> bool {
        self.record.is_empty()
    }

    /// Returns who writes the fields of this record; `None` if there are no tables.
    pub fn written<'a>(&'a self, record: &'a Record) -> Option<Written<'a>> {
        if self.is_empty() {
            return None;
        }
        let Some(table) = self.record.get(&record.kind) else { return Some(Written::by_anybody()) };
        let place = match table.medium {
            true => Writer::System,
            false => self.place_of(&record.locator.path, table.raw),
        };
        let text = |field: &String| record.fields.get(field).map(|field| field.value.to_text());
        let of = table.of.as_ref().map_or(Writer::System, |field| {
            text(field).map_or(Writer::AnyUser, |path| self.place_of(&path, table.raw))
        });
        let limit = table.by.as_ref().and_then(|field| Some((field, self.limit.get(field)?)));
        let by = limit.map_or(Writer::System, |(field, limit)| {
            text(field).map_or(limit.other, |value| self.limited(limit, &value, &record.locator.path))
        });
        let counted = table.counts.as_ref().map_or(Writer::System, |field| {
            text(field).map_or(Writer::AnyUser, |kind| self.weakest_of(&kind))
        });
        let kept = limit.map(|(_, limit)| &limit.kept);
        Some(Written { table: Some(table), always: place.min(counted), lowered: of.min(by), kept })
    }

    /// Returns who writes the file at this path of the evidence; with `raw`, returns whose words its bytes can be.
    fn place_of(&self, path: &str, raw: bool) -> Writer {
        let path = self.on_drive(path);
        let place =
            self.place.iter().find(|place| place.paths.iter().any(|pattern| leads_to(pattern, &path)));
        place.map_or(Writer::AnyUser, |place| place.raw.filter(|_| raw).unwrap_or(place.writer))
    }

    /// Returns the components of a path below the root of its drive.
    fn on_drive<'p>(&self, path: &'p str) -> Vec<&'p str> {
        let components: Vec<_> = path.split('/').filter(|component| !component.is_empty()).collect();
        let beginning = |root: &String| {
            let root: Vec<_> = root.split('/').collect();
            let fits = root.len() < components.len()
                && root.iter().zip(&components).all(|(pattern, component)| same(pattern, component));
            fits.then_some(root.len())
        };
        let taken = self.root.iter().find_map(beginning).unwrap_or(0);
        components.into_iter().skip(taken).collect()
    }

    fn limited(&self, limit: &Limit, value: &str, path: &str) -> Writer {
        let at = |paths: &[String]| {
            let path = self.on_drive(path);
            paths.is_empty() || paths.iter().any(|pattern| leads_to(pattern, &path))
        };
        let fits =
            |entry: &&LimitEntry| entry.values.iter().any(|pattern| same(pattern, value)) && at(&entry.paths);
        limit.is.iter().find(fits).map_or(limit.other, |entry| entry.writer)
    }

    /// Returns the least trusted writer in the table of a record type.
    fn weakest_of(&self, kind: &str) -> Writer {
        let Some(table) = self.record.get(kind) else { return Writer::AnyUser };
        let limit = table.by.as_ref().and_then(|field| self.limit.get(field));
        let limits = limit
            .into_iter()
            .flat_map(|limit| limit.is.iter().map(|entry| entry.writer).chain([limit.other]));
        let of = table.of.as_ref().map(|_| Writer::AnyUser);
        let fields = table.fields.values().copied();
        fields.chain(limits).chain(of).chain([table.writer]).min().unwrap_or(Writer::AnyUser)
    }
}

/// Who writes the fields of one record.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// `None` if nothing is known about its type.
    table: Option<&'a RecordWriters>,
    always: Writer,
    lowered: Writer,
    kept: Option<&'a BTreeSet<String>>,
}

impl Written<'_> {
    const fn by_anybody() -> Self {
        Written { table: None, always: Writer::AnyUser, lowered: Writer::AnyUser, kept: None }
    }

    /// Returns who writes this field.
    pub fn by(&self, field: &str) -> Writer {
        let Some(table) = self.table else { return Writer::AnyUser };
        let own = table.fields.get(field).copied().unwrap_or(table.writer).min(self.always);
        let kept = table.kept.contains(field) || self.kept.is_some_and(|kept| kept.contains(field));
        if kept { own } else { own.min(self.lowered) }
    }
}

/// Checks whether the components of a path match a pattern; `**` is its last component.
pub(crate) fn leads_to(pattern: &str, path: &[&str]) -> bool {
    // This rejects most patterns, and every fact checks all of them.
    let first = path.first().and_then(|component| component.bytes().next());
    if let (Some(wanted), Some(found)) = (pattern.bytes().next(), first)
        && wanted.is_ascii_alphabetic()
        && found.is_ascii()
        && !wanted.eq_ignore_ascii_case(&found)
    {
        return false;
    }
    let mut rest = path.iter();
    for wanted in pattern.split('/') {
        if wanted == "**" {
            return true;
        }
        if !rest.next().is_some_and(|component| same(wanted, component)) {
            return false;
        }
    }
    rest.next().is_none()
}

fn same(pattern: &str, text: &str) -> bool {
    match pattern.contains(['*', '?']) {
        true => pattern::fits(pattern, text),
        false => pattern::same(pattern, text),
    }
}

mod of_type;
mod party;
#[cfg(test)]
mod tests;

pub use of_type::RecordWriters;
pub use party::Writer;
