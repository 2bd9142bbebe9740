//! Events and payloads for the tests of this crate.

use ledger::event::{InvocationEnded, NothingToRecord};
use ledger::id::{CallId, IdSpace, InvocationId, Seed};
use ledger::{Circumstance, Completeness, Digest, Event, Outcome, Stream, TaskId};
use std::path::Path;
use std::sync::Arc;
use store::Entry;

pub(crate) fn task(number: u16) -> Stream {
    Stream::Task(TaskId(number))
}

/// An event without a payload.
pub(crate) fn plain(stream: Stream, reason: &str) -> Entry {
    let event = NothingToRecord { turn: 1, call: CallId("call".into()), reason: reason.into() };
    entry(stream, Event::NothingToRecord(event), None)
}

/// The end of an invocation, with its output.
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

/// Bytes that no compressor makes shorter; another seed gives others.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Makes a file that holds these bytes.
#[expect(clippy::disallowed_methods, reason = "a test damages files on purpose")]
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}
