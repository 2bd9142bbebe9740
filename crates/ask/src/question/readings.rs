//! Which topics a question may be about.

use super::Reading;
use super::names::{Frame, named};
use crate::lexicon::{Lexicon, Pattern, Signed};
use crate::tokens::Token;
use crate::topic::Topic;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most topics that one question is tried as.
const MOST_TOPICS: usize = 6;

/// Beginnings of words that turn a question around.
const NEGATIVE: [&str; 6] = ["disabl", "deactivat", "block", "deaktiviert", "abgeschaltet", "ausgeschaltet"];

/// A topic with the sign by which the question was recognised.
type Recognised = (&'static Signed, &'static [Pattern]);

/// Returns the topics that most of the words speak of, each with what is left of the question for it.
pub(super) fn readings(lexicon: &'static Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Vec<Reading> {
    let hints = hints(lexicon, words, used);
    let mut best = recognised(lexicon, words, used, &hints);
    let certain = best.len();
    let others: Vec<Recognised> = best.iter().flat_map(|it| others(lexicon, it)).collect();
    for other in others {
        if !best.iter().any(|known| known.0.topic.id == other.0.topic.id) {
            best.push(other);
        }
    }
    best.truncate(MOST_TOPICS);
    let frame = Frame { lexicon, words, used };
    let read = |(place, recognised): (usize, Recognised)| Reading {
        is_other: place >= certain,
        ..reading(&frame, recognised, &hints)
    };
    best.into_iter().enumerate().map(read).collect()
}

/// Returns the topics whose best sign takes the most words.
fn recognised(
    lexicon: &'static Lexicon,
    words: &[Token],
    used: &BTreeSet<usize>,
    hints: &[Hint],
) -> Vec<Recognised> {
    let free: Vec<(usize, &Token)> = words.iter().enumerate().filter(|(at, _)| !used.contains(at)).collect();
    let mut scored: Vec<(usize, Recognised)> = Vec::new();
    for signed in &lexicon.topics {
        let signs = signed.signs.iter();
        let best =
            signs.filter_map(|sign| Some((score(sign, &free)?, sign.as_slice()))).max_by_key(|it| it.0);
        // A source that is called by its name weighs as much as a word of the topic.
        let bonus = usize::from(hints.iter().any(|hint| hint.is_of(&signed.topic)));
        scored.extend(best.map(|(score, sign)| (score + bonus, (signed, sign))));
    }
    let most = scored.iter().map(|it| it.0).max().unwrap_or(0);
    scored.into_iter().filter(|it| it.0 == most).map(|it| it.1).collect()
}

/// Returns the topics to ask if this one finds nothing.
fn others(lexicon: &'static Lexicon, (signed, sign): &Recognised) -> Vec<Recognised> {
    let of_id = |id: &String| lexicon.topics.iter().find(|it| it.topic.id == *id);
    signed.topic.others.iter().filter_map(of_id).map(|other| (other, *sign)).collect()
}

/// Counts the words that a sign takes; each pattern must take words of its own. Returns `None` if one finds none.
fn score(sign: &[Pattern], free: &[(usize, &Token)]) -> Option<usize> {
    let mut taken = BTreeSet::new();
    for pattern in sign {
        let place = (0..free.len()).find(|place| stands(pattern, *place, free, &taken))?;
        let mut next = Some(pattern);
        for (at, _) in free.iter().skip(place) {
            let Some(pattern) = next else { break };
            taken.insert(*at);
            next = pattern.next.as_deref();
        }
    }
    Some(taken.len())
}

/// Whether a pattern fits at a place of the words, with the patterns that must follow it.
fn stands(pattern: &Pattern, place: usize, free: &[(usize, &Token)], taken: &BTreeSet<usize>) -> bool {
    let Some((at, word)) = free.get(place) else { return false };
    let follows = |next: &Pattern| stands(next, place + 1, free, taken);
    !taken.contains(at) && pattern.fits(word) && pattern.next.as_deref().is_none_or(follows)
}

/// A source that the question calls by its name, such as "prefetch".
struct Hint {
    records: &'static [String],
    places: Range<usize>,
}

impl Hint {
    fn is_of(&self, topic: &Topic) -> bool {
        topic.sources.iter().any(|source| self.records.contains(&source.record))
    }

    /// Whether the topic is known by the name of the source. Then all its sources count.
    fn is_sign(&self, words: &[Token], sign: &[Pattern]) -> bool {
        let mut named = self.places.clone().filter_map(|at| words.get(at));
        named.any(|word| sign.iter().any(|pattern| pattern.takes(word)))
    }
}

/// Finds the sources that the words name. Of several names that begin at one place, the longest counts.
fn hints(lexicon: &'static Lexicon, words: &[Token], used: &BTreeSet<usize>) -> Vec<Hint> {
    let hint_at = |at: usize| {
        (1..=3).rev().find_map(|length| {
            let run: Vec<&Token> = words.iter().skip(at).take(length).collect();
            let is_free = run.len() == length
                && !run.iter().any(|word| word.quoted)
                && !(at..at + length).any(|at| used.contains(&at));
            let text = run.iter().map(|word| word.low.as_str()).collect::<Vec<_>>().join(" ");
            let records = lexicon.hints.get(&text).filter(|_| is_free)?;
            Some(Hint { records, places: at..at + length })
        })
    };
    (0..words.len()).filter_map(hint_at).collect()
}

/// Reads the question as one about a topic.
fn reading(frame: &Frame<'_>, (signed, sign): Recognised, hints: &[Hint]) -> Reading {
    let topic = &signed.topic;
    let hints: Vec<&Hint> = hints.iter().filter(|hint| hint.is_of(topic)).collect();
    let places: BTreeSet<usize> = hints.iter().flat_map(|hint| hint.places.clone()).collect();
    let (names, excluded, used) = named(frame, signed, sign, &places);
    let narrowing: Vec<&Hint> = hints.into_iter().filter(|hint| !hint.is_sign(frame.words, sign)).collect();
    let asked = |record: &&str| narrowing.iter().any(|hint| hint.records.iter().any(|it| it == record));
    let negates = |word: &Token| NEGATIVE.iter().any(|it| word.low.starts_with(it)) || word.low == "off";
    Reading {
        topic,
        names,
        excluded,
        used,
        is_other: false,
        records: topic.sources.iter().map(|source| source.record.as_str()).filter(asked).collect(),
        is_negated: frame.words.iter().any(negates),
    }
}
