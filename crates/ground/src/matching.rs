//! Decides whether a claimed text is what a field holds; the field's type decides what counts as equal.

use crate::fold;
use crate::needle::Needle;
use crate::quotation;
use crate::typed;
use ledger::{FieldValue, Tier, Time};

/// How a claimed text matched a field.
#[derive(Debug)]
pub(crate) struct Match<'o> {
    pub(crate) tier: Tier,
    /// The quoted words; only with [`Tier::Quoted`].
    pub(crate) quotation: Option<String>,
    /// The item that matched, if the field is a list.
    pub(crate) item: Option<&'o str>,
}

/// How a reading's text must match a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// The text must be the whole value.
    Whole,
    /// The text must be a quotation from the value.
    Quoting,
}

/// Matches `needle` against one field of a record that was read from the file at `place`.
/// `None` if it does not match, or not at one of `tiers`.
pub(crate) fn match_field<'o>(
    needle: &Needle<'_>,
    value: &'o FieldValue,
    place: &str,
    manner: Manner,
    tiers: &[Tier],
) -> Option<Match<'o>> {
    let found = match (manner, value) {
        (Manner::Whole, FieldValue::List(items)) => items.iter().find_map(|item| {
            Some(Match { tier: text_tier(needle, item)?, quotation: None, item: Some(item) })
        }),
        (Manner::Whole, value) => {
            whole(needle, value, place).map(|tier| Match { tier, quotation: None, item: None })
        }
        (Manner::Quoting, FieldValue::Text(text)) => quote(needle, text, None),
        (Manner::Quoting, FieldValue::List(items)) => {
            items.iter().find_map(|item| quote(needle, item, Some(item)))
        }
        (Manner::Quoting, _) => None,
    };
    found.filter(|found| tiers.contains(&found.tier))
}

fn whole(needle: &Needle<'_>, value: &FieldValue, place: &str) -> Option<Tier> {
    match value {
        FieldValue::Text(text) => text_tier(needle, text),
        FieldValue::Name(text) => {
            folded(needle, text, || needle.names().iter().any(|name| fold::is_name(name, text)))
                .or_else(|| address_tier(needle, text))
        }
        FieldValue::Path(text) => {
            folded(needle, text, || needle.paths().iter().any(|path| fold::is_path(path, text)))
        }
        FieldValue::RegistryPath(text) => {
            folded(needle, text, || needle.keys().iter().any(|key| key.is(text, place)))
        }
        FieldValue::Guid(text) => {
            folded(needle, text, || needle.forms().any(|form| fold::is_guid(form, text)))
        }
        FieldValue::Sid(text) | FieldValue::Hash(text) | FieldValue::Bytes(text) => {
            folded(needle, text, || needle.forms().any(|form| form.eq_ignore_ascii_case(text)))
        }
        FieldValue::Time(time) => time_tier(needle, time),
        FieldValue::Integer(number) => number_tier(needle, needle.number(), *number),
        FieldValue::Size(size) => number_tier(needle, needle.size(), (*size).into()),
        FieldValue::Flag(flag) => {
            let word = if *flag { "true" } else { "false" };
            folded(needle, word, || needle.forms().any(|form| form.eq_ignore_ascii_case(word)))
        }
        // Each item is a value of its own; the whole list is not.
        FieldValue::List(_) => None,
    }
}

fn text_tier(needle: &Needle<'_>, text: &str) -> Option<Tier> {
    folded(needle, text, || fold::is_text(needle.texts(), text)).or_else(|| address_tier(needle, text))
}

fn address_tier(needle: &Needle<'_>, text: &str) -> Option<Tier> {
    let address = needle.address()?;
    (typed::address(text) == Some(address)).then_some(Tier::Typed)
}

fn folded(needle: &Needle<'_>, text: &str, same: impl FnOnce() -> bool) -> Option<Tier> {
    if needle.raw() == text {
        return Some(Tier::Exact);
    }
    same().then_some(Tier::Normalised)
}

/// Matches a time: the stored number matches as well as the instant, because the evidence holds it.
fn time_tier(needle: &Needle<'_>, time: &Time) -> Option<Tier> {
    if time.zone.is_some() {
        return local_tier(needle, time);
    }
    let instant = needle.instant().is_some_and(|instant| instant.is(time));
    let stored = needle.number().is_some_and(|number| time.raw.parse() == Ok(number));
    // Formatting the time is the expensive part, so it is done only after a match.
    let tier = || if needle.raw() == time.to_text() { Tier::Exact } else { Tier::Typed };
    (instant || stored).then(tier)
}

/// Matches a local time by its own text, which says that it is local, or by the stored value.
fn local_tier(needle: &Needle<'_>, time: &Time) -> Option<Tier> {
    let text = time.to_text();
    if needle.raw() == text {
        return Some(Tier::Exact);
    }
    needle.forms().any(|form| form == text || form == time.raw).then_some(Tier::Typed)
}

fn number_tier(needle: &Needle<'_>, stated: Option<i128>, number: i128) -> Option<Tier> {
    let same = stated == Some(number);
    let tier = || if needle.raw() == number.to_string() { Tier::Exact } else { Tier::Typed };
    same.then(tier)
}

/// The quotation is kept exactly as in the text, so that anyone can find it there.
fn quote<'o>(needle: &Needle<'_>, text: &str, item: Option<&'o str>) -> Option<Match<'o>> {
    if needle.raw() == text {
        return Some(Match { tier: Tier::Exact, quotation: None, item });
    }
    let words = needle.spellings().find(|form| quotation::stands(form, text))?;
    Some(Match { tier: Tier::Quoted, quotation: Some(words.to_owned()), item })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{AssumedZone, Clock, Precision};

    #[test]
    fn a_local_time_is_claimed_as_local_or_as_it_is_stored_and_never_as_an_instant() {
        let time = Time {
            utc: Some("2024-03-01T12:00:02Z".parse().unwrap()),
            raw: "0x5861:6001".into(),
            clock: Clock::Host,
            precision: Precision::TwoSeconds,
            zone: Some(AssumedZone::Utc),
        };
        let tier = |text: &str, time: &Time| time_tier(&Needle::new(text), time);
        assert_eq!(tier("2024-03-01T12:00:02 local", &time), Some(Tier::Exact));
        assert_eq!(tier("0x5861:6001", &time), Some(Tier::Typed));
        for instant in ["2024-03-01T12:00:02Z", "2024-03-01T12:00:02+00:00", "2024-03-01T12:00:02"] {
            assert_eq!(tier(instant, &time), None, "{instant}");
        }
        let known = Time { zone: None, ..time };
        assert_eq!(tier("2024-03-01T12:00:02Z", &known), Some(Tier::Exact));
    }
}
