//! Dates with a time of day as written in logs and XML, with or without a time zone.

/// A date and a time of day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CivilTime {
    /// Year, month, day.
    pub date: [i16; 3],
    /// Hour, minute, second.
    pub time: [i8; 3],
    /// Nanoseconds of the second.
    pub nanosecond: i32,
    /// Number of decimal places of the second in the text.
    pub decimals: usize,
    /// The zone's offset ahead of UTC in minutes; `None` if the text names no zone.
    pub offset: Option<i32>,
    /// The original text.
    pub raw: String,
}

/// Reads `2022-03-10T15:59:03`, with `/` for `-`, a space for `T`, a fraction after `.` or `,`, and `Z` or
/// `+01:00` at the end.
///
/// It does not check whether the calendar has such a day.
pub fn read(text: &str) -> Option<CivilTime> {
    let text = text.trim();
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    let month = after(&mut rest, &['-', '/']).then(|| number(&mut rest, 2))??;
    let day = after(&mut rest, &['-', '/']).then(|| number(&mut rest, 2))??;
    let hour = after(&mut rest, &['T', ' ']).then(|| number(&mut rest, 2))??;
    let minute = after(&mut rest, &[':']).then(|| number(&mut rest, 2))??;
    let second = after(&mut rest, &[':']).then(|| number(&mut rest, 2))??;
    let (nanosecond, decimals) = if after(&mut rest, &['.', ',']) { fraction(&mut rest)? } else { (0, 0) };
    let offset = zone(rest)?;
    let small = |number: i16| i8::try_from(number).ok();
    Some(CivilTime {
        date: [year, month, day],
        time: [small(hour)?, small(minute)?, small(second)?],
        nanosecond,
        decimals,
        offset,
        raw: text.to_owned(),
    })
}

/// Reads `20220310155903`.
pub fn read_compact(text: &str) -> Option<CivilTime> {
    let mut rest = text.trim();
    let year = number(&mut rest, 4)?;
    let mut two = || number(&mut rest, 2);
    let (month, day) = (two()?, two()?);
    let mut time = [0; 3];
    for part in &mut time {
        *part = i8::try_from(two()?).ok()?;
    }
    let raw = text.trim().to_owned();
    rest.is_empty().then_some(CivilTime {
        date: [year, month, day],
        time,
        nanosecond: 0,
        decimals: 0,
        offset: None,
        raw,
    })
}

fn number(rest: &mut &str, digits: usize) -> Option<i16> {
    let (head, tail) = rest.split_at_checked(digits)?;
    if !head.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *rest = tail;
    head.parse().ok()
}

fn after(rest: &mut &str, marks: &[char]) -> bool {
    let found = rest.strip_prefix(marks);
    if let Some(tail) = found {
        *rest = tail;
    }
    found.is_some()
}

/// Returns the nanoseconds and the number of digits; digits after the ninth are dropped.
fn fraction(rest: &mut &str) -> Option<(i32, usize)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (head, tail) = rest.split_at_checked(digits)?;
    let kept = head.get(..digits.min(9)).filter(|kept| !kept.is_empty())?;
    *rest = tail;
    Some((format!("{kept:0<9}").parse().ok()?, kept.len()))
}

fn zone(rest: &str) -> Option<Option<i32>> {
    let rest = rest.trim();
    match rest {
        "" => return Some(None),
        "Z" | "z" => return Some(Some(0)),
        _ => {}
    }
    let (sign, mut rest) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (None, Some(rest)) => (-1, rest),
        (None, None) => return None,
    };
    let hours = number(&mut rest, 2)?;
    after(&mut rest, &[':']);
    let minutes = number(&mut rest, 2)?;
    rest.is_empty().then(|| Some(sign * (i32::from(hours) * 60 + i32::from(minutes))))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_time_is_read_with_its_fraction_and_zone() {
        let plain = read("2022-03-10T15:59:03").unwrap();
        assert_eq!((plain.date, plain.time, plain.offset), ([2022, 3, 10], [15, 59, 3], None));
        let fine = read("2022/02/05 11:20:49.867").unwrap();
        assert_eq!((fine.nanosecond, fine.decimals), (867_000_000, 3));
        assert_eq!(read("2005-10-11T13:21:17-08:00").unwrap().offset, Some(-480));
        assert_eq!(read("2014-01-01T00:00:00.1234567Z").unwrap().offset, Some(0));
        assert_eq!(read_compact("20220310155903").unwrap().time, [15, 59, 3]);
    }

    #[test]
    fn what_is_no_time_gives_none() {
        for text in ["", "2022-03-10", "2022-03-10T15:59", "2022-03-10T15:59:03x", "2022-03-1ßT15:59:03"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read_compact("202203101559"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[0-9TZ:/. +-ß]{0,40}") {
            let _ = (read(&text), read_compact(&text));
        }
    }
}
