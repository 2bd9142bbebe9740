//! Why a description cannot be built.

/// A description that no volume can hold.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The cluster is no power of two of 512 bytes to 2 MiB.
    #[error("cluster size: expected a power of two from 512 to 2097152, found {found}")]
    Cluster {
        /// Bytes asked for.
        found: u32,
    },
    /// The volume ends before everything found its place.
    #[error("clusters: expected {wanted} free ones, found {free}")]
    Full {
        /// Clusters asked for at once.
        wanted: u64,
        /// Clusters left.
        free: u64,
    },
    /// A name that NTFS cannot store: empty, or longer than 255 UTF-16 units.
    #[error("name in {path}: expected 1 to 255 UTF-16 units, found {units}")]
    Name {
        /// Path of the entry.
        path: String,
        /// Its UTF-16 units.
        units: usize,
    },
    /// Two entries in use have one name, letter case aside.
    #[error("{path}: expected one entry in use of this name, found two")]
    Duplicate {
        /// Path of the second one.
        path: String,
    },
    /// An entry names another one that is not in the description or is not fit for it.
    #[error("{path}: expected an entry in use at {wanted}, found none")]
    NoSuch {
        /// The entry that names.
        path: String,
        /// The path it names.
        wanted: String,
    },
    /// An entry in use lies in a deleted folder, or in something that is no folder.
    #[error("{path}: expected a folder in use above it, found none")]
    Parent {
        /// Path of the entry.
        path: String,
    },
    /// NTFS compresses in clusters of at most 4096 bytes only.
    #[error("compressed content: expected clusters of at most 4096 bytes, found {cluster}")]
    Compression {
        /// Bytes of a cluster.
        cluster: u64,
    },
    /// The attributes of one file do not fit in records.
    #[error("record {record}: expected attributes of at most {limit} bytes, found {found}")]
    Attribute {
        /// Number of the record.
        record: u64,
        /// Bytes that a record holds.
        limit: usize,
        /// Bytes of the attribute.
        found: usize,
    },
}
