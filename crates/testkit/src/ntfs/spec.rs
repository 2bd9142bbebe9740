//! The plain description of a volume.

/// DOS attributes, as in `$STANDARD_INFORMATION` ([MS-FSCC] 2.6).
pub mod attribute {
    /// Read-only.
    pub const READ_ONLY: u32 = 0x1;
    /// Hidden.
    pub const HIDDEN: u32 = 0x2;
    /// Part of the operating system.
    pub const SYSTEM: u32 = 0x4;
    /// Changed since the last backup.
    pub const ARCHIVE: u32 = 0x20;
    /// Has holes; set by the builder.
    pub const SPARSE: u32 = 0x200;
    /// Has a reparse point; set by the builder.
    pub const REPARSE: u32 = 0x400;
    /// Compressed; set by the builder.
    pub const COMPRESSED: u32 = 0x800;
}

/// 2024-01-01 00:00 UTC, in 100-ns ticks since 1601.
const DEFAULT_TIME: u64 = 133_485_408_000_000_000;

/// The description of a volume.
#[derive(Clone, Debug)]
pub struct VolumeSpec {
    /// The size in bytes, including the backup boot sector; cut to whole sectors of 512 bytes.
    pub size: u64,
    /// The size of a cluster in bytes: a power of two from 512 to 2 MiB.
    pub cluster: u32,
    /// The serial number.
    pub serial: u64,
    /// The label; empty for none.
    pub label: String,
    /// All times of the metafiles, of the root, and of folders created on demand: 100-ns ticks since 1601.
    pub time: u64,
    /// Whether to set the dirty flag of `$VOLUME_INFORMATION`.
    pub dirty: bool,
    /// The number of sectors before the volume, as the boot sector states it; it changes nothing else.
    pub hidden_sectors: u32,
    /// The number of fragments of the `$MFT`; 0 and 1 both mean one.
    pub mft_extents: u32,
    /// The change journal `$Extend/$UsnJrnl`.
    pub journal: Option<Journal>,
    /// Writes the header of a volume shadow copy catalogue with this catalogue offset, without writing a catalogue.
    pub shadow_catalogue: Option<u64>,
    /// The entries; missing parent folders are created on demand.
    pub entries: Vec<EntrySpec>,
}

impl VolumeSpec {
    /// Creates an empty volume of 16 MiB with clusters of 4096 bytes.
    pub fn new(label: &str) -> Self {
        Self {
            size: 16 << 20,
            cluster: 4096,
            serial: 0x1c2d_3e4f_5a6b_7c8d,
            label: label.to_owned(),
            time: DEFAULT_TIME,
            dirty: false,
            hidden_sectors: 0,
            mft_extents: 1,
            journal: None,
            shadow_catalogue: None,
            entries: Vec::new(),
        }
    }

    /// Sets the size of the volume in bytes.
    pub fn size(self, size: u64) -> Self {
        Self { size, ..self }
    }

    /// Sets the size of a cluster in bytes.
    pub fn cluster(self, cluster: u32) -> Self {
        Self { cluster, ..self }
    }

    /// Adds an entry.
    pub fn entry(mut self, entry: EntrySpec) -> Self {
        self.entries.push(entry);
        self
    }

    /// Builds the volume.
    pub fn build(&self) -> Result<super::Built, super::BuildError> {
        super::layout::build(self)
    }
}

/// The description of a file, folder or link.
#[derive(Clone, Debug)]
pub struct EntrySpec {
    /// The path from the root of the volume, with `/` as separator.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The main stream; ignored for folders and links, which have none.
    pub content: Content,
    /// All eight times.
    pub times: NtfsTimes,
    /// Named streams.
    pub streams: Vec<(String, Content)>,
    /// Whether it was deleted, and what became of it.
    pub deleted: Deleted,
    /// Whether the index entries of a deleted entry are left in the slack of its folder's index.
    pub stale_index: bool,
    /// Further paths of the same file.
    pub hard_links: Vec<String>,
    /// The DOS attributes (see [`attribute`]); the builder adds those it must set.
    pub attributes: u32,
    /// The short name, stored as a separate name.
    ///
    /// Without it, a name that is short anyway is marked as both, and any other as POSIX.
    pub dos_name: Option<String>,
    /// The number of fragments of each stream in clusters, not in ascending order; 0 and 1 both mean one.
    pub extents: u32,
    /// Whether to force an `$ATTRIBUTE_LIST` with extension records, even if one record would hold everything.
    pub attribute_list: bool,
    /// The buffer of a reparse point, starting with its tag; ignored for links, which have their own.
    pub reparse: Option<Vec<u8>>,
}

impl EntrySpec {
    fn new(path: &str, kind: Kind, content: Content) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            content,
            times: NtfsTimes::all(DEFAULT_TIME),
            streams: Vec::new(),
            deleted: Deleted::No,
            stale_index: false,
            hard_links: Vec::new(),
            attributes: attribute::ARCHIVE,
            dos_name: None,
            extents: 1,
            attribute_list: false,
            reparse: None,
        }
    }

    /// Describes a file with this content, resident if it is small.
    pub fn file(path: &str, content: &[u8]) -> Self {
        Self::new(path, Kind::File, Content::Bytes(content.to_vec()))
    }

    /// Describes a folder.
    pub fn directory(path: &str) -> Self {
        Self { attributes: 0, ..Self::new(path, Kind::Directory, Content::Bytes(Vec::new())) }
    }

    /// Describes a symbolic link to a file.
    pub fn symlink(path: &str, target: &str) -> Self {
        Self::new(path, Kind::Symlink(target.to_owned()), Content::Bytes(Vec::new()))
    }

    /// Describes a junction.
    pub fn junction(path: &str, target: &str) -> Self {
        Self {
            attributes: 0,
            ..Self::new(path, Kind::Junction(target.to_owned()), Content::Bytes(Vec::new()))
        }
    }

    /// Sets the content of the main stream.
    pub fn content(self, content: Content) -> Self {
        Self { content, ..self }
    }

    /// Sets all eight times.
    pub fn times(self, times: NtfsTimes) -> Self {
        Self { times, ..self }
    }

    /// Adds a named stream, resident if it is small.
    pub fn stream(mut self, name: &str, content: &[u8]) -> Self {
        self.streams.push((name.to_owned(), Content::Bytes(content.to_vec())));
        self
    }

    /// Deletes the entry.
    pub fn deleted(self, deleted: Deleted) -> Self {
        Self { deleted, ..self }
    }

    /// Leaves its name in the slack of the index.
    pub fn stale(self) -> Self {
        Self { stale_index: true, ..self }
    }

    /// Adds another path for the same file.
    pub fn hard_link(mut self, path: &str) -> Self {
        self.hard_links.push(path.to_owned());
        self
    }

    /// Sets the DOS attributes.
    pub fn attributes(self, attributes: u32) -> Self {
        Self { attributes, ..self }
    }

    /// Sets the short name.
    pub fn dos_name(self, name: &str) -> Self {
        Self { dos_name: Some(name.to_owned()), ..self }
    }

    /// Stores each stream in clusters in this many fragments.
    pub fn extents(self, extents: u32) -> Self {
        Self { extents, ..self }
    }

    /// Forces an `$ATTRIBUTE_LIST`.
    pub fn attribute_list(self) -> Self {
        Self { attribute_list: true, ..self }
    }

    /// Sets the buffer of a reparse point, starting with its tag.
    pub fn reparse(self, buffer: &[u8]) -> Self {
        Self { reparse: Some(buffer.to_vec()), ..self }
    }
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link to a file; a target with a drive or a leading `\` is absolute.
    Symlink(String),
    /// A junction to a folder, named with its drive (`C:\Users`).
    Junction(String),
}

/// The content of a stream, and how it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// In the record if it fits, or in clusters otherwise.
    Bytes(Vec<u8>),
    /// In clusters, however short it is.
    Clusters(Vec<u8>),
    /// In clusters where there are parts, with holes elsewhere.
    Sparse {
        /// The size in bytes; all of them are hashed for the planted truth.
        size: u64,
        /// The offset and bytes of each part, ascending, and not beyond `size`.
        parts: Vec<(u64, Vec<u8>)>,
    },
    /// LZNT1 in units of 16 clusters: a unit that does not shrink is stored uncompressed, and one of zeros is a hole.
    Compressed(Vec<u8>),
    /// In clusters that were never written after `bytes`: the initialised size ends there, and what follows does not belong to the stream.
    Uninitialised {
        /// The bytes that were written.
        bytes: Vec<u8>,
        /// The size of the stream in bytes.
        size: u64,
        /// The contents of the clusters after `bytes`, as far as they reach; a reader must return zeros instead.
        behind: Vec<u8>,
    },
}

/// Four times, in 100-ns ticks since 1601-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTimes {
    /// Created.
    pub born: u64,
    /// Content last written.
    pub modified: u64,
    /// Record last changed.
    pub changed: u64,
    /// Content last read.
    pub accessed: u64,
}

impl FileTimes {
    /// Creates four equal times.
    pub fn all(ticks: u64) -> Self {
        Self { born: ticks, modified: ticks, changed: ticks, accessed: ticks }
    }
}

/// All eight times of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NtfsTimes {
    /// The times in `$STANDARD_INFORMATION`, and in the index entries, which Windows keeps equal.
    pub standard_information: FileTimes,
    /// The times in every `$FILE_NAME`.
    pub file_name: FileTimes,
}

impl NtfsTimes {
    /// Creates eight equal times.
    pub fn all(ticks: u64) -> Self {
        Self { standard_information: FileTimes::all(ticks), file_name: FileTimes::all(ticks) }
    }
}

/// The state of an entry: in use, or deleted in one of several ways.
///
/// Windows clears the in-use flag, increments the sequence number, removes the names from the indexes, and frees the record and the clusters;
/// everything else stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Deleted {
    /// It is in use.
    #[default]
    No,
    /// Its record and its clusters are free and unchanged.
    Recoverable,
    /// Its record is free, and another file has taken as many of its clusters as it needs.
    Overwritten {
        /// The path of that file; it is in use, and its content is [`Content::Bytes`] or [`Content::Clusters`].
        by: String,
    },
    /// Its record and its clusters are free, and another file has taken the record of its folder.
    Orphan {
        /// The path of that file; it is in use.
        by: String,
    },
}

/// A change journal.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// The identifier of the journal, in 100-ns ticks since 1601: its creation time.
    pub id: u64,
    /// The update sequence number of the first record, rounded down to whole pages of 4096 bytes; `$J` has a hole up to there.
    pub first: u64,
    /// The records, version 2, in the order of writing.
    pub records: Vec<JournalRecord>,
}

/// A record of a change journal.
#[derive(Clone, Debug)]
pub struct JournalRecord {
    /// The path of the entry it is about, which may be deleted.
    pub path: String,
    /// The name at the time; `None` for the name in `path`.
    pub name: Option<String>,
    /// The time, in 100-ns ticks since 1601.
    pub time: u64,
    /// The kind of change: flags of [MS-FSCC] 2.3.60.
    pub reason: u32,
}
