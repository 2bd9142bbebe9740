//! The units of decoding: a file with its decoder, a hive with one artifact, the keys of a hive, the entries of a tree.

use crate::decode::usn_journal;
use crate::decode::{self, DECODERS, Decoder, Source};
use crate::error::CallError;
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::HiveFile;
use crate::intake::{Flow, Intake};
use crate::parse_registry_key::lies_in;
use crate::registry_artifact::{self, Artifact, artifacts};
use crate::{dir_entry, hive_file, logs, registry_records};
use artifacts::registry::{HiveType, Visit, identify};
use evidence::{Node, Tree};
use ledger::{Gap, RecordType};
use std::ops::ControlFlow;
use std::path::Path;

/// How a unit is decoded.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// The entries of all folders, by their times.
    Entries,
    /// The keys of a hive, by their last write.
    Keys,
    /// The values of a hive; not a source of a timeline, because they have no times of their own.
    Values,
    /// A registry artifact, from a hive.
    Artifact(&'static Artifact),
    /// A file, with its decoder.
    Decoder(&'static Decoder),
    /// The findings about a whole log, from all records of its decoder.
    /// Not a source of a timeline, because the records themselves have all its times.
    Log(&'static Decoder),
    /// The history of each name in a change journal.
    /// Not a source of a timeline, because the journal's own records have all its times.
    Names,
    /// Not a source itself: what the search for hives met.
    Hives,
    /// Not a source itself: what the search for files met.
    Files,
}

/// Returns the sources of a timeline, by the names under which they are asked for.
pub(crate) fn sources() -> impl Iterator<Item = Origin> {
    let artifacts = artifacts().iter().map(Origin::Artifact);
    [Origin::Entries, Origin::Keys].into_iter().chain(artifacts).chain(DECODERS.iter().map(Origin::Decoder))
}

impl Origin {
    /// Returns the name of its source.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Origin::Entries => "file_system",
            Origin::Keys => "registry",
            Origin::Values => "registry_values",
            Origin::Artifact(artifact) => artifact.name,
            Origin::Decoder(decoder) => decoder.name,
            Origin::Log(_) => logs::NAME,
            Origin::Names => "usn_names",
            Origin::Hives => "hives",
            Origin::Files => "files",
        }
    }

    /// Checks whether a unit of it is one file.
    pub(crate) fn is_of_a_file(self) -> bool {
        match self {
            Origin::Keys
            | Origin::Values
            | Origin::Artifact(_)
            | Origin::Decoder(_)
            | Origin::Log(_)
            | Origin::Names => true,
            Origin::Entries | Origin::Hives | Origin::Files => false,
        }
    }

    /// Returns its name in tables; artifacts and decoders can have the same names.
    pub(crate) fn stored(self) -> String {
        let class = match self {
            Origin::Artifact(_) => "artifact:",
            Origin::Decoder(_) => "decoder:",
            Origin::Log(decoder) => return format!("log:{}", decoder.name),
            Origin::Entries
            | Origin::Keys
            | Origin::Values
            | Origin::Names
            | Origin::Hives
            | Origin::Files => "",
        };
        format!("{class}{}", self.source())
    }

    /// Returns the origin that [`Origin::stored`] names.
    pub(crate) fn named(stored: &str) -> Option<Origin> {
        match stored.split_once(':') {
            Some(("artifact", name)) => registry_artifact::named(name).map(Origin::Artifact),
            Some(("decoder", name)) => decode::named(name).map(Origin::Decoder),
            Some(("log", name)) => decode::named(name).map(Origin::Log),
            Some(_) => None,
            None => {
                [Origin::Entries, Origin::Keys, Origin::Values, Origin::Names, Origin::Hives, Origin::Files]
                    .into_iter()
                    .find(|origin| origin.source() == stored)
            }
        }
    }

    /// Checks whether it is not a source itself, but what a search met.
    pub(crate) fn is_remark(self) -> bool {
        match self {
            Origin::Hives | Origin::Files => true,
            Origin::Entries
            | Origin::Keys
            | Origin::Values
            | Origin::Artifact(_)
            | Origin::Decoder(_)
            | Origin::Log(_)
            | Origin::Names => false,
        }
    }

    /// Checks whether it spans folders, and has no file of its own.
    pub(crate) fn is_search(self) -> bool {
        self.is_remark() || matches!(self, Origin::Entries)
    }

    /// Returns the types of its records.
    pub(crate) fn records(self) -> Vec<RecordType> {
        match self {
            Origin::Entries => vec![dir_entry::record_type()],
            Origin::Keys => vec![registry_records::key_type()],
            Origin::Values => vec![registry_records::value_type()],
            Origin::Artifact(artifact) => (artifact.records)(),
            Origin::Decoder(decoder) => (decoder.records)(),
            Origin::Log(decoder) => logs::record_types(decoder),
            Origin::Names => vec![usn_journal::history()],
            Origin::Hives | Origin::Files => Vec::new(),
        }
    }
}

/// Decodes a unit that is one file, and returns whether more is wanted, as far as known; entries and what a search met need no decoding.
pub(crate) fn read(
    origin: Origin,
    tree: &dyn Tree,
    node: &Node,
    stream: Option<&str>,
    scratch: &Path,
    out: &mut dyn Intake,
) -> Result<Flow, CallError> {
    match origin {
        Origin::Entries | Origin::Hives | Origin::Files => {}
        Origin::Decoder(decoder) => {
            return Ok((decoder.read)(&mut Source::new(tree, node, stream, scratch, out))?);
        }
        Origin::Log(decoder) => return Ok(logs::read(decoder, tree, node, stream, scratch, out)?),
        Origin::Names => {
            return Ok(usn_journal::read_names(&mut Source::new(tree, node, stream, scratch, out))?);
        }
        Origin::Keys | Origin::Values | Origin::Artifact(_) => {
            let Loaded { bytes, state } = hive_state::load(tree, node, Logs::Applied)?;
            let hive = hive_file::open(node, &bytes)?;
            let hive_type = identify(&hive);
            read_hive(origin, &HiveFile { tree, node, bytes: &bytes, hive, state: &state }, hive_type, out);
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Decodes the part of a hive that belongs to one source.
pub(crate) fn read_hive(origin: Origin, file: &HiveFile<'_>, hive_type: HiveType, out: &mut dyn Intake) {
    match origin {
        Origin::Keys => keys(file, out),
        Origin::Values => values(file, out),
        Origin::Artifact(artifact) => registry_artifact::read(artifact, file, hive_type, out),
        Origin::Entries
        | Origin::Decoder(_)
        | Origin::Log(_)
        | Origin::Names
        | Origin::Hives
        | Origin::Files => {}
    }
}

/// Hands over the values of all keys of a hive, in the order of the walk.
fn values(file: &HiveFile<'_>, out: &mut dyn Intake) {
    let HiveFile { tree, node, bytes, state, .. } = *file;
    let source = registry_records::Source { tree, node, bytes, state };
    walk(file, out, |mut visit, out| {
        for value in &visit.values {
            let own = visit.defects.extract_if(.., |defect| lies_in(defect, value));
            let own = own.map(|own| hive_file::defect(&node.path, &own)).collect();
            out.push(source.value(&visit.key, value, own))?;
        }
        ControlFlow::Continue(())
    });
}

/// Hands over the keys of a hive, in the order of the walk.
fn keys(file: &HiveFile<'_>, out: &mut dyn Intake) {
    let HiveFile { tree, node, bytes, state, .. } = *file;
    let source = registry_records::Source { tree, node, bytes, state };
    walk(file, out, |visit, out| out.push(source.key(&visit.key)));
}

/// Walks through a hive, and reports what it meets besides.
fn walk(file: &HiveFile<'_>, out: &mut dyn Intake, mut take: impl FnMut(Visit<'_>, &mut dyn Intake) -> Flow) {
    let path = &file.node.path;
    for defect in hive_file::base_defects(path, &file.hive).into_iter().chain(file.state.defects()) {
        out.defect(defect);
    }
    file.state.gaps().into_iter().for_each(|gap| out.gap(gap));
    let mut flow = ControlFlow::Continue(());
    let summary = file.hive.walk(|visit| {
        // Damage in a value is not damage of its key.
        for defect in visit.defects.iter().filter(|defect| defect.what.hides_records()) {
            out.hidden(hive_file::defect(path, defect));
        }
        flow = take(visit, out);
        flow
    });
    if !summary.complete && flow.is_continue() {
        let reason = "the hive was not read to its end: too much of it is damaged".to_owned();
        out.gap(Gap { path: path.as_str().to_owned(), reason });
    }
}
