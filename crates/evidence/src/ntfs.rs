//! NTFS volumes: over `ntfs-core` for records, attributes, runs, indexes and LZNT1; what assembles them and reads streams is ours, so that memory stays bounded.
//!
//! Structures: "NTFS Documentation" of the Linux-NTFS project; reparse tags: [MS-FSCC] 2.1.2.1.

mod directory;
mod entry;
mod reparse;
mod runs;
mod stream;

pub(crate) use directory::Child;
pub(crate) use entry::{DATA, MftEntry};
pub(crate) use reparse::{Reparse, reparse};
pub(crate) use stream::Stream;

use crate::error::NtfsDamage;
use crate::image::{Container, Window};
use ntfs_core::error::NtfsError;
use ntfs_core::{NtfsFs, parse_attributes};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The entry of the root folder.
pub(crate) const ROOT: u64 = 5;

/// An opened volume.
pub(crate) struct Volume {
    fs: NtfsFs<Window>,
    /// Where it stands on the medium.
    pub(crate) place: Rc<Place>,
    pub(crate) index_block: u64,
    pub(crate) sector: usize,
    record: u64,
}

/// Where a volume stands on the medium.
pub(crate) struct Place {
    pub(crate) container: Rc<Container>,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) cluster: u64,
}

/// Calls the library: a panic on damaged bytes is an error.
pub(crate) fn guard<T>(entry: u64, call: impl FnOnce() -> Result<T, NtfsError>) -> Result<T, NtfsDamage> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|source| NtfsDamage::Record { entry, source }),
        Err(_) => Err(NtfsDamage::Stopped { entry }),
    }
}

impl Volume {
    /// Opens the volume of `length` bytes at `offset` of the medium.
    pub(crate) fn open(container: &Rc<Container>, offset: u64, length: u64) -> Result<Volume, NtfsDamage> {
        let window = Window { container: container.clone(), offset, length, position: 0 };
        let fs = guard(0, || NtfsFs::open(window))?;
        let boot = fs.boot();
        let place = Place { container: container.clone(), offset, length, cluster: boot.cluster_size() };
        let (index_block, record) = (boot.index_record_size, boot.mft_record_size);
        let sector = usize::from(boot.bytes_per_sector);
        Ok(Volume { fs, place: Rc::new(place), index_block, sector, record })
    }

    /// The entry `number` with its attributes, those of its extension records among them.
    pub(crate) fn entry(&self, number: u64) -> Result<MftEntry, NtfsDamage> {
        entry::read(self, number)
    }

    /// One record as it stands, with its attributes.
    fn record(&self, number: u64) -> Result<entry::Record, NtfsDamage> {
        guard(number, || {
            let bytes = self.fs.read_record(number)?;
            let header = ntfs_core::MftRecordHeader::parse(&bytes)?;
            let attributes = parse_attributes(&bytes, usize::from(header.first_attribute_offset))?;
            Ok(entry::Record { number, bytes, header, attributes })
        })
    }

    /// Whether a catalogue of volume shadow copies stands in the volume: its identifier 3808876b-c176-4e48-b7ae-04046e6cc752 at byte 0x1e00, and an offset 48 bytes on.
    pub(crate) fn has_shadow_copies(&self) -> bool {
        const IDENTIFIER: [u8; 16] =
            [0x6b, 0x87, 0x08, 0x38, 0x76, 0xc1, 0x48, 0x4e, 0xb7, 0xae, 0x04, 0x04, 0x6e, 0x6c, 0xc7, 0x52];
        let mut header = [0; 56];
        let at = self.place.offset.saturating_add(0x1e00);
        let read = self.place.container.read_exact_at(at, &mut header);
        let catalogue = header.last_chunk::<8>().is_some_and(|offset| offset != &[0; 8]);
        read.is_ok() && header.starts_with(&IDENTIFIER) && catalogue
    }
}
