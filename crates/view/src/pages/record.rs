//! A record, with the parts that facts are based on highlighted.

use crate::text::{clipped, marked};
use ledger::{BoundValue, ByteSpan, FactEntry, Output, Record, RecordId};
use maud::{Markup, html};
use report::terminal as inert;
use std::ops::Range;

/// The number of characters of a value that are shown; the stored output has all of it.
const LONGEST: usize = 20_000;

/// The number of bytes of a stored line shown on each side of a fact's values.
const AROUND: usize = 1000;

/// Returns every value of a fact: the subject first, unless its field is among the values.
pub(super) fn bound(fact: &FactEntry) -> impl Iterator<Item = &BoundValue> {
    let stated = fact.values.iter().any(|value| value.field == fact.subject.field);
    std::iter::once(&fact.subject).filter(move |_| !stated).chain(graph::values(fact))
}

/// Renders a record as a table of its fields; `facts` are those based on it, linked to addresses below `base`.
pub(super) fn record(record: &Record, facts: &[&FactEntry], base: Option<&str>) -> Markup {
    html! {
        article.record #(record.id) aria-labelledby={ (record.id) "-title" } {
            h3 #{ (record.id) "-title" } { (record.id) " " span.kind { (inert(&record.kind)) } }
            p.note {
                code { (inert(&record.locator.to_string())) }
                @if let Some(placement) = record.placement { " (" (placement.name()) ")" }
            }
            table.fields {
                tbody {
                    @for (name, field) in &record.fields {
                        tr {
                            th scope="row" { (inert(name)) }
                            td {
                                (value(name, &field.value.to_text(), facts))
                                @if let Some(at) = field.at { " " span.note { "evidence bytes " (at) } }
                                @if let Some(base) = base { (resting(name, facts, base)) }
                            }
                        }
                    }
                    @for defect in &record.defects {
                        tr { th scope="row" { span.tag.bad { "damaged" } } td { (inert(&defect.what)) } }
                    }
                }
            }
        }
    }
}

fn value(name: &str, text: &str, facts: &[&FactEntry]) -> Markup {
    let values = facts.iter().flat_map(|fact| bound(fact)).filter(|value| value.field == name);
    let marks: Vec<Range<usize>> = values.flat_map(|value| stretches(value, text)).collect();
    let (shown, whole) = clipped(text, LONGEST);
    html! {
        code.value { (marked(shown, &marks)) }
        @if !whole { span.note { " … the stored output has the rest" } }
    }
}

/// Returns the parts of a value's text that a fact states: all of it, or the quoted words wherever they occur.
fn stretches(value: &BoundValue, text: &str) -> Vec<Range<usize>> {
    match &value.quotation {
        Some(words) if !words.is_empty() => {
            text.match_indices(words.as_str()).map(|(at, found)| at..at + found.len()).collect()
        }
        Some(_) | None => std::iter::once(0..text.len()).collect(),
    }
}

/// Renders links to the facts that state a field.
fn resting(name: &str, facts: &[&FactEntry], base: &str) -> Markup {
    let stating = |fact: &&&FactEntry| bound(fact).any(|value| value.field == name);
    html! {
        @for fact in facts.iter().filter(stating) {
            " " a.rests href={ (base) "/fact/" (fact.id) } { (fact.id) }
        }
    }
}

/// Renders the stored line of a record with the spans of a fact highlighted; empty if the spans are outside it.
pub(super) fn line(output: &Output, record: RecordId, spans: &[ByteSpan]) -> Markup {
    let bytes = output.bytes();
    let Some((start, line)) = stored_line(bytes, record) else { return html! {} };
    let within = |span: &ByteSpan| {
        let from = usize::try_from(span.offset).ok()?.checked_sub(start)?;
        let to = from.checked_add(usize::try_from(span.length).ok()?)?;
        (to <= line.len()).then_some(from..to)
    };
    let marks: Vec<Range<usize>> = spans.iter().filter_map(within).collect();
    let Some(first) = marks.iter().map(|mark| mark.start).min() else { return html! {} };
    let last = marks.iter().map(|mark| mark.end).max().unwrap_or(first);
    let (from, to) = (first.saturating_sub(AROUND), last.saturating_add(AROUND).min(line.len()));
    // The canonical form is UTF-8, but the cut ends may split a character.
    let Ok(text) = std::str::from_utf8(line) else { return html! {} };
    let (from, to) = (text.floor_char_boundary(from), text.ceil_char_boundary(to));
    let shown = text.get(from..to).unwrap_or_default();
    let marks: Vec<Range<usize>> = marks
        .into_iter()
        .map(|mark| mark.start.saturating_sub(from)..mark.end.saturating_sub(from))
        .collect();
    html! {
        pre.stored tabindex="0" {
            code {
                @if from > 0 { "…" }
                (marked(shown, &marks))
                @if to < line.len() { "…" }
            }
        }
        p.note { "Bytes " (start + from) " to " (start + to) " of the stored output, whose digest is in the log." }
    }
}

/// Returns the offset of a record's line in the stored bytes, and the line.
fn stored_line(bytes: &[u8], record: RecordId) -> Option<(usize, &[u8])> {
    let mut start = 0;
    // The first line is the header.
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if number.checked_sub(1) == usize::try_from(record.0).ok() {
            return Some((start, line.strip_suffix(b"\n").unwrap_or(line)));
        }
        start += line.len();
    }
    None
}
