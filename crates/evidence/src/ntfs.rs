//! NTFS volumes: our own code from record to bytes, so that damage hides as little as possible and memory stays
//! bounded; `ntfs-core` for the boot sector, runs and LZNT1.
//!
//! Structures: "NTFS Documentation" of the Linux-NTFS project; reparse tags: [MS-FSCC] 2.1.2.1.

mod boot;
mod bytes;
mod clusters;
mod collation;
mod deleted;
mod describe;
mod directory;
mod entry;
mod facts;
mod file_name;
mod files;
mod index;
mod mft_file;
mod mft_head;
mod node;
mod parents;
mod pieces;
mod record;
mod reparse;
mod runs;
mod slack;
mod stream;
mod wof;

pub(crate) use boot::has_copy;
pub(crate) use files::NtfsFiles;
pub use mft_file::{MftFile, ORPHAN};
pub use mft_head::mft_record_size;
pub use wof::expand_xpress_huffman;

use crate::error::NtfsDamage;
use crate::window::Window;
use boot::Boot;
use collation::Collation;
use entry::{DATA, MftEntry, Stored};
use ntfs_core::error::NtfsError;
use ntfs_core::runlist::Run;
use pieces::Pieces;
use record::Record;
use runs::Runs;
use std::cell::{OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The entry of the root folder.
pub(crate) const ROOT: u64 = 5;

/// Bytes that one entry of an update sequence protects, whatever the sector size of the medium.
pub(crate) const STRIDE: usize = 512;

/// Entries that `$MFTMirr` copies.
const MIRRORED: u64 = 4;

/// An opened volume.
pub(crate) struct Volume {
    /// The location of the volume on the medium.
    pub(crate) place: Rc<Place>,
    boot: Boot,
    /// The clusters of the `$MFT`, and the number of its bytes that were ever written.
    mft: Rc<Runs>,
    size: u64,
    pieces: RefCell<Pieces>,
    collation: OnceCell<Collation>,
    /// Damage to the structures that are needed to open the volume.
    damage: Vec<String>,
}

/// The bytes of a volume, and its cluster size in bytes.
pub(crate) struct Place {
    pub(crate) window: Window,
    pub(crate) cluster: u64,
}

/// Calls the library; a panic on damaged bytes becomes an error.
pub(crate) fn guard<T>(entry: u64, call: impl FnOnce() -> Result<T, NtfsError>) -> Result<T, NtfsDamage> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|source| NtfsDamage::Record { entry, source }),
        Err(_) => Err(NtfsDamage::Stopped { entry }),
    }
}

impl Volume {
    /// Opens the volume in `window`; if the boot sector is damaged, its copy at the end of the volume is used.
    pub(crate) fn open(window: Window) -> Result<Volume, NtfsDamage> {
        let error = match boot::first(&window).and_then(|boot| Volume::with(window.clone(), boot)) {
            Ok(volume) => return Ok(volume),
            Err(error) => error,
        };
        let Some((at, boot)) = boot::copy(&window) else { return Err(error) };
        let Ok(mut volume) = Volume::with(window, boot) else { return Err(error) };
        volume
            .damage
            .insert(0, format!("boot sector: {error}; its copy at byte {at} of the volume was read"));
        Ok(volume)
    }

    fn with(window: Window, boot: Boot) -> Result<Volume, NtfsDamage> {
        let first = Run { length: boot.record.div_ceil(boot.cluster), lcn: Some(boot.mft) };
        let mut mft = Runs::default();
        mft.add(0, 0, vec![first])?;
        let mut volume = Volume {
            place: Rc::new(Place { window, cluster: boot.cluster }),
            pieces: RefCell::new(Pieces::new(boot.record)),
            size: boot.record,
            mft: Rc::new(mft),
            collation: OnceCell::new(),
            damage: Vec::new(),
            boot,
        };
        let base = MftEntry::of(volume.record(0)?);
        volume.adopt(&base)?;
        // Further pieces of a fragmented `$MFT` are described in records in its first piece.
        let whole = volume.entry(0)?;
        volume.adopt(&whole)?;
        volume.check_first();
        volume.check_start();
        Ok(volume)
    }

    /// Takes the clusters of the `$MFT` from its own entry.
    fn adopt(&mut self, entry: &MftEntry) -> Result<(), NtfsDamage> {
        if let Some(data) = entry.data(self, DATA, None)?
            && let Stored::Clusters(runs) = data.stored
        {
            (self.mft, self.size) = (runs, data.initialised);
            self.pieces = RefCell::new(Pieces::new(self.boot.record));
        }
        Ok(())
    }

    /// Notes which of the first entries were read from their copies.
    fn check_first(&mut self) {
        for number in 0..MIRRORED {
            if let Err(error) = self.own_record(number) {
                let whence = if self.mirrored(number).is_ok() { "; read from $MFTMirr" } else { "" };
                self.damage.push(format!("{error}{whence}"));
            }
        }
    }

    /// Notes if the boot sector points to another place than the `$MFT` itself says.
    fn check_start(&mut self) {
        let said = self.mft.iter().next().and_then(|(first, _)| first);
        if let Some(said) = said.filter(|said| *said != self.boot.mft) {
            let found = self.boot.mft;
            self.damage.push(format!("boot sector: first cluster of $MFT: expected {said}, found {found}"));
        }
    }

    /// Returns the entry `number` with its attributes, including those of its extension records.
    pub(crate) fn entry(&self, number: u64) -> Result<MftEntry, NtfsDamage> {
        entry::read(self, number)
    }

    /// Returns the number of entries in the `$MFT`.
    fn entries(&self) -> u64 {
        self.size.checked_div(self.boot.record).unwrap_or(0)
    }

    fn record_size(&self) -> u64 {
        self.boot.record
    }

    /// Returns the number of clusters of the volume.
    fn clusters(&self) -> u64 {
        self.boot.sectors.saturating_mul(self.boot.sector).checked_div(self.place.cluster).unwrap_or(0)
    }

    /// Reads one record; for the first four, the copy is used if the original is damaged.
    fn record(&self, number: u64) -> Result<Record, NtfsDamage> {
        match self.own_record(number) {
            Err(error) if number < MIRRORED => self.mirrored(number).map_err(|_| error),
            result => result,
        }
    }

    fn own_record(&self, number: u64) -> Result<Record, NtfsDamage> {
        let offset = number.saturating_mul(self.boot.record);
        let bytes = self.raw(number)?;
        let place = |within| self.mft.at(self.place.cluster, offset.saturating_add(within))?.0;
        let located = |mut error: NtfsDamage| {
            if let NtfsDamage::Torn { offset, place: at, .. } = &mut error {
                *at = place(*offset as u64);
            }
            error
        };
        let mut record = Record::read(number, bytes).map_err(located)?;
        record.damage = record.damage.into_iter().map(located).collect();
        Ok(record)
    }

    /// Checks whether a record was never written: it holds zeros.
    fn is_unused(&self, number: u64) -> bool {
        self.raw(number).is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    }

    /// Returns the raw bytes of a record.
    fn raw(&self, number: u64) -> Result<Vec<u8>, NtfsDamage> {
        let size = self.boot.record;
        let span = (number.saturating_mul(size), size, self.size);
        self.pieces.borrow_mut().read((&self.mft, &self.place), span)
    }

    /// Reads the copy in `$MFTMirr`.
    fn mirrored(&self, number: u64) -> Result<Record, NtfsDamage> {
        let size = self.boot.record;
        let start = self.boot.mirror.saturating_mul(self.place.cluster);
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        let offset = start.saturating_add(number.saturating_mul(size));
        let read = self.place.window.read_exact_at(offset, &mut bytes);
        read.map_err(|source| NtfsDamage::Record { entry: number, source: NtfsError::Io(source) })?;
        Record::read(number, bytes)
    }

    /// Returns the rules for comparing names.
    fn collation(&self) -> &Collation {
        self.collation.get_or_init(|| Collation::read(self))
    }

    /// Checks whether the volume has a catalogue of volume shadow copies: its identifier
    /// 3808876b-c176-4e48-b7ae-04046e6cc752 at byte 0x1e00, and an offset 48 bytes further on.
    pub(crate) fn has_shadow_copies(&self) -> bool {
        const IDENTIFIER: [u8; 16] =
            [0x6b, 0x87, 0x08, 0x38, 0x76, 0xc1, 0x48, 0x4e, 0xb7, 0xae, 0x04, 0x04, 0x6e, 0x6c, 0xc7, 0x52];
        let mut header = [0; 56];
        let read = self.place.window.read_exact_at(0x1e00, &mut header);
        let catalogue = header.last_chunk::<8>().is_some_and(|offset| offset != &[0; 8]);
        read.is_ok() && header.starts_with(&IDENTIFIER) && catalogue
    }
}
