//! One SELECT over finished tables.
//!
//! The file is hostile: it was written by a process that had read the evidence, and may come from a cache.
//! It is opened read-only in a confined worker, its schema must be the one that the pass writes, and an authorizer lets a statement read these tables and nothing else.
//! What a statement returns is a projection: it is printed, and grounds nothing.

use super::cells::OF_COPY;
use super::digest::digests;
use super::error::{TableError, sqlite};
use super::read::{columns, record};
use super::schema::{BEHIND, Table, quoted, tables};
use super::views::{COMMON, VIEWS};
use super::write::REMARKS;
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::connection::{attach, not_a_select, only_read};
use crate::sqlite_file::words;
use ledger::Record;
use ledger::digest::hex;
use ledger::event::TableDigest;
use ledger::pattern::fits;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Statement};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Steps of SQLite's virtual machine for a statement: some ten seconds of a processor.
const STEPS: u64 = 1_000_000_000;

/// Most bytes of values in an answer, each with what it takes besides; the first row is kept whatever its size.
const MAX_DATA: usize = 128 << 20;

/// What there is to ask beside tables of records and views.
const OWN: [&str; 5] = ["sources", "gaps", "defects", "notes", "timeline"];

/// The most pieces of evidence that one statement looks at: as many files as SQLite attaches to one connection.
pub const MOST_TABLES: usize = 10;

/// A statement, and the tables that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The file of the tables of each piece of evidence, by its label.
    pub files: BTreeMap<String, PathBuf>,
    /// One SELECT.
    pub sql: String,
    /// Most rows to give.
    pub limit: usize,
}

/// One row of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRow {
    /// The label of the evidence.
    pub evidence: String,
    /// The file of its tables.
    pub file: PathBuf,
    /// The table.
    pub table: String,
    /// The number of the row.
    pub row: i64,
}

/// What a statement returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// Whether rows follow that are not in `rows`.
    pub more: bool,
    /// Why the statement ended before its last row.
    pub stopped: Option<String>,
}

/// One value of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number that was computed; one that is not finite is a text.
    Real(f64),
    /// A text; bytes are in hex digits.
    Text(String),
}

/// Runs a statement.
///
/// # Errors
///
/// Where a file is none that the pass wrote, or the statement is no SELECT over the tables; a statement that ends early has an answer that says so.
pub(crate) fn ask(asked: &Asked) -> Result<Answer, TableError> {
    if asked.files.len() > MOST_TABLES {
        return Err(TableError::TooMany { found: asked.files.len(), most: MOST_TABLES });
    }
    let tables = tables();
    let files: Vec<_> = asked.files.values().map(PathBuf::as_path).collect();
    let mut connection = attach(&files, &Budget::new(STEPS)).map_err(sqlite("open the tables"))?;
    for number in 0..files.len() {
        check(&connection, number, &tables)?;
    }
    views(&connection, &tables, asked.files.keys()).map_err(sqlite("open the tables"))?;
    let refused =
        only_read(&mut connection, readable(&tables), is_own_name).map_err(sqlite("open the tables"))?;
    let prepared = connection.prepare(&asked.sql);
    let mut statement = prepared.map_err(|error| refusal(&tables, &asked.sql, &error, refused.take()))?;
    if let Some(found) = not_a_select(&statement) {
        let message = format!("expected one SELECT, found {found}");
        return Err(TableError::Statement { message, offset: None, help: None });
    }
    let columns = statement.column_names().map(str::to_owned).collect();
    let mut answer = Answer { columns, rows: Vec::new(), more: false, stopped: None };
    match answer.take(&mut statement, asked.limit) {
        Ok(()) => Ok(answer),
        // Nothing came of it: whoever asked must ask otherwise.
        Err(error) if answer.rows.is_empty() => {
            Err(TableError::Statement { message: ended(&error), offset: None, help: None })
        }
        Err(error) => {
            answer.stopped = Some(ended(&error));
            Ok(answer)
        }
    }
}

/// Reads the record of a row.
///
/// # Errors
///
/// Where there is no such row, or it holds no record of its table.
pub(crate) fn read_row(asked: &AskedRow) -> Result<Record, TableError> {
    let tables = tables();
    let none = |message: String, help| TableError::Statement { message, offset: None, help };
    let table = tables.iter().find(|table| table.name == asked.table).ok_or_else(|| {
        let has_none =
            OWN.contains(&asked.table.as_str()) || VIEWS.iter().any(|view| view.name == asked.table);
        if has_none {
            let message = format!("{} has no records of its own: its _table and _row name them", asked.table);
            return none(message, None);
        }
        let message = format!("no such table: {}", asked.table);
        let help = help(&tables, "", &message);
        none(message, help)
    })?;
    let connection = attach(&[&asked.file], &Budget::new(STEPS)).map_err(sqlite("open the tables"))?;
    check(&connection, 0, &tables)?;
    let sql = format!("SELECT {} FROM e0.{} WHERE _row = ?", columns(table, "e0."), quoted(&table.name));
    let mut statement = connection.prepare(&sql).map_err(sqlite("read a row"))?;
    let mut rows = statement.query([asked.row]).map_err(sqlite("read a row"))?;
    match rows.next().map_err(sqlite("read a row"))? {
        Some(row) => record(table, row, &asked.evidence),
        None => Err(none(format!("table {} has no row {}", table.name, asked.row), None)),
    }
}

/// The digests of the tables that have rows, from the rows as they stand: a row for each piece of evidence and table.
///
/// # Errors
///
/// Where a file is none that the pass wrote, or cannot be read.
pub(crate) fn hash_tables(files: &BTreeMap<String, PathBuf>) -> Result<Answer, TableError> {
    let columns = ["_evidence", "table", "rows", "sha256"].map(str::to_owned).to_vec();
    let mut answer = Answer { columns, rows: Vec::new(), more: false, stopped: None };
    let tables = tables();
    for (label, file) in files {
        let connection = attach(&[file], &Budget::new(u64::MAX)).map_err(sqlite("open the tables"))?;
        check(&connection, 0, &tables)?;
        for TableDigest { table, rows, digest } in digests(&connection, "e0.", &tables)? {
            let rows = Cell::Integer(i64::try_from(rows).unwrap_or(i64::MAX));
            answer.rows.push(vec![
                Cell::Text(label.clone()),
                Cell::Text(table),
                rows,
                Cell::Text(digest.to_string()),
            ]);
        }
    }
    Ok(answer)
}

/// Holds the schema of a file against the one that the pass writes.
pub(super) fn check(connection: &Connection, number: usize, tables: &[Table]) -> Result<(), TableError> {
    let read = sqlite("read the schema of the tables");
    let sql = format!("SELECT sql FROM e{number}.sqlite_master WHERE sql IS NOT NULL");
    let mut statement = connection.prepare(&sql).map_err(&read)?;
    let found: Result<BTreeSet<String>, _> =
        statement.query_map([], |row| row.get(0)).map_err(&read)?.collect();
    let remarks =
        REMARKS.lines().filter(|line| !line.is_empty()).map(|line| line.trim_end_matches(';').to_owned());
    let expected: BTreeSet<String> = tables.iter().map(Table::create).chain(remarks).collect();
    if found.map_err(&read)? == expected {
        return Ok(());
    }
    let what = "the schema is not the one that this program writes".to_owned();
    Err(TableError::Row { table: "sqlite_master".to_owned(), row: 0, what })
}

/// A view of each table over all evidence, and the one of all times.
fn views<'l>(
    connection: &Connection,
    tables: &[Table],
    labels: impl Iterator<Item = &'l String> + Clone,
) -> Result<(), Error> {
    let of_all = |name: &str, columns: &str| {
        let arms: Vec<_> = (0..)
            .zip(labels.clone())
            .map(|(number, label)| {
                format!("SELECT {} AS _evidence, {columns} FROM e{number}.{}", text(label), quoted(name))
            })
            .collect();
        format!("CREATE TEMP VIEW {} AS {};", quoted(name), arms.join(" UNION ALL "))
    };
    let mut sql = String::new();
    for table in tables {
        let columns: Vec<_> = table.all_columns().filter(|name| is_shown(name)).map(quoted).collect();
        sql.push_str(&of_all(&table.name, &columns.join(", ")));
    }
    for (name, columns) in [
        ("sources", "_source, source, path, stream, rows"),
        ("gaps", "_source, path, reason"),
        ("defects", "_source, path, _offset, what, hides"),
        ("notes", "_source, note"),
    ] {
        sql.push_str(&of_all(name, columns));
    }
    VIEWS.iter().for_each(|view| sql.push_str(&view.create()));
    sql.push_str(&format!("CREATE TEMP VIEW timeline AS {};", timeline(tables)));
    connection.execute_batch(&sql)
}

/// All times of the host in all tables, a row for each.
fn timeline(tables: &[Table]) -> String {
    let mut arms = Vec::new();
    for table in tables {
        for column in table.times() {
            arms.push(format!(
                "SELECT {field} AS time, {name} AS event, {subject} AS subject, {kind} AS _table, _evidence, _row, _path FROM {table} WHERE {field} NOT LIKE '%{OF_COPY}'",
                field = quoted(&column.name),
                name = text(&column.name),
                subject = quoted(&table.subject),
                kind = text(&table.name),
                table = quoted(&table.name),
            ));
        }
    }
    arms.join(" UNION ALL ")
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn readable(tables: &[Table]) -> BTreeSet<String> {
    let own = OWN.into_iter().chain(VIEWS.iter().map(|view| view.name)).chain(["json_each", "json_tree"]);
    tables.iter().map(|table| table.name.to_lowercase()).chain(own.map(str::to_owned)).collect()
}

/// Whether a name can be one that a statement gave: neither SQLite's own tables nor what virtual ones are made of.
fn is_own_name(name: &str) -> bool {
    let made =
        ["sqlite_", "pragma_", "dbstat", "fts", "rtree", "bytecode", "tables_used", "json_", "layouts"];
    !made.iter().any(|begin| name.starts_with(begin))
}

impl Answer {
    fn take(&mut self, statement: &mut Statement<'_>, limit: usize) -> Result<(), Error> {
        let count = self.columns.len();
        let mut rows = statement.raw_query();
        let mut size = 0usize;
        while let Some(row) = rows.next()? {
            if self.rows.len() >= limit {
                self.more = true;
                return Ok(());
            }
            if size > MAX_DATA && !self.rows.is_empty() {
                let reason =
                    format!("{} MiB of values are the most of one answer: select less", MAX_DATA >> 20);
                self.stopped = Some(reason);
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

impl Cell {
    fn of(cell: ValueRef<'_>) -> Cell {
        match cell {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::Integer(number),
            ValueRef::Real(number) if number.is_finite() => Cell::Real(number),
            ValueRef::Real(number) => Cell::Text(number.to_string()),
            ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
            ValueRef::Blob(bytes) => Cell::Text(hex(bytes)),
        }
    }

    fn size(&self) -> usize {
        match self {
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => 16,
            Cell::Text(text) => text.len().saturating_add(16),
        }
    }
}

fn ended(error: &Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => {
            format!("it was stopped after {STEPS} steps of SQLite's virtual machine: narrow it")
        }
        _ => words(error),
    }
}

/// Why a statement was not compiled, with what there is in its place.
fn refusal(tables: &[Table], sql: &str, error: &Error, refused: Option<String>) -> TableError {
    let offset = match error {
        Error::SqlInputError { offset, .. } if refused.is_none() => usize::try_from(*offset).ok(),
        _ => None,
    };
    let message = match refused {
        Some(refused) if refused.starts_with("pragmas") => {
            "pragmas are refused: the name of a table alone tells its columns".to_owned()
        }
        refused => refused.unwrap_or_else(|| words(error)),
    };
    let help = help(tables, sql, &message);
    TableError::Statement { message, offset, help }
}

/// The nearest tables or columns.
fn help(tables: &[Table], sql: &str, message: &str) -> Option<String> {
    let missing = |what: &str| message.strip_prefix(what).map(|name| name.trim_matches('"').to_lowercase());
    if let Some(name) = missing("no such table: ") {
        let named = tables.iter().map(|table| table.name.as_str());
        let all = named.chain(OWN).chain(VIEWS.iter().map(|view| view.name));
        return Some(format!("the nearest tables are {}", nearest(&name, all).join(", ")));
    }
    let name = missing("no such column: ")?;
    let name = name.rsplit('.').next().unwrap_or_default();
    let sql = sql.to_lowercase();
    let spoken = |table: &str| fits(&format!("*{table}*"), &sql);
    let of_tables = tables.iter().filter(|table| spoken(&table.name));
    let of_tables = of_tables.flat_map(|table| table.all_columns().filter(|name| is_shown(name)));
    let of_views = VIEWS.iter().filter(|view| spoken(view.name));
    let of_views = of_views.flat_map(|view| view.columns.iter().copied().chain(COMMON));
    let columns = of_tables.chain(of_views).chain(["_evidence"]);
    Some(format!("the nearest columns are {}", nearest(name, columns).join(", ")))
}

/// Whether a column can be asked for: those that keep what others do not hold cannot.
fn is_shown(name: &str) -> bool {
    !BEHIND.contains(&name) || name == "_defects"
}

fn nearest<'n>(found: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut known: Vec<_> = known.collect();
    known.sort_unstable();
    known.dedup();
    let likeness = |name: &&str| {
        let contains = name.contains(found) || found.contains(*name);
        strsim::jaro_winkler(found, name) + if contains { 1.0 } else { 0.0 }
    };
    known.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    known.truncate(6);
    known
}
