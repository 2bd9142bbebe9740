//! VHD: fixed and dynamic virtual hard disks.
//!
//! Source: Virtual Hard Disk Image Format Specification 1.0 (Microsoft, 2006). All numbers are big-endian.
//! A fixed disk is the medium and a footer; a dynamic one has a copy of the footer at byte 0, a header, and a table of blocks.

use super::acquisition::{Acquisition, ContainerFormat, shown_utf16};
use super::error::ContainerError;
use super::missing::{Missing, Ranges};
use super::store::{Store, be_u32, be_u64};
use super::{Medium, zeros};
use ledger::{Precision, Utc};
use std::io;
use std::path::Path;

pub(super) const COOKIE: &[u8; 8] = b"conectix";

const FOOTER: usize = 512;
const SECTOR: u64 = 512;

/// Entry of the block table: the block was never written.
const UNUSED: u32 = u32::MAX;

/// 2000-01-01T00:00:00Z in seconds since 1970: the epoch of the format.
const EPOCH: i128 = 946_684_800;

pub(super) struct Vhd {
    store: Store,
    length: u64,
    blocks: Option<Blocks>,
}

/// The block table of a dynamic disk.
struct Blocks {
    table: u64,
    count: u32,
    size: u32,
}

pub(super) fn open(path: &Path) -> Result<(Vhd, Acquisition), ContainerError> {
    let store = Store::open(path)?;
    let (footer, offset) = footer(&store)?;
    let length = be_u64(&footer, 48);
    let disk_type = be_u32(&footer, 60);
    let blocks = match disk_type {
        2 => None,
        3 => Some(blocks(&store, be_u64(&footer, 16))?),
        4 => return Err(ContainerError::Parent { parent: parent(&store, be_u64(&footer, 16)) }),
        found => {
            let (what, expected, found) =
                ("disk type", "2 (fixed), 3 (dynamic) or 4 (differencing)", u64::from(found));
            return Err(ContainerError::Value { offset: offset + 60, what, expected, found });
        }
    };
    if blocks.is_none() && length > offset {
        let (what, expected) = ("current size", "at most the bytes before the footer");
        return Err(ContainerError::Value { offset: offset + 48, what, expected, found: length });
    }
    let acquisition = describe(&footer, length, blocks.as_ref());
    Ok((Vhd { store, length, blocks }, acquisition))
}

impl Medium for Vhd {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(blocks) = &self.blocks else { return self.store.read_up_to(offset, buffer) };
        let (size, index) = (u64::from(blocks.size), offset / u64::from(blocks.size));
        let within = offset % size;
        let part = super::piece(buffer, size - within);
        if index >= u64::from(blocks.count) {
            let (what, expected) = ("number of the block", "one that the block table has");
            return Err(ContainerError::Value { offset: blocks.table, what, expected, found: index }.into());
        }
        let first = match u32::from_be_bytes(self.store.entry(blocks.table + 4 * index)?) {
            UNUSED => return Ok(zeros(part)),
            first => u64::from(first) * SECTOR,
        };
        // A block begins with a bitmap of its sectors, padded to whole sectors; sectors with clear bits are
        // stored as zeros.
        let bitmap = size.div_ceil(SECTOR * 8).next_multiple_of(SECTOR);
        self.store.read_exact_at(first + bitmap + within, part)?;
        Ok(part.len())
    }

    fn missing(&self) -> Vec<Missing> {
        let (mut ranges, end) = (Ranges::default(), self.store.length());
        let Some(blocks) = &self.blocks else { return Vec::new() };
        let size = u64::from(blocks.size);
        let needed = u64::from(blocks.count).min(self.length.div_ceil(size));
        let bitmap = size.div_ceil(SECTOR * 8).next_multiple_of(SECTOR);
        // An unreadable part of the table makes only the reads that need it fail.
        let _ = self.store.scan::<4>(blocks.table, needed, |index, entry| {
            let (start, first) = (index * size, u32::from_be_bytes(entry));
            let stop = self.length.min(start + size);
            let stored = u64::from(first) * SECTOR + bitmap + (stop - start);
            if first != UNUSED && stored > end {
                ranges.add(start, stop);
            }
        });
        ranges.cut(end)
    }
}

/// Finds the footer and its offset: the last 512 bytes (511 in files of old programs), or the copy at the start
/// of a dynamic disk.
fn footer(store: &Store) -> Result<([u8; FOOTER], u64), ContainerError> {
    let mut damaged = None;
    for from_end in [512, 511] {
        let Some(offset) = store.length().checked_sub(from_end) else { continue };
        let mut bytes = [0; FOOTER];
        let read = store.read_up_to(offset, &mut bytes);
        read.map_err(|source| ContainerError::Read { what: "the footer", source })?;
        if bytes.starts_with(COOKIE) {
            if has_checksum(&bytes, 64) {
                return Ok((bytes, offset));
            }
            damaged = Some(ContainerError::Checksum { offset, what: "the footer" });
        }
    }
    let copy: [u8; FOOTER] = store.array(0, "the copy of the footer")?;
    if copy.starts_with(COOKIE) && has_checksum(&copy, 64) && be_u32(&copy, 60) != 2 {
        return Ok((copy, 0));
    }
    Err(damaged.unwrap_or(ContainerError::Checksum { offset: 0, what: "the copy of the footer" }))
}

/// Checks whether the field at `at` is the complement of the sum of all other bytes.
fn has_checksum(bytes: &[u8], at: usize) -> bool {
    let others = bytes.iter().enumerate().filter(|(index, _)| !(at..at + 4).contains(index));
    let sum = others.fold(0u32, |sum, (_, byte)| sum.wrapping_add(u32::from(*byte)));
    !sum == be_u32(bytes, at)
}

fn blocks(store: &Store, offset: u64) -> Result<Blocks, ContainerError> {
    let header: [u8; 1024] = store.array(offset, "the dynamic disk header")?;
    if !header.starts_with(b"cxsparse") {
        let (what, expected, found) = ("cookie", "\"cxsparse\"", be_u64(&header, 0));
        return Err(ContainerError::Value { offset, what, expected, found });
    }
    if !has_checksum(&header, 36) {
        return Err(ContainerError::Checksum { offset, what: "the dynamic disk header" });
    }
    let size = be_u32(&header, 32);
    if size < 512 || !size.is_power_of_two() {
        let (what, expected, found) = ("block size", "a power of two, at least 512", u64::from(size));
        return Err(ContainerError::Value { offset: offset + 32, what, expected, found });
    }
    let (table, count) = (be_u64(&header, 16), be_u32(&header, 28));
    if table.checked_add(4 * u64::from(count)).is_none_or(|end| end > store.length()) {
        let (what, expected) = ("offset of the block table", "a table that ends within the file");
        return Err(ContainerError::Value { offset: offset + 16, what, expected, found: table });
    }
    Ok(Blocks { table, count, size })
}

/// Returns the parent's name in the header of a differencing disk.
fn parent(store: &Store, offset: u64) -> String {
    let header: [u8; 1024] = store.array(offset, "the dynamic disk header").unwrap_or([0; 1024]);
    let name = header.get(64..576).unwrap_or_default();
    shown_utf16(name.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)))
}

fn describe(footer: &[u8], length: u64, blocks: Option<&Blocks>) -> Acquisition {
    let mut acquisition = Acquisition::new(ContainerFormat::Vhd, length);
    acquisition.sector_size = Some(512);
    acquisition.chunk_size = blocks.map(|blocks| blocks.size);
    let seconds = Some(be_u32(footer, 24)).filter(|seconds| *seconds > 0);
    let unix = seconds.map(|seconds| (EPOCH + i128::from(seconds)) * 1_000_000_000);
    acquisition.created = unix.and_then(Utc::from_unix_nanoseconds);
    let text = |range: std::ops::Range<usize>| {
        let bytes = footer.get(range).unwrap_or_default();
        String::from_utf8_lossy(bytes).trim_matches(['\0', ' ']).to_owned()
    };
    acquisition.value("creator application", &text(28..32));
    acquisition.value("creator host", &text(36..40));
    acquisition.value("disk type", if blocks.is_some() { "dynamic" } else { "fixed" });
    acquisition.value("original size", &be_u64(footer, 40).to_string());
    if let Some(created) = acquisition.created {
        acquisition.value("created", &created.to_text(Precision::Second));
    }
    let id = footer.get(68..84).unwrap_or_default();
    acquisition.identifier("unique id", &super::acquisition::uuid(id));
    acquisition
}
