//! Instants.

use super::written::digits;

/// Whether a text begins with an instant, RFC 3339.
pub(crate) fn is_instant(text: &str) -> bool {
    parts(text).is_some()
}

/// Returns an instant to the second, without its fraction.
pub(crate) fn second(text: &str) -> Option<String> {
    parts(text)?;
    text.get(..19).map(str::to_owned)
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
