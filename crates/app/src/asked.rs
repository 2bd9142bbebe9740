//! Use case: a question in words, answered from the records of a case.
//!
//! `ask` reads the question and decides; here the tables are asked, and what is known of the case is gathered first.
//! What is looked at is a projection and proves nothing: an answer's rows become facts in a task of a run, or are facts already.

use crate::tables::{CaseTables, TablesError};
use ask::{Account, Answer, Host, LogSpan, Look, Question, Row, World};
use ledger::{AskedQuestion, AskedRows, Record};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;
use tools::{Answer as Table, Cell};

/// The most rows of what is known beforehand, such as accounts.
const KNOWN: usize = 5_000;

/// The tool whose sources name the types that they give.
const RECORDS: &str = "records";

/// Why a question could not be asked.
#[derive(Debug, Error)]
pub enum AskError {
    /// The tables do not answer.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The shipped grammar cannot be read.
    #[error("{reason}")]
    Grammar {
        /// Why.
        reason: String,
    },
}

/// A question, what was looked at for it, and what it comes to.
#[derive(Debug)]
pub struct Asked {
    /// The question as it was read.
    pub question: Question,
    /// What was looked for.
    pub looks: Vec<Look>,
    /// What was found.
    pub rows: Vec<Row>,
    /// What it comes to.
    pub answer: Answer,
}

impl Asked {
    /// The type of a row's record.
    pub fn record_of(&self, row: &Row) -> &str {
        self.looks.get(row.look).map_or("", |look| look.record.as_str())
    }

    /// Returns the types of records that could answer the question, each once; empty if nobody knows what it is about.
    pub fn records(&self) -> Vec<String> {
        let sources = self.question.topics().flat_map(|topic| &topic.sources);
        let records: BTreeSet<&String> = sources.map(|source| &source.record).collect();
        records.into_iter().cloned().collect()
    }

    /// The record of a row that the answer cites.
    ///
    /// # Errors
    ///
    /// Where the table cannot be read again.
    pub fn record(&self, tables: &CaseTables, row: &Row) -> Result<Record, TablesError> {
        tables.record_on(&row.evidence, self.record_of(row), row.number)
    }
}

/// Reads a question.
///
/// # Errors
///
/// Fails if the shipped grammar cannot be read.
pub fn read_question(text: &str) -> Result<Question, AskError> {
    ask::question(text).map_err(|error| AskError::Grammar { reason: error.to_string() })
}

/// Asks the tables of a case a question that was read.
///
/// # Errors
///
/// Fails if the tables do not answer.
pub fn asked(tables: &CaseTables, question: Question) -> Result<Asked, AskError> {
    let has_sources = question.topics().any(|topic| !topic.sources.is_empty());
    let mut world = World::default();
    if has_sources {
        let is_of_logs = question.topics().flat_map(|topic| &topic.sources).any(ask::Source::is_of_log);
        gather(tables, is_of_logs, &mut world)?;
    }
    let looks = ask::looks(&question, &world);
    let mut rows = Vec::new();
    let given = givers();
    for (place, look) in looks.iter().enumerate() {
        let found = tables.ask_with_sources(&look.sql, ask::MOST)?;
        for (evidence, source) in &found.sources {
            let gives = given.get(source).is_some_and(|types| types.contains(&look.record));
            if gives {
                world.sources.insert((evidence.clone(), look.record.clone()));
            }
        }
        rows.extend(read(&found.answer, place));
    }
    let answer = ask::decide(&question, &looks, &rows, &world);
    Ok(Asked { question, looks, rows, answer })
}

/// The hosts and accounts of a case, by which a question can go on from another one.
///
/// # Errors
///
/// Where the tables do not answer.
pub fn known_names(tables: &CaseTables) -> Result<World, AskError> {
    let mut world = World::default();
    gather(tables, false, &mut world)?;
    Ok(world)
}

/// The question as a log has it, with the rows that its task records, by table and piece of evidence.
pub fn question_to_record(asked: &Asked) -> AskedQuestion {
    let mut all: Vec<AskedRows> = Vec::new();
    for cited in &asked.answer.cited {
        let Some(row) = asked.rows.get(cited.row) else { continue };
        let record = asked.record_of(row);
        let is_of = |rows: &&mut AskedRows| {
            rows.record == record && rows.evidence == row.evidence && rows.fields == cited.fields
        };
        match all.iter_mut().find(is_of) {
            Some(rows) => rows.rows.push(row.number),
            None => all.push(AskedRows {
                record: record.to_owned(),
                evidence: row.evidence.clone(),
                rows: vec![row.number],
                fields: cited.fields.clone(),
            }),
        }
    }
    AskedQuestion { question: asked.question.text().to_owned(), plan: ask::VERSION, rows: all }
}

/// The record types that each source gives.
fn givers() -> BTreeMap<String, BTreeSet<String>> {
    let spec = tools::catalogue().into_iter().find(|spec| spec.name == RECORDS);
    let sources = spec.map(|spec| spec.sources).unwrap_or_default();
    sources.into_iter().map(|(source, types)| (source, types.into_iter().collect())).collect()
}

/// What is known of hosts, accounts and logs.
fn gather(tables: &CaseTables, is_of_logs: bool, world: &mut World) -> Result<(), TablesError> {
    let mut hosts: BTreeMap<String, Host> = tables
        .labels()
        .map(|label| (label.to_owned(), Host { label: label.to_owned(), names: BTreeSet::new() }))
        .collect();
    let names = "SELECT _evidence, name, hostname FROM computer_name";
    for row in read(&tables.ask(names, KNOWN)?, 0) {
        if let Some(host) = hosts.get_mut(&row.evidence) {
            host.names.extend(row.fields.into_values());
        }
    }
    let accounts = "SELECT _evidence, name, full_name, sid, profile_path FROM user_account";
    let profiles = "SELECT _evidence, sid, profile_path FROM user_profile";
    let logged =
        "SELECT DISTINCT _evidence, account AS name, sid FROM account_changed WHERE sid LIKE 'S-1-5-21-%'";
    let mut known: BTreeMap<String, Account> = BTreeMap::new();
    let statements = [accounts, profiles].into_iter().chain(is_of_logs.then_some(logged));
    for statement in statements {
        for row in read(&tables.ask(statement, KNOWN)?, 0) {
            let field = |name: &str| row.fields.get(name).map(|text| text.to_lowercase());
            let folder =
                field("profile_path").and_then(|path| path.rsplit(['\\', '/']).next().map(str::to_owned));
            let Some(key) = field("sid").or_else(|| field("name")) else { continue };
            let account = known.entry(key).or_default();
            account.names.extend([field("name"), field("full_name"), folder].into_iter().flatten());
            account.sid = field("sid").or_else(|| account.sid.take());
            account.names.remove("");
            if statement == accounts {
                account.hosts.insert(row.evidence.clone());
            }
        }
    }
    world.accounts = known.into_values().collect();
    if is_of_logs {
        let logs = "SELECT _evidence, _path, channel, channels, first, last, cleared, first_record_id, computers FROM event_log";
        for row in read(&tables.ask(logs, KNOWN)?, 0) {
            let text = |name: &str| row.fields.get(name).cloned().unwrap_or_default();
            if let Some(host) = hosts.get_mut(&row.evidence) {
                host.names.extend(
                    items(&text("computers"))
                        .into_iter()
                        .map(|name| name.split('.').next().map(str::to_owned).unwrap_or(name)),
                );
            }
            let mut channels = items(&text("channels"));
            channels.push(text("channel"));
            world.logs.extend(channels.into_iter().filter(|it| !it.is_empty()).map(|channels| LogSpan {
                evidence: row.evidence.clone(),
                channels,
                first: row.fields.get("first").cloned(),
                last: row.fields.get("last").cloned(),
                cleared: text("cleared") != "0" && !text("cleared").is_empty(),
            }));
        }
    }
    world.hosts = hosts.into_values().collect();
    Ok(())
}

/// The items of a list as tables hold one.
fn items(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The rows of a projection, as texts.
fn read(table: &Table, look: usize) -> Vec<Row> {
    let row = |cells: &Vec<Cell>| {
        let mut row = Row { look, ..Row::default() };
        for (name, cell) in table.columns.iter().zip(cells) {
            let text = match cell {
                Cell::Null => continue,
                cell => cell.shown(),
            };
            match name.as_str() {
                "_row" => row.number = text.parse().unwrap_or(-1),
                "_evidence" => row.evidence = text,
                "_path" => row.path = text,
                name if name.starts_with('_') => {}
                name => {
                    row.fields.insert(name.to_owned(), text);
                }
            }
        }
        row
    };
    table.rows.iter().map(row).collect()
}
