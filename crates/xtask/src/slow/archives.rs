//! Archives with many entries, and archives that expand to far more than their size.

use super::Site;
use super::plain::{Listed, directory, tar_header};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use testkit::zip::ZipEntry;

/// The number of bytes written at once.
const PIECE: u64 = 1 << 20;

/// Paths at which a triage has files that decoders read; here their contents are mostly zeros.
const PLACES: [&str; 8] = [
    "Windows/System32/config/SYSTEM",
    "Windows/System32/winevt/Logs/Security.evtx",
    "Windows/System32/winevt/Logs/System.evtx",
    "$Extend/$J",
    "$MFT",
    "Windows/System32/drivers/etc/hosts",
    "Users/ann/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt",
    "pagefile.sys",
];

/// Returns the beginning of a file at this path, so that its decoder accepts it.
fn begin(place: &str) -> &'static [u8] {
    match place.rsplit_once('.').map_or(place, |(_, end)| end) {
        "evtx" => b"ElfFile\0",
        "txt" => b"whoami /all\n",
        end if end.ends_with("SYSTEM") => b"regf",
        end if end.ends_with("$MFT") => b"FILE0",
        _ => b"",
    }
}

/// Returns a beginning followed by zeros.
fn zeros(begin: &'static [u8], size: u64) -> impl Read {
    begin.chain(io::repeat(0)).take(size)
}

/// Returns the deflated bytes of a file and their checksum.
fn deflated(begin: &'static [u8], size: u64) -> io::Result<(Vec<u8>, u32)> {
    let mut crc = flate2::Crc::new();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let (mut left, mut bytes) = (zeros(begin, size), Vec::new());
    while left.by_ref().take(PIECE).read_to_end(&mut bytes)? > 0 {
        crc.update(&bytes);
        encoder.write_all(&bytes)?;
        bytes.clear();
    }
    Ok((encoder.finish()?, crc.sum()))
}

/// A file in a zip: its name, its beginning, its size.
type Planted = (String, &'static [u8], u64);

/// Writes deflated entries one after the other; equal contents are deflated once.
fn zip(site: &Site, files: &[Planted]) -> io::Result<()> {
    let (mut out, mut at, mut listed) = (BufWriter::new(File::create_new(&site.path)?), 0, Vec::new());
    for alike in files.chunk_by(|(_, one, size), (_, other, other_size)| (one, size) == (other, other_size)) {
        let Some((_, begin, size)) = alike.first() else { continue };
        let (bytes, crc) = deflated(begin, *size)?;
        for (name, ..) in alike {
            let packed = bytes.len() as u64;
            let entry = Listed { name: name.clone(), at, crc, packed, size: *size, method: 8 };
            let local = entry.local();
            out.write_all(&local)?;
            out.write_all(&bytes)?;
            at += local.len() as u64 + packed;
            listed.push(entry);
        }
    }
    directory(&mut out, at, &listed)?;
    out.flush()
}

pub(super) fn entries(site: &mut Site) -> io::Result<()> {
    let (mut out, mut at, mut listed) = (BufWriter::new(File::create_new(&site.path)?), 0, Vec::new());
    for number in 0..site.of(200_000) {
        let name = format!("Users/ann/{:03}/{number:07}-{}.dat", number % 500, site.word());
        let bytes = b"slow";
        let entry = Listed { name, at, crc: crc(bytes), packed: 4, size: 4, method: 0 };
        let local = entry.local();
        out.write_all(&local)?;
        out.write_all(bytes)?;
        at += local.len() as u64 + 4;
        listed.push(entry);
    }
    directory(&mut out, at, &listed)?;
    out.flush()
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Writes entries that quote the local headers of later ones, down to one kernel (David Fifield, "A better zip bomb", 2019);
/// here all refer to the kernel itself.
pub(super) fn overlap(site: &mut Site) -> io::Result<()> {
    let (size, count) = (site.of(64 << 20), site.of(50_000));
    let (bytes, crc) = deflated(b"", size)?;
    let kernel = |name| Listed { name, at: 0, crc, packed: bytes.len() as u64, size, method: 8 };
    let first = kernel("Windows/Prefetch/A.EXE-00000000.pf".to_owned());
    let mut out = BufWriter::new(File::create_new(&site.path)?);
    let local = first.local();
    out.write_all(&local)?;
    out.write_all(&bytes)?;
    let more = (1..count).map(|number| kernel(format!("Windows/Prefetch/A.EXE-{number:08X}.pf")));
    let listed: Vec<Listed> = [first].into_iter().chain(more).collect();
    directory(&mut out, (local.len() + bytes.len()) as u64, &listed)?;
    out.flush()
}

pub(super) fn nested(site: &mut Site) -> io::Result<()> {
    let entry =
        |name: &str, bytes| ZipEntry { name: name.to_owned(), bytes, modified: testkit::samples::TICKS };
    let mut inside = b"the bottom".to_vec();
    for _ in 0..site.of(1000) {
        inside =
            testkit::zip::write(&[entry("collected.zip", inside), entry("notes.txt", b"around".to_vec())]);
    }
    File::create_new(&site.path)?.write_all(&inside)
}

pub(super) fn bomb_zip(site: &mut Site) -> io::Result<()> {
    let size = site.of(1 << 30);
    let files = PLACES.map(|place| (place.to_owned(), begin(place), size));
    zip(site, &files)
}

pub(super) fn bombs_zip(site: &mut Site) -> io::Result<()> {
    let size = site.of(16 << 20);
    let file = |number: u64| {
        (format!("Windows/Prefetch/P{number}.EXE-C0FFEE01.pf"), b"\x11\0\0\0SCCA".as_slice(), size)
    };
    zip(site, &(0..site.of(1000)).map(file).collect::<Vec<_>>())
}

/// Writes a tar with zeros at these paths.
fn tar(out: &mut impl Write, size: u64) -> io::Result<()> {
    let size = size.next_multiple_of(512);
    for place in PLACES {
        out.write_all(&tar_header(place, size))?;
        io::copy(&mut zeros(begin(place), size), out)?;
    }
    out.write_all(&[0; 1024])
}

pub(super) fn bomb_gzip(site: &mut Site) -> io::Result<()> {
    let mut out =
        BufWriter::with_capacity(1 << 20, GzEncoder::new(File::create_new(&site.path)?, Compression::best()));
    tar(&mut out, site.of(1 << 30))?;
    out.flush()
}

pub(super) fn bomb_zstd(site: &mut Site) -> io::Result<()> {
    let mut out = zstd::Encoder::new(File::create_new(&site.path)?, 3)?;
    tar(&mut out, site.of(1 << 30))?;
    out.finish()?.flush()
}

pub(super) fn bomb_seven(site: &mut Site) -> io::Result<()> {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter};
    let size = site.of(128 << 20);
    let mut out = ArchiveWriter::create(&site.path).map_err(io::Error::other)?;
    for place in PLACES {
        let entry = ArchiveEntry::new_file(place);
        out.push_archive_entry(entry, Some(zeros(begin(place), size))).map_err(io::Error::other)?;
    }
    out.finish().map(drop)
}
