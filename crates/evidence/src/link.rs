//! The targets of symbolic links in a copied folder or an archive.
//!
//! No link is followed. Its target is either found under its own path, or it is not in the evidence and was not
//! examined.

use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::tree::{Node, NodeKind, Tree};
use ledger::Gap;

/// Returns the gap for a link that leads out of a copy or to nothing; `None` for all other entries.
///
/// The links of a volume lead into it, or to something that was never on it.
pub(crate) fn left_out(tree: &dyn Tree, node: &Node) -> Option<Gap> {
    let NodeKind::Symlink { target } = &node.kind else { return None };
    if tree.layout().is_some() || led_to(tree, node).is_some() {
        return None;
    }
    let reason =
        format!("a link to {target:?}, which is not in the evidence: what lies there was not examined");
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}

/// Returns the gap that a search below the folder `start` has because a link leads out of that folder; `None` if
/// the link leads into it.
pub fn left_out_below(tree: &dyn Tree, start: &EvidencePath, node: &Node) -> Option<Gap> {
    if start.is_root() || !matches!(node.kind, NodeKind::Symlink { .. }) || is_of_windows(tree, node) {
        return None;
    }
    let target = led_to(tree, node).filter(|target| target != start && !target.is_below(start))?;
    let reason =
        format!("a link, which is not followed: what it leads to stands in {target}, where nobody looked");
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}

/// Junctions that every Windows creates for older programs, in lower case: a search below a folder is not meant
/// to cover their targets.
const OF_WINDOWS: [&str; 20] = [
    "all users",
    "application data",
    "cookies",
    "default user",
    "desktop",
    "documents",
    "documents and settings",
    "favorites",
    "history",
    "local settings",
    "my documents",
    "my music",
    "my pictures",
    "my videos",
    "nethood",
    "printhood",
    "recent",
    "sendto",
    "start menu",
    "templates",
];

fn is_of_windows(tree: &dyn Tree, link: &Node) -> bool {
    let name = link.name.to_lowercase();
    tree.layout().is_some() && (OF_WINDOWS.contains(&name.as_str()) || name == "temporary internet files")
}

/// Returns where in the evidence a link leads.
fn led_to(tree: &dyn Tree, link: &Node) -> Option<EvidencePath> {
    tree.target(link).filter(|target| match tree.node(target) {
        Ok(node) => node.is_some(),
        // There is another link on the way, which leads elsewhere and is reported itself.
        Err(ReadError::Symlink { .. }) => true,
        Err(_) => false,
    })
}

/// Resolves a target from the folder of its link or, if it begins with a slash, from `root`; `None` if it leads
/// out of `root`.
pub(crate) fn resolved(root: &EvidencePath, link: &EvidencePath, target: &str) -> Option<EvidencePath> {
    let mut path = if target.starts_with('/') { root.clone() } else { link.parent()? };
    for part in target.split('/') {
        path = match part {
            "" | "." => path,
            ".." if path == *root => return None,
            ".." => path.parent()?,
            name => path.child(name).ok()?,
        };
    }
    Some(path)
}

/// The same for a link in a volume, whose target may be a Windows one (`\??\C:\Users`): any drive letter is
/// taken for the volume itself.
pub(crate) fn resolved_in_volume(
    root: &EvidencePath,
    link: &EvidencePath,
    target: &str,
) -> Option<EvidencePath> {
    let target = target.replace(BACKSLASH, "/");
    let target = target.strip_prefix("/??/").unwrap_or(&target);
    let has_letter =
        target.as_bytes().get(1) == Some(&b':') && target.starts_with(|c: char| c.is_ascii_alphabetic());
    resolved(root, link, if has_letter { target.get(2..)? } else { target })
}

/// A backslash, as escaped in names.
const BACKSLASH: &str = "%{5C}";
