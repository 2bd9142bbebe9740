//! Runs built by hand.

use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{
    ByteSpan, CallId, Circumstance, Completeness, Defect, Digest, Event, FactEntry, Field, FieldValue, Gap,
    Locator, Outcome, Output, Record, RecordId, Stream, TaskId,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Durability, Entry, Writer};
use testkit::history::{self, History};

/// A run under construction: its events, and the outputs that they refer to.
pub(crate) struct Made {
    pub(crate) history: History,
    outputs: BTreeMap<Digest, Arc<[u8]>>,
}

impl Made {
    /// Starts a run with one task, of an agent with this name.
    pub(crate) fn by(agent: &str) -> Made {
        let mut history = History::opened("A case");
        history.assigned(1, agent).asked(1, 1);
        Made { history, outputs: BTreeMap::new() }
    }

    /// Adds the `ordinal`th call of task 1, which returned records with these texts.
    pub(crate) fn called(&mut self, ordinal: u32, texts: &[&str]) -> Output {
        self.called_with(ordinal, "search_text", serde_json::json!({"path": "notes"}), output("host", texts))
    }

    /// Adds a call with a given tool, arguments and output.
    pub(crate) fn called_with(
        &mut self,
        ordinal: u32,
        tool: &str,
        arguments: serde_json::Value,
        output: Output,
    ) -> Output {
        let invocation = history::invocation(1, ordinal);
        let started = InvocationStarted {
            invocation,
            turn: 1,
            call: CallId(format!("c{ordinal}")),
            tool: tool.into(),
            arguments,
            insists: None,
        };
        let ended = InvocationEnded {
            invocation,
            outcome: Outcome::Ok,
            completeness: Completeness::Complete,
            normalised: None,
            output: Some(output.digest()),
            records: output.count() as u32,
            bytes: output.bytes().len() as u64,
            shown: vec![],
            defects: vec![Defect { path: tool.into(), offset: Some(7), what: tool.into() }],
            gaps: vec![Gap { path: tool.into(), reason: tool.into() }],
            notes: vec![tool.into()],
        };
        self.outputs.insert(output.digest(), Arc::from(output.bytes()));
        self.push(Event::InvocationStarted(started));
        self.push(Event::InvocationEnded(ended));
        output
    }

    /// Adds a claim that became a fact: the text of a record of the first call.
    pub(crate) fn found(&mut self, ordinal: u32, output: &Output, record: u32) -> FactEntry {
        let shown = output.record(RecordId(record)).unwrap();
        let text = shown.fields["text"].value.to_text();
        let mut fact = history::fact(1, ordinal, "subject", &[("text", &text)]);
        fact.output = output.digest();
        fact.record = RecordId(record);
        fact.locator = shown.locator.clone();
        fact.subject = fact.values[0].clone();
        let span = output.value_span(RecordId(record), "text").unwrap();
        (fact.subject.span, fact.values[0].span) = (span, span);
        self.history.claimed(1, ordinal, 1, history::reading("quoted", &[&text], None));
        self.history.accepted(1, ordinal, fact.clone());
        fact
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.history.push(Stream::Task(TaskId(1)), event);
    }

    /// Writes the run under this name.
    pub(crate) fn write(&self, runs: &Path, name: &str) -> PathBuf {
        let folder = runs.join(name);
        let writer = Writer::create(&folder).unwrap();
        for entry in self.entries() {
            writer.append(vec![entry], Durability::Buffered).unwrap();
        }
        folder
    }

    /// Returns its events in the form in which they are appended.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let entry = |(stream, event, circumstance): (Stream, Event, Circumstance)| {
            let payload = event.payload().and_then(|digest| self.outputs.get(&digest).cloned());
            Entry { stream, event, circumstance, payload }
        };
        self.history.events().into_iter().map(entry).collect()
    }
}

/// Builds an output of records with these texts.
pub(crate) fn output(path: &str, texts: &[&str]) -> Output {
    let record = |text: &&str| {
        let field = Field { at: Some(ByteSpan::new(3, 4)), value: FieldValue::Text((*text).into()) };
        Record {
            placement: None,
            defects: vec![],
            fields: [("text".to_owned(), field)].into(),
            id: RecordId(0),
            kind: "text_line".into(),
            locator: Locator { evidence: "host".into(), path: path.into(), stream: None, span: None },
        }
    };
    Output::new(texts.iter().map(record).collect()).unwrap()
}

/// Returns a run name of the usual form.
pub(crate) fn name(number: u32) -> String {
    format!("20260101T0000{number:02}Z-case")
}
