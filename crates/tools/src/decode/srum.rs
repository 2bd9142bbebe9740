//! SRUM: what the System Resource Usage Monitor of Windows 8 and later keeps of each application and account, for 30 to 60 days.
//!
//! One table of the database numbers the applications and accounts. Every other table belongs to a provider and is named by its GUID.
//! Sources: Yogesh Khatri, "Forensic implications of System Resource Usage Monitor (SRUM) data in Windows 8".
//! The column names are the database's own.

mod ids;
mod tables;

use super::{Decoder, Head, Source, ese_database, parts};
use crate::intake::Flow;
use artifacts::ese::{self, Database};
use evidence::ReadError;
use ids::Ids;
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;
use tables::{As, COMMON, OTHER, PROVIDERS, Provider};

pub(crate) const DECODER: Decoder = Decoder {
    name: "srum",
    about: "SRUM: which applications used processor, disk and network, under which account, hour by hour",
    names: &["SRUDB*.dat"],
    common_names: &[],
    fits,
    records,
    read,
};

/// The most columns of an unknown provider that a record lists.
const MOST_COLUMNS: usize = 64;

fn fits(head: &Head<'_>) -> bool {
    is_named(head.name) && ese_database::is_database(head)
}

/// Checks whether a file has the name of SRUM's database.
pub(super) fn is_named(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("srudb"))
}

/// Checks whether a database is SRUM's.
pub(super) fn holds(database: &Database<'_>) -> bool {
    database.table(ids::TABLE).is_some()
}

fn records() -> Vec<RecordType> {
    let types = PROVIDERS.iter().chain([&OTHER]);
    types.map(Provider::record_type).collect()
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = ese_database::bytes(source)?;
    let Some(database) = ese_database::opened(source, &bytes) else { return Ok(ControlFlow::Continue(())) };
    if !holds(&database) {
        source.damage(None, "expected the table SruDbIdMapTable, found none");
    }
    Ok(entries(source, &database))
}

/// Hands over the records of all providers.
pub(super) fn entries(source: &mut Source<'_, '_>, database: &Database<'_>) -> Flow {
    let ids = Ids::read(source, database)?;
    for table in &database.tables {
        if !table.name.starts_with('{') {
            continue;
        }
        let known = PROVIDERS.iter().find(|provider| provider.guid.eq_ignore_ascii_case(&table.name));
        let provider = known.unwrap_or(&OTHER);
        ese_database::each_row(source, database, table, |source, row| {
            entry(source, provider, &table.name, &ids, row)
        })?;
    }
    ControlFlow::Continue(())
}

fn entry(
    source: &mut Source<'_, '_>,
    provider: &Provider,
    table: &str,
    ids: &Ids,
    mut from: ese::Row<'_, '_>,
) -> Flow {
    let application = from.integer("AppId");
    let account = from.integer("UserId");
    let mut fields: Vec<(&str, FieldValue, Option<ledger::ByteSpan>)> = Vec::new();
    for (column, field, kind, _) in COMMON.iter().chain(provider.columns) {
        fields.extend(value(&mut from, column, *kind).map(|(value, at)| (*field, value, Some(at))));
    }
    let mut row = ese_database::located(source, provider.kind, &from)
        .field("provider", FieldValue::Guid(table.get(..38).unwrap_or(table).to_owned()));
    for (field, value, at) in fields {
        row = row.field_at(field, value, at);
    }
    row = match application {
        Some(number) => {
            row.field_at("application", ids.application(number.value), Some(parts::place(0, &number)))
        }
        None => row.field("application", FieldValue::Name("no AppId".to_owned())),
    };
    if let Some(number) = account {
        row = row.maybe("sid", ids.sid(number.value), Some(parts::place(0, &number)));
    }
    if provider.columns.is_empty() {
        row = row.field("values", FieldValue::List(others(&mut from)));
    }
    source.push(row)
}

/// Reads a column as a field value.
fn value(row: &mut ese::Row<'_, '_>, column: &str, kind: As) -> Option<(FieldValue, ledger::ByteSpan)> {
    if kind == As::Time {
        let found = row.filetime(column)?;
        return Some((tables::instant(found.value.0)?, parts::place(0, &found)));
    }
    let found = row.integer(column)?;
    let at = parts::place(0, &found);
    let number = found.value;
    let value = match kind {
        As::Integer => FieldValue::Integer(number),
        As::Filetime => {
            let ticks = u64::try_from(number).ok().filter(|ticks| *ticks > 0)?;
            FieldValue::Time(ledger::Time::from_filetime(ticks))
        }
        As::Time => return None,
    };
    Some((value, at))
}

/// Returns the columns of an unknown provider, with their numbers.
fn others(row: &mut ese::Row<'_, '_>) -> Vec<String> {
    let columns: Vec<_> = row.columns().iter().take(MOST_COLUMNS).map(|column| column.name.clone()).collect();
    let told = |name: String| row.integer(&name).map(|number| format!("{name}={}", number.value));
    columns.into_iter().filter_map(told).collect()
}

impl Provider {
    fn record_type(&self) -> RecordType {
        use FieldType::{Guid, List, Name, Path, Sid, Text};
        let mut fields: Vec<(&str, Vec<FieldType>, &str)> = vec![
            (
                "application",
                vec![Path, Name],
                "program, service or package, as the id map spells it; AppId and its number where it has no name there",
            ),
            ("sid", vec![Sid], "account it ran under"),
            ("provider", vec![Guid], "table it stands in"),
        ];
        let columns = COMMON.iter().chain(self.columns);
        fields.extend(columns.map(|(_, field, kind, meaning)| (*field, vec![kind.field_type()], *meaning)));
        if self.columns.is_empty() {
            fields.push(("values", vec![List, Text], "its columns with whole numbers"));
        }
        let fields: Vec<_> =
            fields.iter().map(|(name, types, meaning)| (*name, types.as_slice(), *meaning)).collect();
        crate::spec::record(self.kind, self.meaning, "application", &fields)
    }
}
