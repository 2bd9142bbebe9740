//! ESE databases (Extensible Storage Engine, "JET Blue"): SRUM, WebCache, BITS, Windows Search, Active Directory.
//!
//! A database consists of pages of one size. Its tables are B+ trees of pages; a catalog, which is itself such a
//! tree, names them and their columns.
//! Only the content of the pages is read. If a database was not closed cleanly, the latest transactions are only
//! in the logs next to it; [`Header::state`] shows that.
//! Entries marked as deleted, and default values of columns that a record omits, are not read.
//!
//! Sources of the format: Joachim Metz, libesedb, "Extensible Storage Engine (ESE) Database File (EDB) format
//! specification"; the names are those of Microsoft's published ESE source.

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
    /// The header, from the first page.
    pub header: Header,
    /// The tables, by their number in the catalog.
    pub tables: Vec<Table<'d>>,
    /// The damage found in the header and the catalog.
    pub damage: Vec<Damage>,
    pages: Pages<'d>,
}

impl<'d> Database<'d> {
    /// Reads the header and the catalog; `None` if the bytes do not begin like a database.
    pub fn open(bytes: &'d [u8]) -> Option<Database<'d>> {
        let (header, mut damage) = header::read(bytes)?;
        let pages = Pages::new(bytes, &header);
        let tables = catalog::read(&pages, &mut damage);
        Some(Database { header, tables, damage, pages })
    }

    /// Returns the table of this name.
    pub fn table(&self, name: &str) -> Option<&Table<'d>> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Returns the records of a table, in tree order.
    pub fn rows<'b>(&'b self, table: &'b Table<'d>) -> Rows<'b, 'd> {
        Rows::new(&self.pages, table)
    }
}
