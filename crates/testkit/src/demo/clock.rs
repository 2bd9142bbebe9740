//! Times of the story, in the formats in which Windows and its programs store them.

/// An instant in UTC, in 100-nanosecond ticks since 1601-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time(u64);

const TICKS: u64 = 10_000_000;
const DAY: u64 = 86_400;
/// Seconds from 1601-01-01 to 1970-01-01.
const TO_UNIX: u64 = 11_644_473_600;

/// Returns the instant of this date and time of day in UTC, from 1601 on.
pub(crate) const fn utc(year: u64, month: u64, day: u64, hour: u64, minute: u64, second: u64) -> Time {
    let years = year - 1601;
    let mut days = years * 365 + years / 4 - years / 100 + years / 400;
    let mut earlier = 1;
    while earlier < month {
        days += month_length(year, earlier);
        earlier += 1;
    }
    days += day - 1;
    Time((days * DAY + hour * 3600 + minute * 60 + second) * TICKS)
}

const fn month_length(year: u64, month: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Year, month, day, hour, minute, second.
type Civil = [u64; 6];

impl Time {
    /// Adds 100-nanosecond ticks.
    pub(crate) const fn plus_ticks(self, ticks: u64) -> Self {
        Self(self.0 + ticks)
    }

    /// Adds seconds.
    pub(crate) const fn plus(self, seconds: u64) -> Self {
        Self(self.0 + seconds * TICKS)
    }

    /// Returns the last-write time of a key that was written within this second.
    pub(crate) const fn key_write(self) -> Self {
        self.plus_ticks(1_234_567)
    }

    /// Returns the FILETIME, which hives also store as a number.
    pub(crate) const fn filetime(self) -> u64 {
        self.0
    }

    /// Returns the eight bytes of the FILETIME.
    pub(crate) const fn bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    /// Returns the seconds since 1970.
    pub(crate) const fn unix(self) -> u32 {
        (self.0 / TICKS - TO_UNIX) as u32
    }

    /// Returns the microseconds since 1970, as in Firefox (`PRTime`).
    pub(crate) const fn unix_micros(self) -> i64 {
        (self.0 / 10 - TO_UNIX * 1_000_000).cast_signed()
    }

    /// Returns the microseconds since 1601, as in Chromium.
    pub(crate) const fn webkit_micros(self) -> i64 {
        (self.0 / 10).cast_signed()
    }

    /// Formats ISO 8601 with `Z`, and with seven decimals unless the instant is a whole second.
    pub(crate) fn iso(self) -> String {
        let [year, month, day, hour, minute, second] = self.civil();
        let whole = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        match self.0 % TICKS {
            0 => format!("{whole}Z"),
            ticks => format!("{whole}.{ticks:07}Z"),
        }
    }

    /// Formats local time as `setupapi.dev.log` does: `2025/09/16 18:52:09.214`.
    pub(crate) fn setupapi(self, zone_hours: u64) -> String {
        let local = self.plus(zone_hours * 3600);
        let [year, month, day, hour, minute, second] = local.civil();
        let milli = local.0 % TICKS / 10_000;
        format!("{year:04}/{month:02}/{day:02} {hour:02}:{minute:02}:{second:02}.{milli:03}")
    }

    /// Formats local time as task files and plain logs do: `2025-09-16T11:47:31`.
    pub(crate) fn local(self, zone_hours: u64) -> String {
        let [year, month, day, hour, minute, second] = self.plus(zone_hours * 3600).civil();
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }

    /// Returns the 16 bytes of a SYSTEMTIME in local time.
    pub(crate) fn system_time(self, zone_hours: u64) -> Vec<u8> {
        let local = self.plus(zone_hours * 3600);
        let [year, month, day, hour, minute, second] = local.civil();
        // 1601-01-01 was a Monday.
        let weekday = (local.0 / TICKS / DAY + 1) % 7;
        let milli = local.0 % TICKS / 10_000;
        [year, month, weekday, day, hour, minute, second, milli]
            .iter()
            .flat_map(|field| (*field as u16).to_le_bytes())
            .collect()
    }

    /// Returns the FAT date and time, as in shell items: UTC, in steps of two seconds.
    pub(crate) fn fat(self) -> [u8; 4] {
        let [year, month, day, hour, minute, second] = self.civil();
        let date = (((year - 1980) << 9) | (month << 5) | day) as u16;
        let time = ((hour << 11) | (minute << 5) | (second / 2)) as u16;
        let ([a, b], [c, d]) = (date.to_le_bytes(), time.to_le_bytes());
        [a, b, c, d]
    }

    fn civil(self) -> Civil {
        let seconds = self.0 / TICKS;
        let (mut days, rest) = (seconds / DAY, seconds % DAY);
        let (mut year, mut month) = (1601, 1);
        while days >= month_length(year, month) {
            days -= month_length(year, month);
            month += 1;
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        [year, month, days + 1, rest / 3600, rest / 60 % 60, rest % 60]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_has_the_same_meaning_in_every_shape() {
        let time = utc(2025, 9, 16, 9, 47, 31);
        assert_eq!(time.unix(), 1_758_016_051);
        assert_eq!(time.filetime(), 134_024_896_510_000_000);
        assert_eq!(time.webkit_micros(), 13_402_489_651_000_000);
        assert_eq!(time.unix_micros(), 1_758_016_051_000_000);
        assert_eq!(time.iso(), "2025-09-16T09:47:31Z");
        assert_eq!(time.key_write().iso(), "2025-09-16T09:47:31.1234567Z");
        assert_eq!(time.plus_ticks(2_140_000).setupapi(2), "2025/09/16 11:47:31.214");
        // This is a Tuesday.
        assert_eq!(time.system_time(2), [2025, 9, 2, 16, 11, 47, 31, 0].map(u16::to_le_bytes).concat());
        assert_eq!(time.fat(), [0x30, 0x5b, 0xef, 0x4d]);
    }

    #[test]
    fn leap_days_and_turns_of_the_year_are_kept() {
        for (time, iso) in [
            (utc(1601, 1, 1, 0, 0, 0), "1601-01-01T00:00:00Z"),
            (utc(1970, 1, 1, 0, 0, 0), "1970-01-01T00:00:00Z"),
            (utc(2000, 2, 29, 23, 59, 59), "2000-02-29T23:59:59Z"),
            (utc(2024, 12, 31, 12, 0, 0), "2024-12-31T12:00:00Z"),
        ] {
            assert_eq!(time.iso(), iso);
        }
    }
}
