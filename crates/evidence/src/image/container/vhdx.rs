//! VHDX: virtual hard disks of Hyper-V.
//!
//! Source: [MS-VHDX] (Virtual Hard Disk v2 File Format). All numbers are little-endian.
//! Changes that are only in the log are applied while reading; the file is never written.

mod crc;
mod log;
mod regions;

pub(super) use log::Overlay;

use super::acquisition::{Acquisition, ContainerFormat, guid, shown_utf16};
use super::error::ContainerError;
use super::missing::{Missing, Ranges};
use super::store::{Store, le_u32, le_u64};
use super::{Medium, zeros};
use regions::{Header, Metadata, Region};
use std::io;
use std::path::Path;

pub(super) const SIGNATURE: &[u8; 8] = b"vhdxfile";

const MIB: u64 = 1 << 20;

pub(super) struct Vhdx {
    store: Store,
    metadata: Metadata,
    table: Region,
    /// Number of payload blocks between two sector bitmap entries ([MS-VHDX] section 2.5.1).
    ratio: u64,
}

pub(super) fn open(path: &Path) -> Result<(Vhdx, Acquisition), ContainerError> {
    let store = Store::open(path)?;
    let header = regions::header(&store)?;
    let (store, applied) = match log::read(&store, &header)? {
        Some((overlay, entries)) => (store.with_overlay(overlay), Some(entries)),
        None => (store, None),
    };
    let (table, items) = regions::find(&store)?;
    let metadata = regions::metadata(&store, items)?;
    if let Some(parent) = &metadata.parent {
        return Err(ContainerError::Parent { parent: parent.clone() });
    }
    let ratio = (MIB * 8) * u64::from(metadata.sector) / u64::from(metadata.block);
    let acquisition = describe(&store, &header, &metadata, applied);
    Ok((Vhdx { store, metadata, table, ratio }, acquisition))
}

impl Medium for Vhdx {
    fn length(&self) -> u64 {
        self.metadata.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let size = u64::from(self.metadata.block);
        let (block, within) = (offset / size, offset % size);
        let part = super::piece(buffer, size - within);
        let index = block + block / self.ratio;
        let at = self.table.offset + 8 * index;
        if 8 * (index + 1) > self.table.length {
            let (what, expected) = ("entry of the block table", "one that the table has");
            return Err(ContainerError::Value { offset: at, what, expected, found: index }.into());
        }
        let entry = u64::from_le_bytes(self.store.entry(at)?);
        match entry & 7 {
            // Not present, undefined, zero or unmapped: without a parent they all read as zeros.
            0..=3 => Ok(zeros(part)),
            6 => {
                let start = (entry >> 20) * MIB;
                self.store.read_exact_at(start.saturating_add(within), part)?;
                Ok(part.len())
            }
            found => {
                let (what, expected) = ("state of a block", "0 to 3 or 6 in an image without a parent");
                Err(ContainerError::Value { offset: at, what, expected, found }.into())
            }
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let (size, length, end) = (u64::from(self.metadata.block), self.length(), self.store.length());
        let blocks = length.div_ceil(size);
        let count = (blocks + blocks / self.ratio).min(self.table.length / 8);
        let mut ranges = Ranges::default();
        let held = self.store.scan::<8>(self.table.offset, count, |index, entry| {
            let (entry, place) = (u64::from_le_bytes(entry), index % (self.ratio + 1));
            let start = (index - index / (self.ratio + 1)).saturating_mul(size);
            let stop = length.min(start.saturating_add(size));
            let stored = ((entry >> 20) * MIB).saturating_add(stop.saturating_sub(start));
            // After every `ratio` blocks there is the entry of a sector bitmap.
            if place != self.ratio && entry & 7 == 6 && stored > end && start < stop {
                ranges.add(start, stop);
            }
        });
        // If the table is truncated, the blocks of its rest are unknown.
        if let Ok(held) = held
            && held < count
        {
            ranges.add((held - held / (self.ratio + 1)).saturating_mul(size).min(length), length);
        }
        ranges.cut(end)
    }
}

fn describe(store: &Store, header: &Header, metadata: &Metadata, applied: Option<usize>) -> Acquisition {
    let mut acquisition = Acquisition::new(ContainerFormat::Vhdx, metadata.length);
    acquisition.sector_size = Some(metadata.sector);
    acquisition.chunk_size = Some(metadata.block);
    let creator = store.array::<512>(8, "the creator").unwrap_or([0; 512]);
    let units = creator.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
    acquisition.value("creator application", &shown_utf16(units));
    match applied {
        None => {}
        Some(0) => {
            acquisition.value("log", "not empty, without a complete sequence of entries; nothing applied")
        }
        Some(entries) => acquisition.value("log entries applied", &entries.to_string()),
    }
    acquisition.identifier("virtual disk id", &metadata.id.as_ref().map(guid).unwrap_or_default());
    acquisition.identifier("data write id", &guid(&header.data_write));
    acquisition.identifier("file write id", &guid(&header.file_write));
    acquisition
}
