//! Queries against a block before its records are examined: they never require more than a matching record has.

use super::entry::{Entry, entries};
use super::signature::{GRAM, Key, grams, words};
use super::{Buffers, OVERLAP, SPLIT, loose};
use crate::claim::{Claim, Wanted};
use crate::fold;
use crate::matching::Manner;
use crate::needle::Needle;
use ledger::FieldValue;

/// The most grams of one text in a query.
const MOST_GRAMS: usize = 32;

/// What a block must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    /// All of these rows.
    Rows(Vec<u32>),
    /// One of these queries.
    Any(Vec<Query>),
    /// All of these queries, each anywhere in the record.
    All(Vec<Query>),
    /// All of these queries but one.
    AllButOne(Vec<Query>),
}

impl Query {
    /// Checks whether a block or record with the rows that `has` accepts may match.
    pub(super) fn fits(&self, has: &impl Fn(u32) -> bool) -> bool {
        match self {
            Query::Rows(rows) => rows.iter().all(|row| has(*row)),
            Query::Any(queries) => queries.iter().any(|query| query.fits(has)),
            Query::All(queries) => queries.iter().all(|query| query.fits(has)),
            Query::AllButOne(queries) => queries.iter().filter(|query| !query.fits(has)).take(2).count() < 2,
        }
    }
}

/// Returns what a record needs so that the claim is not absent from it (see [`crate::bind`]): each value, and the subject.
pub(crate) fn of_claim(claim: &Claim<'_>) -> Query {
    let manner = claim.manner();
    // The most distinctive value comes first.
    let wanted = claim.anchor().into_iter().chain(&claim.values).map(|wanted| of_wanted(wanted, manner));
    let subject = claim.subject.as_ref().map(|needle| Query::Any(whole(needle)));
    let mut all: Vec<Query> = Vec::new();
    for query in wanted.chain(subject) {
        if !all.contains(&query) {
            all.push(query);
        }
    }
    Query::All(all)
}

fn of_wanted(wanted: &Wanted<'_>, manner: Manner) -> Query {
    Query::Any(match (manner, wanted.field) {
        (Manner::Whole, _) => whole(&wanted.needle),
        (Manner::Quoting, None) => quoted(&wanted.needle),
        // Next to a quotation, a named field that is not text is stated whole.
        (Manner::Quoting, Some(_)) => {
            quoted(&wanted.needle).into_iter().chain(whole(&wanted.needle)).collect()
        }
    })
}

/// Returns the ways in which a claimed text can be a whole value.
fn whole(needle: &Needle<'_>) -> Vec<Query> {
    let mut buffers = Buffers::default();
    let relative = needle.keys().iter().flat_map(fold::Key::relative);
    let address = needle.address().map(|address| address.to_string());
    let mut texts: Vec<Key> =
        needle.forms().chain(relative).map(|form| text_key(form, &mut buffers)).collect();
    texts.extend(address.map(|address| text_key(&address, &mut buffers)));
    let number = needle.number().into_iter().chain(needle.size()).map(Key::of_number);
    let instant = needle.instant().map(|instant| Key::of_instant(instant.unix_nanoseconds()));
    let mut keys: Vec<Key> = Vec::new();
    for key in texts.into_iter().chain(number).chain(instant) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter().map(of_key).collect()
}

/// Returns the ways in which a claimed text can be a quotation.
fn quoted(needle: &Needle<'_>) -> Vec<Query> {
    let mut buffers = Buffers::default();
    let form = |form: &str| {
        loose::fold(form, &mut buffers.folded);
        // A text that is too short to be a part can still be the whole text.
        let Some(grams) = part_rows(&buffers.folded) else { return of_key(text_key(form, &mut buffers)) };
        let words = words(whole_words(&buffers.folded)).take(MOST_GRAMS);
        Query::Rows(words.chain(grams).collect())
    };
    needle.forms().map(form).collect()
}

/// Returns what a record needs so that these words can be quoted from it.
pub(crate) fn of_quotation(words: &str) -> Query {
    Query::Any(quoted(&Needle::new(words)))
}

/// Returns what a record needs to hold exactly this value.
pub(crate) fn of_value(value: &FieldValue) -> Query {
    let mut buffers = Buffers::default();
    let mut all = Vec::new();
    entries(value, |entry| {
        all.push(of_key(match entry {
            Entry::Free(text) | Entry::Text(text) => text_key(text, &mut buffers),
            Entry::Whole(text) => text_key(&text, &mut buffers),
            Entry::Number(number) => Key::of_number(number),
            Entry::Instant(unix_nanoseconds) => Key::of_instant(unix_nanoseconds),
        }));
    });
    Query::All(all)
}

fn text_key(text: &str, buffers: &mut Buffers) -> Key {
    loose::fold(text, &mut buffers.folded);
    Key::of_folded(&buffers.folded, &mut buffers.scratch)
}

fn of_key(key: Key) -> Query {
    Query::Rows(key.rows().collect())
}

/// Returns the rows of a folded text that is part of another; `None` if it is too short for a gram.
fn part_rows(folded: &[u8]) -> Option<Vec<u32>> {
    // If a text is longer than the overlap of split parts, only its beginning is surely complete in one of them.
    let part = folded.get(..OVERLAP).unwrap_or(folded);
    let all: Vec<u32> = grams(part).collect();
    // Grams that share no byte come first, because they rule out most. The others matter if the text is short.
    let apart = (0..GRAM).flat_map(|from| all.iter().skip(from).step_by(GRAM));
    let rows: Vec<u32> = apart.take(MOST_GRAMS).copied().collect();
    (!rows.is_empty()).then_some(rows)
}

/// Returns the beginning of a folded text, without a word that would be cut.
fn whole_words(folded: &[u8]) -> &[u8] {
    let Some(part) = folded.get(..OVERLAP).filter(|part| part.len() < folded.len()) else { return folded };
    let end = part.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    part.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The pieces of a text. A near miss has all of them but one if all its changes are within one piece.
#[derive(Debug)]
pub(crate) struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    /// Cuts a text into pieces; `None` if they would be too short to tell texts apart.
    pub(crate) fn of(text: &str) -> Option<Pieces> {
        let mut folded = Vec::new();
        loose::fold(text, &mut folded);
        let number = (folded.len() / PIECE).clamp(2, MOST_PIECES);
        let length = folded.len().div_ceil(number);
        let pieces = || folded.chunks(length.max(1)).map(<[u8]>::to_vec).collect();
        (folded.len() >= 2 * SHORTEST_PIECE).then(pieces).map(Pieces)
    }

    /// Returns what a block needs to hold a near miss.
    pub(crate) fn query(&self) -> Query {
        Query::AllButOne(self.0.iter().filter_map(|piece| part_rows(piece)).map(Query::Rows).collect())
    }

    /// Checks whether a value has all pieces but one. A value that is too long to be a near miss never does.
    pub(crate) fn are_in(&self, value: &str, folded: &mut Vec<u8>) -> bool {
        loose::fold(value, folded);
        let has = |piece: &&Vec<u8>| folded.windows(piece.len()).any(|part| part == piece.as_slice());
        folded.len() <= SPLIT && self.0.iter().filter(has).count() + 1 >= self.0.len()
    }
}

/// The length of a piece in bytes, unless the text is short or long.
const PIECE: usize = 12;

/// The shortest piece in bytes: fewer grams occur in many blocks by chance.
const SHORTEST_PIECE: usize = 8;

/// The largest number of pieces.
const MOST_PIECES: usize = 6;
