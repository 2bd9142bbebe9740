//! The pass: decodes every source of a piece of evidence once, into its tables.

use super::doing::{DOING, Doing, LeftOut};
use super::error::{TableError, sqlite};
use super::group::TableGroup;
use super::unopened::Unopened;
use super::write::{Writer, create};
use crate::catalogue::Indexes;
use crate::intake::Intake;
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, Tree};
use ledger::event::TableDigest;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The summary of a file of finished tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltTables {
    /// The tables that have rows, sorted by name.
    pub tables: Vec<TableDigest>,
    /// How many files, or parts of files, were decoded or could not be; if 0, there is nothing to keep.
    pub sources: u64,
    /// Whether every source could be read; the others are gaps, and a later try may read them.
    pub whole: bool,
}

/// The name of the file with the tables.
pub const TABLES_FILE: &str = "tables";

/// Decodes the sources of a group of `tree` into tables, in the file [`TABLES_FILE`] of `scratch`, an empty folder.
///
/// `names` may have the name index of the tree. The files in `without` are gaps.
/// While a file is read, [`DOING`] in `scratch` names it, so that a file that crashes this process can be left out of the next try.
///
/// # Errors
///
/// If the root cannot be read, or the file cannot be written; what cannot be read below the root is a row of `gaps`.
pub fn build(
    tree: &dyn Tree,
    names: &Indexes,
    group: TableGroup,
    without: &[LeftOut],
    scratch: &Path,
) -> Result<BuiltTables, TableError> {
    build_of(Ground::whole(tree, names, scratch)?, group, without)
}

/// Does what [`build`] does, for a part of the evidence; the file is written to the scratch folder of `ground`.
///
/// # Errors
///
/// As for [`build`].
pub(super) fn build_of(
    ground: Ground<'_>,
    group: TableGroup,
    without: &[LeftOut],
) -> Result<BuiltTables, TableError> {
    // Decoders use a folder of their own.
    let (file, folder) = (ground.scratch.join(TABLES_FILE), ground.scratch.join("decoders"));
    std::fs::create_dir(&folder).map_err(TableError::Finished)?;
    let doing = Doing::new(&ground.scratch.join(DOING))?;
    let ground = Ground { scratch: &folder, decoders: group.decoders(), ..ground };
    let tables = group.tables();
    let connection = create(&file, &tables)?;
    let writer = Writer::new(&connection, tables)?;
    let pass = Pass { writer, group, without, doing, failed: None, is_whole: true };
    let filled = fill(pass, &ground)?;
    connection.close().map_err(|(_, source)| sqlite("finish the tables")(source))?;
    Ok(filled)
}

fn fill(mut pass: Pass<'_, '_>, ground: &Ground<'_>) -> Result<BuiltTables, TableError> {
    survey(ground, &mut pass)?;
    if let Some(error) = pass.failed {
        return Err(error);
    }
    let (tables, sources) = pass.writer.finish()?;
    Ok(BuiltTables { tables, sources, whole: pass.is_whole })
}

struct Pass<'c, 'w> {
    writer: Writer<'c>,
    /// The sources that are wanted.
    group: TableGroup,
    without: &'w [LeftOut],
    doing: Doing,
    failed: Option<TableError>,
    is_whole: bool,
}

impl Surveyor for Pass<'_, '_> {
    fn wants(&self, origin: Origin) -> bool {
        TableGroup::of(origin) == Some(self.group)
    }

    fn knows(&mut self, _: &Node, _: Option<&str>, _: &dyn Fn(Origin) -> bool) -> bool {
        // Nothing more is written after the first failure.
        self.failed.is_some()
    }

    fn forbids(&mut self, path: &str, stream: Option<&str>) -> Option<String> {
        let left_out = self.without.iter().find(|left| left.is(path, stream));
        if left_out.is_none() {
            self.doing.note(path, stream);
        }
        left_out.map(|left| left.reason.clone())
    }

    fn failed(&mut self, _: &Surveyed<'_>) {
        self.is_whole = false;
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
            | Origin::Log(_)
            | Origin::Names
            | Origin::Hives
            | Origin::Files => decode(out),
        };
        self.failed = self.writer.unit(unit, &mut decode).err();
    }
}
