//! Views over many tables: every time of every record, and every event of every log.

use super::cells::OF_COPY;
use super::schema::{Table, quoted};
use crate::units::sources;

/// A view over all tables that can contribute to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gathered {
    /// Its name.
    pub(super) name: &'static str,
    /// What one row is.
    pub(super) meaning: &'static str,
    /// Its own columns; those that name a row follow them.
    pub(super) columns: &'static [&'static str],
    gathers: fn(&Table) -> bool,
    select: fn(&Table) -> Vec<String>,
}

/// Both views.
pub(super) const GATHERED: [Gathered; 2] = [
    Gathered {
        name: "events",
        meaning: "an event of an event log, whatever table its record is in; `event` alone has those without a table of their own",
        columns: EVENT,
        gathers: is_event,
        select: event,
    },
    Gathered {
        name: "timeline",
        meaning: "one time of a record, as the host kept it; a record with several times has a row for each",
        columns: &["time", "event", "subject"],
        gathers: has_times,
        select: times,
    },
];

/// The columns of every event.
const EVENT: &[&str] = &["time", "event_id", "channel", "provider", "computer", "record_id"];

const BEHIND: &str = "_evidence, _row, _path, _source";

impl Gathered {
    /// Returns the view's statement; over no table it has no rows.
    pub(super) fn select(&self, tables: &[Table]) -> String {
        let of = tables.iter().filter(|table| (self.gathers)(table)).flat_map(self.select);
        of.collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// Checks whether it has rows of this table.
    pub(super) fn has(&self, table: &Table) -> bool {
        (self.gathers)(table)
    }
}

fn is_event(table: &Table) -> bool {
    EVENT.iter().all(|name| table.columns.iter().any(|column| column.name == *name))
}

fn event(table: &Table) -> Vec<String> {
    let (columns, name) = (EVENT.join(", "), &table.name);
    vec![format!("SELECT {columns}, '{name}' AS _table, {BEHIND} FROM {}", quoted(name))]
}

/// Checks whether a table's times belong in the view.
/// The history of each name in a change journal is already in the journal's own records, and findings about a whole log in the log's records.
fn has_times(table: &Table) -> bool {
    table.sources.iter().any(|source| sources().any(|origin| origin.source() == source))
}

/// Returns a SELECT for each host time that dates something there. A linker's time does not, and a key's time is listed with the key.
fn times(table: &Table) -> Vec<String> {
    let one = |name: &str| {
        // A record with a single time of its own is named by its type.
        let event = if name == "time" { &table.name } else { name };
        format!(
            "SELECT {field} AS time, '{event}' AS event, {subject} AS subject, '{kind}' AS _table, {BEHIND} FROM {table} WHERE {field} NOT LIKE '%{OF_COPY}'",
            field = quoted(name),
            subject = quoted(&table.subject),
            kind = table.name,
            table = quoted(&table.name),
        )
    };
    table.dated().map(|column| one(&column.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::schema::tables;
    use super::*;

    #[test]
    fn events_gathers_every_table_of_events_and_timeline_leaves_out_what_dates_nothing() {
        let [events, timeline] = GATHERED.map(|view| view.select(tables()));
        assert!(events.contains("FROM \"logon\"") && events.contains("FROM \"event\""));
        assert!(timeline.contains("'logon' AS event") && timeline.contains("'last_run' AS event"));
        assert!(timeline.contains("'deleted' AS event") && !timeline.contains("link_date"));
    }
}
