//! A walk over a tree: depth first, in the order of names, stopped by nothing that is unreadable.

use crate::link::left_out;
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
    /// What is still to come of each open folder, last first.
    open: Vec<Vec<Step>>,
    /// The folders of FAT and exFAT that were entered in the volume: only damage leads to one of them twice.
    entered: HashSet<u64>,
}

/// Everything below `start`, without `start` itself; a `start` that is no folder holds nothing.
pub fn walk<'a>(tree: &'a dyn Tree, start: &Node) -> Walk<'a> {
    let mut walk = Walk { tree, open: Vec::new(), entered: HashSet::new() };
    walk.enter(start);
    walk
}

impl Walk<'_> {
    fn enter(&mut self, node: &Node) {
        if node.kind != NodeKind::Directory {
            return;
        }
        let gap = |reason: String| vec![Step::Gap(Gap { path: node.path.as_str().to_owned(), reason })];
        if self.open.len() > MAX_DEPTH {
            self.open.push(gap(format!("deeper than {MAX_DEPTH} folders")));
            return;
        }
        if self.is_known(node) {
            let what = "a folder that was met before: the volume holds it twice, or in itself".to_owned();
            let defect = Defect { path: node.path.as_str().to_owned(), offset: None, what: what.clone() };
            let mut steps = gap(what);
            steps.push(Step::Defect(defect));
            self.open.push(steps);
            return;
        }
        let steps = match self.tree.children(node) {
            Ok(Listing { nodes, defects, gaps }) => {
                let nodes = nodes.into_iter().rev().map(|node| Step::Node(Box::new(node)));
                let gaps = gaps.into_iter().rev().map(Step::Gap);
                nodes.chain(gaps).chain(defects.into_iter().rev().map(Step::Defect)).collect()
            }
            Err(error) => gap(error.to_string()),
        };
        self.open.push(steps);
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
            match self.open.last_mut()?.pop() {
                Some(Step::Node(node)) => {
                    self.enter(&node);
                    if let Some(gap) = left_out(self.tree, &node) {
                        self.open.push(vec![Step::Gap(gap)]);
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
