//! Small VHD, QCOW2 and VMDK images around a medium, by their specifications.

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use std::io::Write;
use std::path::Path;

const UNIT: usize = 64 << 10;
const SECTOR: usize = 512;

#[expect(clippy::disallowed_methods, reason = "a test writes its fixture")]
pub(crate) fn save(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

/// Returns 20.5 units: bytes of all kinds, units of zeros, one partition.
pub(crate) fn medium() -> Vec<u8> {
    let mut state: u32 = 1;
    let mut medium: Vec<u8> = (0..20 * UNIT + UNIT / 2)
        .map(|index| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match index / UNIT % 4 {
                0 => state.to_be_bytes()[0],
                1 => 0,
                2 => u8::try_from(index / 97 % 251).unwrap(),
                _ => b"forensic"[index % 8],
            }
        })
        .collect();
    medium[446 + 4] = 0x06;
    medium[454..458].copy_from_slice(&64u32.to_le_bytes());
    medium[458..462].copy_from_slice(&128u32.to_le_bytes());
    medium[510..512].copy_from_slice(&[0x55, 0xaa]);
    medium[462..510].fill(0);
    medium
}

pub(crate) fn put(bytes: &mut Vec<u8>, at: usize, field: &[u8]) {
    bytes.resize(bytes.len().max(at + field.len()), 0);
    bytes[at..at + field.len()].copy_from_slice(field);
}

fn u64_of(value: usize) -> u64 {
    u64::try_from(value).unwrap()
}

fn u32_of(value: usize) -> u32 {
    u32::try_from(value).unwrap()
}

/// Returns the units of the medium, the last one padded; `None` for a unit of zeros.
fn units(medium: &[u8]) -> impl Iterator<Item = Option<Vec<u8>>> {
    medium.chunks(UNIT).map(|unit| {
        let mut padded = unit.to_vec();
        padded.resize(UNIT, 0);
        unit.iter().any(|byte| *byte != 0).then_some(padded)
    })
}

fn vhd_checksum(bytes: &mut [u8], at: usize) {
    bytes[at..at + 4].fill(0);
    let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
    bytes[at..at + 4].copy_from_slice(&(!sum).to_be_bytes());
}

/// Returns a footer with the time 2000-01-02.
fn vhd_footer(medium: &[u8], kind: u32, header: u64) -> Vec<u8> {
    let mut footer = vec![0; 512];
    put(&mut footer, 0, b"conectix");
    put(&mut footer, 12, &0x10000u32.to_be_bytes());
    put(&mut footer, 16, &header.to_be_bytes());
    put(&mut footer, 24, &86_400u32.to_be_bytes());
    put(&mut footer, 40, &u64_of(medium.len()).to_be_bytes());
    put(&mut footer, 48, &u64_of(medium.len()).to_be_bytes());
    put(&mut footer, 60, &kind.to_be_bytes());
    put(&mut footer, 68, &[9; 16]);
    vhd_checksum(&mut footer, 64);
    footer
}

pub(crate) fn vhd_fixed(medium: &[u8]) -> Vec<u8> {
    [medium, &vhd_footer(medium, 2, u64::MAX)].concat()
}

/// Kind 3 is dynamic, 4 differencing.
pub(crate) fn vhd_dynamic(medium: &[u8], kind: u32) -> Vec<u8> {
    let footer = vhd_footer(medium, kind, 512);
    let mut image = footer.clone();
    let mut header = vec![0; 1024];
    put(&mut header, 0, b"cxsparse");
    put(&mut header, 16, &1536u64.to_be_bytes());
    put(&mut header, 28, &u32_of(medium.len().div_ceil(UNIT)).to_be_bytes());
    put(&mut header, 32, &u32_of(UNIT).to_be_bytes());
    let name: Vec<u8> = "C:\\base.vhd".encode_utf16().flat_map(u16::to_be_bytes).collect();
    put(&mut header, 64, &name);
    vhd_checksum(&mut header, 36);
    put(&mut image, 512, &header);
    put(&mut image, 1536, &[0xff; 512]);
    for (index, unit) in units(medium).enumerate() {
        let Some(unit) = unit else { continue };
        let sector = u32_of(image.len() / SECTOR);
        put(&mut image, 1536 + 4 * index, &sector.to_be_bytes());
        image.extend([0xff; SECTOR]);
        image.extend(unit);
    }
    image.extend(footer);
    image
}

/// Corrects the checksums of a footer, its copy and the header.
pub(crate) fn seal_vhd(bytes: &mut [u8]) {
    let end = bytes.len();
    vhd_checksum(&mut bytes[end - 512..], 64);
    if end > 1536 {
        vhd_checksum(&mut bytes[..512], 64);
        vhd_checksum(&mut bytes[512..1536], 36);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pack {
    Plain,
    Deflate,
    Zstd,
}

pub(crate) fn qcow2(medium: &[u8], pack: Pack) -> Vec<u8> {
    let mut image = Vec::new();
    put(&mut image, 0, b"QFI\xfb");
    put(&mut image, 4, &3u32.to_be_bytes());
    put(&mut image, 20, &16u32.to_be_bytes());
    put(&mut image, 24, &u64_of(medium.len()).to_be_bytes());
    put(&mut image, 36, &1u32.to_be_bytes());
    put(&mut image, 40, &u64_of(UNIT).to_be_bytes());
    put(&mut image, 100, &112u32.to_be_bytes());
    if pack == Pack::Zstd {
        put(&mut image, 72, &8u64.to_be_bytes());
        put(&mut image, 104, &[1]);
    }
    put(&mut image, UNIT, &((1 << 63) | u64_of(2 * UNIT)).to_be_bytes());
    put(&mut image, 3 * UNIT - 1, &[0]);
    for (index, unit) in units(medium).enumerate() {
        let at = image.len();
        let entry = match (unit, pack) {
            // Use both ways to store zeros.
            (None, _) => u64::from(index % 8 == 1),
            (Some(unit), Pack::Plain) => {
                image.extend(unit);
                (1 << 63) | u64_of(at)
            }
            (Some(unit), _) => {
                let packed = compress(&unit, pack);
                image.extend(&packed);
                // The number of further sectors after the first, in the bits from 54 on.
                let further = (at % SECTOR + packed.len() - 1) / SECTOR;
                (1 << 62) | (u64_of(further) << 54) | u64_of(at)
            }
        };
        put(&mut image, 2 * UNIT + 8 * index, &entry.to_be_bytes());
        if pack == Pack::Plain {
            let whole = image.len().next_multiple_of(UNIT);
            image.resize(whole, 0);
        }
    }
    image
}

fn compress(unit: &[u8], pack: Pack) -> Vec<u8> {
    match pack {
        Pack::Zstd => zstd::encode_all(unit, 3).unwrap(),
        Pack::Plain | Pack::Deflate => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(unit).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// Returns the header of a hosted sparse extent: capacity, grain of 64 KiB, descriptor in sector 1, and the
/// location of the directory.
fn vmdk_header(medium: &[u8], version: u32, flags: u32, directory: u64) -> Vec<u8> {
    let mut header = vec![0; SECTOR];
    put(&mut header, 0, b"KDMV");
    put(&mut header, 4, &version.to_le_bytes());
    put(&mut header, 8, &flags.to_le_bytes());
    put(&mut header, 12, &u64_of(medium.len() / SECTOR).to_le_bytes());
    put(&mut header, 20, &128u64.to_le_bytes());
    put(&mut header, 28, &1u64.to_le_bytes());
    put(&mut header, 36, &2u64.to_le_bytes());
    put(&mut header, 44, &512u32.to_le_bytes());
    put(&mut header, 56, &directory.to_le_bytes());
    put(&mut header, 77, &u16::from(flags > 3).to_le_bytes());
    header
}

/// Builds an extent with the directory in sector 3 and one table in sectors 4 to 7.
pub(crate) fn vmdk_sparse(medium: &[u8], entries: &str) -> Vec<u8> {
    let mut image = vmdk_header(medium, 1, 3 | 4, 3);
    put(&mut image, 77, &[0, 0]);
    let text = format!(
        "# Disk DescriptorFile\nCID=12345678\n{entries}createType=\"monolithicSparse\"\nRW 1 SPARSE \"/etc/passwd\"\n"
    );
    put(&mut image, SECTOR, text.as_bytes());
    put(&mut image, 3 * SECTOR, &4u32.to_le_bytes());
    image.resize(8 * SECTOR, 0);
    for (index, unit) in units(medium).enumerate() {
        // Use both ways to store zeros.
        let mut entry = u32::from(index % 8 == 1);
        if let Some(unit) = unit {
            entry = u32_of(image.len() / SECTOR);
            image.extend(unit);
        }
        put(&mut image, 4 * SECTOR + 4 * index, &entry.to_le_bytes());
    }
    image
}

/// Builds a stream-optimized extent: compressed grains after markers, then table, directory, footer.
pub(crate) fn vmdk_stream(medium: &[u8]) -> Vec<u8> {
    const FLAGS: u32 = 3 | 1 << 16 | 1 << 17;
    let pad = |image: &mut Vec<u8>| image.resize(image.len().next_multiple_of(SECTOR), 0);
    let mut image = vmdk_header(medium, 3, FLAGS, u64::MAX);
    put(&mut image, SECTOR, b"# Disk DescriptorFile\ncreateType=\"streamOptimized\"\nparentCID=ffffffff\n");
    image.resize(3 * SECTOR, 0);
    let mut table = vec![0; 512 * 4];
    for (index, unit) in units(medium).enumerate() {
        let Some(unit) = unit else { continue };
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&unit).unwrap();
        let packed = encoder.finish().unwrap();
        put(&mut table, 4 * index, &u32_of(image.len() / SECTOR).to_le_bytes());
        image.extend(u64_of(index * 128).to_le_bytes());
        image.extend(u32_of(packed.len()).to_le_bytes());
        image.extend(packed);
        pad(&mut image);
    }
    let at = u32_of(image.len() / SECTOR);
    image.extend(table);
    let directory = u64_of(image.len() / SECTOR);
    image.extend(at.to_le_bytes());
    pad(&mut image);
    image.extend(vmdk_header(medium, 3, FLAGS, directory));
    image.extend([0; SECTOR]);
    image
}
