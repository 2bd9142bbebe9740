//! Instants, and the seconds beside them.

use super::written::digits;

/// Whether a text begins with an instant, RFC 3339.
pub(crate) fn is_instant(text: &str) -> bool {
    parts(text).is_some()
}

/// Returns the second before an instant, without its fraction.
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

/// Returns the second after an instant, without its fraction.
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

/// Returns year, month, day, hour, minute and second of an instant.
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

/// Returns the number of days of a month in the Gregorian calendar.
const fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}
