//! Puts an absence into words: what was searched without result, and exactly where.

use crate::book::Book;
use crate::language::Language;
use crate::phrase::{Phrase, Piece};
use crate::value::{Manner, say_text};
use ledger::{Absence, AbsenceEntry, Reach};

/// Phrases an absence: its whole scope, similar things, and the number of searches that show it.
pub fn absence(language: Language, entry: &AbsenceEntry) -> Phrase {
    let book = language.book();
    let mut phrase = Phrase::default();
    let absence = &entry.absence;
    match absence {
        Absence::File { name, under, evidence: _, near: _ } => {
            named(book, &mut phrase, "no_file", &[("name", name)]);
            place(book, &mut phrase, under);
        }
        Absence::RegistryKey { hive, key, evidence: _, as_it_stands, near: _ } => {
            let words = if *as_it_stands { "no_key_as_it_stands" } else { "no_key" };
            named(book, &mut phrase, words, &[("key", key), ("hive", hive)]);
        }
        Absence::Text { text, under, evidence: _ } => {
            named(book, &mut phrase, "no_text", &[("text", text)]);
            place(book, &mut phrase, under);
        }
        Absence::Events { channel, provider, ids, from, to, evidence: _, reach: _ } => {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            book.say_with(&mut phrase, "no_events", |phrase, place| match place {
                "ids" => say_ids(phrase, &ids),
                _ => say_text(book, phrase, "channel", channel, Manner::Whole),
            });
            if let Some(provider) = provider {
                named(book, &mut phrase, "by_provider", &[("provider", provider)]);
            }
            if let Some(from) = from {
                named(book, &mut phrase, "from", &[("from", from)]);
            }
            if let Some(to) = to {
                named(book, &mut phrase, "to", &[("to", to)]);
            }
        }
    }
    match absence.evidence() {
        Some(label) => named(book, &mut phrase, "of_evidence", &[("evidence", label)]),
        None => book.say(&mut phrase, "of_all_evidence", &[]),
    }
    if let Absence::Events { reach: Some(reach), .. } = absence {
        say_reach(book, &mut phrase, reach);
    }
    let near = absence.near();
    for (at, near) in near.iter().enumerate() {
        if at == 0 {
            book.say(&mut phrase, "near", &[]);
        } else {
            phrase.words(", ");
        }
        say_text(book, &mut phrase, "near", near, Manner::Whole);
    }
    if matches!(absence, Absence::Text { .. }) {
        book.say(&mut phrase, "no_other_encodings", &[]);
    }
    phrase.words(".");
    phrase
}

fn named(book: &Book, phrase: &mut Phrase, words: &str, values: &[(&str, &str)]) {
    book.say_with(phrase, words, |phrase, place| {
        if let Some((field, text)) = values.iter().find(|(field, _)| *field == place) {
            say_text(book, phrase, field, text, Manner::Whole);
        }
    });
}

fn place(book: &Book, phrase: &mut Phrase, under: &str) {
    if under.is_empty() {
        book.say(phrase, "anywhere", &[]);
    } else {
        named(book, phrase, "under", &[("under", under)]);
    }
}

fn say_ids(phrase: &mut Phrase, ids: &[String]) {
    for (at, id) in ids.iter().enumerate() {
        if at > 0 {
            phrase.words(", ");
        }
        phrase.pieces.push(Piece::Value { field: "ids".to_owned(), text: id.clone() });
    }
}

fn say_reach(book: &Book, phrase: &mut Phrase, reach: &Reach) {
    for (at, stretch) in reach.stretches.iter().enumerate() {
        let words = if at == 0 { "reach" } else { "reach_and" };
        let values = [("first", &*stretch.first), ("last", &*stretch.last), ("evidence", &*stretch.evidence)];
        named(book, phrase, words, &values);
    }
    if reach.stretches.is_empty() {
        book.say(phrase, "no_reach", &[]);
    }
}
