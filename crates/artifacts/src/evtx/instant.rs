//! Converts times as written by the renderer back to FILETIMEs.

/// Ticks of 100 ns in a second.
const SECOND: u64 = 10_000_000;

/// Days from 1601-01-01 to 1970-01-01.
const DAYS: i64 = 134_774;

/// Returns the FILETIME of `YYYY-MM-DDThh:mm:ss`, with up to seven decimal places and `Z`, or a blank instead of
/// the `T`; UTC.
///
/// `None` if it is not such a time, or is before 1601.
pub fn filetime(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let time = time.strip_suffix('Z').unwrap_or(time);
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut time = time.splitn(3, ':').map(number);
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = match fraction.len() {
        0 => 0,
        digits @ 1..=7 => number(fraction)? * 10_u64.pow(7 - u32::try_from(digits).ok()?),
        // The renderer writes nine places, the source has seven.
        _ => number(fraction.get(..7)?)?,
    };
    let days = u64::try_from(days(i64::try_from(year).ok()?, month, day) + DAYS).ok()?;
    Some(((days * 24 + hour) * 60 + minute) * 60 * SECOND + second * SECOND + fraction)
}

fn number(text: &str) -> Option<u64> {
    (text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar, counted in eras of 400 years that begin
/// with March.
fn days(year: i64, month: u64, day: u64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let months = (month + 9) % 12;
    let day = i64::try_from((153 * months + 2) / 5 + day - 1).unwrap_or_default();
    era * 146_097 + year * 365 + year / 4 - year / 100 + day - 719_468
}

#[cfg(test)]
mod tests {
    use super::filetime;

    #[test]
    fn a_rendered_time_is_the_filetime_it_was_made_from() {
        for (text, ticks) in [
            ("2012-04-04T01:58:40.8392490Z", 129_779_783_208_392_490),
            ("2012-04-04 01:58:40.839", 129_779_783_208_390_000),
            ("1601-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00.000000000Z", 116_444_736_000_000_000),
        ] {
            assert_eq!(filetime(text), Some(ticks), "{text}");
        }
        for text in ["", "2012-04-04", "2012-13-04T01:58:40Z", "1600-12-31T00:00:00Z", "2012-04-04T1:2:x"] {
            assert_eq!(filetime(text), None, "{text}");
        }
    }
}
