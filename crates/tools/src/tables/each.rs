//! Reads all rows of a table as records, one by one.

use super::error::{TableError, sqlite};
use super::read::{columns_of, record_with};
use super::replay::Kept;
use super::schema::{Table, quoted};
use ledger::{Gap, Record};

impl Kept {
    /// Returns its tables.
    pub(crate) fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Hands over each row of a table with its number; the records lack the places of their fields.
    pub(crate) fn each(
        &self,
        table: &Table,
        take: &mut dyn FnMut(i64, Record) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let read = sqlite("read the rows of a table");
        let fields: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let columns = columns_of(table, Some(&fields));
        let sql = format!("SELECT {columns} FROM e0.{} ORDER BY _row", quoted(&table.name));
        let mut statement = self.connection.prepare(&sql).map_err(&read)?;
        let mut rows = statement.query([]).map_err(&read)?;
        while let Some(row) = rows.next().map_err(&read)? {
            take(row.get(0).map_err(&read)?, record_with(table, row, &self.label, None)?)?;
        }
        Ok(())
    }

    /// Returns what was not examined in its sources.
    pub(crate) fn gaps(&self) -> Result<Vec<Gap>, TableError> {
        let read = sqlite("read what was not examined");
        let sql = "SELECT path, reason FROM e0.gaps ORDER BY _source, _seq";
        let mut statement = self.connection.prepare(sql).map_err(&read)?;
        let gap = |row: &rusqlite::Row<'_>| Ok(Gap { path: row.get(0)?, reason: row.get(1)? });
        let gaps = statement.query_map([], gap).map_err(&read)?;
        gaps.collect::<Result<_, _>>().map_err(&read)
    }
}
