//! The names of a piece of evidence in one file, so that a search for names needs no walk.
//!
//! An index is built by one walk over a tree and holds whatever a search must decide: every entry in the order of the walk with its name, kind and size, and what could not be listed, at its place in that order.
//! So an answer from the index is the answer of the walk, with its gaps and its damage.
//! Records are never made from it: of each hit the entry is read from the evidence again, and one that is not there as the index says fails the call.
//!
//! The file is made from hostile bytes, and by a process that has read them: [`NameIndex`] checks whatever it reads and never goes beyond its end.
//! Whoever hands the file out knows its digest; the file itself is only held against its own lengths.

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

    /// What an archive lists; `None` of other evidence.
    pub(crate) fn listing(&self) -> Result<Option<Vec<u8>>, IndexError> {
        match self.layout.listing_length() {
            0 => Ok(None),
            length => self.blocks.bytes(self.layout.listing_at, length).map(Some),
        }
    }

    /// One entry.
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
