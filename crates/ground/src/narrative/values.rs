//! Reads a sentence: the cited nodes must state every value that it names.

use super::cited::{Cited, Stated};
use super::deeds;
use super::moment::{Moment, is_clock, is_date};
use super::plain;
use super::text::{Chunk, chunks, is_value, quoted, readings};
use super::vocabulary::{CALENDAR, DATING, NUMBERS, ORDINALS, ROUNDED, UNITS};
use crate::fold;
use crate::matching::{Manner, match_field};
use crate::needle::Needle;
use crate::quotation;
use crate::refusal::{list, quote};
use ledger::{FieldValue, NodeId, Rejection, RejectionCode, Tier};
use std::collections::BTreeSet;

/// The most pieces of a sentence that one value can span.
const MOST_PIECES: usize = 32;

/// A sentence whose values are all stated by its cited nodes.
#[derive(Debug)]
pub(super) struct Read {
    /// Its words in lower case, in order; a value that is not a word has an empty text here.
    pub(super) words: Vec<Word>,
    /// The facts with a value that the sentence names, by their positions among the cited ones.
    pub(super) named: BTreeSet<usize>,
    /// Also the facts that may have one of its plain words as a value.
    pub(super) touched: BTreeSet<usize>,
    /// Whether it names any value.
    pub(super) names: bool,
}

/// A word of a sentence.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether a clause ends after it.
    pub(super) ends: bool,
}

/// What a piece of a sentence is.
enum Part<'t> {
    /// A value that a cited node states, and the facts that state it.
    Stated(Vec<usize>),
    /// A word, and the facts that may have it as a value.
    Word(Vec<usize>),
    /// Something that no cited node supports.
    Unfounded(Fault, &'t str),
}

/// What is wrong with a piece.
#[derive(Clone, Copy)]
enum Fault {
    Value,
    Number,
    Instant,
    Naive,
    Id,
    Quoted,
    Field,
}

/// Reads a sentence against its cited nodes.
pub(super) fn read(text: &str, cited: &Cited<'_>) -> Result<Read, Rejection> {
    let mut read = Read { words: Vec::new(), named: BTreeSet::new(), touched: BTreeSet::new(), names: false };
    for (part, pieces) in scan(text, cited) {
        let last = pieces.len().saturating_sub(1);
        match part {
            Part::Unfounded(fault, text) => return Err(unfounded(fault, text, cited)),
            Part::Stated(facts) => {
                read.names = true;
                read.named.extend(facts);
                let ends = pieces.last().is_some_and(Chunk::ends_a_clause);
                read.words.push(Word { text: String::new(), ends });
            }
            Part::Word(facts) => {
                read.touched.extend(facts);
                for (index, piece) in pieces.iter().enumerate() {
                    words(piece, index == last, &mut read.words);
                }
            }
        }
    }
    read.touched.extend(&read.named);
    Ok(read)
}

/// The kind of a piece, without details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Word,
    Stated,
    Unfounded,
}

/// Returns the pieces of a text, classified by the cited nodes, each with its chunks.
pub(super) fn found<'t>(text: &'t str, cited: &Cited<'_>) -> Vec<(Found, Vec<Chunk<'t>>)> {
    let found = |(part, chunks)| match part {
        Part::Stated(_) => (Found::Stated, chunks),
        Part::Word(_) => (Found::Word, chunks),
        Part::Unfounded(..) => (Found::Unfounded, chunks),
    };
    scan(text, cited).into_iter().map(found).collect()
}

/// Counts the values of a sentence that the cited nodes state.
pub(super) fn named(text: &str, cited: &Cited<'_>) -> usize {
    scan(text, cited).iter().filter(|(part, _)| matches!(part, Part::Stated(_))).count()
}

/// Adds the words of a piece; a hyphenated piece is several words.
fn words(piece: &Chunk<'_>, last: bool, words: &mut Vec<Word>) {
    let bare = piece.bare().to_lowercase().replace('’', "'");
    let mut of_piece: Vec<&str> =
        bare.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    if of_piece.is_empty() {
        of_piece.push("");
    }
    let ends = last && piece.ends_a_clause();
    let number = of_piece.len();
    words.extend(of_piece.into_iter().enumerate().map(|(index, word)| Word {
        text: word.trim_matches('\'').to_owned(),
        ends: ends && index + 1 == number,
    }));
}

fn scan<'t>(text: &'t str, cited: &Cited<'_>) -> Vec<(Part<'t>, Vec<Chunk<'t>>)> {
    let chunks = chunks(text);
    let counts = piece_counts(cited);
    let mut parts = Vec::new();
    let (mut rest, mut before) = (chunks.as_slice(), "");
    while let Some(first) = rest.first() {
        let (part, taken) = part(rest, before, &counts, cited);
        let (pieces, behind) = rest.split_at(taken.clamp(1, rest.len()));
        parts.push((part, pieces.to_vec()));
        before = pieces.last().unwrap_or(first).bare();
        rest = behind;
    }
    parts
}

fn part<'t>(rest: &[Chunk<'t>], before: &str, counts: &[usize], cited: &Cited<'_>) -> (Part<'t>, usize) {
    let Some(first) = rest.first() else { return (Part::Word(Vec::new()), 1) };
    if let Some(part) = field_form(rest, cited) {
        return part;
    }
    for count in counts.iter().copied().filter(|count| (2..=rest.len()).contains(count)) {
        let last = rest.get(count - 1).unwrap_or(first);
        let pieces = rest.get(..count).unwrap_or_default();
        // Text that contains an action word is read as words: a name may spell out an action.
        if !pieces.iter().any(|piece| is_value(piece.bare())) {
            continue;
        }
        let spells = pieces.iter().any(|piece| deeds::is_told_by(&piece.bare().to_lowercase()));
        // A path is read as a path, whatever its folders are called: `Image File Execution Options`.
        let mut meant =
            readings(first, last).into_iter().filter(|text| !spells || text.contains(['\\', '/']));
        if let Some(facts) = meant.find_map(|text| stating(text, cited, whole)) {
            return (Part::Stated(facts), count);
        }
    }
    if let Some((text, taken)) = quoted(rest) {
        let known = stating(text, cited, within).or_else(|| is_term(text, cited).then(Vec::new));
        return (known.map_or(Part::Unfounded(Fault::Quoted, text), Part::Stated), taken);
    }
    if let Some(part) = moment(rest, before, cited) {
        return part;
    }
    (single(rest, cited), 1)
}

/// Returns how many pieces the cited values may have, largest first.
fn piece_counts(cited: &Cited<'_>) -> Vec<usize> {
    let mut counts = BTreeSet::new();
    for stated in cited.stated() {
        let text = stated.value.to_text();
        let whole = text.split_whitespace().count().min(MOST_PIECES);
        match &*stated.value {
            FieldValue::Path(_) | FieldValue::RegistryPath(_) => counts.extend(1..=whole),
            FieldValue::List(items) => {
                counts.extend(items.iter().map(|item| item.split_whitespace().count().min(MOST_PIECES)));
            }
            _ => drop(counts.insert(whole)),
        }
    }
    counts.into_iter().rev().collect()
}

/// Reads `field = value`, if a cited fact has such a field: the value must be the field's value, even if it is a plain word.
fn field_form<'t>(rest: &[Chunk<'t>], cited: &Cited<'_>) -> Option<(Part<'t>, usize)> {
    let [field, sign, value, ..] = rest else { return None };
    let fields = || cited.stated().iter().filter(|stated| stated.field == field.bare());
    if sign.raw() != "=" || fields().next().is_none() {
        return None;
    }
    for count in (1..=(rest.len() - 2).min(MOST_PIECES)).rev() {
        let Some(last) = rest.get(count + 1) else { continue };
        for text in readings(value, last) {
            let needle = Needle::new(text);
            let facts: Vec<usize> = fields()
                .filter(|stated| is_whole(&needle, stated))
                .filter_map(|stated| stated.fact)
                .collect();
            if !facts.is_empty() {
                return Some((Part::Stated(facts), count + 2));
            }
        }
    }
    Some((Part::Unfounded(Fault::Field, value.bare()), 3))
}

/// Reads dates and times, with and without a zone.
fn moment<'t>(rest: &[Chunk<'t>], before: &str, cited: &Cited<'_>) -> Option<(Part<'t>, usize)> {
    let first = rest.first()?;
    let bare = first.bare();
    if stating(bare, cited, within).is_some() {
        return None;
    }
    let next = rest.get(1).map_or("", Chunk::bare);
    if CALENDAR.contains(&bare) {
        let digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let dated = digits(before) || digits(next) || DATING.contains(&before.to_lowercase().as_str());
        return dated.then_some((Part::Unfounded(Fault::Naive, bare), 1));
    }
    if CALENDAR.contains(&next) && bare.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((Part::Unfounded(Fault::Naive, next), 1));
    }
    if is_clock(bare) {
        return Some((Part::Unfounded(Fault::Naive, bare), 1));
    }
    if !is_date(bare) {
        return None;
    }
    for count in (1..=rest.len().min(3)).rev() {
        let Some(last) = rest.get(count - 1) else { continue };
        for text in readings(first, last) {
            let Some(moment) = Moment::read(text) else { continue };
            let is =
                |stated: &&Stated<'_>| matches!(&*stated.value, FieldValue::Time(time) if moment.is(time));
            let held: Vec<usize> =
                cited.stated().iter().filter(is).filter_map(|stated| stated.fact).collect();
            let part =
                if held.is_empty() { Part::Unfounded(Fault::Instant, text) } else { Part::Stated(held) };
            return Some((part, count));
        }
    }
    Some((Part::Unfounded(Fault::Naive, bare), 1))
}

/// Classifies a single piece.
fn single<'t>(rest: &[Chunk<'t>], cited: &Cited<'_>) -> Part<'t> {
    let Some(first) = rest.first() else { return Part::Word(Vec::new()) };
    let (bare, next) = (first.bare(), rest.get(1).map_or("", Chunk::bare).to_lowercase());
    let lower = bare.to_lowercase();
    if let Some((_, number)) = NUMBERS.iter().find(|(word, _)| *word == lower)
        && (unit(&next).is_some() || ROUNDED.contains(&next.as_str()))
    {
        return counted(bare, *number, &next, cited);
    }
    if let Some((_, number)) = [("twice", 2), ("thrice", 3)].iter().find(|(word, _)| *word == lower) {
        return counted(bare, *number, "times", cited);
    }
    if !is_value(bare) {
        return Part::Word(stating(bare, cited, whole).unwrap_or_default());
    }
    match number(bare) {
        Some(Number { digits: 1, ordinal, .. }) if ordinal || unit(&next).is_none() && !is_rounded(&next) => {
            Part::Word(Vec::new())
        }
        Some(Number { value, ordinal, .. }) => {
            let unit = if ordinal { "" } else { next.as_str() };
            counted(bare, value, unit, cited)
        }
        None => value(first, cited),
    }
}

/// Classifies a piece that looks like a value.
fn value<'t>(piece: &Chunk<'t>, cited: &Cited<'_>) -> Part<'t> {
    let bare = piece.bare();
    if let Ok(id) = bare.parse::<NodeId>() {
        return if cited.names(id) { Part::Stated(Vec::new()) } else { Part::Unfounded(Fault::Id, bare) };
    }
    if let Some(facts) = readings(piece, piece).iter().find_map(|text| stating(text, cited, within)) {
        return Part::Stated(facts);
    }
    // An address with its port is two values.
    if let Some((host, port)) = bare.rsplit_once(':')
        && !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && let (Some(mut facts), Some(of_port)) = (stating(host, cited, within), stating(port, cited, within))
    {
        facts.extend(of_port);
        return Part::Stated(facts);
    }
    match is_term(bare, cited) {
        true => Part::Stated(Vec::new()),
        false => Part::Unfounded(Fault::Value, bare),
    }
}

struct Number {
    value: i128,
    digits: usize,
    ordinal: bool,
}

/// Reads a whole number in decimal digits, also grouped or as an ordinal.
fn number(text: &str) -> Option<Number> {
    let unsigned = text.trim_start_matches(['+', '~']);
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(unsigned.len());
    let (digits, suffix) = unsigned.split_at(end);
    let groups: Vec<&str> = digits.split(',').collect();
    let grouped = groups.iter().skip(1).all(|group| group.len() == 3);
    let suffix = suffix.to_lowercase();
    if !grouped || !ORDINALS.contains(&suffix.as_str()) || groups.first().is_none_or(|first| first.is_empty())
    {
        return None;
    }
    let digits = groups.concat();
    Some(Number { value: digits.parse().ok()?, digits: digits.len(), ordinal: !suffix.is_empty() })
}

/// Classifies a number that must count the cited nodes, or be a stated value.
fn counted<'t>(text: &'t str, number: i128, unit_word: &str, cited: &Cited<'_>) -> Part<'t> {
    let unfounded = Part::Unfounded(Fault::Number, text);
    if is_rounded(unit_word) {
        return unfounded;
    }
    let seconds = unit(unit_word).flatten();
    let written = number.to_string();
    let needle = Needle::new(&written);
    let holds = |stated: &&Stated<'_>| match (stated.fact, seconds, &*stated.value) {
        // A span that code computed is in seconds, whatever unit the sentence uses.
        (None, Some(seconds), FieldValue::Integer(span)) => number.checked_mul(seconds) == Some(*span),
        _ => within(&needle, stated),
    };
    let held: Vec<&Stated<'_>> = cited.stated().iter().filter(holds).collect();
    match held.is_empty() {
        false => Part::Stated(held.iter().filter_map(|stated| stated.fact).collect()),
        true if unit(unit_word).is_none() && cited.counts(number) => Part::Stated(Vec::new()),
        true => unfounded,
    }
}

fn unit(word: &str) -> Option<Option<i128>> {
    UNITS.iter().find(|(unit, _)| *unit == word).map(|(_, seconds)| *seconds)
}

fn is_rounded(word: &str) -> bool {
    ROUNDED.contains(&word)
}

/// Checks whether a text is a term of the record itself: a field, a predicate, a record type or an evidence label.
fn is_term(text: &str, cited: &Cited<'_>) -> bool {
    let of_fact = |fact: &&ledger::FactEntry| fact.predicate.0 == text || fact.kind == text;
    cited.stated().iter().any(|stated| !text.is_empty() && stated.field == text)
        || cited.facts().iter().any(of_fact)
        || cited.facts().iter().any(|fact| fact.locator.evidence == text)
}

/// Returns the facts that state a text, as `holds` decides; `None` if no cited node states it.
fn stating(text: &str, cited: &Cited<'_>, holds: fn(&Needle<'_>, &Stated<'_>) -> bool) -> Option<Vec<usize>> {
    let needle = Needle::new(text);
    let mut found = false;
    let holding = cited.stated().iter().filter(|stated| {
        let holds = holds(&needle, stated);
        found |= holds;
        holds
    });
    let facts = holding.filter_map(|stated| stated.fact).collect();
    found.then_some(facts)
}

const TIERS: [Tier; 4] = [Tier::Exact, Tier::Normalised, Tier::Typed, Tier::Quoted];

fn is_whole(needle: &Needle<'_>, stated: &Stated<'_>) -> bool {
    match_field(needle, &stated.value, stated.place, Manner::Whole, &TIERS).is_some()
}

/// Checks whether a text is a value, or whole components of a path.
fn whole(needle: &Needle<'_>, stated: &Stated<'_>) -> bool {
    is_whole(needle, stated)
        || match &*stated.value {
            FieldValue::Path(path) => is_part(needle, path),
            FieldValue::RegistryPath(path) => is_part(needle, path) || is_key_part(needle, path),
            FieldValue::Text(text) | FieldValue::Name(text) => is_part_of_text(needle, text),
            FieldValue::List(items) => items.iter().any(|item| is_part_of_text(needle, item)),
            FieldValue::Time(_)
            | FieldValue::Integer(_)
            | FieldValue::Size(_)
            | FieldValue::Sid(_)
            | FieldValue::Guid(_)
            | FieldValue::Hash(_)
            | FieldValue::Bytes(_)
            | FieldValue::Flag(_) => false,
        }
}

/// Checks whether a text is a value, whole components of a path, or a quotation from a free text.
fn within(needle: &Needle<'_>, stated: &Stated<'_>) -> bool {
    let quoted = |text: &str| {
        let own = fold::text(needle.raw());
        // The beginning of an address is another address.
        let part = !needle.raw().contains("://");
        part && needle.spellings().any(|form| quotation::stands(form, text))
            || (text.contains(needle.raw()) || !text.is_ascii())
                && chunks(text).iter().any(|piece| fold::text(piece.bare()) == own)
    };
    whole(needle, stated)
        || match &*stated.value {
            FieldValue::Text(text) => quoted(text),
            FieldValue::List(items) => items.iter().any(|item| quoted(item)),
            _ => false,
        }
}

/// Checks whether a text is part of a path inside a free text; the free text must be recognisable as a path.
fn is_part_of_text(needle: &Needle<'_>, text: &str) -> bool {
    let is_path = text.contains('\\') || text.contains("://") || text.starts_with('/');
    let plain = !text.contains(char::is_whitespace) || text.get(1..3) == Some(":\\");
    is_path && plain && is_part(needle, text)
}

/// Checks whether a text is one or several consecutive whole components of a path.
fn is_part(needle: &Needle<'_>, path: &str) -> bool {
    // A leading separator means the root, and a scheme means a whole address.
    if needle.raw().starts_with(['\\', '/']) || needle.raw().contains("://") {
        return false;
    }
    let folded = fold::path(path);
    let parts: Vec<&str> = folded.split('\\').filter(|part| !part.is_empty()).collect();
    needle.paths().iter().any(|form| stands_in(form, &parts))
}

/// Does the same for a registry key, whose root has two names.
fn is_key_part(needle: &Needle<'_>, path: &str) -> bool {
    fold::key_parts(path).is_some_and(|parts| {
        let parts: Vec<&str> = parts.split('\\').filter(|part| !part.is_empty()).collect();
        needle.forms().filter_map(fold::key_parts).any(|form| stands_in(&form, &parts))
    })
}

fn stands_in(form: &str, parts: &[&str]) -> bool {
    let wanted: Vec<&str> = form.split('\\').filter(|part| !part.is_empty()).collect();
    !wanted.is_empty() && parts.windows(wanted.len()).any(|window| window == wanted)
}

fn unfounded(fault: Fault, text: &str, cited: &Cited<'_>) -> Rejection {
    let said = |code, reason, hint: &str| plain(code, reason, hint.to_owned());
    let absent = |what: &str| {
        plain(RejectionCode::ValueAbsent, format!("{} {what}", quote(text)), what_is_said(fault, text, cited))
    };
    match fault {
        Fault::Value => absent("stands in nothing that is cited"),
        Fault::Number => absent("is no number that is cited, and does not count what is cited"),
        Fault::Instant => absent("is no time that is cited, at the precision that is written"),
        Fault::Quoted => absent("is quoted, and does not stand so in what is cited"),
        Fault::Field => absent("is not what the cited facts hold in that field"),
        Fault::Naive => said(
            RejectionCode::NaiveTime,
            format!("{} is a date or a time without a zone", quote(text)),
            "Write instants as 2024-03-01T12:00:05Z, a minute as 2024-03-01T12:00Z, a day as 2024-03-01 UTC.",
        ),
        Fault::Id => said(
            RejectionCode::UnknownFact,
            format!("the sentence names {}, but does not cite it", quote(text)),
            "Cite it, or leave it out.",
        ),
    }
}

/// Lists the stated values, most similar first.
fn what_is_said(fault: Fault, text: &str, cited: &Cited<'_>) -> String {
    let fits = |stated: &&Stated<'_>| match (fault, &*stated.value) {
        (Fault::Instant, value) => matches!(value, FieldValue::Time(_)),
        (Fault::Number, value) => matches!(value, FieldValue::Integer(_) | FieldValue::Size(_)),
        (Fault::Value | Fault::Naive | Fault::Id | Fault::Quoted | Fault::Field, _) => true,
    };
    let mut values: Vec<String> = Vec::new();
    for stated in cited.stated().iter().filter(fits) {
        let value: String = stated.value.to_text().chars().take(200).collect();
        if !value.is_empty() && !values.contains(&value) {
            values.push(value);
        }
    }
    let likeness =
        |value: &String| strsim::normalized_levenshtein(&text.to_lowercase(), &value.to_lowercase());
    let mut ranked: Vec<(f64, String)> = values.into_iter().map(|value| (likeness(&value), value)).collect();
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    match ranked.is_empty() {
        true => "What is cited says nothing of the kind.".to_owned(),
        false => format!("What is cited says {}.", list(ranked.iter().map(|(_, value)| value.as_str()), 3)),
    }
}
