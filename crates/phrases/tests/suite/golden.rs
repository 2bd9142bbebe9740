//! Sample sentences to read: samples of facts, and each phrase with everything that it has a place for.

use crate::anything::{PAIRS, TYPES, bound, fact_of};
use ledger::{BoundValue, FactEntry, FieldType, FieldValue, Placement, Precision, Tier, Time};
use phrases::{Choice, Language};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A fact as the samples write it: each value as text, and in `quoted` the words quoted from a field.
#[derive(Deserialize)]
struct Sample {
    predicate: String,
    kind: String,
    values: toml::Table,
    #[serde(default)]
    quoted: toml::Table,
    placement: Option<Placement>,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Samples {
    fact: Vec<Sample>,
}

fn time(text: &str) -> FieldValue {
    let time = Time::from_filetime(0);
    let precision = if text.contains('.') { Precision::Filetime } else { Precision::Second };
    FieldValue::Time(Time { utc: Some(text.parse().unwrap()), precision, ..time })
}

fn value(kind: &str, field: &str, text: &toml::Value) -> FieldValue {
    let types = &TYPES[kind].fields.get(field).unwrap_or_else(|| panic!("{kind} has no {field}")).types;
    match text {
        toml::Value::Integer(number) if types.contains(&FieldType::Size) => {
            FieldValue::Size(u64::try_from(*number).unwrap())
        }
        toml::Value::Integer(number) => FieldValue::Integer(i128::from(*number)),
        toml::Value::Boolean(flag) => FieldValue::Flag(*flag),
        toml::Value::Array(items) => {
            FieldValue::List(items.iter().map(|item| item.as_str().unwrap().to_owned()).collect())
        }
        toml::Value::String(text) if types.contains(&FieldType::Time) => time(text),
        toml::Value::String(text) if types.contains(&FieldType::Text) => FieldValue::Text(text.clone()),
        toml::Value::String(text) => FieldValue::Name(text.clone()),
        other => panic!("{kind}.{field}: {other}"),
    }
}

fn fact(sample: &Sample) -> FactEntry {
    let subject = &TYPES[&sample.kind].subject;
    let held = |field: &String| -> BoundValue {
        let value = bound(field, value(&sample.kind, field, &sample.values[field]));
        match sample.quoted.get(field).and_then(toml::Value::as_str) {
            Some(words) => BoundValue { quotation: Some(words.to_owned()), tier: Tier::Quoted, ..value },
            None => value,
        }
    };
    let values = sample.values.keys().map(held).collect();
    let fact = fact_of(&sample.kind, &sample.predicate, held(subject), values);
    let mut fact = FactEntry { placement: sample.placement, ..fact };
    fact.locator.path = sample.path.clone().unwrap_or_else(|| "p1/Users/mara/NTUSER.DAT".to_owned());
    fact
}

/// Returns a value that names its field.
fn named(field: &str, kind: FieldType) -> FieldValue {
    match kind {
        FieldType::Text => FieldValue::Text(field.to_owned()),
        FieldType::Name => FieldValue::Name(field.to_owned()),
        FieldType::Path => FieldValue::Path(field.to_owned()),
        FieldType::RegistryPath => FieldValue::RegistryPath(field.to_owned()),
        FieldType::Time => time("2024-03-01T12:00:05Z"),
        FieldType::Integer => FieldValue::Integer(2),
        FieldType::Size => FieldValue::Size(2),
        FieldType::Sid => FieldValue::Sid("S-1-5-21-1".to_owned()),
        FieldType::Guid => FieldValue::Guid(field.to_owned()),
        FieldType::Hash => FieldValue::Hash(field.to_owned()),
        FieldType::Bytes => FieldValue::Bytes(field.to_owned()),
        FieldType::Flag => FieldValue::Flag(true),
        FieldType::List => FieldValue::List(vec![field.to_owned()]),
    }
}

/// Returns three facts that say the same about one record each.
fn three(fact: &FactEntry) -> [FactEntry; 3] {
    [0, 1, 2].map(|number| FactEntry { record: ledger::RecordId(number), ..fact.clone() })
}

#[expect(clippy::disallowed_methods, reason = "a golden is written where the tests are asked to")]
fn held_against(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(golden, text, "{name}: UPDATE_GOLDEN=1 writes it anew");
}

#[test]
fn samples_of_facts_read_as_the_golden_says() {
    let samples: Samples = toml::from_str(include_str!("../golden/samples.toml")).unwrap();
    for language in Language::ALL {
        let mut text = String::new();
        for sample in &samples.fact {
            let fact = fact(sample);
            writeln!(text, "{}.{}", sample.kind, sample.predicate).unwrap();
            writeln!(text, "  {}", phrases::fact(language, &fact, Choice::Usual)).unwrap();
            writeln!(text, "  {}", phrases::fact(language, &fact, Choice::Fields(&[]))).unwrap();
        }
        held_against(&format!("samples.{language}.txt"), &text);
    }
}

#[test]
fn every_phrase_reads_as_the_golden_says() {
    for language in Language::ALL {
        let mut text = String::new();
        for (kind, predicate) in PAIRS.iter() {
            let of = &TYPES[kind];
            let fields = of.fields.iter().filter(|(field, _)| *field != "*");
            let values =
                fields.map(|(field, meaning)| bound(field, named(field, meaning.types[0]))).collect();
            let subject = bound(&of.subject, named(&of.subject, of.fields[&of.subject].types[0]));
            let fact = fact_of(kind, predicate, subject, values);
            writeln!(text, "{kind}.{predicate}").unwrap();
            writeln!(text, "  {}", phrases::fact(language, &fact, Choice::Usual)).unwrap();
            if let Some(three) = phrases::several(language, &three(&fact).each_ref(), Some(("T1", "T2"))) {
                writeln!(text, "  {three}").unwrap();
            }
        }
        held_against(&format!("every.{language}.txt"), &text);
    }
}
