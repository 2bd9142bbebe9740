//! Where the symbolic links of a copied folder or an archive lead.
//!
//! No link is followed: what it leads to is met under its own path, or it is not in the evidence, and then nobody looked at it.

use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::tree::{Node, NodeKind, Tree};
use ledger::Gap;

/// What of a copy was left out by a link that leads out of it or to nothing; `None` for all other entries.
///
/// The links of a volume lead into it, or to what never was on it.
pub(crate) fn left_out(tree: &dyn Tree, node: &Node) -> Option<Gap> {
    let NodeKind::Symlink { target } = &node.kind else { return None };
    if tree.layout().is_some() || led_to(tree, node).is_some() {
        return None;
    }
    let reason =
        format!("a link to {target:?}, which is not in the evidence: what lies there was not examined");
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}

/// What a look below the folder `start` left out because a link leads out of that folder; `None` where the link leads into it.
pub fn left_out_below(tree: &dyn Tree, start: &EvidencePath, node: &Node) -> Option<Gap> {
    if start.is_root() || !matches!(node.kind, NodeKind::Symlink { .. }) || is_of_windows(tree, node) {
        return None;
    }
    let target = led_to(tree, node).filter(|target| target != start && !target.is_below(start))?;
    let reason =
        format!("a link, which is not followed: what it leads to stands in {target}, where nobody looked");
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}

/// Junctions that every Windows makes for older programs, in lower case: whoever looks for a file below a folder does not mean what they lead to.
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

/// Where in the evidence a link leads.
fn led_to(tree: &dyn Tree, link: &Node) -> Option<EvidencePath> {
    tree.target(link).filter(|target| match tree.node(target) {
        Ok(node) => node.is_some(),
        // The link on the way leads somewhere of its own, and is told by itself.
        Err(ReadError::Symlink { .. }) => true,
        Err(_) => false,
    })
}

/// The path that a target says, from the folder of its link or, where it begins with a slash, from `root`; `None` where it leads out of `root`.
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

/// The same of a link of a volume, whose target may be one of Windows (`\??\C:\Users`): a letter can only be taken for that of the volume itself.
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

/// A backslash as names are written.
const BACKSLASH: &str = "%{5C}";
