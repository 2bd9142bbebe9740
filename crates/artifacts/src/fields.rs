//! Bounds-checked reads of little-endian fields and of texts in a piece of data.

use crate::damage::{Damage, DamageKind};
use crate::registry::Filetime;

/// A value and its place in the data it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Offset from the start of the data.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
}

impl<T> Located<T> {
    pub(crate) fn new(value: T, offset: usize, length: usize) -> Located<T> {
        Located { value, offset, length }
    }

    /// Returns the value with its offset moved, for data inside other data.
    pub fn moved(self, by: usize) -> Located<T> {
        Located { offset: self.offset.saturating_add(by), ..self }
    }
}

/// Returns the requested bytes of a field, or none.
pub(crate) fn bytes(data: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    data.get(at..at.checked_add(length)?)
}

pub(crate) fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?.first_chunk().map(|field| u16::from_le_bytes(*field))
}

pub(crate) fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|field| u32::from_le_bytes(*field))
}

pub(crate) fn u64_at(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|field| u64::from_le_bytes(*field))
}

/// Reads a `u16` field with its place.
pub(crate) fn located_u16(data: &[u8], at: usize) -> Option<Located<u16>> {
    u16_at(data, at).map(|value| Located::new(value, at, 2))
}

/// Reads a `u32` field with its place.
pub(crate) fn located_u32(data: &[u8], at: usize) -> Option<Located<u32>> {
    u32_at(data, at).map(|value| Located::new(value, at, 4))
}

/// Reads a FILETIME field with its place.
pub(crate) fn located_filetime(data: &[u8], at: usize) -> Option<Located<Filetime>> {
    u64_at(data, at).map(|ticks| Located::new(Filetime(ticks), at, 8))
}

/// Reads a GUID in braces, upper case: the first three groups are numbers, the others bytes in order ([MS-DTYP]
/// 2.3.4.2).
pub(crate) fn guid_at(data: &[u8], at: usize) -> Option<String> {
    let tail = bytes(data, at.checked_add(8)?, 8)?;
    let (node, rest) = tail.split_at_checked(2)?;
    let hex = |part: &[u8]| part.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let (first, second, third) = (u32_at(data, at)?, u16_at(data, at + 4)?, u16_at(data, at + 6)?);
    Some(format!("{{{first:08X}-{second:04X}-{third:04X}-{}-{}}}", hex(node), hex(rest)))
}

/// Reads UTF-16LE of a known length; units that are not characters are reported and become U+FFFD.
pub(crate) fn utf16(data: &[u8], at: usize, what: &'static str, damage: &mut Vec<Damage>) -> String {
    let units = data.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
    let mut count = data.len() % 2;
    let text = char::decode_utf16(units).map(|unit| {
        unit.unwrap_or_else(|_| {
            count += 1;
            char::REPLACEMENT_CHARACTER
        })
    });
    let text = text.collect();
    if count > 0 {
        damage.push(Damage::at(at, DamageKind::Text { what, count }));
    }
    text
}

/// Reads UTF-16LE from `at` up to a NUL; `length` is that of the text without the NUL.
///
/// A text without a NUL ends with the data, and that is reported.
pub(crate) fn utf16_to_nul(
    data: &[u8],
    at: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<Located<String>> {
    let rest = data.get(at..)?;
    let length = match rest.as_chunks::<2>().0.iter().position(|pair| *pair == [0, 0]) {
        Some(units) => units * 2,
        None => {
            damage.push(Damage::at(at, DamageKind::Unended { what }));
            rest.len()
        }
    };
    let text = utf16(rest.get(..length).unwrap_or_default(), at, what, damage);
    Some(Located::new(text, at, length))
}

/// Reads a text in the system's code page from `at` up to a NUL; also returns how many of its bytes are not ASCII.
///
/// The data do not show which code page it was, so such bytes become U+FFFD.
pub(crate) fn ansi_to_nul(
    data: &[u8],
    at: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<(Located<String>, usize)> {
    let rest = data.get(at..)?;
    let length = rest.iter().position(|byte| *byte == 0).unwrap_or_else(|| {
        damage.push(Damage::at(at, DamageKind::Unended { what }));
        rest.len()
    });
    let text = rest.get(..length).unwrap_or_default();
    let foreign = text.iter().filter(|byte| !byte.is_ascii()).count();
    let char_of = |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER };
    Some((Located::new(text.iter().map(char_of).collect(), at, length), foreign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guid_has_three_numbers_and_two_runs_of_bytes() {
        let data: Vec<u8> = (0..16).collect();
        assert_eq!(guid_at(&data, 0).unwrap(), "{03020100-0504-0706-0809-0A0B0C0D0E0F}");
        assert_eq!(guid_at(&data, 1), None);
    }

    #[test]
    fn a_text_without_nul_ends_with_the_data_and_says_so() {
        let mut damage = Vec::new();
        let text = utf16_to_nul(&[0x41, 0, 0x42], 0, "name", &mut damage).unwrap();
        assert_eq!(text.value, "A");
        let kinds: Vec<_> = damage.iter().map(|damage| damage.what).collect();
        assert_eq!(
            kinds,
            [DamageKind::Unended { what: "name" }, DamageKind::Text { what: "name", count: 1 }]
        );
    }

    #[test]
    fn bytes_of_an_unknown_code_page_are_no_letters() {
        let (text, foreign) = ansi_to_nul(b"a\xE4b\0c", 0, "name", &mut Vec::new()).unwrap();
        assert_eq!((text.value.as_str(), text.length, foreign), ("a\u{FFFD}b", 3, 1));
    }
}
