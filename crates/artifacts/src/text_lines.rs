//! Lines of a text file with their places: UTF-16LE after its byte order mark or if its first two characters are
//! clearly UTF-16, otherwise UTF-8.
//!
//! Bytes that are not UTF-8, such as those of an undeclared code page, become U+FFFD.

use crate::damage::{Damage, DamageKind};
use crate::fields::Located;
use std::ops::Range;

/// The longest line that is read as one, in bytes; a longer one continues in the next.
const LONGEST: usize = 1 << 16;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line end.
    pub text: Located<String>,
    wide: bool,
    /// Whether the file declares its encoding.
    marked: bool,
    /// Number of units that were not characters.
    lost: usize,
}

impl Line {
    /// Returns the part of the text in `range` and the place of its bytes; the whole line if that is unknown.
    pub fn part(&self, range: Range<usize>) -> Option<Located<String>> {
        let part = self.text.value.get(range.clone())?.to_owned();
        if self.lost > 0 {
            return Some(Located::new(part, self.text.offset, self.text.length));
        }
        let before = self.text.value.get(..range.start)?;
        let bytes = |text: &str| if self.wide { text.encode_utf16().count() * 2 } else { text.len() };
        let (start, length) = (self.text.offset + bytes(before), bytes(&part));
        Some(Located::new(part, start, length))
    }

    /// Returns the part that is `text`, which must be a slice of this line.
    pub fn place(&self, text: &str) -> Option<Located<String>> {
        let start = (text.as_ptr() as usize).checked_sub(self.text.value.as_ptr() as usize)?;
        self.part(start..start.checked_add(text.len())?)
    }

    /// Returns what is wrong with the text: zeros, which no text contains, and units that are not characters of
    /// the declared encoding.
    ///
    /// Without a byte order mark, bytes that are not UTF-8 may belong to a code page: that is not damage.
    pub fn damage(&self) -> Option<DamageKind> {
        let zeros = self.text.value.bytes().filter(|byte| *byte == 0).count();
        let count = zeros + if self.marked { self.lost } else { 0 };
        (count > 0).then_some(DamageKind::Text { what: "the line", count })
    }
}

/// Returns the lines of `bytes`, in order.
pub fn lines(bytes: &[u8]) -> Lines<'_> {
    let is_marked_wide = bytes.starts_with(&[0xFF, 0xFE]);
    // Two letters of UTF-16 without a byte order mark; no other text has zeros like these.
    let wide = is_marked_wide || matches!(bytes, [1..=255, 0, 1..=255, 0, ..]);
    let at = if is_marked_wide {
        2
    } else if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        3
    } else {
        0
    };
    Lines { bytes, at, wide, marked: at > 0, number: 0 }
}

/// Returns the damage to a text, in order; consecutive damaged lines are reported together.
pub fn damage(bytes: &[u8]) -> Vec<Damage> {
    let (mut found, mut before) = (Vec::<Damage>::new(), false);
    let all = lines(bytes);
    if !all.wide && !bytes.contains(&0) && (!all.marked || str::from_utf8(bytes).is_ok()) {
        return found;
    }
    for line in all {
        let Some(what) = line.damage() else {
            before = false;
            continue;
        };
        match (found.last_mut(), what) {
            (
                Some(Damage { what: DamageKind::Text { count, .. }, .. }),
                DamageKind::Text { count: more, .. },
            ) if before => *count += more,
            _ => found.push(Damage::at(line.text.offset, what)),
        }
        before = true;
    }
    found
}

/// The lines of a text, see [`lines`].
pub struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    wide: bool,
    marked: bool,
    number: u64,
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let rest = rest.get(..LONGEST).unwrap_or(rest);
        let end = if self.wide {
            rest.as_chunks::<2>().0.iter().position(|pair| *pair == [b'\n', 0]).map(|units| units * 2)
        } else {
            rest.iter().position(|byte| *byte == b'\n')
        };
        let unit = if self.wide { 2 } else { 1 };
        let content = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let (offset, mark) = (self.at, if self.wide { &b"\r\0"[..] } else { b"\r" });
        let content = content.strip_suffix(mark).unwrap_or(content);
        self.at += end.map_or(rest.len(), |end| end + unit);
        self.number += 1;
        let (text, lost) = decode(content, self.wide);
        let text = Located::new(text, offset, content.len());
        Some(Line { number: self.number, text, wide: self.wide, marked: self.marked, lost })
    }
}

fn decode(content: &[u8], wide: bool) -> (String, usize) {
    if !wide {
        let mut lost = 0;
        let text = content.utf8_chunks().fold(String::new(), |mut text, chunk| {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                lost += chunk.invalid().len();
                text.push(char::REPLACEMENT_CHARACTER);
            }
            text
        });
        return (text, lost);
    }
    let mut lost = content.len() % 2;
    let units = content.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
    let text = char::decode_utf16(units).map(|unit| {
        unit.unwrap_or_else(|_| {
            lost += 1;
            char::REPLACEMENT_CHARACTER
        })
    });
    (text.collect(), lost)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_of_two_bytes_is_known_without_its_mark() {
        let wide: Vec<u8> = "a|b\r\nü".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let found: Vec<_> = lines(&wide).map(|line| (line.text.value, line.text.offset)).collect();
        assert_eq!(found, [("a|b".to_owned(), 0), ("ü".to_owned(), 10)]);
        assert!(damage(&wide).is_empty());
    }

    #[test]
    fn parts_of_lines_stand_where_their_bytes_do() {
        let text = "eins ü=1\r\nzwei\n";
        let wide: Vec<u8> =
            [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for (bytes, unit) in [(text.as_bytes().to_vec(), 1), (wide, 2)] {
            let found: Vec<_> = lines(&bytes).collect();
            let texts: Vec<_> = found.iter().map(|line| (line.number, line.text.value.as_str())).collect();
            assert_eq!(texts, [(1, "eins ü=1"), (2, "zwei")]);
            let (_, value) = found[0].text.value.split_once('=').unwrap();
            let part = found[0].place(value).unwrap();
            let raw = &bytes[part.offset..part.offset + part.length];
            assert_eq!((raw[0], raw.len()), (b'1', unit));
        }
    }

    #[test]
    fn what_no_text_of_the_encoding_holds_is_damage() {
        assert_eq!(lines(b"a\xE4b").next().unwrap().text.value, "a\u{FFFD}b");
        /// Offsets, each with a number of units.
        type Told = &'static [(usize, usize)];
        let table: [(&[u8], Told); 8] = [
            (b"plain\r\ntext", &[]),
            (b"of a code page: \xE4", &[]),
            (b"\xEF\xBB\xBFa\nUTF-8: \xE4\xF6\n", &[(5, 2)]),
            (b"a\n\0\0\0\0", &[(2, 4)]),
            (b"\0\n\0\nb\n\0", &[(0, 2), (6, 1)]),
            (b"\xFF\xFEa\0\n\0b\0", &[]),
            (b"\xFF\xFEa\0\n\0b", &[(6, 1)]),
            (b"\xFF\xFEa\0\n\0\x00\xD8", &[(6, 1)]),
        ];
        for (bytes, expected) in table {
            let found: Vec<_> = damage(bytes)
                .into_iter()
                .map(|one| match one.what {
                    DamageKind::Text { count, .. } => (one.offset, count),
                    other => panic!("{other}"),
                })
                .collect();
            assert_eq!(found, expected, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), wide in any::<bool>()) {
            let bytes = if wide { [&[0xFF, 0xFE][..], &bytes].concat() } else { bytes };
            for line in lines(&bytes) {
                prop_assert!(line.text.offset + line.text.length <= bytes.len());
            }
        }
    }
}
