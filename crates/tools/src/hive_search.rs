//! The hives of a piece of evidence, found by content whatever their names are.

use crate::error::CallError;
use crate::hive_file::{self, Head};
use artifacts::registry::Hive;
use evidence::{Node, NodeKind, ReadError, Step, Tree, walk};
use ledger::{Defect, Gap};

/// Most hives of one call; a computer has some dozens.
pub(crate) const MAX_HIVES: usize = 10_000;

/// A hive that was found, open.
pub(crate) struct HiveFile<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) node: &'a Node,
    pub(crate) bytes: &'a [u8],
    pub(crate) hive: Hive<'a>,
}

/// What a search has met beside hives.
#[derive(Default)]
pub(crate) struct HiveSearch {
    /// Damage: files that begin as a hive and are none, folders that cannot be listed in full.
    pub(crate) defects: Vec<Defect>,
    /// What could not be read.
    pub(crate) gaps: Vec<Gap>,
    /// Whether hives are left after [`MAX_HIVES`].
    pub(crate) more: bool,
    count: usize,
}

/// What is done with each hive; a file that then cannot be read is a gap of the search.
pub(crate) type Visit<'v> = dyn FnMut(&HiveFile<'_>, &mut HiveSearch) -> Result<(), ReadError> + 'v;

impl HiveSearch {
    /// Visits every hive below the folder `start`, sorted by path.
    pub(crate) fn run(
        &mut self,
        tree: &dyn Tree,
        start: &Node,
        visit: &mut Visit<'_>,
    ) -> Result<(), CallError> {
        match start.kind {
            NodeKind::Directory => {}
            NodeKind::File | NodeKind::Symlink { .. } | NodeKind::Other => {
                return Err(CallError::NotAFolder { path: start.path.clone() });
            }
        }
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        tree.children(start)?;
        for step in walk(tree, start) {
            match step {
                Step::Node(node) if node.kind == NodeKind::File => {
                    if let Err(error) = self.file(tree, &node, visit) {
                        let path = node.path.as_str().to_owned();
                        self.gaps.push(Gap { path, reason: error.to_string() });
                    }
                }
                Step::Node(_) => {}
                Step::Defect(defect) => self.defects.push(defect),
                Step::Gap(gap) => self.gaps.push(gap),
            }
        }
        Ok(())
    }

    fn file(&mut self, tree: &dyn Tree, node: &Node, visit: &mut Visit<'_>) -> Result<(), ReadError> {
        match hive_file::head(tree, node)? {
            Head::Log | Head::Other => return Ok(()),
            Head::Hive if self.count >= MAX_HIVES => {
                self.more = true;
                return Ok(());
            }
            Head::Hive => {}
        }
        let bytes = hive_file::bytes(tree, node)?;
        match Hive::open(&bytes) {
            Ok(hive) => {
                self.count += 1;
                visit(&HiveFile { tree, node, bytes: &bytes, hive }, self)?;
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
