//! What is known of the case before a question is answered: its hosts, accounts, sources and logs, and the rows that were looked at.

use std::collections::{BTreeMap, BTreeSet};

/// What the case holds.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The pieces of evidence.
    pub hosts: Vec<Host>,
    /// Accounts.
    pub accounts: Vec<Account>,
    /// Record types that a source in a piece of evidence could have given, as (evidence, type).
    pub sources: BTreeSet<(String, String)>,
    /// Event logs.
    pub logs: Vec<LogSpan>,
}

/// A piece of evidence.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// Its label.
    pub label: String,
    /// The names of the computer.
    pub names: BTreeSet<String>,
}

/// An account.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// What it is called, in small letters.
    pub names: BTreeSet<String>,
    /// Its SID, in small letters.
    pub sid: Option<String>,
    /// The pieces of evidence whose list of accounts has it.
    pub hosts: BTreeSet<String>,
}

/// How far an event log reaches.
#[derive(Debug, Clone, Default)]
pub struct LogSpan {
    /// The piece of evidence.
    pub evidence: String,
    /// Its channels.
    pub channels: String,
    /// Its first record's time.
    pub first: Option<String>,
    /// Its last record's time.
    pub last: Option<String>,
    /// Whether it was cleared before its first record.
    pub cleared: bool,
}

/// A row of a case table.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Which look found it: its place among those of the question.
    pub look: usize,
    /// The number of the row.
    pub number: i64,
    /// The piece of evidence.
    pub evidence: String,
    /// The file.
    pub path: String,
    /// Its values as texts; what it lacks is missing.
    pub fields: BTreeMap<String, String>,
}

impl Row {
    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// The name of the folder of users in which the file lies.
    pub(crate) fn owner(&self) -> Option<String> {
        let path = self.path.replace('\\', "/").to_lowercase();
        let behind = ["/users/", "/documents and settings/", "users/", "documents and settings/"]
            .into_iter()
            .find_map(|folder| match folder.starts_with('/') {
                true => path.split_once(folder).map(|(_, behind)| behind.to_owned()),
                false => path.strip_prefix(folder).map(str::to_owned),
            })?;
        behind.split_once('/').map(|(owner, _)| owner.to_owned())
    }
}
