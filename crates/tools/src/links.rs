//! Symbolic links on the way of a path pattern.
//!
//! The target of a link is found only under its own path.
//! A pattern that goes through the link misses it, unless it also goes through that path.

use crate::error::CallError;
use crate::glob::Glob;
use crate::name_index::{Asked, KnownFolders, NameIndex};
use evidence::{EvidencePath, Node, NodeKind, Tree, left_out_below};
use ledger::{Defect, Gap};
use std::ops::Range;

/// Returns the gap for a link that matches `folders`, the folders on the way of a pattern; `None` for every other entry.
pub(crate) fn gap(tree: &dyn Tree, folders: &Glob, node: &Node) -> Option<Gap> {
    let NodeKind::Symlink { target } = &node.kind else { return None };
    if !folders.fits(&node.path) {
        return None;
    }
    // A drive letter is taken to mean the link's own volume; no link there leads to itself.
    let leads_to = tree.target(node).filter(|path| *path != node.path);
    if leads_to.as_ref().is_some_and(|path| folders.fits(path)) {
        return None;
    }
    let stands = leads_to.filter(|path| matches!(tree.node(path), Ok(Some(_))));
    let reason = match stands {
        Some(path) => format!("a link, which is not followed: what it leads to is searched as {path}"),
        // A link that leads out of a copy is already a gap of the walk.
        None if tree.layout().is_none() => return None,
        None => format!("a link to {target:?}, which is not followed"),
    };
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}

/// What a walk below a folder meets besides entries, read from an index in the order of the walk.
pub(crate) struct Beside<'a> {
    tree: &'a dyn Tree,
    start: &'a EvidencePath,
    below: Range<u32>,
    /// The links that are still ahead.
    links: std::vec::IntoIter<u32>,
    next: Option<u32>,
    /// How many remarks of the index have been reported.
    told: u32,
    known: KnownFolders,
}

impl<'a> Beside<'a> {
    pub(crate) fn of(
        tree: &'a dyn Tree,
        start: &'a EvidencePath,
        index: &mut NameIndex,
        below: &Range<u32>,
    ) -> Result<Beside<'a>, CallError> {
        // From the root, no link leads out of the walked tree.
        let links = if start.is_root() { Vec::new() } else { index.links(below)? };
        let mut links = links.into_iter().flatten().collect::<Vec<_>>().into_iter();
        let (next, told) = (links.next(), index.remarks(below, below.start)?.start);
        Ok(Beside { tree, start, below: below.clone(), links, next, told, known: KnownFolders::new() })
    }

    /// Adds what the walk meets before the entry `row`.
    pub(crate) fn tell_before(
        &mut self,
        index: &mut NameIndex,
        row: u32,
        defects: &mut Vec<Defect>,
        gaps: &mut Vec<Gap>,
    ) -> Result<(), CallError> {
        while let Some(link) = self.next.filter(|link| *link < row) {
            self.remarks_before(index, link, defects, gaps)?;
            let place = index.whereabouts(link, &mut self.known)?;
            let node = place.node(self.tree)?.ok_or(CallError::NotAsIndexed { path: place.path })?;
            gaps.extend(left_out_below(self.tree, self.start, &node));
            self.next = self.links.next();
        }
        self.remarks_before(index, row, defects, gaps)
    }

    /// Adds the rest of what the walk meets.
    pub(crate) fn tell_rest(
        mut self,
        index: &mut NameIndex,
        defects: &mut Vec<Defect>,
        gaps: &mut Vec<Gap>,
    ) -> Result<(), CallError> {
        let end = self.below.end;
        self.tell_before(index, end, defects, gaps)
    }

    fn remarks_before(
        &mut self,
        index: &mut NameIndex,
        row: u32,
        defects: &mut Vec<Defect>,
        gaps: &mut Vec<Gap>,
    ) -> Result<(), CallError> {
        let end = index.remarks(&self.below, row)?.end.max(self.told);
        index.tell(self.told..end, defects, gaps)?;
        self.told = end;
        Ok(())
    }
}

/// Returns the gaps of all links in a part of an index.
pub(crate) fn gaps(
    tree: &dyn Tree,
    glob: &Glob,
    index: &mut NameIndex,
    below: &Range<u32>,
) -> Result<Vec<Gap>, CallError> {
    let Some(folders) = glob.folders() else { return Ok(Vec::new()) };
    let asked = Asked { glob: Some(&folders), extension: None };
    let (mut known, mut found) = (KnownFolders::new(), Vec::new());
    for row in index.find(&asked, below)?.into_iter().flatten() {
        if !index.is_link(row)? {
            continue;
        }
        let place = index.whereabouts(row, &mut known)?;
        let node = place.node(tree)?.ok_or(CallError::NotAsIndexed { path: place.path })?;
        found.extend(gap(tree, &folders, &node));
    }
    Ok(found)
}
