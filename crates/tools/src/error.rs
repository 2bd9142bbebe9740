//! Why a call fails.

use crate::absent::{self, Hint};
use crate::name_index::IndexError;
use crate::sink::{ConditionError, told_fields};
use crate::sqlite_file::SqliteError;
use crate::tables::TableError;
use artifacts::registry;
use evidence::{EvidencePath, PathError, ReadError};
use ledger::{Defect, Utc};
use std::str::FromStr;
use thiserror::Error;

/// How a refusal begins if no record comes from the place that the call asks about.
const UNBORNE: &str = "no record of what this call reads has a ";

/// What a refusal says of a place that is not in the evidence.
const NOWHERE: &str = "nothing of the evidence stands for ";

/// What a refusal says of a pattern written in another pattern language.
const EXPRESSION: &str = "looks like a regular expression or a list";

/// What is said of a call that found nothing to read.
const NONE_FOUND: &str = "was found, so nothing can be said of what it would hold";

/// What is said of evidence whose collection lost the named streams of files.
pub(crate) const NO_STREAMS: &str =
    " is no disk image: alternate streams were lost unless its collector kept them as files of their own";

/// What is said if no volume has both sets of times for its entries.
pub(crate) const NO_NTFS: &str =
    "no volume was looked at whose entries have times of $FILE_NAME: only NTFS in an image has them";

/// What is said of a text that looks like a pattern.
pub(crate) const AS_IT_STANDS: &str =
    " was looked for as it stands: one text in a call, without patterns and quotes";

/// What is said of sources without times, in a timeline.
pub(crate) const NO_TIMES: &str = " have no times, so that none is among these";

/// Checks whether a note says why a call could find nothing.
/// It knows the words that came with format 2.15, and the earlier words that those replaced.
pub fn tells_why_nothing(note: &str) -> bool {
    let words = [NONE_FOUND, NO_STREAMS, NO_NTFS, AS_IT_STANDS, NO_TIMES];
    words.iter().any(|words| note.contains(words))
        || (note.starts_with("no hive of type ") && note.contains(" in this evidence, so "))
        || note.contains("was looked for in the keys of ")
        || note.ends_with(" was found, so that nothing can be said of it")
}

/// What a refusal says of a pattern that no name can match as it is written.
const UNFITTING: &str = "no name can fit ";

/// What a refusal says of a file given as a folder.
const NO_FOLDER: &str = " is not a folder; ";

/// Checks whether a refusal says that the call could not have found anything, whatever is in the evidence.
pub fn refuses_place(note: &str) -> bool {
    note.starts_with(UNBORNE)
        || note.contains(NOWHERE)
        || note.contains(EXPRESSION)
        || note.starts_with(EITHER)
        || note.contains(UNFITTING)
        || note.contains(NO_FOLDER)
}

/// How a refusal begins if no record has the field.
pub(crate) const NO_FIELD: &str = "no record that this call can give has a field ";

/// Checks whether a refusal lists the existing fields, in words that came with the argument `exclude`.
pub fn names_fields(note: &str) -> bool {
    note.contains(NO_FIELD) || note.contains(OTHER_FIELDS)
}

/// What a refusal says of a value that its field cannot have but others can.
pub(crate) const OTHER_FIELDS: &str = "; such a value can stand in ";

/// How a refusal of mutually exclusive arguments begins.
const EITHER: &str = "give either ";

/// The most characters of an argument that a refusal repeats.
const REPEATED: usize = 200;

/// Quotes an argument, and cuts a very long one.
fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= REPEATED {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(REPEATED).collect();
    format!("{start:?}… ({length} characters)")
}

fn nearest_text(nearest: &[String], number: usize) -> String {
    match (nearest, number) {
        ([], _) => "there is none".to_owned(),
        ([only], 1) => format!("there is only {only}"),
        (all, number) if all.len() == number => format!("there are {}", all.join(", ")),
        (some, number) => format!("the nearest of the {number} that there are: {}", some.join(", ")),
    }
}

/// Why a call fails; the text goes to the agent as a note, never into a record.
#[derive(Debug, Error)]
pub(crate) enum CallError {
    #[error("no tool {tool:?}; the tools are {}", known.join(", "))]
    UnknownTool { tool: String, known: Vec<String> },
    #[error("the tool {tool:?} is retired, and {because}")]
    Retired { tool: String, because: &'static str },
    #[error(
        "{UNBORNE}{field} that is {found:?}, so that it can give none; {}",
        nearest_text(nearest, *number)
    )]
    Unborne { field: String, found: String, number: usize, nearest: Vec<String> },
    #[error("the tool {tool:?} does not work as its schema says")]
    Schema { tool: String },
    #[error("read the arguments: expected an object, found {found}")]
    NotAnObject { found: &'static str },
    #[error(
        "unknown argument {argument:?}{}; allowed are {}",
        closest.as_ref().map_or(String::new(), |name| format!(" (is {name:?} meant?)")),
        allowed.join(", ")
    )]
    UnknownArgument { argument: String, closest: Option<String>, allowed: Vec<String> },
    #[error("argument {argument:?} is missing")]
    MissingArgument { argument: String },
    #[error("argument {argument:?}: expected {expected}, found {found}")]
    ArgumentType { argument: String, expected: String, found: &'static str },
    #[error("argument {argument:?}: expected {minimum} to {maximum}, found {found}")]
    ArgumentRange { argument: String, minimum: u64, maximum: u64, found: String },
    #[error("argument {argument:?}: expected one of {}, found {found:?}", allowed.join(", "))]
    ArgumentChoice { argument: String, allowed: Vec<String>, found: String },
    #[error("argument {argument:?}: expected {expected}, found {}", shortened(found))]
    Argument { argument: &'static str, expected: &'static str, found: String },
    #[error("argument {argument:?}: expected {expected}")]
    ArgumentTime {
        argument: String,
        expected: &'static str,
        #[source]
        source: <Utc as FromStr>::Err,
    },
    #[error("argument {argument:?}: {UNFITTING}{}; expected {expected}", shortened(found))]
    Unfitting { argument: &'static str, expected: &'static str, found: String },
    #[error(
        "argument {argument:?}: {found:?} {EXPRESSION}; patterns have * for any characters, ? for one, ** for any folders and {{a,b}} for either, such as *.exe"
    )]
    Expression { argument: String, found: String },
    #[error("argument {argument:?}: {asked:?} can mean several; give one of {}", listed(candidates))]
    Several { argument: String, asked: String, candidates: Vec<String> },
    #[error(
        "argument {argument:?}: nothing of the evidence stands for the drive of {asked:?}, so nothing can be said of what it held{}",
        volumes_known(looked)
    )]
    NoDrive {
        argument: String,
        asked: String,
        /// What represents volumes, with the labels.
        looked: Vec<String>,
    },
    #[error("argument {argument:?}: {NOWHERE}{asked:?}{}", looked_in(looked))]
    Nowhere {
        argument: String,
        asked: String,
        /// Where it could have been.
        looked: Vec<String>,
    },
    #[error(
        "argument \"hive\" is missing: give a hive that list_hives names, or begin the key with HKLM\\SYSTEM, HKLM\\SOFTWARE, HKCU or the like; found key {key:?}"
    )]
    HiveNeeded { key: String },
    #[error("key {key:?}: {root} is no hive but a view of others: {instead}")]
    View { key: String, root: &'static str, instead: &'static str },
    #[error("no evidence {label:?}; there is {}", known.join(", "))]
    UnknownEvidence { label: String, known: Vec<String> },
    #[error("several pieces of evidence hold {path:?}; name one with \"evidence\": {}", labels.join(", "))]
    EvidenceNeeded { path: String, labels: Vec<String> },
    #[error(transparent)]
    Path(PathError),
    #[error("no such entry: {path:?}{}{}", absent::told(hint.as_ref()), deepest_text(deepest))]
    Absent {
        path: String,
        /// What the caller may have meant.
        hint: Option<Hint>,
        /// The deepest existing folder on the way, in each piece of evidence, by label.
        deepest: Vec<(String, EvidencePath)>,
    },
    #[error("{path} has no stream {asked:?}; {}", streams_text(streams))]
    NoStream { path: EvidencePath, asked: String, streams: Vec<String> },
    #[error("argument {argument:?}: {found:?} is no volume of the evidence; {}", volumes_text(volumes))]
    NoVolume { argument: &'static str, found: String, volumes: Vec<String> },
    #[error(
        "no volume with NTFS is looked at, and only those have a master file table; {}",
        volumes_text(volumes)
    )]
    NoNtfs { volumes: Vec<String> },
    #[error(
        "argument \"region\": {found:?} is no region of the evidence, nor does one begin at that byte; list_partitions tells which there are{}",
        regions_text(regions)
    )]
    NoRegion { found: String, regions: Vec<String> },
    #[error(
        "several volumes have an entry {entry}: give \"volume\", or \"evidence\" where they are called the same, for one of {}",
        listed(volumes)
    )]
    VolumeNeeded { entry: u64, volumes: Vec<String> },
    #[error("{path} begins as none of the formats that are decoded here: {}", known.join(", "))]
    UnknownFormat { path: EvidencePath, known: Vec<&'static str> },
    #[error(
        "{path} was deleted, and its recovery is {recovery}: what it holds now may be another file's; read_file and carve_strings read it piece by piece"
    )]
    NotWhole { path: EvidencePath, recovery: &'static str },
    #[error("{path} has no entry in a master file table: mft_entry reads volumes with NTFS")]
    NoMftEntry { path: EvidencePath },
    #[error("argument {argument:?}: {NO_FIELD}{field:?}{}", told_fields(field, nearest))]
    NoField {
        argument: &'static str,
        field: String,
        /// The existing ones, the closest first.
        nearest: Vec<String>,
    },
    #[error("argument \"where\"")]
    Where(#[source] ConditionError),
    #[error("{EITHER}{one:?} or {other:?}")]
    OneOf { one: &'static str, other: &'static str },
    #[error("hash the whole medium of {label}")]
    Medium {
        label: String,
        #[source]
        source: std::io::Error,
    },
    #[error("the root of the evidence is no entry of a folder; list_directory tells what it holds")]
    Root,
    #[error("{path}{NO_FOLDER}read_file reads a file")]
    NotAFolder { path: EvidencePath },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(
        "{path} is not what the name index says of it: the evidence has changed, or the index is damaged"
    )]
    NotAsIndexed { path: EvidencePath },
    #[error("read the case tables")]
    Tables(#[source] Box<TableError>),
    #[error("{path} is in the case tables and not in the evidence: the evidence has changed")]
    Gone { path: String },
    #[error(transparent)]
    Sqlite(#[from] SqliteError),
    #[error(
        "read {path}: byte {offset}: expected {expected} bytes in all; the file changes or cannot be read to its end"
    )]
    Changed { path: EvidencePath, offset: u64, expected: u64 },
    #[error("read all of {expected} bytes: at or behind byte {offset}")]
    HashRead {
        offset: u64,
        expected: u64,
        #[source]
        source: ReadError,
    },
    #[error("{path} is not a hive that can be read")]
    NotAHive {
        path: EvidencePath,
        #[source]
        source: registry::OpenError,
    },
    #[error("{hive}")]
    Lookup {
        hive: EvidencePath,
        #[source]
        source: registry::LookupError,
    },
    #[error(
        "key {key:?} does not lie in a hive of type {hive_type}: give another hive, or the path from the root of this one"
    )]
    ForeignKey { key: String, hive_type: &'static str },
    #[error("{path} is a hive of type {found}; this artifact stands in hives of type {}", wanted.join(" or "))]
    WrongHive { path: EvidencePath, found: &'static str, wanted: Vec<&'static str> },
    #[error(
        "no hive of type {} {NONE_FOUND}; list_hives tells which hives there are",
        wanted.join(" or ")
    )]
    NoHive { wanted: Vec<&'static str> },
    #[error("no hive {NONE_FOUND}")]
    NoHives,
    #[error("no file of {} {NONE_FOUND}", wanted.join(" or "))]
    NoFile { wanted: Vec<&'static str> },
    #[error("{hive}: CurrentControlSet cannot be resolved: Select\\Current is missing or no REG_DWORD")]
    NoControlSet { hive: EvidencePath },
}

impl CallError {
    /// Returns the damage that is the reason, if damage is.
    pub(crate) fn defects(&self) -> Vec<Defect> {
        let CallError::Lookup { hive, source } = self else { return Vec::new() };
        match source {
            registry::LookupError::Root(defect) => vec![crate::hive_file::defect(hive, defect)],
            registry::LookupError::Incomplete { defects, .. } => {
                defects.iter().map(|defect| crate::hive_file::defect(hive, defect)).collect()
            }
        }
    }
}

fn deepest_text(deepest: &[(String, EvidencePath)]) -> String {
    let one = |(label, path): &(String, EvidencePath)| format!("{path} of {label}");
    match deepest {
        [] => String::new(),
        [(_, path)] => format!("; the deepest folder on that way is {path}"),
        several => {
            let folders: Vec<_> = several.iter().map(one).collect();
            format!("; the deepest folders on that way are {}", folders.join(", "))
        }
    }
}

fn streams_text(streams: &[String]) -> String {
    match streams {
        [] => "it has no named streams".to_owned(),
        streams => format!("its streams are {}", listed(streams)),
    }
}

fn volumes_text(volumes: &[String]) -> String {
    match volumes {
        [] => "no piece of evidence that is looked at has volumes".to_owned(),
        volumes => format!("the volumes are {}", listed(volumes)),
    }
}

/// The most candidates that an error names.
const SHOWN: usize = 20;

fn listed(candidates: &[String]) -> String {
    let mut text = candidates.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        text.push_str(&format!(" and {} more", candidates.len() - SHOWN));
    }
    text
}

fn regions_text(regions: &[String]) -> String {
    if regions.is_empty() { String::new() } else { format!(": {}", listed(regions)) }
}

fn volumes_known(volumes: &[String]) -> String {
    match volumes {
        [] => String::new(),
        volumes => format!("; give a path in one of {}", listed(volumes)),
    }
}

fn looked_in(looked: &[String]) -> String {
    if looked.is_empty() { String::new() } else { format!("; looked in {}", listed(looked)) }
}

impl From<TableError> for CallError {
    fn from(error: TableError) -> CallError {
        CallError::Tables(Box::new(error))
    }
}
