//! One value as SQLite stores it, compared exactly.

use rusqlite::types::ValueRef;

/// A value: types are kept apart, real numbers are kept as bits, texts as bytes.
///
/// The order only serves to find a value again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(u64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Cell {
    pub(crate) fn of(value: ValueRef<'_>) -> Cell {
        match value {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::Integer(number),
            ValueRef::Real(number) => Cell::Real(number.to_bits()),
            ValueRef::Text(bytes) => Cell::Text(bytes.to_vec()),
            ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
        }
    }

    fn view(&self) -> ValueRef<'_> {
        match self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(*number),
            Cell::Real(bits) => ValueRef::Real(f64::from_bits(*bits)),
            Cell::Text(bytes) => ValueRef::Text(bytes),
            Cell::Blob(bytes) => ValueRef::Blob(bytes),
        }
    }

    /// Appends a key that no other value gives.
    pub(crate) fn key(&self, key: &mut Vec<u8>) {
        append(self.view(), key);
    }

    /// Returns roughly how many bytes it takes, in memory and in a record.
    pub(crate) fn size(&self) -> usize {
        const FIELD: usize = 64;
        match self {
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => FIELD,
            Cell::Text(bytes) | Cell::Blob(bytes) => bytes.len().saturating_add(FIELD),
        }
    }

    /// Returns a short form for people and models; it is not the value to state in a claim.
    pub(crate) fn shown(&self) -> String {
        match self {
            Cell::Null => "NULL".to_owned(),
            Cell::Integer(number) => number.to_string(),
            Cell::Real(bits) => real(*bits),
            Cell::Text(bytes) => format!("{:?}", String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes))),
            Cell::Blob(bytes) => format!("a blob of {} bytes", bytes.len()),
        }
    }
}

/// Appends type, length and bytes: different values, or rows of values, never give the same key.
pub(crate) fn append(value: ValueRef<'_>, key: &mut Vec<u8>) {
    let mut bytes = |kind: u8, bytes: &[u8]| {
        key.push(kind);
        key.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        key.extend_from_slice(bytes);
    };
    match value {
        ValueRef::Null => bytes(0, &[]),
        ValueRef::Integer(number) => bytes(1, &number.to_le_bytes()),
        ValueRef::Real(number) => bytes(2, &number.to_bits().to_le_bytes()),
        ValueRef::Text(text) => bytes(3, text),
        ValueRef::Blob(blob) => bytes(4, blob),
    }
}

/// Returns the shortest decimal that reads back as the same number.
pub(crate) fn real(bits: u64) -> String {
    format!("{:?}", f64::from_bits(bits))
}
