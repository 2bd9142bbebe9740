//! Finding values in a text, in any of their spellings.

use crate::cut::Cuts;
use crate::fold::{Folded, fold_letters, fold_looks, fold_text, folded};
use crate::nested::unpacked;
use crate::unescape::{plain, readings};
use aho_corasick::{AhoCorasick, BuildError};
use std::collections::BTreeMap;
use std::ops::Range;

/// How a reading of a text was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is written there, escaped or not.
    Written,
    /// It looks like that.
    Looks,
    /// It was decoded from bytes, which may not be text at all: values with fewer letters than this would match
    /// by chance.
    Packed(usize),
}

/// A text in one of its possible readings.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) way: Way,
    pub(crate) folded: Folded,
}

/// Returns what is written in a text, escaped or not, folded.
pub(crate) fn written(text: &str) -> Vec<Folded> {
    let mut all: Vec<Folded> = readings(text).iter().map(|letters| fold_letters(letters)).collect();
    all.push(fold_text(text));
    all
}

/// Returns every reading of a text, folded: each is computed once, whatever is searched for.
pub(crate) fn foldings(text: &str) -> Vec<Reading> {
    let mut all: Vec<Reading> =
        written(text).into_iter().map(|folded| Reading { way: Way::Written, folded }).collect();
    if all.iter().any(|reading| reading.folded.deceives) {
        let letters = readings(text).into_iter().chain([plain(text)]);
        all.extend(letters.map(|letters| Reading { way: Way::Looks, folded: fold_looks(&letters) }));
    }
    all.extend(
        unpacked(text)
            .into_iter()
            .map(|(least, letters)| Reading { way: Way::Packed(least), folded: fold_letters(&letters) }),
    );
    all
}

/// What may be next to a match, from least to most restrictive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Beside {
    /// Anything.
    Anything,
    /// No digit, because the needle may end with digits.
    NoDigit,
    /// No letter, except one of another word, as shown by capitals: `ABell`, `BellReport`.
    Capital,
    /// No letter and no digit: it counts only as a whole word.
    NoLetter,
}

/// A text to search for, in all of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    /// The text, folded.
    pub(crate) text: String,
    /// What may be next to it.
    pub(crate) beside: Beside,
    /// The rule that found it.
    pub(crate) rule: &'static str,
}

/// A search for many needles at once.
#[derive(Debug)]
pub(crate) struct Searcher {
    written: Needles,
    looks: Needles,
    cuts: Cuts,
}

#[derive(Debug)]
struct Needles {
    automaton: AhoCorasick,
    needles: Vec<Needle>,
}

/// A match: bytes of the text, and the rule.
pub(crate) type Found = (Range<usize>, &'static str);

impl Searcher {
    pub(crate) fn new(needles: Vec<Needle>) -> Result<Searcher, BuildError> {
        let mut looks: BTreeMap<String, Needle> = BTreeMap::new();
        for needle in &needles {
            // Capitals look different from lower-case letters.
            for text in [needle.text.clone(), needle.text.to_uppercase()] {
                let text = fold_looks(&plain(&text)).text;
                looks.entry(text.clone()).or_insert(Needle { text, ..needle.clone() });
            }
        }
        Ok(Searcher {
            cuts: Cuts::of(&needles),
            looks: Needles::new(looks.into_values().collect())?,
            written: Needles::new(needles)?,
        })
    }

    /// Finds needles in a reading, including overlaps, with the rule of each.
    pub(crate) fn find(&self, text: &str, reading: &Reading, found: &mut Vec<Found>) {
        let folded = &reading.folded;
        match reading.way {
            Way::Written => {
                self.written.find(folded, text, found, |_, _| true);
                self.cuts.find(folded, found);
            }
            Way::Looks => self.looks.find(folded, text, found, |_, range| folded.is_deceived_in(range)),
            Way::Packed(least) => {
                // Encoded letters do not show capitals.
                let is_long =
                    |needle: &Needle, _: &Range<usize>| needle.text.chars().nth(least - 1).is_some();
                self.written.find(folded, "", found, is_long);
            }
        }
    }
}

impl Needles {
    fn new(needles: Vec<Needle>) -> Result<Needles, BuildError> {
        let automaton = AhoCorasick::new(needles.iter().map(|needle| &needle.text))?;
        Ok(Needles { automaton, needles })
    }

    /// Finds needles in a folded text; `text` is its source.
    fn find(
        &self,
        folded: &Folded,
        text: &str,
        found: &mut Vec<Found>,
        counts: impl Fn(&Needle, &Range<usize>) -> bool,
    ) {
        found.extend(self.automaton.find_overlapping_iter(&folded.text).filter_map(|it| {
            let needle = self.needles.get(it.pattern().as_usize())?;
            let range = it.start()..it.end();
            let stands = match needle.beside {
                Beside::Anything => true,
                Beside::NoDigit => folded.stands_between(&range, |c| c.is_ascii_digit()),
                Beside::Capital => folded.is_hump(&range, text),
                Beside::NoLetter => folded.stands_between(&range, char::is_alphanumeric),
            };
            (stands && counts(needle, &range)).then(|| (folded.source(&range), needle.rule))
        }));
    }
}

/// Returns the ASCII look-alike of a value of one script, if every letter has one.
pub(crate) fn ascii_look(value: &str) -> Option<String> {
    let looks = fold_looks(&plain(value)).text;
    (looks.is_ascii() && !folded(value).is_ascii()).then_some(looks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, needle: &str, alone: bool) -> Vec<String> {
        let beside = if alone { Beside::NoLetter } else { Beside::Anything };
        let needle = Needle { text: folded(needle), beside, rule: "field" };
        let searcher = Searcher::new(vec![needle]).unwrap();
        let mut found = Vec::new();
        foldings(text).iter().for_each(|reading| searcher.find(text, reading, &mut found));
        let mut found: Vec<String> = found.into_iter().map(|(range, _)| text[range].to_owned()).collect();
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
            r"C:\Users\J&ouml;rg M",
            "C\0:\0\\\0U\0s\0e\0r\0s\0\\\0J\0ö\0r\0g\0 \0M",
            "C:\\Us\u{ad}ers\\J\u{200b}o\u{308}rg\u{a0}M",
            "Ｃ：＼Ｕｓｅｒｓ＼Ｊö\u{feff}ｒｇ　Ｍ",
            r"C:\Users\J\u00ad\u00f6rg M",
            "C:\\Usеrs\\Jöгg М".replace('г', "r").as_str(),
            "QzpcVXNlcnNcSsO2cmcgTQ",
            "433a5c55736572735c4ac3b67267204d",
            "43 3A 5C 55 73 65 72 73 5C 4A C3 B6 72 67 20 4D",
        ] {
            assert!(found(&format!("in <{text}> it"), value, false).contains(&text.to_owned()), "{text}");
        }
        // Something that looks like an escape but is not one hides nothing.
        assert_eq!(found(r"C:\ua1b2\n", "ua1b2", false), ["ua1b2"]);
    }

    #[test]
    fn letters_of_another_script_are_found_by_their_look() {
        for text in ["MАRА", "mаra", "МARA", "Μara", "m\\u0430ra", "m%d0%b0ra", "ｍаra"] {
            assert_eq!(found(&format!("<{text}>"), "Mara", false), [text]);
        }
        assert_eq!(found("аlder-О7 ALDER-O7 a1der-07", "ALDER-07", false), ["аlder-О7"]);
        // A name in that script stays as it is in either case.
        assert_eq!(found("ВЕРА вера", "Вера", false), ["ВЕРА", "вера"]);
        assert_eq!(ascii_look("Вера").as_deref(), Some("bepa"));
    }

    #[test]
    fn a_part_of_a_name_is_found_as_a_word_and_as_a_part_with_a_capital() {
        let needle = Needle { text: "bell".into(), beside: Beside::Capital, rule: "field" };
        let searcher = Searcher::new(vec![needle]).unwrap();
        let finds = |text: &str| {
            let mut found = Vec::new();
            foldings(text).iter().for_each(|reading| searcher.find(text, reading, &mut found));
            !found.is_empty()
        };
        for text in
            ["Mr Bell", "ABell", "BellReport", "myBell2", "x_bell.txt", "BELL", "bell2", "bell%20x", "Be^ll"]
        {
            assert!(finds(text), "{text}");
        }
        for text in
            ["bellow", "BELLOW", "doorbell", "labelled", "Isabell", "Bellow", "DOORBELL", "bell\u{e9}"]
        {
            assert!(!finds(text), "{text}");
        }
    }

    #[test]
    fn a_short_value_is_found_as_a_word_alone() {
        assert_eq!(found("joe, xjoe, joe2", "joe", true), ["joe"]);
        assert!(found("xjoe joe2 jo\u{ad}e2", "joe", true).is_empty());
        // Three letters match in any bytes by chance.
        assert!(found("b3 6a 6f 65 20", "joe", true).is_empty());
    }
}
