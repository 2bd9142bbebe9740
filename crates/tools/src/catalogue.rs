//! The catalogue of all tools, and the dispatch of a call to its tool's code.

use crate::arguments::Arguments;
use crate::error::CallError;
use crate::near;
use crate::normalise::{Normalised, normalise};
use crate::records::sources;
use crate::retired::{self, Translated, WithoutHive};
use crate::returned::Return;
use crate::settle::settle;
use crate::tables::{Stored, TableFiles, TableGroup, tables};
use crate::unborne;
use crate::{
    carve_strings, deleted_registry, find_files, hash_file, list_deleted, list_directory,
    list_event_channels, list_hives, list_partitions, list_tables, mft_entry, overview, parse_file,
    parse_registry_key, query, read_file, read_stream, records, search_registry, search_text, sqlite_query,
    stat_file, timeline, timeline_anomalies, timeline_histogram,
};
use evidence::Tree;
use ledger::{ToolSpec, placement};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a tool gets to work with.
pub(crate) struct Call<'a> {
    /// The checked arguments.
    pub(crate) arguments: &'a Arguments,
    /// The evidence.
    pub(crate) trees: &'a [Box<dyn Tree>],
    /// The name indexes, of the evidence that has one.
    pub(crate) indexes: &'a Indexes,
    /// The case tables, of the evidence that has some.
    pub(crate) tables: &'a Stored<'a>,
    /// The paths that the case file says are the host's own.
    pub(crate) in_place: &'a InPlace,
    /// An empty folder that the call may use.
    pub(crate) scratch: &'a Path,
}

/// The index files, by the label of their evidence.
pub type Indexes = BTreeMap<String, PathBuf>;

/// Files prepared for the tools from this very evidence.
/// Only `in_place` changes answers; without the others the answers are the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// The name indexes.
    #[serde(default, skip_serializing_if = "Indexes::is_empty")]
    pub names: Indexes,
    /// The case tables.
    #[serde(default, skip_serializing_if = "TableFiles::is_empty")]
    pub tables: TableFiles,
    /// What the case file says is the host's own, by the label of its evidence; answers depend on this alone.
    #[serde(default, skip_serializing_if = "InPlace::is_empty")]
    pub in_place: InPlace,
}

/// Paths that the case file says are the host's own, by the label of their evidence.
pub type InPlace = BTreeMap<String, Vec<String>>;

struct Tool {
    spec: fn() -> ToolSpec,
    run: Run,
}

/// The function that runs a tool.
pub(crate) type Run = fn(&Call<'_>) -> Result<Return, CallError>;

/// All tools, sorted by name.
const TOOLS: &[Tool] = &[
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
    Tool { spec: mft_entry::spec, run: mft_entry::run },
    Tool { spec: overview::spec, run: overview::run },
    Tool { spec: parse_file::spec, run: parse_file::run },
    Tool { spec: parse_registry_key::spec, run: parse_registry_key::run },
    Tool { spec: query::spec, run: query::run },
    Tool { spec: read_file::spec, run: read_file::run },
    Tool { spec: read_stream::spec, run: read_stream::run },
    Tool { spec: records::spec, run: records::run },
    Tool { spec: search_registry::spec, run: search_registry::run },
    Tool { spec: search_text::spec, run: search_text::run },
    Tool { spec: sqlite_query::spec, run: sqlite_query::run },
    Tool { spec: stat_file::spec, run: stat_file::run },
    Tool { spec: timeline::spec, run: timeline::run },
    Tool { spec: timeline_anomalies::spec, run: timeline_anomalies::run },
    Tool { spec: timeline_histogram::spec, run: timeline_histogram::run },
];

/// Returns the specifications of all INVESTIGATE tools, sorted by name.
pub fn catalogue() -> Vec<ToolSpec> {
    specs().to_vec()
}

fn specs() -> &'static [ToolSpec] {
    static SPECS: OnceLock<Vec<ToolSpec>> = OnceLock::new();
    SPECS.get_or_init(|| TOOLS.iter().map(|tool| (tool.spec)()).collect())
}

/// Returns the specification of a tool, for a tool that uses another one.
pub(crate) fn spec_of(name: &str) -> Result<&'static ToolSpec, CallError> {
    let unknown = || CallError::Schema { tool: name.to_owned() };
    specs().iter().find(|spec| spec.name == name).ok_or_else(unknown)
}

/// Builds what every call needs and none changes, so that each process forked for a call already has it.
pub fn prepare() {
    specs();
    tables();
    // The first query builds the whole map.
    TableGroup::of_table("");
    TableGroup::all();
    sources::given();
    placement::prepare();
    near::letters();
}

/// Runs one tool over the evidence; every failure is reported in the [`Return`].
///
/// `scratch` is an empty folder that the call may use.
pub fn run(tool: &str, arguments: &Value, trees: &[Box<dyn Tree>], scratch: &Path) -> Return {
    run_indexed(tool, arguments, trees, &Indexes::new(), scratch)
}

/// Runs a tool with name indexes, which were built from this very evidence; the answer is the same as without.
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

/// Runs a tool with all prepared files.
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
    // A call of an old run is repeated as the call that replaces it today.
    match retired::translated(name, arguments) {
        Some(Ok(Translated { arguments, without_hive })) => {
            let run = match without_hive {
                WithoutHive::Fails => records::run_with_hive,
                WithoutHive::IsEmpty => records::run,
            };
            return made(&records::spec(), run, &arguments, trees, prepared, scratch);
        }
        Some(Err(because)) => return Err(CallError::Retired { tool: name.to_owned(), because }),
        None => {}
    }
    let mut all = TOOLS.iter().zip(specs());
    if let Some((tool, spec)) = all.find(|(_, spec)| spec.name == name) {
        return made(spec, tool.run, arguments, trees, prepared, scratch);
    }
    let known = specs().iter().map(|spec| spec.name.clone()).collect();
    Err(CallError::UnknownTool { tool: name.to_owned(), known })
}

/// Makes a call of this tool.
fn made(
    spec: &ToolSpec,
    run: Run,
    arguments: &Value,
    trees: &[Box<dyn Tree>],
    prepared: &Prepared,
    scratch: &Path,
) -> Result<Return, CallError> {
    let Normalised { values, notes } = normalise(spec, arguments, trees, &prepared.names)?;
    let checked = Arguments::check(spec, &values)?;
    let Prepared { names: indexes, tables, in_place } = prepared;
    let tables = &Stored::new(tables);
    let of_call = Call { arguments: &checked, trees, indexes, tables, in_place, scratch };
    let mut returned = run(&of_call)?;
    unborne::check(spec, run, &of_call, &returned)?;
    near::tell(spec, &of_call, &mut returned)?;
    crate::placing::place(&mut returned.records, trees, in_place)?;
    Ok(settle(returned, arguments, notes))
}
