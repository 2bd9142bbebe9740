//! Views over all tables of a kind: every time of every record, and every event of every log.

use super::cells::OF_COPY;
use super::schema::{Table, quoted};
use crate::units::sources;

/// A view over all tables that have what it tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gathered {
    /// Its name.
    pub(super) name: &'static str,
    /// What one row is.
    pub(super) meaning: &'static str,
    /// Its own columns; those that name a row stand behind them.
    pub(super) columns: &'static [&'static str],
    gathers: fn(&Table) -> bool,
    select: fn(&Table) -> Vec<String>,
}

/// Both of them.
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

/// What every event has.
const EVENT: &[&str] = &["time", "event_id", "channel", "provider", "computer", "record_id"];

const BEHIND: &str = "_evidence, _row, _path, _source";

impl Gathered {
    /// The view's statement; one over no table has no rows.
    pub(super) fn select(&self, tables: &[Table]) -> String {
        let of = tables.iter().filter(|table| (self.gathers)(table)).flat_map(self.select);
        of.collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// Whether it has rows of this table.
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

/// What became of each name of a change journal stands in the journal's own records, and what a log tells as a whole in the log's.
fn has_times(table: &Table) -> bool {
    table.sources.iter().any(|source| sources().any(|origin| origin.source() == source))
}

/// The times of the host that date something there: a linker's does not, and that of a key stands with the key.
fn times(table: &Table) -> Vec<String> {
    let one = |name: &str| {
        // What has one time of its own is called by what it is.
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
