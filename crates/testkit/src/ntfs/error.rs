//! Errors in volume descriptions.

/// The reason why a description cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The cluster size is not a power of two from 512 bytes to 2 MiB.
    #[error("cluster size: expected a power of two from 512 to 2097152, found {found}")]
    Cluster {
        /// The requested size in bytes.
        found: u32,
    },
    /// The volume is too small for its contents.
    #[error("clusters: expected {wanted} free ones, found {free}")]
    Full {
        /// The number of clusters requested at once.
        wanted: u64,
        /// The number of clusters left.
        free: u64,
    },
    /// A name that NTFS cannot store: empty, or longer than 255 UTF-16 units.
    #[error("name in {path}: expected 1 to 255 UTF-16 units, found {units}")]
    Name {
        /// The path of the entry.
        path: String,
        /// The number of its UTF-16 units.
        units: usize,
    },
    /// Two entries in use have the same name, ignoring case.
    #[error("{path}: expected one entry in use of this name, found two")]
    Duplicate {
        /// The path of the second one.
        path: String,
    },
    /// An entry refers to another one that is missing from the description or unsuitable.
    #[error("{path}: expected an entry in use at {wanted}, found none")]
    NoSuch {
        /// The entry with the reference.
        path: String,
        /// The path that it refers to.
        wanted: String,
    },
    /// An entry in use is in a deleted folder, or in something that is not a folder.
    #[error("{path}: expected a folder in use above it, found none")]
    Parent {
        /// The path of the entry.
        path: String,
    },
    /// NTFS compresses only with clusters of at most 4096 bytes.
    #[error("compressed content: expected clusters of at most 4096 bytes, found {cluster}")]
    Compression {
        /// The size of a cluster in bytes.
        cluster: u64,
    },
    /// The attributes of one file do not fit into records.
    #[error("record {record}: expected attributes of at most {limit} bytes, found {found}")]
    Attribute {
        /// The number of the record.
        record: u64,
        /// The capacity of a record in bytes.
        limit: usize,
        /// The size of the attribute in bytes.
        found: usize,
    },
}
