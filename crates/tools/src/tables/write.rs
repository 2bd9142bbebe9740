//! Writing records into their tables.

use super::cells::{Stored, add_place, integer, store};
use super::digest::{RowHasher, as_ref};
use super::error::{TableError, sqlite};
use super::layouts::Layouts;
use super::pass::TableDigest;
use super::schema::{BEFORE, BEHIND, Table, tables};
use crate::intake::{Flow, Intake};
use crate::survey::Surveyed;
use ledger::{Defect, FieldValue, Gap, Record};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

/// Most rows of one unit: a hostile file must not fill the disk.
const MOST_OF_UNIT: u64 = 4_000_000;

/// Most rows of all tables together.
const MOST: u64 = 20_000_000;

/// Most bytes of values of one unit: keys of a hostile hive can share one large piece of data.
const MOST_DATA_OF_UNIT: usize = 512 << 20;

/// Most bytes of values of all tables together.
const MOST_DATA: usize = 2 << 30;

/// Most damage that is told of one unit, and most gaps; that there are more is a gap.
const MOST_REMARKS: usize = 100_000;

/// Tables in the making.
pub(super) struct Writer {
    connection: Connection,
    tables: HashMap<String, Writing>,
    layouts: Layouts,
    sources: i64,
    rows: u64,
    /// Bytes of values.
    data: usize,
}

struct Writing {
    table: Table,
    insert: String,
    hasher: RowHasher,
    rows: i64,
}

impl Writer {
    /// Empty tables in a new file.
    pub(super) fn create(path: &Path) -> Result<Writer, TableError> {
        let made = sqlite("make the file of the tables");
        let connection = Connection::open(path).map_err(&made)?;
        let quick = "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=2; BEGIN;";
        connection.execute_batch(quick).map_err(&made)?;
        connection.execute_batch(REMARKS).map_err(&made)?;
        connection.set_prepared_statement_cache_capacity(512);
        let mut writing = HashMap::new();
        for table in tables() {
            connection.execute_batch(&table.create()).map_err(&made)?;
            let hasher = RowHasher::new(&table.name, table.all_columns());
            let insert = table.insert();
            writing.insert(table.name.clone(), Writing { table, insert, hasher, rows: 0 });
        }
        Ok(Writer { connection, tables: writing, layouts: Layouts::default(), sources: 0, rows: 0, data: 0 })
    }

    /// Takes the records of one unit.
    pub(super) fn unit(
        &mut self,
        unit: &Surveyed<'_>,
        decode: &mut dyn FnMut(&mut dyn Intake),
    ) -> Result<(), TableError> {
        self.sources += 1;
        let mut rows = Rows {
            writer: self,
            path: unit.path.to_owned(),
            rows: 0,
            data: 0,
            cut: false,
            failed: None,
            defects: BTreeSet::new(),
            gaps: BTreeSet::new(),
            notes: BTreeSet::new(),
        };
        decode(&mut rows);
        rows.finish(unit)
    }

    fn row(&mut self, record: &Record) -> Result<(), TableError> {
        let Some(writing) = self.tables.get_mut(&record.kind) else { return Err(undeclared(record, "")) };
        let number = writing.rows + 1;
        let (mut cells, layout) = cells(&writing.table, record, number, self.sources)?;
        // The digest is over the layout itself, behind the other values: its number says nothing.
        cells.iter().for_each(|cell| writing.hasher.add(as_ref(cell)));
        writing
            .hasher
            .add(layout.as_ref().map_or(ValueRef::Null, |layout| ValueRef::Text(layout.as_bytes())));
        let places = cells.get_mut(BEFORE.len() + writing.table.columns.len());
        if let (Some(layout), Some(places)) = (layout, places) {
            *places = self.layouts.cell(layout);
        }
        let wrote = sqlite("write a row");
        let mut statement = self.connection.prepare_cached(&writing.insert).map_err(&wrote)?;
        for (index, cell) in cells.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, cell).map_err(&wrote)?;
        }
        statement.raw_execute().map_err(&wrote)?;
        writing.rows = number;
        self.rows += 1;
        Ok(())
    }

    /// Writes everything out; the digests of the tables that have rows, by name.
    pub(super) fn finish(self) -> Result<Vec<TableDigest>, TableError> {
        let finished = sqlite("finish the tables");
        self.layouts.write(&self.connection)?;
        self.connection.execute_batch("COMMIT;").map_err(&finished)?;
        self.connection.close().map_err(|(_, source)| finished(source))?;
        let mut digests: Vec<_> = self
            .tables
            .into_values()
            .filter(|writing| writing.rows > 0)
            .map(|Writing { table, hasher, rows, .. }| TableDigest {
                table: table.name,
                rows: rows.unsigned_abs(),
                digest: hasher.finish(),
            })
            .collect();
        digests.sort_by(|a, b| a.table.cmp(&b.table));
        Ok(digests)
    }
}

/// The values of a record in the order of the columns, `_places` left open, and the layout that belongs there.
fn cells<'r>(
    table: &Table,
    record: &'r Record,
    number: i64,
    source: i64,
) -> Result<(Vec<ToSqlOutput<'r>>, Option<String>), TableError> {
    let null = || ToSqlOutput::Owned(Value::Null);
    let text = |text: &'r str| ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()));
    let whole = |number: u64| integer(i128::from(number));
    let json = |value: serde_json::Result<String>| ToSqlOutput::Owned(Value::Text(value.unwrap_or_default()));
    let span = record.locator.span;
    let base = span.map_or(0, |span| span.offset);
    let mut cells = Vec::with_capacity(BEFORE.len() + table.columns.len() + BEHIND.len());
    cells.push(ToSqlOutput::Owned(Value::Integer(number)));
    cells.push(ToSqlOutput::Owned(Value::Integer(source)));
    cells.push(text(&record.locator.path));
    cells.push(record.locator.stream.as_deref().map_or_else(null, text));
    cells.push(span.map_or_else(null, |span| whole(span.offset)));
    cells.push(span.map_or_else(null, |span| whole(span.length)));
    let (mut layout, mut exact) = (String::new(), BTreeMap::<&str, &FieldValue>::new());
    let mut fields = record.fields.iter().peekable();
    for column in &table.columns {
        let field = fields.next_if(|(name, _)| **name == column.name);
        let Some((name, field)) = field else {
            cells.push(null());
            continue;
        };
        let Stored { cell, is_whole } = store(&field.value, column);
        if !is_whole {
            exact.insert(name, &field.value);
        }
        cells.push(cell);
        add_place(&mut layout, field.at, base);
    }
    if let Some((name, _)) = fields.next() {
        return Err(undeclared(record, name));
    }
    cells.push(null());
    cells.push(if exact.is_empty() { null() } else { json(serde_json::to_string(&exact)) });
    let defects = &record.defects;
    cells.push(if defects.is_empty() { null() } else { json(serde_json::to_string(defects)) });
    let anywhere = record.fields.values().any(|field| field.at.is_some());
    Ok((cells, anywhere.then_some(layout)))
}

fn undeclared(record: &Record, field: &str) -> TableError {
    TableError::Undeclared { kind: record.kind.clone(), field: field.to_owned() }
}

/// Tables beside those of the records.
pub(super) const REMARKS: &str = "
CREATE TABLE sources (_source INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, stream TEXT, rows INTEGER NOT NULL) STRICT;
CREATE TABLE gaps (_source INTEGER NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
CREATE TABLE defects (_source INTEGER NOT NULL, path TEXT NOT NULL, _offset ANY, what TEXT NOT NULL, hides INTEGER NOT NULL) STRICT;
CREATE TABLE notes (_source INTEGER NOT NULL, note TEXT NOT NULL) STRICT;
CREATE TABLE layouts (_layout INTEGER PRIMARY KEY, places TEXT NOT NULL) STRICT;
";

/// Takes the records of one unit.
struct Rows<'w> {
    writer: &'w mut Writer,
    path: String,
    rows: u64,
    data: usize,
    cut: bool,
    failed: Option<TableError>,
    /// Damage, and whether it may hide records.
    defects: BTreeSet<(Defect, bool)>,
    gaps: BTreeSet<Gap>,
    notes: BTreeSet<String>,
}

impl Rows<'_> {
    fn finish(mut self, unit: &Surveyed<'_>) -> Result<(), TableError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.cut {
            let reason =
                "it has too many records, or too large ones: not all of them are in the tables".to_owned();
            self.gaps.insert(Gap { path: self.path.clone(), reason });
        }
        for (count, what) in [(self.gaps.len(), "gaps"), (self.defects.len(), "defects")] {
            if count >= MOST_REMARKS {
                let reason = format!("it has more {what} than are listed: {MOST_REMARKS} are");
                self.gaps.insert(Gap { path: self.path.clone(), reason });
            }
        }
        let wrote = sqlite("write what a source is");
        let (connection, source) = (&self.writer.connection, self.writer.sources);
        let prepare = |sql| connection.prepare_cached(sql).map_err(&wrote);
        let rows = i64::try_from(self.rows).unwrap_or(i64::MAX);
        prepare("INSERT INTO sources VALUES (?, ?, ?, ?, ?)")?
            .execute(params![source, unit.origin.source(), unit.path, unit.stream, rows])
            .map_err(&wrote)?;
        for gap in &self.gaps {
            prepare("INSERT INTO gaps VALUES (?, ?, ?)")?
                .execute(params![source, gap.path, gap.reason])
                .map_err(&wrote)?;
        }
        for (defect, hides) in &self.defects {
            let offset = defect.offset.map(|offset| integer(i128::from(offset)));
            prepare("INSERT INTO defects VALUES (?, ?, ?, ?, ?)")?
                .execute(params![source, defect.path, offset, defect.what, i64::from(*hides)])
                .map_err(&wrote)?;
        }
        for note in &self.notes {
            prepare("INSERT INTO notes VALUES (?, ?)")?.execute(params![source, note]).map_err(&wrote)?;
        }
        Ok(())
    }
}

impl Intake for Rows<'_> {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        let size = crate::sink::size(&record);
        self.data = self.data.saturating_add(size);
        self.writer.data = self.writer.data.saturating_add(size);
        let is_long = self.data > MOST_DATA_OF_UNIT || self.writer.data > MOST_DATA;
        if is_long || self.rows >= MOST_OF_UNIT || self.writer.rows >= MOST {
            self.cut = true;
            return ControlFlow::Break(());
        }
        match self.writer.row(&record) {
            Ok(()) => {
                self.rows += 1;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn defect(&mut self, defect: Defect) {
        if self.defects.len() < MOST_REMARKS {
            self.defects.insert((defect, false));
        }
    }

    fn hidden(&mut self, defect: Defect) {
        if self.defects.len() < MOST_REMARKS {
            self.defects.insert((defect, true));
        }
    }

    fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < MOST_REMARKS {
            self.gaps.insert(gap);
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_REMARKS {
            self.notes.insert(note);
        }
    }
}
