//! Times as exporting programs write them.

use crate::evtx::filetime;

/// Ticks of 100 ns in a minute.
const MINUTE: u64 = 600_000_000;

/// Ticks of 100 ns from 1601-01-01 to 1970-01-01.
const EPOCH: i64 = 116_444_736_000_000_000;

/// A time as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTime {
    /// The FILETIME; a local time is treated as if it were UTC.
    pub ticks: u64,
    /// Number of decimal places of the second.
    pub decimals: usize,
    /// Whether the text names its zone.
    pub has_zone: bool,
    /// The text.
    pub text: String,
}

/// Reads `YYYY-MM-DD`, `T` or a blank, `hh:mm:ss`, up to nine decimal places, and `Z`, ` UTC`, an offset or
/// nothing; or `/Date(…)/` with milliseconds since 1970.
///
/// `None` if it is not such a time.
pub fn source_time(text: &str) -> Option<SourceTime> {
    let own = text.trim();
    if let Some(date) = own.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/")) {
        let ticks = date.parse::<i64>().ok()?.checked_mul(10_000)?.checked_add(EPOCH)?;
        let ticks = u64::try_from(ticks).ok()?;
        return Some(SourceTime { ticks, decimals: 3, has_zone: true, text: own.to_owned() });
    }
    let (bare, offset) = zone(own)?;
    let ticks = filetime(bare)?;
    let ticks = match offset {
        Some((ahead, minutes)) if ahead => ticks.checked_sub(minutes.checked_mul(MINUTE)?)?,
        Some((_, minutes)) => ticks.checked_add(minutes.checked_mul(MINUTE)?)?,
        None => ticks,
    };
    let decimals = bare.rsplit_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some(SourceTime { ticks, decimals, has_zone: offset.is_some(), text: own.to_owned() })
}

/// Returns the text before a zone, and by how many minutes the zone is ahead of UTC or behind it.
fn zone(text: &str) -> Option<(&str, Option<(bool, u64)>)> {
    if let Some(bare) = text.strip_suffix('Z').or_else(|| text.strip_suffix(" UTC")) {
        return Some((bare, Some((true, 0))));
    }
    // The date also has hyphens.
    let sign = text.rfind(['+', '-']).filter(|at| *at > "YYYY-MM-DD".len());
    let Some(sign) = sign else { return Some((text, None)) };
    let (bare, offset) = text.split_at_checked(sign)?;
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = (digits.get(..2)?.parse::<u64>().ok()?, digits.get(2..4).unwrap_or("0"));
    let minutes = hours.checked_mul(60)?.checked_add(minutes.parse().ok()?)?;
    (minutes <= 14 * 60).then_some((bare.trim_end(), Some((offset.starts_with('+'), minutes))))
}

#[cfg(test)]
mod tests {
    use super::source_time;

    #[test]
    fn a_time_is_read_with_its_zone_and_its_decimals() {
        let base = 129_779_783_208_392_490;
        for (text, ticks, decimals, has_zone) in [
            ("2012-04-04T01:58:40.8392490Z", base, 7, true),
            ("2012-04-04 01:58:40.839249 UTC", base, 6, true),
            ("2012-04-04T03:58:40.8392490+02:00", base, 7, true),
            ("2012-04-03T20:58:40.839-0500", base - 2490, 3, true),
            ("2012-04-04 01:58:40", base - 8_392_490, 0, false),
            ("/Date(1333504720839)/", base - 2490, 3, true),
        ] {
            let time = source_time(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((time.ticks, time.decimals, time.has_zone), (ticks, decimals, has_zone), "{text}");
        }
        for text in ["", "yesterday", "2012-04-04", "2012-04-04T01:58:40+99:00", "/Date(x)/"] {
            assert_eq!(source_time(text), None, "{text}");
        }
    }
}
