//! `timeline`: the records of all sources in the order of their times.
//!
//! A timeline index tells where the records of the page stand, and they are decoded from the evidence again;
//! without an index one is built in memory by the same code, of what was asked for.

mod asked;
mod fetch;
mod lines;
mod select;

pub(crate) use asked::{Asked, Sources};
pub(crate) use lines::{Line, Lines};
pub(crate) use select::in_span;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
use crate::returned::Return;
use crate::spec;
use fetch::fetch;
use ledger::ToolSpec;
use select::select;
use serde_json::json;

/// Most records before a page: their places are kept, some 40 bytes each.
const MAX_OFFSET: u64 = 1_000_000;

/// Most bytes of the records of a page, about.
const MAX_DATA: usize = 32 << 20;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "timeline",
        "Gives the records of all sources in the order of time: files and folders by their times (MACB, and those of $FILE_NAME on NTFS), registry keys by their last-write time, artifacts of the registry, and the records of decoded files. \
         Each record comes once, at the earliest of its times within the span, and as its own tool gives it. \
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
            (
                "copied_times",
                json!({ "type": "boolean", "description": "also give files by the times of a copied folder", "default": false }),
            ),
            ("evidence", spec::text("label of the evidence to look at; all when left out")),
            ("limit", spec::number("most records to return", 500, 1, 5000)),
            (
                "offset",
                spec::number("records to skip, to go on where an earlier call stopped", 0, 0, MAX_OFFSET),
            ),
        ],
        &[],
        // Those of other tools: see `tables::gives_any_record`.
        Vec::new(),
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (offset, limit) = (arguments.count("offset")?, arguments.count("limit")?);
    let asked = Asked::read(call)?;
    let mut lines = Lines::open(call, &asked)?;
    let most = offset.saturating_add(limit);
    let (mut met, mut hits) = (0u64, Vec::new());
    for (number, line) in lines.lines.iter().enumerate() {
        let found = select(line, &asked, most)?;
        met = met.saturating_add(found.met);
        hits.extend(found.hits.into_iter().map(|row| (row.time, number, row)));
    }
    hits.sort_unstable();
    let page: Vec<_> =
        hits.into_iter().skip(offset).take(limit).map(|(_, number, row)| (number, row)).collect();
    let shown = page.len();
    let mut records = fetch(call, &asked, &lines, &page)?;
    let held = fetch::within(&records, MAX_DATA);
    records.truncate(held);
    let more = met > offset.saturating_add(held) as u64;
    let limit = if held < shown { held } else { limit };
    let mut returned = Return::found(Vec::new(), arguments.normalised(&lines.normalised));
    Page::of(records, offset, limit, more).fill(&mut returned, "records");
    returned.defects.append(&mut lines.defects);
    returned.gaps.append(&mut lines.gaps);
    returned.notes.push(format!("{met} records lie in the span in all"));
    if lines.timeless > 0 {
        let timeless = lines.timeless;
        returned
            .notes
            .push(format!("{timeless} records have times that name no instant and are not among them"));
    }
    returned.notes.append(&mut lines.notes);
    Ok(returned)
}
