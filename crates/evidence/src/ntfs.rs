//! NTFS volumes: over `ntfs-core` for records, attributes, runs, indexes and LZNT1; what assembles them and reads streams is ours, so that memory stays bounded.
//!
//! Structures: "NTFS Documentation" of the Linux-NTFS project; reparse tags: [MS-FSCC] 2.1.2.1.

mod directory;
mod entry;
mod files;
mod reparse;
mod runs;
mod stream;

pub(crate) use files::NtfsFiles;

use crate::error::NtfsDamage;
use crate::window::Window;
use entry::{DATA, MftEntry, Stored};
use ntfs_core::error::NtfsError;
use ntfs_core::runlist::Run;
use ntfs_core::{BootSector, apply_fixup, parse_attributes};
use runs::Runs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The entry of the root folder.
pub(crate) const ROOT: u64 = 5;

/// Bytes that one entry of an update sequence protects, whatever the sectors of the medium are.
pub(crate) const STRIDE: usize = 512;

/// An opened volume.
pub(crate) struct Volume {
    /// Where it stands on the medium.
    pub(crate) place: Rc<Place>,
    /// Bytes of an index block.
    pub(crate) index_block: u64,
    /// Bytes of a record of the `$MFT`.
    record: u64,
    /// The clusters of the `$MFT`.
    mft: Rc<Runs>,
}

/// The bytes of a volume, and how many a cluster has.
pub(crate) struct Place {
    pub(crate) window: Window,
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
    /// Opens the volume in `window`.
    pub(crate) fn open(window: Window) -> Result<Volume, NtfsDamage> {
        let io = |source| NtfsDamage::Record { entry: 0, source: NtfsError::Io(source) };
        let mut sector = [0; 512];
        window.read_exact_at(0, &mut sector).map_err(io)?;
        let (boot, cluster) = boot(&mut sector)?;
        let first = Run { length: boot.mft_record_size.div_ceil(cluster), lcn: Some(boot.mft_lcn) };
        let mut mft = Runs::default();
        mft.add(0, 0, vec![first])?;
        let mut volume = Volume {
            place: Rc::new(Place { window, cluster }),
            index_block: boot.index_record_size,
            record: boot.mft_record_size,
            mft: Rc::new(mft),
        };
        volume.mft = Rc::new(volume.record(0)?.first_runs()?);
        // Further pieces of a fragmented `$MFT` are described in records that its first piece holds.
        if let Some(Stored::Clusters(runs)) =
            volume.entry(0)?.data(&volume, DATA, None)?.map(|data| data.stored)
        {
            volume.mft = runs;
        }
        Ok(volume)
    }

    /// The entry `number` with its attributes, those of its extension records among them.
    pub(crate) fn entry(&self, number: u64) -> Result<MftEntry, NtfsDamage> {
        entry::read(self, number)
    }

    /// One record as it stands, with its attributes.
    fn record(&self, number: u64) -> Result<entry::Record, NtfsDamage> {
        guard(number, || {
            let mut bytes = vec![0; usize::try_from(self.record).unwrap_or(0)];
            self.mft.read(&self.place, number.saturating_mul(self.record), &mut bytes)?;
            apply_fixup(&mut bytes, STRIDE)?;
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
        let read = self.place.window.read_exact_at(0x1e00, &mut header);
        let catalogue = header.last_chunk::<8>().is_some_and(|offset| offset != &[0; 8]);
        read.is_ok() && header.starts_with(&IDENTIFIER) && catalogue
    }
}

/// The boot sector, and the bytes of a cluster.
///
/// More than 128 sectors a cluster are written as a negative power of two, which the library refuses; sizes in clusters do not go with that.
fn boot(sector: &mut [u8; 512]) -> Result<(BootSector, u64), NtfsDamage> {
    const SECTORS_PER_CLUSTER: usize = 0x0d;
    let written = sector.get(SECTORS_PER_CLUSTER).copied().unwrap_or(0);
    // 2 MiB of sectors of 512 bytes are the most that Windows makes.
    let large = match written.wrapping_neg() {
        power @ 8..=12 => Some(1u64 << power),
        _ => None,
    };
    if let (Some(_), Some(byte)) = (large, sector.get_mut(SECTORS_PER_CLUSTER)) {
        *byte = 1;
    }
    let boot = guard(0, || BootSector::parse(sector.as_slice()))?;
    let sectors = large.unwrap_or(u64::from(boot.sectors_per_cluster));
    let cluster = u64::from(boot.bytes_per_sector).saturating_mul(sectors);
    Ok((boot, cluster))
}
