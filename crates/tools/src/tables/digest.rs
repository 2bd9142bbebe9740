//! The digest of a table: over its rows in their order.

use ledger::Digest;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use sha2::{Digest as _, Sha256};

/// The digest of a table in the making.
pub(super) struct RowHasher(Sha256);

impl RowHasher {
    /// For the table of this name with these columns.
    pub(super) fn new<'c>(name: &'c str, columns: impl Iterator<Item = &'c str>) -> RowHasher {
        let mut hasher = RowHasher(Sha256::new());
        for text in ["locard table 1", name].into_iter().chain(columns) {
            hasher.add(ValueRef::Text(text.as_bytes()));
        }
        hasher
    }

    /// The next value of the row.
    pub(super) fn add(&mut self, cell: ValueRef<'_>) {
        match cell {
            ValueRef::Null => self.0.update([0]),
            ValueRef::Integer(number) => {
                self.0.update([1]);
                self.0.update(number.to_le_bytes());
            }
            ValueRef::Real(number) => {
                self.0.update([2]);
                self.0.update(number.to_bits().to_le_bytes());
            }
            ValueRef::Text(bytes) => self.bytes(3, bytes),
            ValueRef::Blob(bytes) => self.bytes(4, bytes),
        }
    }

    fn bytes(&mut self, tag: u8, bytes: &[u8]) {
        self.0.update([tag]);
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> Digest {
        Digest::from_bytes(self.0.finalize().into())
    }
}

/// What is bound, as it is read back.
pub(super) fn as_ref<'c>(cell: &'c ToSqlOutput<'_>) -> ValueRef<'c> {
    match cell {
        ToSqlOutput::Borrowed(cell) => *cell,
        ToSqlOutput::Owned(value) => match value {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        },
        // Nothing else is bound.
        _ => ValueRef::Null,
    }
}
