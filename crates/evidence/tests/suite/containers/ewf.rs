//! A small E01 around a medium: header2, volume, sectors, table, digest, done.

use crate::containers::build::put;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use md5::{Digest, Md5};
use sha1::Sha1;
use std::io::Write;

const CHUNK: usize = 32768;

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    (b << 16) | a
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn section(image: &mut Vec<u8>, kind: &str, data: &[u8]) {
    let at = image.len() as u64;
    let mut descriptor = vec![0; 76];
    put(&mut descriptor, 0, kind.as_bytes());
    let size = 76 + data.len() as u64;
    let next = if kind == "done" { at } else { at + size };
    put(&mut descriptor, 16, &next.to_le_bytes());
    put(&mut descriptor, 24, &size.to_le_bytes());
    let checksum = adler32(&descriptor[..72]);
    put(&mut descriptor, 72, &checksum.to_le_bytes());
    image.extend(descriptor);
    image.extend(data);
}

pub(crate) fn build(medium: &[u8], compressed: bool) -> Vec<u8> {
    let mut image = b"EVF\x09\x0d\x0a\xff\x00\x01\x01\x00\x00\x00".to_vec();
    let text = "\u{feff}1\r\nmain\r\na\tc\te\tm\r\nthe disk\t4711\tÅsa\t1700000000\r\n\r\n";
    section(
        &mut image,
        "header2",
        &zlib(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
    );
    section(&mut image, "volume", &volume(medium, compressed));
    let (mut sectors, mut entries) = (Vec::new(), Vec::new());
    let base = image.len() + 76;
    for chunk in medium.chunks(CHUNK) {
        let flag = u32::from(compressed) << 31;
        entries.extend((u32::try_from(sectors.len()).unwrap() | flag).to_le_bytes());
        match compressed {
            true => sectors.extend(zlib(chunk)),
            false => {
                sectors.extend(chunk);
                sectors.extend(adler32(chunk).to_le_bytes());
            }
        }
    }
    section(&mut image, "sectors", &sectors);
    let mut table = vec![0; 24];
    put(&mut table, 0, &u32::try_from(entries.len() / 4).unwrap().to_le_bytes());
    put(&mut table, 8, &(base as u64).to_le_bytes());
    let checksum = adler32(&table[..20]);
    put(&mut table, 20, &checksum.to_le_bytes());
    table.extend(&entries);
    table.extend(adler32(&entries).to_le_bytes());
    section(&mut image, "table", &table);
    let mut digest = [Md5::digest(medium).to_vec(), Sha1::digest(medium).to_vec(), vec![0; 40]].concat();
    digest.extend(adler32(&digest).to_le_bytes());
    section(&mut image, "digest", &digest);
    section(&mut image, "done", &[]);
    image
}

fn volume(medium: &[u8], compressed: bool) -> Vec<u8> {
    let mut volume = vec![0; 1052];
    put(&mut volume, 4, &u32::try_from(medium.len().div_ceil(CHUNK)).unwrap().to_le_bytes());
    put(&mut volume, 8, &64u32.to_le_bytes());
    put(&mut volume, 12, &512u32.to_le_bytes());
    put(&mut volume, 16, &(medium.len() as u64 / 512).to_le_bytes());
    put(&mut volume, 52, &[u8::from(compressed)]);
    let checksum = adler32(&volume[..1048]);
    put(&mut volume, 1048, &checksum.to_le_bytes());
    volume
}

/// Returns where the data of a section begins.
fn data_of(image: &[u8], kind: &str) -> usize {
    let mut name = kind.as_bytes().to_vec();
    name.resize(16, 0);
    image.windows(16).position(|window| window == name).unwrap() + 76
}

pub(crate) fn digest_offset(image: &[u8]) -> usize {
    data_of(image, "digest")
}

pub(crate) fn chunk_offset(image: &[u8], index: usize) -> usize {
    let entry = data_of(image, "table") + 24 + 4 * index;
    let offset = u32::from_le_bytes(image[entry..entry + 4].try_into().unwrap()) & 0x7fff_ffff;
    data_of(image, "sectors") + usize::try_from(offset).unwrap()
}
