//! Random worlds: what a task may have seen, full of things that are nearly alike.
//!
//! A seed determines the world, so a failure can be repeated with its seed.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking; nothing here came from outside"
)]

pub mod chance;
pub mod claims;
pub mod fields;

use crate::naive::Own;
use chance::Chance;
use ledger::{
    ByteSpan, Digest, Field, GateRules, IdSpace, InvocationId, Locator, Outcome, Output, Record, RecordId,
    RecordType, Seed, TaskId, Vocabulary,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub struct World {
    pub own: Vec<Own>,
    pub foreign: BTreeSet<InvocationId>,
    pub rules: GateRules,
    pub vocabulary: Vocabulary,
    pub types: BTreeMap<String, RecordType>,
}

const VOCABULARY: &str = r#"
[predicate.present]
meaning = "it is there"
[predicate.executed]
meaning = "it ran"
[predicate.quoted]
meaning = "it is written"
[predicate.persists]
meaning = "it starts"
[predicate.recorded]
meaning = "a log holds it"
[record.file]
present = {}
[record.value]
present = {}
quoted = {}
[record.event]
executed = { states = "time" }
quoted = {}
recorded = {}
[record.job]
persists = { states = "start", unless = ["3", "4"] }
recorded = {}
[record.line]
quoted = {}
[record.run]
executed = { states = "outcome", unless = ["blocked", "denied"] }
recorded = {}
"#;

/// The record types: name, subject, qualifiers, fields; a field's name decides what it is filled with.
pub const TYPES: [(&str, &str, &[&str], &[&str]); 6] = [
    (
        "file",
        "path",
        &[],
        &["path", "name", "size", "modified", "born", "hash", "hidden", "streams", "copied"],
    ),
    ("value", "key", &[], &["key", "name", "data", "note", "bytes"]),
    (
        "event",
        "account",
        &[],
        &["account", "address", "source", "sid", "guid", "time", "code", "text", "path", "local"],
    ),
    ("job", "name", &[], &["name", "start", "code", "guid", "path", "modified"]),
    ("line", "path", &["stream"], &["path", "stream", "text", "code"]),
    ("run", "path", &[], &["path", "outcome", "time", "parent", "code", "hidden"]),
];

pub fn id(task: u16, ordinal: u32) -> InvocationId {
    InvocationId::assign(&IdSpace::new(Seed(Digest::of(b"strange"))), TaskId(task), ordinal).unwrap()
}

impl World {
    pub fn new(chance: &mut Chance) -> World {
        let evidence: Vec<Record> = (0..chance.from(4, 14)).map(|place| record(chance, place)).collect();
        let own = (0..chance.from(2, 7)).map(|ordinal| own(chance, ordinal, &evidence)).collect();
        World {
            own,
            foreign: [id(2, 0), id(2, 1)].into(),
            rules: GateRules { rescue: !chance.one_in(10), ..GateRules::default() },
            vocabulary: Vocabulary::from_toml(VOCABULARY).unwrap(),
            types: TYPES
                .iter()
                .map(|(name, subject, qualifiers, _)| kind(name, subject, qualifiers))
                .collect(),
        }
    }
}

fn kind(name: &str, subject: &str, qualifiers: &[&str]) -> (String, RecordType) {
    let kind = RecordType {
        name: name.to_owned(),
        meaning: String::new(),
        subject: subject.to_owned(),
        fields: BTreeMap::new(),
        qualifiers: qualifiers.iter().map(|name| (*name).to_owned()).collect(),
        scope: Vec::new(),
    };
    (name.to_owned(), kind)
}

/// Returns one record; it always has its subject, and any other field may be missing.
fn record(chance: &mut Chance, place: u64) -> Record {
    let (kind, subject, qualifiers, names) = TYPES[chance.below(6)];
    let mut fields = BTreeMap::new();
    for name in names {
        let rare = qualifiers.contains(name) || ["local", "copied"].contains(name);
        let left_out = if rare { !chance.one_in(4) } else { chance.one_in(6) };
        if name == &subject || !left_out {
            let at = chance.one_in(2).then(|| ByteSpan::new(place * 100, 8));
            fields.insert((*name).to_owned(), Field { at, value: fields::value(chance, name) });
        }
    }
    Record {
        placement: None,
        defects: Vec::new(),
        fields,
        id: RecordId(0),
        kind: kind.to_owned(),
        locator: Locator {
            evidence: "disk".to_owned(),
            path: format!("source {}", place % 3),
            stream: None,
            span: Some(ByteSpan::new(place * 100, 64)),
        },
    }
}

/// Returns a call over some of the evidence; other calls return the same evidence again.
fn own(chance: &mut Chance, ordinal: u64, evidence: &[Record]) -> Own {
    let outcome = match chance.below(12) {
        0 => Outcome::Failed,
        1 => Outcome::Empty,
        2 => Outcome::Timeout,
        3 => Outcome::Denied,
        _ => Outcome::Ok,
    };
    let mut records: Vec<_> = evidence.iter().filter(|_| chance.one_in(2)).cloned().collect();
    if chance.one_in(5) && !records.is_empty() {
        let again = records[chance.below(records.len())].clone();
        records.push(again);
    }
    let output = match outcome {
        Outcome::Ok | Outcome::Timeout if !records.is_empty() => {
            Some(Arc::new(Output::new(records).unwrap()))
        }
        _ => None,
    };
    Own { id: id(1, ordinal as u32), outcome, output }
}
