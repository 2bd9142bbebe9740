//! Logs of the collector KAPE: which files it copied and which it skipped, as they were at their source.
//!
//! Source of the format: logs of KAPE 1.2 and 1.3, and the columns that their author's viewer expects (Timeline Explorer's `KAPE` plug-in).
//! `CopiedTimestamp` names no zone. It is read as UTC, because it is a few seconds after the time in the log's name, which is UTC.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::csv_rows::{self, CsvRow, Found, Table};
use artifacts::{Located, civil_time};
use evidence::ReadError;
use ledger::FieldType::{Flag, Hash, Name, Path, Size, Text, Time};
use ledger::{Clock, Defect, FieldValue, RecordType};
use std::ops::ControlFlow;

const COPIED: &str = "copied_file";
const SKIPPED: &str = "skipped_file";

const LONGEST: u64 = 512 << 20;

/// The times that .NET and NTFS give when none is set.
const UNSET: [&str; 2] = ["0001-01-01 00:00:00", "1601-01-01 00:00:00"];

pub(crate) const DECODER: Decoder = Decoder {
    name: "copy_log",
    about: "files that a collector (KAPE) copied or left, with their hashes and times at the source",
    // In newer versions the skip log's name has its extension twice.
    names: &["*_CopyLog.csv", "*_SkipLog.csv", "*_SkipLog.csv.csv"],
    common_names: &[],
    fits: |head: &Head<'_>| csv_rows::table(head.bytes).is_some_and(|table| kind(&table).is_some()),
    records,
    read,
};

/// A parser for the text of a column; returns `None` if it is not what the column should contain.
type Make = fn(&str) -> Option<FieldValue>;

/// Columns, our fields, what the column should contain, and the parser.
const FIELDS: [(&str, &str, &str, Make); 11] = [
    ("SourceFile", "source", "a path", |text| Some(FieldValue::Path(text.to_owned()))),
    ("SourceFileSha1", "sha1", "40 hexadecimal digits", sha1),
    ("DestinationFile", "destination", "a path", |text| Some(FieldValue::Path(text.to_owned()))),
    ("FileSize", "size", "a number of bytes", |text| text.parse().ok().map(FieldValue::Size)),
    ("CreatedOnUtc", "created", "a date and a time", |text| time(text, Clock::Host)),
    ("ModifiedOnUtc", "modified", "a date and a time", |text| time(text, Clock::Host)),
    ("LastAccessedOnUtc", "accessed", "a date and a time", |text| time(text, Clock::Host)),
    ("CopiedTimestamp", "copied", "a date and a time", |text| time(text, Clock::CollectionCopy)),
    ("DeferredCopy", "deferred", "True or False", |text| {
        text.to_ascii_lowercase().parse().ok().map(FieldValue::Flag)
    }),
    ("CopyDuration", "duration", "a text", |text| Some(FieldValue::Text(text.to_owned()))),
    ("Reason", "reason", "a word", |text| Some(FieldValue::Name(text.to_owned()))),
];

fn records() -> Vec<RecordType> {
    let log = ("path", &[Path][..], "path of the log in the evidence");
    vec![
        spec::record(
            COPIED,
            "a line of the log of a collector (KAPE), which read this file at its source and noted size, SHA-1 and times of it; \
             what the file was, not that anybody made, changed or opened it at these times: programs can set them, and reading by the collector can be the last access. \
             The source can be the running system, a mounted image or a shadow copy; the copy need not be among the evidence, and whoever can write the log can change it",
            "source",
            &[
                ("source", &[Path], "path of the original, as the collector saw it"),
                ("destination", &[Path], "path of the copy, on the computer that collected"),
                ("size", &[Size], "bytes of the original"),
                ("sha1", &[Hash], "SHA-1 of the original's content, as the collector read it"),
                ("created", &[Time], "the original's time of creation ($STANDARD_INFORMATION on NTFS)"),
                ("modified", &[Time], "the same: content last written"),
                ("accessed", &[Time], "the same: content last read"),
                ("copied", &[Time], "when it was copied, by the clock of the computer that collected"),
                ("deferred", &[Flag], "whether it was locked and therefore read from the raw volume later"),
                ("duration", &[Text], "how long copying took, hours:minutes:seconds"),
                log,
            ],
        ),
        spec::record(
            SKIPPED,
            "a line of the log of a collector (KAPE) about a file that it found and did not copy; not that the file is missing among the evidence: Deduped says that another one of the same content was copied",
            "source",
            &[
                ("source", &[Path], "path of the original, as the collector saw it"),
                ("sha1", &[Hash], "SHA-1 of the original's content, as the collector read it"),
                ("reason", &[Name], "why it was not copied, such as Deduped"),
                log,
            ],
        ),
    ]
}

/// Returns the type of the records in a table with these columns.
fn kind(table: &Table<'_>) -> Option<&'static str> {
    let has = |name| table.column(name).is_some();
    match (has("SourceFile") && has("SourceFileSha1"), has("DestinationFile"), has("Reason")) {
        (true, true, _) => Some(COPIED),
        (true, false, true) => Some(SKIPPED),
        _ => None,
    }
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let known = csv_rows::table(&bytes).and_then(|table| Some((kind(&table)?, table)));
    let Some((kind, table)) = known else {
        source.damage(Some(0), "expected the columns of a log of copies, found others");
        return Ok(ControlFlow::Continue(()));
    };
    let columns: Vec<_> = FIELDS.iter().map(|field| (table.column(field.0), field)).collect();
    for unread in unread(&table) {
        source.gap(format!("the column {unread:?} is not known and not read"));
    }
    for found in table {
        let cells = match found {
            Found::Damage(damage) => {
                source.damage(Some(damage.offset as u64), damage.what);
                continue;
            }
            Found::Row(cells) => cells,
        };
        if columns.iter().any(|(column, field)| field.1 == "source" && value(&cells, *column).is_none()) {
            source.damage(Some(cells.line.offset as u64), "expected the path of a file, found none");
            continue;
        }
        let (mut row, mut defects) = (
            source.row(kind, Some(parts::place(0, &cells.line))),
            parts::defects(source, 0, cells.damage.as_slice()),
        );
        row = row.field("path", FieldValue::Path(source.node.path.as_str().to_owned()));
        for (column, field) in &columns {
            row = add(row, source, field, value(&cells, *column), &mut defects);
        }
        if source.push(row.defects(defects)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn value(cells: &CsvRow, column: Option<usize>) -> Option<&Located<String>> {
    cells.get(column?)
}

/// Adds the value of a column; an unexpected value is reported as damage of the record.
fn add(
    row: Row,
    source: &Source<'_, '_>,
    (column, field, expected, make): &(&str, &str, &str, Make),
    found: Option<&Located<String>>,
    defects: &mut Vec<Defect>,
) -> Row {
    let Some(found) = found else { return row };
    let text = found.value.trim();
    if UNSET.iter().any(|unset| text.starts_with(unset)) {
        return row;
    }
    let value = make(text);
    if value.is_none() {
        defects.push(source.defect(Some(found.offset as u64), format!("{column}: expected {expected}")));
    }
    row.maybe(field, value, Some(parts::place(0, found)))
}

/// Returns the names of the columns that have no field.
fn unread<'t>(table: &'t Table<'_>) -> Vec<&'t str> {
    let known = |name: &str| FIELDS.iter().any(|field| field.0.eq_ignore_ascii_case(name));
    table.columns.iter().map(String::as_str).filter(|name| !known(name)).collect()
}

fn sha1(text: &str) -> Option<FieldValue> {
    let digest = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digest.then(|| FieldValue::Hash(text.to_ascii_lowercase()))
}

/// Parses a time in UTC.
fn time(text: &str, clock: Clock) -> Option<FieldValue> {
    match parts::civil_value(&civil_time::read(text)?, parts::Unzoned::Utc)? {
        FieldValue::Time(time) => Some(FieldValue::Time(ledger::Time { clock, ..time })),
        _ => None,
    }
}
