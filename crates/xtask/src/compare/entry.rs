//! The data of an entry that is compared.

use std::collections::BTreeMap;

/// The identity of an entry for both readers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The path from the root of the volume, without a leading slash; for an orphan, below `$OrphanFiles`.
    pub(crate) path: String,
    /// The named stream, if any.
    pub(crate) stream: Option<String>,
    pub(crate) deleted: bool,
}

/// The properties of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The id with which its reader finds its content.
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// Modified, accessed, changed, born: seconds since 1970, 0 for none.
    pub(crate) times: [i64; 4],
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// It has no content that both readers would return.
    Other,
}

/// All entries in a volume.
pub(crate) type Entries = BTreeMap<Key, Entry>;
