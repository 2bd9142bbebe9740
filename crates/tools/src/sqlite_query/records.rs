//! Makes the record of a table row.

use super::cell::{Cell, real};
use super::claims::Claim;
use super::verify::{Found, Real, expression};
use crate::row::Row;
use crate::spec;
use crate::sqlite_file::Database;
use crate::sqlite_file::table::Identity;
use evidence::escape_name;
use ledger::digest::hex;
use ledger::{Digest, FieldType, FieldValue, Record, RecordType};
use rusqlite::{Connection, ErrorCode, ToSql};

const KIND: &str = "table_row";

/// The most bytes of a blob in a record.
const SHOWN_BLOB: usize = 4096;

/// The most bytes of a text in a record.
const SHOWN_TEXT: usize = 64 << 10;

/// The most bytes of a part of a primary key in a path; a longer one is replaced by its digest.
const LONGEST_KEY: usize = 500;

/// The fields that are not columns of the table.
const OWN: [&str; 8] = ["row", "database", "table", "rowid", "state", "equal_rows", "truncated", "*"];

/// The prefix of a column whose name is one of `OWN`.
const PREFIX: &str = "column:";

pub(crate) fn record_type() -> RecordType {
    use FieldType::{Bytes, Integer, List, Name, Path, Text};
    spec::record(
        KIND,
        "one row of a table of an SQLite database, as it is stored, with the columns that were selected",
        "row",
        &[
            (
                "row",
                &[Path],
                "path of the database in the evidence, the name of the table, and the rowid (or the primary key, its parts joined by commas, a part of over 500 bytes as its SHA-256), separated by /",
            ),
            ("database", &[Path], "path of the database in the evidence"),
            ("table", &[Name], "name of the table"),
            ("rowid", &[Integer], "number of the row; left out for a table WITHOUT ROWID"),
            (
                "state",
                &[Name],
                "checkpointed where these values stand in the file alone too; else wal, or journal, for the log that gives them; left out without logs",
            ),
            (
                "equal_rows",
                &[Integer],
                "number of rows of the table with just these values, where there are several: which of them the statement chose is not known; select the primary key",
            ),
            (
                "truncated",
                &[List],
                "columns of which only the start is given: 4096 bytes of a blob, 64 KiB of a text",
            ),
            (
                "*",
                &[Integer, Text, Bytes],
                "every other field is a column under its own name (column: in front where it is one of the names above): INTEGER as integer, TEXT as text, REAL as text in its shortest exact decimal, BLOB (and TEXT that is not UTF-8) as bytes; NULL is left out",
            ),
        ],
    )
}

/// Makes the record of a row that was found in its table.
pub(crate) fn record(database: &Database<'_>, claim: &Claim, row: &Real) -> Record {
    let table = &claim.table;
    let state = row.checkpointed.map(|held| if held { "checkpointed" } else { database.log_name() });
    let number = match (&table.identity, row.identity.as_slice()) {
        (Identity::RowId(_), [Cell::Integer(number)]) => Some(FieldValue::Integer((*number).into())),
        _ => None,
    };
    let equal = Some(row.equal).filter(|equal| *equal > 1);
    let name = escape_name(table.name.as_bytes());
    let mut record = Row::new(KIND, database.tree(), database.node(), None)
        .field("row", FieldValue::Path(format!("{}/{name}/{}", database.path(), identity(row))))
        .field("database", FieldValue::Path(database.path().to_owned()))
        .field("table", FieldValue::Name(table.name.clone()))
        .maybe("rowid", number, None)
        .maybe("state", state.map(|state| FieldValue::Name(state.to_owned())), None)
        .maybe("equal_rows", equal.map(|equal| FieldValue::Integer(equal.into())), None);
    let (mut truncated, mut odd) = (Vec::new(), Vec::new());
    for (column, value) in claim.columns.iter().zip(&row.values).filter(|(column, _)| !column.is_rowid) {
        let shown = shown(value);
        if shown.cut {
            truncated.push(column.name.clone());
        }
        if shown.odd {
            odd.push(format!("{:?}", column.name));
        }
        record = record.maybe(&field(&column.name), shown.value, None);
    }
    if !odd.is_empty() {
        let (name, row, columns) = (&table.name, identity(row), odd.join(", "));
        let what = format!("table {name:?}, row {row}: TEXT that is not UTF-8, given as bytes: {columns}");
        record = record.defects(vec![database.defect(what)]);
    }
    let truncated = Some(truncated).filter(|columns| !columns.is_empty());
    record.maybe("truncated", truncated.map(FieldValue::List), None).done()
}

/// Returns the name of the field for a column; it is never the name of a field in `OWN`.
fn field(column: &str) -> String {
    let own = OWN.iter().any(|own| own.eq_ignore_ascii_case(column));
    if own || column.is_empty() || column.starts_with(PREFIX) {
        format!("{PREFIX}{column}")
    } else {
        column.to_owned()
    }
}

/// Writes the rowid, or the parts of the primary key, as a part of a path: different keys of a table never give the same text.
///
/// In a table `WITHOUT ROWID`, a text `1` and a number 1 are two keys, and so are `a,b` with `c` and `a` with `b,c`.
fn identity(row: &Real) -> String {
    let part = |cell: &Cell| match cell {
        Cell::Null => String::new(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(bits) => real(*bits),
        Cell::Text(bytes) if bytes.len() > LONGEST_KEY => format!("sha256 {}", Digest::of(bytes)),
        Cell::Blob(bytes) if bytes.len() > LONGEST_KEY => format!("x'sha256 {}'", Digest::of(bytes)),
        Cell::Text(bytes) => key_text(bytes),
        Cell::Blob(bytes) => format!("x'{}'", hex(bytes)),
    };
    row.identity.iter().map(part).collect::<Vec<_>>().join(",")
}

/// Writes a text of a key: in quotes if it could be read as another value.
fn key_text(bytes: &[u8]) -> String {
    let text = escape_name(bytes).replace(',', "%{2C}");
    let other = text.is_empty()
        || text.parse::<f64>().is_ok()
        || ["x'", "\"", "sha256 "].iter().any(|start| text.starts_with(start));
    if other { format!("\"{text}\"") } else { text }
}

/// A value as a field.
struct Shown {
    value: Option<FieldValue>,
    cut: bool,
    /// Whether a text value is not valid text.
    odd: bool,
}

fn shown(cell: &Cell) -> Shown {
    let whole = |value| Shown { value, cut: false, odd: false };
    match cell {
        Cell::Null => whole(None),
        Cell::Integer(number) => whole(Some(FieldValue::Integer((*number).into()))),
        Cell::Real(bits) => whole(Some(FieldValue::Text(real(*bits)))),
        Cell::Blob(bytes) => raw(bytes, false),
        Cell::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => {
                let shown = text.get(..text.floor_char_boundary(SHOWN_TEXT)).unwrap_or(text);
                let cut = shown.len() < text.len();
                Shown { value: Some(FieldValue::Text(shown.to_owned())), cut, odd: false }
            }
            Err(_) => raw(bytes, true),
        },
    }
}

fn raw(bytes: &[u8], odd: bool) -> Shown {
    let shown = bytes.get(..SHOWN_BLOB).unwrap_or(bytes);
    Shown { value: Some(FieldValue::Bytes(hex(shown))), cut: shown.len() < bytes.len(), odd }
}

/// Determines which of the rows are also in the file alone, with the same values.
pub(crate) fn mark_states(found: &mut Found, claim: &Claim, checkpointed: Option<&Connection>) {
    let (Some(connection), Identity::RowId(_)) = (checkpointed, &claim.table.identity) else { return };
    let identity = claim.table.identity_columns();
    let columns: Vec<_> = claim.columns.iter().map(|column| expression(column, &identity)).collect();
    let condition = format!(" WHERE {} = ?1", identity.join(", "));
    let mut statement = match connection.prepare(&claim.table.select(&columns, &condition)) {
        Ok(statement) => statement,
        // Only the logs have the table or a column of it, so no row is in the file alone.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::Unknown) => {
            found.rows.iter_mut().flatten().for_each(|row| row.checkpointed = Some(false));
            return;
        }
        Err(_) => return,
    };
    for row in found.rows.iter_mut().flatten() {
        let [Cell::Integer(number)] = row.identity.as_slice() else { continue };
        row.checkpointed = holds(&mut statement, number, &row.values).ok();
    }
}

fn holds(
    statement: &mut rusqlite::Statement<'_>,
    number: &dyn ToSql,
    values: &[Cell],
) -> Result<bool, rusqlite::Error> {
    let mut rows = statement.query([number])?;
    let Some(row) = rows.next()? else { return Ok(false) };
    for (index, value) in values.iter().enumerate() {
        if Cell::of(row.get_ref(index)?) != *value {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_takes_a_field_of_ours() {
        for (column, expected) in [
            ("url", "url"),
            ("rowid", "column:rowid"),
            ("ROW", "column:ROW"),
            ("column:row", "column:column:row"),
            ("", "column:"),
            ("*", "column:*"),
        ] {
            assert_eq!(field(column), expected);
        }
    }

    #[test]
    fn real_numbers_are_given_exactly_and_invalid_text_as_bytes() {
        let text = |value: f64| shown(&Cell::Real(value.to_bits())).value;
        assert_eq!(text(0.1), Some(FieldValue::Text("0.1".into())));
        assert_eq!(text(13e21), Some(FieldValue::Text("1.3e22".into())));
        let odd = shown(&Cell::Text(vec![b'a', 0xFF]));
        assert_eq!((odd.value, odd.odd), (Some(FieldValue::Bytes("61ff".into())), true));
        let long = shown(&Cell::Text("ü".repeat(40_000).into_bytes()));
        assert!(long.cut && !long.odd);
    }
}
