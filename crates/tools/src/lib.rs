//! The INVESTIGATE tools: their names, JSON Schemas and record types, and the code that reads the evidence.
//!
//! Everything here is a pure function of its arguments and of the evidence.
//! It runs inside a sandbox worker, which calls [`handle`] with the bytes of a [`Request`] and sends back the result.
//!
//! **Invariant:** arguments never reach records.
//! Every path, name and number in a record is in the evidence's own spelling.
//! What an agent asked for is in [`Return::normalised`] and in notes.

#![deny(clippy::indexing_slicing)]

mod absent;
mod approval;
mod argument_names;
mod arguments;
mod borrowed;
mod carve_strings;
mod catalogue;
mod decode;
mod deleted_registry;
mod dir_entry;
mod drives;
mod error;
mod events;
mod find_files;
mod foreign;
mod glob;
mod handle;
mod hash_file;
mod hive_choice;
mod hive_file;
mod hive_state;
mod hives;
mod host_path;
mod intake;
mod key_lookup;
mod links;
mod list_deleted;
mod list_directory;
mod list_event_channels;
mod list_hives;
mod list_partitions;
mod list_tables;
mod live_path;
mod logs;
mod mft_entry;
mod mounted;
mod name_index;
mod near;
mod needle;
mod nobody;
mod normalise;
mod overview;
mod page;
mod parse_file;
mod parse_registry_key;
mod place;
mod placing;
mod printable;
mod query;
mod raw_spans;
mod read_file;
mod read_stream;
mod records;
mod registry_artifact;
mod registry_records;
mod registry_scan;
mod remains;
mod retired;
mod returned;
mod row;
mod search_registry;
mod search_text;
mod sequences;
mod settle;
mod sink;
mod source_files;
mod span;
mod spec;
mod spelling;
mod sqlite_file;
mod sqlite_query;
mod stat_file;
mod stream;
mod surround;
mod survey;
mod tables;
mod text;
mod text_line;
mod ticks;
mod timeline;
mod timeline_anomalies;
mod timeline_histogram;
mod unborne;
mod units;
mod volume;
mod whole_lines;
mod wire;
mod words;

// Whoever starts workers must know which files make up an image; only the first bytes of its content are read for that.
pub use borrowed::{
    AskedRules, Borrowed, CheckedRules, Found, Matched, NamedIndicator, groups_of_records, rule_set,
};
pub use catalogue::{InPlace, Indexes, Prepared, catalogue, prepare, run, run_indexed, run_prepared};
pub use decode::exported_log::CHOSEN;
pub use error::{names_fields, refuses_place, tells_why_nothing};
pub use events::is_event_typed_later;
pub use evidence::{Expansion, image_files, is_archive, is_image, names_a_compressed_text};
pub use handle::{Answered, handle};
pub use indicators::{
    Indicator, IndicatorFile, KnownError, KnownGood, LONGEST as LONGEST_INDICATORS, Skipped, Unreadable,
};
pub use mounted::open as open_mount;
pub use name_index::{
    BuildError, BuiltIndex, INDEX_MAKER, IndexError, build as build_index, evidence_identity,
};
pub use parse_file::{decode_bytes, decoders};
pub use raw_spans::{
    LONGEST_SPAN, MOST_SPAN_BYTES, MOST_SPANS, SpanRead, WantedSpan, decode_spans_reply, encode_spans_reply,
};
pub use retired::{successor, untranslatable};
pub use returned::Return;
pub use sequences::{FoundSequence, SequencesReply};
pub use sigma::{
    Broken, Check, Hit as SigmaHit, LONGEST as LONGEST_RULES, Rule as SigmaRule, RuleFile, RuleSet,
};
pub use tables::{
    Answer, Asked, AskedRow, BuiltTables, Cell, Column, DOING, LeftOut, TABLES_FILE, TABLES_MAKER, Table,
    TableError, TableFiles, TableGroup, VIEWS, View, build as build_tables, gives_any_record, groups_of,
    hints, reads_what_there_is, statement_of, tables,
};
pub use wire::{
    AnswerReply, HashReply, IndexReply, LONGEST_REMARK, Mount, Request, SourcesReply, Summary, TablesReply,
    WireError, decode_answer_reply, decode_hash_reply, decode_index_reply, decode_request, decode_return,
    decode_return_parts, decode_sequences_reply, decode_sources_reply, decode_tables_reply,
    encode_answer_reply, encode_hash_reply, encode_index_reply, encode_request, encode_return,
    encode_sources_reply, encode_tables_reply,
};
