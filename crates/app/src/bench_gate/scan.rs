//! The scan that tells true seeded claims from false ones: finds where in a task's outputs a reading might be.
//!
//! It shares no code with `ground` and compares values with [`alike`].
//! A table of keys avoids comparing every record; it may propose too many records, never too few.

use super::alike::{alike, flat, text_keys, value_keys};
use super::material::TaskMaterial;
use ledger::{FieldValue, InvocationId, Output, Predicate, Reading, Record, RecordType, Vocabulary};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One record of a task, with the invocation that returned it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'m> {
    pub(super) invocation: InvocationId,
    pub(super) output: &'m Output,
    pub(super) record: &'m Record,
    /// The value of the record's subject field.
    pub(super) subject: Option<&'m FieldValue>,
}

/// All records of a task's successful invocations, in the order of their starts.
pub(super) struct Scan<'m> {
    seen: Vec<Seen<'m>>,
    /// Hashes of the keys of values, each with the index of its record; sorted.
    keys: Vec<(u64, u32)>,
    vocabulary: &'m Vocabulary,
}

impl<'m> Scan<'m> {
    pub(super) fn new(
        task: &'m TaskMaterial,
        types: &'m BTreeMap<String, RecordType>,
        vocabulary: &'m Vocabulary,
    ) -> Scan<'m> {
        let mut seen = Vec::new();
        for held in task.shelf.held().iter().filter(|held| held.outcome.grounds()) {
            let Some(output) = held.output.as_deref() else { continue };
            seen.extend(output.records().iter().map(|record| {
                let own = types.get(&record.kind).and_then(|kind| record.fields.get(&kind.subject));
                Seen { invocation: held.invocation, output, record, subject: own.map(|field| &field.value) }
            }));
        }
        let keys_of = |(place, seen): (usize, &Seen<'_>)| {
            let values = seen.record.fields.values().flat_map(|field| value_keys(&field.value));
            values.map(move |key| (hash(&key), place as u32)).collect::<Vec<_>>()
        };
        let mut keys: Vec<(u64, u32)> = seen.iter().enumerate().flat_map(keys_of).collect();
        keys.sort_unstable();
        keys.dedup();
        Scan { seen, keys, vocabulary }
    }

    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    pub(super) fn get(&self, place: u32) -> Option<Seen<'m>> {
        self.seen.get(place as usize).copied()
    }

    /// Returns the records that might contain the subject and all values of a reading, whatever it cites.
    pub(super) fn places(&self, reading: &Reading) -> Vec<u32> {
        let texts = reading.values.iter().map(|value| value.value.as_str());
        let subject = Some(reading.subject.as_str()).filter(|text| !text.trim().is_empty());
        let mut found: Option<Vec<u32>> = None;
        for text in texts.chain(subject) {
            let with = self.with_key_of(text);
            found = Some(match found {
                None => with,
                Some(before) => {
                    before.into_iter().filter(|place| with.binary_search(place).is_ok()).collect()
                }
            });
        }
        let holds = |place: &u32| self.get(*place).is_some_and(|seen| holds(&seen, reading));
        found.unwrap_or_default().into_iter().filter(holds).collect()
    }

    /// Returns those of these records whose type proves the reading's
    /// predicate; for a quotation, the records that it might be quoted from.
    pub(super) fn proofs(&self, reading: &Reading) -> Vec<u32> {
        let predicate = Predicate(reading.predicate.clone());
        let Some(meaning) = self.vocabulary.meaning(&predicate) else { return Vec::new() };
        let proves =
            |place: &u32| self.get(*place).is_some_and(|seen| meaning.proved_by.contains(&seen.record.kind));
        let places = if predicate.is_quoted() { self.quoted(reading) } else { self.places(reading) };
        places.into_iter().filter(proves).collect()
    }

    /// Returns the records about the reading's subject that its values might be
    /// quoted from; a quotation must not begin or end inside a word.
    pub(super) fn quoted(&self, reading: &Reading) -> Vec<u32> {
        let words: Vec<String> = reading.values.iter().map(|value| flat(&value.value)).collect();
        let holds = |place: &u32| {
            self.get(*place).is_some_and(|seen| {
                seen.subject.is_some_and(|value| alike(&reading.subject, value))
                    && reading.values.iter().zip(&words).all(|(value, words)| {
                        seen.record.fields.iter().any(|(name, field)| {
                            value.field.as_ref().is_none_or(|wanted| wanted == name)
                                && (is_quoted(&field.value, words) || alike(&value.value, &field.value))
                        })
                    })
            })
        };
        self.with_key_of(&reading.subject).into_iter().filter(holds).collect()
    }

    /// Whether a text might be in any field of the task's records.
    pub(super) fn knows(&self, text: &str) -> bool {
        let stands = |seen: Seen<'_>| seen.record.fields.values().any(|field| alike(text, &field.value));
        self.with_key_of(text).into_iter().filter_map(|place| self.get(place)).any(stands)
    }

    fn with_key_of(&self, text: &str) -> Vec<u32> {
        let mut places = Vec::new();
        for key in text_keys(text) {
            let key = hash(&key);
            let start = self.keys.partition_point(|(other, _)| *other < key);
            let rest = self.keys.get(start..).unwrap_or_default();
            places.extend(rest.iter().take_while(|(other, _)| *other == key).map(|(_, place)| *place));
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Whether the record might contain the subject and every value of a reading.
fn holds(seen: &Seen<'_>, reading: &Reading) -> bool {
    let about = reading.subject.trim().is_empty()
        || seen.subject.is_some_and(|subject| alike(&reading.subject, subject));
    about
        && reading.values.iter().all(|value| match &value.field {
            Some(name) => seen.record.fields.get(name).is_some_and(|field| alike(&value.value, &field.value)),
            None => seen.record.fields.values().any(|field| alike(&value.value, &field.value)),
        })
}

fn is_quoted(value: &FieldValue, words: &str) -> bool {
    match value {
        FieldValue::Text(text) => quotes(&flat(text), words),
        FieldValue::List(items) => items.iter().any(|item| quotes(&flat(item), words)),
        _ => false,
    }
}

fn quotes(text: &str, words: &str) -> bool {
    let joined = |outside: Option<char>, inside: Option<char>| {
        outside.is_some_and(char::is_alphanumeric) && inside.is_some_and(char::is_alphanumeric)
    };
    !words.is_empty()
        && text.match_indices(words).any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.strip_prefix(words).unwrap_or_default();
            !joined(before.chars().next_back(), words.chars().next())
                && !joined(after.chars().next(), words.chars().next_back())
        })
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use ledger::{ClaimedValue, Completeness, Field, Locator, Outcome, RecordId, TaskId};
    use std::sync::Arc;

    /// Returns a task with one invocation that returned records with these fields.
    pub(in crate::bench_gate) fn task(records: &[&[(&str, FieldValue)]]) -> TaskMaterial {
        let record = |fields: &&[(&str, FieldValue)]| Record {
            placement: None,
            defects: Vec::new(),
            fields: fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Field { at: None, value: value.clone() }))
                .collect(),
            id: RecordId(0),
            kind: "registry_value".into(),
            locator: Locator { evidence: "e".into(), path: "SYSTEM".into(), stream: None, span: None },
        };
        let mut shelf = ground::Shelf::default();
        shelf.push(ground::Held {
            invocation: "inv-00000001".parse().unwrap(),
            summary: String::new(),
            search: ground::Search {
                logs: None,
                near: Vec::new(),
                tool: String::new(),
                arguments: None,
                completeness: Completeness::Complete,
                whole: true,
            },
            outcome: Outcome::Ok,
            output: Some(Arc::new(Output::new(records.iter().map(record).collect()).unwrap())),
            shown: Vec::new(),
        });
        let (recorded, arguments, remarks) = (Vec::new(), Vec::new(), Vec::new());
        TaskMaterial { task: TaskId(1), shelf, recorded, arguments, remarks }
    }

    fn reading(values: &[(&str, &str)]) -> Reading {
        let value = |(field, value): &(&str, &str)| ClaimedValue {
            field: Some((*field).to_owned()),
            value: (*value).to_owned(),
        };
        Reading {
            fields: Vec::new(),
            predicate: "configured".into(),
            subject: String::new(),
            values: values.iter().map(value).collect(),
            invocation: "inv-00000001".into(),
            record: None,
        }
    }

    fn world() -> TaskMaterial {
        let name = |text: &str| FieldValue::Name(text.into());
        task(&[
            &[("name", name("Alpha")), ("data", FieldValue::Text("one two three".into()))],
            &[
                ("name", name("Beta")),
                ("data", FieldValue::Text("one".into())),
                ("size", FieldValue::Size(9)),
            ],
            &[("name", name("alpha")), ("data", FieldValue::List(vec!["one".into(), "four".into()]))],
        ])
    }

    #[test]
    fn the_table_of_keys_finds_what_comparing_every_record_finds() {
        let (world, types, vocabulary) = (world(), BTreeMap::new(), Vocabulary::shipped().unwrap());
        let scan = Scan::new(&world, &types, &vocabulary);
        let texts =
            ["Alpha", "ALPHA ", "Beta", "one", "`one`", "one two three", "two", "four", "9", "0x9", "8"];
        for name in texts {
            for data in texts {
                for size in [None, Some("9")] {
                    let mut values = vec![("name", name), ("data", data)];
                    values.extend(size.map(|size| ("size", size)));
                    let reading = reading(&values);
                    let every = (0..scan.len() as u32)
                        .filter(|place| holds(&scan.get(*place).unwrap(), &reading))
                        .collect::<Vec<_>>();
                    assert_eq!(scan.places(&reading), every, "{reading:?}");
                }
            }
        }
        assert_eq!(scan.places(&reading(&[("name", "alpha"), ("data", "one")])), [2]);
    }

    #[test]
    fn a_value_is_known_whole_and_words_are_quoted_whole() {
        let types = BTreeMap::from([(
            "registry_value".to_owned(),
            RecordType {
                name: "registry_value".into(),
                meaning: String::new(),
                subject: "name".into(),
                fields: BTreeMap::new(),
                qualifiers: Vec::new(),
                scope: Vec::new(),
            },
        )]);
        let (world, vocabulary) = (world(), Vocabulary::shipped().unwrap());
        let scan = Scan::new(&world, &types, &vocabulary);
        assert!(scan.knows("BETA") && scan.knows("9 bytes"));
        assert!(!scan.knows("Bet") && !scan.knows("two"));
        let quoted = |words: &str, subject: &str| {
            let reading = Reading { subject: subject.into(), ..reading(&[("data", words)]) };
            !scan.quoted(&reading).is_empty()
        };
        assert!(quoted("two  three", "Alpha") && !quoted("wo three", "Alpha"));
        assert!(!quoted("two three", "Beta"));
    }
}
