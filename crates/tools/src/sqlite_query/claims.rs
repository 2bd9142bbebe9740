//! Which table the columns of a result claim to come from.

use super::statement::Answer;
use crate::sqlite_file::schema::{EntryKind, Schema};
use crate::sqlite_file::table::{Identity, Table, not_read};
use rusqlite::Connection;

/// The columns of one table that a result claims.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) table: Table,
    /// The columns, in the order in which the result first names them.
    pub(crate) columns: Vec<Claimed>,
}

/// One table column in a result.
#[derive(Debug)]
pub(crate) struct Claimed {
    /// Its name in the table.
    pub(crate) name: String,
    /// Whether it is the rowid, under a name that is not one of the table's columns.
    pub(crate) is_rowid: bool,
    /// Its positions in the result.
    pub(crate) places: Vec<usize>,
}

/// All claims of a result.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// In the order in which the result first names the tables.
    pub(crate) tables: Vec<Claim>,
    /// Tables that cannot be read, in words.
    pub(crate) refused: Vec<String>,
}

/// Sorts the columns of an answer by table; computed ones belong to none.
pub(crate) fn claims(connection: &Connection, schema: &Schema, answer: &Answer) -> Claims {
    let mut claims = Claims::default();
    let mut refused: Vec<&str> = Vec::new();
    for (place, origin) in answer.origins.iter().enumerate() {
        let Some(origin) = origin else { continue };
        if refused.contains(&origin.table.as_str()) || !has_rows(schema, &origin.table) {
            continue;
        }
        if !claims.tables.iter().any(|claim| claim.table.name == origin.table) {
            match Table::read(connection, &origin.table) {
                Ok(table) if table.identity == Identity::Nothing => {
                    claims.refused.push(format!("table {:?}: nothing tells its rows apart", origin.table));
                    refused.push(&origin.table);
                    continue;
                }
                Ok(table) => claims.tables.push(Claim { table, columns: Vec::new() }),
                Err(error) => {
                    claims.refused.push(not_read(&origin.table, &error));
                    refused.push(&origin.table);
                    continue;
                }
            }
        }
        if let Some(claim) = claims.tables.iter_mut().find(|claim| claim.table.name == origin.table) {
            claim.add(&origin.column, place);
        }
    }
    claims.tables.retain(|claim| !claim.columns.is_empty());
    claims
}

fn has_rows(schema: &Schema, table: &str) -> bool {
    let own = ["sqlite_master", "sqlite_schema"].contains(&table);
    own || schema.entry(table).is_some_and(|entry| entry.kind == EntryKind::Table)
}

impl Claim {
    fn add(&mut self, column: &str, place: usize) {
        if let Some(claimed) = self.columns.iter_mut().find(|claimed| claimed.name == column) {
            claimed.places.push(place);
            return;
        }
        let own = self.table.columns.iter().find(|own| own.name == column);
        let is_rowid = own.is_none()
            && column.eq_ignore_ascii_case("rowid")
            && matches!(self.table.identity, Identity::RowId(_));
        if is_rowid || own.is_some_and(|own| !own.computed) {
            self.columns.push(Claimed { name: column.to_owned(), is_rowid, places: vec![place] });
        }
    }

    /// Checks whether the result itself identifies the row.
    pub(crate) fn names_row(&self) -> bool {
        self.columns.iter().any(|claimed| claimed.is_rowid || self.table.is_rowid(&claimed.name))
    }
}
