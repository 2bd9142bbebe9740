//! Paths of folders, in use or deleted, from the names in their entries.

use super::bytes::Reference;
use super::{ROOT, Volume};
use crate::deleted::Original;
use crate::path::EvidencePath;
use crate::walk::MAX_DEPTH;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most paths that are cached.
const REMEMBERED: usize = 4096;

/// The location of a folder.
#[derive(Clone)]
pub(super) struct Folder {
    /// Whether every folder above it is known; otherwise the path begins below one that is gone.
    pub(super) known: bool,
    path: EvidencePath,
}

impl Folder {
    fn gone() -> Folder {
        Folder { known: false, path: EvidencePath::root() }
    }

    /// Returns the former location of a child with this name.
    pub(super) fn child(&self, name: &[u8]) -> Option<Original> {
        let path = self.path.child_raw(name).ok()?;
        Some(if self.known { Original::Path(path) } else { Original::Orphan(path) })
    }
}

/// The paths that were looked up last.
#[derive(Default)]
pub(super) struct Parents {
    paths: RefCell<HashMap<Reference, Folder>>,
}

impl Parents {
    /// Returns the folder with this reference; `root` is the path of the volume's root.
    pub(super) fn folder(&self, volume: &Volume, root: &EvidencePath, reference: Reference) -> Folder {
        let mut chain: Vec<(Reference, Vec<u8>)> = Vec::new();
        let mut at = reference;
        let mut folder = loop {
            if at.entry == ROOT {
                break Folder { known: true, path: root.clone() };
            }
            if let Some(found) = self.paths.borrow().get(&at) {
                break found.clone();
            }
            match volume.folder_name(at) {
                // A circular path would reach the maximum depth.
                Some((name, parent)) if chain.len() < MAX_DEPTH => {
                    chain.push((at, name));
                    at = parent;
                }
                Some(_) | None => break Folder::gone(),
            }
        };
        if chain.is_empty() {
            self.remember(at, &folder);
        }
        for (reference, name) in chain.into_iter().rev() {
            folder = match folder.path.child_raw(&name) {
                Ok(path) => Folder { path, ..folder },
                Err(_) => Folder::gone(),
            };
            self.remember(reference, &folder);
        }
        folder
    }

    fn remember(&self, reference: Reference, folder: &Folder) {
        let mut paths = self.paths.borrow_mut();
        if paths.len() >= REMEMBERED {
            paths.clear();
        }
        if reference.entry != ROOT {
            paths.insert(reference, folder.clone());
        }
    }
}

impl Volume {
    /// Returns the name of a folder and its parent; `None` if it is gone or its entry belongs to something else
    /// by now.
    fn folder_name(&self, reference: Reference) -> Option<(Vec<u8>, Reference)> {
        let entry = self.entry(reference.entry).ok()?;
        if !entry.is_directory || !reference.is(entry.sequence, entry.in_use) {
            return None;
        }
        let names: Vec<_> = entry.names().flatten().collect();
        let name = names.iter().find(|name| !name.is_dos()).or(names.first())?;
        Some((name.name(), name.parent()))
    }
}
