//! Replays stored records instead of decoding: the records, damage and gaps of a source, in the order in which its decoder gave them.
//!
//! Records that an intake will not accept need not be read: [`Intake::takes`] becomes conditions on rows ([`wanted`]).

mod wanted;

pub(super) use wanted::{around, can_say};

use super::attached::check;
use super::cells::number;
use super::error::{TableError, sqlite};
use super::group::{TableFiles, TableGroup};
use super::read::{Cells, record_with};
use super::schema::{BEFORE, Table};
use crate::intake::{Flow, Intake};
use crate::sqlite_file::budget::Budget;
use crate::sqlite_file::connection::attach;
use crate::survey::Surveyed;
use crate::units::Origin;
use ledger::{Defect, Gap, Record};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Rows};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use wanted::{Wanted, add_functions, says};

/// The tables that a call may read, opened on demand.
pub(crate) struct Stored<'f> {
    files: &'f TableFiles,
    opened: RefCell<HashMap<(String, TableGroup), Rc<Kept>>>,
}

impl<'f> Stored<'f> {
    pub(crate) fn new(files: &'f TableFiles) -> Stored<'f> {
        Stored { files, opened: RefCell::default() }
    }

    /// Returns the prepared files.
    pub(crate) fn files(&self) -> &'f TableFiles {
        self.files
    }

    /// Returns the tables of a group of a piece of evidence; `None` if there are none, so that it must be decoded.
    pub(crate) fn kept(&self, label: &str, group: TableGroup) -> Result<Option<Rc<Kept>>, TableError> {
        let Some(path) = self.files.get(group.name()).and_then(|files| files.get(label)) else {
            return Ok(None);
        };
        let key = (label.to_owned(), group);
        if let Some(kept) = self.opened.borrow().get(&key) {
            return Ok(Some(Rc::clone(kept)));
        }
        let kept = Rc::new(Kept::open(path, label, group)?);
        self.opened.borrow_mut().insert(key, Rc::clone(&kept));
        Ok(Some(kept))
    }

    /// Hands over the records of a source; `None` if no table has it, so that it must be decoded.
    pub(crate) fn replay(
        &self,
        label: &str,
        unit: &Surveyed<'_>,
        out: &mut dyn Intake,
    ) -> Result<Option<Flow>, TableError> {
        let Some(group) = TableGroup::of(unit.origin) else { return Ok(None) };
        match self.kept(label, group)? {
            Some(kept) => kept.replay(unit, out),
            None => Ok(None),
        }
    }
}

/// The tables of a group, open.
pub(crate) struct Kept {
    pub(super) connection: Connection,
    pub(super) label: String,
    pub(super) tables: Vec<Table>,
    sources: Vec<Source>,
    /// The layouts that rows used so far, by their numbers.
    layouts: RefCell<HashMap<i64, Rc<str>>>,
    /// The indexes of sources by origin, path and stream.
    places: HashMap<(String, String, Option<String>), usize>,
}

/// One source: a file with its decoder, a hive with one artifact, the entries of a tree.
pub(crate) struct Source {
    /// How it was decoded, as tables name it.
    pub(crate) origin: String,
    /// The file; for entries, the folder where these begin.
    pub(crate) path: String,
    pub(crate) stream: Option<String>,
    /// How many records have only times without an instant.
    pub(crate) timeless: u64,
    /// Whether some records have only the times of a copy.
    pub(crate) copied: bool,
    begun: Option<String>,
    /// For each table: its index, the source's first row and its last.
    pub(super) extents: Vec<(usize, i64, i64)>,
    /// Gaps, damage and notes, each with the number of records before it.
    remarks: Vec<(i64, Remark)>,
}

enum Remark {
    Gap(Gap),
    Defect(Defect),
    Hidden(Defect),
    Note(String),
}

impl Source {
    /// Hands over what was met in it.
    pub(crate) fn tell(&self, out: &mut dyn Intake) {
        self.remarks.iter().for_each(|(_, remark)| remark.tell(out));
    }
}

impl Remark {
    fn tell(&self, out: &mut dyn Intake) {
        match self {
            Remark::Gap(gap) => out.gap(gap.clone()),
            Remark::Defect(defect) => out.defect(defect.clone()),
            Remark::Hidden(defect) => out.hidden(defect.clone()),
            Remark::Note(note) => out.note(note.clone()),
        }
    }
}

impl Kept {
    pub(super) fn open(path: &Path, label: &str, group: TableGroup) -> Result<Kept, TableError> {
        let tables = group.tables();
        let connection = attach(&[path], &Budget::new(u64::MAX)).map_err(sqlite("open the tables"))?;
        check(&connection, 0, &tables)?;
        connection.set_prepared_statement_cache_capacity(256);
        add_functions(&connection).map_err(sqlite("open the tables"))?;
        let mut kept = Kept {
            connection,
            label: label.to_owned(),
            tables,
            sources: Vec::new(),
            layouts: RefCell::default(),
            places: HashMap::new(),
        };
        kept.read_sources().map_err(sqlite("read the sources of the tables"))?;
        kept.read_remarks().map_err(sqlite("read what was met in the sources of the tables"))?;
        Ok(kept)
    }

    /// Returns the layout with this number.
    fn layout(&self, number: i64) -> Result<Rc<str>, TableError> {
        if let Some(layout) = self.layouts.borrow().get(&number) {
            return Ok(Rc::clone(layout));
        }
        let read = sqlite("read the layout of a record");
        let mut statement = self
            .connection
            .prepare_cached("SELECT places FROM e0.layouts WHERE _layout = ?")
            .map_err(&read)?;
        let layout: String = statement.query_row([number], |row| row.get(0)).map_err(&read)?;
        let layout: Rc<str> = layout.into();
        self.layouts.borrow_mut().insert(number, Rc::clone(&layout));
        Ok(layout)
    }

    fn read_sources(&mut self) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(
            "SELECT _origin, path, stream, _begun, _timeless, _copied FROM e0.sources ORDER BY _source",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (origin, path): (String, String) = (row.get(0)?, row.get(1)?);
            self.places.insert((origin.clone(), path.clone(), row.get(2)?), self.sources.len());
            let (extents, remarks) = (Vec::new(), Vec::new());
            let (stream, begun, copied) = (row.get(2)?, row.get(3)?, row.get(5)?);
            let timeless = number(row.get_ref(4)?).and_then(|count| u64::try_from(count).ok());
            let timeless = timeless.unwrap_or_default();
            self.sources.push(Source { origin, path, stream, timeless, copied, begun, extents, remarks });
        }
        drop(rows);
        let mut statement =
            self.connection.prepare("SELECT _source, name, first, last FROM e0.extents ORDER BY _source")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name: String = row.get(1)?;
            let table = self.tables.iter().position(|table| table.name == name);
            if let (Some(source), Some(table)) = (source_of(&mut self.sources, row)?, table) {
                source.extents.push((table, row.get(2)?, row.get(3)?));
            }
        }
        Ok(())
    }

    fn read_remarks(&mut self) -> rusqlite::Result<()> {
        type Read = fn(&Row<'_>) -> rusqlite::Result<Remark>;
        let asked: [(&str, Read); 3] = [
            ("SELECT _source, _seq, path, reason FROM e0.gaps", |row| {
                Ok(Remark::Gap(Gap { path: row.get(2)?, reason: row.get(3)? }))
            }),
            ("SELECT _source, _seq, path, what, _offset, hides FROM e0.defects", |row| {
                let offset = number(row.get_ref(4)?).and_then(|number| u64::try_from(number).ok());
                let defect = Defect { path: row.get(2)?, offset, what: row.get(3)? };
                let hides: bool = row.get(5)?;
                Ok(if hides { Remark::Hidden(defect) } else { Remark::Defect(defect) })
            }),
            ("SELECT _source, _seq, note FROM e0.notes", |row| Ok(Remark::Note(row.get(2)?))),
        ];
        for (sql, read) in asked {
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let remark = (row.get(1)?, read(row)?);
                if let Some(source) = source_of(&mut self.sources, row)? {
                    source.remarks.push(remark);
                }
            }
        }
        for source in &mut self.sources {
            source.remarks.sort_by_key(|(seq, _)| *seq);
        }
        Ok(())
    }

    /// Returns the paths of the files whose sources have this origin, in the order of the pass.
    pub(crate) fn paths(&self, origin: Origin) -> impl Iterator<Item = &str> {
        let stored = origin.stored();
        let own = self.sources.iter().filter(move |source| source.origin == stored);
        own.map(|source| source.path.as_str())
    }

    /// Returns all sources, in the order of the pass; the first has the number 1.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Hands over what was met in all sources of this origin.
    pub(crate) fn remarks(&self, origin: Origin, out: &mut dyn Intake) {
        let stored = origin.stored();
        let own = self.sources.iter().filter(|source| source.origin == stored);
        own.for_each(|source| source.tell(out));
    }

    /// Hands over the records of a source; `None` if it is not in the tables.
    pub(crate) fn replay(
        &self,
        unit: &Surveyed<'_>,
        out: &mut dyn Intake,
    ) -> Result<Option<Flow>, TableError> {
        let key = (unit.origin.stored(), unit.path.to_owned(), unit.stream.map(str::to_owned));
        let Some(source) = self.places.get(&key).and_then(|place| self.sources.get(*place)) else {
            return Ok(None);
        };
        if let Some(begun) = &source.begun {
            out.begin(begun.clone());
        }
        let read = sqlite("read the rows of a source");
        let wanted = Wanted::of(out.takes());
        let texts = wanted.texts();
        let (mut tables, mut statements) = (Vec::new(), Vec::new());
        for (table, first, last) in &source.extents {
            let Some(table) = self.tables.get(*table).filter(|table| wanted.may_hold(table)) else {
                continue;
            };
            let statement = self.connection.prepare_cached(&wanted.select(table)).map_err(&read)?;
            statements.push((statement, [*first, *last]));
            tables.push(table);
        }
        let mut cursors = Vec::new();
        for ((statement, extent), table) in statements.iter_mut().zip(tables) {
            let rows = statement.query(*extent).map_err(&read)?;
            cursors.push(Cursor { table, rows });
        }
        let mut next = BinaryHeap::new();
        for (number, cursor) in cursors.iter_mut().enumerate() {
            next.extend(cursor.advance()?.map(|seq| Reverse((seq, number))));
        }
        let mut remarks = source.remarks.iter().peekable();
        while let Some(Reverse((seq, number))) = next.pop() {
            while let Some((_, remark)) = remarks.next_if(|(behind, _)| *behind <= seq) {
                remark.tell(out);
            }
            let Some(cursor) = cursors.get_mut(number) else { continue };
            if cursor.says(&texts)?
                && let Some(record) = cursor.record(self)?
                && out.push(record).is_break()
            {
                return Ok(Some(ControlFlow::Break(())));
            }
            next.extend(cursor.advance()?.map(|seq| Reverse((seq, number))));
        }
        remarks.for_each(|(_, remark)| remark.tell(out));
        Ok(Some(ControlFlow::Continue(())))
    }
}

fn source_of<'s>(sources: &'s mut [Source], row: &Row<'_>) -> rusqlite::Result<Option<&'s mut Source>> {
    // Sources have the numbers 1, 2 and so on.
    let number: i64 = row.get(0)?;
    Ok(usize::try_from(number - 1).ok().and_then(|place| sources.get_mut(place)))
}

/// The rows of one table that may be wanted.
struct Cursor<'s> {
    table: &'s Table,
    rows: Rows<'s>,
}

impl Cursor<'_> {
    /// Moves to the next row; returns its position in its source.
    fn advance(&mut self) -> Result<Option<i64>, TableError> {
        let read = sqlite("read the rows of a source");
        self.rows.advance().map_err(&read)?;
        self.rows.get().map(|row| row.get("_seq").map_err(&read)).transpose()
    }

    /// Checks whether its row can contain one of these texts.
    fn says(&self, texts: &[String]) -> Result<bool, TableError> {
        let Some(row) = self.rows.get() else { return Ok(false) };
        says(&Cells { table: self.table, row }, texts)
    }

    fn record(&self, kept: &Kept) -> Result<Option<Record>, TableError> {
        let Some(row) = self.rows.get() else { return Ok(None) };
        let places = row.get_ref(BEFORE.len() + self.table.columns.len());
        let layout = match places.map_err(sqlite("read the rows of a source"))? {
            ValueRef::Integer(number) => Some(kept.layout(number)?),
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into()),
            ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => None,
        };
        record_with(self.table, row, &kept.label, layout.as_deref()).map(Some)
    }
}
