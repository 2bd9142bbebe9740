//! `SYSTEMTIME`: a date and time in eight words of 16 bits, without a zone ([MS-DTYP] 2.3.13).

use std::fmt;

/// A date and time as stored; whether it is UTC or local time depends on its writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemTime {
    year: u16,
    month: u16,
    day: u16,
    hour: u16,
    minute: u16,
    second: u16,
    millisecond: u16,
}

impl SystemTime {
    /// Reads exactly 16 bytes; `None` for another length and for an impossible date or time.
    pub fn read(bytes: &[u8]) -> Option<SystemTime> {
        let bytes: &[u8; 16] = bytes.try_into().ok()?;
        let (pairs, _) = bytes.as_chunks::<2>();
        // The third word is the day of the week, which also follows from the date.
        let mut words = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
        let mut next = || words.next();
        let (year, month, _) = (next()?, next()?, next()?);
        let time = SystemTime {
            year,
            month,
            day: next()?,
            hour: next()?,
            minute: next()?,
            second: next()?,
            millisecond: next()?,
        };
        time.is_possible().then_some(time)
    }

    fn is_possible(self) -> bool {
        let leap =
            self.year.is_multiple_of(4) && !self.year.is_multiple_of(100) || self.year.is_multiple_of(400);
        let days = match self.month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return false,
        };
        (1601..=30827).contains(&self.year)
            && (1..=days).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second < 60
            && self.millisecond < 1000
    }
}

impl fmt::Display for SystemTime {
    /// Formats it as `YYYY-MM-DDThh:mm:ss.mmm`, without a zone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}T", self.year, self.month, self.day)?;
        write!(f, "{:02}:{:02}:{:02}.{:03}", self.hour, self.minute, self.second, self.millisecond)
    }
}

#[cfg(test)]
mod tests {
    use super::SystemTime;

    fn bytes(words: [u16; 8]) -> Vec<u8> {
        words.into_iter().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn a_time_reads_as_it_is_stored() {
        let time = SystemTime::read(&bytes([2012, 4, 3, 4, 1, 2, 3, 45])).unwrap();
        assert_eq!(time.to_string(), "2012-04-04T01:02:03.045");
    }

    #[test]
    fn what_no_calendar_has_is_no_time() {
        for words in [
            [0; 8],
            [2012, 13, 0, 1, 0, 0, 0, 0],
            [2011, 2, 0, 29, 0, 0, 0, 0],
            [1900, 2, 0, 29, 0, 0, 0, 0],
            [2012, 4, 0, 31, 0, 0, 0, 0],
            [2012, 4, 0, 1, 24, 0, 0, 0],
        ] {
            assert_eq!(SystemTime::read(&bytes(words)), None, "{words:?}");
        }
        assert!(SystemTime::read(&bytes([2012, 2, 0, 29, 0, 0, 0, 0])).is_some());
        assert_eq!(SystemTime::read(&bytes([2012, 4, 3, 4, 1, 2, 3, 45])[..15]), None);
    }
}
