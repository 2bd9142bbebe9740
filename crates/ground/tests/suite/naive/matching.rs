//! Whether a field holds a claimed text.

use super::Sure;
use super::texts::{self, number, spellings};
use super::times;
use ledger::{FieldValue, Tier};
use std::net::IpAddr;

/// Whether a field holds a text, and at which tiers that is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    No,
    Open(Vec<Tier>),
    Yes(Vec<Tier>),
}

/// A field to which a value may be bound.
#[derive(Debug, Clone)]
pub struct Holding {
    pub field: String,
    pub tiers: Vec<Tier>,
}

impl Held {
    pub fn sure(&self) -> Sure {
        match self {
            Held::No => Sure::No,
            Held::Open(_) => Sure::Open,
            Held::Yes(_) => Sure::Yes,
        }
    }

    pub fn tiers(&self) -> Vec<Tier> {
        match self {
            Held::No => Vec::new(),
            Held::Open(tiers) | Held::Yes(tiers) => tiers.clone(),
        }
    }
}

const WHOLE: [Tier; 3] = [Tier::Exact, Tier::Normalised, Tier::Typed];

/// Returns whether the field holds the text; parts of it count only in a quotation.
///
/// Open: whether a whole text counts as quoted or as exact if the claim is a quotation.
pub fn held(text: &str, value: &FieldValue, quotes: bool) -> Held {
    match (held_whole(text, value, quotes), value) {
        (Held::Yes(tiers), FieldValue::Text(_) | FieldValue::List(_)) if quotes => {
            Held::Yes([&tiers[..], &[Tier::Quoted]].concat())
        }
        (Held::Open(tiers), FieldValue::Text(_) | FieldValue::List(_)) if quotes => {
            Held::Open([&tiers[..], &[Tier::Quoted]].concat())
        }
        (held, _) => held,
    }
}

fn held_whole(text: &str, value: &FieldValue, quotes: bool) -> Held {
    if let FieldValue::List(items) = value {
        let each = items.iter().map(|item| held(text, &FieldValue::Text(item.clone()), false));
        let name = items.iter().any(|item| name(text, item) > Sure::No);
        let best = each.max_by_key(Held::sure).unwrap_or(Held::No);
        // Open: items have the type of texts, but most are names.
        if best == Held::No && name {
            return Held::Open(WHOLE.to_vec());
        }
        // Open: whether an item is a free text from which a part can be quoted.
        let part = || items.iter().any(|item| part(text, &FieldValue::Text(item.clone())) != Held::No);
        return if best == Held::No && quotes && part() { Held::Open(vec![Tier::Quoted]) } else { best };
    }
    if text.is_empty() {
        // Open: an empty value in an empty field.
        return if value.to_text().is_empty() { Held::Open(WHOLE.to_vec()) } else { Held::No };
    }
    if text == value.to_text() && !matches!(value, FieldValue::Time(_)) {
        return Held::Yes(vec![Tier::Exact]);
    }
    let mut best = Sure::No;
    for spelling in spellings(text) {
        best = best.max(whole(&spelling.text, value).min(spelling.sure));
    }
    let exact = matches!(value, FieldValue::Time(time) if time.to_text() == text);
    match best {
        Sure::Yes if exact => Held::Yes(vec![Tier::Exact]),
        Sure::Yes => Held::Yes(vec![Tier::Normalised, Tier::Typed]),
        Sure::Open => Held::Open(WHOLE.to_vec()),
        Sure::No | Sure::Doubt if quotes => part(text, value),
        Sure::No | Sure::Doubt => Held::No,
    }
}

fn part(text: &str, value: &FieldValue) -> Held {
    let FieldValue::Text(whole) = value else { return Held::No };
    let quote = |spelling: texts::Spelling| texts::quoted(&spelling.text, whole).min(spelling.sure);
    match spellings(text).into_iter().map(quote).max().unwrap_or(Sure::No) {
        Sure::No | Sure::Doubt => Held::No,
        Sure::Open => Held::Open(vec![Tier::Quoted]),
        Sure::Yes => Held::Yes(vec![Tier::Quoted]),
    }
}

/// Returns whether the text is the whole field, as its type allows.
fn whole(text: &str, value: &FieldValue) -> Sure {
    match value {
        FieldValue::Text(value) => free_text(text, value),
        FieldValue::Name(value) => name(text, value).max(address(text, value)),
        FieldValue::Path(value) => texts::path(text, value),
        FieldValue::RegistryPath(value) => texts::registry_path(text, value),
        FieldValue::Time(value) => times::instant(text, value),
        FieldValue::Integer(value) => integer(text, *value),
        FieldValue::Size(value) => size(text, *value),
        FieldValue::Sid(value) => yes(text.eq_ignore_ascii_case(value)),
        FieldValue::Guid(value) => guid(text, value),
        FieldValue::Hash(value) => yes(text.eq_ignore_ascii_case(value)),
        FieldValue::Bytes(value) => bytes(text, value),
        FieldValue::Flag(value) => flag(text, *value),
        FieldValue::List(_) => Sure::No,
    }
}

fn yes(holds: bool) -> Sure {
    if holds { Sure::Yes } else { Sure::No }
}

fn open(holds: bool) -> Sure {
    if holds { Sure::Open } else { Sure::No }
}

/// Compares free texts. Open: runs of white space; an IP address inside a text.
fn free_text(text: &str, value: &str) -> Sure {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let same = yes(texts::nfc(text) == texts::nfc(value)).min(texts::plain(text)).min(texts::plain(value));
    same.max(open(words(text) == words(value))).max(address(text, value).min(Sure::Open))
}

fn name(text: &str, value: &str) -> Sure {
    texts::same_letters(text, value)
}

fn address(text: &str, value: &str) -> Sure {
    match (text.parse::<IpAddr>(), value.parse::<IpAddr>()) {
        (Ok(one), Ok(other)) => yes(one == other),
        (_, _) => Sure::No,
    }
}

/// Compares integers. Open: signs, separators, and the two's complement of a negative number.
fn integer(text: &str, value: i128) -> Sure {
    let plain = number(text);
    let separated: String = text.chars().filter(|c| !matches!(c, ',' | '_' | '\'' | ' ' | '+')).collect();
    let wrapped = |bits: u32| plain == Some(value + (1i128 << bits)) && value < 0;
    yes(plain == Some(value))
        .max(open(number(&separated) == Some(value)))
        .max(open(wrapped(8) || wrapped(16) || wrapped(32) || wrapped(64)))
}

/// Compares sizes. Open: every unit; a rounded size is not a size.
fn size(text: &str, value: u64) -> Sure {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit = lower[digits.len()..].trim();
    let factors: &[i128] = match unit {
        "b" | "byte" | "bytes" => &[1],
        "k" | "kb" | "kib" => &[1000, 1 << 10],
        "m" | "mb" | "mib" => &[1_000_000, 1 << 20],
        _ => &[],
    };
    let amount = |factor: &&i128| match number(digits) {
        Some(amount) => amount * **factor == i128::from(value),
        None => false,
    };
    integer(text, value.into()).max(open(factors.iter().any(|factor| amount(&factor))))
}

/// Compares GUIDs. Open: a GUID without hyphens or in other brackets.
fn guid(text: &str, value: &str) -> Sure {
    let bare = |text: &str| {
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        inner.to_ascii_lowercase()
    };
    let digits = |text: &str| text.to_ascii_lowercase().replace(['{', '}', '(', ')', '-'], "");
    yes(bare(text) == bare(value)).max(open(digits(text) == digits(value)))
}

/// Compares raw bytes, whose stored form alone is shown. Open: letter case, separators and a prefix.
fn bytes(text: &str, value: &str) -> Sure {
    let bare = |text: &str| {
        let lower = text.to_ascii_lowercase();
        lower.strip_prefix("0x").unwrap_or(&lower).replace([' ', ':', '-', ','], "")
    };
    yes(text == value).max(open(bare(text) == bare(value)))
}

/// Compares flags. Open: other words for yes and no.
fn flag(text: &str, value: bool) -> Sure {
    let lower = text.to_ascii_lowercase();
    let word = if value { ["true", "yes", "1"] } else { ["false", "no", "0"] };
    yes(text == value.to_string()).max(open(word.contains(&lower.as_str())))
}
