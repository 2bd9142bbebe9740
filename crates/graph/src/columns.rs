//! The host and the account of a fact, in one word each: columns for sorting and filtering tables.
//!
//! Which fields hold them is data (`data/columns.toml`). A fact that states neither has no value in that column.

use crate::disclosure::WITHHELD;
use crate::run::Run;
use ledger::placement::tells_of_host;
use ledger::{BoundValue, FactEntry, FieldValue};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    account: Vec<Account>,
    host: Host,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    /// The record types to which it applies; empty means all.
    #[serde(default)]
    records: Vec<String>,
    fields: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    record: String,
    field: String,
}

/// Returns the data; `None` if it cannot be read, which is a bug in this program that a test finds.
fn columns() -> Option<&'static Columns> {
    static ALL: LazyLock<Option<Columns>> =
        LazyLock::new(|| toml::from_str(include_str!("../data/columns.toml")).ok());
    ALL.as_ref()
}

/// Returns the account that a fact concerns, by name or SID; `None` if the fact states none.
pub fn account(fact: &FactEntry) -> Option<Cow<'_, str>> {
    let is_its = |entry: &&Account| entry.records.is_empty() || entry.records.contains(&fact.kind);
    let fields = &columns()?.account.iter().find(is_its)?.fields;
    fields.iter().find_map(|field| said(fact, field))
}

/// Returns what a fact states in a field; `None` if that is a placeholder that Windows writes for "nothing".
fn said<'f>(fact: &'f FactEntry, field: &str) -> Option<Cow<'f, str>> {
    let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
    let BoundValue { value, .. } = bound.find(|bound| bound.field == field)?;
    let text = match value {
        FieldValue::List(items) => Cow::Borrowed(items.first()?.as_str()),
        value => value.to_text(),
    };
    (!text.is_empty() && text != "-").then_some(text)
}

/// Returns the host name for each piece of evidence: the one name that its facts give it, or its label otherwise.
pub fn hosts(run: &Run) -> BTreeMap<&str, Cow<'_, str>> {
    let mut names: BTreeMap<&str, BTreeSet<Cow<'_, str>>> = BTreeMap::new();
    let host = columns().map(|columns| &columns.host);
    for (_, accepted) in run.facts() {
        let fact = &accepted.fact;
        let Some(host) = host.filter(|host| host.record == fact.kind) else { continue };
        if tells_of_host(fact.placement) {
            names.entry(&fact.locator.evidence).or_default().extend(said(fact, &host.field));
        }
    }
    let labels = run.opened.case.evidence.iter().map(|evidence| evidence.label.as_str());
    labels
        .map(|label| {
            let only = names.remove(label).filter(|names| names.len() == 1);
            let name = only.and_then(|mut names| names.pop_first()).filter(|name| !name.contains(WITHHELD));
            (label, name.unwrap_or(Cow::Borrowed(label)))
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_data_reads_and_every_fact_has_an_entry() {
        let columns = columns().unwrap();
        assert!(columns.account.last().unwrap().records.is_empty());
        assert!(columns.account.iter().all(|entry| !entry.fields.is_empty()));
    }
}
