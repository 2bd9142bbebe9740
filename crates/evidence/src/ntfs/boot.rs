//! The boot sector, and its copy in the last sector of the volume.

use super::bytes::{u16_at, u64_at};
use super::{NtfsDamage, guard};
use crate::window::Window;
use ntfs_core::BootSector;
use ntfs_core::error::NtfsError;

/// The fields of the boot sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Boot {
    pub(super) sector: u64,
    pub(super) cluster: u64,
    /// Sectors of the volume.
    pub(super) sectors: u64,
    /// First cluster of `$MFT` and of `$MFTMirr`.
    pub(super) mft: u64,
    pub(super) mirror: u64,
    /// Size of a record and of an index block, in bytes.
    pub(super) record: u64,
    pub(super) index_block: u64,
    pub(super) serial: u64,
}

/// Reads the first sector.
pub(super) fn first(window: &Window) -> Result<Boot, NtfsDamage> {
    read(window, 0)
}

/// Reads the copy, which is in the last sector, whatever the sector size.
pub(super) fn copy(window: &Window) -> Option<(u64, Boot)> {
    let at = |sector| window.length().checked_sub(sector);
    [512, 1024, 2048, 4096].into_iter().filter_map(at).find_map(|at| Some((at, read(window, at).ok()?)))
}

fn read(window: &Window, at: u64) -> Result<Boot, NtfsDamage> {
    let mut sector = [0; 512];
    let io = |source| NtfsDamage::Record { entry: 0, source: NtfsError::Io(source) };
    window.read_exact_at(at, &mut sector).map_err(io)?;
    parse(&mut sector)
}

/// Parses a boot sector.
///
/// More than 128 sectors per cluster are written as a negative power of two, which the library refuses.
/// Record sizes given in clusters do not occur together with that.
fn parse(sector: &mut [u8; 512]) -> Result<Boot, NtfsDamage> {
    const SECTORS_PER_CLUSTER: usize = 0x0d;
    let written = sector.get(SECTORS_PER_CLUSTER).copied().unwrap_or(0);
    // Windows makes clusters of at most 2 MiB, in sectors of 512 bytes.
    let large = match written.wrapping_neg() {
        power @ 8..=12 => Some(1u64 << power),
        _ => None,
    };
    if let (Some(_), Some(byte)) = (large, sector.get_mut(SECTORS_PER_CLUSTER)) {
        *byte = 1;
    }
    let boot = guard(0, || BootSector::parse(sector.as_slice()))?;
    let sectors = large.unwrap_or(u64::from(boot.sectors_per_cluster));
    Ok(Boot {
        sector: u16_at(sector, 0x0b).unwrap_or(0).into(),
        cluster: u64::from(boot.bytes_per_sector).saturating_mul(sectors),
        sectors: u64_at(sector, 0x28).unwrap_or(0),
        mft: boot.mft_lcn,
        mirror: boot.mftmirr_lcn,
        record: boot.mft_record_size,
        index_block: boot.index_record_size,
        serial: boot.volume_serial,
    })
}

/// Checks whether the last sector of a volume is the copy of an NTFS boot sector.
pub(crate) fn has_copy(window: &Window) -> bool {
    copy(window).is_some()
}
