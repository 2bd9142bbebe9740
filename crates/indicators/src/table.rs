//! CSV tables and plain lists.

use crate::kind::Kind;
use crate::read::{ReadError, Taken};

/// Columns that say what a value is.
const TYPES: [&str; 7] =
    ["type", "kind", "ioc_type", "indicator_type", "indicator type", "ioc type", "attribute_type"];

/// Columns with the value.
const VALUES: [&str; 9] = [
    "value",
    "indicator",
    "ioc",
    "ioc_value",
    "indicator_value",
    "observable",
    "ioc value",
    "indicator value",
    "pattern",
];

/// Columns with words about the value.
const LABELS: [&str; 9] = [
    "description",
    "comment",
    "label",
    "name",
    "threat",
    "malware",
    "title",
    "malware_printable",
    "signature",
];

/// What a column holds.
#[derive(Clone, Copy)]
enum Column {
    Type,
    Value,
    Of(Kind),
    Label,
    Other,
}

pub(crate) fn read(text: &str, taken: &mut Taken<'_>) -> Result<(), ReadError> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = first else { return Err(ReadError::None) };
    let columns: Vec<Column> = first.split([',', ';']).map(column).collect();
    let is_table = columns.iter().any(|column| matches!(column, Column::Value | Column::Of(_)))
        && (first.contains([',', ';']) || Kind::of_value(first).is_none());
    match is_table {
        true => table(text, taken, if first.contains(';') && !first.contains(',') { b';' } else { b',' }),
        false => list(text, taken),
    }
}

fn column(name: &str) -> Column {
    let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
    let is = |names: &[&str]| names.contains(&name.as_str());
    match Kind::of_word(&name) {
        _ if is(&TYPES) => Column::Type,
        _ if is(&VALUES) => Column::Value,
        _ if is(&LABELS) => Column::Label,
        Some(kind) => Column::Of(kind),
        None => Column::Other,
    }
}

fn table(text: &str, taken: &mut Taken<'_>, delimiter: u8) -> Result<(), ReadError> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .comment(Some(b'#'))
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let wrong = |error: &csv::Error| ReadError::Csv {
        reason: error.to_string(),
        line: error.position().map(csv::Position::line),
    };
    let columns: Vec<Column> = reader.headers().map_err(|error| wrong(&error))?.iter().map(column).collect();
    for row in reader.records() {
        let row = row.map_err(|error| wrong(&error))?;
        let line = row.position().map(csv::Position::line);
        let cells = || row.iter().zip(&columns);
        let kind = cells().find(|(_, column)| matches!(column, Column::Type)).map(|(cell, _)| cell);
        let label = cells().find(|(cell, column)| matches!(column, Column::Label) && !cell.is_empty());
        let label = label.map(|(cell, _)| cell);
        for (cell, column) in cells() {
            match column {
                Column::Value => taken.take(kind.and_then(Kind::of_word), cell, line, label),
                Column::Of(kind) => taken.take(Some(*kind), cell, line, label),
                Column::Type | Column::Label | Column::Other => {}
            }
        }
    }
    Ok(())
}

/// Reads one value a line, with a comment after `#` or a comma.
fn list(text: &str, taken: &mut Taken<'_>) -> Result<(), ReadError> {
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        let (value, label) =
            match line.split_once(" #").or_else(|| line.split_once('\t')).or_else(|| line.split_once(',')) {
                Some((value, label)) => (value, Some(label.trim())),
                None => (line, None),
            };
        taken.take(None, value, Some(number as u64 + 1), label);
    }
    Ok(())
}
