//! Links on the way of a pattern of paths.
//!
//! What a link leads to is met under its own path alone: a pattern that goes through the link misses it, unless it goes through that path, too.

use crate::error::CallError;
use crate::glob::Glob;
use crate::name_index::{Asked, KnownFolders, NameIndex};
use evidence::{Node, NodeKind, Tree};
use ledger::Gap;
use std::ops::Range;

/// The gap that a link leaves which fits `folders`, those on the way of a pattern; `None` for every other entry.
pub(crate) fn gap(tree: &dyn Tree, folders: &Glob, node: &Node) -> Option<Gap> {
    let NodeKind::Symlink { target } = &node.kind else { return None };
    if !folders.fits(&node.path) {
        return None;
    }
    // A letter is taken for that of the own volume, where no link leads to itself.
    let leads_to = tree.target(node).filter(|path| *path != node.path);
    if leads_to.as_ref().is_some_and(|path| folders.fits(path)) {
        return None;
    }
    let stands = leads_to.filter(|path| matches!(tree.node(path), Ok(Some(_))));
    let reason = match stands {
        Some(path) => format!("a link, which is not followed: what it leads to is searched as {path}"),
        // What leads out of a copy is a gap of the walk already.
        None if tree.layout().is_none() => return None,
        None => format!("a link to {target:?}, which is not followed"),
    };
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}

/// The gaps of all links in a part of an index.
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
