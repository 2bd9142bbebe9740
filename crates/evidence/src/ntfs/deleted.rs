//! Deleted entries of an NTFS volume: records that are not in use but still have a name, then names left only in
//! the free space of folders.
//!
//! Records in use whose folder is gone are also reported: no folder leads to them.
//! Whether an existing folder actually lists a record in use is not checked.

use super::bytes::Reference;
use super::clusters::{ClusterMap, recovery};
use super::entry::{FILE_NAME, MftEntry, read as read_entry};
use super::file_name::NameRecord;
use super::files::NtfsFiles;
use super::node::Examined;
use super::record::Record;
use super::slack::SlackName;
use crate::deleted::{DELETED, DeletedEntry, DeletedStep, DeletedSteps, Recovery};
use crate::error::PathError;
use crate::path::{EvidencePath, escape_name};
use crate::tree::{FileReference, Node, NodeKind, NodeState};
use ledger::Defect;
use std::collections::VecDeque;

/// See [`NtfsFiles::deleted_steps`].
struct Deleted<'a> {
    files: &'a NtfsFiles,
    root: EvidencePath,
    map: ClusterMap,
    /// The next record; once all were read, the next folder whose free space is searched.
    next: u64,
    slack: bool,
    found: VecDeque<DeletedStep>,
}

impl NtfsFiles {
    /// Returns the deleted entries by number, then the names found only in the free space of folders, by folder
    /// number.
    pub(super) fn deleted_steps(&self, root: EvidencePath) -> DeletedSteps<'_> {
        let mut found = VecDeque::new();
        let map = ClusterMap::open(&self.volume).unwrap_or_else(|error| {
            found.push_back(defect(&root, format!("$Bitmap: {error}")));
            ClusterMap::unknown()
        });
        Box::new(Deleted { files: self, root, map, next: 0, slack: false, found })
    }

    /// Returns the deleted entry with this number and name.
    pub(super) fn find_deleted(&self, root: &EvidencePath, number: &str, name: &str) -> Option<Node> {
        let (entry, sequence) = number.split_once('-')?;
        let reference = Reference { entry: entry.parse().ok()?, sequence: sequence.parse().ok()? };
        if written(reference) != number {
            return None;
        }
        let found = self.volume.entry(reference.entry).ok();
        if let Some(entry) = found.filter(|found| found.sequence == reference.sequence) {
            let names = self.gone_names(root, &entry);
            if let Some(name) = names.iter().find(|found| found.is_written(name)) {
                return self.deleted_entry(root, &entry, name).ok().map(|found| found.node);
            }
        }
        self.find_slack(root, reference, name)
    }

    /// Finds a name that is not in the `$MFT`, in the free space of any folder.
    fn find_slack(&self, root: &EvidencePath, reference: Reference, name: &str) -> Option<Node> {
        (0..self.volume.entries()).find_map(|number| {
            let folder = self.folder_at(number)?;
            let names = self.volume.slack_names(&folder);
            let found =
                |name_of: &&SlackName| name_of.reference == reference && escape_name(&name_of.name) == name;
            self.slack_entry(root, names.iter().find(found)?, None).ok().map(|(node, _)| node)
        })
    }

    /// Returns the node of a name in the free space of a folder, and what is left of its bytes.
    fn slack_entry(
        &self,
        root: &EvidencePath,
        name: &SlackName,
        map: Option<&mut ClusterMap>,
    ) -> Result<(Node, Recovery), PathError> {
        if name.kept
            && let Ok(entry) = self.volume.entry(name.reference.entry)
        {
            let path = deleted_path(root, name.reference, &name.name)?;
            let node = self.examined(path, &entry, None, NodeState::Deleted).node;
            return Ok((node, recovery(&self.volume, &entry, map)));
        }
        let left = if name.is_directory { Recovery::Nothing } else { Recovery::Lost };
        Ok((slack_node(root, name)?, left))
    }

    /// Returns a folder in use.
    fn folder_at(&self, number: u64) -> Option<MftEntry> {
        let record = self.volume.record(number).ok()?;
        let folder = record.is_directory() && record.in_use() && record.base().is_none();
        folder.then(|| read_entry(&self.volume, number).ok()).flatten()
    }

    /// Returns the names under which an entry is reported, each once; a short name only if there is no other.
    ///
    /// An entry in use has none if the folder of any of its names is known: a folder then leads to it.
    fn gone_names<'e>(&self, root: &EvidencePath, entry: &'e MftEntry) -> Vec<NameRecord<'e>> {
        let all: Vec<_> = entry.names().flatten().collect();
        let linked = |name: &NameRecord<'_>| self.parents.folder(&self.volume, root, name.parent()).known;
        if entry.in_use && all.iter().any(linked) {
            return Vec::new();
        }
        let mut names: Vec<NameRecord<'_>> = Vec::new();
        for name in all.iter().filter(|name| !name.is_dos()) {
            if names.iter().all(|known| known.units != name.units) {
                names.push(*name);
            }
        }
        if names.is_empty() {
            names.extend(all.first());
        }
        names
    }

    /// Adds a name of an entry, with the damage found in it.
    fn deleted_entry(
        &self,
        root: &EvidencePath,
        entry: &MftEntry,
        name: &NameRecord<'_>,
    ) -> Result<Examined, PathError> {
        let reference = Reference { entry: entry.number, sequence: entry.sequence };
        let path = deleted_path(root, reference, &name.name())?;
        let state = if entry.in_use { NodeState::Allocated } else { NodeState::Deleted };
        Ok(self.examined(path, entry, Some(name), state))
    }
}

impl Deleted<'_> {
    fn record(&mut self, number: u64) {
        let volume = &self.files.volume;
        match volume.record(number) {
            Ok(record) if record.base().is_some() => {}
            Ok(record) if record.in_use() && self.is_linked(&record) => {}
            Ok(_) => match volume.entry(number) {
                Ok(entry) => self.entry(&entry),
                Err(error) => self.found.push_back(defect(&self.root, error.to_string())),
            },
            Err(_) if volume.is_unused(number) => {}
            Err(error) => self.found.push_back(defect(&self.root, error.to_string())),
        }
    }

    /// Checks whether a name in the record itself leads to an existing folder.
    fn is_linked(&self, record: &Record) -> bool {
        let values = record.of_kind(FILE_NAME);
        let mut names = values.filter_map(|found| NameRecord::parse(found.value().ok()?.0));
        names.any(|name| self.files.parents.folder(&self.files.volume, &self.root, name.parent()).known)
    }

    fn entry(&mut self, entry: &MftEntry) {
        let names = self.files.gone_names(&self.root, entry);
        let mut recovery_of = None;
        for (index, name) in names.iter().enumerate() {
            let folder = self.files.parents.folder(&self.files.volume, &self.root, name.parent());
            let examined = self.files.deleted_entry(&self.root, entry, name);
            let (Ok(Examined { node, damage }), Some(original)) = (examined, folder.child(&name.name()))
            else {
                continue;
            };
            if index == 0 {
                self.found.extend(damage.into_iter().map(|what| defect(&node.path, what)));
            }
            // The clusters of an entry in use are marked as used because of the entry itself.
            let map = (!entry.in_use).then_some(&mut self.map);
            let recovery = *recovery_of.get_or_insert_with(|| recovery(&self.files.volume, entry, map));
            self.found.push_back(DeletedStep::Entry(Box::new(DeletedEntry { node, original, recovery })));
        }
        if names.is_empty() && !entry.in_use {
            self.found.extend(entry.unsound_names().map(|what| defect(&self.root, what)));
        }
    }

    fn slack(&mut self, number: u64) {
        let Some(folder) = self.files.folder_at(number) else { return };
        let reference = Reference { entry: folder.number, sequence: folder.sequence };
        for name in self.files.volume.slack_names(&folder) {
            let above = self.files.parents.folder(&self.files.volume, &self.root, reference);
            let told = self.files.slack_entry(&self.root, &name, Some(&mut self.map));
            let (Ok((node, recovery)), Some(original)) = (told, above.child(&name.name)) else { continue };
            self.found.push_back(DeletedStep::Entry(Box::new(DeletedEntry { node, original, recovery })));
        }
    }
}

impl Iterator for Deleted<'_> {
    type Item = DeletedStep;

    fn next(&mut self) -> Option<DeletedStep> {
        loop {
            if let Some(step) = self.found.pop_front() {
                return Some(step);
            }
            if self.next >= self.files.volume.entries() {
                if self.slack {
                    return None;
                }
                (self.slack, self.next) = (true, 0);
            }
            let number = self.next;
            self.next += 1;
            match self.slack {
                false => self.record(number),
                true => self.slack(number),
            }
        }
    }
}

/// Formats the number of a deleted entry for its path.
fn written(reference: Reference) -> String {
    format!("{}-{}", reference.entry, reference.sequence)
}

fn deleted_path(root: &EvidencePath, reference: Reference, name: &[u8]) -> Result<EvidencePath, PathError> {
    root.child(DELETED)?.child(&written(reference))?.child_raw(name)
}

/// Returns the node of a name of which only an index entry is left: its times are those that the folder showed.
fn slack_node(root: &EvidencePath, found: &SlackName) -> Result<Node, PathError> {
    let path = deleted_path(root, found.reference, &found.name)?;
    let Reference { entry, sequence } = found.reference;
    Ok(Node {
        kind: if found.is_directory { NodeKind::Directory } else { NodeKind::File },
        size: if found.is_directory { 0 } else { found.size },
        times: found.times.clone(),
        reference: Some(FileReference::Mft { entry, sequence }),
        state: if found.renamed { NodeState::Renamed } else { NodeState::Deleted },
        ..Node::folder(path)
    })
}

fn defect(path: &EvidencePath, what: String) -> DeletedStep {
    DeletedStep::Defect(Defect { path: path.as_str().to_owned(), offset: None, what })
}
