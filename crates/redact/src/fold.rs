//! Folding of texts for searching: one spelling for everything that reads or looks alike, with a mapping back to
//! the source.

use crate::spell::{look_of_ascii, with_spelling};
use crate::unescape::Letter;
use std::ops::Range;

/// A folded text, and the source of each of its bytes.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) text: String,
    pieces: Vec<Piece>,
    separated: bool,
    /// Whether any letter looks like another letter than it reads as.
    pub(crate) deceives: bool,
    /// Positions of such letters, in a text folded by look.
    deceivers: Vec<usize>,
}

/// A stretch of a folded text, up to the next one.
#[derive(Debug)]
struct Piece {
    /// Where it begins in the folded text.
    at: usize,
    /// The bytes of the source that it represents.
    from: usize,
    to: usize,
    /// Whether its bytes correspond one by one to those of its source; otherwise it represents its source as a whole.
    even: bool,
}

impl Folded {
    /// Returns the bytes of the source for these bytes of the folded text.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let (first, last) = (self.piece(range.start), self.piece(range.end.saturating_sub(1)));
        let from = first.map_or(0, |it| if it.even { it.from + (range.start - it.at) } else { it.from });
        let to = last.map_or(from, |it| if it.even { it.from + (range.end - it.at) } else { it.to });
        from..to.max(from)
    }

    /// Returns the piece that contains a byte of the folded text.
    fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.get(self.pieces.partition_point(|piece| piece.at <= at).checked_sub(1)?)
    }

    /// Checks that there is no such character on either side of the range.
    pub(crate) fn stands_between(&self, range: &Range<usize>, is: impl Fn(char) -> bool) -> bool {
        !self.before(range.start).is_some_and(&is) && !self.after(range.end).is_some_and(&is)
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    fn after(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// Checks whether a letter or a digit comes before this place.
    pub(crate) fn goes_on_before(&self, at: usize) -> bool {
        self.before(at).is_some_and(char::is_alphanumeric)
    }

    /// Checks whether a letter or a digit comes after this place.
    pub(crate) fn goes_on_after(&self, at: usize) -> bool {
        self.after(at).is_some_and(char::is_alphanumeric)
    }

    /// Checks whether the range is a word, or a part of one set off by capitals: `ABell`, `BellReport`.
    ///
    /// The original form of a letter is looked up in the text; if that is not a letter (but an escape), the part
    /// counts.
    pub(crate) fn is_hump(&self, range: &Range<usize>, text: &str) -> bool {
        let written = |at: usize, length: usize| {
            let from = self.source(&(at..at + length)).start;
            text.get(from..).and_then(|rest| rest.chars().next()).filter(|c| c.is_alphabetic())
        };
        let is_lower = |c: Option<char>| c.is_none_or(char::is_lowercase);
        let is_upper = |c: Option<char>| c.is_none_or(char::is_uppercase);
        let (before, after) = (self.before(range.start), self.after(range.end));
        let mut own = self.text.get(range.clone()).unwrap_or_default().char_indices();
        let first = own.next().and_then(|(at, c)| written(range.start + at, c.len_utf8()));
        let second = own.next().and_then(|(at, c)| written(range.start + at, c.len_utf8()));
        let last = own.next_back().and_then(|(at, c)| written(range.start + at, c.len_utf8()));
        let begins = before.filter(|c| c.is_alphabetic()).is_none_or(|c| {
            is_upper(first)
                && (is_lower(written(range.start - c.len_utf8(), c.len_utf8())) || is_lower(second))
        });
        let ends = after
            .filter(|c| c.is_alphabetic())
            .is_none_or(|c| is_lower(last) && is_upper(written(range.end, c.len_utf8())));
        begins && ends
    }

    /// Checks whether a letter in the range looks like another letter than it reads as.
    pub(crate) fn is_deceived_in(&self, range: &Range<usize>) -> bool {
        let first = self.deceivers.partition_point(|at| *at < range.start);
        self.deceivers.get(first).is_some_and(|at| *at < range.end)
    }

    /// Appends a folded character that was written as these bytes.
    fn push(&mut self, c: char, from: usize, to: usize) {
        let separates = matches!(c, '\\' | '/');
        if separates && self.separated {
            // Doubled or quadrupled, it still separates only once.
            self.stretch(to);
            return;
        }
        self.separated = separates;
        let at = self.text.len();
        let c = if separates { '\\' } else { c };
        self.text.push(c);
        self.place(at, from, to);
    }

    /// Appends ASCII bytes without separators, which are unchanged in the source except for case.
    fn push_ascii(&mut self, run: &str, from: usize) {
        let at = self.text.len();
        self.text.push_str(run);
        if let Some(tail) = self.text.get_mut(at..) {
            tail.make_ascii_lowercase();
        }
        self.separated = false;
        self.place(at, from, from + run.len());
    }

    /// Records where the text from `at` on was written.
    fn place(&mut self, at: usize, from: usize, to: usize) {
        let even = self.text.len() - at == to.saturating_sub(from);
        match self.pieces.last_mut() {
            Some(last) if even && last.even && last.to == from => last.to = to,
            // The result of one character is one piece.
            Some(last) if !even && !last.even && (last.from, last.to) == (from, to) => {}
            _ => self.pieces.push(Piece { at, from, to, even }),
        }
    }

    /// Extends the source of the last character.
    fn stretch(&mut self, to: usize) {
        let at = self.text.len().saturating_sub(1);
        match self.pieces.last_mut() {
            Some(last) if last.even && last.at < at => {
                let from = last.from + (at - last.at);
                last.to = from;
                self.pieces.push(Piece { at, from, to, even: false });
            }
            Some(last) => (last.to, last.even) = (to, false),
            None => {}
        }
    }
}

/// Folds a text as it is.
pub(crate) fn fold_text(text: &str) -> Folded {
    let mut folded = Folded { text: String::with_capacity(text.len()), ..Folded::default() };
    let mut rest = text;
    while !rest.is_empty() {
        let from = text.len() - rest.len();
        let plain = rest.bytes().position(|b| !b.is_ascii() || b == b'\\' || b == b'/').unwrap_or(rest.len());
        let (run, others) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        if !run.is_empty() {
            folded.push_ascii(run, from);
        }
        let mut chars = others.chars();
        if let Some(c) = chars.next() {
            let from = from + run.len();
            read(&Letter { c, from, to: from + c.len_utf8() }, &mut folded);
        }
        rest = chars.as_str();
    }
    folded
}

/// Folds the letters of a reading.
pub(crate) fn fold_letters(letters: &[Letter]) -> Folded {
    let mut folded = Folded { text: String::with_capacity(letters.len()), ..Folded::default() };
    letters.iter().for_each(|letter| read(letter, &mut folded));
    folded
}

/// Returns a text folded for searching.
pub(crate) fn folded(text: &str) -> String {
    fold_text(text).text
}

fn read(letter: &Letter, folded: &mut Folded) {
    let Letter { c, from, to } = *letter;
    if c.is_ascii() {
        return folded.push(c.to_ascii_lowercase(), from, to);
    }
    with_spelling(c, |spelled| {
        folded.deceives |= spelled.deceives;
        spelled.reads.chars().for_each(|c| folded.push(c, from, to));
    });
}

/// Folds letters by their look, whatever their script.
pub(crate) fn fold_looks(letters: &[Letter]) -> Folded {
    let mut folded = Folded { text: String::with_capacity(letters.len()), ..Folded::default() };
    for Letter { c, from, to } in letters.iter().copied() {
        let mut push = |c: &char| folded.push(*c, from, to);
        match c.is_ascii().then(|| look_of_ascii(c)) {
            Some([]) => push(&c.to_ascii_lowercase()),
            Some(looks) => looks.iter().for_each(push),
            None => with_spelling(c, |spelled| {
                if spelled.deceives {
                    folded.deceivers.push(folded.text.len());
                }
                spelled.looks.chars().for_each(|c| folded.push(c, from, to));
            }),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unescape::plain;
    use proptest::prelude::*;

    #[test]
    fn what_reads_alike_is_spelled_alike() {
        for (text, expected) in [
            ("ＡＬＤＥＲ－０７", "alder-07"),
            ("Jo\u{308}rg JÖRG jörg", "jorg jorg jorg"),
            ("El\u{ad}ling\u{200b}sen\u{2060}", "ellingsen"),
            ("ﬁle, Groß, GROSS, İ", "file, gross, gross, i"),
            ("C:\\\\Users／a//b＼", "c:\\users\\a\\b\\"),
        ] {
            assert_eq!(folded(text), expected);
        }
    }

    #[test]
    fn what_looks_alike_is_spelled_alike() {
        let seen = |text: &str| fold_looks(&plain(text)).text;
        for (text, written) in [
            ("mаrа", "mara"),
            ("ВОВ", "BOB"),
            ("воb", "bob"),
            ("МІКЕ", "MIKE"),
            ("ΜΙΚΕ", "mike"),
            ("А\u{200b}LDER-О7", "ALDER-07"),
        ] {
            assert_eq!(seen(text), seen(written), "{text}");
        }
        let deceives = |text: &str| fold_text(text).deceives;
        assert!(deceives("mаra") && !deceives("Jörg Ä ｍａｒａ") && !deceives("mara"));
    }

    proptest! {
        #[test]
        fn every_folded_letter_leads_back_to_what_was_written(text in "[a-cA-C\\\\/ÖßＡ\u{ad}\u{308}ﬁ가Ж😀]{0,12}") {
            for folded in [fold_text(&text), fold_letters(&plain(&text)), fold_looks(&plain(&text))] {
                let places = folded.text.char_indices().map(|(at, c)| folded.source(&(at..at + c.len_utf8())));
                let mut end = 0;
                for range in places {
                    prop_assert!(range.start < range.end && range.end >= end, "{:?} in {:?}", range, text);
                    prop_assert!(text.get(range.clone()).is_some(), "{:?} cuts {:?}", range, text);
                    end = range.end;
                }
            }
            prop_assert_eq!(fold_text(&text).text, fold_letters(&plain(&text)).text);
        }
    }
}
