//! `cargo xtask compare-ese`: compares how we and libesedb's `esedbexport` read an ESE database.
//!
//! It needs `esedbexport`, and `timeout` to stop it if it does not end. It compares the records of every table in order,
//! column by column, as text.
//! Times are compared to the second, because `esedbexport` adds up the days, hours and minutes of a double and loses up to one second.
//! Two outputs are not counted as differences: the fill bytes (2A) of a fixed-size value that is NULL, and multiple values in one column,
//! which it does not write at all.
//! Values that are compressed or missing for us, and that it does not write either, are counted separately.

mod export;

use artifacts::ese::{Cell, Column, ColumnType, Database, Row, Value};
use std::path::Path;
use thiserror::Error;

/// The maximum number of differences printed for a table.
const SHOWN: usize = 10;

/// The reason why a database cannot be compared.
#[derive(Debug, Error)]
pub(crate) enum CompareError {
    /// A file cannot be read.
    #[error("compare {path}: {source}")]
    Read {
        path: String,
        #[source]
        source: std::io::Error,
    },
    /// It does not start like a database.
    #[error("compare {path}: no ESE database")]
    Other { path: String },
    /// The other program cannot be started.
    #[error("compare: start esedbexport: {source}")]
    Start {
        #[source]
        source: std::io::Error,
    },
}

/// Counts of what was compared.
#[derive(Default)]
struct Counts {
    rows: usize,
    values: usize,
    filled: usize,
    presence: usize,
    unread: usize,
    differences: Vec<String>,
}

/// Compares one database; returns the number of differences.
pub(crate) fn compare(path: &Path, say: &mut dyn FnMut(String)) -> Result<usize, CompareError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| CompareError::Read { path: name.clone(), source })?;
    let database = Database::open(&bytes).ok_or_else(|| CompareError::Other { path: name.clone() })?;
    database
        .damage
        .iter()
        .for_each(|damage| say(format!("{name}: offset {}: {}", damage.offset, damage.what)));
    let theirs = export::tables(path)?;
    let mut total = 0;
    for table in &database.tables {
        let Some(exported) = theirs.iter().find(|(exported, _)| *exported == table.name) else {
            say(format!("{name} {}: not exported", table.name));
            continue;
        };
        let mut rows = database.rows(table);
        let mut counts = Counts::default();
        let mut lines = exported.1.lines();
        let heads: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        for row in rows.by_ref() {
            counts.rows += 1;
            match lines.next() {
                Some(line) => counts.row(&row, &heads, line),
                None => counts.differences.push(format!("record {} is not exported", counts.rows)),
            }
        }
        let left = lines.count();
        if left > 0 {
            counts.differences.push(format!("{left} records more are exported"));
        }
        for damage in rows.take_damage() {
            counts.differences.push(format!("offset {}: {}", damage.offset, damage.what));
        }
        total += counts.differences.len();
        counts.tell(&format!("{name} {}", table.name), say);
    }
    Ok(total)
}

impl Counts {
    fn row(&mut self, row: &Row<'_, '_>, heads: &[&str], line: &str) {
        for (head, theirs) in heads.iter().zip(line.split('\t')) {
            let Some(column) = row.columns().iter().find(|column| column.name == *head) else { continue };
            self.values += 1;
            let cell = row.cell(column);
            let at = cell.as_ref().map(|cell| cell.offset);
            match ours(column, cell) {
                Ours::Text(ours) if same(column, &ours, theirs) => {}
                Ours::Null if theirs.is_empty() => {}
                Ours::Null if column.id < 128 && filled(column, theirs) => self.filled += 1,
                Ours::Unread if theirs.is_empty() => self.unread += 1,
                Ours::Present => self.presence += 1,
                other => {
                    let number = self.rows;
                    self.differences
                        .push(format!("record {number}, {head}, {at:?}: {other:?}, exported {theirs:?}"));
                }
            }
        }
    }

    fn tell(&self, place: &str, say: &mut dyn FnMut(String)) {
        let Counts { rows, values, filled, presence, unread, differences } = self;
        say(format!(
            "{place}: {rows} records, {values} values; {filled} NULL that are exported as fill bytes, {presence} compared by presence, {unread} that neither reads; {} differences",
            differences.len()
        ));
        differences.iter().take(SHOWN).for_each(|line| say(format!("  {line}")));
    }
}

/// A value in the form in which it would be exported.
#[derive(Debug)]
enum Ours {
    Text(String),
    /// Several values.
    Present,
    Null,
    /// Missing or compressed.
    Unread,
}

/// The fill byte of a fixed-size value that is NULL.
const FILL: u8 = 0x2A;

/// Checks whether the exported value consists only of fill bytes.
fn filled(column: &Column, theirs: &str) -> bool {
    // No number is longer than a GUID.
    let length = match column.kind {
        ColumnType::Binary | ColumnType::Other(_) => theirs.len() / 2,
        ColumnType::Text => theirs.chars().count(),
        _ => 16,
    };
    let bytes = vec![FILL; length];
    !theirs.is_empty() && same(column, &text(column, &bytes), theirs)
}

fn ours(column: &Column, cell: Option<Cell<'_>>) -> Ours {
    let Some(cell) = cell else { return Ours::Null };
    match cell.value {
        Value::One(bytes) => Ours::Text(text(column, &bytes)),
        Value::Several(_) => Ours::Present,
        Value::Missing { .. } | Value::Packed { .. } => Ours::Unread,
    }
}

fn text(column: &Column, bytes: &[u8]) -> String {
    let number =
        |size: usize| bytes.iter().take(size).rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    match column.kind {
        ColumnType::Bit | ColumnType::U8 => number(1).to_string(),
        ColumnType::I16 => (number(2) as u16).cast_signed().to_string(),
        ColumnType::U16 => number(2).to_string(),
        ColumnType::I32 => (number(4) as u32).cast_signed().to_string(),
        ColumnType::U32 => number(4).to_string(),
        ColumnType::I64 => number(8).cast_signed().to_string(),
        ColumnType::U64 => number(8).to_string(),
        ColumnType::F32 => f32::from_bits(number(4) as u32).to_string(),
        ColumnType::F64 => f64::from_bits(number(8)).to_string(),
        ColumnType::DateTime => export::time(number(8)),
        ColumnType::Text if column.code_page == 1200 => {
            let units: Vec<u16> =
                bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
            String::from_utf16_lossy(&units)
        }
        ColumnType::Text => bytes.iter().map(|byte| char::from(*byte)).collect(),
        ColumnType::Guid | ColumnType::Binary | ColumnType::Other(_) => {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        }
    }
}

/// Returns the hexadecimal digits of a GUID in written order: its first three groups are little-endian.
fn guid(hex: &str) -> String {
    const ORDER: [&[usize]; 5] = [&[3, 2, 1, 0], &[5, 4], &[7, 6], &[8, 9], &[10, 11, 12, 13, 14, 15]];
    let pair = |index: &usize| hex.get(index * 2..index * 2 + 2).unwrap_or_default();
    ORDER.map(|group| group.iter().map(pair).collect::<String>()).join("-")
}

/// Checks whether two texts express the same value of a column.
fn same(column: &Column, ours: &str, theirs: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|one| !one.is_control()).collect::<String>();
    match column.kind {
        ColumnType::F32 | ColumnType::F64 => match (ours.parse::<f64>(), theirs.parse::<f64>()) {
            (Ok(ours), Ok(theirs)) => (ours - theirs).abs() <= theirs.abs() * 1e-5 + 1e-6,
            _ => ours == theirs,
        },
        ColumnType::DateTime => export::within_a_second(ours, theirs),
        ColumnType::Guid => guid(ours) == theirs.trim_matches(['{', '}']).to_ascii_lowercase(),
        ColumnType::Bit => (ours == "0") == (theirs == "0" || theirs == "False"),
        // Backslashes are doubled there.
        ColumnType::Text => plain(ours) == plain(&theirs.replace("\\\\", "\\")),
        ColumnType::U8
        | ColumnType::I16
        | ColumnType::U16
        | ColumnType::I32
        | ColumnType::U32
        | ColumnType::I64
        | ColumnType::U64
        | ColumnType::Binary
        | ColumnType::Other(_) => ours == theirs,
    }
}
