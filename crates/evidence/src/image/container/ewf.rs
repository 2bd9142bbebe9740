//! EWF: the images of EnCase and compatible tools.
//!
//! Source: Expert Witness Compression Format (EWF), libewf project, version 1.
//! The crate `ewf` finds the chunks, holding a few tables at a time. Chunks of version 1 are read here, because
//! their checksums matter:
//! a damaged chunk makes only the reads that need it fail.

mod chain;

use super::Unit;
use super::acquisition::{Acquisition, ContainerFormat, HashAlgorithm, UnreadSectors};
use super::error::ContainerError;
use super::inflate::{Packing, expand};
use super::missing::Missing;
use super::store::{Store, le_u16, le_u32, le_u64};
use super::{Medium, piece};
use crate::image::segments::open_named;
use chain::{Chain, End};
use ewf::{EwfReader, SegmentSource};
use flate2::read::ZlibDecoder;
use std::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The first bytes of a segment: version 1 (section 2.1 of the description) and version 2.
pub(super) const SIGNATURES: [&[u8; 8]; 2] = [b"EVF\x09\x0d\x0a\xff\x00", b"EVF2\x0d\x0a\x81\x00"];

/// Size of a section descriptor in bytes.
const DESCRIPTOR: u64 = 76;

/// The most sections of the first segment that are read, and the most bytes of a header.
const MAX_SECTIONS: usize = 1 << 16;
const MAX_HEADER: u64 = 1 << 20;

/// How many bytes longer a chunk may be if it cannot be compressed.
const SLACK: u64 = 4096;

pub(super) struct Ewf {
    reader: EwfReader,
    /// In the order of their numbers; empty for version 2, whose chunks the crate reads.
    segments: Vec<Store>,
    chunks: Unit,
    missing: Vec<Missing>,
}

pub(super) fn open(files: &[PathBuf]) -> Result<(Ewf, Acquisition), Box<dyn Error + Send + Sync>> {
    let first = Store::open(files.first().map(PathBuf::as_path).unwrap_or("".as_ref()))?;
    if first.array::<8>(0, "the signature")? == *SIGNATURES[1] {
        let reader = EwfReader::open_segments(files)?;
        let acquisition = describe(&reader);
        let missing = chain::missing(&reader, files, &[], None);
        return Ok((Ewf { reader, segments: Vec::new(), chunks: Unit::default(), missing }, acquisition));
    }
    let found = segments(files)?;
    let mut sources = Vec::new();
    // A segment that ends within its first bytes holds nothing; it is the last.
    for (path, _, chain) in found.iter().filter(|(.., chain)| chain.whole >= 13) {
        let file = open_named(path)?;
        // The crate refuses a truncated section.
        sources.push(SegmentSource::sub(Arc::new(file), 0, chain.whole));
    }
    let reader = EwfReader::open_lazy_from_sources(sources)?;
    let read: Vec<_> = found.iter().map(|(path, ..)| *path).collect();
    let missing = chain::missing(&reader, files, &read, found.last().map(|(.., chain)| *chain));
    let segments: Vec<_> = found.into_iter().map(|(_, store, _)| store).collect();
    let mut acquisition = describe(&reader);
    let sections = segments.first().map(sections).unwrap_or_default();
    if let Some(store) = segments.first() {
        add_volume(&mut acquisition, store, &sections);
        add_header(&mut acquisition, store, &sections);
    }
    Ok((Ewf { reader, segments, chunks: Unit::default(), missing }, acquisition))
}

/// Returns the segments in the order of their numbers, up to the first truncated one: after that, nothing shows
/// with which chunk the next segment begins.
fn segments(files: &[PathBuf]) -> Result<Vec<(&Path, Store, Chain)>, ContainerError> {
    let mut found = Vec::new();
    for path in files {
        let store = Store::open(path)?;
        // A segment that ends within its first bytes gets the number in its name.
        let number = match store.length() {
            0..13 => found.len() as u64 + 1,
            _ => u64::from(u16::from_le_bytes(store.array(9, "the number of a segment")?)),
        };
        let chain = chain::walk(&store);
        found.push((number, path.as_path(), store, chain));
    }
    found.sort_by_key(|(number, ..)| *number);
    let cut = found.iter().position(|(.., chain)| chain.end == End::Cut);
    found.truncate(cut.map_or(found.len(), |cut| cut + 1));
    Ok(found.into_iter().map(|(_, path, store, chain)| (path, store, chain)).collect())
}

impl Medium for Ewf {
    fn length(&self) -> u64 {
        self.reader.total_size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.reader.chunk_size();
        if self.segments.is_empty() || size == 0 {
            return self.reader.read_at(buffer, offset).map_err(io::Error::other);
        }
        let (index, within) = (offset / size, offset % size);
        let part = piece(buffer, (size - within).min(self.length().saturating_sub(offset)));
        self.chunks.copy(index, within, part, || self.chunk(index))
    }

    fn missing(&self) -> Vec<Missing> {
        self.missing.clone()
    }
}

impl Ewf {
    fn chunk(&self, index: u64) -> io::Result<Vec<u8>> {
        let number = usize::try_from(index).map_err(io::Error::other)?;
        if let Some(missing) = self.missing.first().filter(|_| number >= self.reader.chunk_count()) {
            return Err(ContainerError::NotHeld { reason: missing.to_string() }.into());
        }
        let (offset, stored, packed, segment) = self.reader.debug_chunk(number).map_err(io::Error::other)?;
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the segment of the chunk is not there");
        let store = self.segments.get(segment).ok_or_else(missing)?;
        let whole = self.reader.chunk_size();
        let rest = self.length().saturating_sub(index.saturating_mul(whole)).min(whole);
        let length = |bytes: u64| usize::try_from(bytes).map_err(io::Error::other);
        if !packed {
            return uncompressed(store, offset, length(rest)?, length(whole)?);
        }
        // The size of a table's last chunk is not known; incompressible data grows a little.
        let stored = if stored < whole { stored } else { whole + SLACK };
        let mut bytes = vec![0; length(stored)?];
        let read = store.read_up_to(offset, &mut bytes)?;
        let bytes = bytes.get(..read).unwrap_or_default();
        let expanded = match expand(Packing::Zlib, bytes, length(whole)?) {
            // The last chunk ends with the medium.
            Err(_) if rest < whole => expand(Packing::Zlib, bytes, length(rest)?),
            other => other,
        };
        expanded.map_err(|source| ContainerError::Compressed { offset, source }.into())
    }
}

/// Reads a chunk stored without compression, followed by its Adler-32; the last one may be padded to the size of
/// the others.
fn uncompressed(store: &Store, offset: u64, rest: usize, whole: usize) -> io::Result<Vec<u8>> {
    let read = |length: usize| {
        let mut bytes = vec![0; length + 4];
        store.read_exact_at(offset, &mut bytes)?;
        let right = le_u32(&bytes, length) == ewf::sections::adler32(bytes.get(..length).unwrap_or_default());
        bytes.truncate(rest);
        match right {
            true => Ok(bytes),
            false => Err(ContainerError::Checksum { offset, what: "a chunk" }.into()),
        }
    };
    match read(rest) {
        Err(_) if rest < whole => read(whole),
        other => other,
    }
}

/// Returns what the crate knows.
fn describe(reader: &EwfReader) -> Acquisition {
    let mut acquisition = Acquisition::new(ContainerFormat::Ewf, reader.total_size());
    acquisition.chunk_size = u32::try_from(reader.chunk_size()).ok();
    let stored = reader.stored_hashes();
    acquisition.hash(HashAlgorithm::Md5, stored.md5.as_ref().map(|md5| md5.as_slice()).unwrap_or_default());
    acquisition
        .hash(HashAlgorithm::Sha1, stored.sha1.as_ref().map(|sha1| sha1.as_slice()).unwrap_or_default());
    let header = reader.metadata();
    let values = [
        ("case number", &header.case_number),
        ("evidence number", &header.evidence_number),
        ("description", &header.description),
        ("examiner", &header.examiner),
        ("notes", &header.notes),
        ("acquisition software", &header.acquiry_software),
        ("operating system", &header.os_version),
        ("acquisition date", &header.acquiry_date),
        ("system date", &header.system_date),
    ];
    for (name, text) in values {
        acquisition.value(name, text.as_deref().unwrap_or_default());
    }
    let unread = reader.acquisition_errors().iter().map(|error| UnreadSectors {
        first: u64::from(error.first_sector),
        count: u64::from(error.sector_count),
    });
    acquisition.unread = unread.collect();
    acquisition
}

/// A section: its type, where its data begins, and its size in bytes.
type Section = ([u8; 16], u64, u64);

fn sections(store: &Store) -> Vec<Section> {
    let (mut sections, mut at) = (Vec::new(), 13);
    while let Ok(bytes) = store.array::<76>(at, "a section")
        && sections.len() < MAX_SECTIONS
    {
        let kind = bytes.first_chunk().copied().unwrap_or_default();
        let (next, size) = (le_u64(&bytes, 16), le_u64(&bytes, 24));
        sections.push((kind, at + DESCRIPTOR, size.saturating_sub(DESCRIPTOR)));
        if next <= at {
            break;
        }
        at = next;
    }
    sections
}

fn find<'a>(sections: &'a [Section], kind: &str) -> Option<&'a Section> {
    sections.iter().find(|(found, ..)| found.split(|byte| *byte == 0).next() == Some(kind.as_bytes()))
}

/// Reads the section `volume` (`disk` in some images): bytes per sector, compression level, set identifier.
fn add_volume(acquisition: &mut Acquisition, store: &Store, sections: &[Section]) {
    let Some((_, at, size)) = find(sections, "volume").or_else(|| find(sections, "disk")) else { return };
    let Ok(bytes) = store.array::<94>(*at, "the section volume") else { return };
    acquisition.sector_size = Some(le_u32(&bytes, 12)).filter(|size| *size > 0);
    // The short form, used by SMART, has neither of the following.
    if *size > 94 {
        acquisition.compressed = bytes.get(52).map(|level| *level != 0);
        let id = bytes.get(64..80).and_then(|id| id.try_into().ok()).unwrap_or_default();
        acquisition.identifier("set id", &super::acquisition::guid(&id));
    }
}

/// Reads `header2` (UTF-16) rather than `header` (one byte per character), which has only one code page.
fn add_header(acquisition: &mut Acquisition, store: &Store, sections: &[Section]) {
    let Some((_, at, size)) = find(sections, "header2").or_else(|| find(sections, "header")) else { return };
    let mut packed = vec![0; usize::try_from((*size).min(MAX_HEADER)).unwrap_or_default()];
    let read = store.read_up_to(*at, &mut packed).unwrap_or_default();
    let mut bytes = Vec::new();
    let mut decoder = ZlibDecoder::new(packed.get(..read).unwrap_or_default()).take(MAX_HEADER);
    // A truncated header is read as far as it goes.
    let _ = decoder.read_to_end(&mut bytes);
    let text = match le_u16(&bytes, 0) {
        0xfeff => {
            let units = bytes.as_chunks().0.iter().skip(1).map(|pair| u16::from_le_bytes(*pair));
            char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect()
        }
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let values = header_values(&text);
    if !values.is_empty() {
        acquisition.values.clear();
    }
    for (name, value) in values {
        acquisition.value(name, &value);
    }
}

/// Reads the category `main`: a line of codes and a line of values, separated by tabs.
fn header_values(text: &str) -> Vec<(&'static str, String)> {
    let mut lines = text.lines().skip_while(|line| line.trim() != "main").skip(1);
    let (Some(codes), Some(values)) = (lines.next(), lines.next()) else { return Vec::new() };
    let pairs = codes.split('\t').zip(values.split('\t'));
    pairs.filter_map(|(code, value)| Some((header_name(code.trim())?, value.to_owned()))).collect()
}

fn header_name(code: &str) -> Option<&'static str> {
    Some(match code {
        "c" => "case number",
        "n" => "evidence number",
        "a" => "description",
        "e" => "examiner",
        "t" => "notes",
        "av" => "acquisition software",
        "ov" => "operating system",
        "m" => "acquisition date",
        "u" => "system date",
        "md" => "model",
        "sn" => "serial number",
        "l" => "device label",
        _ => return None,
    })
}
