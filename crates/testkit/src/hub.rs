//! A run in which one account is related to any number of things, with the outputs behind the facts: for viewing its graph.

use crate::five_hosts::{MARA, minute};
use crate::history::{self, History};
use ledger::event::{EntityAdded, InvocationEnded, InvocationStarted, RelationAdded};
use ledger::{
    BoundValue, ByteSpan, CallId, Circumstance, Completeness, Digest, EntityId, EntityKind, Event, FactEntry,
    FactId, Field, FieldValue, IdError, Locator, NodeId, Outcome, Output, Predicate, Record, RecordId,
    RelationId, RelationKind, Stream, TaskId, Tier,
};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::{Durability, Entry, Writer};

/// The number of records in one call.
const RECORDS: usize = 500;

/// The SID of the account.
pub const HUB: &str = MARA;

/// A record without a number: its statement, type, file and fields, of which the first is the subject.
type Made = (&'static str, &'static str, &'static str, Vec<(&'static str, FieldValue)>);

/// Returns the `number`th record about the account.
fn made(number: usize) -> Made {
    let at = |minutes: usize| FieldValue::Time(minute(u64::try_from(minutes).unwrap_or(0)));
    let path = |text: String| FieldValue::Path(text);
    let name = |text: String| FieldValue::Name(text);
    let sid = || FieldValue::Sid(HUB.to_owned());
    match number % 10 {
        0..=5 => {
            let program = match number {
                // A name that reverses text, closes elements, and is longer than any label.
                3 => "C:\\Users\\mara\\Downloads\\\u{202e}fdp.<img src=x onerror=alert(1)>\"'.exe".to_owned(),
                4 => {
                    format!(r"C:\Users\mara\AppData\Local\{}\tool.exe", "very long folder ".repeat(12).trim())
                }
                5 => r"C:\Users\mara\Downloads\レポート作成ツール設定ファイル一覧表示.exe".to_owned(),
                _ => format!(
                    r"C:\Program Files\Vendor {}\Suite {}\bin\program-{number}.exe",
                    number % 17,
                    number % 5
                ),
            };
            let fields = vec![("program", path(program)), ("sid", sid()), ("last_run", at(number * 7))];
            ("executed", "bam_entry", "p1/Windows/System32/config/SYSTEM", fields)
        }
        6..=8 => {
            let address = format!("10.{}.{}.{}", number / 62_500, number / 250 % 250, number % 250 + 1);
            let fields = vec![
                ("account", name("mara".to_owned())),
                ("domain", name("CORP".to_owned())),
                ("sid", sid()),
                ("address", name(address)),
                ("time", at(number * 5)),
            ];
            ("logged_on", "logon", "p1/Windows/System32/winevt/Logs/Security.evtx", fields)
        }
        _ => {
            let fields = vec![
                ("service_name", name(format!("Helper {number}"))),
                ("image_path", FieldValue::Text(format!(r"C:\ProgramData\Helper\{number}\helper.exe -k"))),
                ("start_type", name("auto start".to_owned())),
                ("by_sid", sid()),
                ("time", at(number * 3)),
            ];
            ("installed", "service_installed", "p1/Windows/System32/winevt/Logs/System.evtx", fields)
        }
    }
}

/// Writes a run with this many records about the account into a new folder; it is not sealed.
pub fn write(folder: &Path, records: usize) -> io::Result<()> {
    let writer = Writer::create(folder).map_err(io::Error::other)?;
    for entry in entries(records)? {
        writer.append(vec![entry], Durability::Buffered).map_err(io::Error::other)?;
    }
    Ok(())
}

fn entries(records: usize) -> io::Result<Vec<Entry>> {
    let mut history = History::opened("One account and what it is related to");
    history.assigned(1, "execution").asked(1, 1);
    let mut outputs: BTreeMap<Digest, Arc<[u8]>> = BTreeMap::new();
    let mut facts = Vec::new();
    let all: Vec<Made> = (0..records).map(made).collect();
    for (ordinal, part) in (0..).zip(all.chunks(RECORDS)) {
        let output = output(part)?;
        outputs.insert(output.digest(), Arc::from(output.bytes()));
        called(&mut history, ordinal, &output);
        for (record, made) in (0..).zip(part) {
            let number = u32::try_from(facts.len()).unwrap_or(u32::MAX);
            let fact = fact(&output, ordinal, record, number, made);
            history.claimed(1, number, 1, history::reading(made.0, &[], None));
            history.accepted(1, number, fact.clone());
            facts.push(fact.id);
        }
    }
    read_by_an_agent(&mut history, &facts).map_err(io::Error::other)?;
    let entry = |(stream, event, circumstance): (Stream, Event, Circumstance)| {
        let payload = event.payload().and_then(|digest| outputs.get(&digest).cloned());
        Entry { stream, event, circumstance, payload }
    };
    Ok(history.events().into_iter().map(entry).collect())
}

fn output(part: &[Made]) -> io::Result<Output> {
    let record = |(number, (_, kind, path, fields)): (usize, &Made)| Record {
        placement: None,
        id: RecordId(u32::try_from(number).unwrap_or(u32::MAX)),
        kind: (*kind).to_owned(),
        locator: Locator { evidence: "host".into(), path: (*path).to_owned(), stream: None, span: None },
        fields: fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Field { at: None, value: value.clone() }))
            .collect(),
        defects: Vec::new(),
    };
    Output::new(part.iter().enumerate().map(record).collect()).map_err(io::Error::other)
}

fn called(history: &mut History, ordinal: u32, output: &Output) {
    let invocation = history::invocation(1, ordinal);
    let started = InvocationStarted {
        invocation,
        turn: 1,
        call: CallId(format!("c{ordinal}")),
        tool: "records".into(),
        arguments: serde_json::json!({"evidence": "host"}),
        insists: None,
    };
    let ended = InvocationEnded {
        invocation,
        outcome: Outcome::Ok,
        completeness: Completeness::Complete,
        normalised: None,
        output: Some(output.digest()),
        records: u32::try_from(output.count()).unwrap_or(u32::MAX),
        bytes: u64::try_from(output.bytes().len()).unwrap_or(u64::MAX),
        shown: Vec::new(),
        defects: Vec::new(),
        gaps: Vec::new(),
        notes: Vec::new(),
    };
    history.push(Stream::Task(TaskId(1)), Event::InvocationStarted(started));
    history.push(Stream::Task(TaskId(1)), Event::InvocationEnded(ended));
}

fn fact(output: &Output, ordinal: u32, record: u32, number: u32, made: &Made) -> FactEntry {
    let (says, kind, path, fields) = made;
    let bound = |(field, value): &(&str, FieldValue)| BoundValue {
        field: (*field).to_owned(),
        value: value.clone(),
        quotation: None,
        tier: Tier::Exact,
        span: output.value_span(RecordId(record), field).unwrap_or(ByteSpan::new(0, 1)),
        at: None,
        writer: None,
    };
    let values: Vec<BoundValue> = fields.iter().map(bound).collect();
    let base = history::fact(1, number, "", &[]);
    FactEntry {
        predicate: Predicate((*says).to_owned()),
        subject: values.first().cloned().unwrap_or_else(|| base.subject.clone()),
        values,
        invocation: history::invocation(1, ordinal),
        output: output.digest(),
        record: RecordId(record),
        kind: (*kind).to_owned(),
        locator: Locator { evidence: "host".into(), path: (*path).to_owned(), stream: None, span: None },
        ..base
    }
}

/// Adds an agent's interpretation: that the account used the first program and created the service.
fn read_by_an_agent(history: &mut History, facts: &[FactId]) -> Result<(), IdError> {
    let task = TaskId(1);
    let id = |ordinal| EntityId::assign(&history::ids(), task, ordinal);
    let (Some(first), Some(logon)) = (facts.first(), facts.get(6)) else { return Ok(()) };
    let things = [
        (id(0)?, EntityKind::Account, r"CORP\mara", *logon),
        (id(1)?, EntityKind::Program, "program-0.exe", *first),
        (id(2)?, EntityKind::Person, "the trainee", *logon),
    ];
    for (entity, kind, name, fact) in things {
        let added = EntityAdded { entity, kind, name: name.to_owned(), facts: vec![fact] };
        history.push(Stream::Task(task), Event::EntityAdded(added));
    }
    for (ordinal, (from, kind, to)) in
        (0..).zip([(0, RelationKind::Used, 1), (2, RelationKind::ConnectedTo, 0)])
    {
        let added = RelationAdded {
            relation: RelationId::assign(&history::ids(), task, ordinal)?,
            from: NodeId::Entity(id(from)?),
            kind,
            to: NodeId::Entity(id(to)?),
            facts: vec![*first],
        };
        history.push(Stream::Task(task), Event::RelationAdded(added));
    }
    Ok(())
}
