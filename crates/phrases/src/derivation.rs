//! Puts a derivation into words: what its facts say, and how their values are related.

use crate::book::Book;
use crate::fact::{Choice, fact};
use crate::language::Language;
use crate::phrase::{Phrase, Piece};
use crate::value::{self, Manner};
use ledger::{BoundValue, Derivation, FactEntry, FieldValue, Precision, Term};

/// Phrases a derivation over these facts; a term whose fact is not among them is shown by its id.
pub fn derivation(language: Language, derivation: &Derivation, facts: &[&FactEntry]) -> Phrase {
    let book = language.book();
    let mut phrase = Phrase::default();
    let name = match derivation {
        Derivation::Same { .. } => "same",
        Derivation::Different { .. } => "different",
        Derivation::Order { .. } => "order",
        Derivation::Within { .. } => "within",
        Derivation::Below { .. } => "below",
        Derivation::Sum { .. } => "sum",
    };
    let bound = match derivation {
        Derivation::Within { seconds, .. } => seconds.to_string(),
        Derivation::Sum { total, .. } => total.to_string(),
        Derivation::Same { .. }
        | Derivation::Different { .. }
        | Derivation::Order { .. }
        | Derivation::Below { .. } => String::new(),
    };
    book.say(&mut phrase, name, &[("number", &bound)]);
    let is_order = matches!(derivation, Derivation::Order { .. });
    let are_times = is_order || matches!(derivation, Derivation::Within { .. });
    let mut before: Option<&BoundValue> = None;
    for (at, term) in derivation.terms().iter().enumerate() {
        let own = facts.iter().find(|fact| fact.id == term.fact).copied();
        let value = own.and_then(|fact| held(fact, &term.field));
        if at > 0 {
            phrase.words("; ");
            if is_order {
                later(book, &mut phrase, before, value);
            }
        }
        say_term(language, &mut phrase, own, term, are_times);
        before = value;
    }
    phrase.words(".");
    phrase
}

fn held<'f>(fact: &'f FactEntry, field: &str) -> Option<&'f BoundValue> {
    fact.values.iter().chain([&fact.subject]).find(|bound| bound.field == field)
}

/// Says the fact of a term, with the term's value.
fn say_term(language: Language, phrase: &mut Phrase, own: Option<&FactEntry>, term: &Term, are_times: bool) {
    let book = language.book();
    let Some(own) = own else {
        return value::say_text(book, phrase, "@term", &term.to_string(), Manner::Short);
    };
    let clause = fact(language, own, Choice::Fields(&[term.field.as_str()]));
    let is_time =
        |field: &&str| held(own, field).is_some_and(|bound| matches!(bound.value, FieldValue::Time(_)));
    let is_plain = are_times && clause.fields().filter(is_time).count() == 1;
    phrase.clause(clause);
    if let Some(bound) = held(own, &term.field).filter(|_| !is_plain) {
        book.say_with(phrase, "compared", |phrase, place| match place {
            "field" => phrase.words(&term.field),
            _ => value::say(book, phrase, bound, Manner::Short),
        });
    }
}

/// Says how much later the second time is, if both are instants with a precision of at least a second.
fn later(book: &Book, phrase: &mut Phrase, before: Option<&BoundValue>, after: Option<&BoundValue>) {
    let span = before.zip(after).and_then(|(before, after)| seconds_between(before, after));
    match span {
        Some(span) if span > 0 => {
            let parts = [
                ("days", span / 86_400),
                ("hours", span / 3600 % 24),
                ("minutes", span / 60 % 60),
                ("seconds", span % 60),
            ];
            let parts = parts.into_iter().filter(|(_, number)| *number > 0).take(2);
            for (at, (unit, number)) in parts.enumerate() {
                if at > 0 {
                    phrase.words(" ");
                }
                phrase.pieces.push(Piece::Computed { text: number.to_string() });
                let one = if number == 1 { "one_" } else { "" };
                book.say(phrase, &format!("{one}{unit}"), &[]);
            }
            book.say(phrase, "later", &[]);
        }
        _ => book.say(phrase, "then", &[]),
    }
}

fn seconds_between(before: &BoundValue, after: &BoundValue) -> Option<i128> {
    let instant = |bound: &BoundValue| match &bound.value {
        FieldValue::Time(time) if time.zone.is_none() => match time.precision {
            Precision::Day | Precision::TwoSeconds => None,
            Precision::Nanosecond
            | Precision::Filetime
            | Precision::Microsecond
            | Precision::Millisecond
            | Precision::Centisecond
            | Precision::Second => time.utc.map(|utc| utc.unix_nanoseconds().div_euclid(1_000_000_000)),
        },
        _ => None,
    };
    Some(instant(after)? - instant(before)?)
}
