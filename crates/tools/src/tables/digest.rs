//! The digest of a table, over its rows in their order.
//!
//! A row is hashed as its values in the order of the columns, followed by its layout.
//! The layout takes the place of `_places`, whose numbers are only valid in one file.

use super::error::{TableError, sqlite};
use super::read::columns;
use super::schema::{BEFORE, Table, quoted};
use ledger::Digest;
use ledger::event::TableDigest;
use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use sha2::{Digest as _, Sha256};

/// The digest of a table, in progress.
pub(super) struct RowHasher(Sha256);

impl RowHasher {
    /// Starts the digest of the table with this name and these columns.
    pub(super) fn new<'c>(name: &'c str, columns: impl Iterator<Item = &'c str>) -> RowHasher {
        let mut hasher = RowHasher(Sha256::new());
        for text in ["locard table 1", name].into_iter().chain(columns) {
            hasher.add(ValueRef::Text(text.as_bytes()));
        }
        hasher
    }

    /// Adds the next value of the row.
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

/// Computes the digests of all non-empty tables of an attached file, from the rows in it.
pub(super) fn digests(
    connection: &Connection,
    schema: &str,
    tables: &[Table],
) -> Result<Vec<TableDigest>, TableError> {
    let mut found = Vec::new();
    for table in tables {
        let (rows, digest) = digest(connection, schema, table)?;
        if rows > 0 {
            found.push(TableDigest { table: table.name.clone(), rows, digest });
        }
    }
    Ok(found)
}

fn digest(connection: &Connection, schema: &str, table: &Table) -> Result<(u64, Digest), TableError> {
    let read = sqlite("read the rows of a table");
    let sql = format!("SELECT {} FROM {schema}{} ORDER BY _row", columns(table, schema), quoted(&table.name));
    let mut statement = connection.prepare(&sql).map_err(&read)?;
    let count = statement.column_count();
    let mut rows = statement.query([]).map_err(&read)?;
    let mut hasher = RowHasher::new(&table.name, table.all_columns());
    let places = BEFORE.len() + table.columns.len();
    let mut number = 0;
    while let Some(row) = rows.next().map_err(&read)? {
        for index in 0..count {
            hasher.add(if index == places { ValueRef::Null } else { row.get_ref(index).map_err(&read)? });
        }
        hasher.add(row.get_ref(places).map_err(&read)?);
        number += 1;
    }
    Ok((number, hasher.finish()))
}

/// Returns a bound value as it will be read back.
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
