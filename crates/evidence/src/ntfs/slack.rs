//! Names in the free space of a folder's index: after the last entry of a node, in free blocks, and after the
//! attributes of its record.

use super::bytes::{Reference, u16_at, u64_at};
use super::entry::MftEntry;
use super::file_name::NameRecord;
use super::index::{BLOCK_HEADER, ROOT_HEADER, node};
use super::{NtfsDamage, Volume};
use crate::tree::MacbTimes;
use std::collections::HashSet;

/// Size of an index entry before its key, in bytes; the shortest key has a name of one letter.
const ENTRY_HEADER: usize = 0x10;
const SHORTEST: usize = ENTRY_HEADER + 0x44;

/// What is left of a name.
pub(super) struct SlackName {
    pub(super) reference: Reference,
    /// The bytes of the name.
    pub(super) name: Vec<u8>,
    pub(super) times: MacbTimes,
    pub(super) size: u64,
    pub(super) is_directory: bool,
    /// Whether the entry is still this file, deleted, and has no name itself. The reference then has the entry's
    /// present sequence number.
    pub(super) kept: bool,
    /// Whether the file that had this name is in use under another one.
    pub(super) renamed: bool,
}

impl Volume {
    /// Returns the names that a folder no longer lists and that are not in the `$MFT` either, in stored order.
    pub(super) fn slack_names(&self, folder: &MftEntry) -> Vec<SlackName> {
        let mut found = Vec::new();
        self.each_slack(folder, |bytes| scan(folder, bytes, &mut found));
        if found.is_empty() {
            return found;
        }
        let listed = self.names(folder).unwrap_or_default().children;
        let mut known: HashSet<_> = listed.into_iter().map(|child| (child.reference, child.name)).collect();
        found.retain_mut(|name| {
            known.insert((name.reference, name.name.clone())) && self.is_gone(folder.number, name)
        });
        found
    }

    /// Shows the free space of a folder's index; unreadable parts are left out.
    fn each_slack(&self, folder: &MftEntry, mut show: impl FnMut(&[u8])) {
        let number = folder.number;
        if let Ok(root) = self.index_root(folder)
            && let Ok(root) = node(number, &root, ROOT_HEADER)
        {
            show(root.slack);
        }
        for record in &folder.records {
            show(record.slack());
        }
        if let Ok(Some(mut blocks)) = self.blocks(folder) {
            blocks.each(self, &mut Vec::new(), |used, block| {
                match used {
                    true => show(node(number, block, BLOCK_HEADER)?.slack),
                    false => show(block.get(BLOCK_HEADER..).unwrap_or_default()),
                }
                Ok::<(), NtfsDamage>(())
            });
        }
    }

    /// Checks whether this name is missing from the `$MFT`: its entry belongs to another file by now, is
    /// unreadable, or has another name.
    fn is_gone(&self, folder: u64, found: &mut SlackName) -> bool {
        let Ok(entry) = self.entry(found.reference.entry) else { return true };
        if !found.reference.is(entry.sequence, entry.in_use) {
            return true;
        }
        found.renamed = entry.in_use;
        if !entry.in_use && entry.names().next().is_none() {
            // Some systems remove the names from a record before they free it.
            found.kept = true;
            found.reference.sequence = entry.sequence;
        }
        !entry.names().flatten().any(|name| name.parent().entry == folder && name.name() == found.name)
    }
}

/// Finds index entries anywhere in these bytes, at every eighth byte.
fn scan(folder: &MftEntry, bytes: &[u8], found: &mut Vec<SlackName>) {
    let mut rest = bytes;
    while rest.len() >= SHORTEST {
        let entry = entry(folder, rest);
        let step = entry.as_ref().map_or(8, |(_, length)| *length);
        found.extend(entry.map(|(name, _)| name));
        rest = rest.get(step..).unwrap_or_default();
    }
}

/// Returns the index entry that begins here, and its size in bytes, if its key names this folder.
fn entry(folder: &MftEntry, bytes: &[u8]) -> Option<(SlackName, usize)> {
    let reference = Reference::read(u64_at(bytes, 0)?);
    let length = usize::from(u16_at(bytes, 8)?);
    let key = usize::from(u16_at(bytes, 10)?);
    if length % 8 != 0 || length < SHORTEST || ENTRY_HEADER + key > length {
        return None;
    }
    let name = NameRecord::parse(bytes.get(ENTRY_HEADER..)?.get(..key)?)?;
    let parent = Reference { entry: folder.number, sequence: folder.sequence };
    let sound = name.length() == key && name.parent() == parent && name.code() <= 3 && !name.is_dos();
    let found = SlackName {
        reference,
        name: name.name(),
        times: name.times(),
        size: name.size(),
        is_directory: name.is_directory(),
        kept: false,
        renamed: false,
    };
    (sound && reference.entry != folder.number && reference.entry != 0).then_some((found, length))
}
