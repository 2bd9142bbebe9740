//! Checks whether the rows that a result claims are rows of the table.

use super::cell::{Cell, append};
use super::claims::{Claim, Claimed};
use super::statement::Answer;
use crate::sqlite_file::table::quote;
use rusqlite::{Connection, Error};
use std::collections::HashMap;

/// The result of scanning one table.
#[derive(Default)]
pub(crate) struct Found {
    /// For each row of the result, the table row with its values.
    pub(crate) rows: Vec<Option<Real>>,
    /// How many result rows have values that are not together in one table row.
    pub(crate) unverified: usize,
    /// How many result rows have only NULLs for the table, as an outer join makes.
    pub(crate) empty: usize,
    /// Why the table was not read to its end.
    pub(crate) stopped: Option<Error>,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Real {
    /// The rowid, or the primary key.
    pub(crate) identity: Vec<Cell>,
    /// The values of the claimed columns, in their order.
    pub(crate) values: Vec<Cell>,
    /// How many rows of the table have exactly these values.
    pub(crate) equal: u64,
    /// Whether the same row is in the checkpointed state; `None` if that was not checked.
    pub(crate) checkpointed: Option<bool>,
}

/// The table rows with the values of one key.
#[derive(Default)]
struct Wanted {
    /// How often the result asks for them.
    asked: usize,
    /// The first of them, at most `asked`.
    identities: Vec<Vec<Cell>>,
    /// How many there are.
    equal: u64,
}

/// Looks for the claimed rows in the table.
///
/// If several table rows are equal in the claimed columns, the first result row stands for the first table row, and so on.
pub(crate) fn verify(connection: &Connection, claim: &Claim, answer: &Answer) -> Found {
    let mut found = Found::default();
    let mut wanted: HashMap<Vec<u8>, Wanted> = HashMap::new();
    let tuples: Vec<_> = answer.rows.iter().map(|row| Tuple::of(row, &claim.columns)).collect();
    for tuple in &tuples {
        match tuple {
            Tuple::Values { key, .. } => wanted.entry(key.clone()).or_default().asked += 1,
            Tuple::Mixed => found.unverified += 1,
            Tuple::Empty => found.empty += 1,
        }
    }
    if !wanted.is_empty() {
        found.stopped = scan(connection, claim, &mut wanted).err();
    }
    let mut given: HashMap<&[u8], usize> = HashMap::new();
    for tuple in &tuples {
        let Tuple::Values { key, values } = tuple else {
            found.rows.push(None);
            continue;
        };
        let place = given.entry(key).or_default();
        let held = wanted.get(key).filter(|held| held.equal > 0);
        let identity = held.and_then(|held| held.identities.get(*place));
        *place += 1;
        found.unverified += usize::from(held.is_none());
        found.rows.push(held.zip(identity).map(|(held, identity)| Real {
            identity: identity.clone(),
            values: values.clone(),
            equal: held.equal,
            checkpointed: None,
        }));
    }
    found
}

/// What one result row says about a table.
enum Tuple {
    Values {
        key: Vec<u8>,
        values: Vec<Cell>,
    },
    /// One column with two values: not a single row.
    Mixed,
    Empty,
}

impl Tuple {
    fn of(row: &[Cell], columns: &[Claimed]) -> Tuple {
        let mut values = Vec::with_capacity(columns.len());
        for column in columns {
            let mut cells = column.places.iter().filter_map(|place| row.get(*place));
            let Some(first) = cells.next() else { return Tuple::Mixed };
            if cells.any(|other| other != first) {
                return Tuple::Mixed;
            }
            values.push(first.clone());
        }
        if values.iter().all(|value| *value == Cell::Null) {
            return Tuple::Empty;
        }
        let mut key = Vec::new();
        values.iter().for_each(|value| value.key(&mut key));
        Tuple::Values { key, values }
    }
}

/// Reads the whole table: rowid or key, and the claimed columns.
fn scan(connection: &Connection, claim: &Claim, wanted: &mut HashMap<Vec<u8>, Wanted>) -> Result<(), Error> {
    let identity = claim.table.identity_columns();
    let columns = claim.columns.iter().map(|column| expression(column, &identity));
    let expressions: Vec<_> = identity.iter().cloned().chain(columns).collect();
    let mut statement = connection.prepare(&claim.table.select(&expressions, ""))?;
    let mut rows = statement.raw_query();
    let mut key = Vec::new();
    let mut missing = wanted.len();
    while let Some(row) = rows.next()? {
        key.clear();
        for index in identity.len()..expressions.len() {
            append(row.get_ref(index)?, &mut key);
        }
        let Some(held) = wanted.get_mut(&key) else { continue };
        missing -= usize::from(held.equal == 0);
        held.equal += 1;
        if held.identities.len() < held.asked {
            let parts = (0..identity.len()).map(|index| row.get_ref(index).map(Cell::of));
            held.identities.push(parts.collect::<Result<_, _>>()?);
        }
        // A rowid occurs in the table only once.
        if missing == 0 && claim.names_row() {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the SQL expression for a claimed column.
pub(crate) fn expression(column: &Claimed, identity: &[String]) -> String {
    match identity.first().filter(|_| column.is_rowid) {
        Some(rowid) => rowid.clone(),
        None => quote(&column.name),
    }
}
