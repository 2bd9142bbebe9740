//! Absent events: what such a claim needs besides its searches, and how far the logs reach.
//!
//! A log that begins after an event says nothing about that event.
//! So an absence of events always states the period that the logs of the channel cover.
//! Code takes the period from a listing of the same task; without a listing there is no absence.

use super::missing;
use crate::refusal::{list, quote, refuse};
use crate::shelf::{Held, Shelf};
use crate::typed::Instant;
use ledger::placement::tells_of_host;
use ledger::{
    Absence, Completeness, Coverage, FieldValue, Listing, Outcome, Output, Reach, Record, Rejection,
    RejectionCode, Stretch, Time, Utc, pattern,
};
use std::collections::BTreeMap;

/// The largest number of event ids in one absence.
const MOST_IDS: usize = 64;

/// Checks that a claim names events and a valid time span, and leaves the reach to code.
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

/// Checks whether two texts state the same instant.
pub(super) fn is_same(claimed: &str, searched: &str) -> bool {
    let instant = |text: &str| Instant::read(text).map(Instant::unix_nanoseconds);
    instant(claimed).is_some_and(|it| instant(searched) == Some(it))
}

/// Adds to an absence of events how far the logs of the channel reach, from the latest listing of the task that lists them all.
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
    let of_channel = output.iter().filter(|record| is_log(record, listing, channel, evidence.as_deref()));
    let stretches = stretches(of_channel).map_err(|why| {
        let reason =
            format!("{} says of a log of the channel {} that {why}", listed.invocation, quote(channel));
        missing(reason, "How far it tells of these events cannot be known.".to_owned())
    })?;
    if stretches.is_empty() {
        let reason =
            format!("{} lists no log of the channel {} with times", listed.invocation, quote(channel));
        return Err(missing(reason, "Only of logs that are there can events be absent.".to_owned()));
    }
    let [from, to] =
        [from, to].map(|text| text.as_deref().and_then(Instant::read).map(Instant::unix_nanoseconds));
    if let Some(label) = not_reached(&stretches, from, to) {
        let told: Vec<String> =
            stretches.iter().map(|it| format!("{} to {}", it.first.1, it.last.1)).collect();
        let told = list(told.iter().map(String::as_str), 4);
        let reason =
            format!("the logs of {} of {} go from {told}: not over this span", quote(channel), quote(label));
        return Err(missing(reason, "Claim a span that one of these covers.".to_owned()));
    }
    let stretches = stretches.into_iter().map(Piece::told).collect();
    *reach = Some(Reach { listed: listed.invocation, stretches });
    Ok(())
}

/// Returns the first evidence label whose logs have no stretch that covers the span.
fn not_reached(stretches: &[Piece], from: Option<i128>, to: Option<i128>) -> Option<&str> {
    let covers = |it: &Piece| {
        let inside = |at: i128| (it.first.0.unix_nanoseconds()..=it.last.0.unix_nanoseconds()).contains(&at);
        from.is_none_or(inside) && to.is_none_or(inside)
    };
    let is_reached = |label: &str| stretches.iter().any(|it| it.evidence == label && covers(it));
    stretches.iter().map(|it| it.evidence.as_str()).find(|label| !is_reached(label))
}

/// Checks whether an invocation listed all logs of the evidence to the end.
fn lists(held: &Held, listing: &Listing, evidence: Option<&str>) -> bool {
    let arguments = held.search.arguments.as_ref();
    let whole = held.search.whole && held.search.completeness == Completeness::Complete;
    let is_ended = whole && held.outcome == Outcome::Ok;
    is_ended && arguments.is_some_and(|given| listing.lists(&held.search.tool, given, evidence))
}

fn is_log(record: &Record, listing: &Listing, channel: &str, evidence: Option<&str>) -> bool {
    let names = |field: &str| match record.fields.get(field).map(|field| &field.value) {
        Some(FieldValue::Name(name) | FieldValue::Text(name)) => pattern::same(name, channel),
        Some(FieldValue::List(names)) => names.iter().any(|name| pattern::same(name, channel)),
        Some(_) | None => false,
    };
    let named = names("channel") || names("channels");
    let is_of = evidence.is_none_or(|label| record.locator.evidence == label);
    // Events missing from another computer's log are not absent from this computer's log.
    record.kind == listing.kind && named && is_of && tells_of_host(record.placement)
}

/// An instant and its text.
type Told = (Utc, String);

/// A stretch of a log, with the record numbers at its ends.
struct Piece {
    evidence: String,
    first: Told,
    last: Told,
    numbers: (i128, i128),
}

impl Piece {
    fn told(self) -> Stretch {
        Stretch { evidence: self.evidence, first: self.first.1, last: self.last.1 }
    }
}

/// Returns the stretches of the logs, ordered by evidence and time.
/// Fails with a reason if a log has missing records or also holds other channels.
fn stretches<'r>(logs: impl Iterator<Item = &'r Record>) -> Result<Vec<Piece>, &'static str> {
    let mut pieces: Vec<Piece> = Vec::new();
    for log in logs {
        let value = |field: &str| log.fields.get(field).map(|field| &field.value);
        let time = |field: &str| match value(field) {
            Some(FieldValue::Time(time)) => time.utc.map(|utc| (utc, Time::to_text(time))),
            Some(_) | None => None,
        };
        let number = |field: &str| match value(field) {
            Some(FieldValue::Integer(number)) => Some(*number),
            Some(_) | None => None,
        };
        if number("missing").is_some_and(|missing| missing > 0) {
            return Err("records are missing in it");
        }
        if value("channels").is_some() {
            return Err("it holds several channels");
        }
        let numbers = number("first_record_id").zip(number("last_record_id"));
        let Some(((first, last), numbers)) = time("first").zip(time("last")).zip(numbers) else { continue };
        pieces.push(Piece { evidence: log.locator.evidence.clone(), first, last, numbers });
    }
    pieces.sort_by(|a, b| (&a.evidence, &a.first, a.numbers).cmp(&(&b.evidence, &b.first, b.numbers)));
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match joined.last_mut().filter(|before| goes_on(before, &piece)) {
            Some(before) => {
                before.numbers.1 = before.numbers.1.max(piece.numbers.1);
                before.last = piece.last.max(before.last.clone());
            }
            None => joined.push(piece),
        }
    }
    Ok(joined)
}

/// Checks whether the record numbers of a log continue those of the log before it, or overlap them.
fn goes_on(before: &Piece, after: &Piece) -> bool {
    before.evidence == after.evidence
        && (before.numbers.0..=before.numbers.1.saturating_add(1)).contains(&after.numbers.0)
}
