//! Header, region table and metadata of a VHDX ([MS-VHDX] sections 2.2 and 2.6).

use super::crc::crc32c;
use super::{ContainerError, MIB, Store, le_u32, le_u64, shown_utf16};
use crate::image::container::store::le_u16;

/// The two copies of the header and of the region table.
const HEADERS: [u64; 2] = [64 << 10, 128 << 10];
const TABLES: [u64; 2] = [192 << 10, 256 << 10];

const BLOCK_TABLE: u128 = 0x2dc2_7766_f623_4200_9d64_115e_9bfd_4a08;
const METADATA: u128 = 0x8b7c_a206_4790_4b9a_b8fe_575f_050f_886e;

const FILE_PARAMETERS: u128 = 0xcaa1_6737_fa36_4d43_b3b6_33f0_aa44_e76b;
const DISK_SIZE: u128 = 0x2fa5_4224_cd1b_4876_b211_5dbe_d83b_f4b8;
const SECTOR_SIZE: u128 = 0x8141_bf1d_a96f_4709_ba47_f233_a8fa_ab5f;
const DISK_ID: u128 = 0xbeca_12ab_b2e6_4523_93ef_c309_e000_c746;
const PARENT_LOCATOR: u128 = 0xa8d3_5f2d_b30b_454d_abf7_d3d8_4834_ab0c;

/// The longest metadata item, and the longest parent locator, that is read, in bytes.
const MAX_ITEM: u32 = 64 << 10;

/// The required fields of a header.
pub(super) struct Header {
    sequence: u64,
    pub(super) file_write: [u8; 16],
    pub(super) data_write: [u8; 16],
    pub(super) log_id: [u8; 16],
    pub(super) log: Region,
}

/// A part of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// The required items of the metadata.
pub(super) struct Metadata {
    pub(super) length: u64,
    pub(super) block: u32,
    pub(super) sector: u32,
    pub(super) id: Option<[u8; 16]>,
    pub(super) parent: Option<String>,
}

/// Returns the current header: of those with a valid checksum, the one written last.
pub(super) fn header(store: &Store) -> Result<Header, ContainerError> {
    let copies = HEADERS.into_iter().filter_map(|offset| copy(store, offset));
    let newest = copies.max_by_key(|header| header.sequence);
    newest.ok_or(ContainerError::Checksum { offset: HEADERS[0], what: "both headers" })
}

fn copy(store: &Store, offset: u64) -> Option<Header> {
    let bytes: [u8; 4096] = store.array(offset, "a header").ok()?;
    if !bytes.starts_with(b"head") || crc32c(&bytes) != le_u32(&bytes, 4) {
        return None;
    }
    let id = |at: usize| bytes.get(at..at + 16).and_then(|id| id.try_into().ok()).unwrap_or_default();
    let log = Region { offset: le_u64(&bytes, 72), length: u64::from(le_u32(&bytes, 68)) };
    Some(Header { sequence: le_u64(&bytes, 8), file_write: id(16), data_write: id(32), log_id: id(48), log })
}

/// Finds the block table and the metadata.
pub(super) fn find(store: &Store) -> Result<(Region, Region), ContainerError> {
    let mut error = ContainerError::Checksum { offset: TABLES[0], what: "both region tables" };
    for offset in TABLES {
        let mut bytes = vec![0; 64 << 10];
        if store.read_exact_at(offset, &mut bytes).is_err()
            || !bytes.starts_with(b"regi")
            || crc32c(&bytes) != le_u32(&bytes, 4)
        {
            continue;
        }
        match entries(store, offset, &bytes) {
            Ok(found) => return Ok(found),
            Err(wrong) => error = wrong,
        }
    }
    Err(error)
}

fn entries(store: &Store, offset: u64, bytes: &[u8]) -> Result<(Region, Region), ContainerError> {
    let (mut table, mut metadata) = (None, None);
    let count = usize::try_from(le_u32(bytes, 8)).unwrap_or_default().min(2047);
    for entry in bytes.get(16..).unwrap_or_default().as_chunks::<32>().0.iter().take(count) {
        let region = Region { offset: le_u64(entry, 16), length: u64::from(le_u32(entry, 24)) };
        let kind = match id(entry) {
            BLOCK_TABLE => &mut table,
            METADATA => &mut metadata,
            _ if le_u32(entry, 28) & 1 == 0 => continue,
            _ => return Err(ContainerError::Unsupported { what: "an unknown region is required" }),
        };
        if region.offset < MIB
            || region.offset.checked_add(region.length).is_none_or(|end| end > store.length())
        {
            let (what, expected) = ("offset of a region", "a region behind the first MiB, within the file");
            return Err(ContainerError::Value { offset, what, expected, found: region.offset });
        }
        *kind = Some(region);
    }
    let missing = ContainerError::Missing { what: "region of the block table or of the metadata" };
    table.zip(metadata).ok_or(missing)
}

/// Returns the identifier at the start of an entry, in written order.
fn id(entry: &[u8]) -> u128 {
    let (a, b, c) = (le_u32(entry, 0), le_u16(entry, 4), le_u16(entry, 6));
    let rest = entry.get(8..16).and_then(|rest| rest.try_into().ok()).map_or(0, u64::from_be_bytes);
    (u128::from(a) << 96) | (u128::from(b) << 80) | (u128::from(c) << 64) | u128::from(rest)
}

pub(super) fn metadata(store: &Store, region: Region) -> Result<Metadata, ContainerError> {
    let offset = region.offset;
    let table: Box<[u8; 65536]> = Box::new(store.array(offset, "the metadata table")?);
    if !table.starts_with(b"metadata") {
        let (what, expected, found) = ("signature of the metadata", "\"metadata\"", le_u64(&*table, 0));
        return Err(ContainerError::Value { offset, what, expected, found });
    }
    let mut found = Metadata { length: 0, block: 0, sector: 0, id: None, parent: None };
    let mut locator = String::new();
    let count = usize::from(le_u16(&*table, 10)).min(2047);
    for entry in table.get(32..).unwrap_or_default().as_chunks::<32>().0.iter().take(count) {
        let item = || item(store, region, entry);
        match id(entry) {
            FILE_PARAMETERS => {
                let item = item()?;
                found.block = le_u32(&item, 0);
                found.parent = (le_u32(&item, 4) & 2 != 0).then(String::new);
            }
            DISK_SIZE => found.length = le_u64(&item()?, 0),
            SECTOR_SIZE => found.sector = le_u32(&item()?, 0),
            DISK_ID => found.id = item()?.get(..16).and_then(|id| id.try_into().ok()),
            PARENT_LOCATOR => locator = parent_path(&item()?),
            // Bit 2 means that a reader must understand the item. The physical sector size is the only other
            // item that is defined.
            _ => {}
        }
    }
    if let Some(parent) = &mut found.parent {
        *parent = locator;
    }
    check(&found, offset)?;
    Ok(found)
}

fn item(store: &Store, region: Region, entry: &[u8]) -> Result<Vec<u8>, ContainerError> {
    let (offset, length) = (le_u32(entry, 16), le_u32(entry, 20).min(MAX_ITEM));
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    let at = region.offset.saturating_add(u64::from(offset));
    store
        .read_exact_at(at, &mut bytes)
        .map_err(|source| ContainerError::Read { what: "the metadata", source })?;
    Ok(bytes)
}

fn check(found: &Metadata, offset: u64) -> Result<(), ContainerError> {
    let value = |what, expected, found| Err(ContainerError::Value { offset, what, expected, found });
    if !(1 << 20..=256 << 20).contains(&found.block) || !found.block.is_power_of_two() {
        return value("block size", "a power of two of 1 to 256 MiB", u64::from(found.block));
    }
    if ![512, 4096].contains(&found.sector) {
        return value("logical sector size", "512 or 4096", u64::from(found.sector));
    }
    if found.length > 64 << 40 || !found.length.is_multiple_of(u64::from(found.sector)) {
        return value("size of the disk", "whole sectors, at most 64 TiB", found.length);
    }
    Ok(())
}

/// Returns the path in a parent locator ([MS-VHDX] section 2.6.2.6): the absolute one, or else any.
fn parent_path(item: &[u8]) -> String {
    let text = |at: u32, length: u16| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let bytes = item.get(at..at.saturating_add(usize::from(length))).unwrap_or_default();
        shown_utf16(bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)))
    };
    let entries = item.get(20..).unwrap_or_default().as_chunks::<12>().0.iter();
    let pairs: Vec<_> = entries
        .take(usize::from(le_u16(item, 18)).min(64))
        .map(|entry| {
            let key = text(le_u32(entry, 0), le_u16(entry, 8));
            (key, text(le_u32(entry, 4), le_u16(entry, 10)))
        })
        .collect();
    let named = |wanted: &str| pairs.iter().find(|(key, _)| key == wanted);
    let path =
        named("absolute_win32_path").or_else(|| named("relative_path")).or_else(|| named("volume_path"));
    path.map(|(_, path)| path.clone()).unwrap_or_default()
}
