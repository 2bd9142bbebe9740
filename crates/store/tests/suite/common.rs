//! Events and payloads for the tests of this crate.

use ledger::event::{ClaimAccepted, InvocationEnded, NothingToRecord};
use ledger::{
    BoundValue, ByteSpan, CallId, Circumstance, ClaimId, Completeness, Digest, Event, FactEntry, FactId,
    FieldValue, IdSpace, InvocationId, Locator, Outcome, Predicate, RecordId, Seed, Stream, TaskId, Tier,
};
use std::path::Path;
use std::sync::Arc;
use store::Entry;

pub(crate) fn task(number: u16) -> Stream {
    Stream::Task(TaskId(number))
}

/// Returns an event without a payload.
pub(crate) fn plain(stream: Stream, reason: &str) -> Entry {
    let event = NothingToRecord { turn: 1, call: CallId("call".into()), reason: reason.into() };
    entry(stream, Event::NothingToRecord(event), None)
}

/// Returns the end of an invocation, with its output.
pub(crate) fn output(stream: Stream, ordinal: u32, bytes: &[u8]) -> Entry {
    let space = IdSpace::new(Seed(Digest::of(b"seed")));
    let ended = InvocationEnded {
        invocation: InvocationId::assign(&space, TaskId(stream.number()), ordinal).unwrap(),
        outcome: Outcome::Ok,
        completeness: Completeness::Complete,
        normalised: None,
        output: Some(Digest::of(bytes)),
        records: 1,
        bytes: bytes.len() as u64,
        shown: vec![],
        defects: vec![],
        gaps: vec![],
        notes: vec![],
    };
    entry(stream, Event::InvocationEnded(ended), Some(Arc::from(bytes)))
}

fn entry(stream: Stream, event: Event, payload: Option<Arc<[u8]>>) -> Entry {
    let circumstance = Circumstance { at: "2026-01-01T00:00:00Z".into(), ..Circumstance::default() };
    Entry { stream, event, circumstance, payload }
}

/// Returns incompressible bytes, different for each seed.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Creates a file with these bytes.
#[expect(clippy::disallowed_methods, reason = "a test damages files on purpose")]
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

/// Returns an accepted claim: `evil.exe` was executed.
pub(crate) fn fact(stream: Stream) -> Entry {
    let space = IdSpace::new(Seed(Digest::of(b"seed")));
    let number = TaskId(stream.number());
    let value = |field: &str| BoundValue {
        field: field.into(),
        value: FieldValue::Name("evil.exe".into()),
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(1, 8),
        at: None,
        writer: None,
    };
    let fact = FactEntry {
        placement: None,
        id: FactId::assign(&space, number, 0).unwrap(),
        predicate: Predicate("executed".into()),
        subject: value("program"),
        values: vec![value("program")],
        invocation: InvocationId::assign(&space, number, 0).unwrap(),
        output: Digest::of(b"out"),
        record: RecordId(0),
        kind: "prefetch".into(),
        locator: Locator { evidence: "disk".into(), path: "/x".into(), stream: None, span: None },
        shown: true,
    };
    let claim = ClaimId::assign(&space, number, 0).unwrap();
    entry(stream, Event::ClaimAccepted(Box::new(ClaimAccepted { claim, fact, healing: None })), None)
}
