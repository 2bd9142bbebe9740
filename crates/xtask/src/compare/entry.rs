//! What is compared of an entry.

use std::collections::BTreeMap;

/// How both readers name an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// Path from the root of the volume, without a slash in front; of an orphan below `$OrphanFiles`.
    pub(crate) path: String,
    /// Named stream.
    pub(crate) stream: Option<String>,
    pub(crate) deleted: bool,
}

/// What is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// How its reader finds its content.
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// Modified, accessed, changed, born: seconds since 1970, 0 for none.
    pub(crate) times: [i64; 4],
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// It has no content that both readers would give.
    Other,
}

/// Everything in a volume.
pub(crate) type Entries = BTreeMap<Key, Entry>;
