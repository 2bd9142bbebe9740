//! CSV tables (RFC 4180, UTF-8): one of facts, and one of the times that they state.
//!
//! A row is what an examiner sorts, filters and marks: a fact in the first table, a time in the second.
//! Therefore all values of a fact are in one cell. The tier, span and writer of each value are in the JSON report;
//! the table has the weakest of them.

use crate::Written;
use crate::times::{Standing, bound, precision_name, standing, times};
use crate::view::{View, healed_from, tier_name, value_text, weakest, writer_name};
use csv::{Terminator, WriterBuilder};
use detect::Attack;
use graph::Run;
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, FactEntry, TaskId, Time};
use std::borrow::Cow;
use std::io::{self, Write};

const FACTS: [&str; 27] = [
    "fact",
    "task",
    "agent",
    "predicate",
    "subject",
    "values",
    "answers",
    "techniques",
    "host",
    "account",
    "evidence",
    "path",
    "stream",
    "offset",
    "length",
    "record_type",
    "tier",
    "writer",
    "healed_from",
    "shown",
    "tool",
    "invocation",
    "record",
    "output_sha256",
    "output_offset",
    "output_length",
    "run",
];

/// Writes one row for each fact, in the order of tasks and acceptance.
pub fn facts_csv(run: &Run, attack: &Attack, out: &mut impl Write) -> io::Result<Written> {
    let view = View::new(run, attack);
    let mut table = Table::begin(out, &FACTS)?;
    for (task, accepted) in run.facts() {
        table.row(&fact_row(&view, task, accepted))?;
    }
    table.end()
}

fn fact_row<'f>(
    view: &'f View<'_>,
    task: TaskId,
    accepted: &'f ClaimAccepted,
) -> [Cow<'f, str>; FACTS.len()] {
    let fact = &accepted.fact;
    let [evidence, path, stream, offset, length] = place(fact);
    [
        fact.id.to_string().into(),
        task.to_string().into(),
        view.agent(task).into(),
        fact.predicate.0.as_str().into(),
        value_text(&fact.subject),
        values(fact).into(),
        view.answered(fact.id).join("; ").into(),
        view.technique_ids(fact).into(),
        view.host(fact).into(),
        view.account(fact),
        evidence,
        path,
        stream,
        offset,
        length,
        fact.kind.as_str().into(),
        tier_name(weakest(fact)).into(),
        writer_name(fact).into(),
        healed_from(accepted).into(),
        if fact.shown { "yes" } else { "no" }.into(),
        view.tool(fact).into(),
        fact.invocation.to_string().into(),
        fact.record.to_string().into(),
        view.output(fact).into(),
        fact.subject.span.offset.to_string().into(),
        fact.subject.span.length.to_string().into(),
        view.run.name().to_owned().into(),
    ]
}

/// Formats the values other than the subject as `field=value; …`.
fn values(fact: &FactEntry) -> String {
    let said = bound(fact).skip(1).map(|value| format!("{}={}", value.field, delimited(&value_text(value))));
    said.collect::<Vec<_>>().join("; ")
}

/// Quotes a value that could be read as several, doubling its quotation marks.
fn delimited(text: &str) -> Cow<'_, str> {
    match text.contains([';', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// Returns evidence, path, stream, and the record's own bytes in that file.
fn place(fact: &FactEntry) -> [Cow<'_, str>; 5] {
    let locator = &fact.locator;
    let (offset, length) = locator.span.map_or_else(Default::default, |span| {
        (Cow::Owned(span.offset.to_string()), Cow::Owned(span.length.to_string()))
    });
    let stream = locator.stream.as_deref().unwrap_or_default();
    [locator.evidence.as_str().into(), locator.path.as_str().into(), stream.into(), offset, length]
}

const TIMELINE: [&str; 29] = [
    "time",
    "zone",
    "earliest_utc",
    "latest_utc",
    "precision",
    "clock",
    "field",
    "meaning",
    "predicate",
    "subject",
    "values",
    "record_type",
    "host",
    "account",
    "evidence",
    "path",
    "stream",
    "offset",
    "length",
    "fact",
    "task",
    "agent",
    "answers",
    "techniques",
    "writer",
    "invocation",
    "record",
    "raw",
    "run",
];

/// Writes one row for each time that a fact states, in chronological order; times that name no instant come last.
pub fn timeline_csv(run: &Run, attack: &Attack, out: &mut impl Write) -> io::Result<Written> {
    let view = View::new(run, attack);
    let mut rows: Vec<(TaskId, &FactEntry, &BoundValue, &Time)> = run
        .facts()
        .flat_map(|(task, accepted)| {
            let fact = &accepted.fact;
            times(fact).map(move |(value, time)| (task, fact, value, time))
        })
        .collect();
    // The sort is stable: equal instants keep the order of their facts.
    rows.sort_by_key(|(_, _, _, time)| (time.utc.is_none(), time.utc));
    let mut table = Table::begin(out, &TIMELINE)?;
    for (task, fact, value, time) in rows {
        table.row(&time_row(&view, task, fact, value, time))?;
    }
    table.end()
}

fn time_row<'f>(
    view: &'f View<'_>,
    task: TaskId,
    fact: &'f FactEntry,
    value: &'f BoundValue,
    time: &'f Time,
) -> [Cow<'f, str>; TIMELINE.len()] {
    let [evidence, path, stream, offset, length] = place(fact);
    let (earliest, latest) = time.bounds().map_or_else(Default::default, |(from, to)| {
        (from.to_text(time.precision), to.to_text(time.precision))
    });
    let (zone, clock) = match standing(time) {
        Standing::Instant(_) => ("UTC", "host"),
        Standing::OfCopy => ("UTC", "the machine that holds the copy, not the host"),
        Standing::Local => ("not known: local time", "host"),
        Standing::NoInstant => ("", ""),
    };
    [
        if time.utc.is_some() { time.to_text().into() } else { "".into() },
        zone.into(),
        earliest.into(),
        latest.into(),
        precision_name(time.precision).into(),
        clock.into(),
        value.field.as_str().into(),
        view.meaning(&fact.kind, &value.field).into(),
        fact.predicate.0.as_str().into(),
        value_text(&fact.subject),
        values(fact).into(),
        fact.kind.as_str().into(),
        view.host(fact).into(),
        view.account(fact),
        evidence,
        path,
        stream,
        offset,
        length,
        fact.id.to_string().into(),
        task.to_string().into(),
        view.agent(task).into(),
        view.answered(fact.id).join("; ").into(),
        view.technique_ids(fact).into(),
        writer_name(fact).into(),
        fact.invocation.to_string().into(),
        fact.record.to_string().into(),
        time.raw.as_str().into(),
        view.run.name().into(),
    ]
}

/// A table under construction.
struct Table<W: Write> {
    rows: csv::Writer<W>,
    count: u64,
}

/// A cell of a table that does not come from a run.
#[derive(Debug, Clone)]
pub enum CsvCell<'c> {
    /// A number, written unchanged.
    Number(String),
    /// A text, written on one line and never as a formula.
    Text(&'c str),
}

/// Writes rows below a header.
pub fn rows_csv<'c>(
    header: &[String],
    rows: impl Iterator<Item = Vec<CsvCell<'c>>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let header: Vec<_> = header.iter().map(|name| cell(name)).collect();
    let header: Vec<_> = header.iter().map(AsRef::as_ref).collect();
    let mut table = Table::begin(out, &header)?;
    for row in rows {
        let cells = row.into_iter().map(|value| match value {
            CsvCell::Number(digits) => digits.into_bytes(),
            CsvCell::Text(text) => cell(text).into_owned().into_bytes(),
        });
        table.rows.write_record(cells)?;
    }
    table.end().map(|_| ())
}

impl<W: Write> Table<W> {
    fn begin(out: W, header: &[&str]) -> io::Result<Table<W>> {
        let mut rows = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
        rows.write_record(header)?;
        Ok(Table { rows, count: 0 })
    }

    fn row(&mut self, cells: &[Cow<'_, str>]) -> io::Result<()> {
        self.rows.write_record(cells.iter().map(|text| cell(text).into_owned().into_bytes()))?;
        self.count += 1;
        Ok(())
    }

    fn end(mut self) -> io::Result<Written> {
        self.rows.flush()?;
        Ok(Written { items: self.count, ..Written::default() })
    }
}

/// Formats text as a cell on one line that no spreadsheet reads as a formula, at any position where it can start a cell.
///
/// Unprintable characters, letters that imitate those next to them, and repeated blanks become `\u{…}`.
/// A `'` is put before the start of a formula (OWASP, "CSV Injection": `= + - @`, tab, carriage return, and full-width forms),
/// and also after a `;`, which starts a new cell in some language settings.
fn cell(text: &str) -> Cow<'_, str> {
    if !begins_formula(text) && !text.contains(';') {
        let shown = graph::value_text(text);
        return if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) };
    }
    let mut safe = String::with_capacity(text.len() + 1);
    let mut rest = text;
    loop {
        let (piece, after) = rest.split_once(';').map_or((rest, None), |(piece, after)| (piece, Some(after)));
        if begins_formula(piece) {
            safe.push('\'');
        }
        safe.push_str(&graph::value_text(piece));
        let Some(after) = after else { return Cow::Owned(safe) };
        safe.push(';');
        rest = after;
    }
}

/// Checks whether text begins like a formula, ignoring blanks and quotation marks.
fn begins_formula(text: &str) -> bool {
    let start = text.trim_start_matches([' ', '"', '\'', '\u{a0}']);
    start.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_reads_like_several_stands_in_quotes_and_a_written_escape_is_told_from_a_character() {
        assert_eq!(delimited("C:\\a.exe"), "C:\\a.exe");
        assert_eq!(delimited("C:\\a.exe; start=2"), "\"C:\\a.exe; start=2\"");
        assert_eq!(delimited("a\"b"), "\"a\"\"b\"");
        assert_ne!(cell("C:\\x\u{202e}a"), cell(r"C:\x\u{202e}a"));
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_text() {
        for (text, safe) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\\u{9}=1"),
            ("\r=1", "'\\u{d}=1"),
            (" =1", "' =1"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("a;=cmd|' /C calc'!A0", "a;'=cmd|' /C calc'!A0"),
            ("a;\"=cmd", "a;'\"=cmd"),
            ("a; b=c", "a; b=c"),
            ("a-b=c", "a-b=c"),
            ("", ""),
        ] {
            assert_eq!(cell(text), safe, "{text:?}");
        }
    }

    #[test]
    fn a_cell_is_one_line_and_shows_what_hides() {
        assert_eq!(cell("a\r\nb\u{202e}c\u{0}"), "a\\u{d}\\u{a}b\\u{202e}c\\u{0}");
    }
}
