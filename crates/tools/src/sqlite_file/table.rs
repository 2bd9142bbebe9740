//! One table: its columns, and what identifies its rows.

use super::words;
use rusqlite::{Connection, Error};

/// A table that can be read row by row.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) identity: Identity,
}

/// A column, as `PRAGMA table_xinfo` gives it.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The declared type; may be empty.
    pub(crate) declared: String,
    /// The position in the primary key, from 1; 0 if not part of it.
    key: i64,
    /// Whether its values are computed when they are read, and so are stored in no row (a `VIRTUAL` generated column).
    pub(crate) computed: bool,
}

/// What identifies the rows of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The rowid, under a name that no column hides.
    RowId(&'static str),
    /// The columns of the primary key, for a table `WITHOUT ROWID`.
    Key(Vec<String>),
    /// Nothing that can be queried.
    Nothing,
}

impl Table {
    /// Reads what SQLite knows of a table (not of a view or a virtual table: asking would run code for those).
    pub(crate) fn read(connection: &Connection, name: &str) -> Result<Table, Error> {
        let columns = columns(connection, name)?;
        // Without columns it is not a table: nothing identifies its rows.
        let identity = match columns.is_empty() {
            true => Identity::Nothing,
            false => identity(connection, name, &columns)?,
        };
        Ok(Table { name: name.to_owned(), columns, identity })
    }

    pub(crate) fn without_rowid(&self) -> bool {
        matches!(self.identity, Identity::Key(_))
    }

    /// Returns the SQL expressions that identify a row.
    pub(crate) fn identity_columns(&self) -> Vec<String> {
        match &self.identity {
            Identity::RowId(name) => vec![(*name).to_owned()],
            Identity::Key(columns) => columns.iter().map(|column| quote(column)).collect(),
            Identity::Nothing => Vec::new(),
        }
    }

    /// Checks whether this column is the rowid under a name of the table's own (`INTEGER PRIMARY KEY`).
    pub(crate) fn is_rowid(&self, name: &str) -> bool {
        let mut key = self.columns.iter().filter(|column| column.key > 0);
        let alone = key.next().filter(|_| key.next().is_none());
        matches!(self.identity, Identity::RowId(_))
            && alone.is_some_and(|key| key.name == name && key.declared.eq_ignore_ascii_case("integer"))
    }

    /// Returns a SELECT of these expressions over the rows as they are stored.
    ///
    /// `NOT INDEXED`: an index may differ from the table, and a covering one would be read instead of it.
    pub(crate) fn select(&self, expressions: &[String], condition: &str) -> String {
        format!("SELECT {} FROM main.{} NOT INDEXED{condition}", expressions.join(", "), quote(&self.name))
    }

    /// Counts the rows one by one; if reading stops before the end, the error has the number reached.
    pub(crate) fn count(&self, connection: &Connection) -> Result<u64, (u64, Error)> {
        let mut count = 0;
        let mut counted = || -> Result<(), Error> {
            // `count(*)` would be one step of the virtual machine, however many pages it walks.
            let mut statement = connection.prepare(&self.select(&["1".to_owned()], ""))?;
            let mut rows = statement.raw_query();
            while rows.next()?.is_some() {
                count += 1;
            }
            Ok(())
        };
        match counted() {
            Ok(()) => Ok(count),
            Err(error) => Err((count, error)),
        }
    }
}

/// Quotes a name for SQL.
pub(crate) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Says in words why a table is not read.
pub(crate) fn not_read(name: &str, error: &Error) -> String {
    format!("table {name:?} cannot be read: {}", words(error))
}

fn columns(connection: &Connection, name: &str) -> Result<Vec<Column>, Error> {
    let mut statement = connection.prepare(&format!("PRAGMA main.table_xinfo({})", quote(name)))?;
    let mut rows = statement.raw_query();
    let mut columns = Vec::new();
    while let Some(row) = rows.next()? {
        let hidden: i64 = row.get(6)?;
        columns.push(Column {
            name: row.get(1)?,
            declared: row.get(2)?,
            key: row.get(5)?,
            computed: hidden == 2,
        });
    }
    Ok(columns)
}

fn identity(connection: &Connection, name: &str, columns: &[Column]) -> Result<Identity, Error> {
    let is_free = |alias: &&str| !columns.iter().any(|column| column.name.eq_ignore_ascii_case(alias));
    if let Some(alias) = ["rowid", "_rowid_", "oid"].into_iter().find(is_free) {
        let sql = format!("SELECT {alias} FROM main.{} NOT INDEXED", quote(name));
        match connection.prepare(&sql) {
            Ok(_) => return Ok(Identity::RowId(alias)),
            // A table without rowid has no such column.
            Err(Error::SqlInputError { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let mut key: Vec<_> = columns.iter().filter(|column| column.key > 0).collect();
    key.sort_by_key(|column| column.key);
    let key: Vec<_> = key.into_iter().map(|column| column.name.clone()).collect();
    Ok(if key.is_empty() { Identity::Nothing } else { Identity::Key(key) })
}
