//! Claims that were judged by hand, each with a reason, before the gateway judged them.
//!
//! The files in `judged/` contain what a task saw, in the record types of the tool catalogue, and claims about it.
//! A judgement is changed only if the rules (`docs/rules.md`) say otherwise, never to please the gateway; the file marks such a change with `amended`.

use ground::{Held, Search, Setting, Shelf, Verdict, judge};
use ledger::{
    AssumedZone, ByteSpan, ClaimedValue, Clock, Completeness, Digest, FactId, Field, FieldType, FieldValue,
    GateRules, IdSpace, InvocationId, Locator, Outcome, Output, Precision, Reading, Record, RecordId,
    RecordType, Seed, TaskId, Time, ToolSpec, Utc, Vocabulary, Writers,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const FILES: [(&str, &str); 4] = [
    ("files", include_str!("judged/files.toml")),
    ("registry", include_str!("judged/registry.toml")),
    ("events", include_str!("judged/events.toml")),
    ("web", include_str!("judged/web.toml")),
];

/// The record types by name.
type Types = BTreeMap<String, RecordType>;

#[test]
fn the_gateway_agrees_with_what_was_judged_by_hand() {
    let (types, vocabulary, rules) = (types(), Vocabulary::shipped().unwrap(), GateRules::default());
    let writers = Writers::shipped().unwrap();
    let setting = Setting {
        rules: &rules,
        vocabulary: &vocabulary,
        types: &types,
        writers: &writers,
        by_reference: true,
        dated: true,
    };
    let (mut judged, mut disagreements) = (0, Vec::new());
    for (name, file) in files() {
        let shelf = shelf(&file, &types);
        for (number, claim) in list(&file, "claim").iter().enumerate() {
            let verdict = told(&judge(&reading(claim), fact_id(), &shelf, &setting));
            judged += 1;
            let expected = text(claim, "verdict");
            if !expected.split(" or ").any(|expected| fits(expected, &verdict)) {
                let (says, values, why) = (text(claim, "says"), &claim["values"], text(claim, "why"));
                disagreements.push(format!(
                    "{name} {number}: {says} {values} of {}: by hand {expected} ({why}), by the gateway {}",
                    text(claim, "cites"),
                    verdict.join(" ")
                ));
            }
        }
    }
    assert!(judged >= 200, "{judged} claims");
    let count = disagreements.len();
    assert!(count == 0, "{count} of {judged} claims judged otherwise:\n{}", disagreements.join("\n"));
}

#[test]
fn the_judged_worlds_are_made_of_records_as_the_catalogue_has_them() {
    let types = types();
    for (name, file) in files() {
        for record in list(&file, "call").iter().flat_map(|call| list(call, "record")) {
            let kind = text(record, "type");
            let fields = record["fields"].as_object().unwrap();
            assert!(fields.contains_key(&types[kind].subject), "{name}: a {kind} without its subject");
            for (field, value) in fields {
                let allowed = &types[kind].fields[field].types;
                let found = field_value(value, allowed).field_type();
                assert!(allowed.contains(&found), "{name}: {kind} {field} is {found:?}");
            }
        }
    }
}

/// Returns a verdict in the words of the files (`accepted`, `healed`, `refused`), with its details.
fn told(verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Grounded { fact, healing } => {
            let (invocation, record) = (fact.entry().invocation, fact.entry().record);
            match healing {
                None => vec!["accepted".to_owned(), record.to_string()],
                Some(healing) => {
                    assert_eq!(healing.healed, invocation);
                    vec!["healed".to_owned(), invocation.to_string(), record.to_string()]
                }
            }
        }
        Verdict::Refused(rejection) => vec!["refused".to_owned(), rejection.code.name().to_owned()],
    }
}

fn fits(expected: &str, verdict: &[String]) -> bool {
    let expected: Vec<_> = expected.split_whitespace().collect();
    assert!(expected.len() > 1, "a verdict says what it is about: {expected:?}");
    expected == verdict
}

fn reading(claim: &Value) -> Reading {
    let value = |pair: &Value| ClaimedValue {
        field: pair[0].as_str().filter(|field| !field.is_empty()).map(str::to_owned),
        value: pair[1].as_str().unwrap().to_owned(),
    };
    Reading {
        fields: Vec::new(),
        predicate: text(claim, "says").to_owned(),
        subject: claim["subject"].as_str().unwrap_or_default().to_owned(),
        values: list(claim, "values").iter().map(value).collect(),
        invocation: text(claim, "cites").to_owned(),
        record: claim["record"].as_str().map(str::to_owned),
    }
}

fn shelf(file: &Value, types: &Types) -> Shelf {
    let mut shelf = Shelf::default();
    for call in list(file, "call") {
        let records: Vec<_> = list(call, "record")
            .iter()
            .map(|record| record_of(record, &types[text(record, "type")]))
            .collect();
        let output = (!records.is_empty()).then(|| Arc::new(Output::new(records).unwrap()));
        let outcome = call.get("outcome").unwrap_or(&json!("ok")).clone();
        shelf.push(Held {
            invocation: text(call, "id").parse().unwrap(),
            summary: text(call, "summary").to_owned(),
            search: Search {
                logs: None,
                near: Vec::new(),
                tool: text(call, "summary").split(' ').next().unwrap().to_owned(),
                arguments: None,
                completeness: Completeness::Complete,
                whole: true,
            },
            outcome: serde_json::from_value::<Outcome>(outcome).unwrap(),
            output,
            shown: Vec::new(),
        });
    }
    for id in list(file, "foreign") {
        shelf.push_foreign(id.as_str().unwrap().parse::<InvocationId>().unwrap());
    }
    shelf
}

fn record_of(record: &Value, kind: &RecordType) -> Record {
    let field = |(name, value): (&String, &Value)| {
        (name.clone(), Field { at: None, value: field_value(value, &kind.fields[name].types) })
    };
    Record {
        placement: None,
        defects: Vec::new(),
        fields: record["fields"].as_object().unwrap().iter().map(field).collect(),
        id: RecordId(0),
        kind: kind.name.clone(),
        locator: Locator {
            evidence: "disk".to_owned(),
            path: text(record, "at").to_owned(),
            stream: record["stream"].as_str().map(str::to_owned),
            span: record["offset"].as_u64().map(|offset| ByteSpan::new(offset, 96)),
        },
    }
}

/// Returns a value of the first allowed type that fits its form in the file; a table names its type.
fn field_value(value: &Value, allowed: &[FieldType]) -> FieldValue {
    match value {
        Value::Object(table) if table.contains_key("time") => FieldValue::Time(told_time(value)),
        Value::Object(table) => {
            let (kind, value) = table.iter().next().unwrap();
            serde_json::from_value(json!({ "type": kind, "value": value })).unwrap()
        }
        Value::String(text) if allowed.first() == Some(&FieldType::Time) => FieldValue::Time(time(text)),
        plain => {
            let typed =
                |kind: &FieldType| serde_json::from_value(json!({ "type": kind, "value": plain })).ok();
            allowed.iter().find_map(typed).unwrap()
        }
    }
}

/// Reads a time; its number of decimals decides between FILETIME, microseconds and seconds since 1970.
fn time(text: &str) -> Time {
    let utc: Utc = text.parse().unwrap();
    let nanoseconds = utc.unix_nanoseconds();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len() - 1);
    let (precision, raw) = match decimals {
        7 => return Time::from_filetime((nanoseconds / 100 + 116_444_736_000_000_000) as u64),
        6 => (Precision::Microsecond, nanoseconds / 1_000),
        0 => (Precision::Second, nanoseconds / 1_000_000_000),
        _ => panic!("{text}: say of what precision"),
    };
    Time { utc: Some(utc), raw: raw.to_string(), clock: Clock::Host, precision, zone: None }
}

/// Reads a time that the file describes completely.
fn told_time(table: &Value) -> Time {
    Time {
        utc: Some(text(table, "time").parse().unwrap()),
        raw: text(table, "raw").to_owned(),
        clock: Clock::Host,
        precision: serde_json::from_value(table["precision"].clone()).unwrap(),
        zone: table["local"].as_bool().filter(|local| *local).map(|_| AssumedZone::Utc),
    }
}

fn files() -> impl Iterator<Item = (&'static str, Value)> {
    FILES.iter().map(|(name, text)| (*name, toml::from_str(text).unwrap()))
}

/// Returns the record types of the tools, from the catalogue that the tools' own test checks.
fn types() -> Types {
    let tools: Vec<ToolSpec> =
        serde_json::from_str(include_str!("../../../tools/tests/catalogue.json")).unwrap();
    tools.into_iter().flat_map(|tool| tool.records).map(|kind| (kind.name.clone(), kind)).collect()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}

fn fact_id() -> FactId {
    FactId::assign(&IdSpace::new(Seed(Digest::of(b"judged"))), TaskId(1), 0).unwrap()
}
