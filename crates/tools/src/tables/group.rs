//! Groups of sources whose tables are made together, in one file; each table is in one group.

use super::schema::{Table, kept};
use crate::catalogue::Indexes;
use crate::decode::{self, DECODERS, Decoder};
use crate::units::{Origin, sources};
use crate::{logs, overview, records, retired, timeline};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

/// Sources whose tables are made together, because one reading of a file gives them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableGroup(&'static str);

/// The artifacts of all hives.
const ARTIFACTS: TableGroup = TableGroup("artifacts");

/// The findings about whole logs.
const LOGS: TableGroup = TableGroup(logs::NAME);

impl TableGroup {
    /// Returns the group with this name.
    pub fn named(name: &str) -> Option<TableGroup> {
        TableGroup::all().into_iter().find(|group| group.0 == name)
    }

    /// Returns its name: that of its first decoder, or of its part of a hive.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns all groups, sorted by name.
    pub fn all() -> BTreeSet<TableGroup> {
        origins().filter_map(TableGroup::of).collect()
    }

    /// Returns the group that makes the table with this name.
    pub fn of_table(name: &str) -> Option<TableGroup> {
        static GROUPS: OnceLock<HashMap<String, TableGroup>> = OnceLock::new();
        let named = |origin| {
            let group = TableGroup::of(origin);
            kept(origin).into_iter().filter_map(move |record| Some((record.name, group?)))
        };
        GROUPS.get_or_init(|| origins().flat_map(named).collect()).get(name).copied()
    }

    /// Returns the group that a source belongs to; what a search met has no group of its own.
    pub(crate) fn of(origin: Origin) -> Option<TableGroup> {
        match origin {
            Origin::Entries | Origin::Names | Origin::Keys | Origin::Values => {
                Some(TableGroup(origin.source()))
            }
            Origin::Artifact(_) => Some(ARTIFACTS),
            Origin::Log(_) => Some(LOGS),
            Origin::Decoder(decoder) => Some(of_decoder(decoder)),
            Origin::Hives | Origin::Files => None,
        }
    }

    /// Returns the decoders whose files are looked for.
    pub(crate) fn decoders(self) -> Vec<&'static Decoder> {
        // The histories of names are made from the files of the journals.
        if Some(self) == TableGroup::of(Origin::Names) {
            return decode::named("usn_journal").into_iter().collect();
        }
        if self == LOGS {
            return logs::decoders().collect();
        }
        DECODERS.iter().filter(|decoder| of_decoder(decoder) == self).collect()
    }

    /// Returns its tables, sorted by name.
    pub(crate) fn tables(self) -> Vec<Table> {
        let own = |table: &&Table| TableGroup::of_table(&table.name) == Some(self);
        super::tables().iter().filter(own).cloned().collect()
    }
}

/// Returns all sources that have tables.
pub(super) fn origins() -> impl Iterator<Item = Origin> {
    sources().chain([Origin::Values, Origin::Names]).chain(logs::decoders().map(Origin::Log))
}

/// Returns the group of a decoder: that of the first decoder with which it shares a record type, so that each table is in one file.
fn of_decoder(decoder: &Decoder) -> TableGroup {
    static GROUPS: OnceLock<HashMap<&str, TableGroup>> = OnceLock::new();
    let groups = GROUPS.get_or_init(|| {
        let types: Vec<(&str, BTreeSet<String>)> = DECODERS
            .iter()
            .map(|decoder| (decoder.name, decode::gathered(decoder).into_iter().map(|record| record.name)))
            .map(|(name, types)| (name, types.collect()))
            .collect();
        let first = |own: &BTreeSet<String>| types.iter().find(|(_, types)| !types.is_disjoint(own));
        let group = |own| first(own).map(|(name, _)| TableGroup(name));
        types.iter().filter_map(|(name, own)| Some((*name, group(own)?))).collect()
    });
    // A decoder without record types makes no table, so its group does not matter.
    groups.get(decoder.name).copied().unwrap_or(TableGroup(decoder.name))
}

/// The table files that tools may read instead of decoding, by group and by the label of the evidence.
pub type TableFiles = std::collections::BTreeMap<String, Indexes>;

/// The tool that queries case tables in SQL.
pub(crate) const QUERY: &str = "query";

/// Checks whether a tool returns records of every type that has a table, without declaring the types: other tools declare them.
pub fn gives_any_record(tool: &str) -> bool {
    matches!(tool, QUERY | "timeline" | overview::NAME)
}

/// Returns the statement of a call that queries case tables in SQL.
pub fn statement_of<'a>(tool: &str, arguments: &'a Value) -> Option<&'a str> {
    (tool == QUERY).then(|| arguments.get("sql").and_then(Value::as_str).unwrap_or_default())
}

/// Checks whether a tool reads tables even if one of their sources could not be read, and reports that as a gap.
/// Other tools decode such a source again.
pub fn reads_what_there_is(tool: &str) -> bool {
    matches!(tool, QUERY | "timeline" | "timeline_histogram" | overview::NAME)
}

/// Returns the groups that a call reads; none if it decodes what it needs, or its arguments are wrong.
pub fn groups_of(tool: &str, arguments: &Value) -> Vec<TableGroup> {
    match tool {
        "timeline" | "timeline_histogram" => timeline::groups(arguments),
        "timeline_anomalies" | "list_event_channels" => vec![LOGS],
        "records" => records::groups(arguments),
        overview::NAME => overview::groups(),
        retired => match retired::translated(retired, arguments) {
            Some(Ok(translated)) => records::groups(&translated.arguments),
            Some(Err(_)) | None => Vec::new(),
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_table_is_of_one_group_and_every_decoder_and_group_are_of_each_other() {
        let mut makers: BTreeMap<String, BTreeSet<TableGroup>> = BTreeMap::new();
        for origin in origins() {
            for record in kept(origin) {
                makers.entry(record.name).or_default().insert(TableGroup::of(origin).unwrap());
            }
        }
        for (table, groups) in makers {
            assert_eq!(groups.len(), 1, "{table} is made by {groups:?}");
            assert_eq!(groups.first().copied(), TableGroup::of_table(&table));
        }
        for decoder in DECODERS {
            assert!(of_decoder(decoder).decoders().iter().any(|own| own.name == decoder.name));
        }
        for group in TableGroup::all() {
            assert_eq!(TableGroup::named(group.name()), Some(group));
        }
    }
}
