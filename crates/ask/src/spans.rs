//! Spans of time as people write them. Times are texts that sort by time, as in records.

mod calendar;
mod written;

use crate::tokens::Token;
use written::{day, dotted, half_day, iso, month, slashed, time_of_day, year};

pub(crate) use calendar::{is_instant, second};

/// A span of time. A bound of `None` is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// Times that sort before this text are outside.
    pub from: Option<String>,
    /// Times that sort after this text and do not begin with it are outside.
    pub to: Option<String>,
}

impl Span {
    /// Whether a time, RFC 3339, is in the span.
    pub fn holds(&self, time: &str) -> bool {
        let after = self.from.as_deref().is_none_or(|from| time >= from);
        after && self.to.as_deref().is_none_or(|to| time <= to || time.starts_with(to))
    }
}

/// The times of a question.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) span: Option<Span>,
    /// Whether a date can be read in two ways, or it is open how several dates and times belong together.
    pub(crate) is_ambiguous: bool,
    /// The places of the words of times.
    pub(crate) used: Vec<usize>,
}

/// A date or a time of day.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// `2022`, `2022-05`, `2022-05-04` or with a time of day.
    Date(String),
    /// `20:26` or `20:26:00`.
    Time(String),
}

/// Reads the span of a question.
pub(crate) fn span(tokens: &[Token]) -> Read {
    let mut read = Read::default();
    let mut pieces: Vec<(usize, usize, Piece)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match piece(tokens, at, &mut read.is_ambiguous) {
            Some((length, piece)) => {
                pieces.push((at, length, piece));
                at += length;
            }
            None => at += 1,
        }
    }
    for (at, length, _) in &pieces {
        read.used.extend(*at..at + length);
    }
    read.used.sort_unstable();
    if read.is_ambiguous || pieces.is_empty() {
        return read;
    }
    let dates: Vec<_> = pieces.iter().filter_map(|it| date(it).map(|date| (it.0, date))).collect();
    let times: Vec<_> = pieces.iter().filter_map(|it| time(it).map(|time| (it.0, time))).collect();
    let word =
        |at: usize| at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.low.as_str());
    let before = |at: usize| match word(at) {
        "the" | "of" | "dem" | "den" | "am" => word(at.saturating_sub(1)),
        other => other,
    };
    let bound = |at: usize| bound(before(at));
    read.span = match (dates.as_slice(), times.as_slice()) {
        ([(_, day)], [(_, from), (_, to)]) if day.len() == 10 => {
            Some(Span { from: Some(format!("{day}T{from}")), to: Some(format!("{day}T{to}")) })
        }
        ([(at_day, day)], [(at, time)]) if day.len() == 10 => {
            let time = format!("{day}T{time}");
            let of_day = bound(*at_day);
            Some(bounded(time, if of_day == Bound::On { bound(*at) } else { of_day }))
        }
        ([(at, day)], []) => Some(bounded(day.clone(), bound(*at))),
        ([(_, from), (_, to)], []) => Some(Span { from: Some(from.clone()), to: Some(to.clone()) }),
        ([(_, from), (_, to)], [(_, first), (_, last)]) if from.len() == 10 && to.len() == 10 => {
            Some(Span { from: Some(format!("{from}T{first}")), to: Some(format!("{to}T{last}")) })
        }
        _ => {
            read.is_ambiguous = true;
            None
        }
    };
    read
}

/// What the word before a time makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// The time itself.
    On,
    /// Later than all of it: the day after a day, the second after a second.
    After,
    /// It, and all that is later.
    Since,
    /// Earlier than all of it.
    Before,
    /// It, and all that is earlier.
    Until,
}

fn bound(word: &str) -> Bound {
    match word {
        "after" | "nach" => Bound::After,
        "since" | "seit" | "ab" => Bound::Since,
        "before" | "vor" => Bound::Before,
        "until" | "till" | "bis" => Bound::Until,
        _ => Bound::On,
    }
}

fn bounded(at: String, bound: Bound) -> Span {
    match bound {
        Bound::On => Span { from: Some(at.clone()), to: Some(at) },
        // `~` sorts after every character of a time.
        Bound::After => Span { from: Some(at + "~"), to: None },
        Bound::Since => Span { from: Some(at), to: None },
        Bound::Before => Span { from: None, to: Some(just_before(&at)) },
        Bound::Until => Span { from: None, to: Some(at) },
    }
}

/// Returns a text that sorts before all times which begin with this one, and after all earlier times.
fn just_before(time: &str) -> String {
    let mut text = time.to_owned();
    let last = text
        .pop()
        .and_then(|last| u8::try_from(last).ok())
        .map_or('/', |last| char::from(last.saturating_sub(1)));
    text.push(last);
    text.push('~');
    text
}

fn date((_, _, piece): &(usize, usize, Piece)) -> Option<String> {
    match piece {
        Piece::Date(date) => Some(date.clone()),
        Piece::Time(_) => None,
    }
}

fn time((_, _, piece): &(usize, usize, Piece)) -> Option<String> {
    match piece {
        Piece::Time(time) => Some(time.clone()),
        Piece::Date(_) => None,
    }
}

fn piece(tokens: &[Token], at: usize, is_ambiguous: &mut bool) -> Option<(usize, Piece)> {
    let low = |more: usize| tokens.get(at + more).map_or("", |token| token.low.as_str());
    if tokens.get(at)?.quoted {
        return None;
    }
    let first = low(0);
    if let Some(date) = iso(first) {
        return Some((1, Piece::Date(date)));
    }
    let is_german = at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| before.low == "um");
    if let Some(time) = half_day(first, if is_german { "" } else { low(1) }) {
        return Some((time.0, Piece::Time(time.1)));
    }
    if let Some(time) = time_of_day(first) {
        return Some((1, Piece::Time(time)));
    }
    if let Some(date) = dotted(first) {
        return Some((1, Piece::Date(date)));
    }
    if let Some(date) = slashed(first, is_ambiguous) {
        return Some((1, Piece::Date(date)));
    }
    // 4 April 2012, 4th of April 2012, 4. April 2012
    if let Some(day) = day(first) {
        let of = usize::from(low(1) == "of");
        if let (Some(month), Some(year)) = (month(low(1 + of)), year(low(2 + of))) {
            return Some((3 + of, Piece::Date(format!("{year}-{month:02}-{day:02}"))));
        }
    }
    if let Some(month) = month(first) {
        // April 4, 2012; May 2022
        if let (Some(day), Some(year)) = (day(low(1)), year(low(2))) {
            return Some((3, Piece::Date(format!("{year}-{month:02}-{day:02}"))));
        }
        if let Some(year) = year(low(1)) {
            return Some((2, Piece::Date(format!("{year}-{month:02}"))));
        }
    }
    let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.low.as_str());
    match year(first) {
        Some(year)
            if matches!(
                before,
                "in" | "since" | "before" | "after" | "during" | "until" | "seit" | "vor" | "jahr"
            ) =>
        {
            Some((1, Piece::Date(year.to_owned())))
        }
        _ => None,
    }
}

/// Whether a word is the name of a month.
pub(crate) fn is_month(word: &str) -> bool {
    month(word).is_some()
}

/// Returns the first of the two dates that a text such as `03/10/2022` may be; `None` if it is not ambiguous.
pub(crate) fn either(text: &str) -> Option<String> {
    let mut is_ambiguous = false;
    slashed(text, &mut is_ambiguous).filter(|_| is_ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    fn bounds(text: &str) -> (Option<String>, Option<String>, bool) {
        let read = span(&tokens(text));
        let span = read.span.unwrap_or_default();
        (span.from, span.to, read.is_ambiguous)
    }

    #[test]
    fn dates_and_times_are_read_as_they_are_written() {
        let both = |text: &str| (Some(text.to_owned()), Some(text.to_owned()), false);
        for (text, expected) in [
            ("on 16.09.2025", both("2025-09-16")),
            ("on 4 April 2012?", both("2012-04-04")),
            ("on the 4th of April 2012", both("2012-04-04")),
            ("on April 4, 2012", both("2012-04-04")),
            ("am 5. März 2022", both("2022-03-05")),
            ("in May 2022", both("2022-05")),
            ("in 2022", both("2022")),
            ("version 2022", (None, None, false)),
            ("on 13/05/2022", both("2022-05-13")),
            ("on 03/10/2022", (None, None, true)),
            ("on 2022-03-10 at 20:26", both("2022-03-10T20:26")),
            (
                "between 20:26:00 and 20:28:00 UTC on 2022-03-10",
                (Some("2022-03-10T20:26:00".into()), Some("2022-03-10T20:28:00".into()), false),
            ),
            ("on 2022-03-10 at 8:26 pm", both("2022-03-10T20:26")),
            ("at 12:05am on 10 March 2022", both("2022-03-10T00:05")),
            ("um 12:26 am 10. März 2022", both("2022-03-10T12:26")),
            ("after 2022-03-10 19:49", (Some("2022-03-10T19:49~".into()), None, false)),
            ("since 2022-03-10", (Some("2022-03-10".into()), None, false)),
            ("until 2022-03-10", (None, Some("2022-03-10".into()), false)),
            ("before 10 March 2022", (None, Some("2022-03-1/~".into()), false)),
            ("vor dem 11.03.2022", (None, Some("2022-03-10~".into()), false)),
            ("may it be", (None, None, false)),
            ("at 20:26", (None, None, true)),
        ] {
            assert_eq!(bounds(text), expected, "{text}");
        }
    }

    #[test]
    fn before_and_after_leave_out_the_time_that_is_named() {
        for (text, inside, outside) in [
            ("before 2025-09-16", "2025-09-15T23:59:59.9", "2025-09-16T00:00:00"),
            ("before 2025-09-10", "2025-09-09T23:59:59.9", "2025-09-10T00:00:00"),
            ("before 2025", "2024-12-31T23:59:59.9", "2025-01-01T00:00:00"),
            ("after 2025-09-16", "2025-09-17T00:00:00", "2025-09-16T23:59:59.9"),
            ("nach dem 2.9.2025", "2025-09-03T00:00:00", "2025-09-02T14:25:00"),
            ("before 17:15 on 2025-09-16", "2025-09-16T17:14:59.9", "2025-09-16T17:15:27.4"),
            ("after 2025-09-16T17:15:27", "2025-09-16T17:15:28", "2025-09-16T17:15:27.4"),
            ("until 2025-09-16", "2025-09-16T23:59:59", "2025-09-17T00:00:00"),
            ("since 2025-09-16", "2025-09-16T00:00:00", "2025-09-15T23:59:59"),
        ] {
            let span = span(&tokens(text)).span.unwrap();
            assert!(span.holds(inside) && !span.holds(outside), "{text}: {span:?}");
        }
    }

    #[test]
    fn only_an_instant_has_a_second() {
        assert_eq!(second("2025-09-16T09:44:03.5Z").as_deref(), Some("2025-09-16T09:44:03"));
        for no in
            ["2025-02-30T00:00:00Z", "2025-09-16", "2025-09-16 09:44:03", "\u{301}2025-09-16T09:44:0", ""]
        {
            assert!(!is_instant(no), "{no}");
        }
    }

    #[test]
    fn a_span_holds_what_begins_like_its_end() {
        let span = Span { from: Some("2022-05".into()), to: Some("2022-05".into()) };
        assert!(span.holds("2022-05-31T23:59:59.5"));
        assert!(!span.holds("2022-06-01T00:00:00") && !span.holds("2022-04-30T23:59:59"));
    }
}
