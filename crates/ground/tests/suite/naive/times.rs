//! Whether a text states the instant of a time.

use super::Sure;
use ledger::{Clock, Precision, Time};

const SECOND: i128 = 1_000_000_000;

/// An instant as a text states it.
struct Stated {
    nanoseconds: i128,
    /// The weight of its last digit.
    step: i128,
    sure: Sure,
}

/// Compares instants at the claim's precision, which must not be finer than the record's.
///
/// Open: what a time of a copied folder grounds: by the rules it grounds no event.
/// Open: how a local time may be stated: as the record shows it, or not at all.
/// Open: numbers for instants (the raw value, FILETIME, seconds since 1970 and their fractions).
pub fn instant(text: &str, time: &Time) -> Sure {
    let shown = text == time.to_text();
    let (Some(utc), None) = (time.utc, time.zone) else {
        return if shown && time.zone.is_none() && time.clock == Clock::Host {
            Sure::Yes
        } else if shown || text == time.raw || same_number(text, &time.raw) {
            Sure::Open
        } else {
            Sure::No
        };
    };
    let utc = utc.unix_nanoseconds();
    let sure = match stated(text) {
        _ if shown => Sure::Yes,
        Some(stated) => equal(&stated, utc, time.precision),
        None if text == time.raw || same_number(text, &time.raw) || numeric(text, utc) => Sure::Open,
        None => Sure::No,
    };
    if time.clock == Clock::CollectionCopy { sure.min(Sure::Open) } else { sure }
}

/// Compares a stated instant. Open: zeros beyond the record's precision.
fn equal(stated: &Stated, utc: i128, precision: Precision) -> Sure {
    let finer = stated.step < precision.nanoseconds();
    let same = utc.div_euclid(stated.step) == stated.nanoseconds.div_euclid(stated.step);
    match (same, finer) {
        (false, _) => Sure::No,
        (true, true) => stated.sure.min(Sure::Open),
        (true, false) => stated.sure,
    }
}

/// Compares raw numbers. Open: leading zeros.
fn same_number(text: &str, raw: &str) -> bool {
    super::texts::number(text).is_some_and(|number| super::texts::number(raw) == Some(number))
}

fn numeric(text: &str, utc: i128) -> bool {
    let Some(number) = super::texts::number(text) else { return false };
    let unix = |step: i128| utc.div_euclid(step) == number;
    unix(SECOND) || unix(1_000_000) || unix(1_000) || unix(1) || utc / 100 + 116_444_736_000_000_000 == number
}

/// Checks whether the text is a date, or a date and time, without a zone.
pub fn is_naive(text: &str) -> bool {
    let text = text.trim().trim_matches(['`', '"', '\'', '.']);
    let bytes = text.as_bytes();
    let dated = bytes.len() >= 10 && text.get(..10).and_then(date).is_some();
    dated && stated(text).is_none()
}

/// Reads RFC 3339. Every other way to write an instant is open: a space for the `T`, `UTC`, no seconds, `+0200`.
fn stated(text: &str) -> Option<Stated> {
    if !text.is_ascii() || text.len() < 17 {
        return None;
    }
    let days = date(&text[..10])?;
    let (between, rest) = (&text[10..11], &text[11..]);
    let mut sure = if between == "T" { Sure::Yes } else { Sure::Open };
    if !["T", "t", " "].contains(&between) {
        return None;
    }
    let at = rest.find(['Z', 'z', '+', '-', 'U', 'G', ' '])?;
    let (clock, zone) = rest.split_at(at);
    let (offset, plain) = offset(zone)?;
    if !plain {
        sure = Sure::Open;
    }
    let (whole, fraction) = clock.split_once('.').map_or((clock, ""), |(whole, fraction)| (whole, fraction));
    let parts: Vec<i128> =
        whole.split(':').map(|part| part.parse().ok().filter(|_| part.len() == 2)).collect::<Option<_>>()?;
    let (hour, minute, second, mut step) = match parts[..] {
        [hour, minute, second] => (hour, minute, second, SECOND),
        [hour, minute] => (hour, minute, 0, 60 * SECOND),
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 || fraction.len() > 9 {
        return None;
    }
    if parts.len() == 2 {
        sure = Sure::Open;
    }
    let mut nanoseconds = (((days * 24 + hour) * 60 + minute) * 60 + second - offset) * SECOND;
    if clock.contains('.') {
        step = SECOND / 10i128.pow(fraction.len() as u32);
        nanoseconds += fraction.parse::<i128>().ok()? * step;
    }
    Some(Stated { nanoseconds, step, sure })
}

/// Returns the seconds ahead of UTC, and whether RFC 3339 writes the offset this way.
fn offset(zone: &str) -> Option<(i128, bool)> {
    match zone {
        "Z" => return Some((0, true)),
        "z" | "UTC" | " UTC" | "GMT" | " GMT" | " Z" => return Some((0, false)),
        _ => {}
    }
    let trimmed = zone.trim_start();
    let sign = match trimmed.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = trimmed[1..].chars().filter(|c| *c != ':').collect();
    let number: i128 = digits.parse().ok()?;
    let (hours, minutes) = if digits.len() == 2 { (number, 0) } else { (number / 100, number % 100) };
    if hours > 23 || minutes > 59 || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    // RFC 3339 reserves `-00:00` for an unknown offset.
    let plain = zone.len() == 6 && zone.as_bytes()[3] == b':' && zone != "-00:00";
    Some((sign * (hours * 3600 + minutes * 60), plain))
}

/// Returns days since 1970-01-01, counted year by year and month by month.
fn date(text: &str) -> Option<i128> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let (year, month, day): (i128, usize, i128) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let leap = |year: i128| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let months = |year: i128| [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    if !(1..=12).contains(&month) || day < 1 || day > months(year)[month - 1] {
        return None;
    }
    let year_days = |year: i128| if leap(year) { 366 } else { 365 };
    let years: i128 = if year >= 1970 {
        (1970..year).map(year_days).sum()
    } else {
        -(year..1970).map(year_days).sum::<i128>()
    };
    Some(years + months(year)[..month - 1].iter().sum::<i128>() + day - 1)
}
