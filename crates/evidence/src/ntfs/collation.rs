//! Name comparison by the volume's upper-case table `$UpCase`, and searching an index in that order.

use super::Volume;
use super::directory::{Blocks, Child, child};
use super::entry::{DATA, MftEntry};
use super::index::{BLOCK_HEADER, IndexEntry, ROOT_HEADER, node};
use super::record::units;
use super::stream::Stream;
use std::cmp::Ordering;

const UPCASE: u64 = 10;

/// Size of the table in bytes: one unit for each of 65,536.
const TABLE: u64 = 128 << 10;

/// The most levels of an index.
const MAX_DEPTH: usize = 32;

/// The most nodes that one search reads: a damaged index may be circular.
const MAX_NODES: usize = 4096;

/// The upper case of every unit; empty if the volume's table is damaged, and then Unicode upper case is used.
pub(super) struct Collation {
    upper: Vec<u16>,
}

impl Collation {
    pub(super) fn read(volume: &Volume) -> Collation {
        let data = volume.entry(UPCASE).and_then(|entry| entry.data(volume, DATA, None));
        let bytes = match data {
            Ok(Some(data)) if data.size == TABLE => {
                Stream::new(data, volume.place.clone()).read_value(TABLE).unwrap_or_default()
            }
            Ok(_) | Err(_) => Vec::new(),
        };
        let upper: Vec<u16> = units(&bytes).collect();
        // A table that does not map the ASCII letters is not an upper-case table.
        let letters = (b'a'..=b'z').zip(b'A'..=b'Z');
        let mut known = letters.map(|(small, large)| upper.get(usize::from(small)) == Some(&large.into()));
        let sound = known.all(|known| known);
        Collation { upper: if sound { upper } else { Vec::new() } }
    }

    /// Returns the unit used to compare names.
    pub(super) fn upper(&self, unit: u16) -> u16 {
        match self.upper.get(usize::from(unit)) {
            Some(upper) => *upper,
            None => {
                let mut upper = char::from_u32(unit.into()).into_iter().flat_map(char::to_uppercase);
                let single = upper.next().filter(|_| upper.next().is_none());
                single.and_then(|upper| u16::try_from(u32::from(upper)).ok()).unwrap_or(unit)
            }
        }
    }

    /// Returns the units of a name in the form used to compare names.
    pub(super) fn folded(&self, name: &[u8]) -> Vec<u16> {
        units(name).map(|unit| self.upper(unit)).collect()
    }

    /// Compares a folded name with a stored one.
    fn compare(&self, folded: &[u16], stored: &[u8]) -> Ordering {
        folded.iter().copied().cmp(units(stored).map(|unit| self.upper(unit)))
    }

    fn in_order(&self, entries: &[IndexEntry<'_>]) -> bool {
        let upper = |name: &[u8]| self.folded(name);
        let mut names = entries.iter().filter_map(|entry| entry.name);
        let Some(mut before) = names.next() else { return true };
        names.all(|name| {
            let sorted = self.compare(&upper(before.units), name.units) != Ordering::Greater;
            before = name;
            sorted
        })
    }
}

/// A search down an index.
struct Search<'a> {
    volume: &'a Volume,
    folder: u64,
    folded: &'a [u16],
    blocks: Option<Blocks>,
    nodes: usize,
    found: Vec<Child>,
}

impl Volume {
    /// Finds the children whose names equal this one (UTF-16 bytes) except for letter case, using the order of
    /// the index.
    ///
    /// `None` if that order is not reliable: a name that is not found may then be elsewhere in the index.
    pub(super) fn search(&self, folder: &MftEntry, folded: &[u16]) -> Option<Vec<Child>> {
        let root = self.index_root(folder).ok()?;
        let blocks = self.blocks(folder).ok()?;
        let (folder, found) = (folder.number, Vec::new());
        let mut search = Search { volume: self, folder, folded, blocks, nodes: 0, found };
        search.node(&root, ROOT_HEADER, 0)?;
        Some(search.found)
    }
}

impl Search<'_> {
    fn node(&mut self, bytes: &[u8], at: usize, depth: usize) -> Option<()> {
        let node = node(self.folder, bytes, at).ok()?;
        let collation = self.volume.collation();
        self.nodes += 1;
        if node.damage.is_some()
            || self.nodes > MAX_NODES
            || depth > MAX_DEPTH
            || !collation.in_order(&node.entries)
        {
            return None;
        }
        for entry in &node.entries {
            let order = match &entry.name {
                Some(name) => collation.compare(self.folded, name.units),
                None => Ordering::Less,
            };
            // Names that differ only in case are next to each other.
            if order != Ordering::Greater
                && let Some(below) = entry.below
            {
                let block = self.blocks.as_mut()?.block(self.volume, below).ok()??;
                self.node(&block, BLOCK_HEADER, depth + 1)?;
            }
            match (order, &entry.name) {
                (Ordering::Equal, Some(name)) => {
                    self.found.extend(child(self.folder, entry.reference, name));
                }
                (Ordering::Less, _) => return Some(()),
                (Ordering::Equal | Ordering::Greater, _) => {}
            }
        }
        Some(())
    }
}

/// Returns the UTF-16 bytes of a name; `None` if it contains an unpaired surrogate.
pub(super) fn stored(name: &[u8]) -> Option<Vec<u8>> {
    let name = std::str::from_utf8(name).ok()?;
    Some(name.encode_utf16().flat_map(u16::to_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_table_the_letters_of_unicode_fold_and_nothing_changes_its_length() {
        let collation = Collation { upper: Vec::new() };
        let folded = |name: &str| collation.folded(&stored(name.as_bytes()).unwrap());
        assert_eq!(folded("Straße é"), folded("STRAßE É"));
        assert_ne!(folded("straße"), folded("strasse"));
    }
}
