//! Instants as sentences write them.

use crate::typed::{self, Instant};
use ledger::Time;

/// An instant, or the UTC minute or day that contains one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// To the second or finer.
    Exact(Instant),
    /// A longer span of UTC, from its first nanosecond.
    Span { start: i128, length: i128 },
}

const MINUTE: i128 = 60_000_000_000;
const DAY: i128 = 86_400_000_000_000;

impl Moment {
    /// Reads RFC 3339 with a zone, also to the minute or the day; `UTC` and `GMT` count as `Z`.
    pub(super) fn read(text: &str) -> Option<Moment> {
        // A number counts from an epoch: it is not a date.
        if !is_date(text) {
            return None;
        }
        if let Some(instant) = Instant::read(text) {
            return Some(Moment::Exact(instant));
        }
        let (date, rest) = text.split_at_checked(10)?;
        let span = |written: String, length| {
            let start = Instant::read(&written)?.unix_nanoseconds();
            Some(Moment::Span { start, length })
        };
        if ["Z", "UTC", "GMT"].contains(&rest.trim_start_matches(' ')) {
            return span(format!("{date}T00:00:00Z"), DAY);
        }
        let (clock, zone) = rest.strip_prefix(['T', 't', ' '])?.split_at_checked(5)?;
        span(format!("{date}T{clock}:00{}", zone.trim_start_matches(' ')), MINUTE)
    }

    /// Checks whether a time of the evidence is this moment, at the sentence's precision.
    pub(super) fn is(self, time: &Time) -> bool {
        match self {
            Moment::Exact(instant) => instant.is(time),
            Moment::Span { start, length } => {
                let utc = time.utc.filter(|_| time.zone.is_none() && time.precision.nanoseconds() <= length);
                utc.is_some_and(|utc| (start..start + length).contains(&utc.unix_nanoseconds()))
            }
        }
    }
}

/// Checks whether a text begins with a date.
pub(super) fn is_date(text: &str) -> bool {
    text.get(..10).is_some_and(typed::is_zoneless)
}

/// Checks whether a text is a time of day: `9:30`, `01:58:40.839Z`, `9:30pm`.
pub(super) fn is_clock(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let bare = ["z", "am", "pm"].into_iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    let parts: Vec<&str> = bare.split(':').collect();
    let two = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let hour = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [first, second] => hour(first) && two(second),
        [first, second, third] => {
            let (whole, fraction) = third.split_once('.').unwrap_or((third, "0"));
            hour(first) && two(second) && two(whole) && fraction.bytes().all(|b| b.is_ascii_digit())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_as_long_as_it_is_written() {
        let time =
            Time { precision: ledger::Precision::Second, ..Time::from_filetime(129_779_783_208_392_490) };
        for same in
            ["2012-04-04T01:58:40Z", "2012-04-04 01:58 UTC", "2012-04-04T03:58+02:00", "2012-04-04 UTC"]
        {
            assert!(Moment::read(same).is_some_and(|moment| moment.is(&time)), "{same}");
        }
        for other in ["2012-04-04T01:58:41Z", "2012-04-04T01:59Z", "2012-04-05Z", "2012-04-04T01:58:40.8Z"] {
            assert!(Moment::read(other).is_some_and(|moment| !moment.is(&time)), "{other}");
        }
        for none in
            ["2012-04-04", "2012-04-04 01:58", "1333504720", "2012-04-04T01:58:40 local", "2012-13-40Z"]
        {
            assert_eq!(Moment::read(none), None, "{none}");
        }
    }

    #[test]
    fn a_time_of_day_is_known_as_such() {
        for clock in ["9:30", "01:58:40", "01:58:40.839Z", "9:30PM"] {
            assert!(is_clock(clock), "{clock}");
        }
        for other in ["10.0.0.5:443", "fe80::1", "1:2:3:4", "a:30", "9:3"] {
            assert!(!is_clock(other), "{other}");
        }
    }
}
