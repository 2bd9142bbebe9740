//! `timeline_histogram`: how many times each source has in each hour, day or month.
//!
//! Buckets are always whole: the ends of the span that is asked for only choose among them, so that no argument is in a count.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
use crate::place;
use crate::returned::Return;
use crate::row::Row;
use crate::span::Span;
use crate::spec;
use crate::ticks::{SECOND, ticks, utc};
use crate::timeline::{Asked, Line, Lines, Sources};
use ledger::FieldType::{Integer, Name, Time as TimeType};
use ledger::{Clock, FieldValue, Precision, Record, RecordType, Time, ToolSpec, Utc};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const KIND: &str = "time_bucket";

/// The most buckets that are counted in one call.
const MOST: usize = 1_000_000;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "timeline_histogram",
        "Counts the times of all sources by hour, day or month in UTC, source by source; buckets without any are not given. A file has several times, and each counts. Times of copies are not counted, nor local times whose zone is not known.",
        vec![
            ("by", by()),
            ("from", spec::instant("an instant in the first bucket")),
            ("to", spec::instant("an instant in the last bucket")),
            ("source", spec::text_or(&Sources::about(), "all")),
            ("evidence", spec::text("label of the evidence to look at; all when left out")),
            ("limit", spec::number("most buckets to return", 1000, 1, 10_000)),
            ("offset", spec::offset()),
        ],
        &[],
        vec![record_type()],
    )
}

fn by() -> serde_json::Value {
    let mut schema = spec::choice("length of a bucket", &["hour", "day", "month"]);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("default".to_owned(), "day".into());
    }
    schema
}

fn record_type() -> RecordType {
    spec::record(
        KIND,
        "how many times of the host one source of a piece of evidence has in one hour, day or month; an entry of a folder has up to eight, other records mostly one: it is no number of events",
        "source",
        &[
            ("source", &[Name], "the source, as timeline names it"),
            ("from", &[TimeType], "first instant of the bucket"),
            ("to", &[TimeType], "last instant of the bucket"),
            ("length", &[Name], "hour, day or month"),
            ("count", &[Integer], "how many times"),
        ],
    )
}

/// The length of a bucket.
#[derive(Clone, Copy)]
enum Length {
    Hour,
    Day,
    Month,
}

impl Length {
    fn read(text: &str) -> Length {
        match text {
            "hour" => Length::Hour,
            "month" => Length::Month,
            _ => Length::Day,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Length::Hour => "hour",
            Length::Day => "day",
            Length::Month => "month",
        }
    }

    /// Returns the bucket of an instant: its first instant, and the first one after it.
    fn around(self, at: i64) -> Option<(i64, i64)> {
        let fixed = |seconds: i64| {
            let length = seconds * SECOND;
            let start = at.checked_sub(at.rem_euclid(length))?;
            Some((start, start.checked_add(length)?))
        };
        match self {
            Length::Hour => fixed(3600),
            Length::Day => fixed(86_400),
            Length::Month => {
                let text = utc(at)?.to_text(Precision::Second);
                let mut parts = text.split('-');
                let year: i16 = parts.next()?.parse().ok()?;
                let month: i16 = parts.next()?.parse().ok()?;
                let first = |year, month| {
                    let utc = Utc::from_date_and_time([year, month, 1], [0, 0, 0], 0)?;
                    Some(ticks(utc))
                };
                let next = if month == 12 { first(year.checked_add(1)?, 1) } else { first(year, month + 1) };
                // There is no instant after the last month.
                Some((first(year, month)?, next.unwrap_or(i64::MAX)))
            }
        }
    }
}

/// Returns the last step that is an instant: there is none after 9999-12-30T22:00:00.9999999Z.
fn last() -> i64 {
    Utc::from_date_and_time([9999, 12, 30], [22, 0, 0], 999_999_900).map_or(i64::MAX, ticks)
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let length = Length::read(arguments.text("by")?);
    let scope = place::under(call.trees, arguments.optional_text("evidence"), "")?;
    let Span { from, to } = Span::read(arguments, "from", "to")?;
    let ends = |at: Option<Utc>| at.and_then(|at| length.around(ticks(at)));
    let from = ends(from).map_or(from, |(first, _)| utc(first));
    let to = ends(to).map_or(to, |(_, behind)| utc(behind - 1));
    let asked = Asked::of(scope, Sources::read(arguments.text("source")?)?, Span { from, to });
    let lines = Lines::open(call, &asked)?;
    let mut buckets = Vec::new();
    let (mut local, mut full) = (0u64, false);
    for line in &lines.lines {
        let counted = count(line, &asked, length)?;
        local = local.saturating_add(counted.local);
        full |= counted.full;
        buckets.extend(counted.buckets.into_iter().map(|(bucket, count)| (bucket, count, line)));
    }
    buckets.sort_by_key(|((first, source, _), _, _)| (*first, *source));
    let mut page = Page::new(arguments.count("offset")?, arguments.count("limit")?);
    for (bucket, count, line) in buckets {
        if !page.take(|| record(line, length, bucket, count)) {
            break;
        }
    }
    let label = arguments.optional_text("evidence").map(|label| ("evidence", serde_json::json!(label)));
    let normalised: Vec<_> = label.into_iter().collect();
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    page.fill(&mut returned, "buckets");
    lines.met.tell(&mut returned);
    if local > 0 {
        returned.notes.push(format!("{local} local times are not counted: their zone is not known"));
    }
    if full {
        returned.truncate("too many buckets: ask for longer ones or a shorter span".to_owned());
    }
    Ok(returned)
}

/// The first instant of a bucket, its source, and the first instant after it.
type Bucket = (i64, &'static str, i64);

#[derive(Default)]
struct Counted {
    buckets: BTreeMap<Bucket, u64>,
    local: u64,
    full: bool,
}

fn count(line: &Line<'_, '_>, asked: &Asked<'_>, length: Length) -> Result<Counted, CallError> {
    let mut counted = Counted::default();
    // Neighbouring rows are mostly in the same bucket: it is looked up only if they are not.
    let (mut open, mut held) = ((0, "", 0), 0u64);
    line.scan(asked, |times, wanted| {
        for moment in times.moments {
            if !asked.spans(*moment) {
                continue;
            }
            if moment.is_local {
                counted.local += 1;
                continue;
            }
            let source = wanted.origin.source();
            let at = i64::try_from(moment.at.div_euclid(100)).unwrap_or(i64::MAX);
            if !(open.0..open.2).contains(&at) || open.1 != source {
                counted.close(open, std::mem::take(&mut held));
                if counted.buckets.len() >= MOST {
                    counted.full = true;
                    return ControlFlow::Break(());
                }
                let Some((first, behind)) = length.around(at) else { continue };
                open = (first, source, behind);
            }
            held += 1;
        }
        ControlFlow::Continue(())
    })?;
    counted.close(open, held);
    Ok(counted)
}

impl Counted {
    fn close(&mut self, bucket: Bucket, count: u64) {
        if count > 0 {
            *self.buckets.entry(bucket).or_default() += count;
        }
    }
}

fn record(line: &Line<'_, '_>, length: Length, (first, source, behind): Bucket, count: u64) -> Record {
    let time = |at: i64, precision| {
        let utc = utc(at)?;
        let raw = utc.to_text(precision);
        Some(FieldValue::Time(Time { utc: Some(utc), raw, clock: Clock::Host, precision, zone: None }))
    };
    Row::at(KIND, line.place.tree, "", None)
        .field("source", FieldValue::Name(source.to_owned()))
        .maybe("from", time(first, Precision::Second), None)
        .maybe("to", time((behind - 1).min(last()), Precision::Filetime), None)
        .field("length", FieldValue::Name(length.name().to_owned()))
        .field("count", FieldValue::Integer(count.into()))
        .done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_lies_in_one_bucket_of_each_length() {
        let at = |text: &str| ticks(text.parse().unwrap());
        let buckets =
            |text: &str| [Length::Hour, Length::Day, Length::Month].map(|length| length.around(at(text)));
        assert_eq!(
            buckets("2012-12-31T23:59:59.9999999Z"),
            [
                Some((at("2012-12-31T23:00:00Z"), at("2013-01-01T00:00:00Z"))),
                Some((at("2012-12-31T00:00:00Z"), at("2013-01-01T00:00:00Z"))),
                Some((at("2012-12-01T00:00:00Z"), at("2013-01-01T00:00:00Z"))),
            ]
        );
        assert_eq!(
            buckets("1601-02-01T00:00:00Z")[2],
            Some((at("1601-02-01T00:00:00Z"), at("1601-03-01T00:00:00Z")))
        );
    }
}
