//! The pass: every source of a piece of evidence, decoded once, into its tables.

use super::error::{TableError, sqlite};
use super::group::TableGroup;
use super::schema::{Table, tables};
use super::unopened::Unopened;
use super::write::{Writer, create};
use crate::catalogue::Indexes;
use crate::intake::Intake;
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, Tree};
use ledger::event::TableDigest;
use rusqlite::Connection;
use std::path::Path;

/// The file of finished tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltTables {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The tables that have rows, by name.
    pub tables: Vec<TableDigest>,
    /// Whether every source could be read; others are gaps, and may be read another time.
    pub whole: bool,
}

/// Decodes the sources of a group, or all, of `tree` into tables, in a file of `scratch`, an empty folder.
///
/// `names` may hold the name index of the tree.
///
/// # Errors
///
/// Where the root cannot be read, or the file not be written; what cannot be read below the root is a row of `gaps`.
pub fn build(
    tree: &dyn Tree,
    names: &Indexes,
    group: Option<TableGroup>,
    scratch: &Path,
) -> Result<BuiltTables, TableError> {
    // Decoders fill a folder of their own.
    let (file, folder) = (scratch.join("tables"), scratch.join("decoders"));
    std::fs::create_dir(&folder).map_err(TableError::Finished)?;
    let mut ground = Ground::whole(tree, names, &folder)?;
    let tables = group.map_or_else(tables, TableGroup::tables);
    if let Some(group) = group {
        ground.decoders = group.decoders();
    }
    let connection = create(&file, &tables)?;
    let (tables, unread) = fill(&connection, tables, &ground, group)?;
    connection.close().map_err(|(_, source)| sqlite("finish the tables")(source))?;
    let bytes = std::fs::read(&file).map_err(TableError::Finished)?;
    Ok(BuiltTables { bytes, tables, whole: unread.is_none() })
}

fn fill(
    connection: &Connection,
    tables: Vec<Table>,
    ground: &Ground<'_>,
    group: Option<TableGroup>,
) -> Result<(Vec<TableDigest>, Option<String>), TableError> {
    let mut pass = Pass { writer: Writer::new(connection, tables)?, group, failed: None, unread: None };
    survey(ground, &mut pass)?;
    let Pass { writer, failed, unread, .. } = pass;
    match (failed, group, unread) {
        (Some(error), ..) => Err(error),
        // Calls decode then, and each tells what it could not read.
        (None, Some(_), Some(path)) => Err(TableError::Unread { path }),
        (None, _, unread) => Ok((writer.finish()?, unread)),
    }
}

struct Pass<'c> {
    writer: Writer<'c>,
    /// The only sources that are wanted.
    group: Option<TableGroup>,
    failed: Option<TableError>,
    /// The first file that could not be read.
    unread: Option<String>,
}

impl Surveyor for Pass<'_> {
    fn wants(&self, origin: Origin) -> bool {
        self.group.is_none_or(|group| TableGroup::of(origin) == Some(group))
    }

    fn knows(&mut self, _: &Node, _: Option<&str>, _: &dyn Fn(Origin) -> bool) -> bool {
        // Nothing more is written behind the first failure.
        self.failed.is_some()
    }

    fn failed(&mut self, unit: &Surveyed<'_>) {
        self.unread.get_or_insert_with(|| unit.path.to_owned());
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
            | Origin::Names
            | Origin::Hives
            | Origin::Files => decode(out),
        };
        self.failed = self.writer.unit(unit, &mut decode).err();
    }
}
