//! A small VHDX around a medium: log at 1 MiB, metadata at 2, block table at 3, blocks from 4 on.

use crate::containers::build::put;

const MIB: usize = 1 << 20;
const PAGE: usize = 4096;

const BLOCK_TABLE: [u8; 16] =
    [0x66, 0x77, 0xc2, 0x2d, 0x23, 0xf6, 0x00, 0x42, 0x9d, 0x64, 0x11, 0x5e, 0x9b, 0xfd, 0x4a, 0x08];
const METADATA: [u8; 16] =
    [0x06, 0xa2, 0x7c, 0x8b, 0x90, 0x47, 0x9a, 0x4b, 0xb8, 0xfe, 0x57, 0x5f, 0x05, 0x0f, 0x88, 0x6e];
const FILE_PARAMETERS: [u8; 16] =
    [0x37, 0x67, 0xa1, 0xca, 0x36, 0xfa, 0x43, 0x4d, 0xb3, 0xb6, 0x33, 0xf0, 0xaa, 0x44, 0xe7, 0x6b];
const DISK_SIZE: [u8; 16] =
    [0x24, 0x42, 0xa5, 0x2f, 0x1b, 0xcd, 0x76, 0x48, 0xb2, 0x11, 0x5d, 0xbe, 0xd8, 0x3b, 0xf4, 0xb8];
const SECTOR_SIZE: [u8; 16] =
    [0x1d, 0xbf, 0x41, 0x81, 0x6f, 0xa9, 0x09, 0x47, 0xba, 0x47, 0xf2, 0x33, 0xa8, 0xfa, 0xab, 0x5f];
const PARENT_LOCATOR: [u8; 16] =
    [0x2d, 0x5f, 0xd3, 0xa8, 0x0b, 0xb3, 0x4d, 0x45, 0xab, 0xf7, 0xd3, 0xd8, 0x48, 0x34, 0xab, 0x0c];

/// A unit of zeros in the first block, which the log sets to zero.
const ZEROS: usize = 4 * MIB + (64 << 10);
const ZEROS_LENGTH: usize = 64 << 10;

/// The number of the active log.
const LOG_ID: [u8; 16] = [5; 16];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    Empty,
    /// The block table and some zeros are only in the log, in an entry that wraps around the log's end, with
    /// stale entries next to it.
    HoldsTheBlockTable,
    /// An empty log, and a parent.
    HasAParent,
}

pub(crate) fn build(medium: &[u8], log: Log) -> Vec<u8> {
    let mut image = vec![0; 4 * MIB];
    put(&mut image, 0, b"vhdxfile");
    for (at, sequence) in [(64 << 10, 7u64), (128 << 10, 8)] {
        put(&mut image, at, b"head");
        put(&mut image, at + 8, &sequence.to_le_bytes());
        put(&mut image, at + 16, &[1; 32]);
        put(&mut image, at + 66, &1u16.to_le_bytes());
        put(&mut image, at + 68, &u32::try_from(MIB).unwrap().to_le_bytes());
        put(&mut image, at + 72, &1_048_576u64.to_le_bytes());
        // The older header still says that the log is empty.
        if log == Log::HoldsTheBlockTable && sequence == 8 {
            put(&mut image, at + 48, &LOG_ID);
        }
    }
    for at in [192 << 10, 256 << 10] {
        put(&mut image, at, b"regi");
        put(&mut image, at + 8, &2u32.to_le_bytes());
        for (index, (id, offset)) in
            [(BLOCK_TABLE, 3 * MIB as u64), (METADATA, 2 * MIB as u64)].iter().enumerate()
        {
            put(&mut image, at + 16 + 32 * index, id);
            put(&mut image, at + 32 + 32 * index, &offset.to_le_bytes());
            put(&mut image, at + 40 + 32 * index, &u32::try_from(MIB).unwrap().to_le_bytes());
        }
    }
    metadata(&mut image, medium, log == Log::HasAParent);
    let table = blocks(&mut image, medium);
    match log {
        Log::Empty | Log::HasAParent => put(&mut image, 3 * MIB, &table),
        Log::HoldsTheBlockTable => {
            put(&mut image, 3 * MIB, &[0xaa; 32]);
            put(&mut image, ZEROS, &[0xbb; ZEROS_LENGTH]);
            let last = MIB - PAGE;
            entry(&mut image, last, 30, last, &table);
            // One older than the active entry, and one of another log.
            entry(&mut image, 5 * PAGE, 29, 5 * PAGE, &[0x11; PAGE]);
            entry(&mut image, 9 * PAGE, 99, 9 * PAGE, &[0x22; PAGE]);
            put(&mut image, MIB + 9 * PAGE + 32, &[6; 16]);
        }
    }
    seal(&mut image);
    image
}

fn metadata(image: &mut Vec<u8>, medium: &[u8], parent: bool) {
    let at = 2 * MIB;
    put(image, at, b"metadata");
    let parameters =
        [u32::try_from(MIB).unwrap().to_le_bytes(), (u32::from(parent) * 2).to_le_bytes()].concat();
    let mut items = vec![
        (FILE_PARAMETERS, parameters),
        (DISK_SIZE, u64::try_from(medium.len()).unwrap().to_le_bytes().to_vec()),
        (SECTOR_SIZE, 512u32.to_le_bytes().to_vec()),
    ];
    if parent {
        items.push((PARENT_LOCATOR, locator("absolute_win32_path", "C:\\base.vhdx")));
    }
    put(image, at + 10, &u16::try_from(items.len()).unwrap().to_le_bytes());
    let mut place = 64 << 10;
    for (index, (id, bytes)) in items.into_iter().enumerate() {
        let entry = at + 32 + 32 * index;
        put(image, entry, &id);
        put(image, entry + 16, &u32::try_from(place).unwrap().to_le_bytes());
        put(image, entry + 20, &u32::try_from(bytes.len()).unwrap().to_le_bytes());
        put(image, at + place, &bytes);
        place += bytes.len();
    }
}

fn locator(key: &str, value: &str) -> Vec<u8> {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (key, value) = (utf16(key), utf16(value));
    let mut bytes = vec![0; 18];
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(32u32.to_le_bytes());
    bytes.extend(u32::try_from(32 + key.len()).unwrap().to_le_bytes());
    bytes.extend(u16::try_from(key.len()).unwrap().to_le_bytes());
    bytes.extend(u16::try_from(value.len()).unwrap().to_le_bytes());
    [bytes, key, value].concat()
}

/// Appends the blocks; returns the first page of the table.
fn blocks(image: &mut Vec<u8>, medium: &[u8]) -> Vec<u8> {
    let mut table = vec![0; PAGE];
    for (index, block) in medium.chunks(MIB).enumerate() {
        let entry = u64::try_from(image.len()).unwrap() | 6;
        put(&mut table, 8 * index, &entry.to_le_bytes());
        image.extend(block);
        image.resize(image.len().next_multiple_of(MIB), 0);
    }
    table
}

/// Writes an entry at `at` of the log that changes the first page of the block table and zeros a unit, wrapping
/// around the log's end.
fn entry(image: &mut [u8], at: usize, sequence: u64, tail: usize, page: &[u8]) {
    let mut bytes = vec![0; 2 * PAGE];
    put(&mut bytes, 0, b"loge");
    put(&mut bytes, 8, &u32::try_from(2 * PAGE).unwrap().to_le_bytes());
    put(&mut bytes, 12, &u32::try_from(tail).unwrap().to_le_bytes());
    put(&mut bytes, 16, &sequence.to_le_bytes());
    put(&mut bytes, 24, &2u32.to_le_bytes());
    put(&mut bytes, 32, &LOG_ID);
    put(&mut bytes, 64, b"desc");
    put(&mut bytes, 68, &page[PAGE - 4..]);
    put(&mut bytes, 72, &page[..8]);
    put(&mut bytes, 80, &(3 * MIB as u64).to_le_bytes());
    put(&mut bytes, 88, &sequence.to_le_bytes());
    put(&mut bytes, 96, b"zero");
    put(&mut bytes, 104, &(ZEROS_LENGTH as u64).to_le_bytes());
    put(&mut bytes, 112, &(ZEROS as u64).to_le_bytes());
    put(&mut bytes, 120, &sequence.to_le_bytes());
    put(&mut bytes, PAGE, b"data");
    put(&mut bytes, PAGE + 8, &page[8..PAGE - 4]);
    let checksum = crc32c(&bytes);
    put(&mut bytes, 4, &checksum.to_le_bytes());
    for (index, byte) in bytes.into_iter().enumerate() {
        image[MIB + (at + index) % MIB] = byte;
    }
}

/// Corrects the checksums of headers and region tables.
pub(crate) fn seal(image: &mut [u8]) {
    for (at, length) in [(64 << 10, PAGE), (128 << 10, PAGE), (192 << 10, 64 << 10), (256 << 10, 64 << 10)] {
        if let Some(bytes) = image.get_mut(at..at + length) {
            bytes[4..8].fill(0);
            let checksum = crc32c(bytes);
            bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        }
    }
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 * (crc & 1)))
    })
}
