//! A walk over a tree: depth first, in the order of names, continuing past anything unreadable.

use crate::inner::{archive, image};
use crate::link::{left_out, left_out_below};
use crate::path::EvidencePath;
use crate::tree::{Entries, FileReference, Node, NodeKind, Tree, holds_top};
use ledger::{Defect, Gap};
use std::collections::HashSet;

/// The most folder levels below the start that are entered; a deeper folder is a gap, so that a damaged tree
/// cannot be endless.
pub const MAX_DEPTH: usize = 256;

/// A step of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An entry; a folder comes before its content.
    Node(Box<Node>),
    /// Damaged evidence that was read as far as possible.
    Defect(Defect),
    /// Something that could not be examined.
    Gap(Gap),
}

/// A walk over a tree, see [`walk`].
pub struct Walk<'a> {
    tree: &'a dyn Tree,
    /// Where it began.
    start: EvidencePath,
    /// The open folders.
    open: Vec<Level<'a>>,
    /// The FAT and exFAT folders entered in the current volume: only damage leads to one of them twice.
    entered: HashSet<u64>,
}

/// A folder that is being walked.
struct Level<'a> {
    /// What to report about it before its entries, last first.
    remarks: Vec<Step>,
    /// The entries that are still to come.
    nodes: Box<dyn Iterator<Item = Node> + 'a>,
    /// Whether it is in a volume of an image or in a copied drive, so that its content belongs to a host.
    in_volume: bool,
}

impl Level<'_> {
    /// Creates a level that has only remarks and no entries.
    fn told(remarks: Vec<Step>, in_volume: bool) -> Self {
        Level { remarks, nodes: Box::new(std::iter::empty()), in_volume }
    }
}

/// Walks everything below `start`, without `start` itself; a `start` that is not a folder has no content.
pub fn walk<'a>(tree: &'a dyn Tree, start: &Node) -> Walk<'a> {
    let mut walk = Walk { tree, start: start.path.clone(), open: Vec::new(), entered: HashSet::new() };
    walk.enter(start, tree.layout().is_some() || lies_in_volume(tree, &start.path));
    walk
}

impl<'a> Walk<'a> {
    fn enter(&mut self, node: &Node, in_volume: bool) {
        if node.kind != NodeKind::Directory {
            return;
        }
        let gap = |reason: String| vec![Step::Gap(Gap { path: node.path.as_str().to_owned(), reason })];
        if self.open.len() > MAX_DEPTH {
            let steps = gap(format!("deeper than {MAX_DEPTH} folders"));
            self.open.push(Level::told(steps, in_volume));
            return;
        }
        if self.is_known(node) {
            let what = "a folder that was met before: the volume holds it twice, or in itself".to_owned();
            let defect = Defect { path: node.path.as_str().to_owned(), offset: None, what: what.clone() };
            let mut steps = gap(what);
            steps.push(Step::Defect(defect));
            self.open.push(Level::told(steps, in_volume));
            return;
        }
        let tree: &'a dyn Tree = self.tree;
        let level = match tree.entries(node) {
            Ok(Entries { nodes, defects, gaps, holds_top }) => {
                let gaps = gaps.into_iter().rev().map(Step::Gap);
                let remarks = gaps.chain(defects.into_iter().rev().map(Step::Defect)).collect();
                Level { remarks, nodes, in_volume: in_volume || holds_top }
            }
            Err(error) => Level::told(gap(error.to_string()), in_volume),
        };
        self.open.push(level);
    }

    /// Returns the gap for content behind an entry that is not examined.
    fn unexamined(&self, node: &Node, in_volume: bool) -> Option<Gap> {
        let container =
            || (!in_volume).then(|| image(self.tree, node).or_else(|| archive(self.tree, node))).flatten();
        left_out(self.tree, node).or_else(|| left_out_below(self.tree, &self.start, node)).or_else(container)
    }

    /// Checks whether the folder was entered before; each volume starts over.
    fn is_known(&mut self, node: &Node) -> bool {
        match node.reference {
            Some(FileReference::DirectoryEntry(offset)) => !self.entered.insert(offset),
            Some(FileReference::Inode(_) | FileReference::Mft { .. }) => false,
            None => {
                self.entered.clear();
                false
            }
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        loop {
            let Level { remarks, nodes, in_volume } = self.open.last_mut()?;
            let in_volume = *in_volume;
            if let Some(remark) = remarks.pop() {
                return Some(remark);
            }
            match nodes.next() {
                Some(node) => {
                    self.enter(&node, in_volume);
                    if let Some(gap) = self.unexamined(&node, in_volume) {
                        self.open.push(Level::told(vec![Step::Gap(gap)], in_volume));
                    }
                    return Some(Step::Node(Box::new(node)));
                }
                None => {
                    self.open.pop();
                }
            }
        }
    }
}

/// Checks whether one of the folders above is the top of a volume.
fn lies_in_volume(tree: &dyn Tree, folder: &EvidencePath) -> bool {
    let mut above = folder.parent();
    while let Some(path) = above {
        let node = tree.node(&path).ok().flatten();
        let folders = node.and_then(|node| tree.folders(&node).ok()).unwrap_or_default();
        if holds_top(&folders) {
            return true;
        }
        above = path.parent();
    }
    false
}
