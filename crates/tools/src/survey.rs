//! Decodes every source of a piece of evidence in a fixed order: the entries of its folders, its hives, the files of its decoders.
//!
//! A [`Surveyor`] decides what happens to the records: they fill case tables, or are hashed to see whether the tables are still valid.

use crate::catalogue::Indexes;
use crate::decode::{DECODERS, Decoder, usn_journal};
use crate::error::CallError;
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::{Found, HiveFile, MAX_HIVES};
use crate::intake::{Flow, Intake, tell_met};
use crate::place::{Place, Scope};
use crate::registry_artifact::artifacts;
use crate::returned::chain;
use crate::source_files;
use crate::units::{self, Origin, read_hive};
use crate::{dir_entry, hive_file, logs};
use artifacts::registry::{Hive, HiveType, identify};
use evidence::{EvidencePath, Node, NodeKind, ReadError, Step, Tree, walk};
use ledger::{Defect, Gap};
use std::ops::ControlFlow;
use std::path::Path;

/// What to decode.
#[derive(Clone)]
pub(crate) struct Ground<'g> {
    pub(crate) tree: &'g dyn Tree,
    /// The folder to search below, or the one file.
    pub(crate) start: Node,
    pub(crate) names: &'g Indexes,
    /// The decoders whose files are looked for.
    pub(crate) decoders: Vec<&'static Decoder>,
    /// An empty folder that may be used.
    pub(crate) scratch: &'g Path,
}

impl<'g> Ground<'g> {
    /// Makes the ground for all of a piece of evidence.
    ///
    /// # Errors
    ///
    /// If its root cannot be read.
    pub(crate) fn whole(
        tree: &'g dyn Tree,
        names: &'g Indexes,
        scratch: &'g Path,
    ) -> Result<Ground<'g>, CallError> {
        let start = tree.node(&EvidencePath::root())?;
        let start = start.ok_or_else(|| ReadError::Absent { path: EvidencePath::root() })?;
        // All decoders: a file of one may have the name of another's.
        Ok(Ground { tree, start, names, decoders: DECODERS.iter().collect(), scratch })
    }
}

/// One unit of a survey: a file with its decoder, a hive with one artifact, the entries of a tree.
pub(crate) struct Surveyed<'u> {
    pub(crate) origin: Origin,
    /// The file; for entries, and for what a search met, the folder where these begin.
    pub(crate) path: &'u str,
    pub(crate) stream: Option<&'u str>,
}

/// The receiver of what a survey decodes.
pub(crate) trait Surveyor {
    /// Returns whether the records of this origin are wanted.
    fn wants(&self, origin: Origin) -> bool;

    /// Returns whether the records of a file, under the origins that fit, are known and need not be decoded.
    fn knows(&mut self, node: &Node, stream: Option<&str>, fits: &dyn Fn(Origin) -> bool) -> bool;

    /// Is told that a file is about to be read; returns why it must not be.
    fn forbids(&mut self, _: &str, _: Option<&str>) -> Option<String> {
        None
    }

    /// Is told that a unit could not be read for a reason that may pass ([`ReadError::may_pass`]): another attempt may succeed.
    ///
    /// What cannot be read is a gap of the unit anyway.
    fn failed(&mut self, _: &Surveyed<'_>) {}

    /// Receives one unit: hands an intake to `decode`, which fills it.
    fn unit(&mut self, unit: &Surveyed<'_>, decode: &mut dyn FnMut(&mut dyn Intake));
}

/// Decodes everything that `to` wants.
///
/// # Errors
///
/// If the start cannot be read; what cannot be read below it is a gap of a unit.
pub(crate) fn survey(ground: &Ground<'_>, to: &mut dyn Surveyor) -> Result<(), CallError> {
    if ground.start.kind == NodeKind::Directory {
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        ground.tree.entries(&ground.start)?;
    }
    if to.wants(Origin::Entries) {
        entries(ground, to);
    }
    let of_hives = artifacts().iter().map(Origin::Artifact).chain([Origin::Keys, Origin::Values]);
    if of_hives.into_iter().any(|origin| to.wants(origin)) {
        hives(ground, to)?;
    }
    if ground.decoders.iter().flat_map(|decoder| of_file(decoder)).any(|origin| to.wants(origin)) {
        files(ground, to)?;
    }
    Ok(())
}

fn entries(ground: &Ground<'_>, to: &mut dyn Surveyor) {
    let Ground { tree, start, .. } = ground;
    let unit = Surveyed { origin: Origin::Entries, path: start.path.as_str(), stream: None };
    to.unit(&unit, &mut |out| {
        let mut flow: Flow = ControlFlow::Continue(());
        // A folder is not an entry of itself.
        if start.kind != NodeKind::Directory {
            flow = out.push(dir_entry::record_with_name_times(*tree, start));
        }
        for step in walk(*tree, start) {
            if flow.is_break() {
                break;
            }
            match step {
                Step::Node(node) => flow = out.push(dir_entry::record_with_name_times(*tree, &node)),
                Step::Defect(defect) => out.defect(defect),
                Step::Gap(gap) => out.gap(gap),
            }
        }
    });
}

/// Hands over the damage and gaps that a search met.
fn met(ground: &Ground<'_>, to: &mut dyn Surveyor, origin: Origin, defects: &[Defect], gaps: &[Gap]) {
    if defects.is_empty() && gaps.is_empty() {
        return;
    }
    let unit = Surveyed { origin, path: ground.start.path.as_str(), stream: None };
    to.unit(&unit, &mut |out| tell_met(defects, gaps, out));
}

fn hives(ground: &Ground<'_>, to: &mut dyn Surveyor) -> Result<(), CallError> {
    let mut found = Found::default();
    found.look(ground.tree, &ground.start, ground.names)?;
    let Found { files, defects, mut gaps } = found;
    if let Some(left) = files.get(MAX_HIVES) {
        let (path, reason) = (left.node.path.as_str().to_owned(), "too many hives: not read".to_owned());
        gaps.push(Gap { path, reason });
    }
    met(ground, to, Origin::Hives, &defects, &gaps);
    for place in files.iter().take(MAX_HIVES) {
        let of_hive = |origin: Origin| matches!(origin, Origin::Keys | Origin::Values | Origin::Artifact(_));
        let path = place.node.path.as_str();
        if to.knows(&place.node, None, &of_hive) {
            continue;
        }
        match to.forbids(path, None) {
            Some(reason) => unread(path, &reason, None, to),
            None => hive(ground.tree, &place.node, to),
        }
    }
    Ok(())
}

fn hive(tree: &dyn Tree, node: &Node, to: &mut dyn Surveyor) {
    let path = node.path.as_str();
    let Loaded { bytes, state } = match hive_state::load(tree, node, Logs::Applied) {
        Ok(loaded) => loaded,
        Err(error) => {
            if error.may_pass() {
                to.failed(&Surveyed { origin: Origin::Keys, path, stream: None });
            }
            return unread(path, &chain(&error), None, to);
        }
    };
    let hive = match Hive::open(&bytes) {
        Ok(hive) => hive,
        Err(error) => {
            let what = format!("begins as a hive (regf) but is none that can be read: {error}");
            let defect = Defect { path: path.to_owned(), offset: Some(0), what: what.clone() };
            return unread(path, &what, Some(&defect), to);
        }
    };
    let hive_type = identify(&hive);
    let file = HiveFile { tree, node, bytes: &bytes, hive, state: &state };
    if hive_type == HiveType::Other
        && ![Origin::Keys, Origin::Values].into_iter().any(|origin| to.wants(origin))
    {
        unrecognised(&file, to);
    }
    let fitting = artifacts().iter().filter(|artifact| artifact.hives.contains(&hive_type));
    for origin in [Origin::Keys, Origin::Values].into_iter().chain(fitting.map(Origin::Artifact)) {
        if to.wants(origin) {
            let unit = Surveyed { origin, path, stream: None };
            to.unit(&unit, &mut |out| read_hive(origin, &file, hive_type, out));
        }
    }
}

/// Reports the damage of a hive of unknown type, for readers of artifacts only: it may have been of a type that has some.
fn unrecognised(file: &HiveFile<'_>, to: &mut dyn Surveyor) {
    let defects = hive_file::base_defects(&file.node.path, &file.hive);
    let gaps = file.state.gaps();
    if !defects.is_empty() || !gaps.is_empty() {
        let unit = Surveyed { origin: Origin::Keys, path: file.node.path.as_str(), stream: None };
        to.unit(&unit, &mut |out| {
            defects.iter().for_each(|defect| out.hidden(defect.clone()));
            gaps.iter().for_each(|gap| out.gap(gap.clone()));
        });
    }
}

fn unread(path: &str, reason: &str, defect: Option<&Defect>, to: &mut dyn Surveyor) {
    to.unit(&Surveyed { origin: Origin::Keys, path, stream: None }, &mut |out| {
        out.gap(Gap { path: path.to_owned(), reason: reason.to_owned() });
        defect.into_iter().for_each(|defect| out.defect(defect.clone()));
    });
}

/// Returns the origins for a decoder's file.
fn of_file(decoder: &'static Decoder) -> impl Iterator<Item = Origin> {
    let log = logs::is_log(decoder).then_some(Origin::Log(decoder));
    let names = (decoder.name == usn_journal::DECODER.name).then_some(Origin::Names);
    [Origin::Decoder(decoder)].into_iter().chain(log).chain(names)
}

fn files(ground: &Ground<'_>, to: &mut dyn Surveyor) -> Result<(), CallError> {
    let place = Place { tree: ground.tree, node: ground.start.clone() };
    let scope = Scope { places: vec![place] };
    let found = source_files::find_beside(&scope, ground.names, &ground.decoders, DECODERS)?;
    // A start that is a file was not asked for as a particular decoder's file.
    let gaps = if ground.start.kind == NodeKind::Directory { found.gaps } else { Vec::new() };
    met(ground, to, Origin::Files, &found.defects, &gaps);
    for file in &found.files {
        for origin in of_file(file.decoder) {
            file_unit(ground, file, origin, to);
        }
    }
    Ok(())
}

fn file_unit(ground: &Ground<'_>, file: &source_files::File<'_>, origin: Origin, to: &mut dyn Surveyor) {
    let (path, stream) = (file.node.path.as_str(), file.stream.as_deref());
    let stored = origin.stored();
    if !to.wants(origin) || to.knows(&file.node, stream, &|known| known.stored() == stored) {
        return;
    }
    let unit = Surveyed { origin, path, stream };
    if let Some(reason) = to.forbids(path, stream) {
        let gap = Gap { path: path.to_owned(), reason };
        return to.unit(&unit, &mut |out| out.gap(gap.clone()));
    }
    let mut failed = false;
    to.unit(&unit, &mut |out| {
        if let Err(error) = units::read(origin, file.tree, &file.node, stream, ground.scratch, out) {
            out.gap(Gap { path: path.to_owned(), reason: chain(&error) });
            failed = !matches!(error, CallError::Read(source) if !source.may_pass());
        }
    });
    if failed {
        to.failed(&unit);
    }
}
