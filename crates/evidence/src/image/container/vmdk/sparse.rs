//! Extents that hold grains (Virtual Disk Format 5.0, "Hosted Sparse Extents", "ESXi Sparse Extents", "Stream-Optimized").

use super::descriptor::Descriptor;
use super::{COW, ContainerError, SECTOR, SPARSE, Store, zeros};
use crate::image::container::Unit;
use crate::image::container::inflate::{Packing, expand};
use crate::image::container::missing::{Missing, Ranges};
use crate::image::container::store::{le_u16, le_u32, le_u64};
use std::io;

/// The grain directory is in a footer.
const AT_END: u64 = u64::MAX;

/// Flags of the header.
const ZERO_GRAINS: u32 = 1 << 2;
const COMPRESSED: u32 = 1 << 16;
const MARKERS: u32 = 1 << 17;

/// The most bytes of grain tables that are scanned when the extent is opened.
const MAX_SCANNED: u64 = 1 << 30;

/// The largest grain, and the largest compressed one.
const MAX_GRAIN: u64 = 32 << 20;
const MAX_PACKED_GRAIN: u64 = 2 << 20;

/// The most bytes of an embedded descriptor.
const MAX_DESCRIPTOR: u64 = 1 << 20;

pub(super) struct Sparse {
    store: Store,
    header: Header,
    /// The compressed grains read last.
    unit: Unit,
}

struct Header {
    /// Size of the extent, and of a grain, in bytes.
    length: u64,
    grain: u64,
    /// Number of entries in a grain table.
    entries: u64,
    /// Offset of the directory in the file.
    directory: u64,
    flags: u32,
    /// Start and length of the descriptor, in bytes.
    descriptor: (u64, u64),
}

impl Sparse {
    pub(super) fn open(store: Store) -> Result<Sparse, ContainerError> {
        let bytes: [u8; 512] = store.array(0, "the header of the extent")?;
        let header = if bytes.starts_with(COW) { cow_header(&bytes) } else { hosted_header(&store, &bytes)? };
        check(&header)?;
        let tables = header.length.div_ceil(header.grain).div_ceil(header.entries);
        if tables
            .checked_mul(4)
            .and_then(|size| header.directory.checked_add(size))
            .is_none_or(|end| end > store.length())
        {
            let (what, expected) = ("offset of the grain directory", "a directory that ends within the file");
            return Err(ContainerError::Value { offset: 56, what, expected, found: header.directory });
        }
        Ok(Sparse { store, header, unit: Unit::default() })
    }

    /// Returns the descriptor in the extent; an empty one if there is none.
    pub(super) fn descriptor(&self) -> Result<Descriptor, ContainerError> {
        let (offset, length) = self.header.descriptor;
        let mut bytes = vec![0; usize::try_from(length.min(MAX_DESCRIPTOR)).unwrap_or_default()];
        let read = self.store.read_exact_at(offset, &mut bytes);
        read.map_err(|source| ContainerError::Read { what: "the descriptor", source })?;
        Descriptor::parse(&bytes)
    }

    pub(super) fn length(&self) -> u64 {
        self.header.length
    }

    pub(super) fn grain(&self) -> u32 {
        u32::try_from(self.header.grain).unwrap_or_default()
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.header.flags & COMPRESSED != 0
    }

    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let (index, within) = (offset / self.header.grain, offset % self.header.grain);
        if offset >= self.header.length {
            let (what, expected) = ("byte of the extent", "one within its capacity");
            return Err(ContainerError::Value { offset: 12, what, expected, found: offset }.into());
        }
        let part = crate::image::container::piece(buffer, self.header.grain - within);
        let place = self.header.directory + 4 * (index / self.header.entries);
        let table = match u32::from_le_bytes(self.store.entry(place)?) {
            0 => return Ok(zeros(part)),
            table => u64::from(table) * SECTOR,
        };
        let grain = match u32::from_le_bytes(self.store.entry(table + 4 * (index % self.header.entries))?) {
            0 => return Ok(zeros(part)),
            1 if self.header.flags & ZERO_GRAINS != 0 => return Ok(zeros(part)),
            grain => u64::from(grain) * SECTOR,
        };
        if self.is_compressed() {
            return self.unit.copy(index, within, part, || self.expand(grain, index));
        }
        self.store.read_exact_at(grain + within, part)?;
        Ok(part.len())
    }

    /// Returns the grains past the end of the file; the extent begins at byte `base` of the medium.
    pub(super) fn missing(&self, base: u64) -> Vec<Missing> {
        let Header { length, grain, entries, directory, flags, .. } = self.header;
        let (mut ranges, end) = (Ranges::default(), self.store.length());
        let covers = grain.saturating_mul(entries);
        // No complete extent has more tables than fit into it.
        let (mut left, mut at) = (end.min(MAX_SCANNED) / 4, 0u64);
        while at.saturating_mul(covers) < length && left > 0 {
            let Ok(entry) = self.store.entry(directory + 4 * at) else { break };
            let (table, first) = (u64::from(u32::from_le_bytes(entry)) * SECTOR, at * covers);
            at += 1;
            if table == 0 {
                continue;
            }
            let count = entries.min((length - first).div_ceil(grain));
            left = left.saturating_sub(count);
            let held = self.store.scan::<4>(table, count, |index, entry| {
                let (start, entry) = (first + index * grain, u32::from_le_bytes(entry));
                let stop = length.min(start + grain);
                let stored = if flags & COMPRESSED == 0 { stop - start } else { 1 };
                let is_zero = entry == 0 || entry == 1 && flags & ZERO_GRAINS != 0;
                if !is_zero && u64::from(entry) * SECTOR + stored > end {
                    ranges.add(base.saturating_add(start), base.saturating_add(stop));
                }
            });
            if let Ok(held) = held
                && held < count
            {
                let stop = length.min(first.saturating_add(covers));
                ranges.add(base.saturating_add(first + held * grain), base.saturating_add(stop));
            }
        }
        ranges.cut(end)
    }

    /// Expands the grain after its marker, which holds its first sector and the number of compressed bytes.
    fn expand(&self, offset: u64, index: u64) -> io::Result<Vec<u8>> {
        let marker: [u8; 12] = self.store.array(offset, "the marker of a grain")?;
        let (first, size) = (index * self.header.grain, u64::from(le_u32(&marker, 8)));
        if le_u64(&marker, 0) != first / SECTOR {
            let (what, expected, found) =
                ("sector in the marker of a grain", "that of the grain", le_u64(&marker, 0));
            return Err(ContainerError::Value { offset, what, expected, found }.into());
        }
        // Incompressible data grows by less than a thousandth.
        if size > self.header.grain + (64 << 10) {
            let (what, expected) = ("compressed bytes of a grain", "hardly more than a grain has");
            return Err(ContainerError::Value { offset: offset + 8, what, expected, found: size }.into());
        }
        let mut packed = vec![0; usize::try_from(size).unwrap_or_default()];
        self.store.read_exact_at(offset + 12, &mut packed)?;
        let length = |bytes: u64| usize::try_from(bytes).unwrap_or_default();
        let (whole, rest) = (length(self.header.grain), length(self.header.length - first));
        let bytes = match expand(Packing::Zlib, &packed, whole) {
            // The last grain may end with the disk.
            Err(_) if rest < whole => expand(Packing::Zlib, &packed, rest),
            other => other,
        };
        bytes.map_err(|source| ContainerError::Compressed { offset, source }.into())
    }
}

fn hosted_header(store: &Store, bytes: &[u8]) -> Result<Header, ContainerError> {
    if !bytes.starts_with(SPARSE) {
        let (what, expected, found) =
            ("signature of the extent", "\"KDMV\" or \"COWD\"", u64::from(le_u32(bytes, 0)));
        return Err(ContainerError::Value { offset: 0, what, expected, found });
    }
    let version = le_u32(bytes, 4);
    if !(1..=3).contains(&version) {
        let (what, expected, found) = ("version of the extent", "1 to 3", u64::from(version));
        return Err(ContainerError::Value { offset: 4, what, expected, found });
    }
    let flags = le_u32(bytes, 8);
    if flags & COMPRESSED != 0 && (flags & MARKERS == 0 || le_u16(bytes, 77) != 1) {
        return Err(ContainerError::Unsupported { what: "the grains are compressed in an unknown way" });
    }
    let mut directory = le_u64(bytes, 56);
    if directory == AT_END {
        let offset = store.length().saturating_sub(2 * SECTOR);
        let footer: [u8; 512] = store.array(offset, "the footer")?;
        directory = le_u64(&footer, 56);
        if !footer.starts_with(SPARSE) || directory == AT_END {
            let (what, expected, found) =
                ("signature of the footer", "\"KDMV\"", u64::from(le_u32(&footer, 0)));
            return Err(ContainerError::Value { offset, what, expected, found });
        }
    }
    let bytes_of = |at: usize| le_u64(bytes, at).saturating_mul(SECTOR);
    Ok(Header {
        length: bytes_of(12),
        grain: bytes_of(20),
        entries: u64::from(le_u32(bytes, 44)),
        directory: directory.saturating_mul(SECTOR),
        flags,
        descriptor: (bytes_of(28), if le_u64(bytes, 28) == 0 { 0 } else { bytes_of(36) }),
    })
}

/// Reads the header of an ESX extent: fixed tables of 4096 entries, no descriptor, no compression.
fn cow_header(bytes: &[u8]) -> Header {
    let bytes_of = |at: usize| u64::from(le_u32(bytes, at)) * SECTOR;
    let (length, grain, directory) = (bytes_of(12), bytes_of(16), bytes_of(20));
    Header { length, grain, entries: 4096, directory, flags: 0, descriptor: (0, 0) }
}

fn check(header: &Header) -> Result<(), ContainerError> {
    let value = |offset, what, expected, found| Err(ContainerError::Value { offset, what, expected, found });
    let limit = if header.flags & COMPRESSED == 0 { MAX_GRAIN } else { MAX_PACKED_GRAIN };
    if !header.grain.is_power_of_two() || header.grain > limit {
        return value(
            20,
            "bytes of a grain",
            "a power of two, at most 32 MiB, or 2 MiB where compressed",
            header.grain,
        );
    }
    if header.entries == 0 {
        return value(44, "entries of a grain table", "at least 1", 0);
    }
    if header.length > 1 << 62 {
        return value(12, "capacity", "at most 2^62 bytes", header.length);
    }
    Ok(())
}
