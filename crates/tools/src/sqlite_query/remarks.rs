//! Notes on the parts of a result that are not rows of a table.

use super::claims::Claim;
use super::statement::Answer;
use super::verify::Found;
use crate::sqlite_file::short;

/// The most rows of which computed values are shown.
const MOST_ROWS: usize = 20;

/// Returns the note on values that are not together in one row.
pub(crate) fn unverified(claim: &Claim, found: &Found) -> Option<String> {
    if found.unverified == 0 {
        return None;
    }
    let (table, count) = (&claim.table.name, found.unverified);
    Some(short(format!(
        "{count} rows of the result put values under columns of {table:?} that do not stand together in one of its rows (a UNION, a self-join, a computed value): no records of them; select one table at a time"
    )))
}

/// Returns the note on a table of which the result has only NULLs.
pub(crate) fn empty(claim: &Claim, found: &Found) -> Option<String> {
    let none = found.rows.iter().all(Option::is_none) && found.unverified == 0;
    (none && found.empty > 0).then(|| {
        let (table, count) = (&claim.table.name, found.empty);
        short(format!("{count} rows of the result hold only NULL in the columns of {table:?}, which shows no row: select its primary key, too"))
    })
}

/// Returns the note with the values of computed columns.
pub(crate) fn computed(answer: &Answer, tables: &[Claim]) -> Option<String> {
    let claimed = |place: &usize| {
        tables.iter().flat_map(|claim| &claim.columns).any(|column| column.places.contains(place))
    };
    let places: Vec<_> = (0..answer.names.len()).filter(|place| !claimed(place)).collect();
    if places.is_empty() || answer.rows.is_empty() {
        return None;
    }
    let mut lines = Vec::new();
    for row in answer.rows.iter().take(MOST_ROWS) {
        let values = places.iter().filter_map(|place| {
            Some(format!("{} = {}", answer.names.get(*place)?, row.get(*place)?.shown()))
        });
        lines.push(values.collect::<Vec<_>>().join(", "));
    }
    let more = if answer.rows.len() > MOST_ROWS { "; …" } else { "" };
    Some(short(format!("computed columns, which prove nothing: {}{more}", lines.join("; "))))
}
