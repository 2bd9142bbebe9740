//! Converts between paths and rows.

use super::NameIndex;
use super::error::IndexError;
use super::layout::Kind;
use super::ranges::one;
use evidence::{EvidencePath, FileReference, Node, ReadError, Tree};
use ledger::pattern::fold;
use std::collections::HashMap;
use std::ops::Range;

/// The path of an entry, and its number in the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    pub(crate) path: EvidencePath,
    pub(crate) reference: Option<FileReference>,
}

impl Whereabouts {
    /// Returns the entry as it is in the evidence now; `None` if there is none.
    pub(crate) fn node(&self, tree: &dyn Tree) -> Result<Option<Node>, ReadError> {
        match self.reference {
            Some(reference) => tree.node_at(&self.path, reference),
            None => tree.node_listed(&self.path),
        }
    }
}

/// The paths of folders looked up so far, by row.
pub(crate) type KnownFolders = HashMap<u32, EvidencePath>;

impl NameIndex {
    /// Returns the rows below the folder at `path`, which is spelled as in the evidence.
    ///
    /// `None` if the index cannot show what a walk from there would meet.
    /// It has no such folder, or two of that name, or the walk from the root did not go deep enough.
    pub(crate) fn below(&mut self, path: &EvidencePath) -> Result<Option<Range<u32>>, IndexError> {
        let mut below = 0..self.layout.rows;
        if path.is_root() {
            return Ok(Some(below));
        }
        if self.layout.too_deep {
            return Ok(None);
        }
        let mut folder = None;
        for name in path.components() {
            let Some(row) = self.child(folder, name)? else { return Ok(None) };
            below = row + 1..self.row(row)?.end;
            folder = Some(row);
        }
        Ok(Some(below))
    }

    /// Returns the written names of entries that can be folders, in the folder at `path`, in the order of the walk.
    /// `None` in the same cases as for [`NameIndex::below`].
    pub(crate) fn folders_in(&mut self, path: &EvidencePath) -> Result<Option<Vec<String>>, IndexError> {
        let Some(below) = self.below(path)? else { return Ok(None) };
        let (mut number, mut names) = (below.start, Vec::new());
        while number < below.end {
            let row = self.row(number)?;
            if row.kind == Kind::Other {
                names.push(self.written(row.name)?);
            }
            number = row.end;
        }
        Ok(Some(names))
    }

    /// Returns the child with exactly this name, if there is only one.
    fn child(&mut self, folder: Option<u32>, name: &str) -> Result<Option<u32>, IndexError> {
        let mut found = None;
        for number in self.bearing(&fold(name))? {
            if self.written(number)? != name {
                continue;
            }
            for row in self.bearers(&one(number..number + 1))?.into_iter().flatten() {
                if self.row(row)?.parent == folder && found.replace(row).is_some() {
                    return Ok(None);
                }
            }
        }
        Ok(found)
    }

    /// Returns the path and the number of an entry.
    pub(crate) fn whereabouts(
        &mut self,
        number: u32,
        known: &mut KnownFolders,
    ) -> Result<Whereabouts, IndexError> {
        let row = self.row(number)?;
        let name = self.written(row.name)?;
        let folder = match row.parent {
            None => EvidencePath::root(),
            Some(parent) => self.folder(parent, known)?,
        };
        let path = child(&folder, &name, number)?;
        Ok(Whereabouts { path, reference: row.reference })
    }

    /// Returns the path of a folder; parent folders have smaller numbers, so this ends.
    fn folder(&mut self, number: u32, known: &mut KnownFolders) -> Result<EvidencePath, IndexError> {
        let mut names = Vec::new();
        let mut next = Some(number);
        let mut path = EvidencePath::root();
        while let Some(row) = next {
            if let Some(known) = known.get(&row) {
                path = known.clone();
                break;
            }
            let read = self.row(row)?;
            names.push((row, self.written(read.name)?));
            next = read.parent;
        }
        for (row, name) in names.into_iter().rev() {
            path = child(&path, &name, row)?;
            known.insert(row, path.clone());
        }
        Ok(path)
    }
}

/// Returns the path of the entry with this name, which must be a valid one.
fn child(folder: &EvidencePath, name: &str, row: u32) -> Result<EvidencePath, IndexError> {
    folder.child(name).map_err(|_| IndexError::Name { row })
}
