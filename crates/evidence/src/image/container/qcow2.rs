//! QCOW2, versions 2 and 3.
//!
//! Source: QEMU, docs/interop/qcow2.rst. All numbers are big-endian.
//! Only the active state of the disk is read; internal snapshots are counted, not opened.

use super::acquisition::{Acquisition, ContainerFormat, shown};
use super::error::ContainerError;
use super::inflate::{Packing, expand};
use super::missing::{Missing, Ranges};
use super::store::{Store, be_u32, be_u64};
use super::{Medium, Unit, zeros};
use std::io;
use std::path::Path;

pub(super) const MAGIC: &[u8; 4] = b"QFI\xfb";

/// Offset bits of an L1 or L2 entry.
const OFFSET: u64 = 0x00ff_ffff_ffff_fe00;

/// Bit of an L2 entry: the cluster is compressed.
const COMPRESSED: u64 = 1 << 62;

/// Bit of an L2 entry in version 3: the cluster reads as zeros.
const ZERO: u64 = 1;

/// The most bytes of L2 tables that are scanned when the image is opened: those of 8 TiB in clusters of 64 KiB.
const MAX_SCANNED: u64 = 1 << 30;

/// Incompatible features that make no difference to a reader: dirty, corrupt.
const HARMLESS: u64 = 0b11;

/// Incompatible feature: the header holds the compression type.
const COMPRESSION_TYPE: u64 = 1 << 3;

pub(super) struct Qcow2 {
    store: Store,
    header: Header,
    /// The compressed clusters read last.
    unit: Unit,
}

struct Header {
    version: u32,
    bits: u32,
    length: u64,
    l1: u64,
    l1_entries: u64,
    packing: Packing,
}

pub(super) fn open(path: &Path) -> Result<(Qcow2, Acquisition), ContainerError> {
    let store = Store::open(path)?;
    let mut bytes = [0; 112];
    let read = store.read_up_to(0, &mut bytes);
    if read.map_err(|source| ContainerError::Read { what: "the header", source })? < 72 {
        return Err(ContainerError::Cut { offset: 0, expected: 72, length: store.length() });
    }
    refuse(&store, &bytes)?;
    let header = header(&store, &bytes)?;
    let acquisition = describe(&bytes, &header);
    Ok((Qcow2 { store, header, unit: Unit::default() }, acquisition))
}

impl Medium for Qcow2 {
    fn length(&self) -> u64 {
        self.header.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let cluster = 1 << self.header.bits;
        let within = offset % cluster;
        let part = super::piece(buffer, cluster - within);
        match self.entry(offset / cluster)? {
            0 => Ok(zeros(part)),
            entry if entry & COMPRESSED != 0 => {
                let unit = || self.expand(entry);
                self.unit.copy(entry, within, part, unit)
            }
            entry if entry & ZERO != 0 && self.header.version > 2 => Ok(zeros(part)),
            entry if entry & OFFSET == 0 => Ok(zeros(part)),
            entry => {
                self.store.read_exact_at((entry & OFFSET) + within, part)?;
                Ok(part.len())
            }
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let (mut ranges, end) = (Ranges::default(), self.store.length());
        let (cluster, entries) = (1 << self.header.bits, 1 << (self.header.bits - 3));
        // No complete image has more tables than fit into it.
        let (mut left, mut at) = (end.min(MAX_SCANNED) / cluster, 0);
        let covers: u64 = cluster * entries;
        while at < self.header.l1_entries && at.saturating_mul(covers) < self.header.length && left > 0 {
            let Ok(entry) = self.store.entry(self.header.l1 + 8 * at) else { break };
            let (table, base) = (u64::from_be_bytes(entry) & OFFSET, at * covers);
            at += 1;
            if table == 0 {
                continue;
            }
            left -= 1;
            let held = self.store.scan::<8>(table, entries, |index, entry| {
                let (start, entry) = (base + index * cluster, u64::from_be_bytes(entry));
                let stop = self.length().min(start.saturating_add(cluster));
                if start < stop && self.stored_end(entry, stop - start) > end {
                    ranges.add(start, stop);
                }
            });
            if let Ok(held) = held
                && held < entries
            {
                ranges.add(base + held * cluster, self.length().min(base.saturating_add(covers)));
            }
        }
        ranges.cut(end)
    }
}

impl Qcow2 {
    /// Returns the L2 entry of a cluster; 0 if there is none.
    fn entry(&self, cluster: u64) -> io::Result<u64> {
        let l2_bits = self.header.bits - 3;
        let (upper, lower) = (cluster >> l2_bits, cluster & ((1 << l2_bits) - 1));
        if upper >= self.header.l1_entries {
            let (what, expected) = ("entry of the L1 table", "one that the table has");
            return Err(ContainerError::Value { offset: self.header.l1, what, expected, found: upper }.into());
        }
        let table = u64::from_be_bytes(self.store.entry(self.header.l1 + 8 * upper)?) & OFFSET;
        match table {
            0 => Ok(0),
            table => Ok(u64::from_be_bytes(self.store.entry(table + 8 * lower)?)),
        }
    }

    /// Returns the byte after the `length` bytes that an L2 entry stands for; 0 if none are stored.
    fn stored_end(&self, entry: u64, length: u64) -> u64 {
        let shift = 62 - (self.header.bits - 8);
        match entry {
            // Compressed bytes may end before the last counted sector does.
            _ if entry & COMPRESSED != 0 => (entry & ((1 << shift) - 1)) + 1,
            _ if entry & OFFSET == 0 || (entry & ZERO != 0 && self.header.version > 2) => 0,
            _ => (entry & OFFSET) + length,
        }
    }

    /// Expands the cluster of a compressed entry.
    fn expand(&self, entry: u64) -> io::Result<Vec<u8>> {
        let shift = 62 - (self.header.bits - 8);
        let offset = entry & ((1 << shift) - 1);
        // The number of further sectors after the one in which the compressed bytes begin.
        let sectors = (entry & (COMPRESSED - 1)) >> shift;
        let size = (sectors + 1) * 512 - offset % 512;
        let mut packed = vec![0; usize::try_from(size).unwrap_or_default()];
        let read = self.store.read_up_to(offset, &mut packed)?;
        let packed = packed.get(..read).unwrap_or_default();
        expand(self.header.packing, packed, 1 << self.header.bits)
            .map_err(|source| ContainerError::Compressed { offset, source }.into())
    }
}

/// Refuses an image that we would read wrongly.
fn refuse(store: &Store, bytes: &[u8]) -> Result<(), ContainerError> {
    let version = be_u32(bytes, 4);
    if !(2..=3).contains(&version) {
        let (what, expected, found) = ("version", "2 or 3", u64::from(version));
        return Err(ContainerError::Value { offset: 4, what, expected, found });
    }
    if be_u64(bytes, 8) != 0 {
        return Err(ContainerError::Parent { parent: backing_file(store, bytes) });
    }
    if be_u32(bytes, 32) != 0 {
        return Err(ContainerError::Unsupported { what: "the clusters are encrypted" });
    }
    let features = if version > 2 { be_u64(bytes, 72) } else { 0 };
    let unknown = features & !(HARMLESS | COMPRESSION_TYPE);
    match unknown {
        0 => Ok(()),
        _ if unknown & 4 != 0 => {
            Err(ContainerError::Unsupported { what: "the clusters stand in another file" })
        }
        _ if unknown & 16 != 0 => Err(ContainerError::Unsupported { what: "the L2 entries are extended" }),
        found => {
            let (what, expected) = ("incompatible features", "none that are unknown");
            Err(ContainerError::Value { offset: 72, what, expected, found })
        }
    }
}

/// Returns the name of the image that this one is based on.
fn backing_file(store: &Store, bytes: &[u8]) -> String {
    let mut name = vec![0; usize::try_from(be_u32(bytes, 16)).unwrap_or_default().min(1023)];
    let read = store.read_up_to(be_u64(bytes, 8), &mut name).unwrap_or_default();
    shown(&String::from_utf8_lossy(name.get(..read).unwrap_or_default()))
}

fn header(store: &Store, bytes: &[u8]) -> Result<Header, ContainerError> {
    let value = |offset, what, expected, found| Err(ContainerError::Value { offset, what, expected, found });
    let (version, bits, length) = (be_u32(bytes, 4), be_u32(bytes, 20), be_u64(bytes, 24));
    if !(9..=21).contains(&bits) {
        return value(20, "cluster bits", "9 to 21", u64::from(bits));
    }
    if length > 1 << 62 {
        return value(24, "size of the disk", "at most 2^62", length);
    }
    let (l1, l1_entries) = (be_u64(bytes, 40), u64::from(be_u32(bytes, 36)));
    if l1.checked_add(8 * l1_entries).is_none_or(|end| end > store.length()) {
        return value(40, "offset of the L1 table", "a table that ends within the file", l1);
    }
    let stated = version > 2 && be_u64(bytes, 72) & COMPRESSION_TYPE != 0;
    let packing = match bytes.get(104).filter(|_| stated) {
        None | Some(0) => Packing::Deflate,
        Some(1) => Packing::Zstd,
        Some(found) => return value(104, "compression type", "0 (zlib) or 1 (zstd)", u64::from(*found)),
    };
    Ok(Header { version, bits, length, l1, l1_entries, packing })
}

fn describe(bytes: &[u8], header: &Header) -> Acquisition {
    let mut acquisition = Acquisition::new(ContainerFormat::Qcow2, header.length);
    acquisition.chunk_size = Some(1 << header.bits);
    acquisition.value("version", &header.version.to_string());
    acquisition.value("internal snapshots", &be_u32(bytes, 60).to_string());
    let features = if header.version > 2 { be_u64(bytes, 72) } else { 0 };
    if features & 1 != 0 {
        acquisition.value("state", "not closed cleanly");
    }
    if features & 2 != 0 {
        acquisition.value("consistency", "marked as corrupt");
    }
    acquisition
}
