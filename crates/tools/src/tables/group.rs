//! Sources whose tables are made together, in one file.

use super::schema::{Table, kept};
use crate::catalogue::Indexes;
use crate::decode::{self, DECODERS, Decoder};
use crate::units::{Origin, sources};
use serde_json::Value;
use std::collections::BTreeSet;

/// Sources whose tables are made together, because one reading of a file gives them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableGroup(&'static str);

/// The artifacts of all hives.
const ARTIFACTS: TableGroup = TableGroup("artifacts");
/// The keys and values of all hives.
const REGISTRY: TableGroup = TableGroup("registry");

impl TableGroup {
    /// The group of this name.
    pub fn named(name: &str) -> Option<TableGroup> {
        TableGroup::all().find(|group| group.0 == name)
    }

    /// Its name: that of its decoder, or of its part of a hive.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// All groups.
    fn all() -> impl Iterator<Item = TableGroup> {
        let own = [Origin::Entries, Origin::Keys, Origin::Names].into_iter().filter_map(TableGroup::of);
        own.chain([ARTIFACTS]).chain(DECODERS.iter().map(|decoder| TableGroup(decoder.name)))
    }

    /// The group that a source belongs to; what a search met belongs to none of its own.
    pub(crate) fn of(origin: Origin) -> Option<TableGroup> {
        match origin {
            Origin::Entries | Origin::Names => Some(TableGroup(origin.source())),
            Origin::Keys | Origin::Values => Some(REGISTRY),
            Origin::Artifact(_) => Some(ARTIFACTS),
            Origin::Decoder(decoder) => Some(TableGroup(decoder.name)),
            Origin::Hives | Origin::Files => None,
        }
    }

    /// The decoders whose files are looked for.
    pub(crate) fn decoders(self) -> Vec<&'static Decoder> {
        // What became of each name is told by the journal itself.
        let name = if Some(self) == TableGroup::of(Origin::Names) { "usn_journal" } else { self.0 };
        decode::named(name).into_iter().collect()
    }

    /// Its tables, sorted by name.
    pub(crate) fn tables(self) -> Vec<Table> {
        let origins = sources().chain([Origin::Values, Origin::Names]);
        let own = origins.filter(|origin| TableGroup::of(*origin) == Some(self));
        let names: BTreeSet<_> = own.flat_map(kept).map(|record| record.name).collect();
        super::tables().into_iter().filter(|table| names.contains(&table.name)).collect()
    }
}

/// The files of tables that tools may read in place of decoding, by group and by the label of the evidence.
pub type TableFiles = std::collections::BTreeMap<String, Indexes>;

/// The groups that a call reads; none where it decodes what it needs, or its arguments are wrong.
pub fn groups_of(tool: &str, arguments: &Value) -> Vec<TableGroup> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let named = |name: &'static str| vec![TableGroup(name)];
    match tool {
        // Their rows do not hold all of an event (`Wanted::needs_event`).
        "query_events" | "logons" if text("user").is_empty() && text("provider").is_empty() => {
            named("event_log")
        }
        "timeline_anomalies" => named("event_log"),
        "usn_journal" if text("per") == "name" => named("usn_names"),
        "registry_artifact" => vec![ARTIFACTS],
        _ => crate::gather::groups(tool, text("source")),
    }
}

/// The groups of sources by their names.
pub(crate) fn groups_of_sources<'n>(
    decoders: impl Iterator<Item = &'n str>,
    artifacts: impl Iterator<Item = &'n str>,
) -> Vec<TableGroup> {
    let any = artifacts.count() > 0;
    decoders.filter_map(TableGroup::named).chain(any.then_some(ARTIFACTS)).collect()
}
