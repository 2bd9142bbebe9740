//! ESE databases (Extensible Storage Engine, "JET Blue"): SRUM, WebCache, BITS, Windows Search, Active Directory.
//!
//! A database is pages of one size; its tables are B+ trees of pages, and a catalog, itself such a tree, names them and their columns.
//! Read is what the pages hold: transactions that stand only in the logs beside a database that was not closed cleanly are not in it, which [`Header::state`] tells.
//! Entries that are marked as deleted, and the default values of columns that a record leaves out, are not read.
//!
//! Sources of the format: Joachim Metz, libesedb, "Extensible Storage Engine (ESE) Database File (EDB) format specification"; the names are those of Microsoft's published ESE source.

mod budget;
mod catalog;
mod checksum;
mod header;
mod long;
mod pack;
mod page;
mod record;
mod row;
mod tagged;
mod tree;

pub use catalog::{Column, ColumnType, Table};
pub use header::{Header, State, page_size};
pub use record::{Cell, Value};
pub use row::{Row, Rows};

use crate::damage::Damage;
use page::Pages;

/// A database whose catalog was read.
pub struct Database<'d> {
    /// What the first page tells of all.
    pub header: Header,
    /// The tables, by their number in the catalog.
    pub tables: Vec<Table<'d>>,
    /// What is wrong with the header and the catalog.
    pub damage: Vec<Damage>,
    pages: Pages<'d>,
}

impl<'d> Database<'d> {
    /// Reads header and catalog; `None` where the bytes do not begin as a database.
    pub fn open(bytes: &'d [u8]) -> Option<Database<'d>> {
        let (header, mut damage) = header::read(bytes)?;
        let pages = Pages::new(bytes, &header);
        let tables = catalog::read(&pages, &mut damage);
        Some(Database { header, tables, damage, pages })
    }

    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table<'d>> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// The records of a table, in the order of its tree.
    pub fn rows<'b>(&'b self, table: &'b Table<'d>) -> Rows<'b, 'd> {
        Rows::new(&self.pages, table)
    }
}
