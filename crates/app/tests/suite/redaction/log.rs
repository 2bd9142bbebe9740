//! Withholds every text in the sample's log at once, so that no place is forgotten.

use crate::redaction::written::sample;
use app::Profile;
use ledger::{Circumstance, Event, Stream};
use serde_json::Value;
use std::collections::BTreeSet;
use store::Reader;

fn events() -> Vec<(Stream, Event, Circumstance)> {
    let reader = Reader::open(&sample()).unwrap();
    reader
        .events()
        .map(|event| event.map(|(link, event, circumstance)| (link.stream, event, circumstance)).unwrap())
        .collect()
}

/// Collects the texts of a value that may be somebody's words, with their places; ids, digests and times are left out.
fn texts(value: &Value, place: &str, found: &mut BTreeSet<(String, String)>) {
    match value {
        Value::String(text) => {
            let words = text.contains(' ') || text.contains(['/', '\\']);
            let time = text.len() > 10 && text.as_bytes()[4] == b'-' && text.ends_with('Z');
            if words && !time && text.chars().count() >= 8 {
                found.insert((place.to_owned(), text.clone()));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, place, found)),
        Value::Object(members) => {
            for (name, member) in members {
                // These members are the program's own, and say nothing about the evidence.
                if !["rules", "vocabulary", "writers", "tools"].contains(&name.as_str()) {
                    texts(member, &format!("{place}.{name}"), found);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn every_text_of_the_log_can_be_withheld_wherever_it_stands() {
    let mut found = BTreeSet::new();
    for (_, event, circumstance) in events() {
        texts(&serde_json::to_value(&event).unwrap(), event.name(), &mut found);
        texts(&serde_json::to_value(&circumstance).unwrap(), "circumstance", &mut found);
    }
    let places: BTreeSet<&String> = found.iter().map(|it| &it.0).collect();
    assert!(places.len() > 30, "{places:#?}");
    let values: BTreeSet<&String> = found.iter().map(|it| &it.1).collect();
    let toml = format!("values = {}", serde_json::to_string(&values).unwrap().replace('\u{7f}', "\\u007f"));
    let profile = Profile::parse("everything", &toml).unwrap();
    let shown = app::show_run(&sample(), Some(&profile), app::Wording::default()).unwrap();
    let report = report::json(&shown.run);
    let mut left = BTreeSet::new();
    texts(&report, "report", &mut left);
    let left: Vec<_> = left.iter().filter(|(_, text)| values.contains(text)).collect();
    assert!(left.is_empty(), "{left:#?}");
}
