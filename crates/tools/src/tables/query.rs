//! Runs one SELECT over finished tables.
//!
//! The result of a statement is a projection: it is printed, and proves nothing.

use super::attached::{Attached, OWN, check, is_shown};
use super::digest::digests;
use super::error::{TableError, sqlite};
use super::group::{TableFiles, TableGroup};
use super::naming::naming;
use super::read::record_at;
use super::schema::{Table, tables};
use super::views::{COMMON, VIEWS};
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::connection::{attach, not_a_select};
use crate::sqlite_file::words;
use ledger::Record;
use ledger::digest::hex;
use ledger::event::TableDigest;
use ledger::pattern::fits;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Statement};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most steps of SQLite's virtual machine for a statement: some ten seconds of processor time.
const STEPS: u64 = 1_000_000_000;

/// The most bytes of a statement.
const LONGEST: usize = 64 << 10;

/// The most bytes of values in an answer, including overhead; the first row is kept whatever its size.
const MAX_DATA: usize = 128 << 20;

/// A statement, and the tables that it uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The table files, by group and evidence.
    pub files: TableFiles,
    /// One SELECT.
    pub sql: String,
    /// The most rows to return.
    pub limit: usize,
}

/// A request for one row of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRow {
    /// The files of the tables.
    pub files: TableFiles,
    /// The label of the evidence.
    pub evidence: String,
    /// The table.
    pub table: String,
    /// The number of the row.
    pub row: i64,
}

/// The result of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// Whether more rows follow.
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
    /// A computed number; one that is not finite is a text.
    Real(f64),
    /// A text; bytes are written in hex digits.
    Text(String),
}

/// Runs a statement.
///
/// # Errors
///
/// If a file was not written by the pass, or the statement is not a SELECT over the tables.
/// A statement that ends early has an answer that says so.
pub(crate) fn ask(asked: &Asked) -> Result<Answer, TableError> {
    let attached = Attached::open(&asked.files, &asked.sql, &Budget::new(STEPS))?;
    let statement = compile(&attached, &asked.sql)?;
    answer(statement, asked.limit)
}

/// Runs a statement as [`ask`] does, and adds `_evidence`, `_table` and `_row` after its own columns, if it lacks them.
/// They are only added if each result row comes from one table row.
pub(crate) fn ask_for_rows(asked: &Asked) -> Result<Answer, TableError> {
    let attached = Attached::open(&asked.files, &asked.sql, &Budget::new(STEPS))?;
    let statement = compile(&attached, &asked.sql)?;
    if statement.column_names().into_iter().any(|name| name.eq_ignore_ascii_case("_row")) {
        return answer(statement, asked.limit);
    }
    let naming = naming(&asked.sql).filter(|_| !gathers(&attached, &asked.sql));
    let named = naming.and_then(|sql| compile(&attached, &sql).ok());
    answer(named.unwrap_or(statement), asked.limit)
}

/// Checks whether a result row can come from several table rows, according to SQLite's own program for it.
fn gathers(attached: &Attached, sql: &str) -> bool {
    let explained = || -> Result<bool, Error> {
        let mut statement = attached.connection.prepare(&format!("EXPLAIN {sql}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // SQLite counts the rows of a table with `Count`, and does other aggregation with `AggStep` and `AggFinal`.
            let opcode = row.get_ref("opcode")?.as_str()?;
            if opcode.starts_with("Agg") || opcode == "Count" {
                return Ok(true);
            }
        }
        Ok(false)
    };
    explained().unwrap_or(true)
}

fn answer(mut statement: Statement<'_>, limit: usize) -> Result<Answer, TableError> {
    let columns = statement.column_names().map(str::to_owned).collect();
    let mut answer = Answer { columns, rows: Vec::new(), more: false, stopped: None };
    match answer.take(&mut statement, limit) {
        Ok(()) => Ok(answer),
        // It returned nothing: the question must be changed.
        Err(error) if answer.rows.is_empty() => Err(refused(ended(&error))),
        Err(error) => {
            answer.stopped = Some(ended(&error));
            Ok(answer)
        }
    }
}

/// Returns the groups of the tables that a statement reads, without opening any of them.
///
/// # Errors
///
/// If the statement is not a SELECT over the tables.
pub(crate) fn groups_of_statement(sql: &str) -> Result<BTreeSet<TableGroup>, TableError> {
    let attached = Attached::open(&TableFiles::new(), sql, &Budget::new(STEPS))?;
    compile(&attached, sql)?;
    Ok(attached.groups())
}

fn compile<'a>(attached: &'a Attached, sql: &str) -> Result<Statement<'a>, TableError> {
    if sql.len() > LONGEST {
        return Err(refused(format!("the statement has {} bytes; {LONGEST} are the most", sql.len())));
    }
    let Attached { connection, tables, watched } = attached;
    let prepared = connection.prepare(sql);
    let statement = prepared.map_err(|error| refusal(tables, sql, &error, watched.refused()))?;
    match not_a_select(&statement) {
        Some(found) => Err(refused(format!("expected one SELECT, found {found}"))),
        None => Ok(statement),
    }
}

fn refused(message: String) -> TableError {
    TableError::Statement { message, offset: None, help: None }
}

/// Reads the record of a row.
///
/// # Errors
///
/// If there is no such row, or it has no record of its table.
pub(crate) fn read_row(asked: &AskedRow) -> Result<Record, TableError> {
    let AskedRow { files, evidence, table, row } = asked;
    let found = Reader::open(files, evidence, table)?.map(|reader| reader.record(*row)).transpose()?;
    found.flatten().ok_or_else(|| refused(format!("table {table} has no row {row}")))
}

/// A reader of rows of one table of a piece of evidence, as records.
pub(crate) struct Reader {
    connection: Connection,
    table: &'static Table,
    label: String,
}

impl Reader {
    /// Opens a table; `None` if there is no file with it.
    ///
    /// # Errors
    ///
    /// If there is no such table, or its file was not written by the pass.
    pub(crate) fn open(files: &TableFiles, label: &str, name: &str) -> Result<Option<Reader>, TableError> {
        let (table, group) = table_named(name)?;
        let file = files.get(group.name()).and_then(|files| files.get(label));
        let Some(file) = file else { return Ok(None) };
        let connection = attach(&[file], &Budget::new(u64::MAX)).map_err(sqlite("open the tables"))?;
        check(&connection, 0, &group.tables())?;
        Ok(Some(Reader { connection, table, label: label.to_owned() }))
    }

    /// Returns the record of the row with this number; `None` if there is no such row.
    pub(crate) fn record(&self, row: i64) -> Result<Option<Record>, TableError> {
        record_at(&self.connection, self.table, row, &self.label)
    }

    /// Returns the names of its fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.table.columns.iter().map(|column| column.name.as_str())
    }
}

/// Returns the table with this name, and its group.
fn table_named(name: &str) -> Result<(&'static Table, TableGroup), TableError> {
    let table = tables().iter().find(|table| table.name == name);
    if let Some(found) = table.zip(TableGroup::of_table(name)) {
        return Ok(found);
    }
    if OWN.contains(&name) || VIEWS.iter().any(|view| view.name == name) {
        return Err(refused(format!("{name} has no records of its own: its _table and _row name them")));
    }
    let message = format!("no such table: {name}");
    let help = help(tables(), "", &message);
    Err(TableError::Statement { message, offset: None, help })
}

/// Computes the digests of the non-empty tables from their rows: one row for each piece of evidence and table.
///
/// # Errors
///
/// If a file was not written by the pass, or cannot be read.
pub(crate) fn hash_tables(files: &TableFiles) -> Result<Answer, TableError> {
    let columns = ["_evidence", "table", "rows", "sha256"].map(str::to_owned).to_vec();
    let mut digested = Vec::new();
    for (name, files) in files {
        let group = TableGroup::named(name).ok_or_else(|| TableError::Group { name: name.clone() })?;
        let tables = group.tables();
        for (label, file) in files {
            let connection = attach(&[file], &Budget::new(u64::MAX)).map_err(sqlite("open the tables"))?;
            check(&connection, 0, &tables)?;
            let of_file = digests(&connection, "e0.", &tables)?;
            digested.extend(of_file.into_iter().map(|digest| (label.clone(), digest)));
        }
    }
    digested.sort_by(|(a, x), (b, y)| (a, &x.table).cmp(&(b, &y.table)));
    let row = |(label, TableDigest { table, rows, digest }): (String, TableDigest)| {
        let rows = Cell::Integer(i64::try_from(rows).unwrap_or(i64::MAX));
        vec![Cell::Text(label), Cell::Text(table), rows, Cell::Text(digest.to_string())]
    };
    let rows = digested.into_iter().map(row).collect();
    Ok(Answer { columns, rows, more: false, stopped: None })
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

    /// Returns the value as a person reads it.
    pub fn shown(&self) -> String {
        match self {
            Cell::Null => String::new(),
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Text(text) => text.clone(),
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

/// Says why a statement was not compiled, and what exists instead.
fn refusal(tables: &[Table], sql: &str, error: &Error, refused: Option<String>) -> TableError {
    let offset = match error {
        Error::SqlInputError { offset, .. } if refused.is_none() => usize::try_from(*offset).ok(),
        _ => None,
    };
    let message = match refused {
        Some(refused) if refused.starts_with("pragmas") => {
            "pragmas are refused: the name of a table alone tells its columns".to_owned()
        }
        Some(refused) if refused.starts_with("function match") => {
            "tables have no full-text index: LIKE '%word%' in place of MATCH".to_owned()
        }
        refused => refused.unwrap_or_else(|| words(error)),
    };
    let help = help(tables, sql, &message);
    TableError::Statement { message, offset, help }
}

/// Returns the most similar tables or columns.
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
