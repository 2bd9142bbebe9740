//! Why evidence cannot be opened, named or read.

use crate::archive::ArchiveDamage;
use crate::path::EvidencePath;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a text is not a path in the evidence.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PathError {
    /// `.` and `..` do not name an entry.
    #[error("read a path: expected names, found {component:?} in {found:?}")]
    Relative {
        /// The component: `.` or `..`.
        component: String,
        /// The whole text.
        found: String,
    },
    /// The text contains a control character; in a name it is written as an escape.
    #[error("read a path: control character {character:?} in {found:?}")]
    Control {
        /// The character.
        character: char,
        /// The whole text.
        found: String,
    },
    /// `%{` does not begin an escape that [`escape_name`](crate::escape_name) writes.
    #[error("read a path: {component:?} is not the written form of a name")]
    Escape {
        /// The component.
        component: String,
    },
    /// A name has no bytes, or a component contains a separator.
    #[error("read a path: expected one name, found {found:?}")]
    NotAName {
        /// The text that was given.
        found: String,
    },
}

/// Why a piece of evidence cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path on the examiner's machine cannot be read.
    #[error("open evidence {label}")]
    Io {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file does not begin like any supported disk image.
    #[error(
        "open evidence {label}: byte 0: expected a disk image (raw, split raw, E01, VMDK, VHDX, VHD, QCOW2), found no container, partition table or file system"
    )]
    NotAnImage {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
    },
    /// The container cannot be read.
    #[error("open evidence {label}: read the {format} container: {source}")]
    Container {
        /// The label of the evidence.
        label: String,
        /// Its first file on the examiner's machine.
        path: PathBuf,
        /// The format, according to the content of the file.
        format: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The container reader stopped on damage that it does not report.
    #[error("open evidence {label}: the reader of containers stopped on damage")]
    Stopped {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
    },
    /// The file does not begin like any supported archive.
    #[error(
        "open evidence {label}: byte 0: expected an archive (zip, 7z, tar, tar.gz, tar.zst), found no signature of one"
    )]
    NotAnArchive {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
    },
    /// The file is compressed, and its content is not an archive or cannot be determined.
    #[error("open evidence {label}: found {found}: {hint}")]
    Packed {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What can be done.
        hint: &'static str,
    },
    /// The archive is so damaged that nothing in it can be listed.
    #[error("open evidence {label}: {source}")]
    Archive {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: ArchiveDamage,
    },
    /// The archive holds nothing but disk images or archives, so as evidence it would show nothing.
    #[error(
        "open evidence {label}: it holds nothing but disk images or archives: {first} is {found} inside an archive, which is not opened there: extract it and give it as evidence of its own"
    )]
    OnlyContainers {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
        /// The path of the first one in the archive.
        first: EvidencePath,
        /// What it is.
        found: &'static str,
    },
    /// The path is not a folder.
    #[error("open evidence {label}: expected a folder")]
    NotADirectory {
        /// The label of the evidence.
        label: String,
        /// The path on the examiner's machine.
        path: PathBuf,
    },
}

/// Why something in the evidence cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("read {path}: {source}")]
    Io {
        /// The path in the evidence.
        path: EvidencePath,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// There is no such entry.
    #[error("read {path}: no such entry")]
    Absent {
        /// The path in the evidence.
        path: EvidencePath,
    },
    /// Two entries differ only by letter case, and neither is spelled as asked.
    #[error("read {path}: spelled neither {first:?} nor {second:?}, which differ only by letter case")]
    AmbiguousCase {
        /// The path that was asked for.
        path: EvidencePath,
        /// One entry.
        first: EvidencePath,
        /// The other.
        second: EvidencePath,
    },
    /// The entry is a symbolic link; links are listed, never followed.
    #[error("read {path}: a symbolic link to {target:?} is not followed")]
    Symlink {
        /// The link.
        path: EvidencePath,
        /// Its target, as written.
        target: String,
    },
    /// The entry has no bytes to read: it is a folder, a device, a socket or a pipe.
    #[error("read {path}: not a regular file")]
    NotAFile {
        /// The entry.
        path: EvidencePath,
    },
    /// The entry has no children.
    #[error("read {path}: not a directory")]
    NotADirectory {
        /// The entry.
        path: EvidencePath,
    },
    /// The entry has no stream of this name.
    #[error("read {path}: no stream {stream:?}")]
    NoStream {
        /// The entry.
        path: EvidencePath,
        /// The name that was asked for.
        stream: String,
    },
    /// A structure of the file system is damaged.
    #[error("read {path}: {source}")]
    Damaged {
        /// The path in the evidence.
        path: EvidencePath,
        /// What is wrong, and where.
        #[source]
        source: Damage,
    },
    /// The entry exists, but is stored in a way that is not supported yet.
    #[error("read {path}: found {found}, which is not read yet")]
    Unsupported {
        /// The path in the evidence.
        path: EvidencePath,
        /// How it is stored.
        found: &'static str,
    },
    /// The bytes end before the size that the file system gives.
    #[error("read {path}: byte {offset}: expected {expected} bytes, found {actual}")]
    Short {
        /// The file.
        path: EvidencePath,
        /// Offset from its start, in bytes.
        offset: u64,
        /// Number of bytes that should be there.
        expected: u64,
        /// Number of bytes that are there.
        actual: u64,
    },
    /// The file is larger than the reader accepts as a whole.
    #[error("read {path}: {actual} bytes are more than the limit of {limit}")]
    TooLarge {
        /// The file.
        path: EvidencePath,
        /// The most bytes that are accepted.
        limit: u64,
        /// Its size.
        actual: u64,
    },
}

impl ReadError {
    /// Checks whether another attempt on the same evidence can succeed: the machine failed, not the evidence.
    pub fn may_pass(&self) -> bool {
        match self {
            ReadError::Io { .. } | ReadError::Absent { .. } | ReadError::Short { .. } => true,
            ReadError::Damaged { source, .. } => matches!(source, Damage::Unreadable { .. }),
            _ => false,
        }
    }
}

/// Damage to a structure of a file system.
#[derive(Debug, Error)]
pub enum Damage {
    /// Damage to NTFS.
    #[error(transparent)]
    Ntfs(#[from] NtfsDamage),
    /// Damage to an archive.
    #[error(transparent)]
    Archive(#[from] ArchiveDamage),
    /// A field of any other file system has a wrong value.
    #[error("byte {offset} of the volume: {what}: expected {expected}, found {found}")]
    Field {
        /// The field.
        what: &'static str,
        /// Offset of the field from the start of the volume, in bytes.
        offset: u64,
        /// The value it must have.
        expected: &'static str,
        /// The value found.
        found: u64,
    },
    /// A structure cannot be read from the medium.
    #[error("byte {offset} of the volume: {what}: {source}")]
    Unreadable {
        /// The structure.
        what: &'static str,
        /// Offset of the structure from the start of the volume, in bytes.
        offset: u64,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

/// Damage to a structure of NTFS.
#[derive(Debug, Error)]
pub enum NtfsDamage {
    /// A record of the `$MFT` cannot be read.
    #[error("MFT entry {entry}: {source}")]
    Record {
        /// Its index.
        entry: u64,
        /// The cause.
        #[source]
        source: ntfs_core::error::NtfsError,
    },
    /// The reader stopped on damage that it does not report.
    #[error("MFT entry {entry}: the reader stopped on damage")]
    Stopped {
        /// The entry that was read.
        entry: u64,
    },
    /// A field does not have the value that it must have.
    #[error("MFT entry {entry}: {what}: expected {expected}, found {found}")]
    Value {
        /// The entry.
        entry: u64,
        /// The field.
        what: &'static str,
        /// The value it must have.
        expected: u64,
        /// The value found.
        found: u64,
    },
    /// A sector of a record was not written with the rest of it.
    #[error(
        "MFT entry {entry}: byte {offset} of the record{}: update sequence: expected {expected:#06x}, found {found:#06x}",
        place.map(|at| format!(" (byte {at} of the volume)")).unwrap_or_default()
    )]
    Torn {
        /// The entry.
        entry: u64,
        /// Offset from the start of the record, in bytes.
        offset: usize,
        /// The number that all sectors of the record end with.
        expected: u16,
        /// The number that this sector ends with.
        found: u16,
        /// Offset from the start of the volume in bytes, if known.
        place: Option<u64>,
    },
    /// `chkdsk` marked the record as damaged.
    #[error("MFT entry {entry}: marked as damaged (BAAD)")]
    Marked {
        /// The entry.
        entry: u64,
    },
    /// Compressed data cannot be expanded.
    #[error("MFT entry {entry}: byte {offset} of the stream: the compressed data is damaged")]
    Compression {
        /// The entry.
        entry: u64,
        /// Start of the compression unit or chunk, in bytes from the start of the stream.
        offset: u64,
    },
    /// A chunk of a file of the Windows Overlay Filter cannot be where the chunk table says.
    #[error(
        "MFT entry {entry}: byte {offset} of the stream: its chunk of at most {size} bytes is told to stand from byte {start} to {end} of the {total} of WofCompressedData"
    )]
    Chunk {
        /// The entry.
        entry: u64,
        /// First byte of the file in the chunk.
        offset: u64,
        /// Bytes of the file in the chunk; its stored size cannot be larger.
        size: u64,
        /// First byte in `WofCompressedData`.
        start: u64,
        /// The byte after the last one.
        end: u64,
        /// Bytes of `WofCompressedData`.
        total: u64,
    },
}

/// Why evidence cannot be hashed. An unreadable file is not an error, but a gap.
#[derive(Debug, Error)]
pub enum HashError {
    /// A file of the container cannot be read.
    #[error("hash evidence {label}: read {}", path.display())]
    Container {
        /// The label of the evidence.
        label: String,
        /// The file on the examiner's machine.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The root itself cannot be read.
    #[error("hash evidence {label}")]
    Root {
        /// The label of the evidence.
        label: String,
        /// The cause.
        #[source]
        source: ReadError,
    },
}
