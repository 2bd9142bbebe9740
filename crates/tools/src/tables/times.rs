//! Reads the times of rows, from which a timeline is made.

use super::cells::{plain, restore};
use super::error::{TableError, sqlite};
use super::read::{Cells, record_at};
use super::replay::{Kept, around, can_say};
use super::schema::{Column, Table, quoted};
use crate::sink::Excluded;
use ledger::{Clock, FieldValue, Record, Utc};
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

/// A query for the times of rows.
pub(crate) struct TimesOf<'a> {
    /// The first instant; rows without an instant after it may be shown, too.
    pub(crate) from: Option<Utc>,
    /// The last one.
    pub(crate) to: Option<Utc>,
    /// Whether times of a copy count.
    pub(crate) copied: bool,
    /// Whether the times of a field count, by the record type and the field's name.
    pub(crate) counts: &'a dyn Fn(&str, &str) -> bool,
    /// Whether the subjects of records are needed.
    pub(crate) subjects: bool,
    /// Whether the kinds of events are needed: channel, provider and id.
    pub(crate) kinds: bool,
    /// What must not occur in a record.
    pub(crate) excluded: &'a Excluded,
    /// Whether a source is wanted, by its index among all.
    pub(crate) wants: &'a dyn Fn(usize) -> bool,
}

/// A row, and its times.
pub(crate) struct Times<'r> {
    /// The index of its table within the group.
    pub(crate) table: usize,
    /// Its number in the table.
    pub(crate) row: i64,
    /// The index of its source among all.
    pub(crate) source: usize,
    /// How many records of its source came before it.
    pub(crate) seq: i64,
    /// The path of its file.
    pub(crate) path: &'r str,
    /// The subject of its record, if subjects are needed.
    pub(crate) subject: Cow<'r, str>,
    /// The kind of event, if it is an event and kinds are needed: channel, provider and id.
    pub(crate) kind: [Cow<'r, str>; 3],
    /// The times with an instant; at least one.
    pub(crate) moments: &'r [Moment],
}

/// One time of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The instant, in nanoseconds since 1970.
    pub(crate) at: i128,
    /// Whether its zone is not known, so that the real instant may be hours off.
    pub(crate) is_local: bool,
}

impl Kept {
    /// Shows the rows of wanted sources that have a time in or near the span, until told to stop.
    ///
    /// # Errors
    ///
    /// If a row is not one that the pass writes, and if `show` fails.
    pub(crate) fn times<E: From<TableError>>(
        &self,
        of: &TimesOf<'_>,
        mut show: impl FnMut(Times<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let read = sqlite("read the times of rows");
        for (number, table) in self.tables.iter().enumerate() {
            let dated: Vec<_> =
                table.dated().filter(|column| (of.counts)(&table.name, &column.name)).collect();
            let (Some((first, last)), false) = (self.extent(number, of), dated.is_empty()) else { continue };
            let kinds = event_columns(table).filter(|_| of.kinds);
            let looked = if of.excluded.is_empty() { &[][..] } else { &table.columns };
            let behind: Vec<_> = kinds.iter().flatten().copied().chain(looked).collect();
            let sql = select(table, &dated, &behind, of);
            let mut statement = self.connection.prepare_cached(&sql).map_err(&read)?;
            let mut rows = statement.query([first, last]).map_err(&read)?;
            let mut moments = Vec::new();
            while let Some(row) = rows.next().map_err(&read)? {
                let timed = Timed { cells: Cells { table, row }, dated: &dated };
                let source = timed.source()?;
                if !(of.wants)(source) {
                    continue;
                }
                let exact: Exact = timed.cells.json(5)?.unwrap_or_default();
                timed.moments(&exact, of.copied, &mut moments)?;
                if moments.is_empty() {
                    continue;
                }
                let (row, seq) = (timed.number(0)?, timed.number(2)?);
                let path = timed.cells.text(3)?.unwrap_or_default();
                let kind_at = BEFORE + dated.len();
                let looked_at = kind_at + kinds.map_or(0, |kinds| kinds.len());
                if timed.can_say(path, &exact, (looked_at, looked), of.excluded)?
                    && of.excluded.holds(&self.record_of(number, row)?)
                {
                    continue;
                }
                let subject = if of.subjects { timed.subject(&exact)? } else { Cow::Borrowed("") };
                let kind = match &kinds {
                    Some(kinds) => timed.kind(&exact, kind_at, kinds)?,
                    None => Default::default(),
                };
                let moments = &moments;
                let times = Times { table: number, row, source, seq, path, subject, kind, moments };
                if show(times)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the record of a row of the table with this index.
    ///
    /// # Errors
    ///
    /// If there is no such row, or it has no record of its table.
    pub(crate) fn record_of(&self, table: usize, row: i64) -> Result<Record, TableError> {
        let none = |table: &str| {
            let what = "no such row".to_owned();
            TableError::Row { table: table.to_owned(), row, what }
        };
        let Some(table) = self.tables.get(table) else { return Err(none("")) };
        record_at(&self.connection, table, row, &self.label)?.ok_or_else(|| none(&table.name))
    }

    /// Returns the subject field of the table with this index.
    pub(crate) fn subject_of(&self, table: usize) -> Option<&str> {
        self.tables.get(table).map(|table| table.subject.as_str())
    }

    /// Returns the first and the last row of a table that belong to a wanted source.
    fn extent(&self, table: usize, of: &TimesOf<'_>) -> Option<(i64, i64)> {
        let sources = self.sources().iter().enumerate().filter(|(place, _)| (of.wants)(*place));
        let extents = sources.flat_map(|(_, source)| &source.extents).filter(|(of, ..)| *of == table);
        extents.fold(None, |all, (_, first, last)| {
            Some(all.map_or((*first, *last), |(low, high): (i64, i64)| (low.min(*first), high.max(*last))))
        })
    }
}

/// Returns the columns that identify the kind of an event; `None` if the table's records are not events.
fn event_columns(table: &Table) -> Option<[&Column; 3]> {
    let column = |name: &str| table.columns.iter().find(|column| column.name == name);
    Some([column("channel")?, column("provider")?, column("event_id")?])
}

/// Values that the columns of a row do not represent fully, by column.
type Exact = BTreeMap<String, FieldValue>;

/// The columns before those of the times.
const BEFORE: usize = 6;

fn select(table: &Table, dated: &[&Column], behind: &[&Column], of: &TimesOf<'_>) -> String {
    let subject = if of.subjects { quoted(&table.subject) } else { "NULL".to_owned() };
    let mut sql = format!("SELECT _row, _source, _seq, _path, {subject}, _exact");
    let names: Vec<_> = dated.iter().map(|column| quoted(&column.name)).collect();
    // Writing to a string cannot fail.
    names.iter().for_each(|name| {
        let _ = write!(sql, ", {name}");
    });
    behind.iter().for_each(|column| {
        let _ = write!(sql, ", {}", quoted(&column.name));
    });
    let _ = write!(sql, " FROM e0.{} WHERE _row BETWEEN ? AND ?", quoted(&table.name));
    let any = |(from, to): (String, String)| {
        let within: Vec<_> = names.iter().map(|name| format!("{name} BETWEEN '{from}' AND '{to}'")).collect();
        within.join(" OR ")
    };
    let condition = match (of.from, of.to) {
        (None, None) => any((String::new(), LAST.to_owned())),
        (from, to) => {
            let (exact, plain) = (any(around(from, to)), any(bounds(from, to)));
            format!("CASE WHEN _exact IS NULL THEN {plain} ELSE {exact} END")
        }
    };
    let _ = write!(sql, " AND ({condition}) ORDER BY _row");
    sql
}

/// A text that sorts after the texts of all times.
const LAST: &str = "~";

/// Returns a span as texts of plain times, which have every digit: all times within it sort between these.
fn bounds(from: Option<Utc>, to: Option<Utc>) -> (String, String) {
    // Trailing zeros of a fraction may be present or not.
    let text = |utc: Utc| {
        let text = utc.to_string();
        let text = text.trim_end_matches('Z');
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
        text.to_owned()
    };
    let from = from.map(text).filter(|text| !text.starts_with('-')).unwrap_or_default();
    let to = to.map(text).filter(|text| !text.starts_with('-')).unwrap_or_default();
    (from, to + LAST)
}

/// The cells of a row from [`select`].
struct Timed<'r> {
    cells: Cells<'r>,
    dated: &'r [&'r Column],
}

impl<'r> Timed<'r> {
    fn number(&self, index: usize) -> Result<i64, TableError> {
        self.cells.cell(index)?.as_i64().map_err(|_| self.cells.wrong("expected a whole number"))
    }

    /// Returns the index of its source: sources have the numbers 1, 2 and so on.
    fn source(&self) -> Result<usize, TableError> {
        usize::try_from(self.number(1)? - 1).map_err(|_| self.cells.wrong("no number of a source"))
    }

    fn moments(&self, exact: &Exact, copied: bool, moments: &mut Vec<Moment>) -> Result<(), TableError> {
        moments.clear();
        for (index, column) in self.dated.iter().enumerate() {
            let Some(text) = self.cells.text(BEFORE + index)? else { continue };
            let time = match exact.get(&column.name) {
                Some(FieldValue::Time(time)) => Cow::Borrowed(time),
                Some(_) => continue,
                None => {
                    Cow::Owned(plain(text).ok_or_else(|| self.cells.wrong("no instant where one is due"))?)
                }
            };
            let counts = copied || time.clock == Clock::Host;
            let at = time.utc.filter(|_| counts).map(Utc::unix_nanoseconds);
            moments.extend(at.map(|at| Moment { at, is_local: time.zone.is_some() }));
        }
        Ok(())
    }

    fn subject(&self, exact: &Exact) -> Result<Cow<'r, str>, TableError> {
        let table = self.cells.table;
        match table.columns.iter().find(|column| column.name == table.subject) {
            Some(column) => self.text_of(exact, 4, column),
            None => Ok(Cow::Borrowed("")),
        }
    }

    /// Returns the kind of the event, from the cells of these columns, starting at `at`.
    fn kind(
        &self,
        exact: &Exact,
        at: usize,
        columns: &[&Column; 3],
    ) -> Result<[Cow<'r, str>; 3], TableError> {
        let [channel, provider, id] = columns;
        let text = |index: usize, column| self.text_of(exact, at + index, column);
        Ok([text(0, channel)?, text(1, provider)?, text(2, id)?])
    }

    /// Returns the text of a cell's value; empty if there is none.
    fn text_of(&self, exact: &Exact, index: usize, column: &Column) -> Result<Cow<'r, str>, TableError> {
        let owned = |value: &FieldValue| Cow::Owned(value.to_text().into_owned());
        match (exact.get(&column.name), self.cells.cell(index)?) {
            (Some(value), _) => Ok(owned(value)),
            (None, ValueRef::Null) => Ok(Cow::Borrowed("")),
            (None, cell) => {
                let wrong = || self.cells.wrong(&format!("no value of {}", column.name));
                Ok(owned(&restore(cell, column).ok_or_else(wrong)?))
            }
        }
    }

    /// Checks whether the row can contain what is excluded; the record itself decides.
    fn can_say(
        &self,
        path: &str,
        exact: &Exact,
        (at, columns): (usize, &[Column]),
        excluded: &Excluded,
    ) -> Result<bool, TableError> {
        if excluded.is_empty() {
            return Ok(false);
        }
        if !exact.is_empty() || excluded.is_in(path) {
            return Ok(true);
        }
        for (index, column) in columns.iter().enumerate() {
            let cell = self.cells.cell(at + index)?;
            if cell != ValueRef::Null && can_say(cell, column, excluded.texts()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::Time;
    use proptest::prelude::*;

    /// Generates FILETIMEs within some days, many of them with few digits after the second.
    fn ticks() -> impl Strategy<Value = u64> {
        let start = 129_779_783_200_000_000u64;
        (0u64..3_000_000, 0u32..8).prop_map(move |(number, zeros)| start + number * 10u64.pow(zeros))
    }

    proptest! {
        #[test]
        fn the_text_of_every_plain_time_within_a_span_lies_between_its_bounds(mut three in [ticks(), ticks(), ticks()]) {
            three.sort_unstable();
            let [from, within, to] = three.map(Time::from_filetime);
            let text = within.to_text();
            let text = text.trim_end_matches('Z');
            for (from, to) in [(from.utc, to.utc), (within.utc, within.utc), (from.utc, None), (None, to.utc)] {
                let (first, last) = bounds(from, to);
                prop_assert!(first.as_str() <= text && text <= last.as_str(), "{first} {text} {last}");
            }
        }
    }
}
