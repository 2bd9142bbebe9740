//! The cost of checking one claim: run `cargo bench -p ground`.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark, of made-up evidence")]

use divan::{Bencher, black_box};
use ground::{Held, Setting, Shelf, judge};
use ledger::{
    ByteSpan, ClaimedValue, Digest, FactId, Field, FieldValue, GateRules, IdSpace, InvocationId, Locator,
    Outcome, Output, Reading, Record, RecordId, RecordType, Seed, TaskId, Time, Vocabulary, Writers,
};
use std::collections::BTreeMap;
use std::sync::Arc;

fn main() {
    divan::main();
}

struct Scene {
    shelf: Shelf,
    rules: GateRules,
    vocabulary: Vocabulary,
    writers: Writers,
    types: BTreeMap<String, RecordType>,
    fact: FactId,
}

fn space() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"bench")))
}

fn id(ordinal: u32) -> InvocationId {
    InvocationId::assign(&space(), TaskId(1), ordinal).unwrap()
}

/// Makes `outputs` outputs of about `bytes` each, all with different values.
fn scene(outputs: u32, bytes: u64) -> Scene {
    let row = Output::new(vec![value(0, 0)]).unwrap().bytes().len() as u64;
    let mut shelf = Shelf::default();
    for ordinal in 0..outputs {
        let mut records = Vec::new();
        let mut size = 0;
        while size < bytes {
            records.push(value(ordinal, records.len() as u64));
            size += row;
        }
        let output = Some(Arc::new(Output::new(records).unwrap()));
        let summary = format!("registry_values key={ordinal}");
        shelf.push(Held {
            search: search(),
            invocation: id(ordinal),
            summary,
            outcome: Outcome::Ok,
            output,
            shown: Vec::new(),
        });
    }
    let kind = RecordType {
        name: "registry_value".into(),
        meaning: String::new(),
        subject: "key".into(),
        fields: BTreeMap::new(),
        qualifiers: Vec::new(),
        scope: Vec::new(),
    };
    Scene {
        shelf,
        rules: GateRules::default(),
        vocabulary: Vocabulary::shipped().unwrap(),
        writers: Writers::shipped().unwrap(),
        types: [("registry_value".to_owned(), kind)].into(),
        fact: FactId::assign(&space(), TaskId(1), 0).unwrap(),
    }
}

fn value(output: u32, row: u64) -> Record {
    let at = Some(ByteSpan::new(row * 64, 32));
    let fields = [
        ("key", FieldValue::RegistryPath(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run".into())),
        ("name", FieldValue::Name(format!("Updater {output} {row}"))),
        ("data", FieldValue::Text(data(output, row))),
        ("last_written", FieldValue::Time(Time::from_filetime(129_779_783_208_392_490 + row))),
    ];
    Record {
        placement: None,
        defects: Vec::new(),
        fields: fields.into_iter().map(|(name, value)| (name.to_owned(), Field { at, value })).collect(),
        id: RecordId(0),
        kind: "registry_value".into(),
        locator: Locator {
            evidence: "disk".into(),
            path: "Windows/System32/config/SOFTWARE".into(),
            stream: None,
            span: Some(ByteSpan::new(u64::from(output) * 1_000_000 + row * 64, 64)),
        },
    }
}

fn data(output: u32, row: u64) -> String {
    format!(r"C:\Program Files\Vendor\Agent {output}\bin\updater-{row}.exe --quiet")
}

fn reading(cited: InvocationId, record: Option<&str>, data: String) -> Reading {
    Reading {
        fields: Vec::new(),
        predicate: "configured".into(),
        subject: r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run".into(),
        values: vec![ClaimedValue { field: Some("data".into()), value: data }],
        invocation: cited.to_string(),
        record: record.map(str::to_owned),
    }
}

fn run(bencher: Bencher<'_, '_>, scene: &Scene, reading: &Reading) {
    let setting = Setting {
        rules: &scene.rules,
        vocabulary: &scene.vocabulary,
        types: &scene.types,
        writers: &scene.writers,
        by_reference: true,
        dated: true,
    };
    bencher.bench_local(|| judge(black_box(reading), scene.fact, &scene.shelf, &setting));
}

#[divan::bench]
fn right_record_of_64_kib(bencher: Bencher<'_, '_>) {
    run(bencher, &scene(1, 64 << 10), &reading(id(0), Some("r70"), data(0, 70)));
}

#[divan::bench]
fn right_invocation_of_64_kib(bencher: Bencher<'_, '_>) {
    run(bencher, &scene(1, 64 << 10), &reading(id(0), None, data(0, 70)));
}

#[divan::bench]
fn refused_with_a_near_miss(bencher: Bencher<'_, '_>) {
    run(bencher, &scene(1, 64 << 10), &reading(id(0), None, data(0, 70).replace("bin", "bim")));
}

#[divan::bench(args = [1_000, 10_000, 100_000])]
fn rescued_among_outputs_of_8_kib(bencher: Bencher<'_, '_>, outputs: u32) {
    run(bencher, &scene(outputs, 8 << 10), &reading(id(0), None, data(outputs / 2, 5)));
}

#[divan::bench(args = [10_000])]
fn refused_among_outputs_of_8_kib(bencher: Bencher<'_, '_>, outputs: u32) {
    run(bencher, &scene(outputs, 8 << 10), &reading(id(0), None, data(outputs / 2, 5).replace("bin", "bim")));
}

/// A claim made to be slow: 64 values with escapes and letters outside ASCII, against 300 texts with a common beginning.
#[divan::bench]
fn refused_though_made_to_be_slow(bencher: Bencher<'_, '_>) {
    let mut scene = scene(0, 0);
    let items = (0..300).map(|item| format!("{}{item}", "é".repeat(90))).collect();
    let mut list = value(0, 0);
    list.fields.insert("list".to_owned(), Field { at: None, value: FieldValue::List(items) });
    scene.shelf.push(Held {
        search: search(),
        invocation: id(0),
        summary: "slow".to_owned(),
        outcome: Outcome::Ok,
        output: Some(Arc::new(Output::new(vec![list]).unwrap())),
        shown: Vec::new(),
    });
    let text = format!(" \"{}\\u0078\"", "é".repeat(90));
    let values = vec![ClaimedValue { field: Some("list".to_owned()), value: text }; 64];
    let (predicate, subject) = ("configured".to_owned(), String::new());
    let reading = Reading {
        fields: Vec::new(),
        predicate,
        subject,
        values,
        invocation: id(0).to_string(),
        record: None,
    };
    let setting = Setting {
        rules: &scene.rules,
        vocabulary: &scene.vocabulary,
        types: &scene.types,
        writers: &scene.writers,
        by_reference: true,
        dated: true,
    };
    bencher.bench(|| judge(black_box(&reading), scene.fact, &scene.shelf, &setting));
}

/// Returns a call's search that cannot support an absence.
fn search() -> ground::Search {
    let completeness = ledger::Completeness::Complete;
    ground::Search {
        logs: None,
        near: Vec::new(),
        tool: "read".into(),
        arguments: None,
        completeness,
        whole: true,
    }
}
