//! The hives of the evidence, found by their content.

use crate::error::CallError;
use crate::hive_file::{self, Head};
use crate::place::Place;
use crate::returned::chain;
use artifacts::registry::{Hive, HiveType, identify};
use evidence::{Node, NodeKind, Step, Tree, walk};
use ledger::{Defect, Gap};

/// Files that begin as hives, and what kept others from being looked at.
#[derive(Default)]
pub(crate) struct Found<'a> {
    pub(crate) files: Vec<Place<'a>>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) gaps: Vec<Gap>,
}

impl<'a> Found<'a> {
    /// Looks at `start` and at everything below it.
    pub(crate) fn look(&mut self, tree: &'a dyn Tree, start: &Node) -> Result<(), CallError> {
        if start.kind != NodeKind::Directory {
            if hive_file::head(tree, start)? == Head::Hive {
                self.files.push(Place { tree, node: start.clone() });
            }
            return Ok(());
        }
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        tree.children(start)?;
        for step in walk(tree, start) {
            match step {
                Step::Node(node) if node.kind == NodeKind::File => match hive_file::head(tree, &node) {
                    Ok(Head::Hive) => self.files.push(Place { tree, node: *node }),
                    Ok(Head::Log | Head::Other) => {}
                    Err(error) => {
                        self.gaps.push(Gap { path: node.path.as_str().to_owned(), reason: chain(&error) });
                    }
                },
                Step::Node(_) => {}
                Step::Defect(defect) => self.defects.push(defect),
                Step::Gap(gap) => self.gaps.push(gap),
            }
        }
        Ok(())
    }
}

/// The hives of `trees` that can be read, with their types.
pub(crate) fn typed<'a>(trees: &[&'a dyn Tree]) -> Result<Vec<(Place<'a>, HiveType)>, CallError> {
    let mut found = Found::default();
    for tree in trees {
        if let Some(root) = tree.node(&evidence::EvidencePath::root())? {
            found.look(*tree, &root)?;
        }
    }
    let mut typed = Vec::new();
    for place in found.files {
        let Ok(bytes) = hive_file::bytes(place.tree, &place.node) else { continue };
        if let Ok(hive) = Hive::open(&bytes) {
            let hive_type = identify(&hive);
            typed.push((place, hive_type));
        }
    }
    Ok(typed)
}
