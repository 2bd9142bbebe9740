//! What a container says about itself and about its acquisition.

use crate::image::ImageTree;
use ledger::Utc;
use std::io;

/// How the medium is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerFormat {
    /// The medium itself, in one file.
    Raw,
    /// The medium itself, in several files.
    SplitRaw,
    /// Expert Witness Compression Format, version 1 (E01, S01) or 2 (Ex01).
    Ewf,
    /// VMware virtual disk.
    Vmdk,
    /// Hyper-V virtual hard disk, version 2.
    Vhdx,
    /// Virtual PC and Hyper-V virtual hard disk, version 1.
    Vhd,
    /// QEMU copy-on-write, version 2 or 3.
    Qcow2,
}

impl ContainerFormat {
    /// Returns the format's usual name.
    pub fn describe(self) -> &'static str {
        match self {
            ContainerFormat::Raw => "raw",
            ContainerFormat::SplitRaw => "split raw",
            ContainerFormat::Ewf => "EWF-E01",
            ContainerFormat::Vmdk => "VMDK",
            ContainerFormat::Vhdx => "VHDX",
            ContainerFormat::Vhd => "VHD",
            ContainerFormat::Qcow2 => "QCOW2",
        }
    }
}

/// A digest algorithm of acquisition tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashAlgorithm {
    /// RFC 1321.
    Md5,
    /// FIPS 180-4.
    Sha1,
    /// FIPS 180-4.
    Sha256,
}

impl HashAlgorithm {
    /// Returns the algorithm's usual name.
    pub fn describe(self) -> &'static str {
        match self {
            HashAlgorithm::Md5 => "MD5",
            HashAlgorithm::Sha1 => "SHA-1",
            HashAlgorithm::Sha256 => "SHA-256",
        }
    }
}

/// A digest of the medium that the acquisition tool stored in the container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHash {
    /// The algorithm.
    pub algorithm: HashAlgorithm,
    /// The digest in lower-case hexadecimal digits.
    pub hex: String,
}

/// A digest of the medium as it reads now, next to the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashCheck {
    /// The algorithm.
    pub algorithm: HashAlgorithm,
    /// The digest in the container; `None` if it stores none of this algorithm.
    pub stored: Option<String>,
    /// The computed digest.
    pub computed: String,
    /// Whether both are equal; `None` if there is nothing to compare with.
    pub matches: Option<bool>,
}

/// Sectors that the acquisition tool could not read from the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadSectors {
    /// The first sector, counted from the start of the medium.
    pub first: u64,
    /// Number of sectors.
    pub count: u64,
}

/// What a container says about itself: claims of the tool that wrote it, none of them checked.
///
/// Texts have no control characters and a limited length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acquisition {
    /// The format, according to the content of the file.
    pub format: ContainerFormat,
    /// Size of the medium in bytes.
    pub length: u64,
    /// Size of a logical sector in bytes, if the container gives it.
    pub sector_size: Option<u32>,
    /// Size of the container's unit (chunk, grain, block, cluster) in bytes, if it has one.
    pub chunk_size: Option<u32>,
    /// Whether units are stored compressed, if the container says so.
    pub compressed: Option<bool>,
    /// Digests of the medium.
    pub hashes: Vec<StoredHash>,
    /// Header values, as name and text.
    pub values: Vec<(&'static str, String)>,
    /// Unique identifiers, as name and text.
    pub identifiers: Vec<(&'static str, String)>,
    /// When the container was created, if it stores a time with a known zone.
    pub created: Option<Utc>,
    /// Sectors that the acquisition tool could not read.
    pub unread: Vec<UnreadSectors>,
}

impl Acquisition {
    /// Creates the acquisition of a container that says nothing else.
    pub(super) fn new(format: ContainerFormat, length: u64) -> Acquisition {
        Acquisition {
            format,
            length,
            sector_size: None,
            chunk_size: None,
            compressed: None,
            hashes: Vec::new(),
            values: Vec::new(),
            identifiers: Vec::new(),
            created: None,
            unread: Vec::new(),
        }
    }

    /// Adds a header value, unless it is empty.
    pub(super) fn value(&mut self, name: &'static str, text: &str) {
        if !text.is_empty() {
            self.values.push((name, shown(text)));
        }
    }

    /// Adds an identifier, unless it is empty or only zeros.
    pub(super) fn identifier(&mut self, name: &'static str, text: &str) {
        if text.chars().any(|c| !matches!(c, '0' | '-')) {
            self.identifiers.push((name, shown(text)));
        }
    }

    /// Adds a digest, unless it is only zeros, which means it was not computed.
    pub(super) fn hash(&mut self, algorithm: HashAlgorithm, digest: &[u8]) {
        if digest.iter().any(|byte| *byte != 0) {
            self.hashes.push(StoredHash { algorithm, hex: hex(digest) });
        }
    }
}

impl ImageTree {
    /// Returns what the container says about itself.
    pub fn acquisition(&self) -> &Acquisition {
        self.container.acquisition()
    }

    /// Computes the digests of the whole medium and compares them with the stored ones.
    ///
    /// It reads every byte once. An unreadable byte is an error that gives its offset.
    pub fn verify_medium(&self) -> io::Result<Vec<HashCheck>> {
        super::digest::verify_medium(&self.container)
    }

    /// Reads bytes of the medium itself, whatever is there: up to `buffer.len()` of them, 0 only at or past the end.
    pub fn read_medium(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.container.read_at(offset, buffer)
    }
}

/// The most characters of a text that are kept.
const MAX_TEXT: usize = 1024;

/// Returns `text` without characters that could affect a terminal or mislead a reader, cut off if it is longer
/// than any real one.
pub(super) fn shown(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let safe = |c: char| if steers(c) { '\u{fffd}' } else { c };
    let mut shown: String = text.trim().chars().take(MAX_TEXT).map(safe).collect();
    if text.trim().chars().nth(MAX_TEXT).is_some() {
        shown.push('…');
    }
    shown
}

/// The same for UTF-16, up to the first NUL.
pub(super) fn shown_utf16(units: impl Iterator<Item = u16>) -> String {
    let units = units.take_while(|unit| *unit != 0);
    shown(&char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect::<String>())
}

/// Returns lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a UUID whose bytes are stored in the order in which they are written (RFC 9562 section 4).
pub(super) fn uuid(bytes: &[u8]) -> String {
    let digits = hex(bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    parts.map(|range| digits.get(range).unwrap_or_default().to_owned()).join("-")
}

/// Formats a GUID whose first three fields are stored little-endian ([MS-DTYP] section 2.3.4.2).
pub(super) fn guid(bytes: &[u8; 16]) -> String {
    let [a, b, c, d, e, f, g, h, rest @ ..] = *bytes;
    let mut ordered = vec![d, c, b, a, f, e, h, g];
    ordered.extend(rest);
    uuid(&ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_container_steer_nothing_and_end() {
        assert_eq!(shown("a\u{1b}[31m\nb\u{202e}"), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
        assert_eq!(shown(&"x".repeat(5000)).chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn identifiers_are_written_as_their_format_orders_them() {
        let bytes: [u8; 16] = std::array::from_fn(|index| index as u8);
        assert_eq!(uuid(&bytes), "00010203-0405-0607-0809-0a0b0c0d0e0f");
        assert_eq!(guid(&bytes), "03020100-0504-0706-0809-0a0b0c0d0e0f");
    }
}
