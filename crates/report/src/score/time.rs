//! Parses times in the notation of truth files.

use ledger::Utc;
use ledger::time::UtcError;

/// An instant with the precision of its notation: `12:00:05` covers one second, a bare date one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The start, in nanoseconds since 1970-01-01 UTC.
    start: i128,
    /// The precision, in nanoseconds.
    step: i128,
}

const SECOND: i128 = 1_000_000_000;

impl Span {
    /// Parses RFC 3339 with any offset, the same without a zone (truth files use UTC), a blank for `T`, ` UTC` for `Z`,
    /// `May 01, 2021 17:40:03 UTC`, or a bare date.
    pub(crate) fn read(text: &str) -> Option<Span> {
        let text = plain(text.trim())?;
        let zoned = if is_date(&text) { format!("{text}T00:00:00Z") } else { text.clone() };
        let utc: Utc = match zoned.parse() {
            Ok(utc) => utc,
            Err(UtcError::Naive { .. }) => format!("{zoned}Z").parse().ok()?,
            Err(UtcError::Form { .. }) => return None,
        };
        Some(Span { start: utc.unix_nanoseconds(), step: step(&text) })
    }

    /// Parses a time in text from the evidence: like [`Span::read`], but a zone is required.
    pub(crate) fn read_zoned(text: &str) -> Option<i128> {
        let plain = plain(text.trim())?;
        let utc: Utc = plain.parse().ok()?;
        Some(utc.unix_nanoseconds())
    }

    /// Creates a span of one instant.
    pub(crate) fn instant(utc: Utc) -> Span {
        Span { start: utc.unix_nanoseconds(), step: 1 }
    }

    /// Checks whether it has a fraction of a second.
    pub(crate) fn has_fraction(self) -> bool {
        self.step < SECOND && self.start.rem_euclid(SECOND) != 0
    }

    /// Checks whether the instant is in this span, widened by `tolerance` on both sides.
    pub(crate) fn holds(self, nanoseconds: i128, tolerance: i128) -> bool {
        self.distance(nanoseconds) <= tolerance
    }

    /// Returns the nanoseconds from the span to the instant; 0 inside.
    pub(crate) fn distance(self, nanoseconds: i128) -> i128 {
        let last = self.start + self.step - 1;
        (self.start - nanoseconds).max(nanoseconds - last).max(0)
    }
}

/// Returns the similarity of two times at this distance in nanoseconds, from 0 to 1.
///
/// Similar are times within a minute, and times shifted by a wrong zone: by multiples of a quarter of an hour, up to fourteen hours.
pub(crate) fn nearness(distance: i128) -> Option<f64> {
    let quarter = 900 * SECOND;
    let off = (distance + quarter / 2).rem_euclid(quarter) - quarter / 2;
    let zone = off.abs() <= SECOND && distance <= 14 * 3_600 * SECOND;
    match distance <= 60 * SECOND {
        true => Some(0.95),
        false => zone.then_some(0.9),
    }
}

/// Checks whether the text is only a date.
pub(crate) fn is_date(text: &str) -> bool {
    text.len() == 10 && has_date(text)
}

fn has_date(text: &str) -> bool {
    let shape = |(c, s): (u8, u8)| if s == b'0' { c.is_ascii_digit() } else { c == s };
    text.len() >= 10 && text.bytes().zip(*b"0000-00-00").all(shape)
}

/// Converts to the RFC 3339 notation, with or without a zone; `None` if it is not a time.
fn plain(text: &str) -> Option<String> {
    let text = numbered(text).unwrap_or_else(|| text.to_owned());
    if !has_date(&text) {
        return None;
    }
    let (text, utc) = match text.strip_suffix(" UTC").or_else(|| text.strip_suffix(" GMT")) {
        Some(text) => (text, "Z"),
        None => (text.as_str(), ""),
    };
    Some(format!("{}{utc}", text.replacen(' ', "T", 1)))
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Rewrites `May 01, 2021 17:40:03 UTC` with a numeric date.
fn numbered(text: &str) -> Option<String> {
    let (month, rest) = text.split_once(' ')?;
    let (day, rest) = rest.split_once(", ")?;
    let (year, clock) = rest.split_once(' ')?;
    let number = (1..).zip(MONTHS).find(|(_, name)| month.starts_with(name))?.0;
    Some(format!("{year}-{number:02}-{day:0>2} {clock}"))
}

/// Returns the precision of the notation in nanoseconds.
fn step(text: &str) -> i128 {
    if is_date(text) {
        return 86_400 * SECOND;
    }
    let clock = text.get(11..).unwrap_or_default();
    let digits = clock
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.bytes().take_while(u8::is_ascii_digit).count());
    let seconds = clock.bytes().take_while(|b| b.is_ascii_digit() || *b == b':').count() >= 8;
    match (seconds, digits) {
        (false, _) => 60 * SECOND,
        (true, digits) => (0..digits.min(9)).fold(SECOND, |step, _| step / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> i128 {
        text.parse::<Utc>().unwrap().unix_nanoseconds()
    }

    #[test]
    fn every_notation_of_one_instant_is_that_instant() {
        let instant = utc("2019-12-07T09:03:44.5688762Z");
        for text in [
            "2019-12-07T09:03:44.5688762Z",
            "2019-12-07 09:03:44.5688762",
            "2019-12-07T09:03:44.5688762",
            "2019-12-07 09:03:44.5688762 UTC",
            "2019-12-07T10:03:44.5688762+01:00",
            "Dec 07, 2019 09:03:44.568876200 UTC",
            "2019-12-07T09:03:44.568Z",
            "2019-12-07T09:03:44Z",
            "2019-12-07 09:03",
            "2019-12-07",
        ] {
            assert!(Span::read(text).unwrap().holds(instant, 0), "{text}");
        }
        for text in [
            "2019-12-07T09:03:44.5688763Z",
            "2019-12-07T09:03:45Z",
            "2019-12-07T09:03:44+01:00",
            "2019-12-08",
        ] {
            assert!(!Span::read(text).unwrap().holds(instant, 0), "{text}");
        }
    }

    #[test]
    fn the_tolerance_reaches_as_far_as_it_says() {
        let truth = Span::read("2012-04-06T19:06:22.123456Z").unwrap();
        let near = [utc("2012-04-06T19:06:22.122456Z"), utc("2012-04-06T19:06:22.124456Z")];
        for instant in near {
            assert!(truth.holds(instant, 1_000_000));
            assert!(!truth.holds(instant, 999_000));
        }
        assert!(!truth.holds(utc("2012-04-06T19:06:22.1254569Z"), 1_000_000));
    }

    #[test]
    fn a_minute_and_a_mistaken_zone_are_near_and_other_times_are_not() {
        for (seconds, near) in [
            (5, true),
            (60, true),
            (61, false),
            (3600, true),
            (19_800, true),
            (20_000, false),
            (54_000, false),
        ] {
            assert_eq!(nearness(seconds * SECOND).is_some(), near, "{seconds}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in ["", "7601", "2012", "20120404", "Windows 7", "10.3.58.5", "May", "2012-13-40 1"] {
            assert_eq!(Span::read(text), None, "{text}");
        }
        assert_eq!(Span::read_zoned("2022-03-10T15:59:03"), None);
    }
}
