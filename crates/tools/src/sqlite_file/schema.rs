//! The tables that a database declares in its schema table (`sqlite_master`).

use super::budget::Budget;
use super::connection::tolerate_schema;
use super::words;
use super::{Database, SqliteError, State};
use rusqlite::{Connection, Error, ErrorCode};

/// The most entries of a schema that are read.
const MOST: usize = 10_000;

/// The longest name of a table that is read.
const LONGEST_NAME: usize = 1000;

/// The tables of one state of a database.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) entries: Vec<Entry>,
    /// What could not be read of the schema, in words.
    pub(crate) damage: Vec<String>,
    /// Whether there are more entries than are read.
    pub(crate) more: bool,
    /// Whether a name or statement is not text: rusqlite panics if it must name such a column.
    odd: bool,
    /// Whether SQLite must be told to skip damaged entries.
    tolerate: bool,
}

/// One table or view.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: EntryKind,
    /// The page where its rows begin, counted from 1.
    pub(crate) root_page: Option<i64>,
    /// The statement that created it, as text.
    pub(crate) sql: Option<String>,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A table with rows of its own.
    Table,
    /// A virtual table, whose rows are made by code.
    Virtual,
    /// A view: a stored SELECT.
    View,
}

impl Database<'_> {
    /// Reads the schema of one state.
    pub(crate) fn schema(&self, state: State, budget: &Budget) -> Result<Schema, SqliteError> {
        let failed = |source| SqliteError::Schema { path: self.place.node.path.clone(), source };
        let connection = self.open(state, budget)?;
        match Schema::read(&connection) {
            Err(error) if is_malformed(&error) => {
                tolerate_schema(&connection).map_err(failed)?;
                let mut schema = Schema::read(&connection).map_err(failed)?;
                schema.tolerate = true;
                schema.damage.insert(0, format!("{}: the entries that can be read are", words(&error)));
                Ok(schema)
            }
            read => read.map_err(failed),
        }
    }

    /// Opens one state, in the way that its schema needs.
    pub(crate) fn open_with(
        &self,
        state: State,
        schema: &Schema,
        budget: &Budget,
    ) -> Result<Connection, SqliteError> {
        let connection = self.open(state, budget)?;
        if schema.tolerate {
            let failed = |source| SqliteError::Schema { path: self.place.node.path.clone(), source };
            tolerate_schema(&connection).map_err(failed)?;
        }
        Ok(connection)
    }
}

impl Schema {
    fn read(connection: &Connection) -> Result<Schema, Error> {
        let mut schema = Schema::default();
        // An index over the schema can only have been planted.
        let sql = "SELECT rowid, type, name, rootpage, sql FROM main.sqlite_master NOT INDEXED";
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.raw_query();
        loop {
            match rows.next() {
                Ok(Some(row)) if schema.entries.len() < MOST => schema.take(row)?,
                Ok(Some(_)) => {
                    schema.more = true;
                    return Ok(schema);
                }
                Ok(None) => return Ok(schema),
                Err(error) if schema.entries.is_empty() => return Err(error),
                Err(error) => {
                    schema.damage.push(format!("the schema cannot be read to its end: {}", words(&error)));
                    return Ok(schema);
                }
            }
        }
    }

    fn take(&mut self, row: &rusqlite::Row<'_>) -> Result<(), Error> {
        let text = |index| row.get_ref(index).map(|value| value.as_str().map(str::to_owned).ok());
        let kind = text(1)?;
        let sql = text(4)?;
        let is_text = |index| row.get_ref(index).map(|value| value.as_str_or_null().is_ok());
        self.odd |= !(is_text(2)? && is_text(4)?);
        let kind = match kind.as_deref() {
            Some("table") if sql.as_deref().is_some_and(is_virtual) => EntryKind::Virtual,
            Some("table") => EntryKind::Table,
            Some("view") => EntryKind::View,
            _ => return Ok(()),
        };
        let root_page = row.get_ref(3)?.as_i64().ok().filter(|page| *page > 0);
        match text(2)?.filter(|name| !name.contains('\0') && name.len() <= LONGEST_NAME) {
            Some(name) => self.entries.push(Entry { name, kind, root_page, sql }),
            None => {
                let number: i64 = row.get(0)?;
                self.damage
                    .push(format!("row {number} of the schema: the name of a table is no text, or longer than {LONGEST_NAME} bytes: not read"));
            }
        }
        Ok(())
    }

    /// Checks whether all names and statements of the schema are text.
    pub(crate) fn is_text(&self) -> bool {
        !self.odd
    }

    /// Returns the entry of this name; SQLite folds the case of ASCII letters.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
    }
}

/// Checks for `CREATE VIRTUAL TABLE …`, as SQLite itself stores it.
fn is_virtual(sql: &str) -> bool {
    let mut words = sql.split_ascii_whitespace();
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("create"))
        && words.next().is_some_and(|word| word.eq_ignore_ascii_case("virtual"))
}

fn is_malformed(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown))
}
