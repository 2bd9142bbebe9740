//! Equality of typed values: instants and whole numbers.

use ledger::value::read_whole_number;
use ledger::{Time, Utc};
use std::net::Ipv6Addr;

/// The longest text of an instant, in bytes.
const LONGEST: usize = 64;

/// An instant as a claim states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant {
    /// Nanoseconds since 1970-01-01 UTC.
    nanoseconds: i128,
    /// The number of decimal places of the second in the claim.
    decimals: usize,
}

impl Instant {
    /// Reads RFC 3339 with a zone, with `UTC` or `GMT` for its `Z`, or a number that counts from an epoch.
    /// Nothing looser is accepted, so that the claim's precision is known.
    pub(crate) fn read(text: &str) -> Option<Instant> {
        if text.len() > LONGEST {
            return None;
        }
        let zone = ["UTC", "GMT"].into_iter().find_map(|zone| text.strip_suffix(zone));
        let named = zone.map(|before| format!("{}Z", before.trim_end_matches(' ')));
        let text = named.as_deref().unwrap_or(text);
        Instant::counted(text).or_else(|| Instant::written(text))
    }

    /// Reads a count of seconds, milliseconds or microseconds since 1970, or of 100 ns since 1601 (FILETIME).
    /// Its length says which one, for times from 1975 to 2250.
    fn counted(text: &str) -> Option<Instant> {
        text.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
        let count: i128 = text.parse().ok()?;
        let (nanoseconds, decimals) = match text.len() {
            9 | 10 => (count * 1_000_000_000, 0),
            12 | 13 => (count * 1_000_000, 3),
            15 | 16 => (count * 1_000, 6),
            18 => (Utc::from_filetime(count.try_into().ok()?)?.unix_nanoseconds(), 7),
            _ => return None,
        };
        Some(Instant { nanoseconds, decimals })
    }

    fn written(text: &str) -> Option<Instant> {
        let (date, rest) = text.split_at_checked(10)?;
        let (clock, rest) = rest.strip_prefix(['T', 't', ' '])?.split_at_checked(8)?;
        let (decimals, zone) = match rest.strip_prefix('.') {
            Some(fraction) => {
                let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
                (fraction.len() - zone.len(), zone)
            }
            None => (0, rest),
        };
        let zoned = matches!(zone, "Z" | "z") || has_shape(zone, "+00:00") || has_shape(zone, "-00:00");
        // A second of 60 would be read as 59: a different instant from the one written.
        let plain = has_shape(date, "0000-00-00") && has_shape(clock, "00:00:00") && !clock.ends_with("60");
        let fraction = decimals <= 9 && (decimals > 0 || !rest.starts_with('.'));
        if !(zoned && plain && fraction) {
            return None;
        }
        let utc: Utc = text.parse().ok()?;
        Some(Instant { nanoseconds: utc.unix_nanoseconds(), decimals })
    }

    /// Returns nanoseconds since 1970-01-01 UTC.
    pub(crate) fn unix_nanoseconds(self) -> i128 {
        self.nanoseconds
    }

    /// Checks whether `time` is this instant at the claim's precision, and the claim is no finer than the source.
    ///
    /// A local time never matches, because its zone is only assumed.
    pub(crate) fn is(self, time: &Time) -> bool {
        let (Some(utc), None) = (time.utc, time.zone) else { return false };
        if self.decimals > time.precision.decimals() {
            return false;
        }
        let step = (self.decimals..9).fold(1i128, |step, _| step * 10);
        utc.unix_nanoseconds().div_euclid(step) * step == self.nanoseconds
    }
}

/// Reads a number of bytes with its unit, with grouped digits, or both: `300 bytes`, `8,192`, `8,192 B`.
/// Multiples such as KB are rounded and name no exact size.
pub(crate) fn bytes(text: &str) -> Option<i128> {
    if text.len() > LONGEST {
        return None;
    }
    let unit = |unit: &&str| text.len() > unit.len() && text.to_ascii_lowercase().ends_with(*unit);
    let unit = [" bytes", " byte", " b"].into_iter().find(unit).unwrap_or_default();
    let number = text.get(..text.len() - unit.len())?;
    let number = match number.contains(',') {
        true => read_whole_number(&ungrouped(number)?),
        false => read_whole_number(number),
    };
    number.filter(|number| *number >= 0)
}

/// Removes the commas between groups of three digits.
fn ungrouped(text: &str) -> Option<String> {
    let (first, rest) = text.split_once(',')?;
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let sound = (1..=3).contains(&first.len()) && !first.starts_with('0') && digits(first);
    let groups = rest.split(',').all(|group| group.len() == 3 && digits(group));
    (sound && groups).then(|| text.replace(',', ""))
}

/// Reads an IPv6 address without a zone; an IPv4 address has only one spelling.
pub(crate) fn address(text: &str) -> Option<Ipv6Addr> {
    // The longest spelling has eight groups, the last two written as an IPv4 address.
    (text.len() <= 45 && text.contains(':')).then(|| text.parse().ok())?
}

/// Returns the second that contains an instant, counted from 1970-01-01 UTC.
pub(crate) fn second(unix_nanoseconds: i128) -> i128 {
    const SECOND: i64 = 1_000_000_000;
    // 64 bits reach from 1678 to 2262, and their division is much faster.
    match i64::try_from(unix_nanoseconds) {
        Ok(nanoseconds) => nanoseconds.div_euclid(SECOND).into(),
        Err(_) => unix_nanoseconds.div_euclid(SECOND.into()),
    }
}

/// Checks whether `text` is a date, or a date and time, without a zone.
pub(crate) fn is_zoneless(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let dated = ["0000-00-00", "0000/00/00", "00.00.0000", "00/00/0000"].iter().any(|s| has_shape(date, s));
    let clock = rest.strip_prefix(['T', 't', ' ']).unwrap_or(rest);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let clocked = clock.is_empty() || has_shape(clock, "00:00") || has_shape(clock, "00:00:00");
    dated && clocked && fraction.bytes().all(|b| b.is_ascii_digit())
}

/// Checks whether `text` has a digit wherever `shape` has `0`, and otherwise the same characters.
fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(t, s): (u8, u8)| if s == b'0' { t.is_ascii_digit() } else { t == s };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{AssumedZone, Clock, Precision};

    fn time(text: &str, precision: Precision) -> Time {
        Time { utc: Some(text.parse().unwrap()), raw: "1".into(), clock: Clock::Host, precision, zone: None }
    }

    fn is(claim: &str, time: &Time) -> bool {
        Instant::read(claim).is_some_and(|instant| instant.is(time))
    }

    #[test]
    fn an_instant_is_compared_at_the_precision_of_the_claim() {
        let filetime = time("2012-04-04T01:58:40.8392490Z", Precision::Filetime);
        for equal in ["2012-04-04T01:58:40Z", "2012-04-04T03:58:40.8+02:00", "2012-04-04 01:58:40.839249z"] {
            assert!(is(equal, &filetime), "{equal}");
        }
        for other in ["2012-04-04T01:58:41Z", "2012-04-04T01:58:40.84Z", "2012-04-04T01:58:40+02:00"] {
            assert!(!is(other, &filetime), "{other}");
        }
    }

    #[test]
    fn a_claim_finer_than_the_source_is_not_equal() {
        let second = time("2012-04-04T01:58:40Z", Precision::Second);
        assert!(is("2012-04-04T01:58:40Z", &second));
        assert!(!is("2012-04-04T01:58:40.0Z", &second));
    }

    #[test]
    fn a_local_time_is_no_instant() {
        let known = time("2012-04-04T01:58:40Z", Precision::TwoSeconds);
        let local = Time { zone: Some(AssumedZone::Utc), ..known.clone() };
        assert!(is("2012-04-04T01:58:40Z", &known));
        assert!(!is("2012-04-04T01:58:40Z", &local));
    }

    #[test]
    fn an_instant_before_1970_is_cut_toward_the_past() {
        assert!(is("1969-12-31T23:59:58Z", &time("1969-12-31T23:59:58.5Z", Precision::Filetime)));
    }

    #[test]
    fn a_count_from_an_epoch_is_an_instant_at_its_own_precision() {
        let filetime = time("2012-04-04T01:58:40.8392490Z", Precision::Filetime);
        for equal in ["1333504720", "1333504720839", "1333504720839249", "129779783208392490"] {
            assert!(is(equal, &filetime), "{equal}");
        }
        for other in ["1333504721", "1333504720838", "13335047208", "129779783208392491", "-1333504720"] {
            assert!(!is(other, &filetime), "{other}");
        }
        assert!(!is("1333504720000", &time("2012-04-04T01:58:40Z", Precision::Second)));
    }

    #[test]
    fn a_size_may_have_its_unit_and_its_digits_in_groups() {
        for (text, number) in [("300 bytes", 300), ("8,192", 8192), ("1,048,576 B", 1_048_576), ("0x20", 32)]
        {
            assert_eq!(bytes(text), Some(number), "{text}");
        }
        for text in ["8,19", "8192,5", "0,100", ",300", "300 KB", "8.192", "-5 bytes", "1,0000"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn a_zone_may_be_named_utc_or_gmt() {
        let second = time("2012-04-04T01:58:40Z", Precision::Second);
        for equal in ["2012-04-04 01:58:40 UTC", "2012-04-04T01:58:40GMT"] {
            assert!(is(equal, &second), "{equal}");
        }
        for other in ["2012-04-04 01:58:40 CET", "2012-04-04 01:58:40Z UTC", "UTC"] {
            assert!(!is(other, &second), "{other}");
        }
    }

    #[test]
    fn only_rfc_3339_with_a_zone_is_an_instant() {
        for text in [
            "2012-04-04T01:58:40",
            "2012-04-04T01:58Z",
            "2012-04-04",
            "20120404T015840Z",
            "2012-04-04T01:58:60Z",
            "2012-04-04T01:58:40.Z",
            "2012-04-04T01:58:40+02:00[Europe/Berlin]",
            "2012-13-04T01:58:40Z",
            "é",
        ] {
            assert_eq!(Instant::read(text), None, "{text}");
        }
    }

    #[test]
    fn dates_and_times_without_a_zone_are_known_as_such() {
        for text in ["2012-04-04T01:58:40", "2012-04-04 01:58:40.123", "2012-04-04", "04/04/2012 01:58"] {
            assert!(is_zoneless(text), "{text}");
        }
        for text in ["2012-04-04T01:58:40Z", "129779783208392490", "version 10.0"] {
            assert!(!is_zoneless(text), "{text}");
        }
    }
}
