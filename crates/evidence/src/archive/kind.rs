//! The format of an archive, recognised by its first bytes.

use super::tar;
use crate::read;
use std::fs::File;
use std::io;
use std::path::Path;

/// The format of an archive, or of a compressed file that may hold one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A local header, or the end of an empty central directory ([APPNOTE] 4.3.7, 4.3.16).
    Zip,
    /// `7z` and four more bytes (7zFormat.txt of the LZMA SDK).
    Seven,
    /// A header with a valid checksum.
    Tar,
    /// RFC 1952.
    Gzip,
    /// RFC 8878, a frame or a skippable frame.
    Zstd,
    /// The .xz file format, 2.1.1.1.
    Xz,
    /// `BZh`.
    Bzip2,
}

/// Bytes that [`recognise`] needs.
const HEAD: usize = 512;

/// Returns the kind of a file that begins with `head`.
pub(crate) fn recognise(head: &[u8]) -> Option<Kind> {
    const SIGNATURES: [(&[u8], Kind); 8] = [
        (b"PK\x03\x04", Kind::Zip),
        (b"PK\x05\x06", Kind::Zip),
        (b"7z\xbc\xaf\x27\x1c", Kind::Seven),
        (b"\x1f\x8b\x08", Kind::Gzip),
        (b"\x28\xb5\x2f\xfd", Kind::Zstd),
        (b"\xfd7zXZ\0", Kind::Xz),
        (b"BZh", Kind::Bzip2),
        (b"PK\x07\x08PK", Kind::Zip),
    ];
    let signed = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature));
    let skippable = matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    match signed {
        Some((_, kind)) => Some(*kind),
        None if skippable => Some(Kind::Zstd),
        None => tar::is_header(head).then_some(Kind::Tar),
    }
}

/// Returns the kind of an opened file.
pub(super) fn of(file: &File) -> io::Result<Option<Kind>> {
    Ok(recognise(&read::head(file, HEAD)?))
}

/// Checks whether the file begins like an archive or a compressed file: zip, 7z, tar, gzip, zstd, xz or bzip2.
///
/// The file name does not matter. Whether a compressed file holds a tar is found out only when it is opened.
pub fn is_archive(path: &Path) -> io::Result<bool> {
    Ok(of(&File::open(path)?)?.is_some())
}
