//! The messages between the engine's side and a worker: requests and replies as bytes.
//!
//! A request is JSON.
//! The reply to a call is one line of JSON, the [`Summary`].
//! After its line feed comes the stored form of the records ([`ledger::Output`]).
//! The reply to a request for bytes is described at [`crate::raw_spans`].
//! The reply to a hash request is JSON; that to a request for a name index is one line of JSON, followed after its line feed by the index.
//! A reply comes from a process that has read hostile bytes: decoding trusts nothing and checks everything.

use crate::borrowed::{AskedRules, Borrowed, CheckedRules, Matched};
use crate::catalogue::Indexes;
use crate::host_path;
use crate::name_index::BuiltIndex;
use crate::raw_spans::WantedSpan;
use crate::returned::Return;
use crate::sequences::SequencesReply;
use crate::tables::{Answer, Asked, AskedRow, BuiltTables, LeftOut, TableFiles};
use evidence::Expansion;
use ledger::{
    Completeness, Defect, Digest, EvidenceKind, Gap, Integrity, IntegrityLevel, Outcome, Output, OutputError,
    Record,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use thiserror::Error;

/// A request to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Run a tool; the reply is for [`decode_return`].
    Call {
        /// The name of the tool.
        tool: String,
        /// Its arguments as the agent gave them.
        arguments: Value,
        /// The evidence it may read.
        evidence: Vec<Mount>,
        /// The name indexes of the evidence that has one.
        #[serde(default, skip_serializing_if = "Indexes::is_empty")]
        indexes: Indexes,
        /// The case tables of the evidence that has some, by group.
        #[serde(default, skip_serializing_if = "TableFiles::is_empty")]
        tables: TableFiles,
    },
    /// Hash a piece of evidence; the reply is for [`decode_hash_reply`].
    Hash {
        /// The evidence.
        mount: Mount,
        /// How thoroughly.
        level: IntegrityLevel,
    },
    /// Build the name index of a piece of evidence; the reply is for [`decode_index_reply`].
    BuildIndex {
        /// The evidence.
        mount: Mount,
    },
    /// Build the case tables of a group of sources of a piece of evidence; the reply is for [`decode_tables_reply`].
    BuildTables {
        /// The evidence.
        mount: Mount,
        /// The name indexes of the evidence that has one.
        #[serde(default, skip_serializing_if = "Indexes::is_empty")]
        indexes: Indexes,
        /// The group.
        group: String,
        /// The files to leave out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<LeftOut>,
    },
    /// Hash what determines the tables of a group; the reply is for [`decode_sources_reply`].
    DigestSources {
        /// The evidence.
        mount: Mount,
        /// The name indexes of the evidence that has one.
        #[serde(default, skip_serializing_if = "Indexes::is_empty")]
        indexes: Indexes,
        /// The group.
        group: String,
    },
    /// Hash the rows of case tables; the reply is for [`decode_answer_reply`].
    HashTables {
        /// The table files, by group and evidence.
        files: TableFiles,
    },
    /// Return which groups of tables a statement reads; the reply is for [`decode_answer_reply`].
    GroupsOf {
        /// The statement.
        sql: String,
    },
    /// Read one row of a case table as a record; the reply is for [`decode_answer_reply`].
    ReadRow(AskedRow),
    /// Query case tables; the reply is for [`decode_answer_reply`].
    AskTables(Asked),
    /// Read rules that others wrote, and report what is wrong with them; the reply is for [`decode_answer_reply`].
    CheckRules {
        /// The rules.
        rules: Borrowed,
    },
    /// Match the rows of case tables against rules that others wrote; the reply is for [`decode_answer_reply`].
    MatchRules(AskedRules),
    /// Find sequences of log records that are significant together; the reply is for [`decode_sequences_reply`].
    Sequences {
        /// The evidence.
        evidence: Vec<Mount>,
    },
    /// Read raw bytes of the evidence; the reply is for [`decode_spans_reply`](crate::decode_spans_reply).
    ReadSpans {
        /// The evidence.
        evidence: Vec<Mount>,
        /// Where the bytes are; if spans of one file are adjacent in the list, the file is opened once.
        spans: Vec<WantedSpan>,
    },
}

/// A piece of evidence, as a worker finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mount {
    /// Its name in locators.
    pub label: String,
    /// Its path on the examiner's machine.
    #[serde(with = "host_path")]
    pub path: PathBuf,
    /// The kind of evidence.
    pub kind: EvidenceKind,
    /// The paths of which the case file says that they are the host's own, although they are elsewhere ([`ledger::EvidenceEntry::in_place`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_place: Vec<String>,
    /// How far an archive is expanded.
    #[serde(default)]
    pub expansion: Expansion,
}

/// The reply to [`Request::Hash`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hash", rename_all = "snake_case", deny_unknown_fields)]
pub enum HashReply {
    /// It was hashed.
    Hashed {
        /// The result.
        integrity: Integrity,
        /// What could not be read and is not included.
        gaps: Vec<Gap>,
    },
    /// It could not be hashed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The reply to [`Request::DigestSources`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "sources", rename_all = "snake_case", deny_unknown_fields)]
pub enum SourcesReply {
    /// The sources were hashed.
    Digested {
        /// The digest; `None` if not all sources can be read, so that their content is unknown.
        digest: Option<Digest>,
    },
    /// The search for sources failed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The reply to [`Request::BuildIndex`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexReply {
    /// It was built. Its bytes come from a process that has read hostile bytes.
    Built(BuiltIndex),
    /// The evidence cannot be opened.
    Unopened {
        /// Why.
        reason: String,
    },
    /// It could not be built.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The line before an index.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "index", rename_all = "snake_case", deny_unknown_fields)]
enum IndexLine {
    Built { entries: u64 },
    Unopened { reason: String },
    Failed { reason: String },
}

/// The reply to [`Request::BuildTables`]; it follows the file of the tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case", deny_unknown_fields)]
pub enum TablesReply {
    /// They were built; the file comes from a process that has read hostile bytes.
    Built(BuiltTables),
    /// They could not be built.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The reply to [`Request::AskTables`] and other requests about tables and rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum AnswerReply {
    /// The statement was run.
    Answered(Answer),
    /// The row was read.
    Read(Box<Record>),
    /// The rules were read.
    Checked(Box<CheckedRules>),
    /// The rows were matched against rules.
    Matched(Box<Matched>),
    /// The statement reads tables of these groups.
    Groups {
        /// Their names.
        groups: Vec<String>,
    },
    /// The statement is refused: another question could be answered.
    Refused {
        /// Why, and what exists instead.
        reason: String,
    },
    /// The tables cannot be read.
    Failed {
        /// Why.
        reason: String,
    },
}

/// A [`Return`] without its records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// See [`Return::outcome`].
    pub outcome: Outcome,
    /// See [`Return::completeness`].
    pub completeness: Completeness,
    /// See [`Return::normalised`].
    pub normalised: Option<Value>,
    /// See [`Return::defects`].
    pub defects: Vec<Defect>,
    /// See [`Return::gaps`].
    pub gaps: Vec<Gap>,
    /// See [`Return::notes`].
    pub notes: Vec<String>,
}

/// Why bytes are not a request or a reply, or a value cannot be encoded as one.
#[derive(Debug, Error)]
pub enum WireError {
    /// The value has no JSON form: the path of one of our folders is not UTF-8.
    #[error(
        "hand a path to a tool worker: the paths of the cache and of the folder for temporary files must be UTF-8"
    )]
    Encode(#[source] serde_json::Error),
    /// The reply cannot be read.
    #[error("read a reply")]
    Read(#[source] std::io::Error),
    /// The bytes are not such a message.
    #[error("read a message")]
    Json(#[source] serde_json::Error),
    /// The reply has no line feed after its summary.
    #[error("read a reply: expected a line feed behind the summary, found none in {length} bytes")]
    NoRecords {
        /// The length of the reply in bytes.
        length: usize,
    },
    /// The records are not in their stored form.
    #[error("read a reply")]
    Output(#[source] OutputError),
    /// The reply does not have the spans that were asked for.
    #[error("read a reply: {asked} spans were asked for; it tells of {found}, or not of those bytes")]
    Spans {
        /// The number of spans that were asked for.
        asked: usize,
        /// The number of spans in the reply.
        found: usize,
    },
    /// The outcome does not match the records: only an `ok` call has records, and it has at least one.
    #[error("read a reply: outcome {outcome:?} with {records} records")]
    Outcome {
        /// The outcome in the summary.
        outcome: Outcome,
        /// The number of records that follow.
        records: usize,
    },
}

/// Encodes a request.
pub fn encode_request(request: &Request) -> Result<Vec<u8>, WireError> {
    serde_json::to_vec(request).map_err(WireError::Encode)
}

/// Decodes a request.
pub fn decode_request(bytes: &[u8]) -> Result<Request, WireError> {
    serde_json::from_slice(bytes).map_err(WireError::Json)
}

/// Encodes the reply to a call; if the records have no stored form, the call becomes a failed one.
pub fn encode_return(returned: &Return) -> Vec<u8> {
    encode(returned).unwrap_or_else(|error| encode(&Return::failed(&error)).unwrap_or_default())
}

/// The most bytes of a text besides the records: of a path, a reason, a note.
pub const LONGEST_REMARK: usize = 4096;

/// Cuts a text to the allowed length.
fn shortened(text: String) -> String {
    const CUT: &str = "…";
    match text.len() <= LONGEST_REMARK {
        true => text,
        false => format!("{}{CUT}", cut(&text, LONGEST_REMARK - CUT.len())),
    }
}

/// Cuts a path to the allowed length: to a folder above the entry, which was not searched either.
fn shortened_path(path: String) -> String {
    if path.len() <= LONGEST_REMARK {
        return path;
    }
    let cut = cut(&path, LONGEST_REMARK);
    cut.rsplit_once('/').map_or(cut, |(folder, _)| folder).to_owned()
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

fn encode(returned: &Return) -> Result<Vec<u8>, WireError> {
    let Return { outcome, completeness, normalised, records, defects, gaps, notes } = returned.clone();
    let output = Output::new(records).map_err(WireError::Output)?;
    let defects = defects.into_iter().map(|defect| Defect {
        path: shortened_path(defect.path),
        what: shortened(defect.what),
        ..defect
    });
    let gaps =
        gaps.into_iter().map(|gap| Gap { path: shortened_path(gap.path), reason: shortened(gap.reason) });
    let (defects, gaps) = (defects.collect(), gaps.collect());
    let notes = notes.into_iter().map(shortened).collect();
    let summary = Summary { outcome, completeness, normalised, defects, gaps, notes };
    let mut bytes = serde_json::to_vec(&summary).map_err(WireError::Encode)?;
    bytes.push(b'\n');
    bytes.extend_from_slice(output.bytes());
    Ok(bytes)
}

/// Decodes the reply to a call; the records get their numbers.
pub fn decode_return(bytes: &[u8]) -> Result<Return, WireError> {
    let (summary, output) = decode_return_parts(bytes)?;
    let Summary { outcome, completeness, normalised, defects, gaps, notes } = summary;
    let records = output.records().to_vec();
    Ok(Return { outcome, completeness, normalised, records, defects, gaps, notes })
}

/// Decodes the reply to a call as [`decode_return`] does, but gives the records as the output to be stored.
pub fn decode_return_parts(bytes: &[u8]) -> Result<(Summary, Output), WireError> {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (line, rest) = end
        .and_then(|end| bytes.split_at_checked(end))
        .ok_or(WireError::NoRecords { length: bytes.len() })?;
    let summary: Summary = serde_json::from_slice(line).map_err(WireError::Json)?;
    let output = Output::decode(rest.get(1..).unwrap_or_default()).map_err(WireError::Output)?;
    let records = output.records().len();
    if (summary.outcome == Outcome::Ok) == (records == 0) {
        return Err(WireError::Outcome { outcome: summary.outcome, records });
    }
    Ok((summary, output))
}

/// Encodes the reply to a request for an index.
pub fn encode_index_reply(reply: &IndexReply) -> Vec<u8> {
    let (line, index) = match reply {
        IndexReply::Built(BuiltIndex { entries, bytes }) => {
            (IndexLine::Built { entries: *entries }, bytes.as_slice())
        }
        IndexReply::Unopened { reason } => (IndexLine::Unopened { reason: reason.clone() }, &[][..]),
        IndexReply::Failed { reason } => (IndexLine::Failed { reason: reason.clone() }, &[][..]),
    };
    // Texts and numbers always have a JSON form.
    let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend_from_slice(index);
    bytes
}

/// Decodes the reply to a request for an index.
pub fn decode_index_reply(mut bytes: Vec<u8>) -> Result<IndexReply, WireError> {
    let end = memchr::memchr(b'\n', &bytes).ok_or(WireError::NoRecords { length: bytes.len() })?;
    let index = bytes.split_off(end + 1);
    Ok(match serde_json::from_slice(&bytes).map_err(WireError::Json)? {
        IndexLine::Built { entries } => IndexReply::Built(BuiltIndex { bytes: index, entries }),
        IndexLine::Unopened { reason } => IndexReply::Unopened { reason },
        IndexLine::Failed { reason } => IndexReply::Failed { reason },
    })
}

/// Encodes the part of a reply to a request for tables that follows the tables themselves, with its own length at the end.
pub fn encode_tables_reply(reply: &TablesReply) -> Vec<u8> {
    // Texts and numbers always have a JSON form.
    let mut bytes = serde_json::to_vec(reply).unwrap_or_default();
    bytes.extend((bytes.len() as u64).to_le_bytes());
    bytes
}

/// Decodes the reply to a request for tables from the end of the file; returns the length of the tables before it.
pub fn decode_tables_reply(from: &mut (impl Read + Seek)) -> Result<(TablesReply, u64), WireError> {
    let end = from.seek(SeekFrom::End(0)).map_err(WireError::Read)?;
    let none = || WireError::NoRecords { length: usize::try_from(end).unwrap_or(usize::MAX) };
    let mut length = [0; 8];
    let behind = end.checked_sub(8).ok_or_else(none)?;
    from.seek(SeekFrom::Start(behind)).and_then(|_| from.read_exact(&mut length)).map_err(WireError::Read)?;
    let length = u64::from_le_bytes(length);
    let start = behind.checked_sub(length).filter(|_| length <= LONGEST_TELLING).ok_or_else(none)?;
    let mut bytes = Vec::new();
    from.seek(SeekFrom::Start(start)).map_err(WireError::Read)?;
    from.take(length).read_to_end(&mut bytes).map_err(WireError::Read)?;
    Ok((serde_json::from_slice(&bytes).map_err(WireError::Json)?, start))
}

/// The most bytes of the summary of tables, which has a line for each.
const LONGEST_TELLING: u64 = 1 << 20;

/// Encodes the reply to a request to query tables.
pub fn encode_answer_reply(reply: &AnswerReply) -> Vec<u8> {
    // Texts and finite numbers always have a JSON form.
    serde_json::to_vec(reply).unwrap_or_default()
}

/// Decodes the reply to a request to query tables.
pub fn decode_answer_reply(bytes: &[u8]) -> Result<AnswerReply, WireError> {
    serde_json::from_slice(bytes).map_err(WireError::Json)
}

/// Encodes the reply to a request to hash what determines tables.
pub fn encode_sources_reply(reply: &SourcesReply) -> Vec<u8> {
    // Texts and digests always have a JSON form.
    serde_json::to_vec(reply).unwrap_or_default()
}

/// Decodes the reply to a request to hash what determines tables.
pub fn decode_sources_reply(bytes: &[u8]) -> Result<SourcesReply, WireError> {
    serde_json::from_slice(bytes).map_err(WireError::Json)
}

/// Encodes a reply to [`Request::Sequences`].
pub(crate) fn encode_sequences_reply(reply: &SequencesReply) -> Vec<u8> {
    serde_json::to_vec(reply).unwrap_or_default()
}

/// Decodes a reply to [`Request::Sequences`].
pub fn decode_sequences_reply(bytes: &[u8]) -> Result<SequencesReply, WireError> {
    serde_json::from_slice(bytes).map_err(WireError::Json)
}

/// Encodes the reply to a hash request.
pub fn encode_hash_reply(reply: &HashReply) -> Vec<u8> {
    // Texts and numbers always have a JSON form.
    serde_json::to_vec(reply).unwrap_or_default()
}

/// Decodes the reply to a hash request.
pub fn decode_hash_reply(bytes: &[u8]) -> Result<HashReply, WireError> {
    serde_json::from_slice(bytes).map_err(WireError::Json)
}
