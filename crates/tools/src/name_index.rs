//! The names of a piece of evidence in one file, so that a search for names needs no walk.
//!
//! An index is built by one walk over a tree and has everything that a search must decide.
//! It lists every entry in the order of the walk, with its name, kind and size.
//! What could not be listed is at its place in that order.
//! So an answer from the index is the same as the answer of the walk, with its gaps and its damage.
//! Records are never made from it: the entry of each hit is read from the evidence again.
//! If that entry is not as the index says, the call fails.
//!
//! The file is made from hostile bytes, by a process that has read them.
//! [`NameIndex`] therefore checks everything it reads and never reads beyond the file's end.
//! Whoever hands the file out knows its digest; the file itself is only checked against its own lengths.

mod blocks;
mod build;
mod error;
mod folders;
mod identity;
mod layout;
mod names;
mod paths;
mod query;
mod ranges;
mod remarks;

pub use build::{BuiltIndex, build};
pub use error::{BuildError, IndexError};
pub(crate) use folders::KnownFolders;
pub use identity::{INDEX_MAKER, evidence_identity};
pub(crate) use names::ends_in;
pub(crate) use query::{Asked, Sizes};

use blocks::Blocks;
use layout::{Layout, Row};
use std::path::Path;

/// An opened index.
pub(crate) struct NameIndex {
    blocks: Blocks,
    layout: Layout,
}

impl NameIndex {
    /// Opens the index in the file `path`.
    pub(crate) fn open(path: &Path) -> Result<NameIndex, IndexError> {
        let mut blocks = Blocks::open(path)?;
        let layout = Layout::read(&mut blocks)?;
        Ok(NameIndex { blocks, layout })
    }

    /// Returns the listing of an archive; `None` for other evidence.
    pub(crate) fn listing(&self) -> Result<Option<Vec<u8>>, IndexError> {
        match self.layout.listing_length() {
            0 => Ok(None),
            length => self.blocks.bytes(self.layout.listing_at, length).map(Some),
        }
    }

    /// Reads one entry.
    fn row(&mut self, number: u32) -> Result<Row, IndexError> {
        let row = Row::read(&mut self.blocks, self.layout.row(number)?)?;
        let (count, parent) = (u64::from(self.layout.rows), u64::from(row.parent.unwrap_or(0)));
        if row.end <= number || row.end > self.layout.rows {
            return Err(IndexError::value("the end of a folder", count, u64::from(row.end)));
        }
        if row.parent.is_some_and(|parent| parent >= number) {
            return Err(IndexError::value("the folder of an entry", u64::from(number), parent));
        }
        Ok(row)
    }
}
