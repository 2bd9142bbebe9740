//! A small examined host, as one task has seen it.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "a test fails by panicking; nothing here came from outside"
)]

use ground::{Held, Setting, Shelf, Verdict, judge};
use ledger::event::RecordRange;
use ledger::{
    ByteSpan, ClaimedValue, Clock, Digest, FactId, Field, FieldValue, GateRules, IdSpace, InvocationId,
    Locator, Outcome, Output, Precision, Reading, Record, RecordId, RecordType, Seed, TaskId, Time,
    Vocabulary, Writers,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The calls of the task, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Run,
    Keys,
    Dir,
    Text,
    TextAgain,
    HostOne,
    HostTwo,
    Failed,
    Empty,
    TimedOut,
    Denied,
}

pub const CALLS: [Call; 11] = [
    Call::Run,
    Call::Keys,
    Call::Dir,
    Call::Text,
    Call::TextAgain,
    Call::HostOne,
    Call::HostTwo,
    Call::Failed,
    Call::Empty,
    Call::TimedOut,
    Call::Denied,
];

pub fn id_of(task: u16, ordinal: u32) -> InvocationId {
    InvocationId::assign(&space(), TaskId(task), ordinal).unwrap()
}

impl Call {
    pub fn id(self) -> InvocationId {
        id_of(1, self as u32)
    }
}

pub fn space() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"world")))
}

pub fn fact_id() -> FactId {
    FactId::assign(&space(), TaskId(1), 0).unwrap()
}

pub struct World {
    pub rules: GateRules,
    pub vocabulary: Vocabulary,
    pub writers: Writers,
    pub types: BTreeMap<String, RecordType>,
    pub shelf: Shelf,
}

impl World {
    pub fn new() -> World {
        let mut shelf = Shelf::default();
        for call in CALLS {
            shelf.push(held(call));
        }
        shelf.push_foreign(id_of(2, 0));
        World {
            rules: GateRules::default(),
            vocabulary: Vocabulary::shipped().unwrap(),
            writers: Writers::shipped().unwrap(),
            types: types(),
            shelf,
        }
    }

    pub fn setting(&self) -> Setting<'_> {
        Setting {
            rules: &self.rules,
            vocabulary: &self.vocabulary,
            types: &self.types,
            writers: &self.writers,
            by_reference: true,
            dated: true,
        }
    }

    pub fn judge(&self, reading: &Reading) -> Verdict {
        judge(reading, fact_id(), &self.shelf, &self.setting())
    }
}

pub fn types() -> BTreeMap<String, RecordType> {
    let subjects =
        [("registry_value", "key"), ("registry_key", "path"), ("dir_entry", "path"), ("text_line", "file")];
    let record_type = |(name, subject): (&str, &str)| RecordType {
        name: name.to_owned(),
        meaning: String::new(),
        subject: subject.to_owned(),
        fields: BTreeMap::new(),
        qualifiers: Vec::new(),
        scope: Vec::new(),
    };
    subjects.map(|pair| (pair.0.to_owned(), record_type(pair))).into()
}

fn held(call: Call) -> Held {
    let (outcome, summary, records) = match call {
        Call::Run => (Outcome::Ok, "registry_values key=Run", run_values()),
        Call::Keys => (Outcome::Ok, "registry_keys key=Software", keys()),
        Call::Dir => (Outcome::Ok, "list_dir path=/Users/bob", entries()),
        Call::Text => (Outcome::Ok, "read_text path=setup.log", lines()),
        Call::TextAgain => (Outcome::Ok, "read_text path=setup.log", lines()),
        Call::HostOne => (Outcome::Ok, "registry_values key=ControlSet001", host("ControlSet001")),
        Call::HostTwo => (Outcome::Ok, "registry_values key=ControlSet002", host("ControlSet002")),
        Call::Failed => (Outcome::Failed, "list_dir path=/Evil/planted.exe", Vec::new()),
        Call::Empty => (Outcome::Empty, "list_dir path=/Empty", Vec::new()),
        Call::TimedOut => (Outcome::Timeout, "search_text", lines()),
        Call::Denied => (Outcome::Denied, "search_text", Vec::new()),
    };
    let output = (!records.is_empty()).then(|| stored(records));
    let shown = vec![RecordRange { first: RecordId(0), end: RecordId(2) }];
    Held { invocation: call.id(), summary: summary.to_owned(), search: search(), outcome, output, shown }
}

pub fn stored(records: Vec<Record>) -> Arc<Output> {
    Arc::new(Output::new(records).unwrap())
}

pub fn record(kind: &str, path: &str, offset: u64, fields: Vec<(&str, FieldValue)>) -> Record {
    let at = Some(ByteSpan::new(offset, 8));
    Record {
        placement: None,
        defects: Vec::new(),
        fields: fields.into_iter().map(|(name, value)| (name.to_owned(), Field { at, value })).collect(),
        id: RecordId(0),
        kind: kind.to_owned(),
        locator: Locator {
            evidence: "disk".into(),
            path: path.into(),
            stream: None,
            span: Some(ByteSpan::new(offset, 64)),
        },
    }
}

pub fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

pub fn name(text: &str) -> FieldValue {
    FieldValue::Name(text.to_owned())
}

pub const RUN_KEY: &str = r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run";

fn value(offset: u64, key: &str, value: &str, data: FieldValue) -> Record {
    let fields = vec![("key", FieldValue::RegistryPath(key.into())), ("name", name(value)), ("data", data)];
    record("registry_value", "Windows/System32/config/SOFTWARE", offset, fields)
}

fn run_values() -> Vec<Record> {
    let policy = r"HKLM\SOFTWARE\Policies\System";
    let owner = value(
        900,
        r"HKLM\SOFTWARE\Owner",
        "RegisteredOwner",
        FieldValue::List(vec!["Bob Smith".into(), "Acme Corp".into()]),
    );
    vec![
        value(100, RUN_KEY, "SecurityHealth", text(r"C:\Windows\system32\SecurityHealthSystray.exe")),
        value(200, RUN_KEY, "Updater", text(r#""C:\Users\bob\AppData\upd.exe" -silent"#)),
        value(300, policy, "EnableLUA", FieldValue::Integer(1)),
        value(400, policy, "PromptOnSecureDesktop", FieldValue::Integer(1)),
        value(500, policy, "Café", text("résumé reader")),
        value(600, r"HKLM\SOFTWARE\Size", "Cache", FieldValue::Integer(104_857_600)),
        value(700, r"HKLM\SOFTWARE\Twin", "Twin", text("Twin")),
        value(
            800,
            r"HKLM\SOFTWARE\Class",
            "Clsid",
            FieldValue::Guid("{0B2C9183-C9FA-4C53-AE21-C900B0C39965}".into()),
        ),
        owner,
        value(1000, r"HKLM\SOFTWARE\a/b", "Slash", text("slash in the key")),
        value(1100, r"HKLM\SOFTWARE\Multi", "Lines", text("first\nsecond")),
    ]
}

fn host(set: &str) -> Vec<Record> {
    let key = format!(r"HKLM\SYSTEM\{set}\Control\ComputerName");
    let offset = if set == "ControlSet001" { 4096 } else { 8192 };
    vec![
        value(offset, &key, "ComputerName", text("WKS-0042")),
        value(offset + 9, &key, "Boots", FieldValue::Integer(7)),
    ]
}

pub fn host_time(text: &str, precision: Precision) -> FieldValue {
    FieldValue::Time(Time {
        utc: Some(text.parse().unwrap()),
        raw: "130776264000000000".into(),
        clock: Clock::Host,
        precision,
        zone: None,
    })
}

fn keys() -> Vec<Record> {
    let key = |offset, path: &str, time: FieldValue| {
        let fields = vec![("path", FieldValue::RegistryPath(path.into())), ("last_written", time)];
        record("registry_key", "Windows/System32/config/SOFTWARE", offset, fields)
    };
    vec![
        key(10, RUN_KEY, FieldValue::Time(Time::from_filetime(129_779_783_208_392_490))),
        key(20, r"HKLM\SOFTWARE\Unset", FieldValue::Time(Time::from_filetime(0))),
        key(30, r"HKLM\SOFTWARE\Coarse", host_time("2015-06-01T10:00:00Z", Precision::Second)),
    ]
}

fn entries() -> Vec<Record> {
    let copied = |text: &str| {
        FieldValue::Time(Time {
            utc: Some(text.parse().unwrap()),
            raw: "1700000000".into(),
            clock: Clock::CollectionCopy,
            precision: Precision::Second,
            zone: None,
        })
    };
    let entry = |offset, path: &str, file: &str, size| {
        let fields = vec![
            ("path", FieldValue::Path(path.into())),
            ("name", name(file)),
            ("size", FieldValue::Size(size)),
            ("modified", copied("2023-11-14T22:13:20Z")),
            ("directory", FieldValue::Flag(false)),
        ];
        record("dir_entry", path, offset, fields)
    };
    vec![
        entry(0, r"C:\Users\bob\Downloads\invoice.pdf.exe", "invoice.pdf.exe", 73_802),
        entry(0, r"C:\Users\bob\Downloads\notes.txt", "notes.txt", 73_802),
        entry(0, r"C:\Users\bob\Desktop\paypal.exe", "paypal.exe", 4),
        entry(0, r"\\host\share\plan.doc", "plan.doc", 1_000_000),
    ]
}

fn lines() -> Vec<Record> {
    let line = |number: i128, line: &str| {
        let fields = vec![
            ("file", FieldValue::Path(r"C:\Windows\setup.log".into())),
            ("number", FieldValue::Integer(number)),
            ("text", text(line)),
        ];
        record("text_line", "Windows/setup.log", number as u64 * 100, fields)
    };
    vec![
        line(1, "Remote desktop was not configured on this host"),
        line(2, "2014-01-01 service backup2 started in 1.5 seconds"),
        line(3, "powershell -enc SQBFAFgA -nop"),
        line(4, "retry"),
        line(5, "retry"),
        line(6, "the operator ran cleanup once"),
        line(7, "the operator ran cleanup twice"),
    ]
}

/// Returns a reading without subject and record.
pub fn reading(predicate: &str, cited: impl ToString, values: &[(&str, &str)]) -> Reading {
    let value = |(field, value): &(&str, &str)| ClaimedValue {
        field: (!field.is_empty()).then(|| (*field).to_owned()),
        value: (*value).to_owned(),
    };
    Reading {
        fields: Vec::new(),
        predicate: predicate.to_owned(),
        subject: String::new(),
        values: values.iter().map(value).collect(),
        invocation: cited.to_string(),
        record: None,
    }
}

/// Returns the same reading with a subject.
pub fn about(subject: &str, reading: Reading) -> Reading {
    Reading { subject: subject.to_owned(), ..reading }
}

/// Returns the same reading with a cited record.
pub fn at(record: &str, reading: Reading) -> Reading {
    Reading { record: Some(record.to_owned()), ..reading }
}

/// Returns a call's search that cannot support an absence.
pub fn search() -> ground::Search {
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
