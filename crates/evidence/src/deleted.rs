//! Deleted entries: what a file system still tells of files it no longer counts in.
//!
//! A deleted entry is named by its number, `p1/$Deleted/<number>/<name>`: its old path may be another file's by now.
//! Of a name that only the free space of a folder keeps, the times and the size are those that the folder showed.
//! Neither `$Deleted` nor what stands below it is ever listed or walked; such a path is found by [`Tree::node`](crate::Tree::node) and read like any other.

use crate::path::EvidencePath;
use crate::tree::Node;
use ledger::{Defect, Gap};

/// The first part, below a volume, of the path of a deleted entry.
pub const DELETED: &str = "$Deleted";

/// What looking for deleted entries meets.
pub type DeletedSteps<'a> = Box<dyn Iterator<Item = DeletedStep> + 'a>;

/// See [`DeletedSteps`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletedStep {
    /// An entry.
    Entry(Box<DeletedEntry>),
    /// Damage: what stood there is not told.
    Defect(Defect),
    /// Something that was not examined.
    Gap(Gap),
}

/// An entry that was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedEntry {
    /// The entry; its path is that of the module's description, its state is deleted, or allocated where the file system counts it in and no folder leads to it.
    pub node: Node,
    /// Where it stood, as far as the file system tells; of an orphan only what is known from the name upwards.
    pub original: Original,
    /// Whether its bytes can still be its own.
    pub recovery: Recovery,
}

/// Where a deleted entry stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    /// Every folder above it is known; some of them may be deleted too.
    Path(EvidencePath),
    /// A folder above it is gone or is another's by now: the path below that folder.
    Orphan(EvidencePath),
}

/// Whether the bytes of a deleted entry can still be its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// No cluster of its streams is another's: what is read was its content when it was deleted, unless that was overwritten and freed again.
    Whole,
    /// Some clusters are in use by others.
    Partial {
        /// Clusters in use by others.
        reused: u64,
        /// Clusters of all its streams.
        clusters: u64,
    },
    /// Every cluster is in use by others, or none is known.
    Lost,
    /// The file system keeps only where the content began (FAT, exFAT): what is read assumes that it went on without a break.
    Assumed,
    /// It has no content: a folder, or a file without bytes.
    Nothing,
}
