//! Finds the files of the evidence that decoders read: by name, then recognised by content.

use crate::catalogue::{Call, Indexes};
use crate::decode::{Decoder, Head, head};
use crate::drives;
use crate::error::CallError;
use crate::glob::Glob;
use crate::intake::{Flow, Intake, tell_met};
use crate::links::{self, Beside};
use crate::name_index::{Asked, KnownFolders, NameIndex};
use crate::place::Scope;
use crate::returned::chain;
use crate::survey::Surveyed;
use crate::units::{self, Origin};
use evidence::{EvidencePath, Node, NodeKind, Step, Tree, walk};
use ledger::pattern::fits;
use ledger::{Defect, Gap};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Files of one kind, in the order of their paths.
pub(crate) struct Files<'t> {
    pub(crate) files: Vec<File<'t>>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) gaps: Vec<Gap>,
}

/// A file or a stream of one, and the decoder for its content.
pub(crate) struct File<'t> {
    pub(crate) tree: &'t dyn Tree,
    pub(crate) node: Node,
    pub(crate) stream: Option<String>,
    pub(crate) decoder: &'static Decoder,
}

/// A decoder's pattern of file names, and of stream names.
struct Named {
    glob: Glob,
    stream: Option<&'static str>,
    /// Whether files of any kind have such names, so that one of another kind is not a gap.
    is_common: bool,
}

/// The size in bytes of the smallest file with a common name that is examined: no event is shorter, compressed or not.
const LEAST_COMMON: u64 = 64;

/// Folders in which programs keep their own files, in lower case: at the top of a drive, and in a profile.
/// Tens of thousands of files there have common names.
const PROGRAMS: [&str; 6] =
    ["windows", "winnt", "program files", "program files (x86)", "programdata", "$recycle.bin"];
const PROFILE: [&str; 3] = ["appdata", "application data", "local settings"];

/// The folders of a tree in which files with common names belong to programs.
struct OfPrograms {
    /// The roots of the host's drives that have Windows.
    roots: Vec<EvidencePath>,
}

impl OfPrograms {
    fn of(tree: &dyn Tree, names: &[Named]) -> Result<OfPrograms, CallError> {
        if !names.iter().any(|name| name.is_common) {
            return Ok(OfPrograms { roots: Vec::new() });
        }
        let mut roots = drives::volumes(tree)?;
        roots.retain(|root| drives::holds_windows(tree, root));
        Ok(OfPrograms { roots })
    }

    fn holds(&self, path: &EvidencePath) -> bool {
        let is_one_of = |part: Option<&str>, names: &[&str]| {
            part.is_some_and(|part| names.iter().any(|name| part.eq_ignore_ascii_case(name)))
        };
        self.roots.iter().any(|root| {
            let mut parts = path.components();
            if !root.components().all(|own| parts.next() == Some(own)) {
                return false;
            }
            is_one_of(parts.next(), &PROGRAMS) || is_one_of(parts.nth(1), &PROFILE)
        })
    }
}

impl Named {
    /// Checks whether an entry with the name can be what is asked for.
    /// For a pattern of any name with a stream, entries without streams are dropped.
    ///
    /// Links and the like are kept, to be reported as not read.
    fn can_mean(&self, node: &Node) -> bool {
        let can_be_read = matches!(node.kind, NodeKind::File | NodeKind::Directory);
        self.stream.is_none() || !node.streams.is_empty() || !can_be_read
    }
}

/// Finds the files in scope that `decoders` read.
///
/// A file with such a name but other content is a gap: it was not examined.
pub(crate) fn find<'t>(
    scope: &Scope<'t>,
    indexes: &Indexes,
    decoders: &[&'static Decoder],
) -> Result<Files<'t>, CallError> {
    find_beside(scope, indexes, decoders, &[])
}

/// Does what `find` does, when `others` read their own files separately: a file that one of them reads is not a gap.
pub(crate) fn find_beside<'t>(
    scope: &Scope<'t>,
    indexes: &Indexes,
    decoders: &[&'static Decoder],
    others: &[Decoder],
) -> Result<Files<'t>, CallError> {
    let mut found = Files { files: Vec::new(), defects: Vec::new(), gaps: Vec::new() };
    let names = patterns(decoders)?;
    for place in &scope.places {
        let mut nodes = BTreeMap::new();
        if place.node.kind == NodeKind::Directory {
            found.below(place.tree, &place.node, indexes, &names, &mut nodes)?;
        } else {
            nodes.insert(place.node.path.as_str().to_owned(), place.node.clone());
        }
        for (_, node) in nodes {
            found.streams(place.tree, &node, &names, decoders, others);
        }
    }
    Ok(found)
}

/// Returns the entries in scope whose names match a pattern, ordered by path; what could not be read is not reported again.
pub(crate) fn named<'t>(
    scope: &Scope<'t>,
    indexes: &Indexes,
    pattern: &'static str,
) -> Result<Vec<(&'t dyn Tree, Node)>, CallError> {
    let mut found = Files { files: Vec::new(), defects: Vec::new(), gaps: Vec::new() };
    let names = [Named { glob: Glob::read("name", pattern)?, stream: None, is_common: false }];
    let mut all = Vec::new();
    for place in scope.places.iter().filter(|place| place.node.kind == NodeKind::Directory) {
        let mut nodes = BTreeMap::new();
        found.below(place.tree, &place.node, indexes, &names, &mut nodes)?;
        all.extend(nodes.into_values().map(|node| (place.tree, node)));
    }
    Ok(all)
}

/// Reads what was found, file by file, until the intake accepts no more: from the case tables if they have it, or else by decoding.
pub(crate) fn read(call: &Call<'_>, files: &Files<'_>, out: &mut dyn Intake) -> Result<Flow, CallError> {
    read_as(call, files, |file| Origin::Decoder(file.decoder), out)
}

/// Does what `read` does, with each file read as this origin.
pub(crate) fn read_as(
    call: &Call<'_>,
    files: &Files<'_>,
    origin: impl Fn(&File<'_>) -> Origin,
    out: &mut dyn Intake,
) -> Result<Flow, CallError> {
    for file in &files.files {
        let origin = origin(file);
        out.begin(format!("{} of {} ({})", file.node.path, file.tree.label(), file.decoder.name));
        let flow = match file.replay(call, origin, out)? {
            Some(flow) => flow,
            None => {
                match units::read(origin, file.tree, &file.node, file.stream.as_deref(), call.scratch, out) {
                    Ok(flow) => flow,
                    Err(error) => {
                        out.gap(gap(&file.node, chain(&error)));
                        continue;
                    }
                }
            }
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn patterns(decoders: &[&'static Decoder]) -> Result<Vec<Named>, CallError> {
    let split = |name: &'static str| match name.split_once(':') {
        Some((file, stream)) => (file, Some(stream)),
        None => (name, None),
    };
    let own = decoders.iter().flat_map(|decoder| decoder.names).map(|name| (split(name), false));
    let common = decoders.iter().flat_map(|decoder| decoder.common_names).map(|name| (split(name), true));
    own.chain(common)
        .map(|((file, stream), is_common)| Ok(Named { glob: Glob::read("name", file)?, stream, is_common }))
        .collect()
}

impl File<'_> {
    /// Hands over what the case tables have of it; `None` if they have nothing, so that it must be decoded.
    pub(crate) fn replay(
        &self,
        call: &Call<'_>,
        origin: Origin,
        out: &mut dyn Intake,
    ) -> Result<Option<Flow>, CallError> {
        let unit = Surveyed { origin, path: self.node.path.as_str(), stream: self.stream.as_deref() };
        Ok(call.tables.replay(self.tree.label(), &unit, out)?)
    }
}

impl Files<'_> {
    /// Returns the kinds of which there is no file; none if there are files that could not be read.
    pub(crate) fn missing(&self, decoders: &[&'static Decoder]) -> Vec<&'static str> {
        if !self.gaps.is_empty() {
            return Vec::new();
        }
        let is_there = |decoder: &Decoder| self.files.iter().any(|file| file.decoder.name == decoder.name);
        decoders.iter().filter(|decoder| !is_there(decoder)).map(|decoder| decoder.name).collect()
    }

    /// Reports what the search met.
    pub(crate) fn met(&self, out: &mut dyn Intake) {
        tell_met(&self.defects, &self.gaps, out);
    }
}

impl<'t> Files<'t> {
    /// Adds the entries below `start` that have one of the names.
    fn below(
        &mut self,
        tree: &'t dyn Tree,
        start: &Node,
        indexes: &Indexes,
        names: &[Named],
        nodes: &mut BTreeMap<String, Node>,
    ) -> Result<(), CallError> {
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        tree.children(start)?;
        // Each link on the way of several names is one gap.
        let mut linked = BTreeSet::new();
        let keeps_no_streams = tree.layout().is_none();
        let of_programs = OfPrograms::of(tree, names)?;
        if let Some(path) = indexes.get(tree.label()) {
            let mut index = NameIndex::open(path)?;
            if let Some(below) = index.below(&start.path)? {
                for name in names {
                    linked.extend(links::gaps(tree, &name.glob, &mut index, &below)?);
                    let asked = Asked { glob: Some(&name.glob), extension: None };
                    let mut folders = KnownFolders::new();
                    for row in index.find(&asked, &below)?.into_iter().flatten() {
                        if name.stream.is_some() && keeps_no_streams && index.is_file(row)? {
                            continue;
                        }
                        let place = index.whereabouts(row, &mut folders)?;
                        if name.is_common && of_programs.holds(&place.path) {
                            continue;
                        }
                        let node = place.node(tree)?.ok_or(CallError::NotAsIndexed { path: place.path })?;
                        if name.can_mean(&node) {
                            nodes.insert(node.path.as_str().to_owned(), node);
                        }
                    }
                }
                let beside = Beside::of(tree, &start.path, &mut index, &below)?;
                beside.tell_rest(&mut index, &mut self.defects, &mut self.gaps)?;
                self.gaps.extend(linked);
                return Ok(());
            }
        }
        let folders: Vec<_> = names.iter().filter_map(|name| name.glob.folders()).collect();
        for step in walk(tree, start) {
            if let Step::Node(node) = &step {
                linked.extend(folders.iter().filter_map(|folders| links::gap(tree, folders, node)));
            }
            match step {
                Step::Node(node)
                    if names.iter().any(|name| {
                        name.glob.fits(&node.path)
                            && name.can_mean(&node)
                            && !(name.is_common && of_programs.holds(&node.path))
                    }) =>
                {
                    nodes.insert(node.path.as_str().to_owned(), *node);
                }
                Step::Node(_) => {}
                Step::Defect(defect) => self.defects.push(defect),
                Step::Gap(gap) => self.gaps.push(gap),
            }
        }
        self.gaps.extend(linked);
        Ok(())
    }

    /// Adds the streams of an entry that were asked for, each with its decoder, and the main stream of a file that matched itself.
    fn streams(
        &mut self,
        tree: &'t dyn Tree,
        node: &Node,
        names: &[Named],
        decoders: &[&'static Decoder],
        others: &[Decoder],
    ) {
        let named = |name: &&Named| name.glob.fits(&node.path);
        let is_common = {
            let mut fitting = names.iter().filter(named).peekable();
            fitting.peek().is_some() && fitting.all(|name| name.is_common)
        };
        if is_common {
            return self.common(tree, node, decoders);
        }
        let asked: Vec<_> = names.iter().filter(named).map(|name| name.stream).collect();
        // A file that was asked for by its path need not have a usual name.
        let main = asked.is_empty() || asked.contains(&None);
        match node.kind {
            NodeKind::File if main => self.file(tree, node, None, decoders, others),
            NodeKind::Symlink { .. } | NodeKind::Other if !asked.is_empty() => {
                self.gaps.push(misnamed(node, decoders, "it is no regular file"));
            }
            NodeKind::File | NodeKind::Directory | NodeKind::Symlink { .. } | NodeKind::Other => {}
        }
        for stream in &node.streams {
            if asked.iter().flatten().any(|pattern| fits(pattern, &stream.name)) {
                self.file(tree, node, Some(&stream.name), decoders, others);
            }
        }
    }

    /// Adds a file with a common name, if a decoder with common names recognises its content.
    fn common(&mut self, tree: &'t dyn Tree, node: &Node, decoders: &[&'static Decoder]) {
        if node.kind != NodeKind::File || node.size < LEAST_COMMON {
            return;
        }
        let (bytes, size) = match head(tree, node, None) {
            Ok(head) => head,
            Err(error) => return self.gaps.push(gap(node, chain(&error))),
        };
        let head = Head { name: &node.name, path: node.path.as_str(), bytes: &bytes, size };
        let mut own = decoders.iter().filter(|decoder| !decoder.common_names.is_empty());
        if let Some(decoder) = own.find(|decoder| (decoder.fits)(&head)) {
            self.files.push(File { tree, node: node.clone(), stream: None, decoder });
        }
    }

    fn file(
        &mut self,
        tree: &'t dyn Tree,
        node: &Node,
        stream: Option<&str>,
        decoders: &[&'static Decoder],
        others: &[Decoder],
    ) {
        let (bytes, size) = match head(tree, node, stream) {
            Ok(head) => head,
            Err(error) => return self.gaps.push(gap(node, chain(&error))),
        };
        let name = stream.unwrap_or(&node.name);
        let head = Head { name, path: node.path.as_str(), bytes: &bytes, size };
        match decoders.iter().find(|decoder| (decoder.fits)(&head)) {
            Some(decoder) => {
                let stream = stream.map(str::to_owned);
                self.files.push(File { tree, node: node.clone(), stream, decoder });
            }
            None if others.iter().any(|decoder| (decoder.fits)(&head)) => {}
            // A failed collection leaves empty files behind.
            None if size == 0 => self.gaps.push(misnamed(node, decoders, "it is empty")),
            None => self.gaps.push(misnamed(node, decoders, "its content is of another kind")),
        }
    }
}

/// Returns the gap for a file that has the name of these decoders' files but is not one.
fn misnamed(node: &Node, decoders: &[&'static Decoder], but: &str) -> Gap {
    let all: Vec<_> = decoders.iter().map(|decoder| decoder.name).collect();
    gap(node, format!("named as one of {}, but {but}", all.join(", ")))
}

fn gap(node: &Node, reason: String) -> Gap {
    Gap { path: node.path.as_str().to_owned(), reason }
}
