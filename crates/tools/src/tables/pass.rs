//! The pass: every source of a piece of evidence, decoded once, into its tables.

use super::error::TableError;
use super::unopened::Unopened;
use super::write::Writer;
use crate::catalogue::Indexes;
use crate::intake::Intake;
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, Tree};
use ledger::Digest;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file of finished tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltTables {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The tables that have rows, by name.
    pub tables: Vec<TableDigest>,
}

/// What a table holds, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDigest {
    /// Its name.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// The digest of its rows in their order.
    pub digest: Digest,
}

/// Decodes all sources of `tree` into tables, in a file of `scratch`, an empty folder.
///
/// `names` may hold the name index of the tree.
///
/// # Errors
///
/// Where the root cannot be read, or the file not be written; what cannot be read below the root is a row of `gaps`.
pub fn build(tree: &dyn Tree, names: &Indexes, scratch: &Path) -> Result<BuiltTables, TableError> {
    // Decoders fill a folder of their own.
    let (file, folder) = (scratch.join("tables"), scratch.join("decoders"));
    std::fs::create_dir(&folder).map_err(TableError::Finished)?;
    let ground = Ground::whole(tree, names, &folder)?;
    let mut pass = Pass { writer: Writer::create(&file)?, failed: None };
    survey(&ground, &mut pass)?;
    if let Some(error) = pass.failed {
        return Err(error);
    }
    let tables = pass.writer.finish()?;
    let bytes = std::fs::read(&file).map_err(TableError::Finished)?;
    Ok(BuiltTables { bytes, tables })
}

struct Pass {
    writer: Writer,
    failed: Option<TableError>,
}

impl Surveyor for Pass {
    fn wants(&self, _: Origin) -> bool {
        true
    }

    fn knows(&mut self, _: &Node, _: Option<&str>, _: &dyn Fn(Origin) -> bool) -> bool {
        // Nothing more is written behind the first failure.
        self.failed.is_some()
    }

    fn unit(&mut self, unit: &Surveyed<'_>, decode: &mut dyn FnMut(&mut dyn Intake)) {
        if self.failed.is_some() {
            return;
        }
        let mut decode = |out: &mut dyn Intake| match unit.origin {
            Origin::Entries => decode(&mut Unopened::new(out)),
            Origin::Keys
            | Origin::Values
            | Origin::Artifact(_)
            | Origin::Decoder(_)
            | Origin::Hives
            | Origin::Files => decode(out),
        };
        self.failed = self.writer.unit(unit, &mut decode).err();
    }
}
