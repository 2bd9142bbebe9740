//! Absent events: what is asked of such a claim beside its searches, and how far the logs reach.
//!
//! A log that begins after a deed says nothing of it. So an absence of events always says from when to when the logs of the channel go, and code takes that from a listing of the same task: without one there is no absence.

use super::missing;
use crate::refusal::{quote, refuse};
use crate::shelf::{Held, Shelf};
use crate::typed::Instant;
use ledger::{
    Absence, Completeness, Coverage, FieldValue, Listing, Outcome, Output, Reach, Record, Rejection,
    RejectionCode, Time, Utc, pattern,
};
use std::collections::BTreeMap;

/// The most ids of one absence.
const MOST_IDS: usize = 64;

/// Whether a claim names events, a span that is one, and leaves the reach to code.
pub(super) fn check(claimed: &Absence) -> Result<(), Rejection> {
    let Absence::Events { ids, from, to, reach, .. } = claimed else { return Ok(()) };
    let malformed = |reason: &str, hint: &str| {
        Err(refuse(RejectionCode::Malformed, reason.to_owned(), hint.to_owned(), Vec::new()))
    };
    if !(1..=MOST_IDS).contains(&ids.len()) {
        return malformed("it does not say which events are absent", "Give 1 to 64 event ids.");
    }
    if reach.is_some() {
        return malformed(
            "how far logs reach is not claimed",
            "Leave it out: code takes it from your listing.",
        );
    }
    let instants: Option<Vec<i128>> =
        [from, to].into_iter().flatten().map(|text| Some(Instant::read(text)?.unix_nanoseconds())).collect();
    match instants {
        None => malformed("the span is no time", "Write instants with their zone: 2025-03-01T00:00:00Z."),
        Some(instants) if instants.first() > instants.last() => {
            malformed("the span ends before it begins", "Give the earlier instant as \"from\".")
        }
        Some(_) => Ok(()),
    }
}

/// Whether two texts name the same instant.
pub(super) fn is_same(claimed: &str, searched: &str) -> bool {
    let instant = |text: &str| Instant::read(text).map(Instant::unix_nanoseconds);
    instant(claimed).is_some_and(|it| instant(searched) == Some(it))
}

/// Adds to an absence of events how far the logs of the channel reach, by the latest listing of the task that names them all.
pub(super) fn add_reach(
    shown: &mut Absence,
    search: &Held,
    shelf: &Shelf,
    coverage: &BTreeMap<String, Vec<Coverage>>,
) -> Result<(), Rejection> {
    let form = shown.form();
    let Absence::Events { channel, from, to, evidence, reach, .. } = shown else { return Ok(()) };
    let rules = coverage.get(&search.search.tool).map(Vec::as_slice).unwrap_or_default();
    let listing = rules.iter().find(|rule| rule.form == form).and_then(|rule| rule.reach.as_ref());
    let listed = listing.and_then(|listing| {
        let listed = shelf.held().iter().rev().find(|held| lists(held, listing, evidence.as_deref()))?;
        Some((listing, listed))
    });
    let Some((listing, listed)) = listed else {
        let tool = listing.map_or("list_event_channels", |listing| listing.tool.as_str());
        let reason = "no complete listing of the event logs says how far they reach".to_owned();
        return Err(missing(reason, format!("Call {tool} for the same evidence first.")));
    };
    let output = listed.output.as_deref().map(Output::records).unwrap_or_default();
    let logs = output.iter().filter(|record| is_log(record, listing, channel, evidence.as_deref()));
    let Some((first, last, logs)) = span(logs) else {
        let reason =
            format!("{} lists no log of the channel {} with times", listed.invocation, quote(channel));
        return Err(missing(reason, "Only of logs that are there can events be absent.".to_owned()));
    };
    let instant =
        |text: &Option<String>| text.as_deref().and_then(Instant::read).map(Instant::unix_nanoseconds);
    let ends_before = instant(to).is_some_and(|to| to < first.0.unix_nanoseconds());
    let begins_after = instant(from).is_some_and(|from| from > last.0.unix_nanoseconds());
    if ends_before || begins_after {
        let reason =
            format!("the logs of {} go from {} to {}: not into this span", quote(channel), first.1, last.1);
        return Err(missing(reason, "Claim a span that the logs reach into.".to_owned()));
    }
    *reach = Some(Reach { listed: listed.invocation, logs, first: first.1, last: last.1 });
    Ok(())
}

/// Whether an invocation listed all logs of the evidence, to the end.
fn lists(held: &Held, listing: &Listing, evidence: Option<&str>) -> bool {
    let arguments = held.search.arguments.as_ref();
    let whole = held.search.whole && held.search.completeness == Completeness::Complete;
    let is_ended = whole && held.outcome == Outcome::Ok;
    is_ended && arguments.is_some_and(|given| listing.lists(&held.search.tool, given, evidence))
}

fn is_log(record: &Record, listing: &Listing, channel: &str, evidence: Option<&str>) -> bool {
    let named = match record.fields.get("channel").map(|field| &field.value) {
        Some(FieldValue::Name(name) | FieldValue::Text(name)) => pattern::same(name, channel),
        Some(_) | None => false,
    };
    let is_of = evidence.is_none_or(|label| record.locator.evidence == label);
    record.kind == listing.kind && named && is_of
}

/// An instant and its text.
type Told = (Utc, String);

/// The earliest and the latest time of logs, and how many logs there are.
fn span<'r>(logs: impl Iterator<Item = &'r Record>) -> Option<(Told, Told, u32)> {
    let (mut first, mut last, mut count) = (None, None, 0_u32);
    for log in logs {
        count = count.saturating_add(1);
        let time = |field: &str| match log.fields.get(field).map(|field| &field.value) {
            Some(FieldValue::Time(time)) => time.utc.map(|utc| (utc, Time::to_text(time))),
            Some(_) | None => None,
        };
        first = first.into_iter().chain(time("first")).min();
        last = last.into_iter().chain(time("last")).max();
    }
    Some((first?, last?, count))
}
