//! A walk over a tree: depth first, in the order of names, stopped by nothing that is unreadable.

use crate::inner::{archive, image, is_top};
use crate::link::{left_out, left_out_below};
use crate::path::EvidencePath;
use crate::tree::{FileReference, Listing, Node, NodeKind, Tree};
use ledger::{Defect, Gap};
use std::collections::HashSet;

/// Folders below the start that are entered; a deeper one is a gap, so that a damaged tree cannot be endless.
pub const MAX_DEPTH: usize = 256;

/// What a walk meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An entry; a folder comes before what it holds.
    Node(Box<Node>),
    /// Damaged evidence that was read as far as possible.
    Defect(Defect),
    /// Something that could not be examined.
    Gap(Gap),
}

/// See [`walk`].
pub struct Walk<'a> {
    tree: &'a dyn Tree,
    /// Where it began.
    start: EvidencePath,
    /// The open folders.
    open: Vec<Level>,
    /// The folders of FAT and exFAT that were entered in the volume: only damage leads to one of them twice.
    entered: HashSet<u64>,
}

/// A folder that is being walked.
struct Level {
    /// What is still to come of it, last first.
    steps: Vec<Step>,
    /// Whether it lies in a volume, of an image or of a copied drive, so that what it holds is a host's.
    in_volume: bool,
}

/// Everything below `start`, without `start` itself; a `start` that is no folder holds nothing.
pub fn walk<'a>(tree: &'a dyn Tree, start: &Node) -> Walk<'a> {
    let mut walk = Walk { tree, start: start.path.clone(), open: Vec::new(), entered: HashSet::new() };
    walk.enter(start, tree.layout().is_some() || lies_in_volume(tree, &start.path));
    walk
}

impl Walk<'_> {
    fn enter(&mut self, node: &Node, in_volume: bool) {
        if node.kind != NodeKind::Directory {
            return;
        }
        let gap = |reason: String| vec![Step::Gap(Gap { path: node.path.as_str().to_owned(), reason })];
        if self.open.len() > MAX_DEPTH {
            let steps = gap(format!("deeper than {MAX_DEPTH} folders"));
            self.open.push(Level { steps, in_volume });
            return;
        }
        if self.is_known(node) {
            let what = "a folder that was met before: the volume holds it twice, or in itself".to_owned();
            let defect = Defect { path: node.path.as_str().to_owned(), offset: None, what: what.clone() };
            let mut steps = gap(what);
            steps.push(Step::Defect(defect));
            self.open.push(Level { steps, in_volume });
            return;
        }
        let mut in_volume = in_volume;
        let steps = match self.tree.children(node) {
            Ok(Listing { nodes, defects, gaps }) => {
                in_volume = in_volume || holds_top(&nodes);
                let nodes = nodes.into_iter().rev().map(|node| Step::Node(Box::new(node)));
                let gaps = gaps.into_iter().rev().map(Step::Gap);
                nodes.chain(gaps).chain(defects.into_iter().rev().map(Step::Defect)).collect()
            }
            Err(error) => gap(error.to_string()),
        };
        self.open.push(Level { steps, in_volume });
    }

    /// What stands behind an entry, and is not looked at.
    fn unexamined(&self, node: &Node, in_volume: bool) -> Option<Gap> {
        let container =
            || (!in_volume).then(|| image(self.tree, node).or_else(|| archive(self.tree, node))).flatten();
        left_out(self.tree, node).or_else(|| left_out_below(self.tree, &self.start, node)).or_else(container)
    }

    /// Whether the folder was entered before; a volume begins anew.
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
            let Level { steps, in_volume } = self.open.last_mut()?;
            let in_volume = *in_volume;
            match steps.pop() {
                Some(Step::Node(node)) => {
                    self.enter(&node, in_volume);
                    if let Some(gap) = self.unexamined(&node, in_volume) {
                        self.open.push(Level { steps: vec![Step::Gap(gap)], in_volume });
                    }
                    return Some(Step::Node(node));
                }
                Some(step) => return Some(step),
                None => {
                    self.open.pop();
                }
            }
        }
    }
}

/// Whether one of the folders above is the top of a volume.
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

fn holds_top(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.kind == NodeKind::Directory && is_top(&node.name))
}
