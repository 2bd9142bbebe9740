//! ESE databases in general: opening them, and records for databases that no other decoder knows.

use super::{Decoder, Head, Source, parts, srum, web_cache};
use crate::intake::Flow;
use crate::spec;
use artifacts::Damage;
use artifacts::ese::{Database, Header, Rows, State, Table, page_size};
use evidence::ReadError;
use ledger::FieldType::{Integer, List, Name, Path};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "ese_table";

/// The largest database that is read.
const LARGEST: u64 = 512 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "ese_database",
    about: "tables of an ESE database, and what SRUM and WebCache databases hold under any name",
    names: &["*.edb", "qmgr.db"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    is_database(head) && !(srum::is_named(head.name) || web_cache::is_named(head.name))
}

/// Checks whether a file begins as an ESE database.
pub(super) fn is_database(head: &Head<'_>) -> bool {
    page_size(head.bytes).is_some()
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a table of an ESE database, of which only the records are counted",
        "table_path",
        &[
            ("table_path", &[Path], "path of the database in the evidence, / and the name of the table"),
            ("name", &[Name], "name of the table"),
            ("columns", &[List], "names of its columns"),
            ("rows", &[Integer], "number of its records, without those marked as deleted"),
            ("root_page", &[Integer], "page where its tree begins"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LARGEST)?;
    let Some(database) = opened(source, &bytes) else { return Ok(ControlFlow::Continue(())) };
    if srum::holds(&database) {
        return Ok(srum::entries(source, &database));
    }
    if web_cache::holds(&database) {
        return Ok(web_cache::entries(source, &database));
    }
    for table in &database.tables {
        if table.name.is_empty() {
            continue;
        }
        let mut rows = database.rows(table);
        let count = rows.by_ref().count();
        tell(source, &mut rows);
        let path = format!("{}/{}", source.node.path, table.name);
        let columns = table.columns.iter().map(|column| column.name.clone()).collect();
        let row = source
            .row(KIND, None)
            .field("table_path", FieldValue::Path(path))
            .field("name", FieldValue::Name(table.name.clone()))
            .field("columns", FieldValue::List(columns))
            .field("rows", FieldValue::Integer(count as i128))
            .field("root_page", FieldValue::Integer(table.root.into()));
        if source.push(row).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Reads all bytes of a database.
pub(super) fn bytes(source: &Source<'_, '_>) -> Result<Vec<u8>, ReadError> {
    source.bytes(LARGEST)
}

/// Opens a database and reports what is wrong with it.
pub(super) fn opened<'d>(source: &mut Source<'_, '_>, bytes: &'d [u8]) -> Option<Database<'d>> {
    let database = Database::open(bytes)?;
    let Header { state, .. } = database.header;
    match state {
        State::Clean | State::Created => {}
        State::Dirty => source
            .gap("the database was not closed cleanly: changes that stand in its logs only are not read"),
        State::Converting | State::Detached | State::Unknown(_) => {
            source.gap(format!("the database was left in an unusual state: {state:?}"));
        }
    }
    database.damage.iter().for_each(|damage| hidden(source, damage));
    Some(database)
}

/// Reports the damage of the pages read so far.
pub(super) fn tell(source: &mut Source<'_, '_>, rows: &mut Rows<'_, '_>) {
    rows.take_damage().iter().for_each(|damage| hidden(source, damage));
}

fn hidden(source: &mut Source<'_, '_>, damage: &Damage) {
    source.damage(Some(damage.offset as u64), damage.what);
}

/// Hands every record of a table to `each`, and reports what is wrong with its pages.
pub(super) fn each_row<'b, 'd>(
    source: &mut Source<'_, '_>,
    database: &'b Database<'d>,
    table: &'b Table<'d>,
    mut each: impl FnMut(&mut Source<'_, '_>, artifacts::ese::Row<'b, 'd>) -> Flow,
) -> Flow {
    let mut rows = database.rows(table);
    for row in rows.by_ref() {
        each(source, row)?;
    }
    tell(source, &mut rows);
    ControlFlow::Continue(())
}

/// Begins a record located at a record of a table, with the damage found there.
pub(super) fn located(
    source: &Source<'_, '_>,
    kind: &str,
    row: &artifacts::ese::Row<'_, '_>,
) -> crate::row::Row {
    let (offset, length) = row.place();
    source.row(kind, Some(ledger::ByteSpan::new(offset as u64, length as u64))).defects(parts::defects(
        source,
        0,
        &row.damage,
    ))
}
