//! The case as it is known before a question is answered: hosts, accounts, sources, logs, and the rows that were found.

use std::collections::{BTreeMap, BTreeSet};

/// What the case holds.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The pieces of evidence.
    pub hosts: Vec<Host>,
    /// Accounts.
    pub accounts: Vec<Account>,
    /// Pairs of a piece of evidence and a record type that one of its sources can give.
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
    /// Its names, in small letters.
    pub names: BTreeSet<String>,
    /// Its SID, in small letters.
    pub sid: Option<String>,
    /// The pieces of evidence that list it.
    pub hosts: BTreeSet<String>,
}

/// The time that an event log covers.
#[derive(Debug, Clone, Default)]
pub struct LogSpan {
    /// The piece of evidence.
    pub evidence: String,
    /// Its channels.
    pub channels: String,
    /// The time of its first record.
    pub first: Option<String>,
    /// The time of its last record.
    pub last: Option<String>,
    /// Whether it was cleared.
    pub cleared: bool,
}

/// A row of a case table.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The place of the look that found it, among those of the question.
    pub look: usize,
    /// The number of the row.
    pub number: i64,
    /// The piece of evidence.
    pub evidence: String,
    /// The file.
    pub path: String,
    /// Its values as texts, without those that are null.
    pub fields: BTreeMap<String, String>,
}

impl Row {
    /// Returns a value that is not empty.
    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Returns the name of the user folder that holds the file, in small letters.
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
