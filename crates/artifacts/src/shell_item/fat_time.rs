//! FAT dates and times, as stored in shell items.

/// A FAT date and time, with a resolution of two seconds, from 1980 on (Microsoft, "FAT: General Overview of
/// On-Disk Format", section "Date and Time Formats").
///
/// In shell items they are UTC (libfwsi, sections "File entry shell item" and "File entry extension block").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTime {
    /// Bits 0 to 4: day, 5 to 8: month, 9 to 15: years since 1980.
    pub date: u16,
    /// Bits 0 to 4: half the seconds, 5 to 10: minutes, 11 to 15: hours.
    pub time: u16,
}

impl FatTime {
    /// Returns seconds since 1970-01-01 UTC; `None` if the numbers are not a valid date or time.
    pub fn unix_seconds(self) -> Option<i64> {
        let (day, month) = (i64::from(self.date & 0x1F), i64::from(self.date >> 5 & 0x0F));
        let year = 1980 + i64::from(self.date >> 9);
        let (hour, minute) = (i64::from(self.time >> 11), i64::from(self.time >> 5 & 0x3F));
        let second = i64::from(self.time & 0x1F) * 2;
        let fits = (1..=12).contains(&month)
            && (1..=length(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let before: i64 = (1..month).map(|earlier| length(year, earlier)).sum();
        let days = days_before(year) - days_before(1970) + before + day - 1;
        fits.then_some(((days * 24 + hour) * 60 + minute) * 60 + second)
    }
}

/// Returns the number of days in a month.
fn length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the days from the beginning of the calendar to the beginning of a year.
fn days_before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(year: u16, month: u16, day: u16, hour: u16, minute: u16, second: u16) -> FatTime {
        FatTime { date: (year - 1980) << 9 | month << 5 | day, time: hour << 11 | minute << 5 | (second / 2) }
    }

    #[test]
    fn dates_are_counted_from_1970() {
        let cases = [
            (packed(1980, 1, 1, 0, 0, 0), Some(315_532_800)),
            (packed(2000, 2, 29, 23, 59, 58), Some(951_868_798)),
            (packed(2012, 4, 4, 15, 52, 44), Some(1_333_554_764)),
            (packed(2100, 3, 1, 0, 0, 0), Some(4_107_542_400)),
            (packed(2011, 2, 29, 0, 0, 0), None),
            (packed(2011, 0, 1, 0, 0, 0), None),
            (packed(2011, 1, 1, 24, 0, 0), None),
            (packed(2011, 1, 1, 0, 60, 0), None),
            (packed(2011, 1, 1, 0, 0, 60), None),
        ];
        for (time, seconds) in cases {
            assert_eq!(time.unix_seconds(), seconds, "{time:?}");
        }
    }
}
