//! The encodings of an instant in raw bytes.
//!
//! The numbers are computed from the instant that the fact states; the raw value that the record keeps is looked for as well.

use super::needles::{Bytes, Case, Needle, digits, exact, texts, widths};
use ledger::value::read_whole_number;
use ledger::{Precision, Time, Utc};

/// Seconds from 1601-01-01 to 1970-01-01.
const FROM_1601: i128 = 11_644_473_600;

/// Days from 1899-12-30, from which OLE counts, to 1970-01-01.
const FROM_1899: f64 = 25_569.0;

/// The smallest count of time units that is looked for in raw bytes.
const TELLING: i128 = 1 << 24;

/// Returns the encodings of an instant.
pub(super) fn of(time: &Time) -> Vec<Needle> {
    let mut needles = time.utc.map(|utc| instants(utc, time.precision)).unwrap_or_default();
    match read_whole_number(&time.raw) {
        Some(number) if number >= TELLING => counts("raw number", number, &mut needles),
        Some(_) => {}
        None => needles.extend(texts(&time.raw, Case::Any)),
    }
    needles
}

/// Returns the binary Windows encodings of a local date and time in a text.
pub(super) fn of_local(text: &str) -> Vec<Needle> {
    let second = text.get(..19).map(|second| format!("{second}Z"));
    let Some(civil) = second.and_then(|text| Civil::of(text.parse().ok()?)) else { return Vec::new() };
    let mut needles = civil.fat();
    needles.push(civil.system_time());
    needles
}

fn instants(utc: Utc, precision: Precision) -> Vec<Needle> {
    let mut needles = Vec::new();
    let nanoseconds = utc.unix_nanoseconds();
    let seconds = nanoseconds.div_euclid(1_000_000_000);
    let from_1601 = nanoseconds + FROM_1601 * 1_000_000_000;
    counts("FILETIME", from_1601 / 100, &mut needles);
    digits(&format!("{:016X}", from_1601 / 100), ["FILETIME in hex digits"; 2], &mut needles);
    needles.extend(swapped(from_1601 / 100));
    counts("microseconds since 1601", from_1601 / 1_000, &mut needles);
    counts("Unix seconds", seconds, &mut needles);
    counts("Unix milliseconds", nanoseconds.div_euclid(1_000_000), &mut needles);
    counts("Unix microseconds", nanoseconds.div_euclid(1_000), &mut needles);
    counts("Unix nanoseconds", nanoseconds, &mut needles);
    needles.push(ole(nanoseconds, precision));
    let Some(civil) = Civil::of(utc) else { return needles };
    needles.extend(civil.fat());
    needles.push(civil.system_time());
    for text in civil.texts() {
        needles.extend(texts(&text, Case::Any));
    }
    needles
}

/// Adds a count in all widths and as digits, under the name of its unit.
fn counts(encoding: &'static str, count: i128, needles: &mut Vec<Needle>) {
    if count < TELLING {
        return;
    }
    needles.extend(widths(count).into_iter().map(|needle| Needle { encoding, ..needle }));
    digits(&count.to_string(), [encoding; 2], needles);
}

/// Returns a FILETIME with its upper half first.
fn swapped(ticks: i128) -> Option<Needle> {
    let bytes = u64::try_from(ticks).ok()?.to_le_bytes();
    let (low, high) = bytes.split_at(4);
    Some(exact("FILETIME, upper half first", [high, low].concat()))
}

/// Returns days since 1899-12-30 as a double ([MS-OAUT] 2.2.25). The tolerance is
/// the precision of the source, between a millisecond and a second.
#[expect(
    clippy::cast_precision_loss,
    reason = "a double holds days to some microseconds, which is all that is compared"
)]
fn ole(nanoseconds: i128, precision: Precision) -> Needle {
    let day = 86_400e9;
    let value = nanoseconds as f64 / day + FROM_1899;
    let within = (precision.nanoseconds().clamp(1_000_000, 1_000_000_000) as f64) / day;
    Needle { encoding: "OLE date", bytes: Bytes::Double { value, within }, bits: 26, alone: false }
}

/// A date and a time of day.
struct Civil {
    year: u16,
    month: u16,
    day: u16,
    hour: u16,
    minute: u16,
    second: u16,
    /// 0 is Sunday.
    weekday: u16,
}

impl Civil {
    /// Parses the digits of RFC 3339.
    fn of(utc: Utc) -> Option<Civil> {
        let text = utc.to_text(Precision::Second);
        let number = |from: usize, length: usize| text.get(from..from + length)?.parse().ok();
        let days = utc.unix_nanoseconds().div_euclid(86_400_000_000_000);
        Some(Civil {
            year: number(0, 4)?,
            month: number(5, 2)?,
            day: number(8, 2)?,
            hour: number(11, 2)?,
            minute: number(14, 2)?,
            second: number(17, 2)?,
            // 1970-01-01 was a Thursday.
            weekday: u16::try_from((days + 4).rem_euclid(7)).ok()?,
        })
    }

    /// Returns FAT's date and time in either order, and the date alone.
    fn fat(&self) -> Vec<Needle> {
        let Some(years) = self.year.checked_sub(1980).filter(|years| *years < 128) else { return Vec::new() };
        let date = (years << 9) | (self.month << 5) | self.day;
        let time = (self.hour << 11) | (self.minute << 5) | (self.second / 2);
        let (date, time) = (date.to_le_bytes(), time.to_le_bytes());
        let both = |bytes: Vec<u8>| Needle { bits: 26, ..exact("FAT date and time", bytes) };
        vec![both([date, time].concat()), both([time, date].concat()), exact("FAT date", date.to_vec())]
    }

    /// Returns a SYSTEMTIME without its milliseconds ([MS-DTYP] 2.3.13).
    fn system_time(&self) -> Needle {
        let members = [self.year, self.month, self.weekday, self.day, self.hour, self.minute, self.second];
        exact("SYSTEMTIME", members.iter().flat_map(|member| member.to_le_bytes()).collect())
    }

    /// Returns the date and the time of day in the forms that logs use.
    fn texts(&self) -> Vec<String> {
        let Civil { year, month, day, hour, minute, second, .. } = self;
        let clock = format!("{hour:02}:{minute:02}:{second:02}");
        let date = |mark: char| format!("{year:04}{mark}{month:02}{mark}{day:02}");
        vec![
            format!("{}T{clock}", date('-')),
            format!("{} {clock}", date('-')),
            format!("{} {clock}", date('/')),
            format!("{month:02}/{day:02}/{year:04} {clock}"),
            format!("{month}/{day}/{year:04} {clock}"),
            format!("{day:02}.{month:02}.{year:04} {clock}"),
            format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}"),
            format!("{}\t{clock}", date('-')),
        ]
    }
}
