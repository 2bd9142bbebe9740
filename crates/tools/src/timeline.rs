//! `timeline`: the records of all sources, ordered by time.
//!
//! The times come from the rows of case tables; the records of a page are the stored ones.
//! If no tables were prepared, the call makes those that it needs.

mod asked;
mod fold;
mod lines;

pub(crate) use asked::{Asked, Sources};
pub(crate) use fold::latest;
pub(crate) use lines::{Line, Lines};

use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
use crate::returned::Return;
use crate::tables::{TableGroup, Times};
use crate::{sink, spec};
use ledger::{Record, ToolSpec, Utc};
use lines::Wanted;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// The most records before a page: their positions are kept, at some 40 bytes each.
const MAX_OFFSET: u64 = 1_000_000;

/// Roughly the most bytes of the records of a page.
const MAX_DATA: usize = 32 << 20;

/// How many records are kept beyond twice the number wanted.
const SPARE: usize = 4096;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "timeline",
        "Gives the records of all sources in the order of time: files and folders by their times (MACB, and those of $FILE_NAME on NTFS), registry keys by their last-write time, artifacts of the registry, and the records of decoded files. \
         Each record comes once, at the earliest of its times within the span, and as its own tool gives it; \"fold\" makes one row of those about the same. \
         Times of a copied folder are those of the copy and prove nothing about the examined host: its files are left out unless asked for.",
        vec![
            ("from", spec::instant("first instant of the span")),
            ("to", spec::instant("last instant of the span")),
            ("around", spec::instant("instant in the middle of the span; instead of from and to")),
            ("minutes", spec::number("minutes before and after \"around\"", 5, 1, 1_000_000)),
            ("source", spec::text_or(&Sources::about(), "all")),
            (
                "field",
                spec::text(
                    "pattern of the fields whose times count, such as born, last_run, or user_assist.* with the record type: * for any characters, ? for one; every time when left out",
                ),
            ),
            (
                "under",
                spec::text_or("folder below which files and hives are looked at; empty for everything", ""),
            ),
            ("hive", spec::text("the only hive of which to give keys; nothing else is given then")),
            (
                "key",
                spec::text(
                    "key at and below which to give keys, from the root of the hive or as HKLM\\SYSTEM and the like; nothing else is given then",
                ),
            ),
            (
                "text",
                spec::text(
                    "what the subject of the record (the path of a key or file, the name of a program …), or the path of the decoded file, must contain; letter case aside",
                ),
            ),
            ("exclude", sink::exclude()),
            (
                asked::FOLD,
                spec::flag(
                    "make one row of records of a file about the same (type and subject; of events channel, provider and id, too), whatever else they say, with count, first and last; what comes once is the record itself",
                ),
            ),
            (asked::RARE_FIRST, spec::flag("fold, and give what comes least often first")),
            (
                "copied_times",
                json!({ "type": "boolean", "description": "also give files by the times of a copied folder", "default": false }),
            ),
            ("evidence", spec::text("label of the evidence to look at; all when left out")),
            ("limit", spec::number("most records to return", 500, 1, 5000)),
            (
                "offset",
                spec::number(
                    "rows to skip: to go on where an earlier call stopped, or to look into the middle; a note tells how many there are in all",
                    0,
                    0,
                    MAX_OFFSET,
                ),
            ),
        ],
        &[],
        // In addition to those of other tools: see `tables::gives_any_record`.
        vec![fold::record_type()],
    )
}

/// Returns the groups of the tables that a call reads, by its arguments; a named hive is decoded on its own.
pub(crate) fn groups(arguments: &Value) -> Vec<TableGroup> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    if text("hive").is_some() {
        return Vec::new();
    }
    let sources = match text("key") {
        Some(_) => Ok(Sources::only_keys()),
        None => Sources::read(text("source").unwrap_or_default()),
    };
    // The tool itself reports an invalid source.
    sources.map(|sources| sources.groups()).unwrap_or_default()
}

/// A record of the timeline: its time, and where it is stored.
///
/// Records with the same time are ordered by source, and within each by its own order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    at: i128,
    rank: usize,
    seq: i64,
    line: usize,
    table: usize,
    row: i64,
}

impl Hit {
    /// Makes the hit for a row of this line at its earliest time in the span; `None` if it has none there.
    fn of(asked: &Asked<'_>, line: usize, times: &Times<'_>, wanted: &Wanted) -> Option<Hit> {
        let spanned = times.moments.iter().filter(|moment| asked.spans(**moment));
        let at = spanned.map(|moment| moment.at).min()?;
        let Times { table, row, seq, .. } = *times;
        Some(Hit { at, rank: wanted.rank, seq, line, table, row })
    }
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (offset, limit) = (arguments.count("offset")?, arguments.count("limit")?);
    let asked = Asked::read(call)?;
    let lines = Lines::open(call, &asked)?;
    if asked.folds {
        return fold::run(call, &asked, lines);
    }
    let (hits, met) = first(&lines, &asked, offset.saturating_add(limit))?;
    let page: Vec<_> = hits.into_iter().skip(offset).take(limit).collect();
    let records = read(&lines, &page)?;
    let held = records.len();
    let more = met > offset.saturating_add(held) as u64;
    let limit = if held < page.len() { held } else { limit };
    let mut returned = Return::found(Vec::new(), arguments.normalised(&lines.normalised));
    let last = page.get(held.saturating_sub(1)).and_then(|hit| Utc::from_unix_nanoseconds(hit.at));
    if more && offset.saturating_add(limit) as u64 > MAX_OFFSET {
        let from = last.map(|last| last.to_string()).unwrap_or_default();
        returned.set_records(records);
        returned.truncate(format!(
            "more records follow, behind the last offset that can be asked for: go on with \"from\": \"{from}\" and no offset"
        ));
    } else {
        Page::of(records, offset, limit, more).fill(&mut returned, "records");
    }
    tell(&asked, lines, met, &mut returned);
    Ok(returned)
}

/// Reports how many records there are in total, and what was met.
fn tell(asked: &Asked<'_>, lines: Lines<'_, '_>, met: u64, returned: &mut Return) {
    returned.notes.push(format!("{met} records lie in the span in all"));
    if lines.timeless > 0 && asked.is_unnarrowed() {
        let timeless = lines.timeless;
        returned
            .notes
            .push(format!("{timeless} records have times that name no instant and are not among them"));
    }
    lines.met.tell(returned);
}

/// Returns the first `most` records that are asked for, each at its earliest time in the span, and how many there are.
fn first(lines: &Lines<'_, '_>, asked: &Asked<'_>, most: usize) -> Result<(Vec<Hit>, u64), CallError> {
    let (mut hits, mut met) = (Vec::new(), 0u64);
    for (number, line) in lines.lines.iter().enumerate() {
        line.scan(asked, |times, wanted| {
            let Some(hit) = Hit::of(asked, number, times, wanted) else { return ControlFlow::Continue(()) };
            hits.push(hit);
            met += 1;
            // Rows do not come ordered by time: those that cannot be among the first are dropped from time to time.
            if hits.len() > most.saturating_mul(2).saturating_add(SPARE) {
                hits.select_nth_unstable(most);
                hits.truncate(most);
            }
            ControlFlow::Continue(())
        })?;
    }
    hits.sort_unstable();
    hits.truncate(most);
    Ok((hits, met))
}

/// Reads the records of a page, as far as an answer has room for them; the first always fits.
fn read(lines: &Lines<'_, '_>, page: &[Hit]) -> Result<Vec<Record>, CallError> {
    let (mut records, mut data) = (Vec::new(), 0usize);
    for hit in page {
        let Some(line) = lines.lines.get(hit.line).filter(|_| data < MAX_DATA) else { break };
        let record = line.kept.record_of(hit.table, hit.row)?;
        data = data.saturating_add(crate::sink::size(&record));
        records.push(record);
    }
    Ok(records)
}
