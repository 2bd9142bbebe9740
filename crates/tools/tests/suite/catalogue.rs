//! The published catalogue.
//!
//! Agents, the MCP server and the documentation rely on `tests/catalogue.json`.
//! To accept a change: `UPDATE_GOLDEN=1 cargo test -p tools`, read the difference, commit it with the change.

use ledger::{RecordType, ToolClass, ToolSpec, Vocabulary, Writers};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use tools::catalogue;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/catalogue.json")
}

#[test]
fn the_catalogue_is_the_published_one() {
    let mut text = serde_json::to_string_pretty(&catalogue()).unwrap();
    text.push('\n');
    #[expect(clippy::disallowed_methods, reason = "how a developer accepts a change")]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::File::create(golden()).unwrap().write_all(text.as_bytes()).unwrap();
    }
    let published: Vec<ToolSpec> = serde_json::from_slice(&fs::read(golden()).unwrap()).unwrap();
    assert_eq!(catalogue(), published, "the catalogue has changed: see this file on how to accept that");
}

#[test]
fn tools_are_sorted_and_well_named() {
    let names: Vec<_> = catalogue().into_iter().map(|spec| spec.name).collect();
    assert!(names.is_sorted());
    for name in &names {
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{name}");
    }
}

#[test]
fn schemas_use_only_words_that_are_checked() {
    for spec in catalogue() {
        assert_eq!(spec.class, ToolClass::Investigate);
        assert_eq!(spec.arguments["additionalProperties"], false);
        for (name, property) in spec.arguments["properties"].as_object().unwrap() {
            for word in property.as_object().unwrap().keys() {
                let known = ["type", "description", "default", "enum", "minimum", "maximum"];
                assert!(known.contains(&word.as_str()), "{}.{name}: {word} is not checked", spec.name);
            }
            let kind = property["type"].as_str().unwrap();
            assert!(["string", "integer", "boolean"].contains(&kind), "{}.{name}: {kind}", spec.name);
        }
        for name in spec.arguments["required"].as_array().unwrap() {
            assert!(spec.arguments["properties"].get(name.as_str().unwrap()).is_some());
        }
    }
}

#[test]
fn a_record_type_has_its_subject_and_is_the_same_for_every_tool() {
    let mut types: BTreeMap<String, RecordType> = BTreeMap::new();
    for record in catalogue().into_iter().flat_map(|spec| spec.records) {
        assert!(record.fields.contains_key(&record.subject), "{}", record.name);
        let first = types.entry(record.name.clone()).or_insert_with(|| record.clone());
        assert_eq!(*first, record, "{} is declared in two ways", record.name);
    }
}

#[test]
fn every_record_type_of_the_vocabulary_is_returned_by_a_tool() {
    let kinds: Vec<_> = catalogue().into_iter().flat_map(|spec| spec.records).map(|kind| kind.name).collect();
    let vocabulary = Vocabulary::shipped().unwrap();
    for (predicate, meaning) in vocabulary.entries() {
        for kind in &meaning.proved_by {
            assert!(kinds.contains(kind), "{predicate} is proved by {kind}, which no tool returns");
        }
    }
}

#[test]
fn every_record_type_has_its_table_of_writers_and_no_table_names_what_is_not_there() {
    let kinds = catalogue().into_iter().flat_map(|spec| spec.records);
    let kinds: BTreeMap<_, _> = kinds.map(|kind| (kind.name.clone(), kind)).collect();
    let writers = Writers::shipped().unwrap();
    let (returned, told): (Vec<_>, Vec<_>) = (kinds.keys().collect(), writers.record.keys().collect());
    assert_eq!(told, returned, "the tables of writers are not those of the record types");
    for (name, table) in &writers.record {
        let fields = [&table.by, &table.of, &table.counts].into_iter().flatten();
        for field in fields.chain(table.fields.keys()).chain(&table.kept) {
            assert!(kinds[name].fields.contains_key(field), "{name} has no field {field}");
        }
        for field in table.by.iter().flat_map(|limit| &writers.limit[limit].kept) {
            // Several types share a limit, and not every type has all the fields that it keeps.
            assert!(
                kinds.values().any(|kind| kind.fields.contains_key(field)),
                "no record has a field {field}"
            );
        }
    }
}
