//! Values in sentences: hidden characters are escaped and long values are shortened with a mark.
//! Values that could be read as words of the sentence are put in quotation marks.

use crate::book::Book;
use crate::phrase::{Phrase, Piece};
use ledger::escapes::{is_hidden, is_unseen};
use ledger::{BoundValue, Clock, FieldValue};
use std::fmt::Write as _;

/// The most characters of a value in a sentence.
pub(crate) const MOST: usize = 300;
/// The most items of a list in a sentence.
const MOST_ITEMS: usize = 12;
/// The most characters of the line around quoted words.
const MOST_OF_LINE: usize = 400;

/// Returns a value of the evidence as text for a sentence:
/// without invisible characters, and without the quotation marks that the sentence uses.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || is_unseen(c) || is_mark(c) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Checks for our quotation marks, which a value must not close.
const fn is_mark(c: char) -> bool {
    matches!(c, '“' | '”' | '„' | '‟' | '«' | '»')
}

/// Checks whether a value needs no quotation marks: it is one word, and nobody would read it as a word of the sentence.
fn is_bare(book: &Book, text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "\\/$%*_".contains(c));
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"'`,;()[]{}".contains(c);
    let begins = |c: char| c.is_alphanumeric() || "\\/$%*_-".contains(c);
    is_guid(text)
        || text.chars().next().is_some_and(begins)
            && ends(text.chars().next_back())
            && text.chars().all(is_plain)
            && !book.never_bare.contains(&text.to_ascii_lowercase())
            && !book.own_words.contains(text)
}

/// Checks for a GUID in braces, which is one word.
fn is_guid(text: &str) -> bool {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.is_some_and(|inner| inner.len() == 36 && inner.chars().all(|c| c.is_ascii_hexdigit() || c == '-'))
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Shortened if it is long.
    Short,
    /// Whole, because it limits what is said.
    Whole,
    /// Shortened, and always in quotation marks.
    Quoted,
}

/// Says a text of a field.
pub(crate) fn say_text(book: &Book, phrase: &mut Phrase, field: &str, text: &str, manner: Manner) {
    let number = text.chars().count();
    let cut = text.char_indices().nth(MOST).filter(|_| manner != Manner::Whole);
    let shown = visible(cut.and_then(|(at, _)| text.get(..at)).unwrap_or(text));
    let cut = cut.is_some();
    let marked = manner == Manner::Quoted || cut || !is_bare(book, &shown);
    let piece = Piece::Value { field: field.to_owned(), text: shown };
    if marked {
        quote(book, phrase, piece, if cut { "…" } else { "" });
    } else {
        phrase.pieces.push(piece);
    }
    if cut {
        book.say(phrase, "cut", &[("number", &number.to_string())]);
    }
}

/// Says a piece in the quotation marks of the language.
fn quote(book: &Book, phrase: &mut Phrase, piece: Piece, mark: &str) {
    book.say_with(phrase, "quote", |phrase, _| {
        phrase.pieces.push(piece.clone());
        phrase.words(mark);
    });
}

/// Says a value of a fact with its caveat: that it is a quoted part, a local time, or a time from a copy.
pub(crate) fn say(book: &Book, phrase: &mut Phrase, bound: &BoundValue, manner: Manner) {
    let field = bound.field.as_str();
    if let Some(quoted) = &bound.quotation {
        say_text(book, phrase, field, quoted, Manner::Quoted);
        if let Some(line) = bound.line(MOST_OF_LINE) {
            let piece = Piece::Value { field: field.to_owned(), text: visible(&line) };
            book.say_with(phrase, "line", |phrase, _| quote(book, phrase, piece.clone(), ""));
        }
        return;
    }
    match &bound.value {
        FieldValue::Text(text) => say_text(book, phrase, field, text, manner),
        FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => say_text(book, phrase, field, text, manner),
        FieldValue::List(items) => say_list(book, phrase, field, items, manner),
        FieldValue::Time(time) => {
            phrase.pieces.push(Piece::Value { field: field.to_owned(), text: visible(&time.to_text()) });
            match (time.utc, time.clock, time.zone) {
                (None, _, _) => book.say(phrase, "no_instant", &[]),
                (Some(_), Clock::CollectionCopy, _) => book.say(phrase, "time_of_copy", &[]),
                (Some(_), Clock::Host, Some(_)) => book.say(phrase, "local_time", &[]),
                (Some(_), Clock::Host, None) => {}
            }
        }
        value @ (FieldValue::Integer(_) | FieldValue::Size(_) | FieldValue::Flag(_)) => {
            let text = value.to_text().into_owned();
            phrase.pieces.push(Piece::Value { field: field.to_owned(), text });
        }
    }
}

fn say_list(book: &Book, phrase: &mut Phrase, field: &str, items: &[String], manner: Manner) {
    if items.is_empty() {
        phrase.pieces.push(Piece::Value { field: field.to_owned(), text: String::new() });
        book.say(phrase, "empty_list", &[]);
    }
    let most = if manner == Manner::Whole { usize::MAX } else { MOST_ITEMS };
    for (at, item) in items.iter().take(most).enumerate() {
        if at > 0 {
            phrase.words(", ");
        }
        say_text(book, phrase, field, item, manner);
    }
    let others = items.len().saturating_sub(most);
    if others > 0 {
        book.say(phrase, "more_items", &[("number", &others.to_string())]);
    }
}

/// Checks whether a value has a caveat that a sentence must not leave out.
pub(crate) fn has_caveat(bound: &BoundValue) -> bool {
    let is_other_time = matches!(&bound.value, FieldValue::Time(time)
        if time.zone.is_some() || time.clock == Clock::CollectionCopy);
    is_other_time || bound.quotation.is_some()
}
