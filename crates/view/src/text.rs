//! Text for pages.
//!
//! `maud` escapes markup; `report::terminal` writes characters that move, hide or reverse text as `\u{…}`.

use maud::{Markup, html};
use report::terminal as inert;
use std::ops::Range;

/// Escapes one segment of an address: every unusual byte (RFC 3986, section 2.3).
pub(crate) fn segment(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Formats a query of names and values.
pub(crate) fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Renders text with the byte ranges in `marks` highlighted; a range that splits a character is widened.
pub(crate) fn marked(text: &str, marks: &[Range<usize>]) -> Markup {
    let mut marks: Vec<Range<usize>> = marks
        .iter()
        .map(|mark| text.floor_char_boundary(mark.start)..text.ceil_char_boundary(mark.end))
        .filter(|mark| mark.start < mark.end)
        .collect();
    marks.sort_by_key(|mark| (mark.start, mark.end));
    let mut parts: Vec<(&str, bool)> = Vec::new();
    let mut at = 0;
    for mark in marks {
        let start = mark.start.max(at);
        if start < mark.end {
            parts.push((text.get(at..start).unwrap_or_default(), false));
            parts.push((text.get(start..mark.end).unwrap_or_default(), true));
            at = mark.end;
        }
    }
    parts.push((text.get(at..).unwrap_or_default(), false));
    html! {
        @for (part, is_marked) in parts {
            @if is_marked { mark { (inert(part)) } } @else { (inert(part)) }
        }
    }
}

/// Formats a number of bytes for people, in full if it is small.
pub(crate) fn bytes(number: u64) -> String {
    match number {
        0..10_000 => format!("{number} bytes"),
        10_000..10_000_000 => format!("{} kB", number / 1000),
        _ => format!("{} MB", number / 1_000_000),
    }
}

/// Formats microseconds as milliseconds.
pub(crate) fn milliseconds(microseconds: u64) -> String {
    format!("{}.{} ms", microseconds / 1000, microseconds % 1000 / 100)
}

/// Formats a number with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

/// Returns at most this many characters of a text, and whether that is all of it.
pub(crate) fn clipped(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (text.get(..end).unwrap_or_default(), false),
        None => (text, true),
    }
}

/// Formats an RFC 3339 time as `2026-01-01 12:00:00`; other text is left as it is.
pub(crate) fn to_the_second(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..19)) {
        (Some(day), Some("T"), Some(time)) => inert(&format!("{day} {time}")),
        _ => inert(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_part_of_an_address() {
        assert_eq!(segment("20260101T000000Z-a b/../?#é"), "20260101T000000Z-a%20b%2F..%2F%3F%23%C3%A9");
    }

    #[test]
    fn marks_may_overlap_cut_characters_and_lie_outside() {
        let text = "a<é>b";
        let shown = marked(text, &[1..3, 2..4, 90..99, 0..0]).into_string();
        assert_eq!(shown, "a<mark>&lt;é</mark>&gt;b");
        assert_eq!(marked("\u{202e}<b>", &[]).into_string(), "\\u{202e}&lt;b&gt;");
    }
}
