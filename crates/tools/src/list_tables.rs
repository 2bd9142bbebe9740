//! `list_tables`: the tables of an SQLite database, with and without its write-ahead log.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
use crate::returned::Return;
use crate::row::Row;
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::schema::{Entry, EntryKind, Schema};
use crate::sqlite_file::table::{Table, not_read};
use crate::sqlite_file::{Database, State, defect_words};
use crate::{place, remains, spec};
use evidence::escape_name;
use ledger::{Defect, FieldType, FieldValue, Gap, Record, RecordType, ToolSpec};
use rusqlite::Connection;
use serde_json::json;
use std::collections::BTreeSet;

const KIND: &str = "table";

/// The most steps of SQLite's virtual machine in one call: enough for about 60 million rows.
const STEPS: u64 = 200_000_000;

/// The most gaps and defects of one call; a hostile schema could produce more than a log accepts.
const MOST_REMARKS: usize = 200;

/// The most bytes of the statements of one call's tables.
const MAX_DATA: usize = 8 << 20;

/// The most bytes of a statement in a record.
const LONGEST_SQL: usize = 16 << 10;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "list_tables",
        "Lists the tables of an SQLite database: columns, statement, number of rows. \
         Rows are counted with the write-ahead log (-wal) applied and without it; a hot rollback journal (-journal) is played back in a copy. \
         Views and virtual tables are listed and not read; deleted rows are not recovered.",
        vec![
            ("path", spec::text("the database, with either slash, with or without a drive letter")),
            ("evidence", spec::evidence()),
            ("limit", spec::number("most tables to return", 200, 1, 2000)),
            ("offset", spec::offset()),
        ],
        &["path"],
        vec![record_type()],
    )
}

fn record_type() -> RecordType {
    use FieldType::{Integer, List, Name, Path, Text};
    spec::record(
        KIND,
        "one table that an SQLite database declares",
        "table_path",
        &[
            ("table_path", &[Path], "path of the database in the evidence, / and the name of the table"),
            ("database", &[Path], "path of the database in the evidence"),
            ("name", &[Name], "name of the table"),
            ("kind", &[Name], "table, without_rowid, virtual or view"),
            ("columns", &[List], "name and declared type of each column of a table"),
            ("sql", &[Text], "the statement that made the table, cut at 16 KiB"),
            (
                "rows",
                &[Integer],
                "number of rows with the logs applied; left out where they could not be counted",
            ),
            (
                "rows_checkpointed",
                &[Integer],
                "number of rows in the file alone, where the logs make it another table or another number",
            ),
            (
                "state",
                &[Name],
                "checkpointed where the logs have dropped the table; wal, or journal, where only that log has it; left out otherwise",
            ),
            ("root_page", &[Integer], "page of the file where its rows begin, counted from 1"),
        ],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    let place = remains::whole(place)?;
    let normalised = arguments
        .normalised(&[("evidence", json!(place.tree.label())), ("path", json!(place.node.path.as_str()))]);
    let database = Database::copy(place, call.scratch)?;
    let mut page = Page::new(arguments.count("offset")?, arguments.count("limit")?);
    let mut listing = Listing::open(&database)?;
    let mut size = 0usize;
    for (entry, state) in listing.entries() {
        let record = || {
            size = size.saturating_add(entry.sql.as_ref().map_or(0, String::len));
            listing.record(&entry, state)
        };
        if !page.take(record) || size > MAX_DATA {
            break;
        }
    }
    let mut returned = Return::found(Vec::new(), normalised);
    page.fill(&mut returned, "tables");
    if size > MAX_DATA {
        let next = arguments.count("offset")?.saturating_add(returned.records.len());
        returned.truncate(format!("long statements: go on with \"offset\": {next}"));
    }
    listing.finish(&mut returned);
    Ok(returned)
}

/// Both states of a database.
struct Listing<'d> {
    database: &'d Database<'d>,
    applied: (Connection, Schema),
    /// Only if it is a different state.
    checkpointed: Option<(Connection, Schema)>,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
    /// Names of the tables whose row count differs between the states.
    differ: Vec<String>,
}

impl<'d> Listing<'d> {
    fn open(database: &'d Database<'d>) -> Result<Listing<'d>, CallError> {
        let budget = Budget::new(STEPS);
        let schema = database.schema(State::Applied, &budget)?;
        let applied = (database.open_with(State::Applied, &schema, &budget)?, schema);
        let mut listing = Listing {
            database,
            applied,
            checkpointed: None,
            defects: Vec::new(),
            gaps: Vec::new(),
            differ: Vec::new(),
        };
        if database.has_logs() {
            match database.schema(State::Checkpointed, &budget) {
                Ok(schema) => {
                    let connection = database.open_with(State::Checkpointed, &schema, &budget)?;
                    listing.checkpointed = Some((connection, schema));
                }
                Err(error) => listing.gaps.push(database.gap(format!("without its logs: {error}"))),
            }
        }
        Ok(listing)
    }

    /// Returns the tables with the logs applied, followed by those that only the file alone has.
    fn entries(&self) -> Vec<(Entry, State)> {
        let (_, applied) = &self.applied;
        let dropped = self.checkpointed.iter().flat_map(|(_, schema)| &schema.entries);
        let dropped = dropped.filter(|entry| applied.entry(&entry.name).is_none());
        let with = |state| move |entry: &Entry| (entry.clone(), state);
        applied
            .entries
            .iter()
            .map(with(State::Applied))
            .chain(dropped.map(with(State::Checkpointed)))
            .collect()
    }

    fn record(&mut self, entry: &Entry, state: State) -> Record {
        let database = self.database;
        let path = format!("{}/{}", database.path(), escape_name(entry.name.as_bytes()));
        let sql =
            entry.sql.as_ref().map(|sql| sql.get(..sql.floor_char_boundary(LONGEST_SQL)).unwrap_or(sql));
        let row = Row::new(KIND, database.tree(), database.node(), None)
            .field("table_path", FieldValue::Path(path))
            .field("database", FieldValue::Path(database.path().to_owned()))
            .field("name", FieldValue::Name(entry.name.clone()))
            .maybe("sql", sql.map(|sql| FieldValue::Text(sql.to_owned())), None)
            .maybe("root_page", entry.root_page.map(|page| FieldValue::Integer(page.into())), None);
        let kind = |row: Row, kind: &str| row.field("kind", FieldValue::Name(kind.to_owned()));
        match entry.kind {
            EntryKind::View => kind(row, "view").done(),
            EntryKind::Virtual => {
                self.gap(format!(
                    "{:?} is a virtual table: its rows are made by code, and are not read",
                    entry.name
                ));
                kind(row, "virtual").done()
            }
            EntryKind::Table => self.table(row, entry, state),
        }
    }

    /// Completes the record of a table with rows.
    fn table(&mut self, row: Row, entry: &Entry, state: State) -> Record {
        let known = match state {
            State::Applied => Some(&self.applied),
            State::Checkpointed => self.checkpointed.as_ref(),
        };
        let table = match known.map(|(connection, _)| Table::read(connection, &entry.name)) {
            Some(Ok(table)) if !table.columns.is_empty() => table,
            Some(Err(error)) => {
                let defect = self.database.defect(not_read(&entry.name, &error));
                return row.field("kind", FieldValue::Name("table".into())).defects(vec![defect]).done();
            }
            None | Some(Ok(_)) => {
                let what = format!(
                    "the schema has an entry for table {:?}, and SQLite knows no such table",
                    entry.name
                );
                let defect = self.database.defect(what);
                return row.field("kind", FieldValue::Name("table".into())).defects(vec![defect]).done();
            }
        };
        let columns = table.columns.iter().map(|column| format!("{} {}", column.name, column.declared));
        let columns = columns.map(|column| column.trim_end().to_owned()).collect();
        let kind = if table.without_rowid() { "without_rowid" } else { "table" };
        let (rows, before, defects) = self.counts(&table, state);
        let number = |count: u64| FieldValue::Integer(count.into());
        row.field("kind", FieldValue::Name(kind.to_owned()))
            .field("columns", FieldValue::List(columns))
            .maybe("rows", rows.map(number), None)
            .maybe("rows_checkpointed", before.map(number), None)
            .maybe("state", self.only_in(entry, state).map(|name| FieldValue::Name(name.to_owned())), None)
            .defects(defects)
            .done()
    }

    /// Returns the state that has the table, if the other one lacks it.
    fn only_in(&self, entry: &Entry, state: State) -> Option<&'static str> {
        let (_, checkpointed) = self.checkpointed.as_ref()?;
        match state {
            State::Checkpointed => Some("checkpointed"),
            State::Applied => checkpointed.entry(&entry.name).is_none().then_some(self.database.log_name()),
        }
    }

    /// Returns the row count with the logs, the count without them if it differs, and the damage met.
    fn counts(&mut self, table: &Table, state: State) -> (Option<u64>, Option<u64>, Vec<Defect>) {
        let mut defects = Vec::new();
        let mut rows = None;
        if state == State::Applied {
            rows = count(table, &self.applied.0, "", self.database, &mut defects);
        }
        let mut before = None;
        if let Some((connection, schema)) = &self.checkpointed
            && schema.entry(&table.name).is_some_and(|entry| entry.kind == EntryKind::Table)
        {
            before = count(table, connection, " without the logs", self.database, &mut defects);
        }
        if self.checkpointed.is_some() && before != rows {
            let number = |count: Option<u64>| count.map_or("none".to_owned(), |count| count.to_string());
            self.differ.push(format!("{} ({}, {})", table.name, number(rows), number(before)));
        }
        if rows.is_none() && state == State::Applied && defects.is_empty() {
            self.gap(format!("table {:?}: the rows were not counted: too many for one call", table.name));
        }
        (rows, before.filter(|before| Some(*before) != rows), defects)
    }

    fn gap(&mut self, reason: String) {
        if self.gaps.len() < MOST_REMARKS {
            self.gaps.push(self.database.gap(reason));
        }
    }

    fn finish(mut self, returned: &mut Return) {
        self.damage();
        returned.notes.extend(self.database.notes.iter().cloned());
        if !self.differ.is_empty() {
            let differ = self.differ.join(", ");
            let what = format!("the logs change the number of rows (with them, without them): {differ}");
            returned.notes.push(crate::sqlite_file::short(what));
        }
        returned.defects = self.database.defects.iter().cloned().chain(self.defects).collect();
        returned.gaps = self.database.gaps.iter().cloned().chain(self.gaps).collect();
        returned.incomplete_for_gaps();
    }

    /// Reports the damage of the schemas, and tables that share their rows.
    fn damage(&mut self) {
        let schemas = std::iter::once(&self.applied).chain(&self.checkpointed);
        let mut words = BTreeSet::new();
        for (_, schema) in schemas {
            words.extend(schema.damage.iter().take(MOST_REMARKS).cloned());
            if schema.more {
                words.insert(format!("the schema has more than {} tables and views", schema.entries.len()));
            }
        }
        let mut roots = BTreeSet::new();
        for entry in &self.applied.1.entries {
            if entry.root_page.is_some_and(|page| !roots.insert(page)) && words.len() < MOST_REMARKS {
                words.insert(format!("table {:?} begins on the same page as another table", entry.name));
            }
        }
        self.defects.extend(words.into_iter().map(|words| self.database.defect(words)));
    }
}

/// Counts the rows in one state; adds damage to `defects`.
fn count(
    table: &Table,
    connection: &Connection,
    state: &str,
    database: &Database<'_>,
    defects: &mut Vec<Defect>,
) -> Option<u64> {
    match table.count(connection) {
        Ok(count) => Some(count),
        Err((reached, error)) => {
            let words = defect_words(&error)?;
            defects.push(
                database.defect(format!("table {:?}{state}: behind row {reached}: {words}", table.name)),
            );
            None
        }
    }
}
