//! The plain description of a volume.

/// DOS attributes, as `$STANDARD_INFORMATION` keeps them ([MS-FSCC] 2.6).
pub mod attribute {
    /// Not to be written.
    pub const READ_ONLY: u32 = 0x1;
    /// Not shown.
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

/// Description of a volume.
#[derive(Clone, Debug)]
pub struct VolumeSpec {
    /// Bytes of the volume, the sector of the backup boot sector among them; cut to whole sectors of 512 bytes.
    pub size: u64,
    /// Bytes of a cluster: a power of two from 512 to 2 MiB.
    pub cluster: u32,
    /// Serial number of the volume.
    pub serial: u64,
    /// Label of the volume; empty for none.
    pub label: String,
    /// All times of the metafiles, of the root, and of folders made on demand: 100-ns ticks since 1601.
    pub time: u64,
    /// Sets the dirty flag of `$VOLUME_INFORMATION`.
    pub dirty: bool,
    /// Sectors before the volume, as the boot sector tells them; changes nothing else.
    pub hidden_sectors: u32,
    /// Pieces that the `$MFT` is stored in; 0 and 1 mean one.
    pub mft_extents: u32,
    /// The change journal `$Extend/$UsnJrnl`.
    pub journal: Option<Journal>,
    /// Writes the header of a catalogue of volume shadow copies, which tells this offset of the catalogue; no catalogue stands there.
    pub shadow_catalogue: Option<u64>,
    /// The entries; folders on the way are made on demand.
    pub entries: Vec<EntrySpec>,
}

impl VolumeSpec {
    /// An empty volume of 16 MiB with clusters of 4096 bytes.
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

    /// Sets the bytes of the volume.
    pub fn size(self, size: u64) -> Self {
        Self { size, ..self }
    }

    /// Sets the bytes of a cluster.
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

/// Description of a file, folder or link.
#[derive(Clone, Debug)]
pub struct EntrySpec {
    /// Path from the root of the volume with `/` between names.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The main stream; folders and links have none, and this is ignored.
    pub content: Content,
    /// All eight times.
    pub times: NtfsTimes,
    /// Named streams.
    pub streams: Vec<(String, Content)>,
    /// Whether it was deleted, and what became of it.
    pub deleted: Deleted,
    /// Leaves the index entries of a deleted entry in the slack of its folder's index.
    pub stale_index: bool,
    /// Further paths of the same file.
    pub hard_links: Vec<String>,
    /// DOS attributes (see [`attribute`]); what the builder must set is added.
    pub attributes: u32,
    /// The short name, stored as a name of its own.
    ///
    /// Where there is none, a name that is short anyway is marked as both, any other as POSIX.
    pub dos_name: Option<String>,
    /// Pieces that each stream in clusters is stored in, not in ascending order; 0 and 1 mean one.
    pub extents: u32,
    /// Forces an `$ATTRIBUTE_LIST` with extension records, even where one record would hold everything.
    pub attribute_list: bool,
    /// The buffer of a reparse point, its tag first; links have their own, and this is ignored.
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

    /// A file with this content, resident when it is small.
    pub fn file(path: &str, content: &[u8]) -> Self {
        Self::new(path, Kind::File, Content::Bytes(content.to_vec()))
    }

    /// A folder.
    pub fn directory(path: &str) -> Self {
        Self { attributes: 0, ..Self::new(path, Kind::Directory, Content::Bytes(Vec::new())) }
    }

    /// A symbolic link to a file.
    pub fn symlink(path: &str, target: &str) -> Self {
        Self::new(path, Kind::Symlink(target.to_owned()), Content::Bytes(Vec::new()))
    }

    /// A junction.
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

    /// Adds a named stream, resident when it is small.
    pub fn stream(mut self, name: &str, content: &[u8]) -> Self {
        self.streams.push((name.to_owned(), Content::Bytes(content.to_vec())));
        self
    }

    /// Deletes it.
    pub fn deleted(self, deleted: Deleted) -> Self {
        Self { deleted, ..self }
    }

    /// Leaves its name in the slack of the index.
    pub fn stale(self) -> Self {
        Self { stale_index: true, ..self }
    }

    /// Adds another path of the same file.
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

    /// Stores each stream in clusters in so many pieces.
    pub fn extents(self, extents: u32) -> Self {
        Self { extents, ..self }
    }

    /// Forces an `$ATTRIBUTE_LIST`.
    pub fn attribute_list(self) -> Self {
        Self { attribute_list: true, ..self }
    }

    /// Sets the buffer of a reparse point, its tag first.
    pub fn reparse(self, buffer: &[u8]) -> Self {
        Self { reparse: Some(buffer.to_vec()), ..self }
    }
}

/// What an entry is.
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

/// The bytes of a stream and how they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// In the record when they fit, else in clusters.
    Bytes(Vec<u8>),
    /// In clusters, however few they are.
    Clusters(Vec<u8>),
    /// In clusters where a part stands, holes elsewhere.
    Sparse {
        /// Bytes of the stream; all of them are hashed for the planted truth.
        size: u64,
        /// Offset and bytes of each part, ascending, and not beyond `size`.
        parts: Vec<(u64, Vec<u8>)>,
    },
    /// LZNT1 in units of 16 clusters: a unit that does not shrink is stored as it is, one of zeros is a hole.
    Compressed(Vec<u8>),
    /// In clusters that were never written beyond `bytes`: the initialised size ends there, and what stands behind is not the stream's.
    Uninitialised {
        /// What was written.
        bytes: Vec<u8>,
        /// Bytes of the stream.
        size: u64,
        /// What the clusters hold behind `bytes`, as far as it goes; a reader must give zeros.
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
    /// The same time four times.
    pub fn all(ticks: u64) -> Self {
        Self { born: ticks, modified: ticks, changed: ticks, accessed: ticks }
    }
}

/// All eight times of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NtfsTimes {
    /// Of `$STANDARD_INFORMATION`, and of the index entries, which Windows keeps equal.
    pub standard_information: FileTimes,
    /// Of every `$FILE_NAME`.
    pub file_name: FileTimes,
}

impl NtfsTimes {
    /// The same time eight times.
    pub fn all(ticks: u64) -> Self {
        Self { standard_information: FileTimes::all(ticks), file_name: FileTimes::all(ticks) }
    }
}

/// Whether an entry was deleted, and what became of it.
///
/// Windows clears the in-use flag, increments the sequence number, takes the names out of the indexes, and frees record and clusters; everything else stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Deleted {
    /// It is in use.
    #[default]
    No,
    /// Its record and its clusters are free and untouched.
    Recoverable,
    /// Its record is free, and its clusters belong to another file by now: as many of them as the other one needs.
    Overwritten {
        /// Path of that file; it is in use, and its content is [`Content::Bytes`] or [`Content::Clusters`].
        by: String,
    },
    /// Its record and its clusters are free; the record of its folder belongs to another file by now.
    Orphan {
        /// Path of that file; it is in use.
        by: String,
    },
}

/// A change journal.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Identifier of the journal, in 100-ns ticks since 1601: when it was made.
    pub id: u64,
    /// Update sequence number of the first record, cut to whole pages of 4096 bytes: so much of `$J` before it is a hole.
    pub first: u64,
    /// The records, version 2, in the order of writing.
    pub records: Vec<JournalRecord>,
}

/// A record of a change journal.
#[derive(Clone, Debug)]
pub struct JournalRecord {
    /// Path of the entry it is about, which may be deleted.
    pub path: String,
    /// The name as it was then; `None` for the name in `path`.
    pub name: Option<String>,
    /// When, in 100-ns ticks since 1601.
    pub time: u64,
    /// What was changed: flags of [MS-FSCC] 2.3.60.
    pub reason: u32,
}
