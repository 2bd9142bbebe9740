//! Deleted entries: those marked as deleted in the folders of the volume, and everything in deleted folders
//! whose first cluster is not in use again.
//!
//! Slots after the end of a folder and folders that no entry names are not searched.
//! FAT keeps only the first cluster of a deleted file, and Windows may clear the upper half of its number on
//! FAT32. exFAT keeps the chain and says whether the clusters were contiguous.

use super::entry::{Entry, Found};
use super::files::node;
use super::pieces::{Pieces, Stop};
use super::remains::remains;
use super::usage::Counts;
use super::volume::{Format, Volume};
use crate::deleted::{DELETED, DeletedEntry, DeletedStep, DeletedSteps, Original, Recovery};
use crate::error::{Damage, ReadError};
use crate::file_system::child;
use crate::path::EvidencePath;
use crate::walk::MAX_DEPTH;
use ledger::{Defect, Gap};
use std::collections::HashSet;
use std::rc::Rc;

/// The most deleted entries and defects reported for one volume: they are held in memory to be sorted by number.
const MAX_ENTRIES: usize = 1 << 18;

/// Returns everything that is deleted, in the order of the numbers.
pub(super) fn steps<'a>(volume: &'a Volume, root: &EvidencePath) -> Result<DeletedSteps<'a>, ReadError> {
    let mut search = Search::new(volume);
    search.run(root);
    let Search { mut found, damage, .. } = search;
    found.sort_by_key(|(entry, _)| entry.offset);
    let folder = child(root, DELETED)?;
    let counts = Counts::default();
    let entries = found.into_iter().map(move |(entry, above)| {
        step(volume, &counts, &folder, &entry, &above).unwrap_or_else(|error| {
            let path = above.as_str().to_owned();
            DeletedStep::Defect(Defect { path, offset: None, what: error.to_string() })
        })
    });
    Ok(Box::new(damage.into_iter().chain(entries)))
}

/// Returns the deleted entry at a byte of the volume.
pub(super) fn entry(volume: &Volume, offset: u64) -> Option<Entry> {
    let mut search = Search::new(volume);
    search.run(&EvidencePath::root());
    search.found.into_iter().map(|(entry, _)| entry).find(|entry| entry.offset == offset)
}

/// A folder still to be searched.
struct Folder {
    pieces: Pieces,
    path: Rc<EvidencePath>,
    depth: usize,
    deleted: bool,
}

struct Search<'a> {
    volume: &'a Volume,
    /// First clusters of the folders found so far: none is searched twice.
    met: HashSet<u32>,
    waiting: Vec<Folder>,
    /// The entries, with the folders that they were in.
    found: Vec<(Entry, Rc<EvidencePath>)>,
    damage: Vec<DeletedStep>,
}

impl<'a> Search<'a> {
    fn new(volume: &'a Volume) -> Search<'a> {
        let (met, waiting, found) = (HashSet::new(), Vec::new(), Vec::new());
        Search { volume, met, waiting, found, damage: Vec::new() }
    }

    fn run(&mut self, root: &EvidencePath) {
        let (pieces, path) = (self.volume.root_pieces(), Rc::new(root.clone()));
        if let Some((offset, _)) = pieces.at(0) {
            self.met.extend(self.volume.clusters.holding(offset));
        }
        self.waiting.push(Folder { pieces, path, depth: 0, deleted: false });
        while let Some(folder) = self.waiting.pop() {
            for found in self.volume.entries(&folder.pieces) {
                match found {
                    Found::Entry(entry) => self.entry(&folder, entry),
                    Found::Damage(stop) => self.defect(&folder, stop),
                    Found::Label(_) | Found::Bitmap { .. } => {}
                }
                if self.found.len() + self.damage.len() >= MAX_ENTRIES {
                    let reason = format!("more than {MAX_ENTRIES} deleted entries: the others are not told");
                    self.damage.push(DeletedStep::Gap(Gap { path: root.as_str().to_owned(), reason }));
                    return;
                }
            }
        }
    }

    /// Reports damage to a folder. In a deleted folder damage is normal, and only its entries are lost.
    fn defect(&mut self, folder: &Folder, stop: Stop) {
        if !folder.deleted {
            let (path, what) = (folder.path.as_str().to_owned(), Damage::from(stop).to_string());
            self.damage.push(DeletedStep::Defect(Defect { path, offset: None, what }));
        }
    }

    fn entry(&mut self, folder: &Folder, mut entry: Entry) {
        entry.deleted |= folder.deleted;
        if entry.directory {
            self.enter(folder, &entry);
        }
        if entry.deleted {
            self.found.push((entry, folder.path.clone()));
        }
    }

    fn enter(&mut self, folder: &Folder, entry: &Entry) {
        if self.met.contains(&entry.first) {
            return;
        }
        let pieces = if entry.deleted { self.remains(entry) } else { Some(self.volume.folder(entry)) };
        let Some(pieces) = pieces else { return };
        let Ok(path) = folder.path.child_raw(&entry.name) else { return };
        if folder.depth >= MAX_DEPTH {
            let (path, reason) = (path.as_str().to_owned(), format!("deeper than {MAX_DEPTH} folders"));
            self.damage.push(DeletedStep::Gap(Gap { path, reason }));
            return;
        }
        self.met.insert(entry.first);
        let (path, depth) = (Rc::new(path), folder.depth + 1);
        self.waiting.push(Folder { pieces, path, depth, deleted: entry.deleted });
    }

    /// Returns what is left of a deleted folder; `None` if its clusters are in use again.
    fn remains(&self, entry: &Entry) -> Option<Pieces> {
        let clusters = &self.volume.clusters;
        clusters.offset(entry.first)?;
        if self.volume.usage.is_used(clusters, entry.first).unwrap_or(true) {
            return None;
        }
        match self.volume.format {
            Format::Fat12 | Format::Fat16 | Format::Fat32 => remains(self.volume, entry.first),
            Format::ExFat => Some(self.volume.folder(entry)),
        }
    }
}

fn step(
    volume: &Volume,
    counts: &Counts,
    deleted: &EvidencePath,
    entry: &Entry,
    above: &EvidencePath,
) -> Result<DeletedStep, ReadError> {
    let numbered = child(deleted, &entry.offset.to_string())?;
    let node = node(&numbered, entry)?;
    let original = child(above, &node.name)?;
    let recovery = recovery(volume, counts, entry).map_err(|source| {
        let what = "use of clusters";
        let source = Damage::Unreadable { what, offset: entry.offset, source };
        ReadError::Damaged { path: node.path.clone(), source }
    })?;
    let entry = DeletedEntry { node, original: Original::Path(original), recovery };
    Ok(DeletedStep::Entry(Box::new(entry)))
}

/// Decides whether the content can still be the file's own; clusters that it would need past the end of the
/// volume count as another's.
fn recovery(volume: &Volume, counts: &Counts, entry: &Entry) -> std::io::Result<Recovery> {
    let whole = volume.clusters.of(entry.size);
    if entry.directory || whole == 0 {
        return Ok(Recovery::Nothing);
    }
    let (mut reused, mut known, mut position) = (0, 0, 0);
    let old_chain = volume.old_chain(entry);
    let assumed = old_chain.is_none() && !entry.contiguous && whole > 1;
    let pieces = old_chain.unwrap_or_else(|| volume.content(entry));
    while let Some((offset, length)) = pieces.at(position) {
        let Some(first) = volume.clusters.holding(offset) else { break };
        let count = volume.clusters.of(length);
        reused += counts.used(&volume.usage, &volume.clusters, first, count)?;
        known += count;
        position += length;
    }
    reused += whole.saturating_sub(known);
    Ok(match reused {
        0 if assumed => Recovery::Assumed,
        0 => Recovery::Whole,
        _ if reused >= whole => Recovery::Lost,
        _ => Recovery::Partial { reused, clusters: whole },
    })
}
