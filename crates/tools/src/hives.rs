//! Finds the hives of the evidence by content, whatever their names.

use crate::catalogue::Indexes;
use crate::error::CallError;
use crate::hive_file::{self, Head};
use crate::hive_state::{self, Loaded, Logs, State};
use crate::intake::{Flow, Intake, tell_met};
use crate::links::Beside;
use crate::name_index::{KnownFolders, NameIndex};
use crate::place::Place;
use crate::returned::chain;
use artifacts::registry::{Hive, HiveType, identify};
use evidence::{EvidencePath, Node, NodeKind, ReadError, Step, Tree, walk};
use ledger::{Defect, Gap, Record};
use std::ops::{ControlFlow, Range};

/// Files that begin as hives, and what prevented others from being examined.
#[derive(Default)]
pub(crate) struct Found<'a> {
    pub(crate) files: Vec<Place<'a>>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) gaps: Vec<Gap>,
}

impl<'a> Found<'a> {
    /// Looks at `start` and everything below it. If there is a name index, only at the files that it marks as possible hives.
    pub(crate) fn look(
        &mut self,
        tree: &'a dyn Tree,
        start: &Node,
        indexes: &Indexes,
    ) -> Result<(), CallError> {
        if start.kind != NodeKind::Directory {
            match hive_file::head(tree, start)? {
                Head::Hive => self.files.push(Place { tree, node: start.clone() }),
                Head::Log => {}
                Head::Other => self.gaps.extend(named_as_hive(start)),
            }
            return Ok(());
        }
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        tree.children(start)?;
        if let Some(path) = indexes.get(tree.label()) {
            let mut index = NameIndex::open(path)?;
            if let Some(below) = index.below(&start.path)? {
                return self.look_up(tree, &start.path, &mut index, &below);
            }
        }
        for step in walk(tree, start) {
            match step {
                Step::Node(node) => self.entry(tree, *node),
                Step::Defect(defect) => self.defects.push(defect),
                Step::Gap(gap) => self.gaps.push(gap),
            }
        }
        Ok(())
    }

    /// Does what `look` does, with an index, in the order of a walk.
    fn look_up(
        &mut self,
        tree: &'a dyn Tree,
        start: &EvidencePath,
        index: &mut NameIndex,
        below: &Range<u32>,
    ) -> Result<(), CallError> {
        let (mut folders, mut beside) = (KnownFolders::new(), Beside::of(tree, start, index, below)?);
        for row in index.may_be_hives(&NAMES_OF_HIVES, below)?.into_iter().flatten() {
            beside.tell_before(index, row, &mut self.defects, &mut self.gaps)?;
            let place = index.whereabouts(row, &mut folders)?;
            let node = place.node(tree)?.ok_or(CallError::NotAsIndexed { path: place.path })?;
            self.entry(tree, node);
        }
        beside.tell_rest(index, &mut self.defects, &mut self.gaps)
    }

    fn entry(&mut self, tree: &'a dyn Tree, node: Node) {
        match node.kind {
            NodeKind::File => match hive_file::head(tree, &node) {
                Ok(Head::Hive) => self.files.push(Place { tree, node }),
                Ok(Head::Log) => {}
                Ok(Head::Other) => self.gaps.extend(named_as_hive(&node)),
                Err(error) => {
                    self.gaps.push(Gap { path: node.path.as_str().to_owned(), reason: chain(&error) });
                }
            },
            NodeKind::Symlink { .. } | NodeKind::Other => self.gaps.extend(named_as_hive(&node)),
            NodeKind::Directory => {}
        }
    }
}

/// Names of hives; those after the first three only in a folder `config`.
const NAMES_OF_HIVES: [&str; 8] =
    ["ntuser.dat", "usrclass.dat", "amcache.hve", "default", "sam", "security", "software", "system"];

/// Returns the gap for a file that is where Windows keeps a hive but does not begin as one.
fn named_as_hive(node: &Node) -> Option<Gap> {
    let path = node.path.as_str().to_lowercase();
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next()?, parts.next().unwrap_or_default());
    let is_hive = match NAMES_OF_HIVES.iter().position(|hive| *hive == name) {
        Some(0..3) => true,
        Some(_) => folder == "config",
        None => false,
    };
    let but = match node.kind {
        NodeKind::Symlink { .. } => "it is a link, which is not followed: not read",
        NodeKind::Other | NodeKind::Directory => "it is no file: not read",
        NodeKind::File if node.size == 0 => "it is empty",
        NodeKind::File => "it does not begin as one (regf): not read",
    };
    let (path, reason) =
        (node.path.as_str().to_owned(), format!("named as a hive of the registry, but {but}"));
    is_hive.then_some(Gap { path, reason })
}

/// The most hives of one call; a computer has some dozens.
pub(crate) const MAX_HIVES: usize = 10_000;

/// A hive that was found, opened.
pub(crate) struct HiveFile<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) node: &'a Node,
    pub(crate) bytes: &'a [u8],
    pub(crate) hive: Hive<'a>,
    pub(crate) state: &'a State,
}

/// What a search has met, apart from hives.
#[derive(Default)]
pub(crate) struct HiveSearch {
    logs: Logs,
    /// Damage: files that begin as a hive but are not, folders that could not be listed completely.
    pub(crate) defects: Vec<Defect>,
    /// Damage that may hide records.
    hidden: Vec<Defect>,
    /// What could not be read.
    pub(crate) gaps: Vec<Gap>,
    /// Whether there are more hives than [`MAX_HIVES`].
    pub(crate) more: bool,
    count: usize,
}

/// Takes over what an earlier search met.
impl Intake for HiveSearch {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, _: Record) -> Flow {
        ControlFlow::Continue(())
    }

    fn defect(&mut self, defect: Defect) {
        self.defects.push(defect);
    }

    fn hidden(&mut self, defect: Defect) {
        self.hidden.push(defect);
    }

    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }

    fn note(&mut self, _: String) {}
}

/// A callback for each hive; if it cannot read a file, that is a gap of the search.
pub(crate) type Visit<'v> = dyn FnMut(&HiveFile<'_>, &mut HiveSearch) -> Result<(), ReadError> + 'v;

impl HiveSearch {
    /// Makes a search that applies the logs of hives, or not.
    pub(crate) fn of(logs: Logs) -> HiveSearch {
        HiveSearch { logs, ..HiveSearch::default() }
    }

    /// Reports what the search met.
    pub(crate) fn met(&self, out: &mut dyn Intake) {
        tell_met(&self.defects, &self.gaps, out);
        self.hidden.iter().for_each(|defect| out.hidden(defect.clone()));
    }

    /// Visits every hive below the folder `start`, sorted by path; if `start` is a file, that file.
    pub(crate) fn run(
        &mut self,
        tree: &dyn Tree,
        start: &Node,
        indexes: &Indexes,
        visit: &mut Visit<'_>,
    ) -> Result<(), CallError> {
        match start.kind {
            NodeKind::Directory | NodeKind::File => {}
            NodeKind::Symlink { .. } | NodeKind::Other => {
                return Err(CallError::NotAFolder { path: start.path.clone() });
            }
        }
        let mut found = Found::default();
        found.look(tree, start, indexes)?;
        self.defects.append(&mut found.defects);
        self.gaps.append(&mut found.gaps);
        for Place { node, .. } in &found.files {
            if self.count >= MAX_HIVES {
                self.more = true;
                break;
            }
            if let Err(error) = self.file(tree, node, visit) {
                self.gaps.push(Gap { path: node.path.as_str().to_owned(), reason: chain(&error) });
            }
        }
        Ok(())
    }

    fn file(&mut self, tree: &dyn Tree, node: &Node, visit: &mut Visit<'_>) -> Result<(), ReadError> {
        let Loaded { bytes, state } = hive_state::load(tree, node, self.logs)?;
        match Hive::open(&bytes) {
            Ok(hive) => {
                self.count += 1;
                visit(&HiveFile { tree, node, bytes: &bytes, hive, state: &state }, self)?;
            }
            Err(error) => {
                let path = node.path.as_str().to_owned();
                let what = format!("begins as a hive (regf) but is none that can be read: {error}");
                self.gaps.push(Gap { path: path.clone(), reason: what.clone() });
                self.defects.push(Defect { path, offset: Some(0), what });
            }
        }
        Ok(())
    }
}

/// Returns the readable hives of `trees`, with their types.
pub(crate) fn typed<'a>(
    trees: &[&'a dyn Tree],
    indexes: &Indexes,
) -> Result<Vec<(Place<'a>, HiveType)>, CallError> {
    let mut found = Found::default();
    for tree in trees {
        if let Some(root) = tree.node(&evidence::EvidencePath::root())? {
            found.look(*tree, &root, indexes)?;
        }
    }
    let mut typed = Vec::new();
    for place in found.files {
        let loaded = hive_state::load(place.tree, &place.node, Logs::Applied);
        let Ok(Loaded { bytes, .. }) = loaded else { continue };
        if let Ok(hive) = Hive::open(&bytes) {
            let hive_type = identify(&hive);
            typed.push((place, hive_type));
        }
    }
    Ok(typed)
}
