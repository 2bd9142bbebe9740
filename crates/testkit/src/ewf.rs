//! Writer of Expert Witness images (EWF-E01 version 1, as written by EnCase 6).
//!
//! Source: "Expert Witness Compression Format specification" of libewf (Joachim Metz).
//!
//! ```
//! use testkit::ewf::EwfSpec;
//!
//! let segments = EwfSpec::default().write(&[0; 100_352]);
//! assert!(segments.len() == 1 && segments[0].starts_with(b"EVF\x09\x0d\x0a\xff\x00"));
//! assert_eq!(testkit::ewf::extension(0), "E01");
//! ```

mod sections;

use md5::Md5;
use sections::Segment;
use sha1::{Digest as _, Sha1};
/// The size of a chunk in bytes.
pub const CHUNK: usize = 32 << 10;

/// The number of chunks that one table describes.
const TABLE: usize = 16_375;

/// The options for writing an image.
#[derive(Clone, Debug)]
pub struct EwfSpec {
    /// The case number.
    pub case_number: String,
    /// The evidence number.
    pub evidence_number: String,
    /// The description.
    pub description: String,
    /// The examiner who acquired it.
    pub examiner: String,
    /// Notes.
    pub notes: String,
    /// When it was acquired, in seconds since 1970-01-01 UTC.
    pub acquired: u64,
    /// Whether chunks are compressed; one that does not shrink is stored uncompressed.
    pub compressed: bool,
    /// The number of chunk bytes after which a new segment begins.
    pub segment: Option<usize>,
    /// Whether to store wrong hashes: the first byte of each is changed.
    pub wrong_hash: bool,
    /// The identifier of the set of segments.
    pub set: [u8; 16],
}

impl Default for EwfSpec {
    /// Returns options for one compressed segment with correct hashes.
    fn default() -> Self {
        Self {
            case_number: "1".to_owned(),
            evidence_number: "1".to_owned(),
            description: "built".to_owned(),
            examiner: "testkit".to_owned(),
            notes: String::new(),
            acquired: 1_709_294_400,
            compressed: true,
            segment: None,
            wrong_hash: false,
            set: *b"Locard built it.",
        }
    }
}

/// Returns the extension of a segment, counted from 0: `E01` to `E99`, then `EAA` to `EZZ`.
pub fn extension(index: usize) -> String {
    match index + 1 {
        number @ 1..100 => format!("E{number:02}"),
        number => {
            let letter = |digit: usize| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit % 26]);
            format!("E{}{}", letter((number - 100) / 26), letter(number - 100))
        }
    }
}

impl EwfSpec {
    /// Writes the segments of an image; an incomplete last sector is filled with zeros.
    pub fn write(&self, media: &[u8]) -> Vec<Vec<u8>> {
        let mut media = media.to_vec();
        media.resize(media.len().next_multiple_of(512), 0);
        let chunks: Vec<Chunk> = media.chunks(CHUNK).map(|bytes| self.chunk(bytes)).collect();
        let mut segments = self.segments(&chunks, media.len());
        let count = segments.len();
        if let Some(last) = segments.last_mut() {
            let mut md5: [u8; 16] = Md5::digest(&media).into();
            let mut sha1: [u8; 20] = Sha1::digest(&media).into();
            if self.wrong_hash {
                md5[0] ^= 0xff;
                sha1[0] ^= 0xff;
            }
            last.hashes(&md5, &sha1);
        }
        let close = |(index, segment): (usize, Segment)| segment.close(index + 1 == count);
        segments.into_iter().enumerate().map(close).collect()
    }

    fn segments(&self, chunks: &[Chunk], length: usize) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut left = chunks;
        while segments.is_empty() || !left.is_empty() {
            let mut segment = Segment::new(segments.len() + 1);
            if segments.is_empty() {
                segment.headers(self);
            }
            segment.volume(self, length, segments.is_empty());
            let (mut here, rest) = left.split_at(self.count(left));
            while !here.is_empty() {
                let (now, later) = here.split_at(here.len().min(TABLE));
                segment.chunks(now);
                here = later;
            }
            left = rest;
            segments.push(segment);
        }
        segments
    }

    /// Returns how many chunks go into the next segment: at least one.
    fn count(&self, chunks: &[Chunk]) -> usize {
        let Some(limit) = self.segment else { return chunks.len() };
        let mut sum = 0;
        let fits = chunks.iter().take_while(|chunk| {
            sum += chunk.bytes.len();
            sum <= limit
        });
        fits.count().max(1).min(chunks.len())
    }

    fn chunk(&self, bytes: &[u8]) -> Chunk {
        if self.compressed {
            let packed = zlib(bytes);
            if packed.len() < bytes.len() {
                return Chunk { bytes: packed, compressed: true };
            }
        }
        Chunk { bytes: [bytes, &adler32(bytes).to_le_bytes()].concat(), compressed: false }
    }
}

/// A chunk in stored form.
struct Chunk {
    bytes: Vec<u8>,
    compressed: bool,
}

/// Compresses with one library at one level, so that the bytes are the same whatever else a build uses for compression.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6)
}

/// Computes Adler-32 (RFC 1950).
fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut low, mut high) = (1, 0);
    for byte in bytes {
        low = (low + u32::from(*byte)) % MODULUS;
        high = (high + low) % MODULUS;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests;
