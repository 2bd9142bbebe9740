//! Damage to an archive.

use std::io;
use thiserror::Error;

/// Damage to an archive, or to the expanded content of one of its entries.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArchiveDamage {
    /// A structure is missing or malformed.
    #[error("byte {offset} of the archive: expected {expected}")]
    Structure {
        /// Offset in the archive; for a compressed tar, in the expanded tar.
        offset: u64,
        /// What must be at this offset.
        expected: &'static str,
    },
    /// The header of a 7z cannot be read.
    #[error("the header of the 7z is damaged: expected {expected}")]
    Header {
        /// What the header must be.
        expected: &'static str,
    },
    /// The compressed data is damaged.
    #[error("byte {offset} of what it expands to: the compressed data is damaged")]
    Compressed {
        /// Number of bytes that could be expanded.
        offset: u64,
    },
    /// The data expands to less than it declares.
    #[error("byte {offset} of what it expands to: it ends there")]
    Ends {
        /// Where the data ends.
        offset: u64,
    },
    /// The data expands to more than it declares.
    #[error("byte {declared} of what it expands to: it goes on after the size it declares")]
    Longer {
        /// The declared size.
        declared: u64,
    },
    /// Packed bytes remain after the end of the stream.
    #[error("byte {offset} of the archive: {length} packed bytes stand behind the end of what was packed")]
    Behind {
        /// Where these bytes begin.
        offset: u64,
        /// Number of these bytes.
        length: u64,
    },
    /// The checksum of the expanded data differs.
    #[error("byte {offset} of what it expands to: expected CRC-32 {expected:08x}, found {actual:08x}")]
    Checksum {
        /// Where the checksummed bytes end.
        offset: u64,
        /// The checksum in the archive.
        expected: u32,
        /// The checksum of the bytes read.
        actual: u32,
    },
    /// The data expands so much that it is treated as a decompression bomb.
    #[error("byte {offset} of what it expands to: it expands by more than {limit} to 1")]
    Ratio {
        /// Number of bytes that were expanded.
        offset: u64,
        /// The highest ratio that is accepted.
        limit: u64,
    },
    /// A compressed tar expands to more bytes in total than its limit.
    #[error(
        "the archive has {length} bytes and expands to more than {most}: it is expanded to 100 times its size, at least to 1 GiB, and no further; the unpacked tar has no such bound"
    )]
    Bound {
        /// Size of the archive in bytes.
        length: u64,
        /// The most bytes that are expanded.
        most: u64,
    },
    /// Two entries share bytes of the archive, as in a decompression bomb.
    #[error("byte {offset} of the archive: its bytes are those of another entry, too")]
    Overlap {
        /// Where the entry's header is.
        offset: u64,
    },
    /// The stored listing of the archive is damaged.
    #[error("the listing of the archive that stands beside the index of names is damaged")]
    Listing,
    /// The reader stopped on damage that it does not report.
    #[error("the reader stopped on damage")]
    Stopped,
}

/// Why a decoder returns no more bytes. Its caller knows the offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The archive itself cannot be read.
    Io(io::ErrorKind),
    /// The compressed data is damaged or truncated.
    Damaged,
    /// A checksum of the stream differs.
    Checksum { expected: u32, actual: u32 },
    /// The data expands too much.
    Ratio,
    /// An archive of `length` bytes expands to more than `most` bytes in total.
    Bound { length: u64, most: u64 },
    /// The reader stopped.
    Stopped,
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Wrong {
        Wrong::Io(error.kind())
    }
}
