//! Spans of time as people write them. Times are texts that sort, as those of records are.

use crate::tokens::Token;

/// A span of time; a bound of `None` is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// Times before this text are outside.
    pub from: Option<String>,
    /// Times behind this text and whatever it begins are outside.
    pub to: Option<String>,
}

impl Span {
    /// Whether a time, RFC 3339 without its zone, lies in the span.
    pub fn holds(&self, time: &str) -> bool {
        let after = self.from.as_deref().is_none_or(|from| time >= from);
        after && self.to.as_deref().is_none_or(|to| time <= to || time.starts_with(to))
    }
}

/// What was read of a question's times.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) span: Option<Span>,
    /// Whether a date can be read in two ways, or two dates stand there and how they belong together is not told.
    pub(crate) is_ambiguous: bool,
    /// The places of its words.
    pub(crate) used: Vec<usize>,
}

const MONTHS: [[&str; 3]; 12] = [
    ["january", "jan", "januar"],
    ["february", "feb", "februar"],
    ["march", "mar", "märz"],
    ["april", "apr", "april"],
    ["may", "may", "mai"],
    ["june", "jun", "juni"],
    ["july", "jul", "juli"],
    ["august", "aug", "august"],
    ["september", "sep", "sept"],
    ["october", "oct", "oktober"],
    ["november", "nov", "november"],
    ["december", "dec", "dezember"],
];

/// A date or a time of day that stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// `2022`, `2022-05`, `2022-05-04` or with a time of day.
    Date(String),
    /// `20:26` or `20:26:00`.
    Time(String),
}

/// Reads the span that a question names.
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
    let is_begin = |at: usize| matches!(before(at), "after" | "since" | "seit" | "nach" | "ab");
    let is_end = |at: usize| matches!(before(at), "before" | "until" | "till" | "vor" | "bis");
    read.span = match (dates.as_slice(), times.as_slice()) {
        ([(_, day)], [(_, from), (_, to)]) if day.len() == 10 => {
            Some(Span { from: Some(format!("{day}T{from}")), to: Some(format!("{day}T{to}")) })
        }
        ([(at_day, day)], [(at, time)]) if day.len() == 10 => {
            let time = format!("{day}T{time}");
            Some(bounded(time, is_begin(*at) || is_begin(*at_day), is_end(*at) || is_end(*at_day)))
        }
        ([(at, day)], []) => Some(bounded(day.clone(), is_begin(*at), is_end(*at))),
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

fn bounded(at: String, begins: bool, ends: bool) -> Span {
    match (begins, ends) {
        (true, _) => Span { from: Some(at), to: None },
        (_, true) => Span { from: None, to: Some(at) },
        _ => Span { from: Some(at.clone()), to: Some(at) },
    }
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
        return Some(time);
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

fn digits(text: &str, most: u32) -> Option<u32> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= most)
}

fn year(text: &str) -> Option<&str> {
    digits(text, 2200).filter(|year| *year >= 1970).map(|_| text)
}

fn month(text: &str) -> Option<usize> {
    MONTHS.iter().position(|names| names.contains(&text)).map(|place| place + 1)
}

/// The first of the two dates that a text such as `03/10/2022` may be.
pub(crate) fn either(text: &str) -> Option<String> {
    let mut is_ambiguous = false;
    slashed(text, &mut is_ambiguous).filter(|_| is_ambiguous)
}

/// Whether a text begins with an instant as records have it.
pub(crate) fn is_instant(text: &str) -> bool {
    parts(text).is_some()
}

/// The second before an instant, without its fraction.
pub(crate) fn second_before(text: &str) -> Option<String> {
    let [year, month, day, hour, minute, second] = parts(text)?;
    Some(match (day, hour, minute, second) {
        (_, _, _, 1..) => told([year, month, day, hour, minute, second - 1]),
        (_, _, 1.., _) => told([year, month, day, hour, minute - 1, 59]),
        (_, 1.., _, _) => told([year, month, day, hour - 1, 59, 59]),
        (2.., ..) => told([year, month, day - 1, 23, 59, 59]),
        _ if month > 1 => told([year, month - 1, days(year, month - 1), 23, 59, 59]),
        _ => told([year.checked_sub(1)?, 12, 31, 23, 59, 59]),
    })
}

/// The second after an instant, without its fraction.
pub(crate) fn second_after(text: &str) -> Option<String> {
    let [year, month, day, hour, minute, second] = parts(text)?;
    Some(match (month, day, hour, minute, second) {
        (.., 0..=58) => told([year, month, day, hour, minute, second + 1]),
        (_, _, _, 0..=58, _) => told([year, month, day, hour, minute + 1, 0]),
        (_, _, 0..=22, ..) => told([year, month, day, hour + 1, 0, 0]),
        (month, day, ..) if day < days(year, month) => told([year, month, day + 1, 0, 0, 0]),
        (1..=11, ..) => told([year, month + 1, 1, 0, 0, 0]),
        _ => told([year + 1, 1, 1, 0, 0, 0]),
    })
}

fn told([year, month, day, hour, minute, second]: [u32; 6]) -> String {
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// Year, month, day, hour, minute and second of an instant.
fn parts(text: &str) -> Option<[u32; 6]> {
    let (date, time) = text.get(..19)?.split_once('T')?;
    let three = |text: &str, mark: char| -> Option<[u32; 3]> {
        let mut parts = text.split(mark).map(|part| digits(part, 9999));
        let all = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(all)
    };
    let ([year, month, day], [hour, minute, second]) = (three(date, '-')?, three(time, ':')?);
    let is_one = (1..=12).contains(&month)
        && (1..=days(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    is_one.then_some([year, month, day, hour, minute, second])
}

/// How many days a month of the Gregorian calendar has.
const fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

fn day(text: &str) -> Option<u32> {
    let bare = ["st", "nd", "rd", "th"].into_iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    digits(bare, 31).filter(|day| *day > 0)
}

/// `2022-05-04`, `2022-05`, with a time of day or not.
fn iso(text: &str) -> Option<String> {
    let (date, time) = match text.split_once('t') {
        Some((date, time)) => (date, Some(time_of_day(time.trim_end_matches('z'))?)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let (year, month) = (year(parts.next()?)?, digits(parts.next()?, 12)?);
    let day = parts.next().map(|day| digits(day, 31)).map_or(Some(None), |day| day.map(Some))?;
    let date = match (parts.next(), day) {
        (Some(_), _) => return None,
        (None, Some(day)) => format!("{year}-{month:02}-{day:02}"),
        (None, None) => format!("{year}-{month:02}"),
    };
    Some(time.map_or_else(|| date.clone(), |time| format!("{date}T{time}")))
}

/// `16.09.2025`: the day comes first wherever dots are written.
fn dotted(text: &str) -> Option<String> {
    let mut parts = text.split('.');
    let (day, month, year) = (digits(parts.next()?, 31)?, digits(parts.next()?, 12)?, year(parts.next()?)?);
    parts.next().is_none().then(|| format!("{year}-{month:02}-{day:02}"))
}

/// `03/10/2022` is two dates, but where one of the numbers is no month.
fn slashed(text: &str, is_ambiguous: &mut bool) -> Option<String> {
    let mut parts = text.split('/');
    let (first, second, year) =
        (digits(parts.next()?, 31)?, digits(parts.next()?, 31)?, year(parts.next()?)?);
    let (day, month) = match (first, second) {
        (first, second) if first > 12 => (first, second),
        (first, second) if second > 12 => (second, first),
        (first, second) => {
            *is_ambiguous |= first != second;
            (first, second)
        }
    };
    parts.next().is_none().then(|| format!("{year}-{month:02}-{day:02}"))
}

/// `8:26 pm`, `8pm`: how many words, and the time in 24 hours.
fn half_day(first: &str, next: &str) -> Option<(usize, Piece)> {
    let half = |text: &str| match text.trim_matches('.') {
        "am" | "a.m" => Some(0),
        "pm" | "p.m" => Some(12),
        _ => None,
    };
    let written = ["am", "pm"].into_iter().find_map(|end| Some((first.strip_suffix(end)?, half(end)?)));
    let (length, clock, later) = match written {
        Some((clock, later)) => (1, clock, later),
        // In German `am` stands before a date, so that a bare hour in front of it is none.
        None if first.contains(':') || matches!(next, "pm" | "p.m") => (2, first, half(next)?),
        None => return None,
    };
    let (hour, rest) = clock.split_once(':').map_or((clock, "00"), |(hour, rest)| (hour, rest));
    let hour = digits(hour, 12).filter(|hour| *hour > 0)?;
    let time = time_of_day(&format!("{:02}:{rest}", hour % 12 + later))?;
    Some((length, Piece::Time(time)))
}

fn time_of_day(text: &str) -> Option<String> {
    let text = text.trim_end_matches('z');
    let mut parts = text.split(':');
    let two = |text: &str, most| digits(text, most).filter(|_| text.len() <= 2);
    let (hour, minute) = (two(parts.next()?, 23)?, two(parts.next()?, 59)?);
    let second = parts.next().map(|second| two(second, 59)).map_or(Some(None), |it| it.map(Some))?;
    match (parts.next(), second) {
        (Some(_), _) => None,
        (None, Some(second)) => Some(format!("{hour:02}:{minute:02}:{second:02}")),
        (None, None) => Some(format!("{hour:02}:{minute:02}")),
    }
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
            ("after 2022-03-10 19:49", (Some("2022-03-10T19:49".into()), None, false)),
            ("since 2022-03-10", (Some("2022-03-10".into()), None, false)),
            ("before 10 March 2022", (None, Some("2022-03-10".into()), false)),
            ("may it be", (None, None, false)),
            ("at 20:26", (None, None, true)),
        ] {
            assert_eq!(bounds(text), expected, "{text}");
        }
    }

    #[test]
    fn the_second_beside_an_instant_is_that_of_the_calendar() {
        for (instant, before, after) in [
            ("2025-09-16T09:44:03.5Z", "2025-09-16T09:44:02", "2025-09-16T09:44:04"),
            ("2024-03-01T00:00:00Z", "2024-02-29T23:59:59", "2024-03-01T00:00:01"),
            ("2025-12-31T23:59:59Z", "2025-12-31T23:59:58", "2026-01-01T00:00:00"),
            ("2026-01-01T00:00:00Z", "2025-12-31T23:59:59", "2026-01-01T00:00:01"),
            ("2023-02-28T23:59:59Z", "2023-02-28T23:59:58", "2023-03-01T00:00:00"),
        ] {
            assert_eq!(second_before(instant).as_deref(), Some(before), "{instant}");
            assert_eq!(second_after(instant).as_deref(), Some(after), "{instant}");
        }
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
