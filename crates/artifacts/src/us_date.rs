//! Dates as written by Amcache: month, day and year, with or without a time of day, and without a zone.
//!
//! Source: hives of Windows 10; `LinkDate` and `DriverLastWriteTime` are written as `MM/DD/YYYY hh:mm:ss`, dates
//! of devices as `MM-DD-YYYY`.

/// Returns the seconds from 1970-01-01 to a date, as if it were UTC, and whether it has a time of day; `None` if
/// the text is not such a date.
pub fn read(text: &str) -> Option<(i64, bool)> {
    let (date, time) = match text.split_once(' ') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [month, day, year] = numbers(date, if date.contains('-') { '-' } else { '/' })?;
    let [hour, minute, second] = match time {
        Some(time) => numbers(time, ':')?,
        None => [0; 3],
    };
    let fits = (1601..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=length(year, month)).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..60).contains(&second);
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    fits.then_some((seconds, time.is_some()))
}

/// Parses three numbers that consist only of digits.
fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| {
        let digits = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i64>().ok().filter(|_| digits)
    });
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
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

/// Returns the days from 1970-01-01 to an existing date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let before_year = |year: i64| {
        let past = year - 1;
        past * 365 + past / 4 - past / 100 + past / 400
    };
    let before: i64 = (1..month).map(|earlier| length(year, earlier)).sum();
    before_year(year) - before_year(1970) + before + day - 1
}

#[cfg(test)]
mod tests {
    use super::read;
    use proptest::prelude::*;

    #[test]
    fn dates_with_and_without_time_are_read() {
        let cases = [
            ("08/02/2019 22:00:40", Some((1_564_783_240, true))),
            ("02/29/2012 00:00:00", Some((1_330_473_600, true))),
            ("03-10-2022", Some((1_646_870_400, false))),
            ("1/1/1970 00:00:01", Some((1, true))),
            ("02/29/2011 00:00:00", None),
            ("13/01/2011 00:00:00", None),
            ("01/01/2011 24:00:00", None),
            ("2022-03-10", None),
            ("01/01/2011 1:2", None),
            ("", None),
            ("+1/01/2011", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[0-9/: -]{0,24}", other in any::<String>()) {
            let _ = read(&text);
            let _ = read(&other);
        }
    }
}
