//! Times in other spellings, and times that are not the record's.

use super::cite::somewhere;
use super::reformat::written;
use super::seed::{Base, Maker, Seeded};
use ledger::{FieldType, FieldValue, Precision, Time, Utc};

const SECOND: i128 = 1_000_000_000;

/// Minutes east of UTC.
const OFFSETS: [i128; 8] = [-480, -300, -210, 60, 120, 330, 345, 600];

pub(super) fn offset(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, time, utc) = instant(maker)?;
    let minutes = *maker.draw.pick(&OFFSETS)?;
    let local = moved(utc, minutes * 60)?.to_text(time.precision);
    let text = format!("{}{}", local.strip_suffix('Z')?, zone(minutes));
    written(maker, base, text)
}

/// Writes `+00:00` for `Z`, a space for `T`, or the letters in lower case.
pub(super) fn rfc_3339(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, ..) = instant(maker)?;
    let text = match maker.draw.below(3) {
        0 => base.text().replace('Z', "+00:00"),
        1 => base.text().replace('T', " "),
        _ => base.text().to_ascii_lowercase(),
    };
    written(maker, base, text)
}

pub(super) fn fewer_decimals(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, ..) = instant(maker)?;
    let (whole, fraction) = base.text().strip_suffix('Z')?.split_once('.')?;
    let text = match maker.draw.below(fraction.len()) {
        0 => format!("{whole}Z"),
        places => format!("{whole}.{}Z", fraction.get(..places)?),
    };
    written(maker, base, text)
}

pub(super) fn filetime(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, time, utc) = instant(maker)?;
    let ticks = utc.unix_nanoseconds().div_euclid(100) + 116_444_736_000_000_000;
    let text = (time.precision == Precision::Filetime).then(|| ticks.to_string())?;
    written(maker, base, text)
}

pub(super) fn epoch(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, _, utc) = instant(maker)?;
    let seconds = utc.unix_nanoseconds().div_euclid(SECOND);
    let text = (seconds > 0).then(|| seconds.to_string())?;
    written(maker, base, text)
}

pub(super) fn second_off(maker: &mut Maker<'_>) -> Option<Seeded> {
    shifted(maker, |_| 1)
}

pub(super) fn hour_off(maker: &mut Maker<'_>) -> Option<Seeded> {
    shifted(maker, |hours| 3600 * (1 + hours as i128 % 12))
}

/// Keeps the digits of the UTC time, but labels them with another zone.
pub(super) fn zone_mislabelled(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, ..) = instant(maker)?;
    let minutes = *maker.draw.pick(&OFFSETS)?;
    let text = format!("{}{}", base.text().strip_suffix('Z')?, zone(minutes));
    Some(somewhere(maker, base.with(text)))
}

pub(super) fn zoneless(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, ..) = instant(maker)?;
    let text = base.text().strip_suffix('Z')?;
    let text = if maker.draw.once_in(1, 2) { text.to_owned() } else { text.replace('T', " ") };
    Some(somewhere(maker, base.with(text)))
}

/// Adds decimals that the source does not keep.
pub(super) fn finer(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, time, _) = instant(maker)?;
    let point = match time.precision.decimals() {
        0 => ".",
        9 => return None,
        _ => "",
    };
    let text = format!("{}{point}{}Z", base.text().strip_suffix('Z')?, 1 + maker.draw.below(9));
    Some(somewhere(maker, base.with(text)))
}

/// States a time of a copy as one of the host.
pub(super) fn copied(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.copied_time()?;
    let scan = maker.scans.get(base.task)?;
    let of_copy = |place: u32| {
        let field = scan.get(place).and_then(|seen| seen.record.fields.get(base.field()));
        field.is_some_and(|field| {
            matches!(&field.value, FieldValue::Time(time) if time.clock == ledger::Clock::CollectionCopy)
        })
    };
    scan.places(&base.reading).into_iter().all(of_copy).then(|| somewhere(maker, base))
}

fn shifted(maker: &mut Maker<'_>, seconds: fn(u32) -> i128) -> Option<Seeded> {
    let (base, time, utc) = instant(maker)?;
    let by = seconds(maker.draw.next() as u32);
    let by = if maker.draw.once_in(1, 2) { by } else { -by };
    let text = moved(utc, by)?.to_text(time.precision);
    Some(somewhere(maker, base.with(text)))
}

/// Draws a true reading of an instant of the examined host's clock.
fn instant<'m>(maker: &mut Maker<'m>) -> Option<(Base<'m>, &'m Time, Utc)> {
    let base = maker.base(&[FieldType::Time])?;
    let Some(FieldValue::Time(time)) = base.value() else { return None };
    let utc = time.utc.filter(|_| time.zone.is_none() && base.text().ends_with('Z'))?;
    Some((base, time, utc))
}

fn moved(utc: Utc, seconds: i128) -> Option<Utc> {
    Utc::from_unix_nanoseconds(utc.unix_nanoseconds() + seconds * SECOND)
}

fn zone(minutes: i128) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
