//! The existing tables: one for each record type, derived from what decoders declare.

use super::group::origins;
use crate::decode;
use crate::sink::is_of_host;
use crate::units::Origin;
use ledger::{FieldType, RecordType};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::OnceLock;

/// One table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name: that of its record type.
    pub name: String,
    /// What one row is.
    pub meaning: String,
    /// The column that names what a row is about.
    pub subject: String,
    /// The columns of the fields, sorted by name.
    pub columns: Vec<Column>,
    /// The sources whose records it has: decoders, registry artifacts, the file system.
    pub sources: Vec<String>,
}

/// The column of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name: that of the field.
    pub name: String,
    /// The types of its values; the first is the usual one.
    pub types: Vec<FieldType>,
    /// Its meaning.
    pub meaning: String,
}

impl Column {
    /// Returns the type of a value that `_exact` does not list.
    pub(super) fn usual(&self) -> FieldType {
        self.types.first().copied().unwrap_or(FieldType::Text)
    }

    /// Returns the types of its values, as a person reads them.
    pub fn kinds(&self) -> String {
        let names: Vec<_> = self.types.iter().map(|kind| serde_json::json!(kind)).collect();
        names.iter().filter_map(|name| name.as_str()).collect::<Vec<_>>().join(" or ")
    }

    /// Checks whether it has only whole numbers, or flags as 0 and 1.
    pub(super) fn is_number(&self) -> bool {
        self.types.iter().all(is_number)
    }

    /// Returns the type in SQL. `ANY` in a strict table keeps what is bound, and never turns a text that looks like a number into one.
    fn sql_type(&self) -> &'static str {
        if self.types.iter().any(is_number) { "ANY" } else { "TEXT" }
    }
}

/// Checks whether values of this type are stored as whole numbers.
fn is_number(kind: &FieldType) -> bool {
    matches!(kind, FieldType::Integer | FieldType::Size | FieldType::Flag)
}

/// The columns before those of the fields.
pub(super) const BEFORE: [&str; 6] = ["_row", "_source", "_path", "_stream", "_offset", "_length"];
/// The columns after those of the fields.
pub(super) const BEHIND: [&str; 4] = ["_places", "_exact", "_defects", "_seq"];

/// Returns all tables, sorted by name.
pub fn tables() -> &'static [Table] {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    TABLES.get_or_init(derived)
}

fn derived() -> Vec<Table> {
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for origin in origins() {
        for record in kept(origin) {
            let table = tables.entry(record.name.clone()).or_insert_with(|| Table {
                name: record.name.clone(),
                meaning: record.meaning.clone(),
                subject: record.subject.clone(),
                columns: Vec::new(),
                sources: Vec::new(),
            });
            table.add(&record);
            let source = origin.source().to_owned();
            if !table.sources.contains(&source) {
                table.sources.push(source);
            }
        }
    }
    tables.into_values().collect()
}

/// Returns the types of the records that a pass keeps from a source.
pub(super) fn kept(origin: Origin) -> Vec<RecordType> {
    match origin {
        Origin::Decoder(decoder) => decode::gathered(decoder),
        Origin::Entries
        | Origin::Keys
        | Origin::Values
        | Origin::Artifact(_)
        | Origin::Log(_)
        | Origin::Names
        | Origin::Hives
        | Origin::Files => origin.records(),
    }
}

impl Table {
    /// Adds the columns of a record type's declaration: two sources may declare it.
    fn add(&mut self, record: &RecordType) {
        for (name, field) in &record.fields {
            match self.columns.iter_mut().find(|column| column.name == *name) {
                Some(column) => {
                    let new = field.types.iter().filter(|kind| !column.types.contains(kind));
                    let new: Vec<_> = new.copied().collect();
                    column.types.extend(new);
                }
                None => self.columns.push(Column {
                    name: name.clone(),
                    types: field.types.clone(),
                    meaning: field.meaning.clone(),
                }),
            }
        }
        self.columns.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Returns the columns whose times date a row on a timeline.
    pub(super) fn dated(&self) -> impl Iterator<Item = &Column> {
        self.times().filter(|column| dates_rows(&self.name, &column.name))
    }

    /// Returns the columns that contain times.
    pub(super) fn times(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.types == [FieldType::Time])
    }

    /// Returns all its columns, in the order in which they are bound and read.
    pub(super) fn all_columns(&self) -> impl Iterator<Item = &str> {
        let fields = self.columns.iter().map(|column| column.name.as_str());
        BEFORE.into_iter().chain(fields).chain(BEHIND)
    }

    pub(super) fn create(&self) -> String {
        let mut sql = format!(
            "CREATE TABLE {} (_row INTEGER PRIMARY KEY, _source INTEGER NOT NULL, _path TEXT NOT NULL, _stream TEXT, _offset ANY, _length ANY",
            quoted(&self.name)
        );
        for column in &self.columns {
            // Writing to a string cannot fail.
            let _ = write!(sql, ", {} {}", quoted(&column.name), column.sql_type());
        }
        sql.push_str(", _places ANY, _exact TEXT, _defects TEXT, _seq INTEGER NOT NULL) STRICT");
        sql
    }

    pub(super) fn insert(&self) -> String {
        let count = BEFORE.len() + self.columns.len() + BEHIND.len();
        format!("INSERT INTO {} VALUES ({})", quoted(&self.name), vec!["?"; count].join(","))
    }
}

/// The time of the key that contains a value: the key itself is on the timeline.
const OF_KEY: &str = "key_last_written";

/// Checks whether the times of a field date its records on a timeline: those that date something on the host, once.
pub(crate) fn dates_rows(kind: &str, field: &str) -> bool {
    field != OF_KEY && is_of_host(kind, field)
}

/// Quotes a name for SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_named_as_a_column_of_the_pass_and_every_type_has_one_subject() {
        for table in tables() {
            assert!(
                !table.name.starts_with('_') && !super::super::attached::OWN.contains(&table.name.as_str())
            );
            assert!(table.columns.iter().all(|column| !column.name.starts_with('_')), "{}", table.name);
            assert!(table.columns.iter().any(|column| column.name == table.subject), "{}", table.name);
            let places: std::collections::BTreeSet<_> =
                table.columns.iter().map(|column| column.name.to_lowercase()).collect();
            assert_eq!(
                places.len(),
                table.columns.len(),
                "{}: names differ in letter case alone",
                table.name
            );
        }
    }

    #[test]
    fn sqlite_takes_every_table() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for table in tables() {
            connection.execute_batch(&table.create()).unwrap();
            connection.prepare(&table.insert()).unwrap();
        }
    }
}
