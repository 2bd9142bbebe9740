//! Decoders: one for each kind of evidence file; each turns the file's bytes into located records.
//!
//! A decoder is one file below this module, with a constant `DECODER`.
//! It gives the names of its files, how their content begins, the record types, and a function that reads one file.
//! To add one, write the file, its `mod` line and its line in [`DECODERS`].
//! `parse_file`, `records`, the case tables and the super-timeline then use it without further changes.

mod chromium_history;
mod copy_log;
mod defender_history;
mod defender_log;
mod download_mark;
mod error_report;
mod ese_database;
pub(crate) mod event_log;
pub(crate) mod exported_log;
mod firefox_history;
mod firewall_log;
mod hosts;
mod index_dat;
mod info2;
mod job_file;
mod jump_list;
mod lnk;
mod mft;
mod parts;
mod pca;
mod pe;
mod powershell_history;
mod powershell_transcript;
mod prefetch;
pub(crate) mod recycle_bin;
mod scheduled_task;
mod setup_log;
mod sqlite;
mod srum;
mod startup_folder;
pub(crate) mod usn_journal;
mod web_cache;
mod web_log;
mod windows_timeline;
mod wmi_repository;

use crate::intake::{Brief, Flow, Intake};
use crate::row::Row;
use artifacts::registry::Filetime;
use evidence::{Node, ReadAt, ReadError, Tree, read_all, read_full_at};
use ledger::{ByteSpan, Defect, Gap, RecordType};
use std::ops::ControlFlow;
use std::path::Path;

/// One kind of evidence file.
pub(crate) struct Decoder {
    /// Its name in tools and in sources of the timeline.
    pub(crate) name: &'static str,
    /// What its records show, in a few words.
    pub(crate) about: &'static str,
    /// Patterns of the names or paths of its files, in the syntax of `find_files`; a stream's name follows a colon.
    pub(crate) names: &'static [&'static str],
    /// Patterns of names that other kinds of files have, too. Only the content decides, and a file of another kind is not a gap.
    pub(crate) common_names: &'static [&'static str],
    /// Checks whether a file begins as one of its own.
    pub(crate) fits: fn(&Head<'_>) -> bool,
    /// The types of its records.
    pub(crate) records: fn() -> Vec<RecordType>,
    /// Reads one file; ends early when no more records are wanted.
    pub(crate) read: fn(&mut Source<'_, '_>) -> Result<Flow, ReadError>,
}

/// Sorted by name. If content fits several, the first one reads it.
pub(crate) const DECODERS: &[Decoder] = &[
    chromium_history::DECODER,
    copy_log::DECODER,
    defender_history::DECODER,
    defender_log::DECODER,
    download_mark::DECODER,
    error_report::DECODER,
    ese_database::DECODER,
    event_log::DECODER,
    firefox_history::DECODER,
    firewall_log::DECODER,
    hosts::DECODER,
    index_dat::DECODER,
    info2::DECODER,
    job_file::DECODER,
    jump_list::DECODER,
    lnk::DECODER,
    mft::DECODER,
    pca::DECODER,
    pe::DECODER,
    powershell_history::DECODER,
    powershell_transcript::DECODER,
    prefetch::DECODER,
    recycle_bin::DECODER,
    scheduled_task::DECODER,
    setup_log::DECODER,
    srum::DECODER,
    // A startup folder can contain a file of any content.
    // Decoders that recognise their content should therefore come before this one, as far as the order of names allows.
    startup_folder::DECODER,
    usn_journal::DECODER,
    web_cache::DECODER,
    web_log::DECODER,
    windows_timeline::DECODER,
    wmi_repository::DECODER,
];

/// Types of records that only `parse_file` returns: details of one file, of which all files together have too many.
const DETAILS: &[&str] = &["prefetch_file"];

/// Returns the types of records that a decoder makes when many files are read.
pub(crate) fn gathered(decoder: &Decoder) -> Vec<RecordType> {
    (decoder.records)().into_iter().filter(|record| !DETAILS.contains(&record.name.as_str())).collect()
}

/// How many bytes at the beginning of a file decide what it is.
pub(crate) const HEAD: usize = 4096;

/// What is known of a file before it is decoded.
pub(crate) struct Head<'a> {
    /// Its name, or that of its stream.
    pub(crate) name: &'a str,
    /// The path of the file.
    pub(crate) path: &'a str,
    /// Its first [`HEAD`] bytes, or all of a shorter file.
    pub(crate) bytes: &'a [u8],
    /// Its length in bytes.
    pub(crate) size: u64,
}

/// One file, or one stream of a file, as a decoder reads it.
pub(crate) struct Source<'c, 't> {
    pub(crate) tree: &'t dyn Tree,
    pub(crate) node: &'t Node,
    pub(crate) stream: Option<&'t str>,
    /// An empty folder that may be used.
    pub(crate) scratch: &'c Path,
    out: &'c mut dyn Intake,
    /// Whether it is the only file that is read.
    alone: bool,
}

impl<'c, 't> Source<'c, 't> {
    pub(crate) fn new(
        tree: &'t dyn Tree,
        node: &'t Node,
        stream: Option<&'t str>,
        scratch: &'c Path,
        out: &'c mut dyn Intake,
    ) -> Source<'c, 't> {
        Source { tree, node, stream, scratch, out, alone: false }
    }

    /// Marks the file as the only one that is read, so that its details are wanted, too.
    pub(crate) fn alone(self) -> Source<'c, 't> {
        Source { alone: true, ..self }
    }

    /// Reads all bytes, at most `most`.
    pub(crate) fn bytes(&self, most: u64) -> Result<Vec<u8>, ReadError> {
        read_all(self.open()?.as_mut(), most)
    }

    /// Opens a reader of its bytes.
    pub(crate) fn open(&self) -> Result<Box<dyn ReadAt>, ReadError> {
        self.tree.open(self.node, self.stream)
    }

    /// Begins a record of type `kind` located at `span` of the file.
    pub(crate) fn row(&self, kind: &str, span: Option<ByteSpan>) -> Row {
        Row::new(kind, self.tree, self.node, span).located_in(self.stream)
    }

    /// Hands over a record.
    pub(crate) fn push(&mut self, row: Row) -> Flow {
        let record = row.done();
        if !self.alone && DETAILS.contains(&record.kind.as_str()) {
            return ControlFlow::Continue(());
        }
        self.out.push(record)
    }

    /// Hands over the time of the next record instead of the record; `None` if the record itself is wanted.
    pub(crate) fn date(&mut self, time: Filetime, span: ByteSpan) -> Option<Flow> {
        // "Never" is not a time.
        self.out.date(if time.is_time() { time.0 } else { 0 }, span)
    }

    /// Checks whether the next record need not be made; if so, do not hand it over.
    pub(crate) fn passes_over(&mut self, brief: &Brief<'_>) -> bool {
        self.out.passes_over(brief)
    }

    /// Reports damage that may hide records: what was found at `offset`, and what was expected.
    pub(crate) fn damage(&mut self, offset: Option<u64>, what: impl ToString) {
        let defect = self.defect(offset, what);
        self.out.hidden(defect);
    }

    /// Reports a part of the file that is not examined.
    pub(crate) fn gap(&mut self, reason: impl ToString) {
        let path = self.node.path.as_str().to_owned();
        self.out.gap(Gap { path, reason: reason.to_string() });
    }

    /// Adds a note about this file for the agent.
    pub(crate) fn note(&mut self, note: &str) {
        self.out.note(format!("{}: {note}", self.node.path));
    }

    /// Returns damage of this file as a ledger defect, for a record.
    pub(crate) fn defect(&self, offset: Option<u64>, what: impl ToString) -> Defect {
        Defect { path: self.node.path.as_str().to_owned(), offset, what: what.to_string() }
    }
}

/// Reads the first bytes of a file or of its stream.
pub(crate) fn head(tree: &dyn Tree, node: &Node, stream: Option<&str>) -> Result<(Vec<u8>, u64), ReadError> {
    let mut reader = tree.open(node, stream)?;
    let mut bytes = vec![0; HEAD];
    let read = read_full_at(reader.as_mut(), 0, &mut bytes)?;
    bytes.truncate(read);
    Ok((bytes, reader.len()))
}

/// Returns the decoder for a file, chosen by its content.
pub(crate) fn recognise(head: &Head<'_>) -> Option<&'static Decoder> {
    DECODERS.iter().find(|decoder| (decoder.fits)(head))
}

/// Returns the decoder of this name.
pub(crate) fn named(name: &str) -> Option<&'static Decoder> {
    DECODERS.iter().find(|decoder| decoder.name == name)
}

#[cfg(test)]
mod tests {
    use super::DECODERS;
    use crate::glob::Glob;

    #[test]
    fn decoders_are_sorted_and_have_names_that_are_patterns() {
        assert!(DECODERS.iter().map(|decoder| decoder.name).is_sorted());
        for decoder in DECODERS {
            assert!(!(decoder.records)().is_empty(), "{}", decoder.name);
            for name in decoder.names.iter().chain(decoder.common_names) {
                assert!(Glob::read("name", name).is_ok(), "{name}");
            }
        }
    }
}
