//! Entries of the `$MFT` as nodes of the tree.

use super::bytes::Reference;
use super::entry::MftEntry;
use super::file_name::{NameRecord, four_times};
use super::files::NtfsFiles;
use super::reparse::{Reparse, reparse};
use crate::deleted::Original;
use crate::error::{NtfsDamage, ReadError};
use crate::path::{EvidencePath, escape_target};
use crate::tree::{FileReference, MacbTimes, Node, NodeKind, NodeState, StreamInfo};

/// A node, and the damage in its entry.
pub(super) struct Examined {
    pub(super) node: Node,
    pub(super) damage: Vec<String>,
}

impl NtfsFiles {
    /// Returns the node of an entry in the folder `parent`; `parent` is `None` if the folder is not known.
    pub(super) fn listed(
        &self,
        path: EvidencePath,
        found: Reference,
        parent: Option<u64>,
    ) -> Result<Examined, ReadError> {
        let entry = self.entry(&path, found.entry)?;
        let wrong = |what, expected: u16, actual: u16| {
            let (expected, found) = (u64::from(expected), u64::from(actual));
            Err(damaged(&path, NtfsDamage::Value { entry: entry.number, what, expected, found }))
        };
        if entry.sequence != found.sequence {
            return wrong("sequence number", found.sequence, entry.sequence);
        }
        if !entry.in_use {
            return wrong("in-use flag", 1, 0);
        }
        let name = self.name_of(&path, &entry, parent);
        Ok(self.examined(path, &entry, name.as_ref(), NodeState::Allocated))
    }

    /// Returns the `$FILE_NAME` by which a folder lists an entry.
    fn name_of<'a>(
        &self,
        path: &EvidencePath,
        entry: &'a MftEntry,
        parent: Option<u64>,
    ) -> Option<NameRecord<'a>> {
        let named = |name: &NameRecord<'_>| name.is_written(path.name());
        if let Some(parent) = parent {
            let mut names = entry.names().flatten();
            return names.find(|name| name.parent().entry == parent && named(name));
        }
        let names: Vec<_> = entry.names().flatten().filter(named).collect();
        let volume = volume_of(path)?;
        let here = |name: &&NameRecord<'_>| {
            let folder = self.parents.folder(&self.volume, &volume, name.parent());
            folder.child(&name.name()) == Some(Original::Path(path.clone()))
        };
        match names.as_slice() {
            [only] => Some(*only),
            several => several.iter().find(here).copied(),
        }
    }

    /// Returns the node of an entry, as far as it is undamaged.
    pub(super) fn examined(
        &self,
        path: EvidencePath,
        entry: &MftEntry,
        name: Option<&NameRecord<'_>>,
        state: NodeState,
    ) -> Examined {
        let (streams, wrong) = entry.streams();
        let mut damage: Vec<_> = entry.damage.iter().chain(&wrong).map(ToString::to_string).collect();
        let times = match entry.standard_information() {
            Some(Ok(value)) => four_times(value),
            Some(Err(error)) => {
                damage.push(error.to_string());
                MacbTimes::default()
            }
            None => MacbTimes::default(),
        };
        damage.extend(entry.unsound_names());
        let has_main = streams.iter().any(|(name, _)| name.is_none());
        let reparse = reparse(&self.volume, entry).unwrap_or_else(|error| {
            damage.push(error.to_string());
            Reparse::Plain
        });
        let kind = match reparse {
            Reparse::Link(target) => NodeKind::Symlink { target: escape_target(target.as_bytes()) },
            Reparse::Overlay(_) | Reparse::Elsewhere(_) | Reparse::Cloud | Reparse::Plain
                if entry.is_directory =>
            {
                NodeKind::Directory
            }
            // `$Secure` and similar files hold only streams and indexes.
            Reparse::Cloud | Reparse::Plain if !has_main && wrong.is_empty() => NodeKind::Other,
            Reparse::Overlay(_) | Reparse::Elsewhere(_) | Reparse::Cloud | Reparse::Plain => NodeKind::File,
        };
        let mut node = Node {
            name: path.name().to_owned(),
            name_times: name.map(NameRecord::times),
            links: Some(entry.links.into()),
            size: 0,
            kind,
            times,
            reference: Some(reference_of(entry)),
            state,
            streams: Vec::new(),
            path,
        };
        for (name, size) in streams {
            match name {
                Some(name) => node.streams.push(StreamInfo { name, size }),
                None if node.kind == NodeKind::File => node.size = size,
                None => {}
            }
        }
        Examined { node, damage }
    }

    pub(super) fn entry(&self, path: &EvidencePath, number: u64) -> Result<MftEntry, ReadError> {
        self.volume.entry(number).map_err(|source| damaged(path, source))
    }
}

/// Returns the folder of the volume that a path leads into.
pub(super) fn volume_of(path: &EvidencePath) -> Option<EvidencePath> {
    EvidencePath::root().child(path.components().next()?).ok()
}

fn reference_of(entry: &MftEntry) -> FileReference {
    FileReference::Mft { entry: entry.number, sequence: entry.sequence }
}

pub(super) fn damaged(path: &EvidencePath, source: NtfsDamage) -> ReadError {
    ReadError::Damaged { path: path.clone(), source: source.into() }
}

/// Returns the reference of a node.
pub(super) fn node_reference(node: &Node) -> Option<Reference> {
    match node.reference {
        Some(FileReference::Mft { entry, sequence }) => Some(Reference { entry, sequence }),
        Some(FileReference::Inode(_) | FileReference::DirectoryEntry(_)) | None => None,
    }
}
