//! Registry hives (`regf`): keys, values, their times, and the location of each in the file.
//!
//! Undamaged structures are read with nt-hive. Whatever it refuses or does not provide (times, offsets, large
//! values of old hives,
//! damaged lists and cells) is read here through a bounds-checked view of the cells.
//! The format follows Maxim Suhanov's "Windows registry file format specification" (github.com/msuhanov/regf).
//!
//! A hive is read as it is, and [`DefectKind::DirtyHive`] says when its transaction logs matter; [`replay`]
//! applies them in memory.

mod cells;
mod decode;
mod defect;
pub mod deleted;
mod difference;
mod header;
mod identify;
mod key;
mod library;
mod lists;
pub mod replay;
mod value;
mod values;
mod walk;

pub use defect::{Defect, DefectKind, HeaderField, Signature};
pub use difference::{Difference, difference};
pub use header::{Filetime, HiveHeader, OpenError};
pub use identify::{HiveType, identify};
pub use key::Key;
pub use value::{Extent, Value, ValueData, ValueKind};
pub use walk::{Visit, WalkSummary};

use std::ops::ControlFlow;

use cells::Cells;
use lists::Budget;

/// The deepest level of keys that is read; Windows allows 512 levels.
pub const MAX_DEPTH: u32 = 512;

/// An open hive over bytes that are only ever read.
pub struct Hive<'a> {
    cells: Cells<'a>,
    header: HiveHeader,
    defects: Vec<Defect>,
    library: library::Library<'a>,
}

/// Failure to answer a question about one key.
///
/// A missing key is not an error; these mean that it is unknown whether the key exists.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// The root key cannot be read, so no key can.
    #[error("read the root key: {}", .0.what)]
    Root(Defect),
    /// The key was not found, but damage may hide it.
    #[error("search {path:?}: {} defects may hide what was asked for", .defects.len())]
    Incomplete {
        /// The key in which the search ended, from the root.
        path: String,
        /// The damage found there.
        defects: Vec<Defect>,
    },
}

impl<'a> Hive<'a> {
    /// Opens a hive.
    ///
    /// Fails only if nothing can be read: too few bytes, another signature, or a transaction log.
    /// Everything else that is wrong with the base block is a defect in [`Hive::defects`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, OpenError> {
        let (header, mut defects) = header::read(bytes)?;
        let library = library::Library::open(bytes)?;
        let cells = Cells::new(bytes);
        if let Err(defect) = key::record(cells, header.root_entry(), &mut defects) {
            defects.push(defect);
        }
        Ok(Self { cells, header, defects, library })
    }

    /// Returns the base block.
    pub fn header(&self) -> &HiveHeader {
        &self.header
    }

    /// Returns what is wrong with the base block and with the record of the root key.
    pub fn defects(&self) -> &[Defect] {
        &self.defects
    }

    /// Returns the damage that may hide keys directly below the root, or the root itself.
    pub fn damage_at_root(&self) -> Vec<Defect> {
        match self.root() {
            Err(defect) => vec![defect],
            Ok(root) => {
                let (_, mut defects) = self.children(&root);
                defects.retain(|defect| defect.what.hides_records());
                defects
            }
        }
    }

    /// Returns the root key, whose path is `""`.
    pub fn root(&self) -> Result<Key<'_>, Defect> {
        let mut defects = Vec::new();
        let (cell, record) = key::record(self.cells, self.header.root_entry(), &mut defects)?;
        let node = if defects.is_empty() { self.library.root() } else { None };
        Ok(Key::root(self.cells, cell, &record, node))
    }

    /// Returns the key at this path from the root: components separated by `\`, compared without regard to case.
    ///
    /// `Ok(None)` means that the key does not exist: the lists that would hold it were read completely.
    pub fn key(&self, path: &str) -> Result<Option<Key<'_>>, LookupError> {
        let mut key = self.root().map_err(LookupError::Root)?;
        for component in path.split('\\').filter(|component| !component.is_empty()) {
            match self.child(&key, component)? {
                Some(child) => key = child,
                None => return Ok(None),
            }
        }
        Ok(Some(key))
    }

    /// Returns the subkey of a key with this name, compared without regard to case.
    ///
    /// `Ok(None)` means that the key does not exist: the lists that would hold it were read completely.
    pub fn child<'h>(&'h self, key: &Key<'h>, name: &str) -> Result<Option<Key<'h>>, LookupError> {
        let (found, defects) = key::children(self, key, Some(name), &mut Budget::of(self.cells));
        match found.into_iter().next() {
            Some(child) => Ok(Some(child)),
            None => absent(key.path.clone(), defects),
        }
    }

    /// Returns the value of a key with this name (`""`: the default value), compared without regard to case.
    ///
    /// `Ok(None)` means that the value does not exist: the list of values was read completely.
    pub fn value<'h>(&'h self, key: &Key<'h>, name: &str) -> Result<Option<Value<'h>>, LookupError> {
        let (values, defects) = self.values(key);
        match values.into_iter().find(|value| decode::same_name(&value.name, name)) {
            Some(value) => Ok(Some(value)),
            None => absent(key.path.clone(), defects),
        }
    }

    /// Returns the subkeys of a key in stored order, and the damage found; a damaged one does not hide its siblings.
    pub fn children<'h>(&'h self, key: &Key<'h>) -> (Vec<Key<'h>>, Vec<Defect>) {
        key::children(self, key, None, &mut Budget::of(self.cells))
    }

    /// Returns the values of a key in stored order, and the damage found; a damaged one does not hide its siblings.
    pub fn values<'h>(&'h self, key: &Key<'h>) -> (Vec<Value<'h>>, Vec<Defect>) {
        values::read(self, key, &mut Budget::of(self.cells))
    }

    /// Visits every key once, parents first, siblings in stored order, each with its values and damage.
    ///
    /// Every key is visited once, even in cycles. A key with two parents is visited under the parent that it names;
    /// a key that names a parent which does not list it is visited at the end. Depth and total output are bounded.
    pub fn walk<'h>(&'h self, visit: impl FnMut(Visit<'h>) -> ControlFlow<()>) -> WalkSummary {
        walk::run(self, visit)
    }
}

/// Returns the result for something that was not found: it is an absence only if no damage could hide it.
fn absent<T>(path: String, mut defects: Vec<Defect>) -> Result<Option<T>, LookupError> {
    defects.retain(|defect| defect.what.hides_records());
    if defects.is_empty() { Ok(None) } else { Err(LookupError::Incomplete { path, defects }) }
}
