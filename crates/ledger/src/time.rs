//! Times: the instant in UTC, the raw value, the clock it came from and its precision.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// 100-nanosecond ticks from 1601-01-01 (FILETIME's epoch) to 1970-01-01 (Unix's).
const FILETIME_UNIX_EPOCH: i128 = 116_444_736_000_000_000;

/// An instant in UTC; written as RFC 3339 with `Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utc(Timestamp);

/// Why a text is not an instant.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum UtcError {
    /// The text is a date and time without a zone: it could mean any of some thirty instants.
    #[error("read a time: {found:?} has no zone; expected `Z` or an offset such as `+02:00`")]
    Naive {
        /// The text that was given.
        found: String,
    },
    /// The text is not an RFC 3339 time.
    #[error("read a time: expected RFC 3339, found {found:?}")]
    Form {
        /// The text that was given.
        found: String,
    },
}

impl Utc {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Utc = Utc(Timestamp::UNIX_EPOCH);

    /// Converts a FILETIME: 100-nanosecond ticks since 1601-01-01 UTC ([MS-DTYP] 2.3.3).
    ///
    /// `None` for 0, which Windows writes for "not set", and for ticks after the year 9999, which programs write for "never".
    pub fn from_filetime(ticks: u64) -> Option<Utc> {
        if ticks == 0 {
            return None;
        }
        let nanoseconds = (i128::from(ticks) - FILETIME_UNIX_EPOCH) * 100;
        Timestamp::from_nanosecond(nanoseconds).ok().map(Utc)
    }

    /// Converts nanoseconds since 1970-01-01 UTC; `None` outside the years -9999 to 9999.
    pub fn from_unix_nanoseconds(nanoseconds: i128) -> Option<Utc> {
        Timestamp::from_nanosecond(nanoseconds).ok().map(Utc)
    }

    /// Converts a date and a time of day in UTC; `None` if the numbers are not valid.
    pub fn from_date_and_time(date: [i16; 3], time: [i8; 3], nanosecond: i32) -> Option<Utc> {
        let ([year, month, day], [hour, minute, second]) = (date, time);
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        let civil = jiff::civil::DateTime::new(year, month, day, hour, minute, second, nanosecond).ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| Utc(zoned.timestamp()))
    }

    /// Returns nanoseconds since 1970-01-01 UTC.
    pub fn unix_nanoseconds(self) -> i128 {
        self.0.as_nanosecond()
    }

    /// Returns `YYYYMMDDThhmmssZ`, for file names.
    pub fn to_compact_text(self) -> String {
        self.to_text(Precision::Second).replace(['-', ':'], "")
    }

    /// Returns RFC 3339 with as many decimal places as `precision` has.
    pub fn to_text(self, precision: Precision) -> String {
        format!("{:.*}", precision.decimals(), self.0)
    }
}

impl FromStr for Utc {
    type Err = UtcError;

    /// Reads RFC 3339; refuses a time without a zone as [`UtcError::Naive`].
    fn from_str(text: &str) -> Result<Utc, UtcError> {
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            return Ok(Utc(timestamp));
        }
        let found = text.to_owned();
        match text.parse::<jiff::civil::DateTime>() {
            Ok(_) => Err(UtcError::Naive { found }),
            Err(_) => Err(UtcError::Form { found }),
        }
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// How finely a source stores its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// One nanosecond.
    Nanosecond,
    /// 100 nanoseconds: FILETIME.
    Filetime,
    /// One microsecond.
    Microsecond,
    /// One millisecond.
    Millisecond,
    /// Ten milliseconds: FAT's creation time.
    Centisecond,
    /// One second.
    Second,
    /// Two seconds: FAT's write time.
    TwoSeconds,
    /// One day: FAT's access date.
    Day,
}

impl Precision {
    /// Returns the number of decimal places of a second.
    pub const fn decimals(self) -> usize {
        match self {
            Precision::Nanosecond => 9,
            Precision::Filetime => 7,
            Precision::Microsecond => 6,
            Precision::Millisecond => 3,
            Precision::Centisecond => 2,
            Precision::Second | Precision::TwoSeconds | Precision::Day => 0,
        }
    }

    /// Returns the length of one step in nanoseconds.
    pub const fn nanoseconds(self) -> i128 {
        match self {
            Precision::Nanosecond => 1,
            Precision::Filetime => 100,
            Precision::Microsecond => 1_000,
            Precision::Millisecond => 1_000_000,
            Precision::Centisecond => 10_000_000,
            Precision::Second => 1_000_000_000,
            Precision::TwoSeconds => 2_000_000_000,
            Precision::Day => 86_400_000_000_000,
        }
    }
}

/// Who kept the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// The examined host, written by its system.
    Host,
    /// The file system of the machine that holds a copy: it shows when the copy was made or what the copying tool kept, and grounds no event.
    CollectionCopy,
}

/// The zone assumed for a local time whose source keeps none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssumedZone {
    /// UTC, because nothing better is known: the true instant is up to 14 hours earlier or 12 hours later.
    Utc,
}

/// A time as a source gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// The instant, or `None` if the raw value names none (0 for "not set", past the year 9999 for "never").
    #[serde(with = "utc_text")]
    pub utc: Option<Utc>,
    /// The stored number or text, unchanged.
    pub raw: String,
    /// Who kept the time.
    pub clock: Clock,
    /// How finely the source stores it.
    pub precision: Precision,
    /// The zone that was assumed for a local time; `None` if the source gives the instant itself.
    ///
    /// If it is set, `utc` is only for sorting and searching: it is not an instant that a claim may state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<AssumedZone>,
}

impl Time {
    /// Makes a FILETIME kept by the examined host.
    pub fn from_filetime(ticks: u64) -> Time {
        Time {
            utc: Utc::from_filetime(ticks),
            raw: ticks.to_string(),
            clock: Clock::Host,
            precision: Precision::Filetime,
            zone: None,
        }
    }

    /// Returns the text that a claim states: RFC 3339 in UTC at the source's precision, or the raw value if there is no instant.
    ///
    /// A local time with an unknown zone reads `2024-03-01T12:00:02 local`, or `2024-03-01 local` if only the day is kept.
    pub fn to_text(&self) -> String {
        match (self.utc, self.zone) {
            (Some(utc), None) => utc.to_text(self.precision),
            (Some(utc), Some(AssumedZone::Utc)) => {
                let text = utc.to_text(self.precision);
                let day = text.split_once('T').map_or("", |(day, _)| day);
                let local = if self.precision == Precision::Day { day } else { text.trim_end_matches('Z') };
                format!("{local} local")
            }
            (None, _) => self.raw.clone(),
        }
    }

    /// Returns the earliest and the latest instant that it can be; `None` if it names none.
    ///
    /// Zones are between 12 hours behind UTC and 14 hours ahead of it.
    pub fn bounds(&self) -> Option<(Utc, Utc)> {
        const HOUR: i128 = 3_600_000_000_000;
        let utc = self.utc?;
        let moved = |hours: i128| Utc::from_unix_nanoseconds(utc.unix_nanoseconds() + hours * HOUR);
        match self.zone {
            None => Some((utc, utc)),
            Some(AssumedZone::Utc) => Some((moved(-14).unwrap_or(utc), moved(12).unwrap_or(utc))),
        }
    }
}

mod utc_text {
    use super::Utc;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(utc: &Option<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
        match utc {
            Some(utc) => serializer.collect_str(utc),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Utc>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_filetime_is_shown_with_its_seven_digits() {
        let time = Time::from_filetime(129_779_783_208_392_490);
        assert_eq!(time.to_text(), "2012-04-04T01:58:40.8392490Z");
        assert_eq!(time.raw, "129779783208392490");
    }

    #[test]
    fn a_local_time_is_never_written_as_an_instant() {
        let utc = Utc::from_date_and_time([2024, 3, 1], [12, 0, 2], 0);
        let local = |precision| Time {
            utc,
            raw: "5861:6001".to_owned(),
            clock: Clock::Host,
            precision,
            zone: Some(AssumedZone::Utc),
        };
        assert_eq!(local(Precision::TwoSeconds).to_text(), "2024-03-01T12:00:02 local");
        assert_eq!(local(Precision::Centisecond).to_text(), "2024-03-01T12:00:02.00 local");
        assert_eq!(local(Precision::Day).to_text(), "2024-03-01 local");
        let (from, to) = local(Precision::TwoSeconds).bounds().unwrap();
        assert_eq!(
            (from.to_string(), to.to_string()),
            ("2024-02-29T22:00:02Z".to_owned(), "2024-03-02T00:00:02Z".to_owned())
        );
        assert_eq!(Utc::from_date_and_time([2023, 2, 29], [0, 0, 0], 0), None);
    }

    #[test]
    fn the_form_of_a_time_whose_zone_is_known_names_no_zone() {
        let known = serde_json::to_string(&Time::from_filetime(129_779_783_208_392_490)).unwrap();
        assert!(!known.contains("zone"), "{known}");
        let assumed = Time { zone: Some(AssumedZone::Utc), ..Time::from_filetime(129_779_783_208_392_490) };
        let text = serde_json::to_string(&assumed).unwrap();
        assert!(text.contains(r#""zone":"utc""#), "{text}");
        assert_eq!(serde_json::from_str::<Time>(&text).unwrap(), assumed);
    }

    #[test]
    fn a_file_name_carries_the_time_to_the_second() {
        let utc: Utc = "2026-11-21T04:35:01.75Z".parse().unwrap();
        assert_eq!(utc.to_compact_text(), "20261121T043501Z");
    }

    #[test]
    fn filetimes_that_name_no_instant_keep_their_raw_value() {
        for ticks in [0, 0x7fff_ffff_ffff_ffff] {
            let time = Time::from_filetime(ticks);
            assert_eq!((time.utc, time.to_text()), (None, ticks.to_string()));
        }
    }

    #[test]
    fn a_time_without_a_zone_is_told_from_a_text_that_is_no_time() {
        assert!(matches!("2012-04-04T01:58:40".parse::<Utc>(), Err(UtcError::Naive { .. })));
        assert!(matches!("yesterday".parse::<Utc>(), Err(UtcError::Form { .. })));
        assert_eq!(
            "2012-04-04T03:58:40+02:00".parse::<Utc>().unwrap(),
            "2012-04-04T01:58:40Z".parse::<Utc>().unwrap()
        );
    }

    proptest! {
        #[test]
        fn a_time_survives_its_persisted_form(ticks in any::<u64>()) {
            let time = Time::from_filetime(ticks);
            let text = serde_json::to_string(&time).unwrap();
            prop_assert_eq!(serde_json::from_str::<Time>(&text).unwrap(), time);
        }
    }
}
