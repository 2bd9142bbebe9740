//! One read-only tree over evidence.
//!
//! A piece of evidence (a folder, a disk image, or a triage archive) is a [`Tree`] of [`Node`]s.
//! Readers return bytes at any offset through [`ReadAt`], and can say where in the container those bytes are.
//!
//! **Invariant:** nothing here writes, and nothing outside the opened root is read: symbolic links are listed,
//! never followed.

#![deny(clippy::indexing_slicing)]

mod archive;
mod deleted;
mod directory;
mod error;
mod ext;
mod fat;
mod file_system;
mod hash;
mod image;
mod inner;
mod link;
mod memory;
mod mft;
mod ntfs;
mod path;
pub mod platform;
mod read;
mod tree;
mod volume;
mod walk;
mod window;

pub use archive::{ArchiveDamage, ArchiveTree, Expansion, is_archive, open_archive};
pub use deleted::{DELETED, DeletedEntry, DeletedStep, DeletedSteps, Original, Recovery};
pub use directory::{DirectoryTree, FoldersIn, open_directory};
pub use error::{Damage, HashError, NtfsDamage, OpenError, PathError, ReadError};
pub use hash::{hash, hash_archive};
pub use image::{
    Acquisition, ContainerFormat, Disk, Guid, HashAlgorithm, HashCheck, ImageTree, Layout, Partition,
    PartitionType, Region, Scheme, StoredHash, UnreadSectors, image_files, is_image, open_image, read_layout,
};
pub use inner::{is_top, names_a_compressed_text};
pub use link::left_out_below;
pub use memory::{MemoryTree, memory_tree};
pub use mft::{
    AttributeInfo, FileName, MftDescription, MftFileEntry, MftName, MftSummary, StandardInformation,
};
pub use ntfs::{MftFile, ORPHAN, expand_xpress_huffman, mft_record_size};
pub use path::{EvidencePath, escape_name, unescape_name};
pub use read::{Extent, ReadAt, read_all, read_full_at};
pub use tree::{
    FileReference, Listing, MacbTimes, Node, NodeKind, NodeState, StreamInfo, Tree, open, open_listed,
};
pub use volume::{Volume, VolumeFacts};
pub use walk::{MAX_DEPTH, Step, Walk, walk};
