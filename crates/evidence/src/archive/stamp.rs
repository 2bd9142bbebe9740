//! Times as archives store them.
//!
//! They are the times of the packed copy, whatever the collecting tool did with them
//! ([`Clock::CollectionCopy`]), so no event is based on them.

use crate::tree::MacbTimes;
use ledger::{Clock, Precision, Time, Utc};
use serde::{Deserialize, Serialize};

/// The times of an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamps {
    pub(super) modified: Stamp,
    pub(super) accessed: Stamp,
    pub(super) born: Stamp,
}

/// A time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stamp {
    /// No time.
    #[default]
    None,
    /// MS-DOS date (upper half) and time, in the local time of an unknown zone.
    Dos(u32),
    /// Seconds since 1970-01-01 UTC.
    Seconds(i64),
    /// The same, and nanoseconds.
    Nanoseconds(i64, u32),
    /// A FILETIME.
    Filetime(u64),
}

impl Stamps {
    /// Converts them to the times of a node.
    pub(super) fn times(self) -> MacbTimes {
        MacbTimes {
            modified: self.modified.time(),
            accessed: self.accessed.time(),
            changed: None,
            born: self.born.time(),
        }
    }
}

impl Stamp {
    /// Returns the better of two values for one time: one that is an instant.
    pub(super) fn or(self, other: Stamp) -> Stamp {
        match self {
            Stamp::None | Stamp::Dos(_) if other != Stamp::None => other,
            Stamp::None | Stamp::Dos(_) | Stamp::Seconds(_) | Stamp::Nanoseconds(..) | Stamp::Filetime(_) => {
                self
            }
        }
    }

    fn time(self) -> Option<Time> {
        let clock = Clock::CollectionCopy;
        let unix = |seconds: i64, nanoseconds: u32| {
            Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds))
        };
        let (utc, raw, precision) = match self {
            Stamp::None => return None,
            Stamp::Dos(stamp) => (None, dos(stamp)?, Precision::TwoSeconds),
            Stamp::Seconds(seconds) => (unix(seconds, 0), seconds.to_string(), Precision::Second),
            Stamp::Nanoseconds(seconds, nanoseconds) => {
                (unix(seconds, nanoseconds), format!("{seconds}.{nanoseconds:09}"), Precision::Nanosecond)
            }
            Stamp::Filetime(0) => return None,
            Stamp::Filetime(ticks) => (Utc::from_filetime(ticks), ticks.to_string(), Precision::Filetime),
        };
        Some(Time { utc, raw, clock, precision, zone: None })
    }
}

/// Formats an MS-DOS date and time as `YYYY-MM-DDTHH:MM:SS`; `None` if the date is not set.
fn dos(stamp: u32) -> Option<String> {
    let (date, time) = (stamp >> 16, stamp & 0xffff);
    let (year, month, day) = (1980 + (date >> 9), (date >> 5) & 15, date & 31);
    if month == 0 || day == 0 {
        return None;
    }
    let (hour, minute, second) = (time >> 11, (time >> 5) & 63, (time & 31) * 2);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dos_time_names_no_instant_and_keeps_its_digits() {
        let stamp = Stamp::Dos((42 << 25 | 5 << 21 | 28 << 16) | (2 << 11 | 37 << 5 | 21));
        let time = stamp.time().unwrap();
        assert_eq!((time.utc, time.raw.as_str()), (None, "2022-05-28T02:37:42"));
        assert_eq!((time.clock, time.precision), (Clock::CollectionCopy, Precision::TwoSeconds));
        assert_eq!(Stamp::Dos(0).time(), None);
    }

    #[test]
    fn an_instant_is_taken_before_a_local_time() {
        assert_eq!(Stamp::Dos(1).or(Stamp::Seconds(5)), Stamp::Seconds(5));
        assert_eq!(Stamp::Filetime(7).or(Stamp::Seconds(5)), Stamp::Filetime(7));
        assert_eq!(Stamp::None.or(Stamp::Dos(1)), Stamp::Dos(1));
        let time = Stamp::Nanoseconds(1_333_504_720, 5).time().unwrap();
        assert_eq!(time.to_text(), "2012-04-04T01:58:40.000000005Z");
    }
}
