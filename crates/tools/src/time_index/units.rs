//! What is decoded as one: a file by its decoder, a hive by one artifact, the keys of a hive, the entries of a tree.

use crate::decode::{self, DECODERS, Decoder, Source};
use crate::error::CallError;
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::HiveFile;
use crate::intake::{Flow, Intake};
use crate::registry_artifact::{self, Artifact, artifacts};
use crate::{dir_entry, hive_file, registry_records};
use artifacts::registry::{Hive, HiveType, identify};
use evidence::{Node, Tree};
use ledger::{Defect, Digest, Gap, RecordType};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::Path;

/// How a unit is decoded.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// The entries of all folders, by their times.
    Entries,
    /// The keys of a hive, by their last write.
    Keys,
    /// An artifact of the registry, out of a hive.
    Artifact(&'static Artifact),
    /// A file, by its decoder.
    Decoder(&'static Decoder),
    /// No source itself: what the search for hives met.
    Hives,
    /// No source itself: what the search for files met.
    Files,
}

/// The sources of a timeline, by the names under which it is asked for them.
pub(crate) fn sources() -> impl Iterator<Item = Origin> {
    let artifacts = artifacts().iter().map(Origin::Artifact);
    [Origin::Entries, Origin::Keys].into_iter().chain(artifacts).chain(DECODERS.iter().map(Origin::Decoder))
}

impl Origin {
    /// The name of its source.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Origin::Entries => "file_system",
            Origin::Keys => "registry",
            Origin::Artifact(artifact) => artifact.name,
            Origin::Decoder(decoder) => decoder.name,
            Origin::Hives => "hives",
            Origin::Files => "files",
        }
    }

    /// How an index names it; artifacts and decoders can have the same names.
    pub(super) fn stored(self) -> String {
        let class = match self {
            Origin::Artifact(_) => "artifact:",
            Origin::Decoder(_) => "decoder:",
            Origin::Entries | Origin::Keys | Origin::Hives | Origin::Files => "",
        };
        format!("{class}{}", self.source())
    }

    fn named(stored: &str) -> Option<Origin> {
        match stored.split_once(':') {
            Some(("artifact", name)) => registry_artifact::named(name).map(Origin::Artifact),
            Some(("decoder", name)) => decode::named(name).map(Origin::Decoder),
            Some(_) => None,
            None => [Origin::Entries, Origin::Keys, Origin::Hives, Origin::Files]
                .into_iter()
                .find(|origin| origin.source() == stored),
        }
    }

    /// The types of its records.
    pub(crate) fn records(self) -> Vec<RecordType> {
        match self {
            Origin::Entries => vec![dir_entry::record_type()],
            Origin::Keys => vec![registry_records::key_type()],
            Origin::Artifact(artifact) => (artifact.records)(),
            Origin::Decoder(decoder) => (decoder.records)(),
            Origin::Hives | Origin::Files => Vec::new(),
        }
    }
}

/// One unit, and what was met in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unit {
    /// How it is decoded.
    pub(super) origin: String,
    /// The file; of entries, and of what a search met, the folder where these begin.
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<String>,
    /// What its rows follow from; `None` where they are made anew for each index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Digest>,
    /// Records whose times name no instant.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) timeless: u64,
    /// Whether records were left out that have only the times of a copy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) copied: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) defects: Vec<Defect>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) gaps: Vec<Gap>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Unit {
    pub(super) fn new(origin: Origin, path: &str, stream: Option<&str>) -> Unit {
        Unit {
            origin: origin.stored(),
            path: path.to_owned(),
            stream: stream.map(str::to_owned),
            content: None,
            timeless: 0,
            copied: false,
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// How it is decoded; `None` where an index names what this program does not have.
    pub(crate) fn origin(&self) -> Option<Origin> {
        Origin::named(&self.origin)
    }
}

/// Decodes a unit that is one file; entries and what a search met have nothing to decode.
pub(crate) fn read(
    origin: Origin,
    tree: &dyn Tree,
    node: &Node,
    stream: Option<&str>,
    scratch: &Path,
    out: &mut dyn Intake,
) -> Result<(), CallError> {
    match origin {
        Origin::Entries | Origin::Hives | Origin::Files => {}
        Origin::Decoder(decoder) => {
            // Whether it was read to its end is known to the intake.
            let _: Flow = (decoder.read)(&mut Source::new(tree, node, stream, scratch, out))?;
        }
        Origin::Keys | Origin::Artifact(_) => {
            let Loaded { bytes, state } = hive_state::load(tree, node, Logs::Applied)?;
            let hive = hive_file::open(node, &bytes)?;
            let hive_type = identify(&hive);
            read_hive(origin, &HiveFile { tree, node, bytes: &bytes, hive, state: &state }, hive_type, out);
        }
    }
    Ok(())
}

/// Decodes what a hive holds for one source.
pub(super) fn read_hive(origin: Origin, file: &HiveFile<'_>, hive_type: HiveType, out: &mut dyn Intake) {
    match origin {
        Origin::Keys => keys(file, out),
        Origin::Artifact(artifact) => registry_artifact::read(artifact, file, hive_type, out),
        Origin::Entries | Origin::Decoder(_) | Origin::Hives | Origin::Files => {}
    }
}

/// The keys of a hive, in the order of their walk.
fn keys(file: &HiveFile<'_>, out: &mut dyn Intake) {
    for defect in hive_file::base_defects(&file.node.path, &file.hive).into_iter().chain(file.state.defects())
    {
        out.defect(defect);
    }
    for gap in file.state.gaps() {
        out.gap(gap);
    }
    let HiveFile { tree, node, bytes, state, .. } = *file;
    let source = registry_records::Source { tree, node, bytes, state };
    walk(&file.hive, file.node, &source, out);
}

fn walk(hive: &Hive<'_>, node: &Node, source: &registry_records::Source<'_>, out: &mut dyn Intake) {
    let mut flow = ControlFlow::Continue(());
    let summary = hive.walk(|visit| {
        // Damage in a value is none of its key.
        for defect in visit.defects.iter().filter(|defect| defect.what.hides_records()) {
            out.hidden(hive_file::defect(&node.path, defect));
        }
        flow = out.push(source.key(&visit.key));
        flow
    });
    if !summary.complete && flow.is_continue() {
        let reason = "the hive was not read to its end: too much of it is damaged".to_owned();
        out.gap(Gap { path: node.path.as_str().to_owned(), reason });
    }
}
