//! A tool as your program may have it. This one has parsed a prefetch file.

use ground::{Fact, Held, Search};
use ledger::event::RecordRange;
use ledger::{
    ByteSpan, Completeness, Field, FieldValue, InvocationId, Locator, Outcome, Output, Record, RecordId,
};
use ledger::{RecordType, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The types of the tool's records. The gateway must know which field names the thing that a record is about.
pub(crate) fn types() -> BTreeMap<String, RecordType> {
    let prefetch = RecordType {
        // The shipped vocabulary says what a record of this name proves: `executed`, if the claim states `last_run`.
        name: "prefetch".into(),
        meaning: "a program that was started".into(),
        subject: "executable".into(),
        fields: BTreeMap::new(),
        qualifiers: Vec::new(),
        scope: Vec::new(),
    };
    BTreeMap::from([(prefetch.name.clone(), prefetch)])
}

/// A record: typed values, each with the place of its raw bytes.
pub(crate) fn record() -> Record {
    let field = |offset, length, value| Field { at: Some(ByteSpan::new(offset, length)), value };
    Record {
        id: RecordId(0),
        kind: "prefetch".into(),
        fields: BTreeMap::from([
            ("executable".into(), field(0x10, 28, FieldValue::Name("POWERSHELL.EXE".into()))),
            (
                "last_run".into(),
                field(0x80, 8, FieldValue::Time(Time::from_filetime(134_024_896_511_234_567))),
            ),
        ]),
        locator: Locator {
            evidence: "laptop".into(),
            path: "Windows/Prefetch/POWERSHELL.EXE-022A1004.pf".into(),
            stream: None,
            span: Some(ByteSpan::new(0, 0x98)),
        },
        // `None` says that the file is where Windows keeps such files. A copy elsewhere would prove nothing about the host.
        placement: None,
        defects: Vec::new(),
    }
}

/// The call that returned the output, as the agent's task has it.
pub(crate) fn held(invocation: InvocationId, output: Output) -> Held {
    Held {
        invocation,
        summary: "read_prefetch path=Windows/Prefetch/POWERSHELL.EXE-022A1004.pf".into(),
        // Only claims that something is absent depend on what was searched.
        search: Search {
            tool: "read_prefetch".into(),
            arguments: None,
            completeness: Completeness::Complete,
            whole: true,
            logs: None,
            near: Vec::new(),
        },
        outcome: Outcome::Ok,
        output: Some(Arc::new(output)),
        shown: vec![RecordRange { first: RecordId(0), end: RecordId(1) }],
    }
}

/// Says what a fact says, and where to look it up.
pub(crate) fn sentence(fact: &Fact) -> String {
    let fact = fact.entry();
    let values = fact.values.iter().map(|bound| format!("{} = {}", bound.field, bound.value.to_text()));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("{}: {} {}, {values} ({})", fact.id, fact.predicate, fact.subject.value.to_text(), fact.locator)
}
