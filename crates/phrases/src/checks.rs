//! Checks the files of languages, and the fields that are always said.

use crate::book::Book;
use crate::language::Language;
use crate::template::{Part, Slot, Template};
use ledger::{RecordType, ToolSpec, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};

/// The words that the code uses by name.
const WORDS: [&str; 42] = [
    "anywhere",
    "below",
    "by_provider",
    "cut",
    "days",
    "different",
    "empty_list",
    "from",
    "hours",
    "later",
    "line",
    "local_time",
    "minutes",
    "more_items",
    "near",
    "neutral",
    "no_events",
    "no_file",
    "no_instant",
    "no_key",
    "no_key_as_it_stands",
    "no_other_encodings",
    "no_reach",
    "no_text",
    "of_all_evidence",
    "of_evidence",
    "one_days",
    "one_hours",
    "one_minutes",
    "one_seconds",
    "order",
    "place_assumed",
    "place_elsewhere",
    "place_foreign",
    "place_stated",
    "reach",
    "reach_and",
    "same",
    "seconds",
    "sum",
    "then",
    "time_of_copy",
];
const MORE_WORDS: [&str; 15] = [
    "all_at",
    "apart",
    "undated",
    "between",
    "episode",
    "episode_at",
    "compared",
    "time_of_file",
    "time_of_name",
    "time_of_nothing",
    "quote",
    "read_from",
    "to",
    "under",
    "within",
];

/// Returns the record types of the tools, from the golden file of the catalogue.
fn types() -> BTreeMap<String, RecordType> {
    let tools: Vec<ToolSpec> =
        serde_json::from_str(include_str!("../../tools/tests/catalogue.json")).unwrap();
    tools.into_iter().flat_map(|tool| tool.records).map(|kind| (kind.name.clone(), kind)).collect()
}

fn books() -> [Book; 2] {
    Language::ALL.map(|language| Book::read(language.text()).unwrap())
}

/// Returns the templates of a book, by their places.
fn templates(book: &Book) -> BTreeMap<String, Vec<&Template>> {
    let mut all = BTreeMap::new();
    for (name, template) in &book.words {
        all.insert(format!("words.{name}"), vec![template]);
    }
    for (field, template) in &book.labels {
        all.insert(format!("label.{field}"), vec![template]);
    }
    for (predicate, templates) in &book.predicates {
        all.insert(format!("predicate.{predicate}"), templates.iter().collect());
    }
    for (record, of) in &book.records {
        for (predicate, templates) in of {
            all.insert(format!("record.{record}.{predicate}"), templates.iter().collect());
        }
    }
    for (record, of) in &book.several {
        for (predicate, template) in of {
            all.insert(format!("several.{record}.{predicate}"), vec![template]);
        }
    }
    all
}

/// Returns what decides which values a template says: its fields, the brackets around them, and the values that it has words for.
fn shape(parts: &[Part]) -> BTreeSet<String> {
    let values = |slot: &Slot| {
        let cases: BTreeSet<_> = slot.cases.iter().map(|(value, _)| value.as_str()).collect();
        format!("{} {cases:?} {}", slot.field, slot.other.is_some())
    };
    parts
        .iter()
        .filter_map(|part| match part {
            Part::Words(_) => None,
            Part::Field(slot) => Some(values(slot)),
            Part::Optional(inner) => Some(format!("{:?}", shape(inner))),
        })
        .collect()
}

#[test]
fn all_languages_have_the_same_phrases_with_the_same_fields() {
    let books = books();
    let shapes = books.each_ref().map(|book| -> BTreeMap<String, Vec<BTreeSet<String>>> {
        let shapes = |all: Vec<&Template>| all.into_iter().map(|one| shape(&one.0)).collect();
        templates(book).into_iter().map(|(place, all)| (place, shapes(all))).collect()
    });
    let [english, german] = &shapes;
    let missing: Vec<_> =
        english.iter().filter(|(place, fields)| german.get(*place) != Some(fields)).collect();
    assert!(missing.is_empty(), "de.toml has not, or with other fields: {missing:#?}");
    let more: Vec<_> = german.keys().filter(|place| !english.contains_key(*place)).collect();
    assert!(more.is_empty(), "en.toml has not: {more:#?}");
}

#[test]
fn values_of_all_languages_are_kept_apart_from_words_in_the_same_way() {
    let [english, german] = books();
    assert_eq!(english.never_bare, german.never_bare);
    assert!(english.never_bare.iter().all(|word| *word == word.to_lowercase()));
}

#[test]
fn a_book_has_the_words_that_the_code_says_and_no_others() {
    let said: BTreeSet<&str> = WORDS.into_iter().chain(MORE_WORDS).collect();
    for book in books() {
        let has: BTreeSet<&str> = book.words.keys().map(String::as_str).collect();
        assert_eq!(has, said);
        assert!(
            book.words
                .values()
                .all(|template| template.0.iter().all(|part| !matches!(part, Part::Optional(_))))
        );
    }
}

#[test]
fn a_book_has_a_phrase_for_each_predicate_and_no_other() {
    let vocabulary = Vocabulary::shipped().unwrap();
    let all: BTreeSet<&str> = vocabulary.entries().map(|(predicate, _)| predicate.0.as_str()).collect();
    for book in books() {
        let has: BTreeSet<&str> = book.predicates.keys().map(String::as_str).collect();
        assert_eq!(has, all);
        for templates in book.predicates.values() {
            assert!(templates.iter().all(|one| one.fields() == BTreeSet::from(["subject"])), "{templates:?}");
        }
    }
}

#[test]
fn a_phrase_of_a_record_type_is_for_what_its_records_prove_and_names_their_fields() {
    let (vocabulary, types) = (Vocabulary::shipped().unwrap(), types());
    for book in books() {
        for (record, of) in &book.records {
            let kind = types.get(record).unwrap_or_else(|| panic!("no record type {record}"));
            let proved: BTreeSet<&str> = vocabulary.proved_by(record).map(|it| it.0.as_str()).collect();
            for (predicate, templates) in of {
                assert!(proved.contains(predicate.as_str()), "{record} does not prove {predicate}");
                for field in templates.iter().flat_map(Template::fields) {
                    let is_known = ["subject", "_path"].contains(&field) || kind.fields.contains_key(field);
                    assert!(is_known, "{record}.{predicate}: no field {field}");
                }
            }
        }
    }
}

#[test]
fn a_line_of_several_facts_says_how_many_and_names_fields_of_their_type() {
    let (vocabulary, types) = (Vocabulary::shipped().unwrap(), types());
    for book in books() {
        for (record, of) in &book.several {
            let kind = types.get(record).unwrap_or_else(|| panic!("no record type {record}"));
            for (predicate, template) in of {
                let is_proved = vocabulary.proved_by(record).any(|it| it.0 == *predicate);
                assert!(is_proved, "{record} does not prove {predicate}");
                assert!(template.core().any(|slot| slot.field == "_number"), "{record}.{predicate}");
                for field in template.fields() {
                    let is_known =
                        ["subject", "_path", "_number"].contains(&field) || kind.fields.contains_key(field);
                    assert!(is_known, "{record}.{predicate}: no field {field}");
                }
            }
        }
    }
}

#[test]
fn every_record_type_has_a_phrase_for_each_thing_that_its_records_prove() {
    let vocabulary = Vocabulary::shipped().unwrap();
    for book in books() {
        for record in types().keys() {
            for predicate in vocabulary.proved_by(record) {
                let has = book.records.get(record).is_some_and(|of| of.contains_key(&predicate.0));
                assert!(has, "{record}.{predicate}");
            }
        }
    }
}

/// A bracket is left out on its own, so it cannot continue what another bracket began.
#[test]
fn no_bracket_leans_on_another() {
    for book in books() {
        for (place, all) in templates(&book) {
            for part in all.iter().flat_map(|one| &one.0) {
                let Part::Optional(inner) = part else { continue };
                let Some(Part::Words(first)) = inner.first() else { continue };
                let leans = [" and ", " und ", ", and ", ", und "].iter().any(|word| first.starts_with(word));
                assert!(!leans, "{place}: {first:?}");
            }
        }
    }
}

/// A record says the opposite with certain values of some fields, so a sentence always says what a fact holds in them.
#[test]
fn fields_by_which_a_record_can_say_the_opposite_are_always_said() {
    let (vocabulary, books) = (Vocabulary::shipped().unwrap(), books());
    for (predicate, meaning) in vocabulary.entries() {
        let unless = meaning.unless.keys().filter_map(|record| Some((record, meaning.states.get(record)?)));
        let denied = meaning
            .denied_by
            .iter()
            .flat_map(|(record, fields)| fields.keys().map(move |field| (record, field)));
        for (record, field) in unless.chain(denied) {
            let is_state = ledger::state_field(record).is_some_and(|state| state.field == *field);
            let is_core = books.iter().all(|book| {
                let own = book.records.get(record).and_then(|of| of.get(&predicate.0)).unwrap();
                own.iter().all(|one| one.core().any(|slot| slot.field == *field))
            });
            let is_obligatory = ledger::bounds::bound(record, field).is_some();
            assert!(is_state || is_core || is_obligatory, "{record}.{predicate}: {field}");
        }
    }
}

/// Words that end with a comma are followed by words of the sentence, whatever is left out.
#[test]
fn a_bracket_that_ends_with_a_comma_stands_within_a_sentence() {
    let starts = |part: &Part| match part {
        Part::Words(words) => words.chars().next(),
        Part::Field(_) => Some('V'),
        Part::Optional(inner) => match inner.first() {
            Some(Part::Words(words)) => words.chars().next(),
            _ => Some('V'),
        },
    };
    let mut wrong = Vec::new();
    for book in books() {
        for (place, all) in templates(&book) {
            for one in all {
                for (at, part) in one.0.iter().enumerate() {
                    let Part::Optional(inner) = part else { continue };
                    let Some(Part::Words(last)) = inner.last() else { continue };
                    if !last.ends_with(',') {
                        continue;
                    }
                    let behind = &one.0[at + 1..];
                    let fixed = behind.iter().position(|part| !matches!(part, Part::Optional(_)));
                    let reached = behind.iter().take(fixed.map_or(0, |fixed| fixed + 1));
                    let clash = reached.filter_map(starts).find(|c| ",;:.)".contains(*c));
                    if fixed.is_none() || clash.is_some() {
                        wrong.push(format!("{place}: {inner:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file's time is never presented as the time of an action.
#[test]
fn a_time_that_dates_no_event_stands_with_words_of_what_it_is() {
    let types = types();
    let bare = ["at", "from", "to", "until", "um", "von", "bis", "auf", "ab"];
    for book in books() {
        for (record, of) in &book.records {
            let kind = types.get(record).unwrap();
            let is_time = |field: &str| {
                kind.fields.get(field).is_some_and(|field| field.types.contains(&ledger::FieldType::Time))
            };
            for (predicate, templates) in of {
                let is_other = |slot: &Slot| {
                    is_time(&slot.field)
                        && ledger::dates(predicate, record, &slot.field) != ledger::Dates::Event
                };
                // Its words say that these are the file's own times.
                let in_core = templates.iter().flat_map(Template::core).any(is_other);
                assert!(!in_core || record == "timestomp_indicator", "{record}.{predicate}");
                for part in templates.iter().flat_map(|one| &one.0) {
                    let Part::Optional(inner) = part else { continue };
                    if !crate::template::direct(inner).any(is_other) {
                        continue;
                    }
                    let words = inner.iter().filter_map(|part| match part {
                        Part::Words(words) => Some(words.trim_matches([' ', ',', ';'])),
                        Part::Field(_) | Part::Optional(_) => None,
                    });
                    let telling = words.filter(|words| !words.is_empty() && !bare.contains(words)).count();
                    assert!(telling > 0, "{record}.{predicate}: {inner:?}");
                }
            }
        }
    }
}

#[test]
fn every_alternative_of_a_phrase_can_be_reached() {
    for book in books() {
        for (place, all) in templates(&book) {
            for (at, earlier) in all.iter().enumerate() {
                for later in all.iter().skip(at + 1) {
                    let needed = |template: &Template| -> BTreeSet<String> {
                        template
                            .core()
                            .map(|slot| {
                                format!(
                                    "{:?}",
                                    (
                                        &slot.field,
                                        slot.cases.iter().map(|it| &it.0).collect::<Vec<_>>(),
                                        slot.other.is_some()
                                    )
                                )
                            })
                            .collect()
                    };
                    let is_subject = |slot: &Slot| slot.field == "subject" && slot.cases.is_empty();
                    let always = earlier.core().all(is_subject);
                    let covered = needed(earlier).is_subset(&needed(later));
                    assert!(!always && !covered, "{place}: nothing reaches {later:?}");
                }
            }
        }
    }
}

#[test]
fn a_label_is_of_a_field_that_some_record_has_and_says_it() {
    let types = types();
    for book in books() {
        for (field, label) in &book.labels {
            assert!(types.values().any(|kind| kind.fields.contains_key(field)), "no field {field}");
            let core: Vec<_> = label.core().map(|slot| slot.field.as_str()).collect();
            assert_eq!(core, [field.as_str()]);
            assert_eq!(label.fields().len(), 1, "{field}");
        }
    }
}

#[test]
fn what_is_always_said_are_fields_that_there_are_and_all_that_bounds_a_record() {
    let (rules, types) = (ledger::bounds::Bounds::read().unwrap(), types());
    for (field, rule) in &rules.field {
        assert!(types.values().any(|kind| kind.fields.contains_key(field)), "no field {field}");
        for record in &rule.unless {
            let kind = types.get(record).unwrap_or_else(|| panic!("no record type {record}"));
            assert!(kind.fields.contains_key(field), "{record} has no field {field}");
        }
    }
    for (record, rule) in &rules.record {
        let kind = types.get(record).unwrap_or_else(|| panic!("no record type {record}"));
        for field in &rule.fields {
            assert!(kind.fields.contains_key(field), "{record} has no field {field}");
        }
    }
    for (record, kind) in &types {
        for field in kind.scope.iter().chain(&kind.qualifiers) {
            assert!(
                ledger::bounds::bound(record, field).is_some()
                    || ledger::state_field(record).is_some_and(|state| state.field == *field),
                "{record}: {field} bounds what is told"
            );
        }
    }
}
