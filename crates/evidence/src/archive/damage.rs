//! What is wrong with an archive.

use std::io;
use thiserror::Error;

/// What is wrong with an archive or with what one of its entries expands to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArchiveDamage {
    /// A structure is not where it must be, or not what it must be.
    #[error("byte {offset} of the archive: expected {expected}")]
    Structure {
        /// Bytes from the start of the archive; of a compressed tar from the start of the tar.
        offset: u64,
        /// What must stand there.
        expected: &'static str,
    },
    /// The header of a 7z cannot be read.
    #[error("the header of the 7z is damaged: expected {expected}")]
    Header {
        /// What it must be.
        expected: &'static str,
    },
    /// The compressed data is damaged.
    #[error("byte {offset} of what it expands to: the compressed data is damaged")]
    Compressed {
        /// How far it could be expanded.
        offset: u64,
    },
    /// The data expands to less than it declares.
    #[error("byte {offset} of what it expands to: it ends there")]
    Ends {
        /// Where it ends.
        offset: u64,
    },
    /// The data expands to more than it declares.
    #[error("byte {declared} of what it expands to: it goes on after the size it declares")]
    Longer {
        /// The declared size.
        declared: u64,
    },
    /// Packed bytes follow the end of what was packed.
    #[error("byte {offset} of the archive: {length} packed bytes stand behind the end of what was packed")]
    Behind {
        /// Where they begin.
        offset: u64,
        /// How many they are.
        length: u64,
    },
    /// The checksum of what it expands to differs.
    #[error("byte {offset} of what it expands to: expected CRC-32 {expected:08x}, found {actual:08x}")]
    Checksum {
        /// Where the checked bytes end.
        offset: u64,
        /// What the archive says.
        expected: u32,
        /// What its bytes give.
        actual: u32,
    },
    /// The data expands so much that it is taken for a bomb.
    #[error("byte {offset} of what it expands to: it expands by more than {limit} to 1")]
    Ratio {
        /// How far it was expanded.
        offset: u64,
        /// The highest ratio that is taken.
        limit: u64,
    },
    /// All of a compressed tar expands to more than it is expanded to.
    #[error(
        "the archive has {length} bytes and expands to more than {most}: it is expanded to 100 times its size, at least to 1 GiB, and no further; the unpacked tar has no such bound"
    )]
    Bound {
        /// Bytes of the archive.
        length: u64,
        /// Bytes that it is expanded to.
        most: u64,
    },
    /// Two entries share bytes of the archive, as those of a bomb do.
    #[error("byte {offset} of the archive: its bytes are those of another entry, too")]
    Overlap {
        /// Where its header stands.
        offset: u64,
    },
    /// What is known of the archive from before is damaged.
    #[error("the listing of the archive that stands beside the index of names is damaged")]
    Listing,
    /// The reader stopped on damage that it does not report.
    #[error("the reader stopped on damage")]
    Stopped,
}

/// Why a decoder gives no more bytes; where, its caller knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The archive itself cannot be read.
    Io(io::ErrorKind),
    /// The compressed data is damaged or cut.
    Damaged,
    /// A checksum of the stream differs.
    Checksum { expected: u32, actual: u32 },
    /// It expands too much.
    Ratio,
    /// The whole of an archive of `length` bytes is not expanded beyond `most`.
    Bound { length: u64, most: u64 },
    /// The reader stopped.
    Stopped,
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Wrong {
        Wrong::Io(error.kind())
    }
}
