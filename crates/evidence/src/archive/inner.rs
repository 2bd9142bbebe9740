//! Archives that hold nothing but disk images or archives.
//!
//! A file in an archive is not opened as evidence itself, so such an archive would look like an empty disk.
//! Names are checked first, stopping at the first file of another kind; only then are the first bytes of a few
//! files read.

use super::ArchiveTree;
use super::index::{Folder, LeafKind};
use crate::inner::{ARCHIVES, HEAD, IMAGES, Inner, LEAST, names_a_compressed_text, recognise};
use crate::path::EvidencePath;
use crate::read::read_full_at;

/// Extensions of files that acquisition tools write next to an image.
const BESIDE: [&str; 8] = ["txt", "log", "csv", "json", "xml", "md5", "sha1", "sha256"];

/// The largest text that counts as one of these files; a larger one may be evidence itself.
const MOST_TEXT: u64 = 1 << 20;

/// The number of containers whose first bytes are read; the others are judged by name.
const LOOKED_AT: usize = 16;

/// Returns the first container of an archive that holds only containers, small texts and what belongs to them.
pub(super) fn only_containers(tree: &ArchiveTree) -> Option<(EvidencePath, Inner)> {
    let mut found: Vec<(EvidencePath, Inner)> = Vec::new();
    let mut open = vec![(EvidencePath::root(), &tree.index.root)];
    while let Some((path, folder)) = open.pop() {
        for (name, leaf) in &folder.own.leaves {
            match leaf.kind {
                LeafKind::File => {}
                LeafKind::Symlink(_) | LeafKind::Other => continue,
                LeafKind::Hardlink(_) => return None,
            }
            match by_name(folder, name, leaf.size) {
                Named::Container(inner) => found.push((path.child(name).ok()?, inner)),
                Named::Beside => {}
                Named::Other => return None,
            }
        }
        for (name, below) in folder.own.folders.iter().rev() {
            open.push((path.child(name).ok()?, below));
        }
    }
    let mut first = None;
    for (path, named) in found.iter().take(LOOKED_AT) {
        let inner = by_content(tree, path, *named)?;
        first = first.or_else(|| Some((path.clone(), inner)));
    }
    first
}

/// What a file is according to its name and size.
enum Named {
    Container(Inner),
    Beside,
    Other,
}

fn by_name(folder: &Folder, name: &str, size: u64) -> Named {
    let Some((stem, written)) = name.rsplit_once('.') else { return Named::Other };
    if names_a_compressed_text(name) {
        return Named::Other;
    }
    let extension = written.to_lowercase();
    let is = |known: &[&str]| known.contains(&extension.as_str());
    let inner = match (is(&IMAGES), is(&ARCHIVES)) {
        (true, _) => Some(Inner::Image),
        (false, true) => Some(Inner::Archive),
        (false, false) => None,
    };
    // The segments of an image have extensions of their own (`E02`, `EAA`, `002`).
    let of_image = |first: &&str| folder.own.leaves.contains_key(format!("{stem}.{first}").as_str());
    let is_segment = || {
        written.len() == 3 && ["E01", "e01", "001"].iter().any(&of_image)
            || written.len() == 4 && ["Ex01", "ex01", "EX01"].iter().any(&of_image)
    };
    match inner {
        Some(inner) if size >= LEAST => Named::Container(inner),
        Some(_) => Named::Beside,
        None if is(&BESIDE) && size <= MOST_TEXT => Named::Beside,
        None if is_segment() => Named::Beside,
        None => Named::Other,
    }
}

/// Decides by the first bytes; if they cannot be read, by the name.
fn by_content(tree: &ArchiveTree, path: &EvidencePath, named: Inner) -> Option<Inner> {
    let leaf = tree.index.leaf(path.as_str())?;
    let mut head = vec![0; HEAD];
    let read = tree.reader(path, leaf).and_then(|mut reader| read_full_at(reader.as_mut(), 0, &mut head));
    match read {
        Ok(read) => recognise(head.get(..read).unwrap_or_default()),
        Err(_) => Some(named),
    }
}
