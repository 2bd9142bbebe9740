//! The `MAM` compression of Windows 10 and later: a header with the size, then XPRESS Huffman.
//!
//! Source of the format: Joachim Metz, "Windows Prefetch File (PF) format", section "Compressed".
//! Source of the checksum: Francesco Picasso's description of `MAM\x84`: the CRC-32 of the file with zeros in place of the checksum.

use artifacts::prefetch;
use evidence::expand_xpress_huffman;

const SIGNATURE: &[u8] = b"MAM";

/// The fourth byte has the algorithm, with a flag for a checksum.
const XPRESS_HUFFMAN: u8 = 4;
const CHECKED: u8 = 0x80;

/// Why a file cannot be expanded.
#[derive(Debug, thiserror::Error)]
pub(super) enum MamError {
    #[error("expected compression 4 (XPRESS Huffman), found {found}")]
    Algorithm { found: u8 },
    #[error("expected at most {limit} expanded bytes, found {found}")]
    TooLarge { limit: u64, found: u32 },
    #[error("expected {expected} compressed bytes that are whole, found damage")]
    Damaged { expected: u32 },
    #[error("expected a header, found {found} bytes")]
    Short { found: usize },
}

/// A checksum that does not match the bytes.
#[derive(Debug, thiserror::Error)]
#[error("expected a CRC-32 of {expected:08x}, computed {computed:08x}")]
pub(super) struct WrongSum {
    expected: u32,
    computed: u32,
}

struct Header {
    algorithm: u8,
    size: u32,
    sum: Option<u32>,
    /// The offset at which the compressed bytes begin.
    start: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Header> {
        let kind = *bytes.get(SIGNATURE.len())?;
        let number = |at: usize| bytes.get(at..)?.first_chunk().map(|field| u32::from_le_bytes(*field));
        let sum = if kind & CHECKED == 0 { None } else { Some(number(8)?) };
        let start = if sum.is_some() { 12 } else { 8 };
        Some(Header { algorithm: kind & !CHECKED, size: number(4)?, sum, start })
    }
}

pub(super) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// Checks whether the file expands to a prefetch file, by the first bytes: databases of SuperFetch are compressed in the same way.
pub(super) fn holds_prefetch(head: &[u8]) -> bool {
    let Some(header) = Header::read(head).filter(|_| is_compressed(head)) else { return false };
    let packed = head.get(header.start..).unwrap_or_default();
    header.algorithm == XPRESS_HUFFMAN
        && expand_xpress_huffman(packed, 8).is_some_and(|first| prefetch::version(&first).is_some())
}

/// Returns the expanded bytes, and whether a checksum is wrong.
pub(super) fn expand(bytes: &[u8], limit: u64) -> Result<(Vec<u8>, Option<WrongSum>), MamError> {
    let header = Header::read(bytes).ok_or(MamError::Short { found: bytes.len() })?;
    if header.algorithm != XPRESS_HUFFMAN {
        return Err(MamError::Algorithm { found: header.algorithm });
    }
    let size = usize::try_from(header.size).ok().filter(|_| u64::from(header.size) <= limit);
    let size = size.ok_or(MamError::TooLarge { limit, found: header.size })?;
    let packed = bytes.get(header.start..).unwrap_or_default();
    let expanded = expand_xpress_huffman(packed, size).ok_or(MamError::Damaged { expected: header.size })?;
    let computed = sum(bytes);
    let wrong = header.sum.filter(|expected| *expected != computed);
    Ok((expanded, wrong.map(|expected| WrongSum { expected, computed })))
}

/// Computes the checksum by its definition; meaningless for a file that has none.
fn sum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes.get(..8).unwrap_or_default());
    hasher.update(&[0; 4]);
    hasher.update(bytes.get(12..).unwrap_or_default());
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::prefetch::{Spec, compressed, file};

    #[test]
    fn a_compressed_file_expands_with_and_without_a_checksum() {
        let whole = file(&Spec::new("A.EXE", "\\D\\A.EXE"));
        let mut packed = compressed(&whole);
        assert!(holds_prefetch(&packed[..4096.min(packed.len())]));
        assert_eq!(expand(&packed, 1 << 20).unwrap().0, whole);
        assert!(matches!(expand(&packed, 9), Err(MamError::TooLarge { .. })));
        packed[3] |= CHECKED;
        packed.splice(8..8, [0; 4]);
        let right = sum(&packed).to_le_bytes();
        assert!(expand(&packed, 1 << 20).unwrap().1.is_some());
        packed[8..12].copy_from_slice(&right);
        let (bytes, wrong) = expand(&packed, 1 << 20).unwrap();
        assert!(bytes == whole && wrong.is_none());
        packed[3] = 2;
        assert!(matches!(expand(&packed, 1 << 20), Err(MamError::Algorithm { found: 2 })));
    }

    #[test]
    fn other_files_compressed_alike_are_no_prefetch() {
        assert!(!holds_prefetch(&compressed(b"\x0e\0\0\0database of another kind")));
        assert!(!holds_prefetch(b"MAM"));
    }

    #[test]
    fn a_file_of_many_blocks_expands() {
        let long: Vec<u8> = (0..200_000u32).map(|n| (n / 7) as u8).collect();
        assert_eq!(expand(&compressed(&long), 1 << 20).unwrap().0, long);
    }
}
