//! The catalogue: every tool, and how a call finds its code.

use crate::arguments::Arguments;
use crate::error::CallError;
use crate::gather::{BROWSER_HISTORY, MFT, PERSISTENCE, PROGRAM_EXECUTION, USER_ACTIVITY};
use crate::normalise::{Normalised, normalise};
use crate::returned::Return;
use crate::settle::settle;
use crate::tables::{Stored, TableFiles, TableGroup, tables};
use crate::{
    carve_strings, deleted_registry, find_files, gather, hash_file, list_deleted, list_directory,
    list_event_channels, list_hives, list_partitions, list_tables, mft_entry, parse_file, parse_registry_key,
    query, query_events, read_file, read_stream, recycle_bin, registry_artifact, search_registry,
    search_text, sqlite_query, stat_file, timeline, timeline_anomalies, timeline_histogram, usn_journal,
};
use evidence::Tree;
use ledger::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a tool works with.
pub(crate) struct Call<'a> {
    /// The checked arguments.
    pub(crate) arguments: &'a Arguments,
    /// The evidence.
    pub(crate) trees: &'a [Box<dyn Tree>],
    /// The name indexes of the evidence that has one.
    pub(crate) indexes: &'a Indexes,
    /// The timeline indexes of the evidence that has one.
    pub(crate) timelines: &'a Indexes,
    /// The case tables of the evidence that has some.
    pub(crate) tables: &'a Stored<'a>,
    /// An empty folder that the call may fill.
    pub(crate) scratch: &'a Path,
}

/// The files of indexes, by the label of their evidence.
pub type Indexes = BTreeMap<String, PathBuf>;

/// What was made ready for tools; each was built from this very evidence, and the answers are the same without.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// The name indexes.
    #[serde(default, skip_serializing_if = "Indexes::is_empty")]
    pub names: Indexes,
    /// The timeline indexes.
    #[serde(default, skip_serializing_if = "Indexes::is_empty")]
    pub timelines: Indexes,
    /// The case tables.
    #[serde(default, skip_serializing_if = "TableFiles::is_empty")]
    pub tables: TableFiles,
}

/// Whether a tool looks into timeline indexes, so that one saves it decoding everything.
pub fn uses_timeline(tool: &str) -> bool {
    matches!(tool, "timeline" | "timeline_histogram")
}

struct Tool {
    spec: fn() -> ToolSpec,
    run: fn(&Call<'_>) -> Result<Return, CallError>,
}

/// Sorted by name.
const TOOLS: &[Tool] = &[
    Tool { spec: || gather::spec(&BROWSER_HISTORY), run: |call| gather::run(&BROWSER_HISTORY, call) },
    Tool { spec: carve_strings::spec, run: carve_strings::run },
    Tool { spec: deleted_registry::spec, run: deleted_registry::run },
    Tool { spec: find_files::spec, run: find_files::run },
    Tool { spec: hash_file::spec, run: hash_file::run },
    Tool { spec: list_deleted::spec, run: list_deleted::run },
    Tool { spec: list_directory::spec, run: list_directory::run },
    Tool { spec: list_event_channels::spec, run: list_event_channels::run },
    Tool { spec: list_hives::spec, run: list_hives::run },
    Tool { spec: list_partitions::spec, run: list_partitions::run },
    Tool { spec: list_tables::spec, run: list_tables::run },
    Tool { spec: query_events::logons_spec, run: query_events::run_logons },
    Tool { spec: mft_entry::spec, run: mft_entry::run },
    Tool { spec: || gather::spec(&MFT), run: |call| gather::run(&MFT, call) },
    Tool { spec: parse_file::spec, run: parse_file::run },
    Tool { spec: parse_registry_key::spec, run: parse_registry_key::run },
    Tool { spec: || gather::spec(&PERSISTENCE), run: |call| gather::run(&PERSISTENCE, call) },
    Tool { spec: || gather::spec(&PROGRAM_EXECUTION), run: |call| gather::run(&PROGRAM_EXECUTION, call) },
    Tool { spec: query::spec, run: query::run },
    Tool { spec: query_events::spec, run: query_events::run },
    Tool { spec: read_file::spec, run: read_file::run },
    Tool { spec: read_stream::spec, run: read_stream::run },
    Tool { spec: || gather::spec(&recycle_bin::RECYCLE_BIN), run: recycle_bin::run },
    Tool { spec: registry_artifact::spec, run: registry_artifact::run },
    Tool { spec: search_registry::spec, run: search_registry::run },
    Tool { spec: search_text::spec, run: search_text::run },
    Tool { spec: sqlite_query::spec, run: sqlite_query::run },
    Tool { spec: stat_file::spec, run: stat_file::run },
    Tool { spec: timeline::spec, run: timeline::run },
    Tool { spec: timeline_anomalies::spec, run: timeline_anomalies::run },
    Tool { spec: timeline_histogram::spec, run: timeline_histogram::run },
    Tool { spec: || gather::spec(&USER_ACTIVITY), run: |call| gather::run(&USER_ACTIVITY, call) },
    Tool { spec: usn_journal::spec, run: usn_journal::run },
];

/// The specifications of all INVESTIGATE tools, sorted by name.
pub fn catalogue() -> Vec<ToolSpec> {
    specs().to_vec()
}

fn specs() -> &'static [ToolSpec] {
    static SPECS: OnceLock<Vec<ToolSpec>> = OnceLock::new();
    SPECS.get_or_init(|| TOOLS.iter().map(|tool| (tool.spec)()).collect())
}

/// Makes what every call needs and none changes, so that a process that is forked for a call has it.
pub fn prepare() {
    specs();
    tables();
    // Whatever is asked first makes all of it.
    TableGroup::of_table("");
    TableGroup::all();
}

/// Runs one tool over the evidence; whatever goes wrong is a [`Return`] that says so.
///
/// `scratch` is an empty folder that the call may fill.
pub fn run(tool: &str, arguments: &Value, trees: &[Box<dyn Tree>], scratch: &Path) -> Return {
    run_indexed(tool, arguments, trees, &Indexes::new(), scratch)
}

/// The same with name indexes, which were built from this very evidence; the answer is the same.
pub fn run_indexed(
    tool: &str,
    arguments: &Value,
    trees: &[Box<dyn Tree>],
    indexes: &Indexes,
    scratch: &Path,
) -> Return {
    let prepared = Prepared { names: indexes.clone(), ..Prepared::default() };
    run_prepared(tool, arguments, trees, &prepared, scratch)
}

/// The same with whatever indexes there are.
pub fn run_prepared(
    tool: &str,
    arguments: &Value,
    trees: &[Box<dyn Tree>],
    prepared: &Prepared,
    scratch: &Path,
) -> Return {
    Return::from(call(tool, arguments, trees, prepared, scratch))
}

fn call(
    name: &str,
    arguments: &Value,
    trees: &[Box<dyn Tree>],
    prepared: &Prepared,
    scratch: &Path,
) -> Result<Return, CallError> {
    for (tool, spec) in TOOLS.iter().zip(specs()) {
        if spec.name == name {
            let Normalised { values, notes } = normalise(spec, arguments, trees)?;
            let checked = Arguments::check(spec, &values)?;
            let Prepared { names: indexes, timelines, tables } = prepared;
            let tables = &Stored::new(tables);
            let of_call = Call { arguments: &checked, trees, indexes, timelines, tables, scratch };
            let returned = (tool.run)(&of_call)?;
            return Ok(settle(returned, arguments, notes));
        }
    }
    let known = specs().iter().map(|spec| spec.name.clone()).collect();
    Err(CallError::UnknownTool { tool: name.to_owned(), known })
}
