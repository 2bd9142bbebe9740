//! Quotations: words that are in a text, and words that are not.

use super::cite::somewhere;
use super::draw::Draw;
use super::seed::{Base, Maker, Seeded};
use super::told::LeftOut;
use ledger::FieldValue;

/// Words that turn a sentence into its opposite.
const NEGATIONS: [&str; 6] = ["not", "no", "never", "cannot", "without", "none"];

/// The fewest characters of a quotation.
const SHORTEST: usize = 12;

/// Quotes consecutive words, cut at white space.
pub(super) fn quotation(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.quotable()?;
    let words = places(text);
    let first = maker.draw.below(words.len());
    let last = (first + maker.draw.below(8)).min(words.len().checked_sub(1)?);
    let quotation = text.get(words.get(first)?.0..words.get(last)?.1)?;
    let fits = quotation.chars().count() >= SHORTEST && quotation.len() <= 512;
    fits.then(|| base.with(quotation.to_owned()).truth())
}

/// Quotes the words around a negation without it.
pub(super) fn negation_cut(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.worded()?;
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
    stated(maker, base, &[before, after].concat())
}

/// Quotes consecutive words with a negation inserted.
pub(super) fn negation_added(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.worded()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = 1 + maker.draw.below(words.len().checked_sub(1)?);
    let before = words.get(place.saturating_sub(1 + maker.draw.below(3))..place)?;
    let end = (place + 1 + maker.draw.below(3)).min(words.len());
    stated(maker, base, &[before, &["not"], words.get(place..end)?].concat())
}

/// Quotes consecutive words, with the first or the last word cut in the middle.
pub(super) fn word_cut(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.worded()?;
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
    (letters(from) || letters(to)).then(|| somewhere(maker, base.with(quotation.to_owned())))
}

/// Words that change the meaning of the words around them, or attribute them to somebody.
const TURNS: [&str; 20] = [
    "not",
    "no",
    "never",
    "cannot",
    "without",
    "none",
    "denies",
    "denied",
    "failed",
    "unless",
    "if",
    "except",
    "disabled",
    "blocked",
    "false",
    "said",
    "says",
    "claims",
    "allegedly",
    "unable",
];

/// The most characters from a quotation to the omitted word.
const NEAR: usize = 24;

/// Quotes words out of the context of their line, mostly so that a word that may change their meaning is omitted.
pub(super) fn out_of_context(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, text) = maker.worded()?;
    let lines: Vec<&str> = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
    let line = *maker.draw.pick(&lines)?;
    let words = places(line);
    let left = left_out(line, &words, &mut maker.draw)?;
    // The quotation begins or ends one to four words away from the omitted word.
    let gap = 1 + maker.draw.below(4);
    let length = 1 + maker.draw.below(20);
    let (first, last) = match maker.draw.once_in(2, 3) {
        true => (left + gap, (left + gap + length).min(words.len().checked_sub(1)?)),
        false => ((left.checked_sub(gap)? + 1).saturating_sub(length), left.checked_sub(gap)?),
    };
    let (start, end) = (words.get(first).filter(|_| first <= last)?.0, words.get(last)?.1);
    let (from, to) = *words.get(left)?;
    let quotation = line.get(start..end)?;
    // From the omitted word to the first word of the quotation, or from the last word to the omitted one.
    let torn = if left < first { line.get(from..start)? } else { line.get(end..to)? };
    let is_plain = torn.chars().all(|c| c.is_ascii_graphic() && c != '\\' && c != '"' || c == ' ');
    let fits = quotation.chars().count() >= SHORTEST && quotation.len() <= 512 && torn.len() <= NEAR;
    let is_shown_once = text.matches(quotation).count() == 1;
    let left_out = LeftOut::Line(torn.trim().to_owned());
    (fits && is_plain && is_shown_once)
        .then(|| somewhere(maker, base.with(quotation.to_owned())).leaving_out(left_out))
}

/// Draws the word to omit: mostly one that may change the meaning, if the line has one.
fn left_out(line: &str, words: &[(usize, usize)], draw: &mut Draw) -> Option<usize> {
    let turns = |(from, to): &(usize, usize)| {
        let bare = line.get(*from..*to).unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        TURNS.contains(&bare.to_lowercase().as_str())
    };
    let turning: Vec<usize> =
        words.iter().enumerate().filter(|(_, word)| turns(word)).map(|(place, _)| place).collect();
    match turning.is_empty() || draw.once_in(1, 4) {
        true => words.len().checked_sub(1).map(|_| draw.below(words.len())),
        false => draw.pick(&turning).copied(),
    }
}

/// Joins the end of one line or list item to the beginning of a later one, omitting what is between them.
pub(super) fn lines_joined(maker: &mut Maker<'_>) -> Option<Seeded> {
    let (base, _) = maker.worded()?;
    let all: Vec<&str> = match base.value()? {
        FieldValue::Text(text) => text.split(['\n', '\r']).collect(),
        FieldValue::List(items) => items.iter().map(String::as_str).collect(),
        _ => return None,
    };
    let lines: Vec<&str> = all.into_iter().filter(|line| !line.trim().is_empty()).collect();
    let first = maker.draw.below(lines.len().checked_sub(1)?);
    let second = first + 1 + maker.draw.below((lines.len() - first - 1).min(4));
    let words = |place: usize| Some(lines.get(place)?.split_whitespace().collect::<Vec<_>>());
    let (before, after) = (words(first)?, words(second)?);
    let tail = before.len().saturating_sub(1 + maker.draw.below(4));
    // Between consecutive lines, at least one word is omitted.
    let skipped = usize::from(second == first + 1);
    let head = (1 + maker.draw.below(4)).min(after.len().checked_sub(skipped)?);
    let (before, after) = (before.get(tail..)?.join(" "), after.get(skipped..skipped + head)?.join(" "));
    let between = if maker.draw.once_in(1, 2) { ' ' } else { '\n' };
    let text = format!("{before}{between}{after}");
    let fits = !after.is_empty() && text.chars().count() >= SHORTEST && text.len() <= 512;
    fits.then(|| somewhere(maker, base.with(text)))
}

/// Quotes words that are not consecutive in the text.
fn stated(maker: &mut Maker<'_>, base: Base<'_>, words: &[&str]) -> Option<Seeded> {
    let text = words.join(" ");
    let fits = text.chars().count() >= SHORTEST && text.len() <= 512;
    fits.then(|| somewhere(maker, base.with(text)))
}

/// Returns the start and the end of each word in a text.
fn places(text: &str) -> Vec<(usize, usize)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(|word| {
            let at = word.as_ptr() as usize - start;
            (at, at + word.len())
        })
        .collect()
}
