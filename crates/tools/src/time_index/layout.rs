//! The file of a timeline index, in little-endian numbers.
//!
//! | part | bytes | what |
//! |---|---|---|
//! | header | 64 | magic, then the numbers of rows, of texts, of bytes of text, of bytes of the head (each 8), 24 bytes 0 |
//! | rows | 24 each | time, unit, ordinal, text, field, flags; sorted |
//! | places | 4 each | where each text ends |
//! | texts | | subjects of records, each once |
//! | head | | JSON: [`Head`] |
//!
//! A row holds whatever a search by time, source and field must decide, so that reading in the order of time is reading on.

use super::error::TimelineIndexError;
use super::unit::Unit;
use ledger::Utc;
use serde::{Deserialize, Serialize};

pub(super) const MAGIC: [u8; 8] = *b"LOCTIME\x01";

/// Bytes of the header.
pub(super) const HEADER: u64 = 64;

/// Bytes of a row.
pub(super) const ROW: u64 = 24;

/// Nanoseconds of one step of the time of a row.
const STEP: i128 = 100;

/// The time is a local one whose zone was assumed.
pub(crate) const LOCAL: u16 = 1;

/// The record has more than one time.
pub(crate) const SEVERAL: u16 = 2;

/// One time of one record; the order of the first fields is that of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    /// Steps of 100 nanoseconds since 1970-01-01 UTC, rounded down.
    pub(crate) time: i64,
    /// The number of its unit.
    pub(crate) unit: u32,
    /// The number of the record in its unit, in the order of decoding.
    pub(crate) ordinal: u32,
    /// The number of the field.
    pub(crate) field: u16,
    /// [`LOCAL`], [`SEVERAL`].
    pub(crate) flags: u16,
    /// The number of the text with its subject.
    pub(crate) text: u32,
}

impl Row {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.time.to_le_bytes());
        for number in [self.unit, self.ordinal, self.text] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.field.to_le_bytes());
        bytes.extend(self.flags.to_le_bytes());
    }

    /// Reads a row; `None` of fewer than [`ROW`] bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Row> {
        let (time, rest) = bytes.split_first_chunk::<8>()?;
        let (unit, rest) = rest.split_first_chunk::<4>()?;
        let (ordinal, rest) = rest.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_first_chunk::<4>()?;
        let (field, rest) = rest.split_first_chunk::<2>()?;
        let (flags, _) = rest.split_first_chunk::<2>()?;
        Some(Row {
            time: i64::from_le_bytes(*time),
            unit: u32::from_le_bytes(*unit),
            ordinal: u32::from_le_bytes(*ordinal),
            field: u16::from_le_bytes(*field),
            flags: u16::from_le_bytes(*flags),
            text: u32::from_le_bytes(*text),
        })
    }
}

/// The time of a row for an instant.
pub(crate) fn ticks(utc: Utc) -> i64 {
    // The years -9999 to 9999 fit.
    i64::try_from(utc.unix_nanoseconds().div_euclid(STEP)).unwrap_or(i64::MAX)
}

/// The instant of the time of a row; `None` outside of the years that an instant can have.
pub(crate) fn utc(ticks: i64) -> Option<Utc> {
    Utc::from_unix_nanoseconds(i128::from(ticks) * STEP)
}

/// What an index says beside its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// What was decoded, by number.
    pub(super) units: Vec<Unit>,
    /// The fields with times, by number: the record type, a point, and the field.
    pub(super) fields: Vec<String>,
    /// Rows with [`LOCAL`].
    pub(super) local: u64,
}

/// Where the parts of a file lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) rows: u64,
    pub(super) texts: u64,
    pub(super) heap: u64,
    pub(super) head: u64,
}

impl Parts {
    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [self.rows, self.texts, self.heap, self.head] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.resize(64, 0);
        bytes
    }

    /// Reads the header of a file of `length` bytes, which the parts must fill.
    pub(super) fn read(header: &[u8; 64], length: u64) -> Result<Parts, TimelineIndexError> {
        let number = |at: usize| {
            let bytes = header.get(at..).and_then(|rest| rest.first_chunk::<8>());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let magic = u64::from_le_bytes(MAGIC);
        if number(0) != magic {
            return Err(TimelineIndexError::Value { what: "magic", expected: magic, found: number(0) });
        }
        if let Some(found) = [40, 48, 56].map(number).into_iter().find(|number| *number != 0) {
            return Err(TimelineIndexError::Value { what: "the end of the header", expected: 0, found });
        }
        let parts = Parts { rows: number(8), texts: number(16), heap: number(24), head: number(32) };
        let end = parts.end().filter(|end| *end == length);
        end.map(|_| parts).ok_or(TimelineIndexError::Value {
            what: "the length of the file",
            expected: parts.end().unwrap_or(u64::MAX),
            found: length,
        })
    }

    /// Where the places of the texts begin.
    pub(super) fn places_at(&self) -> u64 {
        HEADER.saturating_add(self.rows.saturating_mul(ROW))
    }

    /// Where the texts begin.
    pub(super) fn heap_at(&self) -> u64 {
        self.places_at().saturating_add(self.texts.saturating_mul(4))
    }

    /// Where the head begins.
    pub(super) fn head_at(&self) -> u64 {
        self.heap_at().saturating_add(self.heap)
    }

    fn end(&self) -> Option<u64> {
        let rows = self.rows.checked_mul(ROW)?;
        let places = self.texts.checked_mul(4)?;
        HEADER.checked_add(rows)?.checked_add(places)?.checked_add(self.heap)?.checked_add(self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_and_an_instant_survive_their_stored_form() {
        let row = Row { time: -7, unit: 1, ordinal: 2, field: 3, flags: LOCAL, text: u32::MAX };
        let mut bytes = Vec::new();
        row.write(&mut bytes);
        assert_eq!((bytes.len() as u64, Row::read(&bytes)), (ROW, Some(row)));
        assert_eq!(Row::read(&bytes[..23]), None);
        for text in ["1601-01-01T00:00:00Z", "2012-04-04T01:58:40.839249Z", "9999-12-30T00:00:00Z"] {
            let instant: Utc = text.parse().unwrap();
            assert_eq!(utc(ticks(instant)), Some(instant));
        }
        assert_eq!(utc(i64::MAX), None);
    }
}
