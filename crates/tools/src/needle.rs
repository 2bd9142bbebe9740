//! A literal text, as the bytes that it can be in a file.

use crate::text::Encoding;
use memchr::{memchr, memchr2, memchr3};

/// A text to look for.
pub(crate) struct Needle {
    /// For each character its possible byte forms; no form is a prefix of another.
    characters: Vec<Vec<Vec<u8>>>,
    /// The bytes with which a hit can begin.
    first: Vec<u8>,
}

impl Needle {
    /// Prepares `text` in UTF-8 or UTF-16LE; with `ignore_case` each letter also matches its single upper-case and lower-case letters.
    pub(crate) fn new(text: &str, encoding: Encoding, ignore_case: bool) -> Needle {
        let form = |letter: char| match encoding {
            Encoding::Utf16Le => {
                letter.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_le_bytes()).collect()
            }
            Encoding::Utf8 | Encoding::Latin1 | Encoding::Hex => letter.to_string().into_bytes(),
        };
        let forms = |letter: char| {
            let mut letters = vec![letter];
            if ignore_case {
                letters.extend(only(letter.to_lowercase()));
                letters.extend(only(letter.to_uppercase()));
            }
            letters.sort_unstable();
            letters.dedup();
            letters.into_iter().map(form).collect::<Vec<Vec<u8>>>()
        };
        let characters: Vec<_> = text.chars().map(forms).collect();
        let mut first: Vec<u8> =
            characters.first().into_iter().flatten().filter_map(|form| form.first().copied()).collect();
        first.sort_unstable();
        first.dedup();
        Needle { characters, first }
    }

    /// Returns the first hit in `bytes` that begins at or after `from`: its beginning and its end.
    pub(crate) fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut at = from;
        loop {
            let rest = bytes.get(at..)?;
            let start = at
                + match self.first.as_slice() {
                    [] => return None,
                    [a] => memchr(*a, rest),
                    [a, b] => memchr2(*a, *b, rest),
                    // A letter has at most three forms.
                    [a, b, c, ..] => memchr3(*a, *b, *c, rest),
                }?;
            if let Some(length) = self.length_at(bytes.get(start..)?) {
                return Some((start, start + length));
            }
            at = start + 1;
        }
    }

    fn length_at(&self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        for forms in &self.characters {
            let rest = bytes.get(at..)?;
            at += forms.iter().find(|form| rest.starts_with(form))?.len();
        }
        Some(at)
    }
}

/// Returns the letter, if there is exactly one.
fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn letters_are_found_in_either_case_and_either_encoding() {
        for (text, inside, exact, folded) in [
            ("evil", "x EVIL y", false, true),
            ("evil", "x evil y", true, true),
            ("grün", "GRÜN", false, true),
            ("Straße", "STRASSE", false, false),
            ("aab", "aaab", true, true),
            ("ab", "a", false, false),
            ("😀a", "x😀A", false, true),
        ] {
            for (ignore_case, expected) in [(false, exact), (true, folded)] {
                let narrow = Needle::new(text, Encoding::Utf8, ignore_case);
                assert_eq!(narrow.find(inside.as_bytes(), 0).is_some(), expected, "{text} in {inside}");
                let broad = Needle::new(text, Encoding::Utf16Le, ignore_case);
                assert_eq!(broad.find(&wide(inside), 0).is_some(), expected, "{text} in wide {inside}");
            }
        }
        let needle = Needle::new("ab", Encoding::Utf16Le, true);
        assert_eq!(needle.find(b"xxxA\0B\0ab", 0), Some((3, 7)));
        assert_eq!(needle.find(b"xxxA\0B\0ab", 4), None);
    }
}
