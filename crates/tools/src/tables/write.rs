//! Writes records into their tables.

use super::cells::{Stored, add_place, integer, store};
use super::digest::{RowHasher, as_ref};
use super::error::{TableError, sqlite};
use super::layouts::Layouts;
use super::schema::{BEFORE, BEHIND, Table};
use crate::intake::{Flow, Intake};
use crate::survey::Surveyed;
use ledger::event::TableDigest;
use ledger::{Clock, Defect, FieldValue, Gap, Record};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Statement, params};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

/// The most rows of one unit: a hostile file must not fill the disk.
const MOST_OF_UNIT: u64 = 4_000_000;

/// The most rows of all tables together.
const MOST: u64 = 20_000_000;

/// The most bytes of values of one unit: the keys of a hostile hive can share one large piece of data.
const MOST_DATA_OF_UNIT: usize = 512 << 20;

/// The most bytes of values of all tables together.
const MOST_DATA: usize = 2 << 30;

/// The most damage, and the most gaps, reported for one unit; if there are more, that is a gap.
const MOST_REMARKS: usize = 100_000;

/// Tables being written.
pub(super) struct Writer<'c> {
    connection: &'c Connection,
    tables: HashMap<String, Writing<'c>>,
    layouts: Layouts,
    sources: i64,
    rows: u64,
    /// How many bytes of values were written.
    data: usize,
}

struct Writing<'c> {
    table: Table,
    insert: Statement<'c>,
    hasher: RowHasher,
    /// The fields whose times date a row.
    dated: Vec<String>,
    rows: i64,
    /// The first row of the current unit.
    extent: Option<i64>,
}

/// Creates these tables, empty, in a new file.
pub(super) fn create(path: &Path, tables: &[Table]) -> Result<Connection, TableError> {
    let made = sqlite("make the file of the tables");
    let connection = Connection::open(path).map_err(&made)?;
    let quick = "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=2; BEGIN;";
    connection.execute_batch(quick).map_err(&made)?;
    connection.execute_batch(REMARKS).map_err(&made)?;
    for table in tables {
        connection.execute_batch(&table.create()).map_err(&made)?;
    }
    Ok(connection)
}

impl<'c> Writer<'c> {
    /// Starts filling the tables of a new file.
    pub(super) fn new(connection: &'c Connection, tables: Vec<Table>) -> Result<Writer<'c>, TableError> {
        let made = sqlite("fill the tables");
        let mut writing = HashMap::new();
        for table in tables {
            let hasher = RowHasher::new(&table.name, table.all_columns());
            let insert = connection.prepare(&table.insert()).map_err(&made)?;
            let dated = table.dated().map(|column| column.name.clone()).collect();
            let writes = Writing { table, insert, hasher, dated, rows: 0, extent: None };
            writing.insert(writes.table.name.clone(), writes);
        }
        Ok(Writer { connection, tables: writing, layouts: Layouts::default(), sources: 0, rows: 0, data: 0 })
    }

    /// Writes the records of one unit.
    pub(super) fn unit(
        &mut self,
        unit: &Surveyed<'_>,
        decode: &mut dyn FnMut(&mut dyn Intake),
    ) -> Result<(), TableError> {
        self.sources += 1;
        let mut rows = Rows {
            writer: self,
            path: unit.path.to_owned(),
            is_file: unit.origin.is_of_a_file(),
            rows: 0,
            data: 0,
            begun: None,
            cut: false,
            timeless: 0,
            copied: false,
            failed: None,
            defects: BTreeMap::new(),
            gaps: BTreeMap::new(),
            notes: BTreeMap::new(),
        };
        decode(&mut rows);
        rows.finish(unit)
    }

    /// Writes a record, the one with this number in its unit.
    fn row(&mut self, record: &Record, seq: i64) -> Result<DatedBy, TableError> {
        let Some(writing) = self.tables.get_mut(&record.kind) else { return Err(undeclared(record, "")) };
        let number = writing.rows + 1;
        let (mut cells, layout) = cells(&writing.table, record, [number, self.sources, seq])?;
        // A layout's number means nothing, so the digest covers the layout itself, after the other values.
        cells.iter().for_each(|cell| writing.hasher.add(as_ref(cell)));
        writing
            .hasher
            .add(layout.as_ref().map_or(ValueRef::Null, |layout| ValueRef::Text(layout.as_bytes())));
        let places = cells.get_mut(BEFORE.len() + writing.table.columns.len());
        if let (Some(layout), Some(places)) = (layout, places) {
            *places = self.layouts.cell(layout);
        }
        let wrote = sqlite("write a row");
        for (index, cell) in cells.iter().enumerate() {
            writing.insert.raw_bind_parameter(index + 1, cell).map_err(&wrote)?;
        }
        writing.insert.raw_execute().map_err(&wrote)?;
        writing.rows = number;
        writing.extent.get_or_insert(number);
        self.rows += 1;
        Ok(dated(record, &writing.dated))
    }

    /// Writes everything out; returns the digests of the non-empty tables, sorted by name, and the number of sources.
    pub(super) fn finish(self) -> Result<(Vec<TableDigest>, u64), TableError> {
        let finished = sqlite("finish the tables");
        self.layouts.write(self.connection)?;
        self.connection.execute_batch("COMMIT;").map_err(&finished)?;
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
        Ok((digests, self.sources.unsigned_abs()))
    }
}

/// Returns the values of a record in the order of the columns, with `_places` left open, and the layout that belongs there.
fn cells<'r>(
    table: &Table,
    record: &'r Record,
    [number, source, seq]: [i64; 3],
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
    cells.push(ToSqlOutput::Owned(Value::Integer(seq)));
    let anywhere = record.fields.values().any(|field| field.at.is_some());
    Ok((cells, anywhere.then_some(layout)))
}

/// The kind of a record's times.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DatedBy {
    /// At least one is a host time with an instant, or there are none.
    Host,
    /// None has an instant.
    NoInstant,
    /// They are the times of a copy.
    Copy,
}

/// Returns the kind of the times that date a record, which are in these fields.
fn dated(record: &Record, fields: &[String]) -> DatedBy {
    let mut found = DatedBy::Host;
    for field in fields.iter().filter_map(|name| record.fields.get(name)) {
        let FieldValue::Time(time) = &field.value else { continue };
        match (time.clock, time.utc) {
            (Clock::Host, Some(_)) => return DatedBy::Host,
            (Clock::Host, None) => found = DatedBy::NoInstant,
            (Clock::CollectionCopy, _) if found == DatedBy::Host => found = DatedBy::Copy,
            (Clock::CollectionCopy, _) => {}
        }
    }
    found
}

fn undeclared(record: &Record, field: &str) -> TableError {
    TableError::Undeclared { kind: record.kind.clone(), field: field.to_owned() }
}

/// The tables besides those of records.
pub(super) const REMARKS: &str = "
CREATE TABLE sources (_source INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, stream TEXT, rows INTEGER NOT NULL, _origin TEXT NOT NULL, _begun TEXT, _timeless INTEGER NOT NULL, _copied INTEGER NOT NULL) STRICT;
CREATE TABLE extents (_source INTEGER NOT NULL, name TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE gaps (_source INTEGER NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL, _seq INTEGER NOT NULL) STRICT;
CREATE TABLE defects (_source INTEGER NOT NULL, path TEXT NOT NULL, _offset ANY, what TEXT NOT NULL, hides INTEGER NOT NULL, _seq INTEGER NOT NULL) STRICT;
CREATE TABLE notes (_source INTEGER NOT NULL, note TEXT NOT NULL, _seq INTEGER NOT NULL) STRICT;
CREATE TABLE layouts (_layout INTEGER PRIMARY KEY, places TEXT NOT NULL) STRICT;
";

/// Checks whether a record located in `of` can belong to the file at `path`: it is in the file itself, or in the logs beside a hive.
fn is_part(of: &str, path: &str) -> bool {
    if of == path {
        return true;
    }
    let folder = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
    let (of, path) = (of.split_at(folder(of)), path.split_at(folder(path)));
    let logs = [".LOG", ".LOG1", ".LOG2"].map(|log| format!("{}{log}", path.1));
    of.0 == path.0 && logs.iter().any(|log| log.eq_ignore_ascii_case(of.1))
}

/// An intake for the records of one unit.
struct Rows<'w, 'c> {
    writer: &'w mut Writer<'c>,
    path: String,
    /// Whether all records are from this file, and not from below a folder.
    is_file: bool,
    rows: u64,
    data: usize,
    cut: bool,
    /// How many records have only times without an instant.
    timeless: i64,
    /// Whether some records have only the times of a copy.
    copied: bool,
    failed: Option<TableError>,
    /// The decoder's name for it.
    begun: Option<String>,
    /// Damage, and whether it may hide records; with the number of records before it.
    defects: BTreeMap<(Defect, bool), i64>,
    gaps: BTreeMap<Gap, i64>,
    notes: BTreeMap<String, i64>,
}

impl Rows<'_, '_> {
    fn finish(mut self, unit: &Surveyed<'_>) -> Result<(), TableError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.cut {
            let reason =
                "it has too many records, or too large ones: not all of them are in the tables".to_owned();
            self.gap(Gap { path: self.path.clone(), reason });
        }
        for (count, what) in [(self.gaps.len(), "gaps"), (self.defects.len(), "defects")] {
            if count >= MOST_REMARKS {
                let reason = format!("it has more {what} than are listed: {MOST_REMARKS} are");
                let seq = self.seq();
                self.gaps.insert(Gap { path: self.path.clone(), reason }, seq);
            }
        }
        let wrote = sqlite("write what a source is");
        let (connection, source) = (self.writer.connection, self.writer.sources);
        let prepare = |sql| connection.prepare_cached(sql).map_err(&wrote);
        let origin = unit.origin;
        prepare("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                source,
                origin.source(),
                unit.path,
                unit.stream,
                self.seq(),
                origin.stored(),
                self.begun,
                self.timeless,
                self.copied
            ])
            .map_err(&wrote)?;
        for (gap, seq) in &self.gaps {
            prepare("INSERT INTO gaps VALUES (?, ?, ?, ?)")?
                .execute(params![source, gap.path, gap.reason, seq])
                .map_err(&wrote)?;
        }
        for ((defect, hides), seq) in &self.defects {
            let offset = defect.offset.map(|offset| integer(i128::from(offset)));
            prepare("INSERT INTO defects VALUES (?, ?, ?, ?, ?, ?)")?
                .execute(params![source, defect.path, offset, defect.what, i64::from(*hides), seq])
                .map_err(&wrote)?;
        }
        for (note, seq) in &self.notes {
            prepare("INSERT INTO notes VALUES (?, ?, ?)")?
                .execute(params![source, note, seq])
                .map_err(&wrote)?;
        }
        let mut tables: Vec<_> = self.writer.tables.values_mut().collect();
        tables.sort_by(|a, b| a.table.name.cmp(&b.table.name));
        for Writing { table, rows, extent, .. } in tables {
            if let Some(first) = extent.take() {
                prepare("INSERT INTO extents VALUES (?, ?, ?, ?)")?
                    .execute(params![source, table.name, first, *rows])
                    .map_err(&wrote)?;
            }
        }
        Ok(())
    }

    /// Returns the number of records so far.
    fn seq(&self) -> i64 {
        i64::try_from(self.rows).unwrap_or(i64::MAX)
    }
}

impl Intake for Rows<'_, '_> {
    fn begin(&mut self, source: String) {
        self.begun = Some(source);
    }

    fn push(&mut self, record: Record) -> Flow {
        let size = crate::sink::size(&record);
        self.data = self.data.saturating_add(size);
        self.writer.data = self.writer.data.saturating_add(size);
        let is_long = self.data > MOST_DATA_OF_UNIT || self.writer.data > MOST_DATA;
        if is_long || self.rows >= MOST_OF_UNIT || self.writer.rows >= MOST {
            self.cut = true;
            return ControlFlow::Break(());
        }
        if self.is_file && !is_part(&record.locator.path, &self.path) {
            let (path, of) = (self.path.clone(), record.locator.path);
            self.failed = Some(TableError::Foreign { path, of });
            return ControlFlow::Break(());
        }
        let seq = self.seq();
        match self.writer.row(&record, seq) {
            Ok(dated) => {
                self.timeless += i64::from(dated == DatedBy::NoInstant);
                self.copied |= dated == DatedBy::Copy;
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
            let seq = self.seq();
            self.defects.entry((defect, false)).or_insert(seq);
        }
    }

    fn hidden(&mut self, defect: Defect) {
        if self.defects.len() < MOST_REMARKS {
            let seq = self.seq();
            self.defects.entry((defect, true)).or_insert(seq);
        }
    }

    fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < MOST_REMARKS {
            let seq = self.seq();
            self.gaps.entry(gap).or_insert(seq);
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_REMARKS {
            let seq = self.seq();
            self.notes.entry(note).or_insert(seq);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_part;

    #[test]
    fn a_record_stands_in_its_file_or_in_the_logs_of_its_hive() {
        for (of, path, expected) in [
            ("a/SYSTEM", "a/SYSTEM", true),
            ("a/system.LOG1", "a/SYSTEM", true),
            ("SYSTEM.LOG", "SYSTEM", true),
            ("b/SYSTEM.LOG1", "a/SYSTEM", false),
            ("a/SYSTEM.LOG3", "a/SYSTEM", false),
            ("a/SYSTEM.LOG1/x", "a/SYSTEM", false),
            ("a/SOFTWARE", "a/SYSTEM", false),
            ("", "a/SYSTEM", false),
        ] {
            assert_eq!(is_part(of, path), expected, "{of}");
        }
    }
}
