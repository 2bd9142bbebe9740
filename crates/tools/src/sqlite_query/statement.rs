//! Runs an agent's statement.

use super::cell::Cell;
use super::{Query, STEPS};
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::connection::{not_a_select, only_read};
use crate::sqlite_file::schema::{EntryKind, Schema};
use crate::sqlite_file::table::Table;
use crate::sqlite_file::{SqliteError, defect_words, words};
use rusqlite::{Error, Statement};
use std::collections::BTreeSet;

/// The most bytes of values that one call keeps; the first row is kept whatever its size.
const MAX_DATA: usize = 32 << 20;

/// Which rows of a result to use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

/// A column of a table, as SQLite names it for a column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) table: String,
    pub(crate) column: String,
}

/// What a statement returned.
pub(crate) struct Answer {
    /// The names of the result's columns.
    pub(crate) names: Vec<String>,
    /// Where each column claims to come from; `None` for computed ones.
    pub(crate) origins: Vec<Option<Origin>>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Whether more rows follow.
    pub(crate) more: bool,
    /// Why the statement ended early.
    pub(crate) stopped: Option<Error>,
}

/// Compiles and runs `sql`.
pub(crate) fn ask(query: &Query<'_>, sql: &str, window: Window) -> Result<Answer, SqliteError> {
    let (database, schema) = (query.database, &query.schema);
    let mut connection = database.open_with(query.state, schema, &Budget::new(STEPS))?;
    let open = |source| SqliteError::Open { path: database.node().path.clone(), source };
    let watched = only_read(&mut connection, readable(schema), |_| false).map_err(open)?;
    let prepared = connection.prepare(sql);
    let mut statement = prepared.map_err(|error| refusal(query, sql, &error, watched.refused()))?;
    if let Some(found) = not_a_select(&statement) {
        return Err(SqliteError::NotASelect { found });
    }
    let count = statement.column_count();
    let mut answer = Answer {
        names: (0..count).map(|index| name(&statement, index, schema)).collect(),
        origins: (0..count).map(|index| origin(&statement, index)).collect(),
        rows: Vec::new(),
        more: false,
        stopped: None,
    };
    match answer.take(&mut statement, window) {
        Ok(()) => {}
        // What can be read of a damaged database is returned; a mistake in the statement returns nothing.
        Err(error) if answer.rows.is_empty() && !is_damage(&error) => {
            let message = match defect_words(&error) {
                Some(words) => cut(words),
                None => format!(
                    "interrupted after {STEPS} steps of SQLite's virtual machine, before its first row"
                ),
            };
            let help = "no row came of it: narrow it, or sort less".to_owned();
            return Err(SqliteError::Statement { message, offset: None, help });
        }
        Err(error) => answer.stopped = Some(error),
    }
    Ok(answer)
}

/// Says why a statement was not compiled, and what can be asked for.
fn refusal(query: &Query<'_>, sql: &str, error: &Error, refused: Option<String>) -> SqliteError {
    let offset = match error {
        Error::SqlInputError { offset, .. } if refused.is_none() => usize::try_from(*offset).ok(),
        _ => None,
    };
    let mut message = refused.unwrap_or_else(|| words(error));
    if let Some((name, what)) = unread(&query.schema, sql) {
        message = format!("{message}; {name:?} is {what}");
    }
    SqliteError::Statement { message: cut(message), offset, help: help(query, sql) }
}

impl Answer {
    fn take(&mut self, statement: &mut Statement<'_>, window: Window) -> Result<(), Error> {
        let count = self.origins.len();
        let mut rows = statement.raw_query();
        let (mut skipped, mut size) = (0, 0usize);
        while let Some(row) = rows.next()? {
            if skipped < window.offset {
                skipped += 1;
                continue;
            }
            let full = self.rows.len() >= window.limit || (size > MAX_DATA && !self.rows.is_empty());
            if full {
                self.more = true;
                return Ok(());
            }
            let cells: Vec<_> =
                (0..count).map(|index| row.get_ref(index).map(Cell::of)).collect::<Result<_, _>>()?;
            size = cells.iter().map(Cell::size).fold(size, usize::saturating_add);
            self.rows.push(cells);
        }
        Ok(())
    }
}

fn is_damage(error: &Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | SystemIoFailure))
}

/// Returns the tables with rows of their own, the schema table, and two that SQLite makes from JSON.
fn readable(schema: &Schema) -> BTreeSet<String> {
    let tables = schema.entries.iter().filter(|entry| entry.kind == EntryKind::Table);
    let own = ["sqlite_master", "sqlite_schema", "json_each", "json_tree"].map(str::to_owned);
    tables.map(|entry| entry.name.to_lowercase()).chain(own).collect()
}

/// Returns the view or virtual table that the statement mentions.
fn unread<'s>(schema: &'s Schema, sql: &str) -> Option<(&'s str, &'static str)> {
    let sql = sql.to_lowercase();
    let entry = schema
        .entries
        .iter()
        .find(|entry| entry.kind != EntryKind::Table && sql.contains(&entry.name.to_lowercase()))?;
    Some((
        &entry.name,
        match entry.kind {
            EntryKind::Virtual => {
                "a virtual table and is not read: its content stands in tables named after it"
            }
            EntryKind::View | EntryKind::Table => "a view and is not read: list_tables tells its SELECT",
        },
    ))
}

/// Says what can be asked for: tables, and the columns of those that the statement names.
fn help(query: &Query<'_>, sql: &str) -> String {
    let connection = query.database.open_with(query.state, &query.schema, &Budget::new(STEPS));
    let folded = sql.to_lowercase();
    let tables = query.schema.entries.iter().filter(|entry| entry.kind == EntryKind::Table);
    let (named, others): (Vec<_>, Vec<_>) =
        tables.partition(|entry| folded.contains(&entry.name.to_lowercase()));
    let columns = |name: &str| {
        let table = Table::read(connection.as_ref().ok()?, name).ok()?;
        let columns: Vec<_> = table.columns.into_iter().map(|column| column.name).collect();
        Some(format!("{name} ({})", columns.join(", ")))
    };
    let named = named.iter().take(8).map(|entry| columns(&entry.name).unwrap_or(entry.name.clone()));
    let all: Vec<_> = named.chain(others.iter().take(200).map(|entry| entry.name.clone())).collect();
    match all.is_empty() {
        true => "the database has no tables".to_owned(),
        false => cut(format!("tables: {}", all.join(", "))),
    }
}

/// Cuts a text to half the length of a note.
fn cut(mut text: String) -> String {
    const MOST: usize = 1500;
    if text.len() > MOST {
        text.truncate(text.floor_char_boundary(MOST));
        text.push('…');
    }
    text
}

/// Returns the name of a result column; a name from a damaged schema may not be text.
fn name(statement: &Statement<'_>, index: usize, schema: &Schema) -> String {
    let text = schema.is_text().then(|| statement.column_name(index).ok()).flatten();
    text.map_or_else(|| format!("column {}", index + 1), |name| name.chars().take(80).collect())
}

fn origin(statement: &Statement<'_>, index: usize) -> Option<Origin> {
    let (database, table, column, ..) = statement.column_metadata(index).ok()??;
    if database.to_bytes() != b"main" {
        return None;
    }
    Some(Origin { table: table.to_str().ok()?.to_owned(), column: column.to_str().ok()?.to_owned() })
}
