//! Properties that hold for every phrase, whatever the fact.

use crate::anything::{MARK, fact, written};
use ledger::FactEntry;
use phrases::{Choice, Language, Phrase, Piece, obligatory};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns the fields of a fact, in the order in which it states them.
fn fields(fact: &FactEntry) -> Vec<&str> {
    fact.values.iter().chain([&fact.subject]).map(|bound| bound.field.as_str()).collect()
}

fn said(phrase: &Phrase) -> BTreeSet<&str> {
    phrase.fields().collect()
}

/// Returns the values in the phrase, in any order.
fn values(phrase: &Phrase) -> Vec<(String, String)> {
    let mut values: Vec<_> = phrase
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Value { field, text } => Some((field.clone(), text.clone())),
            Piece::Told { field, value, .. } => Some((field.clone(), value.clone())),
            Piece::Computed { text } => Some((String::new(), text.clone())),
        })
        .collect();
    values.sort();
    values
}

/// Checks whether the fact has such a value in that field: whole, as an item, as quoted words, or as its beginning.
fn stands_in(fact: &FactEntry, field: &str, text: &str) -> bool {
    let own = |value: &str| field == value;
    if own("@path") {
        return text == written(&fact.locator.path);
    }
    if own("@kind") || own("@predicate") {
        return text == fact.kind || text == fact.predicate.0;
    }
    fact.values.iter().chain([&fact.subject]).filter(|bound| bound.field == field).any(|bound| {
        let whole = written(&bound.value.to_text());
        let items: Vec<String> = match &bound.value {
            ledger::FieldValue::List(items) => items.iter().map(|item| written(item)).collect(),
            _ => Vec::new(),
        };
        let line = bound.line(400).map(|line| written(&line));
        let is_begun = |full: &String| full.starts_with(text) && text.chars().count() >= 300;
        text == whole
            || items.iter().any(|item| item == text || is_begun(item))
            || is_begun(&whole)
            || bound.quotation.as_deref().is_some_and(|quoted| written(quoted) == text)
            || line.is_some_and(|line| line == text)
            || matches!(&bound.value, ledger::FieldValue::List(items) if items.is_empty() && text.is_empty())
    })
}

/// Returns the sentence with a letter in place of each value.
fn skeleton(phrase: &Phrase) -> String {
    let shown = |piece: &Piece| match piece {
        Piece::Words(words) => words.clone(),
        Piece::Told { text, .. } => text.clone(),
        Piece::Value { .. } | Piece::Computed { .. } => "V".to_owned(),
    };
    phrase.pieces.iter().map(shown).collect()
}

/// Checks whether this is the number of characters in a value.
fn is_a_length(fact: &FactEntry, text: &str) -> bool {
    let mut stated = std::iter::once(&fact.subject).chain(&fact.values);
    stated.any(|bound| bound.value.to_text().chars().count().to_string() == text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_phrase_says_what_it_was_asked_to_and_what_is_obligatory(
        fact in fact(), many in any::<u16>()
    ) {
        let all = fields(&fact);
        let asked: Vec<&str> =
            all.iter().enumerate().filter(|(at, _)| many >> (at % 16) & 1 == 1).map(|(_, field)| *field).collect();
        for language in Language::ALL {
            let phrase = phrases::fact(language, &fact, Choice::Fields(&asked));
            let said = said(&phrase);
            for field in asked.iter().copied().chain(obligatory(&fact)) {
                prop_assert!(said.contains(field), "{field} is not in {phrase}");
            }
            prop_assert!(said.contains(fact.subject.field.as_str()));
            let everything = phrases::fact(language, &fact, Choice::All);
            let everything = self::said(&everything);
            prop_assert!(all.iter().all(|field| everything.contains(field)));
            prop_assert!(everything.contains("@path"));
        }
    }

    #[test]
    fn a_phrase_has_no_value_that_is_not_in_the_fact(fact in fact(), all in any::<bool>()) {
        let choice = if all { Choice::All } else { Choice::Usual };
        for language in Language::ALL {
            let phrase = phrases::fact(language, &fact, choice);
            for piece in &phrase.pieces {
                match piece {
                    Piece::Words(words) => prop_assert!(!words.contains(MARK), "{words:?} in {phrase}"),
                    Piece::Value { field, text } => prop_assert!(stands_in(&fact, field, text), "{field}: {text:?}"),
                    Piece::Told { field, value, text } => {
                        prop_assert!(stands_in(&fact, field, &written(value)), "{field}: {value:?}");
                        prop_assert!(!text.contains(MARK));
                    }
                    Piece::Computed { text } => prop_assert!(text.chars().all(|c| c.is_ascii_digit()), "{text:?}"),
                }
            }
        }
    }

    /// A line about several facts says their number, values that each of them states, and the fields that limit them.
    #[test]
    fn a_line_of_several_facts_says_what_all_of_them_state(fact in fact(), other in fact(), number in 3_usize..9) {
        let copies: Vec<FactEntry> =
            (0..number).map(|at| FactEntry { record: ledger::RecordId(at as u32), ..fact.clone() }).collect();
        let others: Vec<FactEntry> = copies.iter().cloned().chain([other.clone()]).collect();
        let (copies, others): (Vec<_>, Vec<_>) = (copies.iter().collect(), others.iter().collect());
        prop_assert_eq!(phrases::several(Language::English, &vec![&fact; number], None), None, "one record");
        for language in Language::ALL {
            prop_assert_eq!(phrases::alike(&fact).is_some(), phrases::several(language, &copies, None).is_some());
            let Some(phrase) = phrases::several(language, &copies, None) else { continue };
            for piece in &phrase.pieces {
                match piece {
                    Piece::Words(words) => prop_assert!(!words.contains(MARK), "{words:?} in {phrase}"),
                    Piece::Value { field, text } => prop_assert!(stands_in(&fact, field, text), "{field}: {text:?}"),
                    Piece::Told { field, value, .. } => prop_assert!(stands_in(&fact, field, &written(value))),
                    // The number of facts, or the number of characters in a long text that is cut.
                    Piece::Computed { text } => {
                        prop_assert!(*text == number.to_string() || is_a_length(&fact, text), "{text:?} in {phrase}");
                    }
                }
            }
            let said = said(&phrase);
            for bound in fact.values.iter().filter(|bound| !matches!(bound.value, ledger::FieldValue::Time(_))) {
                let is_bound = bound.field != fact.subject.field && obligatory(&fact).contains(bound.field.as_str());
                prop_assert!(!is_bound || said.contains(bound.field.as_str()), "{} is not in {phrase}", bound.field);
            }
            let are_alike = phrases::alike(&fact) == phrases::alike(&other);
            prop_assert_eq!(phrases::several(language, &others, None).is_some(), are_alike);
        }
    }

    #[test]
    fn all_languages_say_the_same_values(fact in fact(), all in any::<bool>()) {
        let choice = if all { Choice::All } else { Choice::Usual };
        let [english, german] = Language::ALL.map(|language| values(&phrases::fact(language, &fact, choice)));
        prop_assert_eq!(english, german);
    }

    #[test]
    fn a_phrase_is_one_line_that_ends_and_shows_nothing_hidden(fact in fact(), all in any::<bool>()) {
        let choice = if all { Choice::All } else { Choice::Fields(&[]) };
        for language in Language::ALL {
            let phrase = phrases::fact(language, &fact, choice);
            let text = phrase.text();
            prop_assert!(text.ends_with('.'));
            prop_assert!(!text.contains(|c| ledger::escapes::is_hidden(c) || ledger::escapes::is_unseen(c)), "{text:?}");
            let marks = match language {
                Language::English => ('“', '”'),
                Language::German => ('„', '“'),
            };
            let (opened, closed) = (text.matches(marks.0).count(), text.matches(marks.1).count());
            prop_assert_eq!(opened, closed, "{}", &text);
        }
    }

    #[test]
    fn whatever_is_left_out_the_words_still_make_a_sentence(fact in fact(), many in any::<u16>()) {
        let all = fields(&fact);
        let asked: Vec<&str> =
            all.iter().enumerate().filter(|(at, _)| many >> (at % 16) & 1 == 1).map(|(_, field)| *field).collect();
        for language in Language::ALL {
            let text = skeleton(&phrases::fact(language, &fact, Choice::Fields(&asked)));
            for wrong in ["  ", " ,", ",,", ", ,", ",.", ",;", ";.", "; ;", ":.", ": (", ":,", ":;", "()", "( ", " )", " .", "VV", ",)", ": ;"] {
                prop_assert!(!text.contains(wrong), "{wrong:?} in {text}");
            }
        }
    }
}
