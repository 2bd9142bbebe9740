//! Finds what represents a drive of the examined host: a folder of a collected tree, or a volume of an image.
//!
//! Collecting tools put the files of a drive into a folder named after it, and that folder into others:
//! `C`, `C:`, `C%3A`; KAPE `tout/<host>/C`; Velociraptor `uploads/auto/C%3A`, `uploads/ntfs/%5C%5C.%5CC%3A`.
//! Such folders are looked for below the root, through folders that only wrap them, at most [`MAX_DEPTH`] levels down.
//! Those of several hosts side by side are all found.
//! An image numbers its volumes, and nothing in the tree gives their letters.
//! `C:` is the volume with Windows; if none has Windows, any letter means the only volume, if there is just one.
//! If several fit, all are returned, and the caller must search all of them or choose.
//! If nothing represents a letter, nothing is known of that drive: no answer may say that something is absent from it.

use crate::error::CallError;
pub(crate) use evidence::is_top;
use evidence::{EvidencePath, Node, NodeKind, ReadError, Tree};
use ledger::Gap;

/// The number of levels below the root on which a drive's folder may be.
const MAX_DEPTH: usize = 4;

/// The most folders that are entered on one level.
const MAX_WRAPPERS: usize = 4096;

/// Folders into which collecting tools put the folders of drives, in lower case.
/// All but `uploads`, `tout` and `tdest` are named after accessors of Velociraptor.
const WRAPPERS: [&str; 9] =
    ["uploads", "auto", "ntfs", "lazy_ntfs", "ntfs_vss", "file", "raw_file", "tout", "tdest"];

/// The folders among `WRAPPERS` that contain a folder for each host.
const HOSTS: [&str; 2] = ["tout", "tdest"];

/// Names of the Windows folder.
pub(crate) const WINDOWS: &[&str] = &["Windows", "WINNT"];

/// A folder that represents a drive, with the drive's letter.
pub(crate) struct Drive {
    pub(crate) letter: char,
    pub(crate) folder: EvidencePath,
}

/// Returns the letter of `C:`.
pub(crate) fn letter(component: &str) -> Option<char> {
    let letter = component.strip_suffix(':')?;
    let mut characters = letter.chars();
    characters.next().filter(|first| first.is_ascii_alphabetic() && characters.next().is_none())
}

/// Returns the letter of a folder named `C`, `C:`, `C%3A`, or after a device such as `\\.\C:`, in any escapes.
fn letter_of_folder(name: &str) -> Option<char> {
    let plain = decoded(name);
    let plain = ["\\\\.\\", "\\\\?\\"].iter().find_map(|device| plain.strip_prefix(device)).unwrap_or(&plain);
    letter(plain).or_else(|| letter(&format!("{plain}:")))
}

/// Decodes the escapes of collecting tools (`%3A`) and of written paths (`%{5C}`) in a name, if they are ASCII.
fn decoded(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        let digits = after.get(..2).map(|digits| (digits, 2));
        let braced = after.strip_prefix('{').and_then(|after| after.get(..3)?.strip_suffix('}'));
        let found = braced.map(|digits| (digits, 4)).or(digits);
        let byte = found.and_then(|(digits, length)| Some((u8::from_str_radix(digits, 16).ok()?, length)));
        match byte.filter(|(byte, _)| byte.is_ascii()) {
            Some((byte, length)) => {
                plain.push(char::from(byte));
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                plain.push('%');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Returns the folders that represent drives, ordered by level and name.
pub(crate) fn folders(tree: &dyn Tree) -> Result<Vec<Drive>, ReadError> {
    let mut found = Vec::new();
    let root = EvidencePath::root();
    let Some(root) = tree.node(&root)?.filter(|_| tree.layout().is_none()) else { return Ok(found) };
    let mut level = vec![root];
    for depth in 0..MAX_DEPTH {
        let mut below = Vec::new();
        for folder in level {
            let hosts = HOSTS.contains(&folder.name.to_lowercase().as_str());
            let children = match tree.folders(&folder) {
                Ok(folders) => folders,
                Err(error) if depth == 0 => return Err(error),
                // The walk itself reports folders that cannot be listed.
                Err(_) => continue,
            };
            let only = children.len() == 1;
            // If a folder has a volume's contents, the other folders in it are not hosts.
            let is_volume = children.iter().any(|child| is_top(&child.name));
            for child in children {
                let name = child.name.to_lowercase();
                if let Some(letter) = letter_of_folder(&child.name) {
                    found.push(Drive { letter, folder: child.path });
                } else if WRAPPERS.contains(&name.as_str())
                    || (!is_top(&name) && (only || hosts || (!is_volume && is_host(tree, &child))))
                {
                    below.push(child);
                }
            }
        }
        below.truncate(MAX_WRAPPERS);
        level = below;
    }
    Ok(found)
}

/// Returns the other folders for the same drive of the same host: Velociraptor makes one for each of its accessors.
pub(crate) fn of_the_same(tree: &dyn Tree, root: &EvidencePath) -> Vec<EvidencePath> {
    let drives = folders(tree).unwrap_or_default();
    let own = drives.iter().find(|drive| drive.folder == *root);
    let same = |drive: &&Drive| {
        own.is_some_and(|own| {
            own.letter.eq_ignore_ascii_case(&drive.letter)
                && own.folder != drive.folder
                && collection(&own.folder) == collection(&drive.folder)
        })
    };
    drives.iter().filter(same).map(|drive| drive.folder.clone()).collect()
}

/// Returns the folders above a drive's folder, without those that a collecting tool puts between it and the host.
fn collection(drive: &EvidencePath) -> Vec<&str> {
    let mut around: Vec<&str> = drive.components().collect();
    around.pop();
    let wraps = |name: &&str| {
        let name = name.to_lowercase();
        WRAPPERS.contains(&name.as_str()) && !HOSTS.contains(&name.as_str())
    };
    while around.last().is_some_and(wraps) {
        around.pop();
    }
    around
}

/// Checks whether a folder, one of several, has a drive's folder whose top level looks like a volume.
fn is_host(tree: &dyn Tree, folder: &Node) -> bool {
    let listed = |folder: &Node| tree.folders(folder).unwrap_or_default();
    let drives = listed(folder);
    let mut drives = drives.iter().filter(|node| letter_of_folder(&node.name).is_some());
    drives.any(|drive| listed(drive).iter().any(|node| is_top(&node.name)))
}

/// Checks whether this folder has the Windows folder.
pub(crate) fn holds_windows(tree: &dyn Tree, folder: &EvidencePath) -> bool {
    let is_there = |name: &&str| {
        let path = folder.child(name).ok();
        let node = path.and_then(|path| tree.node(&path).ok().flatten());
        node.is_some_and(|node| node.kind == NodeKind::Directory)
    };
    WINDOWS.iter().any(is_there)
}

/// Returns the roots of volumes: the folders that represent drives, or the volumes of an image; else the root itself.
pub(crate) fn volumes(tree: &dyn Tree) -> Result<Vec<EvidencePath>, ReadError> {
    if tree.layout().is_some() {
        let root = tree.node(&EvidencePath::root())?;
        let nodes = root.map(|root| tree.children(&root)).transpose()?.unwrap_or_default().nodes;
        return Ok(nodes.into_iter().map(|node| node.path).collect());
    }
    let drives: Vec<_> = folders(tree)?.into_iter().map(|drive| drive.folder).collect();
    Ok(if drives.is_empty() { vec![EvidencePath::root()] } else { drives })
}

/// Returns the folders that a letter can mean: none if nothing represents that drive, several if it is ambiguous.
pub(crate) fn of_letter(tree: &dyn Tree, letter: char) -> Result<Vec<EvidencePath>, ReadError> {
    if tree.layout().is_some() {
        return Ok(of_image(tree, volumes(tree)?, letter));
    }
    let drives = folders(tree)?;
    if drives.is_empty() {
        return Ok(vec![EvidencePath::root()]);
    }
    let same = |drive: &Drive| drive.letter.eq_ignore_ascii_case(&letter);
    Ok(drives.into_iter().filter(same).map(|drive| drive.folder).collect())
}

fn of_image(tree: &dyn Tree, volumes: Vec<EvidencePath>, letter: char) -> Vec<EvidencePath> {
    let (windows, others): (Vec<_>, Vec<_>) =
        volumes.into_iter().partition(|volume| holds_windows(tree, volume));
    match (windows.is_empty(), letter.eq_ignore_ascii_case(&'C')) {
        (false, true) => windows,
        (true, _) if others.len() == 1 => others,
        (false, false) | (true, _) => Vec::new(),
    }
}

/// Returns the drive letter that a path begins with.
pub(crate) fn letter_of(path: &EvidencePath) -> Option<char> {
    path.components().next().and_then(letter)
}

/// Returns the error for a drive that nothing in any of `trees` represents.
pub(crate) fn none(trees: &[&dyn Tree], argument: &str, asked: &str) -> CallError {
    let looked = trees.iter().flat_map(|tree| told(*tree, volumes(*tree).unwrap_or_default())).collect();
    CallError::NoDrive { argument: argument.to_owned(), asked: asked.to_owned(), looked }
}

/// Writes folders with the label of their tree.
pub(crate) fn told(tree: &dyn Tree, folders: Vec<EvidencePath>) -> Vec<String> {
    folders.into_iter().map(|folder| format!("{folder} of {}", tree.label())).collect()
}

/// Returns the gap for a drive that nothing in this evidence represents.
pub(crate) fn gap(tree: &dyn Tree, letter: char) -> Gap {
    let letter = letter.to_ascii_uppercase();
    let reason =
        format!("nothing of {} stands for the drive {letter}:, so it was not searched", tree.label());
    Gap { path: format!("{letter}:"), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_drives_by_its_name_in_any_escape() {
        for name in ["C", "c:", "C%3A", "C%3a", "%5C%5C.%5CC%3A", "%{5C}%{5C}.%{5C}C:", "%5C%5C%3F%5CC%3A"] {
            assert_eq!(letter_of_folder(name).map(|c| c.to_ascii_uppercase()), Some('C'), "{name}");
        }
        for name in ["", "CC", "C::", "1", "%3A", "%", "C%3", "é:", "%5C%5C.%5CPhysicalDrive0"] {
            assert_eq!(letter_of_folder(name), None, "{name}");
        }
    }
}
