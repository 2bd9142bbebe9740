//! An opened volume: what FAT and exFAT have in common.

use super::clusters::{Clusters, Reach};
use super::directory;
use super::entry::{Entry, Found};
use super::exfat_directory;
use super::pieces::{Pieces, Stop};
use super::slots::{SLOT, Slots};
use super::usage::Usage;
use crate::error::Damage;
use crate::path::escape_name;
use crate::volume::VolumeFacts;
use ledger::Defect;

/// The variant of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Fat12,
    Fat16,
    Fat32,
    ExFat,
}

/// The location of the root folder.
pub(crate) enum Root {
    /// In a region of its own, before the clusters.
    Fixed(Pieces),
    /// In ordinary clusters; `at` is the offset in the volume that names the first.
    Chain { first: u32, at: u64 },
}

/// A volume.
pub(crate) struct Volume {
    pub(crate) format: Format,
    pub(crate) clusters: Clusters,
    pub(crate) root: Root,
    pub(crate) usage: Usage,
    pub(crate) facts: VolumeFacts,
    /// Damage to the volume itself. It is reported with the root folder, whose path is not known here.
    pub(crate) defects: Vec<Defect>,
}

/// The items in a folder, one after another.
pub(crate) type Entries<'a> = Box<dyn Iterator<Item = Found> + 'a>;

/// The most slots of a long name before an entry.
const BEFORE: u64 = 20;

/// The most slots after the first one of an exFAT entry.
const AFTER: u64 = 18;

impl Volume {
    /// Returns the maximum size of a folder in bytes ([FATGEN] section "FAT Directory Structure": 65,536 slots;
    /// [exFAT] section 7.4: 256 MiB).
    fn largest_folder(&self) -> u64 {
        match self.format {
            Format::Fat12 | Format::Fat16 | Format::Fat32 => 2 << 20,
            Format::ExFat => 256 << 20,
        }
    }

    /// Records damage to the volume itself.
    pub(crate) fn defect(&mut self, stop: Stop) {
        let what = Damage::from(stop).to_string();
        self.defects.push(Defect { path: String::new(), offset: None, what });
    }

    /// Returns the location of the root folder.
    pub(crate) fn root_pieces(&self) -> Pieces {
        match &self.root {
            Root::Fixed(pieces) => pieces.clone(),
            Root::Chain { first, at } => {
                self.clusters.chain(*first, Reach::ToEnd(self.largest_folder()), *at)
            }
        }
    }

    /// Returns the location of a folder that is in use.
    pub(crate) fn folder(&self, entry: &Entry) -> Pieces {
        let most = self.largest_folder();
        match self.format {
            Format::Fat12 | Format::Fat16 | Format::Fat32 => {
                self.clusters.chain(entry.first, Reach::ToEnd(most), entry.offset)
            }
            Format::ExFat => {
                let mut pieces = self.content(entry);
                if entry.size > most {
                    pieces.cut(most);
                    let (what, expected) = ("bytes of a folder", "up to 256 MiB");
                    pieces.stop = Some(Stop { what, offset: entry.offset, expected, found: entry.size });
                }
                pieces
            }
        }
    }

    /// Returns the location of a file's content.
    ///
    /// For a deleted file: the clusters that follow the first, unless exFAT left the chain intact.
    pub(crate) fn content(&self, entry: &Entry) -> Pieces {
        let run = || self.clusters.run(entry.first, entry.size, entry.offset);
        if entry.contiguous {
            return run();
        }
        match (entry.deleted, self.old_chain(entry)) {
            (false, _) => self.clusters.chain(entry.first, Reach::Exactly(entry.size), entry.offset),
            (true, Some(pieces)) => pieces,
            (true, None) => run(),
        }
    }

    /// Returns the chain of a deleted file if it still has the length of the file: exFAT frees clusters in the
    /// bitmap alone, FAT clears them from the chain.
    pub(crate) fn old_chain(&self, entry: &Entry) -> Option<Pieces> {
        if !entry.deleted || entry.contiguous || self.format != Format::ExFat {
            return None;
        }
        let whole = entry.size.checked_next_multiple_of(self.clusters.size)?;
        let chain = self.clusters.chain(entry.first, Reach::ToEnd(whole), entry.offset);
        let mut pieces = Some(chain).filter(|chain| chain.stop.is_none() && chain.length() == whole)?;
        pieces.cut(entry.size);
        Some(pieces)
    }

    /// Returns the items of a folder, followed by the reason if its clusters are not all known, even if the
    /// folder ended before that.
    pub(crate) fn entries(&self, pieces: &Pieces) -> Entries<'static> {
        let mut known = pieces.clone();
        let stop = known.stop.take();
        let entries = self.read(Slots::new(&self.clusters.window, known));
        Box::new(entries.chain(stop.map(Found::Damage)))
    }

    fn read(&self, slots: Slots) -> Entries<'static> {
        match self.format {
            Format::Fat12 | Format::Fat16 => Box::new(directory::entries(slots, false)),
            Format::Fat32 => Box::new(directory::entries(slots, true)),
            Format::ExFat => Box::new(exfat_directory::entries(slots)),
        }
    }

    /// Returns the entry at a byte of the volume, read with its neighbours in the same cluster. If a long name
    /// or an exFAT entry began in another cluster, the name or the whole entry is missing.
    pub(crate) fn entry_at(&self, offset: u64) -> Option<Entry> {
        let (start, length) = self.region(offset)?;
        let size = SLOT as u64;
        let (before, after) = match self.format {
            Format::Fat12 | Format::Fat16 | Format::Fat32 => (BEFORE, 0),
            Format::ExFat => (0, AFTER),
        };
        if !(offset - start).is_multiple_of(size) {
            return None;
        }
        let from = offset.saturating_sub(before * size).max(start);
        let to = offset.saturating_add((after + 1) * size).min(start.saturating_add(length));
        let slots = Slots::new(&self.clusters.window, Pieces::one(from, to.checked_sub(from)?));
        self.read(slots).find_map(|found| match found {
            Found::Entry(entry) => (entry.offset == offset).then_some(entry),
            Found::Label(_) | Found::Bitmap { .. } | Found::Damage(_) => None,
        })
    }

    /// Returns the range of the cluster, or of the root folder, around a byte of the volume.
    fn region(&self, offset: u64) -> Option<(u64, u64)> {
        if let Root::Fixed(pieces) = &self.root
            && let Some((start, length)) = pieces.at(0)
            && (start..start.saturating_add(length)).contains(&offset)
        {
            return Some((start, length));
        }
        let start = self.clusters.offset(self.clusters.holding(offset)?)?;
        Some((start, self.clusters.size))
    }

    /// Returns the label in the root folder.
    pub(crate) fn label(&self) -> Option<String> {
        let pieces = self.root_pieces();
        self.entries(&pieces).find_map(|found| match found {
            Found::Label(label) => Some(escape_name(&label)),
            Found::Entry(_) | Found::Bitmap { .. } | Found::Damage(_) => None,
        })
    }
}
