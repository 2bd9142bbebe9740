//! Attaches the table files to one connection, with a view of each table over all files.
//!
//! The files are hostile: they were written by processes that had read the evidence, and may come from a cache.
//! They are opened read-only, and each schema must be the one that the pass writes.
//! An authorizer lets a statement read these tables and nothing else.

use super::error::{TableError, sqlite};
use super::gathered::GATHERED;
use super::group::{TableFiles, TableGroup};
use super::schema::{BEHIND, Table, quoted, tables};
use super::views::{COMMON, VIEWS, View};
use super::write::REMARKS;
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::connection::{Watched, attach, only_read};
use rusqlite::{Connection, Error};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// What can be queried besides tables of records and views.
pub(super) const OWN: [&str; 8] =
    ["sources", "gaps", "defects", "notes", "events", "timeline", "tables", "columns"];

/// Those of them that have rows of every group.
const OF_ALL: [&str; 4] = ["sources", "gaps", "defects", "notes"];

/// Columns of all tables that contain whole numbers.
const NUMBERS: [&str; 5] = ["_row", "_offset", "_length", "rows", "hides"];

/// The most files that SQLite attaches to one connection: a compile-time limit (`.cargo/config.toml`).
const MOST_FILES: usize = 125;

/// The tables that one statement can use.
pub(super) struct Attached {
    pub(super) connection: Connection,
    /// All existing tables, whether a file has them or not.
    pub(super) tables: &'static [Table],
    /// Records what statements do from now on.
    pub(super) watched: Watched,
}

/// One file.
struct File<'f> {
    group: TableGroup,
    label: &'f str,
    path: &'f Path,
}

impl Attached {
    /// Attaches all files, for this statement; a table that is in no file is empty.
    pub(super) fn open(files: &TableFiles, sql: &str, budget: &Budget) -> Result<Attached, TableError> {
        let files = flat(files)?;
        let paths: Vec<_> = files.iter().map(|file| file.path).collect();
        let mut connection = attach(&paths, budget).map_err(sqlite("open the tables"))?;
        for (number, file) in files.iter().enumerate() {
            check(&connection, number, &file.group.tables())?;
        }
        let tables = tables();
        let opened = sqlite("open the tables");
        let named = Named::of(sql);
        connection.execute_batch(&views(tables, &files, &named)).map_err(&opened)?;
        if named.has("tables") || named.has("columns") {
            list(&connection, tables).map_err(&opened)?;
        }
        let watched = only_read(&mut connection, readable(tables), is_own_name).map_err(&opened)?;
        Ok(Attached { connection, tables, watched })
    }

    /// Returns the groups of the tables that the statements compiled so far read.
    pub(super) fn groups(&self) -> BTreeSet<TableGroup> {
        let read = self.watched.read();
        if OF_ALL.iter().any(|name| read.contains(*name)) {
            return TableGroup::all();
        }
        let named = self.tables.iter().filter(|table| read.contains(&table.name.to_lowercase()));
        named.filter_map(|table| TableGroup::of_table(&table.name)).collect()
    }
}

fn flat(files: &TableFiles) -> Result<Vec<File<'_>>, TableError> {
    let mut all = Vec::new();
    for (name, files) in files {
        let group = TableGroup::named(name).ok_or_else(|| TableError::Group { name: name.clone() })?;
        all.extend(files.iter().map(|(label, path)| File { group, label, path }));
    }
    match all.len() {
        found if found > MOST_FILES => Err(TableError::TooMany { found, most: MOST_FILES }),
        _ => Ok(all),
    }
}

/// Checks that the schema of a file is the one that the pass writes.
pub(super) fn check(connection: &Connection, number: usize, tables: &[Table]) -> Result<(), TableError> {
    let read = sqlite("read the schema of the tables");
    let sql = format!("SELECT sql FROM e{number}.sqlite_master WHERE sql IS NOT NULL");
    let mut statement = connection.prepare(&sql).map_err(&read)?;
    let found: Result<BTreeSet<String>, _> =
        statement.query_map([], |row| row.get(0)).map_err(&read)?.collect();
    let remarks =
        REMARKS.lines().filter(|line| !line.is_empty()).map(|line| line.trim_end_matches(';').to_owned());
    let expected: BTreeSet<String> = tables.iter().map(Table::create).chain(remarks).collect();
    if found.map_err(&read)? == expected {
        return Ok(());
    }
    let what = "the schema is not the one that this program writes".to_owned();
    Err(TableError::Row { table: "sqlite_master".to_owned(), row: 0, what })
}

/// The names that a statement can use: making the views of a hundred tables takes longer than most statements.
struct Named(String);

impl Named {
    fn of(sql: &str) -> Named {
        Named(sql.to_ascii_lowercase())
    }

    /// Checks whether the statement may read a table or view of this name.
    fn has(&self, name: &str) -> bool {
        self.0.contains(&name.to_ascii_lowercase())
    }

    /// Checks whether the statement may read the table, itself or through a view.
    fn reads(&self, table: &Table) -> bool {
        let by = |view: &View| self.has(view.name) && view.tables().contains(&table.name.as_str());
        let gathered = GATHERED.iter().any(|view| self.has(view.name) && view.has(table));
        gathered || self.has(&table.name) || VIEWS.iter().any(by)
    }
}

/// Returns the SQL for a view of each table over all files, for the named views, and for those gathered over many tables.
fn views(tables: &[Table], files: &[File<'_>], named: &Named) -> String {
    let mut sql = String::new();
    // Writing to a string cannot fail.
    let mut create = |name: &str, select: &str| {
        let _ = writeln!(sql, "CREATE TEMP VIEW {} AS {select};", quoted(name));
    };
    for table in tables.iter().filter(|table| named.reads(table)) {
        let group = TableGroup::of_table(&table.name);
        let of_group = files.iter().enumerate().filter(|(_, file)| Some(file.group) == group);
        let columns = ["_table"].into_iter().chain(table.all_columns().filter(|name| is_shown(name)));
        let columns: Vec<_> = columns.collect();
        let numbers = table.columns.iter().filter(|column| column.is_number());
        let numbers = numbers.map(|column| column.name.as_str()).chain(NUMBERS).collect();
        create(&table.name, &rows(&table.name, &columns, &numbers, of_group));
    }
    let numbers = BTreeSet::from(NUMBERS);
    let of_all = |name: &str, columns: &[&str]| rows(name, columns, &numbers, files.iter().enumerate());
    create("sources", &of_all("sources", &["_source", "source", "path", "stream", "rows"]));
    create("notes", &of_all("notes", &["_source", "note"]));
    // Each search for files meets the same unreadable entries: they are listed once.
    for (name, columns) in
        [("gaps", &["path", "reason"][..]), ("defects", &["path", "_offset", "what", "hides"])]
    {
        let (all, own) = ([&["_source"], columns].concat(), columns.join(", "));
        let all = of_all(name, &all);
        create(
            name,
            &format!(
                "SELECT _evidence, min(_source) AS _source, {own} FROM ({all}) GROUP BY _evidence, {own}"
            ),
        );
    }
    VIEWS.iter().filter(|view| named.has(view.name)).for_each(|view| create(view.name, &view.select()));
    let gathered = GATHERED.iter().filter(|view| named.has(view.name));
    gathered.for_each(|view| create(view.name, &view.select(tables)));
    sql
}

/// Returns a SELECT for the rows of one table over files; without a file there are none.
///
/// A column in `numbers` is compared as a number with anything that a statement writes: `logon_type = '10'` is `logon_type = 10`.
fn rows<'f>(
    name: &str,
    columns: &[&str],
    numbers: &BTreeSet<&str>,
    files: impl Iterator<Item = (usize, &'f File<'f>)>,
) -> String {
    let mut arms = Vec::new();
    for (number, File { group, label, .. }) in files {
        let column = |column: &&str| match *column {
            // Each file numbers its own sources.
            "_source" => format!("'{}:' || _source AS _source", group.name()),
            "_table" => format!("{} AS _table", text(name)),
            column if numbers.contains(column) => format!("CAST({0} AS NUMERIC) AS {0}", quoted(column)),
            column => quoted(column),
        };
        let columns: Vec<_> = columns.iter().map(column).collect();
        let (label, columns) = (text(label), columns.join(", "));
        arms.push(format!("SELECT {label} AS _evidence, {columns} FROM e{number}.{}", quoted(name)));
    }
    if arms.is_empty() {
        // Columns of another affinity would impose it on those that have rows.
        let column = |name: &&str| {
            let kind = if numbers.contains(name) { "NUMERIC" } else { "TEXT" };
            format!("CAST(NULL AS {kind}) AS {}", quoted(name))
        };
        let columns: Vec<_> = columns.iter().map(column).collect();
        arms.push(format!("SELECT CAST(NULL AS TEXT) AS _evidence, {} WHERE 0", columns.join(", ")));
    }
    arms.join(" UNION ALL ")
}

/// Lists the tables, views and columns, for SQL queries.
fn list(connection: &Connection, tables: &[Table]) -> Result<(), Error> {
    connection.execute_batch(
        "CREATE TEMP TABLE tables (name TEXT, meaning TEXT); CREATE TEMP TABLE columns (\"table\" TEXT, name TEXT, type TEXT, meaning TEXT);",
    )?;
    let mut named = connection.prepare("INSERT INTO tables VALUES (?, ?)")?;
    let mut columns = connection.prepare("INSERT INTO columns VALUES (?, ?, ?, ?)")?;
    for view in VIEWS {
        named.execute([view.name, view.meaning])?;
        for column in view.columns.iter().chain(&COMMON) {
            columns.execute([view.name, column, "", ""])?;
        }
    }
    for view in GATHERED {
        named.execute([view.name, view.meaning])?;
        for column in view.columns.iter().chain(&["_table", "_evidence", "_row", "_path", "_source"]) {
            columns.execute([view.name, column, "", ""])?;
        }
    }
    for table in tables {
        named.execute([&table.name, &table.meaning])?;
        for column in &table.columns {
            columns.execute([&table.name, &column.name, &column.kinds(), &column.meaning])?;
        }
    }
    Ok(())
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn readable(tables: &[Table]) -> BTreeSet<String> {
    let own = OWN.into_iter().chain(VIEWS.iter().map(|view| view.name)).chain(["json_each", "json_tree"]);
    tables.iter().map(|table| table.name.to_lowercase()).chain(own.map(str::to_owned)).collect()
}

/// Checks whether a statement can have made up this name: it belongs neither to SQLite's own tables nor to the tables behind virtual ones.
fn is_own_name(name: &str) -> bool {
    let made =
        ["sqlite_", "pragma_", "dbstat", "fts", "rtree", "bytecode", "tables_used", "json_", "layouts"];
    !made.iter().any(|begin| name.starts_with(begin))
}

/// Checks whether a column can be queried: columns that only complete others cannot.
pub(super) fn is_shown(name: &str) -> bool {
    !BEHIND.contains(&name) || name == "_defects"
}
