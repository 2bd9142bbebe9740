//! Times of FAT and exFAT ([FATGEN] section "Date and Time Formats"; [exFAT] section 7.4.8).

use crate::tree::MacbTimes;
use ledger::{AssumedZone, Clock, Precision, Time, Utc};

/// The times of an entry, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamps {
    pub(crate) modified: Stamp,
    pub(crate) accessed: Stamp,
    pub(crate) born: Stamp,
}

/// One time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    /// Bits 0 to 4: day, 5 to 8: month, 9 to 15: years since 1980; 0 for none.
    pub(crate) date: u16,
    /// Bits 0 to 4: half the seconds, 5 to 10: minutes, 11 to 15: hours; `None` if only the date is stored.
    pub(crate) time: Option<u16>,
    /// Tens of milliseconds to add, up to 199.
    pub(crate) tens: Option<u8>,
    /// Bit 7: whether the offset from UTC is known, bits 0 to 6: that offset in quarters of an hour, signed (exFAT only).
    pub(crate) offset: Option<u8>,
}

impl Stamps {
    /// Converts them to the times of a node. Neither file system records when the entry itself was changed.
    pub(crate) fn times(self) -> MacbTimes {
        MacbTimes {
            modified: self.modified.time(),
            accessed: self.accessed.time(),
            changed: None,
            born: self.born.time(),
        }
    }
}

impl Stamp {
    /// Returns the time; `None` if none is set.
    ///
    /// The raw value is the stored numbers in hexadecimal, as far as they exist: `0x` date, `:` time, `:` tens
    /// of milliseconds, `:` offset.
    fn time(self) -> Option<Time> {
        if self.date == 0 {
            return None;
        }
        let tens = self.tens.filter(|_| self.time.is_some());
        let precision = match (self.time, tens) {
            (None, _) => Precision::Day,
            (Some(_), None) => Precision::TwoSeconds,
            (Some(_), Some(_)) => Precision::Centisecond,
        };
        let zone = if self.known_offset().is_some() { None } else { Some(AssumedZone::Utc) };
        Some(Time { utc: self.utc(), raw: self.raw(), clock: Clock::Host, precision, zone })
    }

    /// Returns the instant; a local time is treated as if it were UTC.
    fn utc(self) -> Option<Utc> {
        let (date, time) = (self.date, self.time.unwrap_or(0));
        // Months and days have so few bits that they are always small numbers.
        let small = |number: u16| i8::try_from(number).ok();
        let day = [1980 + (date >> 9), date >> 5 & 0x0f, date & 0x1f].map(u16::cast_signed);
        let clock = [small(time >> 11)?, small(time >> 5 & 0x3f)?, small((time & 0x1f) * 2)?];
        let utc = Utc::from_date_and_time(day, clock, 0)?.unix_nanoseconds();
        let tens = i128::from(self.tens.filter(|tens| *tens < 200).unwrap_or(0)) * 10_000_000;
        let quarters = i128::from(self.known_offset().unwrap_or(0)) * 900_000_000_000;
        Utc::from_unix_nanoseconds(utc + tens - quarters)
    }

    /// Returns the local time's offset from UTC in quarters of an hour, if known.
    fn known_offset(self) -> Option<i8> {
        let offset = self.offset.filter(|offset| offset & 0x80 != 0)?;
        // The offset is a signed number of seven bits (two's complement).
        Some((offset << 1).cast_signed() >> 1)
    }

    fn raw(self) -> String {
        let mut raw = format!("0x{:04x}", self.date);
        if let Some(time) = self.time {
            raw.push_str(&format!(":{time:04x}"));
        }
        for byte in [self.tens, self.offset].into_iter().flatten() {
            raw.push_str(&format!(":{byte:02x}"));
        }
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-03-01 12:00:02.
    const STAMP: Stamp = Stamp { date: 0x5861, time: Some(0x6001), tens: None, offset: None };

    fn text(stamp: Stamp) -> String {
        stamp.time().unwrap().to_text()
    }

    #[test]
    fn a_time_without_an_offset_is_local_and_one_with_it_is_an_instant() {
        assert_eq!(text(STAMP), "2024-03-01T12:00:02 local");
        assert_eq!(text(Stamp { tens: Some(150), ..STAMP }), "2024-03-01T12:00:03.50 local");
        assert_eq!(text(Stamp { time: None, ..STAMP }), "2024-03-01 local");
        let zoned = |offset| text(Stamp { tens: Some(1), offset: Some(offset), ..STAMP });
        assert_eq!(zoned(0x84), "2024-03-01T11:00:02.01Z");
        assert_eq!(zoned(0xec), "2024-03-01T17:00:02.01Z");
        assert_eq!(zoned(0x80), "2024-03-01T12:00:02.01Z");
        assert_eq!(zoned(0x04), "2024-03-01T12:00:02.01 local");
    }

    #[test]
    fn numbers_that_make_no_time_keep_their_raw_value() {
        let thirteenth_month = Stamp { date: 0x59a1, ..STAMP };
        let time = thirteenth_month.time().unwrap();
        assert_eq!((time.utc, time.to_text()), (None, "0x59a1:6001".to_owned()));
        assert_eq!(Stamp { date: 0, ..STAMP }.time(), None);
    }
}
