//! What is asked of a block before its records are looked at: never more than a record needs that can answer.

use super::entry::{Entry, entries};
use super::signature::{GRAM, Key, grams, words};
use super::{Buffers, OVERLAP, SPLIT, loose};
use crate::claim::{Claim, Wanted};
use crate::fold;
use crate::matching::Manner;
use crate::needle::Needle;
use ledger::FieldValue;

/// The most grams of one text that are asked for.
const MOST_GRAMS: usize = 32;

/// What a block must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    /// All of these rows.
    Rows(Vec<u32>),
    /// One of these.
    Any(Vec<Query>),
    /// All of these, each anywhere in the record.
    All(Vec<Query>),
    /// All of these but one.
    AllButOne(Vec<Query>),
}

impl Query {
    /// Whether what has the rows that `has` tells may hold what is asked for.
    pub(super) fn fits(&self, has: &impl Fn(u32) -> bool) -> bool {
        match self {
            Query::Rows(rows) => rows.iter().all(|row| has(*row)),
            Query::Any(queries) => queries.iter().any(|query| query.fits(has)),
            Query::All(queries) => queries.iter().all(|query| query.fits(has)),
            Query::AllButOne(queries) => queries.iter().filter(|query| !query.fits(has)).take(2).count() < 2,
        }
    }
}

/// What a record needs so that the claim is not simply absent from it (see [`crate::bind`]): each value, and the subject.
pub(crate) fn of_claim(claim: &Claim<'_>) -> Query {
    let manner = claim.manner();
    // The one that tells most comes first.
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
        // Beside a quotation a named field that is no text is stated whole.
        (Manner::Quoting, Some(_)) => {
            quoted(&wanted.needle).into_iter().chain(whole(&wanted.needle)).collect()
        }
    })
}

/// The ways in which a claimed text can be a whole value.
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

/// The ways in which a claimed text can be quoted.
fn quoted(needle: &Needle<'_>) -> Vec<Query> {
    let mut buffers = Buffers::default();
    let form = |form: &str| {
        loose::fold(form, &mut buffers.folded);
        // What is too short to be a part can still be the whole text.
        let Some(grams) = part_rows(&buffers.folded) else { return of_key(text_key(form, &mut buffers)) };
        let words = words(whole_words(&buffers.folded)).take(MOST_GRAMS);
        Query::Rows(words.chain(grams).collect())
    };
    needle.forms().map(form).collect()
}

/// What a record needs from which these words can be quoted.
pub(crate) fn of_quotation(words: &str) -> Query {
    Query::Any(quoted(&Needle::new(words)))
}

/// What a record needs that holds this very value.
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

/// The rows of a folded text that stands in another; `None` where it is too short for a gram.
fn part_rows(folded: &[u8]) -> Option<Vec<u32>> {
    // Of what is longer than the parts of a long text overlap, the beginning stands whole in one of them.
    let part = folded.get(..OVERLAP).unwrap_or(folded);
    let all: Vec<u32> = grams(part).collect();
    // Grams that share no byte first: they rule out most. The others count where the text is short.
    let apart = (0..GRAM).flat_map(|from| all.iter().skip(from).step_by(GRAM));
    let rows: Vec<u32> = apart.take(MOST_GRAMS).copied().collect();
    (!rows.is_empty()).then_some(rows)
}

/// The beginning of a folded text, without the word that would be cut.
fn whole_words(folded: &[u8]) -> &[u8] {
    let Some(part) = folded.get(..OVERLAP).filter(|part| part.len() < folded.len()) else { return folded };
    let end = part.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    part.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The pieces of a text of which a near miss has all but one: so it does where all its changes lie within one piece.
#[derive(Debug)]
pub(crate) struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    /// Cuts a text; `None` where its pieces would be too short to tell texts apart.
    pub(crate) fn of(text: &str) -> Option<Pieces> {
        let mut folded = Vec::new();
        loose::fold(text, &mut folded);
        let number = (folded.len() / PIECE).clamp(2, MOST_PIECES);
        let length = folded.len().div_ceil(number);
        let pieces = || folded.chunks(length.max(1)).map(<[u8]>::to_vec).collect();
        (folded.len() >= 2 * SHORTEST_PIECE).then(pieces).map(Pieces)
    }

    /// What a block needs that holds a near miss.
    pub(crate) fn query(&self) -> Query {
        Query::AllButOne(self.0.iter().filter_map(|piece| part_rows(piece)).map(Query::Rows).collect())
    }

    /// Whether a value has all pieces but one; no value does that is longer than near misses are.
    pub(crate) fn are_in(&self, value: &str, folded: &mut Vec<u8>) -> bool {
        loose::fold(value, folded);
        let has = |piece: &&Vec<u8>| folded.windows(piece.len()).any(|part| part == piece.as_slice());
        folded.len() <= SPLIT && self.0.iter().filter(has).count() + 1 >= self.0.len()
    }
}

/// The length of a piece in bytes, where the text is neither short nor long.
const PIECE: usize = 12;

/// The shortest piece in bytes: fewer grams stand in many blocks by chance.
const SHORTEST_PIECE: usize = 8;

/// The most pieces.
const MOST_PIECES: usize = 6;
