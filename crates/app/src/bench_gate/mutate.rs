//! Values that are changed so that they are no longer true.

use super::cite::somewhere;
use super::draw::Draw;
use super::seed::{Maker, Seeded};
use super::values::{NUMBERED, PARTED, TEXTS, WORDED};
use ledger::FieldType;

/// Letters of other scripts that look like Latin ones: Cyrillic, then Greek (Unicode Technical Standard 39, confusables).
pub(super) const LOOKALIKES: [(char, char); 34] = [
    ('a', '\u{430}'),
    ('c', '\u{441}'),
    ('e', '\u{435}'),
    ('i', '\u{456}'),
    ('j', '\u{458}'),
    ('o', '\u{43e}'),
    ('p', '\u{440}'),
    ('s', '\u{455}'),
    ('x', '\u{445}'),
    ('y', '\u{443}'),
    ('A', '\u{410}'),
    ('B', '\u{412}'),
    ('C', '\u{421}'),
    ('E', '\u{415}'),
    ('H', '\u{41d}'),
    ('K', '\u{41a}'),
    ('M', '\u{41c}'),
    ('O', '\u{41e}'),
    ('P', '\u{420}'),
    ('S', '\u{405}'),
    ('T', '\u{422}'),
    ('X', '\u{425}'),
    ('o', '\u{3bf}'),
    ('v', '\u{3bd}'),
    ('A', '\u{391}'),
    ('B', '\u{392}'),
    ('E', '\u{395}'),
    ('H', '\u{397}'),
    ('I', '\u{399}'),
    ('K', '\u{39a}'),
    ('M', '\u{39c}'),
    ('N', '\u{39d}'),
    ('O', '\u{39f}'),
    ('T', '\u{3a4}'),
];

/// Invisible characters: zero width space, soft hyphen, zero width joiner, left-to-right mark, word joiner, byte order mark.
const INVISIBLE: [char; 6] = ['\u{200b}', '\u{ad}', '\u{200d}', '\u{200e}', '\u{2060}', '\u{feff}'];

pub(super) fn digit_changed(maker: &mut Maker<'_>) -> Option<Seeded> {
    changed(maker, NUMBERED, |c, draw| {
        c.is_ascii_digit().then(|| char::from_digit(draw.below(10) as u32, 10)).flatten()
    })
}

pub(super) fn letter_changed(maker: &mut Maker<'_>) -> Option<Seeded> {
    changed(maker, WORDED, |c, draw| {
        // A hex digit stays a hex digit.
        let letters = if c.is_ascii_hexdigit() { "abcdef" } else { "ghijklmnopqrstuvwxyz" };
        let other = letters.chars().nth(draw.below(letters.len()))?;
        let other = if c.is_ascii_uppercase() { other.to_ascii_uppercase() } else { other };
        c.is_ascii_alphabetic().then_some(other)
    })
}

pub(super) fn homoglyph(maker: &mut Maker<'_>) -> Option<Seeded> {
    changed(maker, WORDED, |c, draw| {
        let like: Vec<char> = LOOKALIKES.iter().filter(|pair| pair.0 == c).map(|pair| pair.1).collect();
        draw.pick(&like).copied()
    })
}

pub(super) fn fullwidth(maker: &mut Maker<'_>) -> Option<Seeded> {
    changed(maker, WORDED, |c, _| {
        c.is_ascii_graphic().then(|| char::from_u32(u32::from(c) + 0xfee0)).flatten()
    })
}

pub(super) fn invisible(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(WORDED)?;
    let mut characters: Vec<char> = base.text().chars().collect();
    let place = maker.draw.below(characters.len() + 1);
    characters.insert(place, *maker.draw.pick(&INVISIBLE)?);
    Some(somewhere(maker, base.with(characters.into_iter().collect())))
}

/// Cuts off the end of the value, half of the time at a separator.
pub(super) fn prefix(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(PARTED)?;
    let characters: Vec<char> = base.text().chars().collect();
    let parts: Vec<usize> = (1..characters.len())
        .filter(|place| characters.get(*place).is_some_and(|c| matches!(c, '/' | '\\' | ' ' | '.' | '-')))
        .collect();
    let end = match parts.is_empty() || maker.draw.once_in(1, 2) {
        true => 1 + maker.draw.below(characters.len().checked_sub(1)?),
        false => *maker.draw.pick(&parts)?,
    };
    let text: String = characters.get(..end)?.iter().collect();
    (!text.trim().is_empty()).then(|| somewhere(maker, base.with(text)))
}

/// Takes a part of the value that does not include its start.
pub(super) fn substring(maker: &mut Maker<'_>) -> Option<Seeded> {
    let base = maker.base(PARTED)?;
    let characters: Vec<char> = base.text().chars().collect();
    let start = 1 + maker.draw.below(characters.len().checked_sub(1)?);
    let end = match maker.draw.once_in(1, 2) {
        true => characters.len(),
        false => start + 1 + maker.draw.below(characters.len() - start),
    };
    let text: String = characters.get(start..end)?.iter().collect();
    (!text.trim().is_empty()).then(|| somewhere(maker, base.with(text)))
}

/// Invents a plausible value of the type.
pub(super) fn invented(maker: &mut Maker<'_>) -> Option<Seeded> {
    let types = [
        FieldType::Path,
        FieldType::Name,
        FieldType::RegistryPath,
        FieldType::Sid,
        FieldType::Time,
        FieldType::Hash,
        FieldType::Guid,
        FieldType::Integer,
        FieldType::Size,
        FieldType::Text,
    ];
    // The type is drawn first, so that times and sizes do not crowd out the rest.
    let of_type = *maker.draw.pick(&types)?;
    let base = maker.base(&[of_type])?;
    let text = invent(of_type, base.text(), &mut maker.draw)?;
    Some(somewhere(maker, base.with(text)))
}

/// Changes exactly one character of the value.
fn changed(
    maker: &mut Maker<'_>,
    types: &[FieldType],
    change: fn(char, &mut Draw) -> Option<char>,
) -> Option<Seeded> {
    let base = maker.base(types)?;
    let mut characters: Vec<char> = base.text().chars().collect();
    let mut others = Vec::new();
    for (place, c) in characters.iter().enumerate() {
        others.extend(change(*c, &mut maker.draw).filter(|other| other != c).map(|other| (place, other)));
    }
    let (place, other) = *maker.draw.pick(&others)?;
    *characters.get_mut(place)? = other;
    Some(somewhere(maker, base.with(characters.into_iter().collect())))
}

fn invent(of_type: FieldType, like: &str, draw: &mut Draw) -> Option<String> {
    const FOLDERS: [&str; 5] =
        ["Windows/Temp", "Users/Public/Documents", "ProgramData/Updater", "Windows/System32", "PerfLogs"];
    const NAMES: [&str; 6] = ["svchost", "update", "rundll", "mimikatz", "chrome_helper", "invoice"];
    const ENDS: [&str; 5] = ["exe", "dll", "ps1", "docm", "zip"];
    let name = |draw: &mut Draw| {
        Some(format!("{}{}.{}", draw.pick(&NAMES)?, 10 + draw.below(990), draw.pick(&ENDS)?))
    };
    let hex = |draw: &mut Draw, length: usize| {
        (0..length).filter_map(|_| char::from_digit(draw.below(16) as u32, 16)).collect::<String>()
    };
    Some(match of_type {
        FieldType::Path => {
            let path = format!("C/{}/{}", draw.pick(&FOLDERS)?, name(draw)?);
            if like.contains('\\') { path.replacen("C/", "C:/", 1).replace('/', "\\") } else { path }
        }
        FieldType::Name => name(draw)?,
        FieldType::RegistryPath => {
            format!("Software\\Microsoft\\Windows\\CurrentVersion\\Run\\{}", draw.pick(&NAMES)?)
        }
        FieldType::Sid => {
            let part = |draw: &mut Draw| 100_000_000 + draw.below(900_000_000);
            format!("S-1-5-21-{}-{}-{}-{}", part(draw), part(draw), part(draw), 1000 + draw.below(50))
        }
        FieldType::Time => {
            let mut part = |from: usize, below: usize| from + draw.below(below);
            let (year, month, day) = (part(2001, 24), part(1, 12), part(1, 28));
            let (hour, minute, second) = (part(0, 24), part(0, 60), part(0, 60));
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
        }
        FieldType::Hash => hex(draw, like.len()),
        FieldType::Guid => {
            let parts = [8, 4, 4, 4, 12].map(|length| hex(draw, length));
            format!("{{{}}}", parts.join("-"))
        }
        FieldType::Integer | FieldType::Size => (1000 + draw.below(1 << 24)).to_string(),
        FieldType::Text => format!("{} was started by {}", name(draw)?, name(draw)?),
        FieldType::Bytes | FieldType::Flag | FieldType::List => return None,
    })
}

/// The types of values that a text outside the evidence could pass for.
pub(super) const SAID: &[FieldType] = TEXTS;
