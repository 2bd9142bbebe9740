//! Decoding bytes to text: names and the data of text values.

use nt_hive::NtHiveNameString;

use super::defect::{Defect, DefectKind};

/// Decoded text, and its oddities.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Whether bytes other than NUL follow the first NUL.
    pub(crate) trailing: bool,
    pub(crate) unpaired: u32,
}

/// Decodes UTF-16LE up to the first NUL; a last odd byte is left out.
pub(crate) fn text(bytes: &[u8]) -> Text {
    let (end, behind) = split_at_nul(bytes);
    let (text, unpaired) = utf16(bytes.get(..end).unwrap_or_default());
    Text { text, trailing: not_zero(bytes.get(behind..)), unpaired }
}

/// Decodes UTF-16LE texts, each followed by a NUL, up to an empty one or the end.
pub(crate) fn texts(bytes: &[u8]) -> (Vec<String>, bool, u32) {
    let (mut rest, mut texts, mut unpaired) = (bytes, Vec::new(), 0);
    while rest.len() >= 2 {
        let (end, behind) = split_at_nul(rest);
        let (one, remaining) = (rest.get(..end).unwrap_or_default(), rest.get(behind..).unwrap_or_default());
        rest = remaining;
        if end == 0 {
            return (texts, not_zero(Some(rest)), unpaired);
        }
        let (text, lonely) = utf16(one);
        texts.push(text);
        unpaired += lonely;
    }
    (texts, false, unpaired)
}

/// Decodes a key or value name as stored: Latin-1 or UTF-16LE.
pub(crate) fn name(stored: &NtHiveNameString<'_>, at: u64, defects: &mut Vec<Defect>) -> String {
    match stored {
        NtHiveNameString::Latin1(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if bytes.is_ascii() => text.to_owned(),
            _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
        NtHiveNameString::Utf16LE(bytes) => {
            let (text, count) = utf16(bytes);
            note(at, count, bytes.len(), defects);
            text
        }
    }
}

/// Checks whether two names are the same to Windows, which upper-cases unit by unit.
pub(crate) fn same_name(left: &str, right: &str) -> bool {
    if left.is_ascii() && right.is_ascii() {
        return left.eq_ignore_ascii_case(right);
    }
    let units: Vec<u8> = left.encode_utf16().flat_map(u16::to_le_bytes).collect();
    NtHiveNameString::Utf16LE(&units) == *right
}

/// Reports oddities of a UTF-16 text at a file offset.
pub(crate) fn note(at: u64, unpaired: u32, length: usize, defects: &mut Vec<Defect>) {
    if unpaired > 0 {
        defects.push(Defect::at(at, DefectKind::UnpairedSurrogates { count: unpaired }));
    }
    if !length.is_multiple_of(2) {
        defects.push(Defect::at(at, DefectKind::OddText { actual: length as u64 }));
    }
}

/// Decodes UTF-16LE; each unpaired surrogate becomes U+FFFD and is counted.
pub(crate) fn utf16(bytes: &[u8]) -> (String, u32) {
    // Nearly all text in a registry is ASCII, which needs no decoding.
    let pairs = bytes.as_chunks().0;
    if pairs.iter().all(|[low, high]| *high == 0 && low.is_ascii()) {
        let ascii = pairs.iter().map(|[low, _]| *low).collect();
        return (String::from_utf8(ascii).unwrap_or_default(), 0);
    }
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut unpaired = 0;
    for unit in char::decode_utf16(units(bytes)) {
        text.push(unit.unwrap_or_else(|_| {
            unpaired += 1;
            char::REPLACEMENT_CHARACTER
        }));
    }
    (text, unpaired)
}

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair))
}

/// Returns where the text ends and where the bytes after its NUL begin.
fn split_at_nul(bytes: &[u8]) -> (usize, usize) {
    match units(bytes).position(|unit| unit == 0) {
        Some(nul) => (nul * 2, nul * 2 + 2),
        None => (bytes.len(), bytes.len()),
    }
}

fn not_zero(bytes: Option<&[u8]>) -> bool {
    bytes.unwrap_or_default().iter().any(|byte| *byte != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn text_ends_at_the_first_nul_and_says_what_stands_behind() {
        assert_eq!(text(&wide("ab\0")), Text { text: "ab".into(), ..Text::default() });
        assert_eq!(text(&wide("ab\0\0\0")), Text { text: "ab".into(), ..Text::default() });
        assert_eq!(text(&wide("ab\0c")), Text { text: "ab".into(), trailing: true, unpaired: 0 });
        assert_eq!(text(&wide("ab")), Text { text: "ab".into(), ..Text::default() });
    }

    #[test]
    fn each_unpaired_surrogate_is_replaced_and_counted() {
        let bytes = [0x41, 0, 0x00, 0xD8, 0x42, 0, 0x00, 0xDC];
        assert_eq!(utf16(&bytes), ("A\u{FFFD}B\u{FFFD}".into(), 2));
        assert_eq!(utf16(&wide("\u{1F600}")), ("\u{1F600}".into(), 0));
    }

    #[test]
    fn texts_end_at_an_empty_one() {
        assert_eq!(texts(&wide("a\0bc\0\0")), (vec!["a".into(), "bc".into()], false, 0));
        assert_eq!(texts(&wide("a\0\0b\0\0")), (vec!["a".into()], true, 0));
        assert_eq!(texts(&wide("a\0b")), (vec!["a".into(), "b".into()], false, 0));
        assert_eq!(texts(&[]), (vec![], false, 0));
    }

    #[test]
    fn names_compare_as_windows_does() {
        assert!(same_name("Select", "SELECT"));
        assert!(same_name("ÄÖÜ", "äöü"));
        assert!(!same_name("straße", "STRASSE"));
    }
}
