//! Quotations: words that stand in a text, and words that do not.

use super::seed::{Base, Maker, Seeded};

/// Words that turn a sentence into its opposite.
const NEGATIONS: [&str; 6] = ["not", "no", "never", "cannot", "without", "none"];

/// The fewest characters of a quotation.
const SHORTEST: usize = 12;

/// Words that stand in a row, cut at white space.
pub(super) fn quotation(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.quotable()?;
    let words = places(text);
    let first = maker.draw.below(words.len());
    let last = (first + maker.draw.below(8)).min(words.len().checked_sub(1)?);
    let quotation = text.get(words.get(first)?.0..words.get(last)?.1)?;
    let fits = quotation.chars().count() >= SHORTEST && quotation.len() <= 512;
    fits.then(|| base.with(quotation.to_owned()).truth())
}

/// Words around a negation, without it.
pub(super) fn negation_cut(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.quotable()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let negates = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        NEGATIONS.contains(&bare.as_str())
    };
    let found: Vec<usize> =
        words.iter().enumerate().filter(|(_, word)| negates(word)).map(|(place, _)| place).collect();
    let place = *maker.draw.pick(&found)?;
    let before = words.get(place.saturating_sub(1 + maker.draw.below(3))..place)?;
    let end = (place + 2 + maker.draw.below(3)).min(words.len());
    let after = words.get(place + 1..end)?;
    stated(base, &[before, after].concat())
}

/// Words in a row, with a negation put between them.
pub(super) fn negation_added(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.quotable()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = 1 + maker.draw.below(words.len().checked_sub(1)?);
    let before = words.get(place.saturating_sub(1 + maker.draw.below(3))..place)?;
    let end = (place + 1 + maker.draw.below(3)).min(words.len());
    stated(base, &[before, &["not"], words.get(place..end)?].concat())
}

/// Words in a row of which the first or the last is cut in the middle.
pub(super) fn word_cut(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.quotable()?;
    let words = places(text);
    let first = maker.draw.below(words.len());
    let last = (first + 1 + maker.draw.below(3)).min(words.len().checked_sub(1)?);
    let (start, end) = (words.get(first)?, words.get(last)?);
    let cut = 1 + maker.draw.below(3);
    let (from, to) = match maker.draw.once_in(1, 2) {
        true => (start.0 + cut, end.1),
        false => (start.0, end.1.checked_sub(cut)?),
    };
    let letters = |at: usize| {
        let around = at.checked_sub(1).and_then(|before| text.get(before..at + 1));
        around.is_some_and(|pair| pair.bytes().all(|byte| byte.is_ascii_alphabetic()))
    };
    let quotation = text.get(from..to).filter(|words| words.chars().count() >= SHORTEST)?;
    (letters(from) || letters(to)).then(|| base.with(quotation.to_owned()).falsehood())
}

/// A quotation of words that do not stand in a row.
fn stated(base: Base<'_>, words: &[&str]) -> Option<Seeded> {
    let text = words.join(" ");
    let fits = text.chars().count() >= SHORTEST && text.len() <= 512;
    fits.then(|| base.with(text).falsehood())
}

/// Where the words of a text begin and end.
fn places(text: &str) -> Vec<(usize, usize)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(|word| {
            let at = word.as_ptr() as usize - start;
            (at, at + word.len())
        })
        .collect()
}
