//! SQLite databases of applications: the rows of their tables in both states, with and without the logs beside the database.

use super::Source;
use crate::intake::Flow;
use crate::place::Place;
use crate::row::Row;
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::table::{Identity, Table, not_read, quote};
use crate::sqlite_file::{Database, SqliteError, State, defect_words};
use evidence::ReadError;
use ledger::{FieldValue, Precision};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;

/// The most steps of SQLite's virtual machine for one database.
const STEPS: u64 = 400_000_000;

/// The most rows of one table.
const MOST: usize = 2_000_000;

/// The most bytes of the values of one table.
const MOST_BYTES: usize = 256 << 20;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(u64),
    Text(String),
    /// The bytes of a short blob; of a long one only the length.
    Blob(Vec<u8>),
}

/// A row, with the columns that were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct DbRow {
    pub(super) rowid: i64,
    pub(super) cells: Vec<Cell>,
}

impl DbRow {
    pub(super) fn integer(&self, column: usize) -> Option<i64> {
        match self.cells.get(column)? {
            Cell::Integer(number) => Some(*number),
            Cell::Null | Cell::Real(_) | Cell::Text(_) | Cell::Blob(_) => None,
        }
    }

    pub(super) fn text(&self, column: usize) -> Option<&str> {
        match self.cells.get(column)? {
            Cell::Text(text) if !text.is_empty() => Some(text),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Text(_) | Cell::Blob(_) => None,
        }
    }
}

/// An open database: the state with its logs and, if there are logs, the one without.
pub(super) struct Opened {
    connection: Connection,
    /// The file without its logs; its rows are compared with those of `connection`.
    other: Option<Connection>,
    log: &'static str,
}

/// A row, and the name of the state if only one state has it in this form.
pub(super) struct Stated {
    pub(super) row: DbRow,
    pub(super) state: Option<&'static str>,
}

/// Copies the database of `source` to a folder of its own, opens it and hands it to `each`.
pub(super) fn with(
    source: &mut Source<'_, '_>,
    each: impl FnOnce(&mut Source<'_, '_>, &Opened) -> Flow,
) -> Result<Flow, ReadError> {
    let folder = source.scratch.join("database");
    // Left by an earlier file of the call; there is nothing if it could be removed.
    let _ = fs::remove_dir_all(&folder);
    if let Err(error) = fs::create_dir(&folder) {
        return Err(ReadError::Io { path: source.node.path.clone(), source: error });
    }
    let place = Place { tree: source.tree, node: source.node.clone() };
    let opened = match open(source, place, &folder) {
        Ok(opened) => opened,
        Err(SqliteError::Read(error)) => return Err(error),
        // A failed copy is not damage of the evidence.
        Err(SqliteError::Copy { path, source }) => return Err(ReadError::Io { path, source }),
        Err(error) => {
            source.damage(None, error);
            return Ok(ControlFlow::Continue(()));
        }
    };
    let flow = each(source, &opened);
    drop(opened);
    let _ = fs::remove_dir_all(&folder);
    Ok(flow)
}

fn open(
    source: &mut Source<'_, '_>,
    place: Place<'_>,
    folder: &std::path::Path,
) -> Result<Opened, SqliteError> {
    let database = Database::copy(place, folder)?;
    for defect in &database.defects {
        source.damage(defect.offset, format!("{}: {}", defect.path, defect.what));
    }
    database.gaps.iter().for_each(|gap| source.gap(format!("{}: {}", gap.path, gap.reason)));
    let budget = Budget::new(STEPS);
    let schema = database.schema(State::Applied, &budget)?;
    schema.damage.iter().take(20).for_each(|words| source.damage(None, words));
    let connection = database.open_with(State::Applied, &schema, &budget)?;
    let other = if database.has_logs() {
        let schema = database.schema(State::Checkpointed, &budget)?;
        Some(database.open_with(State::Checkpointed, &schema, &budget)?)
    } else {
        None
    };
    Ok(Opened { connection, other, log: database.log_name() })
}

impl Opened {
    /// Returns the rows of a table in the order of their numbers.
    /// Columns that the table lacks are NULL, and a missing table has no rows.
    pub(super) fn rows(&self, source: &mut Source<'_, '_>, table: &str, columns: &[&str]) -> Vec<Stated> {
        let applied = read(source, &self.connection, table, columns);
        let Some(other) = &self.other else {
            return applied.into_iter().map(|row| Stated { row, state: None }).collect();
        };
        let checkpointed = read(source, other, table, columns);
        let before: HashSet<&DbRow> = checkpointed.iter().collect();
        let after: HashSet<&DbRow> = applied.iter().collect();
        let state = |held: bool, name| if held { None } else { Some(name) };
        let kept = applied
            .iter()
            .map(|row| Stated { row: row.clone(), state: state(before.contains(row), self.log) });
        let gone = checkpointed.iter().filter(|row| !after.contains(row));
        kept.chain(gone.map(|row| Stated { row: row.clone(), state: Some("checkpointed") })).collect()
    }
}

fn read(source: &mut Source<'_, '_>, connection: &Connection, name: &str, columns: &[&str]) -> Vec<DbRow> {
    let mut found = Vec::new();
    let table = match Table::read(connection, name) {
        Ok(table) if !table.columns.is_empty() => table,
        Ok(_) => return found,
        Err(error) => {
            source.damage(None, not_read(name, &error));
            return found;
        }
    };
    let has = |wanted: &str| table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(wanted));
    let mut expressions = vec![match &table.identity {
        Identity::RowId(rowid) => (*rowid).to_owned(),
        Identity::Key(_) | Identity::Nothing => "0".to_owned(),
    }];
    expressions
        .extend(columns.iter().map(|column| if has(column) { quote(column) } else { "NULL".to_owned() }));
    if let Err(error) = fill(connection, &table.select(&expressions, ""), &mut found) {
        match defect_words(&error) {
            Some(words) => {
                source.damage(None, format!("table {name:?}: behind {} rows: {words}", found.len()))
            }
            None => source.gap(format!("table {name:?}: only its first {} rows were read", found.len())),
        }
    } else if found.len() >= MOST {
        source.gap(format!("table {name:?}: only its first {MOST} rows were read"));
    }
    found
}

fn fill(connection: &Connection, sql: &str, found: &mut Vec<DbRow>) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare(sql)?;
    let count = statement.column_count();
    let mut rows = statement.raw_query();
    let mut bytes = 0usize;
    while let Some(row) = rows.next()? {
        if found.len() >= MOST || bytes > MOST_BYTES {
            break;
        }
        let rowid = row.get_ref(0)?.as_i64().unwrap_or(0);
        let mut cells = Vec::with_capacity(count.saturating_sub(1));
        for index in 1..count {
            let cell = cell(row.get_ref(index)?);
            if let Cell::Text(text) = &cell {
                bytes = bytes.saturating_add(text.len());
            }
            cells.push(cell);
        }
        found.push(DbRow { rowid, cells });
    }
    Ok(())
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number.to_bits()),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(blob) => Cell::Blob(blob.get(..65_536).unwrap_or(blob).to_vec()),
    }
}

/// Begins a record of a row: its place in the form that `sqlite_query` uses, and the state if only one has it.
pub(super) fn located(source: &Source<'_, '_>, kind: &str, table: &str, stated: &Stated) -> Row {
    let path = format!("{}/{table}/{}", source.node.path, stated.row.rowid);
    let state = stated.state.map(|state| FieldValue::Name(state.to_owned()));
    source.row(kind, None).field("row", FieldValue::Path(path)).maybe("state", state, None)
}

/// Converts microseconds since an epoch `before` seconds before 1970; 0 is no time.
pub(super) fn micros(number: Option<i64>, before: i128) -> Option<FieldValue> {
    let number = number.filter(|number| *number > 0)?;
    let nanoseconds = i128::from(number) * 1_000 - before * 1_000_000_000;
    Some(super::parts::host_time(nanoseconds, number.to_string(), Precision::Microsecond))
}

/// Converts seconds since 1970; 0 is no time.
pub(super) fn seconds(number: Option<i64>) -> Option<FieldValue> {
    let number = number.filter(|number| *number > 0)?;
    Some(super::parts::host_time(i128::from(number) * 1_000_000_000, number.to_string(), Precision::Second))
}

/// Checks whether a file begins as an SQLite database.
pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3\0")
}

/// Returns the folder below `Users` or `Documents and Settings` that a path leads through.
pub(super) fn user(path: &str) -> Option<FieldValue> {
    let mut parts = path.split('/');
    parts.find(|part| {
        ["users", "documents and settings"].iter().any(|name| part.eq_ignore_ascii_case(name))
    })?;
    let user = parts.next().filter(|_| parts.next().is_some())?;
    Some(FieldValue::Name(user.to_owned()))
}
