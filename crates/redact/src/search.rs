//! Values found in a text, however they are written there.

use crate::unescape::{Letter, readings};
use aho_corasick::{AhoCorasick, BuildError};
use std::ops::Range;

/// A text as it is searched: lower case, one backslash for each separator, and where each byte comes from.
pub(crate) struct Folded {
    pub(crate) text: String,
    /// For each letter the byte of `text` at which it begins, and the bytes of the source that it was written as.
    places: Vec<(usize, usize, usize)>,
}

impl Folded {
    pub(crate) fn of(letters: &[Letter]) -> Folded {
        let mut folded =
            Folded { text: String::with_capacity(letters.len()), places: Vec::with_capacity(letters.len()) };
        let mut separated = false;
        for letter in letters {
            let separator = matches!(letter.c, '\\' | '/');
            match folded.places.last_mut().filter(|_| separator && separated) {
                // Written twice or four times, it separates once.
                Some(before) => before.2 = letter.to,
                None => {
                    folded.places.push((folded.text.len(), letter.from, letter.to));
                    match separator {
                        true => folded.text.push('\\'),
                        false => folded.text.extend(letter.c.to_lowercase()),
                    }
                }
            }
            separated = separator;
        }
        folded
    }

    /// The bytes of the source that stand for these bytes of the folded text.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let letter = |at: usize| self.places.partition_point(|place| place.0 <= at).saturating_sub(1);
        let first = self.places.get(letter(range.start)).map_or(0, |place| place.1);
        let last = self.places.get(letter(range.end.saturating_sub(1))).map_or(first, |place| place.2);
        first..last
    }

    /// Whether neither side of the range goes on with a letter or a digit.
    pub(crate) fn stands_alone(&self, range: &Range<usize>) -> bool {
        let before = self.text.get(..range.start).and_then(|text| text.chars().next_back());
        let after = self.text.get(range.end..).and_then(|text| text.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    }
}

/// A text folded as it is searched.
pub(crate) fn folded(text: &str) -> String {
    Folded::of(&crate::unescape::plain(text)).text
}

/// Every reading of a text, folded.
pub(crate) fn foldings(text: &str) -> Vec<Folded> {
    readings(text).iter().map(|letters| Folded::of(letters)).collect()
}

/// What is sought, in all of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    /// Folded.
    pub(crate) text: String,
    /// Whether it counts only where it stands as a word.
    pub(crate) alone: bool,
    /// What it was found by.
    pub(crate) rule: &'static str,
}

/// Many needles at once.
#[derive(Debug, Clone)]
pub(crate) struct Searcher {
    automaton: AhoCorasick,
    needles: Vec<Needle>,
}

impl Searcher {
    pub(crate) fn new(needles: Vec<Needle>) -> Result<Searcher, BuildError> {
        let automaton = AhoCorasick::new(needles.iter().map(|needle| &needle.text))?;
        Ok(Searcher { automaton, needles })
    }

    /// Where needles stand in a folded text, overlaps included, and what found each.
    pub(crate) fn find<'s>(
        &'s self,
        folded: &'s Folded,
    ) -> impl Iterator<Item = (Range<usize>, &'static str)> + 's {
        self.automaton.find_overlapping_iter(&folded.text).filter_map(move |found| {
            let needle = self.needles.get(found.pattern().as_usize())?;
            let range = found.start()..found.end();
            (!needle.alone || folded.stands_alone(&range)).then(|| (folded.source(&range), needle.rule))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, needle: &str, alone: bool) -> Vec<String> {
        let needle = Needle { text: folded(needle), alone, rule: "field" };
        let searcher = Searcher::new(vec![needle]).unwrap();
        let mut found: Vec<String> = foldings(text)
            .iter()
            .flat_map(|folded| {
                searcher.find(folded).map(|(range, _)| text[range].to_owned()).collect::<Vec<_>>()
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn a_value_is_found_however_it_is_written() {
        let value = r"C:\Users\Jörg M";
        for text in [
            r"c:\users\JÖRG m",
            r"C:/Users/Jörg M",
            r"C:\\Users\\Jörg M",
            r"C:\\\\Users\\\\J\\u00f6rg M",
            r"C:\Users\J\u{f6}rg M",
            "C:/Users/J%C3%B6rg%20M",
            "C%3A%5CUsers%5CJ%c3%b6rg+M",
            r"C:\Users\J&#xf6;rg M",
            "C\0:\0\\\0U\0s\0e\0r\0s\0\\\0J\0ö\0r\0g\0 \0M",
        ] {
            assert!(found(&format!("in <{text}> it"), value, false).contains(&text.to_owned()), "{text}");
        }
        // What looks like an escape, and is none, hides nothing.
        assert_eq!(found(r"C:\ua1b2\n", "ua1b2", false), ["ua1b2"]);
    }

    #[test]
    fn a_short_value_is_found_as_a_word_alone() {
        assert_eq!(found("joe, xjoe, joe2", "joe", true), ["joe"]);
        assert!(found("xjoe joe2", "joe", true).is_empty());
    }
}
