//! Columns of a file that may have been tampered with: read by their stored type, never converted.

use ledger::Digest;
use rusqlite::Row;
use rusqlite::types::{Type, ValueRef};
use std::fmt;
use thiserror::Error;

/// A row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A row of `events`.
    Event {
        /// Its `position` as stored.
        position: i64,
    },
    /// A row of `payloads`.
    Payload {
        /// Its `rowid`.
        row: i64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Event { position } => write!(f, "events, position {position}"),
            Place::Payload { row } => write!(f, "payloads, row {row}"),
        }
    }
}

/// A column whose content is not valid.
#[derive(Debug, Clone, Error)]
#[error("expected {expected} in `{column}`, found {found}")]
pub(crate) struct Misfit {
    pub(crate) column: &'static str,
    pub(crate) expected: &'static str,
    pub(crate) found: Type,
}

/// One column of a row, by index and name.
#[derive(Clone, Copy)]
pub(crate) struct Column(pub(crate) usize, pub(crate) &'static str);

impl Column {
    fn read<'r, T>(
        self,
        row: &'r Row<'_>,
        expected: &'static str,
        take: impl FnOnce(ValueRef<'r>) -> Option<T>,
    ) -> Result<T, Misfit> {
        let value = row.get_ref(self.0).unwrap_or(ValueRef::Null);
        let found = value.data_type();
        take(value).ok_or(Misfit { column: self.1, expected, found })
    }

    pub(crate) fn integer<T: TryFrom<i64>>(self, row: &Row<'_>) -> Result<T, Misfit> {
        self.read(row, "an integer within bounds", |value| match value {
            ValueRef::Integer(number) => T::try_from(number).ok(),
            _ => None,
        })
    }

    pub(crate) fn text<'r>(self, row: &'r Row<'_>) -> Result<&'r [u8], Misfit> {
        self.read(row, "text", |value| match value {
            ValueRef::Text(bytes) => Some(bytes),
            _ => None,
        })
    }

    pub(crate) fn blob<'r>(self, row: &'r Row<'_>) -> Result<&'r [u8], Misfit> {
        self.read(row, "a blob", |value| match value {
            ValueRef::Blob(bytes) => Some(bytes),
            _ => None,
        })
    }

    pub(crate) fn digest(self, row: &Row<'_>) -> Result<Digest, Misfit> {
        self.read(row, "a blob of 32 bytes", |value| match value {
            ValueRef::Blob(bytes) => bytes.try_into().ok().map(Digest::from_bytes),
            _ => None,
        })
    }
}
