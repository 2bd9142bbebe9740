//! Finds truncated values: a shortened text may hold only one half of them.

use crate::fold::Folded;
use crate::search::{Found, Needle};
use std::collections::HashSet;

/// The fewest characters of a half that is at a word boundary.
const WORD: usize = 3;
/// The fewest characters of a half inside a word.
const INSIDE: usize = 5;
/// The shortest text, in bytes, whose end may be truncated without a sign.
const LONG: usize = 200;
/// The most bytes in a half: a truncation in a hostile text costs no more than this.
const MOST: usize = 128;
/// The number of bytes by which most candidates are ruled out.
const EDGE: usize = 3;
/// The folded form of `…`.
const SIGN: &str = "...";

/// The needles to compare halves with.
#[derive(Debug)]
pub(crate) struct Cuts {
    begins: Halves,
    ends: Halves,
}

/// Needles in order, by their first or by their last characters.
#[derive(Debug)]
struct Halves {
    texts: Vec<(String, &'static str)>,
    /// The bytes at the edge of a half: most places of a text are ruled out by them.
    edges: HashSet<Vec<u8>>,
}

impl Cuts {
    pub(crate) fn of(needles: &[Needle]) -> Cuts {
        Cuts {
            begins: Halves::of(needles, |text| text.to_owned(), |text| text.get(..EDGE)),
            ends: Halves::of(needles, turned, |text| text.get(text.len().checked_sub(EDGE)?..)),
        }
    }

    /// Finds halves of needles next to the sign of a truncation, or at the end of a long text.
    pub(crate) fn find(&self, folded: &Folded, found: &mut Vec<Found>) {
        let text = folded.text.as_str();
        for (at, sign) in text.match_indices(SIGN) {
            found.extend(self.before(folded, at, [WORD, INSIDE]));
            found.extend(self.after(folded, at + sign.len()));
        }
        if text.len() >= LONG {
            found.extend(self.before(folded, text.len(), [INSIDE, MOST]));
        }
    }

    /// Returns the longest first half that ends at this place; `least` has the minimum numbers of characters at
    /// a word boundary and inside a word.
    fn before(&self, folded: &Folded, end: usize, least: [usize; 2]) -> Option<Found> {
        let from = folded.text.floor_char_boundary(end.saturating_sub(MOST));
        let mut starts = folded.text.get(from..end)?.char_indices().map(|(at, _)| from + at);
        let half_from = |start: usize| {
            let half = folded.text.get(start..end)?;
            let is_one = has(half, least, folded.goes_on_before(start))
                && self.begins.edges.contains(half.as_bytes().get(..EDGE)?)
                && tells(half);
            let rule = if is_one { self.begins.rule(half)? } else { return None };
            Some((folded.source(&(start..end)), rule))
        };
        starts.find_map(half_from)
    }

    /// Returns the longest second half that begins at this place.
    fn after(&self, folded: &Folded, start: usize) -> Option<Found> {
        let to = folded.text.ceil_char_boundary((start + MOST).min(folded.text.len()));
        let mut ends =
            folded.text.get(start..to)?.char_indices().rev().map(|(at, c)| start + at + c.len_utf8());
        let half_to = |end: usize| {
            let half = folded.text.get(start..end)?;
            let edge = half.as_bytes().get(half.len().checked_sub(EDGE)?..)?;
            let is_one =
                has(half, [WORD, INSIDE], folded.goes_on_after(end)) && self.ends.edges.contains(edge);
            let rule = if is_one { self.ends.rule(&turned(half))? } else { return None };
            Some((folded.source(&(start..end)), rule))
        };
        ends.find_map(half_to)
    }
}

/// Checks whether a half is long enough: the first number applies at a word boundary, the second inside a word.
fn has(half: &str, [apart, inside]: [usize; 2], goes_on: bool) -> bool {
    let least = if goes_on { inside } else { apart };
    half.len() >= least && half.chars().nth(least - 1).is_some()
}

impl Halves {
    fn of(needles: &[Needle], text: fn(&str) -> String, edge: fn(&[u8]) -> Option<&[u8]>) -> Halves {
        let mut texts: Vec<_> = needles.iter().map(|it| (text(&it.text), it.rule)).collect();
        texts.sort();
        let edges = needles.iter().filter_map(|it| edge(it.text.as_bytes()).map(<[u8]>::to_vec));
        Halves { texts, edges: edges.collect() }
    }

    /// Returns the rule of a needle that begins like this and continues.
    fn rule(&self, half: &str) -> Option<&'static str> {
        let next = self.texts.partition_point(|(text, _)| text.as_str() <= half);
        self.texts.get(next).filter(|(text, _)| text.starts_with(half)).map(|(_, rule)| *rule)
    }
}

/// Checks whether the last part of a first half is informative: `C:\Users\` is not.
fn tells(half: &str) -> bool {
    half.rsplit('\\').next().is_some_and(|last| last.chars().count() >= WORD)
}

fn turned(text: &str) -> String {
    text.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold_text;
    use crate::search::Beside;
    use std::ops::Range;

    fn found(text: &str) -> Vec<String> {
        let needle =
            |text: &str| Needle { text: text.to_lowercase(), beside: Beside::Anything, rule: "field" };
        let cuts = Cuts::of(&["ALDER-07", "Mara Ellingsen", r"C:\Users\mara"].map(needle));
        let mut found = Vec::new();
        cuts.find(&fold_text(text), &mut found);
        found.into_iter().map(|(range, _): (Range<usize>, _)| text[range].to_owned()).collect()
    }

    #[test]
    fn a_half_of_a_value_beside_a_cut_is_found() {
        for (text, expected) in [
            ("logon at ALDER-0… by", &["ALDER-0"][..]),
            ("logon of \"Mara Elling...\"", &["Mara Elling"]),
            ("…ingsen logged on", &["ingsen"]),
            ("…ngsen", &["ngsen"]),
            ("…sen, xxMara E…", &["sen", "Mara E"]),
            ("al…, …en, …sens, a mar", &[]),
            (r"C:\Users\…, C:\Users\mar…", &[r"C:\Users\mar"]),
            ("and so on ... older…", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn the_end_of_a_long_text_is_taken_for_a_cut() {
        let long = "x ".repeat(100);
        assert_eq!(found(&format!("{long}Mara Elli")), ["Mara Elli"]);
        assert!(found(&format!("{long}Mara")).is_empty() && found("Mara Elli").is_empty());
    }
}
