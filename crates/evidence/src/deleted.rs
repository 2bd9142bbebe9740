//! Deleted entries: what a file system still holds about files that it no longer lists.
//!
//! A deleted entry is named by its number (`p1/$Deleted/<number>/<name>`), because its old path may belong to
//! another file by now.
//! If only a name in the free space of a folder is left, the times and the size are those that the folder showed.
//! Neither `$Deleted` nor anything below it is ever listed or walked. Such a path is found by
//! [`Tree::node`](crate::Tree::node) and read like any other.

use crate::path::EvidencePath;
use crate::tree::Node;
use ledger::{Defect, Gap};

/// The first component, below a volume, of the path of a deleted entry.
pub const DELETED: &str = "$Deleted";

/// The results of a search for deleted entries.
pub type DeletedSteps<'a> = Box<dyn Iterator<Item = DeletedStep> + 'a>;

/// See [`DeletedSteps`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletedStep {
    /// An entry.
    Entry(Box<DeletedEntry>),
    /// Damage: what was there is not reported.
    Defect(Defect),
    /// Something that was not examined.
    Gap(Gap),
}

/// A deleted entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedEntry {
    /// The entry, with a path as described for the module. Its state is deleted, or allocated if the file system
    /// counts it as in use but no folder leads to it.
    pub node: Node,
    /// Its former place, as far as the file system shows it; for an orphan only the lower part of the path is known.
    pub original: Original,
    /// Whether its bytes can still be its own.
    pub recovery: Recovery,
}

/// The former place of a deleted entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    /// Every folder above it is known; some may also be deleted.
    Path(EvidencePath),
    /// A folder above it is gone or now belongs to something else: the path below that folder.
    Orphan(EvidencePath),
}

/// Whether the bytes of a deleted entry can still be its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// None of its clusters is in use by another file: the content is what it was at deletion, unless the
    /// clusters were overwritten and freed again.
    Whole,
    /// Some clusters are in use by other files.
    Partial {
        /// Clusters in use by other files.
        reused: u64,
        /// Clusters of all its streams.
        clusters: u64,
    },
    /// Every cluster is in use by other files, or none is known.
    Lost,
    /// The file system keeps only where the content began (FAT, exFAT): reading assumes that it was contiguous.
    Assumed,
    /// It has no content: a folder, or a file without bytes.
    Nothing,
}
