//! `sqlite_query`: rows of an SQLite database's tables, chosen by a SELECT.
//!
//! **A record is a row of a table, never a row of the result.**
//! The result of a statement comes from the agent as much as from the evidence.
//! A statement can state literals, compute, and put values of different rows side by side.
//! For each column of a result, SQLite says which column of which table it comes from, but that is only a claim.
//! For `SELECT url FROM urls UNION SELECT 'x'` it names `urls.url` for both sides.
//! So the claims choose what to look for, and a scan of the table itself shows what is there.
//! A record is made only if one stored row has every value that the result gives for that table.
//! Everything else in a result goes into a note, which proves nothing.
//!
//! Values that a later `ALTER TABLE … ADD COLUMN … DEFAULT` gave to older rows are in the schema and not in the row.
//! They are the database's own content and count as values of the row.
//! Values of `VIRTUAL` generated columns are computed when they are read, and count as computed; those of `STORED` ones are in the row.

mod cell;
mod claims;
mod records;
mod remarks;
mod statement;
mod verify;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::schema::Schema;
use crate::sqlite_file::{Database, State, defect_words};
use crate::{place, remains, spec};
use claims::{Claim, claims};
use ledger::ToolSpec;
use rusqlite::Connection;
use serde_json::json;
use statement::{Answer, Window, ask};
use std::collections::BTreeSet;
use verify::{Found, verify};

/// The most steps of SQLite's virtual machine for the statement.
const STEPS: u64 = 200_000_000;
/// The most steps for the scans that verify its result.
const SCAN_STEPS: u64 = 400_000_000;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "sqlite_query",
        "Runs one SELECT over an SQLite database and returns the rows of tables that its result comes from: each record is one stored row with the columns that were selected, under their own names. \
         Select plain columns, best with the primary key; a join gives one record for each table. \
         Expressions, literals, aggregates, and values that do not stand together in one row (UNION, self-joins) come back in a note only and prove nothing: use them to filter and to sort.",
        vec![
            ("path", spec::text("the database, with either slash, with or without a drive letter")),
            ("evidence", spec::evidence()),
            ("sql", spec::text("one SELECT, without parameters; list_tables tells tables and columns")),
            (
                "wal",
                json!({
                    "type": "string",
                    "description": "applied: with what stands in the write-ahead log, and a hot rollback journal played back, as the application would read it; ignored: the file alone",
                    "enum": ["applied", "ignored"],
                    "default": "applied",
                }),
            ),
            ("limit", spec::number("most rows of the result to look at", 200, 1, 10_000)),
            (
                "offset",
                spec::number(
                    "rows of the result to skip, to go on where an earlier call stopped",
                    0,
                    0,
                    u64::from(u32::MAX),
                ),
            ),
        ],
        &["path", "sql"],
        vec![records::record_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    let place = remains::whole(place)?;
    let normalised = arguments
        .normalised(&[("evidence", json!(place.tree.label())), ("path", json!(place.node.path.as_str()))]);
    let state = match arguments.text("wal")? {
        "ignored" => State::Checkpointed,
        _ => State::Applied,
    };
    let window = Window { offset: arguments.count("offset")?, limit: arguments.count("limit")? };
    let database = Database::copy(place, call.scratch)?;
    let query = Query::new(&database, state)?;
    let answer = ask(&query, arguments.text("sql")?, window)?;
    let mut returned = Return::found(Vec::new(), normalised);
    returned.defects.extend(database.defects.iter().cloned());
    returned.defects.extend(query.schema.damage.iter().take(100).map(|words| database.defect(words.clone())));
    returned.gaps.extend(database.gaps.iter().cloned());
    returned.notes.extend(database.notes.iter().cloned());
    if state == State::Checkpointed && database.has_logs() {
        returned
            .gaps
            .push(database.gap("the logs beside the database were not applied, as asked".to_owned()));
    }
    query.fill(&answer, window, &mut returned)?;
    returned.incomplete_for_gaps();
    Ok(returned)
}

/// One state of a database, ready for a query.
struct Query<'d> {
    database: &'d Database<'d>,
    state: State,
    schema: Schema,
}

impl<'d> Query<'d> {
    fn new(database: &'d Database<'d>, state: State) -> Result<Query<'d>, CallError> {
        let schema = database.schema(state, &Budget::new(STEPS))?;
        Ok(Query { database, state, schema })
    }

    /// Makes records from the table rows behind an answer.
    fn fill(&self, answer: &Answer, window: Window, returned: &mut Return) -> Result<(), CallError> {
        let budget = Budget::new(SCAN_STEPS);
        let reader = self.database.open_with(self.state, &self.schema, &budget)?;
        let checkpointed = match self.state {
            State::Applied if self.database.has_logs() => self.checkpointed(&budget),
            State::Applied | State::Checkpointed => None,
        };
        let claims = claims(&reader, &self.schema, answer);
        returned.gaps.extend(claims.refused.iter().map(|words| self.database.gap(words.clone())));
        let mut found = Vec::new();
        for claim in &claims.tables {
            let mut scanned = verify(&reader, claim, answer);
            if let Some(error) = scanned.stopped.take() {
                self.stopped(claim, &error, returned);
            }
            records::mark_states(&mut scanned, claim, checkpointed.as_ref());
            found.push(scanned);
        }
        returned.set_records(self.records(answer, &claims.tables, &found, returned));
        self.remark(answer, &claims.tables, &found, window, returned);
        Ok(())
    }

    /// Opens the file alone, to show which rows of the applied state are already in it.
    fn checkpointed(&self, budget: &Budget) -> Option<Connection> {
        let schema = self.database.schema(State::Checkpointed, budget).ok()?;
        self.database.open_with(State::Checkpointed, &schema, budget).ok()
    }

    /// Returns the records in the order of the result; for one result row, in the order in which its columns name the tables.
    fn records(
        &self,
        answer: &Answer,
        tables: &[Claim],
        found: &[Found],
        returned: &Return,
    ) -> Vec<ledger::Record> {
        let mut records = returned.records.clone();
        let mut given = BTreeSet::new();
        for index in 0..answer.rows.len() {
            for (table, (claim, found)) in tables.iter().zip(found).enumerate() {
                if let Some(row) = found.rows.get(index).and_then(Option::as_ref)
                    && given.insert((table, row.identity.clone()))
                {
                    records.push(records::record(self.database, claim, row));
                }
            }
        }
        records
    }

    fn stopped(&self, claim: &Claim, error: &rusqlite::Error, returned: &mut Return) {
        let name = &claim.table.name;
        match defect_words(error) {
            Some(words) => {
                let what = format!(
                    "table {name:?} cannot be read to its end: {words}: rows behind that are not in the records"
                );
                returned.defects.push(self.database.defect(what));
            }
            None => {
                let reason = format!(
                    "table {name:?} is too large to be verified in one call; select its rowid or primary key"
                );
                returned.gaps.push(self.database.gap(reason));
            }
        }
    }

    /// Adds what must be said besides the records.
    fn remark(
        &self,
        answer: &Answer,
        tables: &[Claim],
        found: &[Found],
        window: Window,
        returned: &mut Return,
    ) {
        if let Some(error) = &answer.stopped {
            match defect_words(error) {
                Some(words) => returned.defects.push(self.database.defect(format!(
                    "the statement stopped behind {} rows of its result: {words}",
                    window.offset.saturating_add(answer.rows.len())
                ))),
                None => returned.truncate(format!(
                    "stopped after {STEPS} steps of SQLite's virtual machine: these rows are the first; narrow the statement, \"offset\" does not help"
                )),
            }
        }
        for (claim, found) in tables.iter().zip(found) {
            if let Some(note) = remarks::unverified(claim, found) {
                returned.truncate(note);
            }
            returned.notes.extend(remarks::empty(claim, found));
        }
        returned.notes.extend(remarks::computed(answer, tables));
        if answer.more {
            let next = window.offset.saturating_add(answer.rows.len());
            returned.truncate(format!("more rows of the result follow: go on with \"offset\": {next}"));
        } else if window.offset > 0 {
            // A page must not be taken for an absence.
            returned
                .truncate("this is the last page; the rows of the result before it are not in it".to_owned());
        }
        if returned.records.is_empty() && !answer.rows.is_empty() {
            // A result without records is not an absence.
            returned.truncate(
                "the result has rows, but none is a row of a table: select plain columns".to_owned(),
            );
        }
    }
}
