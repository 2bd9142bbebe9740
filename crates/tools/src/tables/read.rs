//! Converts rows back to records.

use super::cells::{number, places, restore};
use super::error::{TableError, sqlite};
use super::schema::{BEFORE, Table, quoted};
use ledger::{ByteSpan, Defect, Field, FieldValue, Locator, Record, RecordId};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;

/// Returns the columns of a row that [`record`] reads; `schema` is the prefix of the tables' file.
pub(super) fn columns(table: &Table, schema: &str) -> String {
    let places = format!("(SELECT places FROM {schema}layouts WHERE _layout = _places)");
    let column = |name: &str| match name {
        "_places" => format!("coalesce({places}, _places)"),
        name => quoted(name),
    };
    table.all_columns().map(column).collect::<Vec<_>>().join(", ")
}

/// Returns the same with `_places` as it is stored; if only some fields are wanted, without their bytes.
pub(super) fn columns_of(table: &Table, fields: Option<&[&str]>) -> String {
    let is_left_out = |name: &str| {
        fields.is_some_and(|fields| {
            name == "_places"
                || (table.columns.iter().any(|column| column.name == name) && !fields.contains(&name))
        })
    };
    let column = |name: &str| match is_left_out(name) {
        true => format!("NULL AS {}", quoted(name)),
        false => quoted(name),
    };
    table.all_columns().map(column).collect::<Vec<_>>().join(", ")
}

/// Returns the record of the row with this number, in the first attached file; `None` if there is no such row.
pub(super) fn record_at(
    connection: &Connection,
    table: &Table,
    row: i64,
    label: &str,
) -> Result<Option<Record>, TableError> {
    let read = sqlite("read a row");
    let sql = format!("SELECT {} FROM e0.{} WHERE _row = ?", columns(table, "e0."), quoted(&table.name));
    let mut statement = connection.prepare_cached(&sql).map_err(&read)?;
    let mut rows = statement.query([row]).map_err(&read)?;
    let found = rows.next().map_err(&read)?;
    found.map(|found| record(table, found, label)).transpose()
}

/// Makes the record from a row with these [`columns`], of evidence with this label.
pub(super) fn record(table: &Table, row: &Row<'_>, label: &str) -> Result<Record, TableError> {
    let cells = Cells { table, row };
    record_with(table, row, label, cells.text(BEFORE.len() + table.columns.len())?)
}

/// Does what `record` does, with the text of the row's layout.
pub(super) fn record_with(
    table: &Table,
    row: &Row<'_>,
    label: &str,
    layout: Option<&str>,
) -> Result<Record, TableError> {
    let cells = Cells { table, row };
    let first = BEFORE.len();
    let behind = first + table.columns.len();
    let exact: BTreeMap<String, FieldValue> = cells.json(behind + 1)?.unwrap_or_default();
    let span = cells.span()?;
    let base = span.map_or(0, |span| span.offset);
    let mut spans = layout.map(|layout| places(layout, base));
    let mut fields = BTreeMap::new();
    for (index, column) in table.columns.iter().enumerate() {
        let cell = cells.cell(first + index)?;
        let value = match exact.get(&column.name) {
            Some(value) => value.clone(),
            None if cell == ValueRef::Null => continue,
            None => {
                restore(cell, column).ok_or_else(|| cells.wrong(&format!("no value of {}", column.name)))?
            }
        };
        let at = match &mut spans {
            None => None,
            Some(spans) => spans.next().flatten().ok_or_else(|| cells.wrong("no place of a field"))?,
        };
        fields.insert(column.name.clone(), Field { at, value });
    }
    let path = cells.text(2)?.ok_or_else(|| cells.wrong("no path"))?.to_owned();
    Ok(Record {
        placement: None,
        defects: cells.json::<Vec<Defect>>(behind + 2)?.unwrap_or_default(),
        fields,
        id: RecordId(0),
        kind: table.name.clone(),
        locator: Locator {
            evidence: label.to_owned(),
            path,
            stream: cells.text(3)?.map(str::to_owned),
            span,
        },
    })
}

/// The cells of a row.
pub(super) struct Cells<'r> {
    pub(super) table: &'r Table,
    pub(super) row: &'r Row<'r>,
}

impl<'r> Cells<'r> {
    pub(super) fn cell(&self, index: usize) -> Result<ValueRef<'r>, TableError> {
        self.row.get_ref(index).map_err(sqlite("read a row"))
    }

    pub(super) fn text(&self, index: usize) -> Result<Option<&'r str>, TableError> {
        match self.cell(index)? {
            ValueRef::Null => Ok(None),
            cell => cell.as_str().map(Some).map_err(|_| self.wrong("expected a text in UTF-8")),
        }
    }

    pub(super) fn json<T: serde::de::DeserializeOwned>(&self, index: usize) -> Result<Option<T>, TableError> {
        let read = |text| serde_json::from_str(text).map_err(|error| self.wrong(&error.to_string()));
        self.text(index)?.map(read).transpose()
    }

    fn span(&self) -> Result<Option<ByteSpan>, TableError> {
        let whole = |index| -> Result<Option<u64>, TableError> {
            Ok(number(self.cell(index)?).and_then(|number| u64::try_from(number).ok()))
        };
        Ok(whole(4)?.zip(whole(5)?).map(|(offset, length)| ByteSpan::new(offset, length)))
    }

    pub(super) fn wrong(&self, what: &str) -> TableError {
        let row = self.row.get(0).unwrap_or_default();
        TableError::Row { table: self.table.name.clone(), row, what: what.to_owned() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::super::schema::tables;
    use super::super::write::{Writer, create};
    use super::*;
    use crate::intake::Intake;
    use crate::survey::Surveyed;
    use crate::units::Origin;
    use ledger::{AssumedZone, Clock, FieldType, Precision, Time, Utc};
    use proptest::prelude::*;

    fn value(kind: FieldType) -> BoxedStrategy<FieldValue> {
        let text = || prop_oneof![".{0,20}", "[0-9]{1,5}", Just(String::new()), Just("a\0b".to_owned())];
        match kind {
            FieldType::Text => text().prop_map(FieldValue::Text).boxed(),
            FieldType::Name => text().prop_map(FieldValue::Name).boxed(),
            FieldType::Path => text().prop_map(FieldValue::Path).boxed(),
            FieldType::RegistryPath => text().prop_map(FieldValue::RegistryPath).boxed(),
            FieldType::Sid => text().prop_map(FieldValue::Sid).boxed(),
            FieldType::Guid => text().prop_map(FieldValue::Guid).boxed(),
            FieldType::Hash => text().prop_map(FieldValue::Hash).boxed(),
            FieldType::Bytes => text().prop_map(FieldValue::Bytes).boxed(),
            FieldType::Flag => any::<bool>().prop_map(FieldValue::Flag).boxed(),
            FieldType::Size => any::<u64>().prop_map(FieldValue::Size).boxed(),
            FieldType::Integer => {
                prop_oneof![any::<i64>().prop_map(i128::from), any::<u64>().prop_map(i128::from)]
                    .prop_map(FieldValue::Integer)
                    .boxed()
            }
            FieldType::List => proptest::collection::vec(".{0,9}", 0..4).prop_map(FieldValue::List).boxed(),
            FieldType::Time => prop_oneof![
                any::<u64>().prop_map(Time::from_filetime),
                (0u64..1 << 62).prop_map(Time::from_filetime),
                any::<i64>().prop_map(|seconds| Time {
                    utc: Utc::from_unix_nanoseconds(i128::from(seconds)),
                    raw: seconds.to_string(),
                    clock: Clock::CollectionCopy,
                    precision: Precision::Day,
                    zone: Some(AssumedZone::Utc),
                }),
            ]
            .prop_map(FieldValue::Time)
            .boxed(),
        }
    }

    fn record_of(table: &Table) -> BoxedStrategy<Record> {
        let span =
            || proptest::option::of((any::<u64>(), any::<u64>()).prop_map(|(a, b)| ByteSpan::new(a, b)));
        let fields: Vec<_> = table
            .columns
            .iter()
            .map(|column| {
                let values = proptest::sample::select(column.types.clone()).prop_flat_map(value);
                proptest::option::of((Just(column.name.clone()), values, span()))
            })
            .collect();
        let kind = table.name.clone();
        let damage = proptest::collection::vec((".{0,5}", any::<Option<u64>>()), 0..2);
        (fields, span(), proptest::option::of(".{0,5}"), ".{0,9}", damage)
            .prop_map(move |(fields, span, stream, path, damage)| Record {
                placement: None,
                defects: damage
                    .into_iter()
                    .map(|(what, offset)| Defect { path: path.clone(), offset, what })
                    .collect(),
                fields: fields
                    .into_iter()
                    .flatten()
                    .map(|(name, value, at)| (name, Field { at, value }))
                    .collect(),
                id: RecordId(0),
                kind: kind.clone(),
                locator: Locator { evidence: "e".to_owned(), path, stream, span },
            })
            .boxed()
    }

    fn back(records: &[Record]) -> Vec<Record> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("tables");
        let connection = create(&path, tables()).unwrap();
        let mut writer = Writer::new(&connection, tables().to_vec()).unwrap();
        let unit = Surveyed { origin: Origin::Entries, path: "", stream: None };
        let mut push = |out: &mut dyn Intake| {
            for record in records {
                assert!(out.push(record.clone()).is_continue());
            }
        };
        writer.unit(&unit, &mut push).unwrap();
        writer.finish().unwrap();
        let table = tables().iter().find(|table| table.name == records[0].kind).unwrap();
        let sql = format!("SELECT {} FROM {} ORDER BY _row", columns(table, ""), quoted(&table.name));
        let mut statement = connection.prepare(&sql).unwrap();
        let mut rows = statement.query([]).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            found.push(record(table, row, "e").unwrap());
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_record_comes_back_from_its_row_as_it_was(
            records in proptest::sample::select(tables().to_vec())
                .prop_flat_map(|table| proptest::collection::vec(record_of(&table), 1..20))
        ) {
            prop_assert_eq!(back(&records), records);
        }
    }
}
