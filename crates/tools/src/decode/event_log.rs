//! Event logs: `.evtx` since Vista, `.evt` before, and text exports of them.

use super::{Decoder, Head, Source, exported_log};
use crate::events;
use crate::intake::Flow;
use artifacts::evtx::{Event, Found, LogHead};
use artifacts::{evt, evtx};
use evidence::{ReadError, read_full_at};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// The damage reported for a chunk whose checksum does not match its bytes.
pub(crate) const CHANGED: &str =
    "the chunk is not as its checksum says: its records may have been changed, or be gone";

/// The longest log of the old kind that is read.
const LONGEST: u64 = 512 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "event_log",
    about: "events of Windows logs, those of certain meaning as records of their own types",
    names: &["*.evtx", "*.evt"],
    common_names: exported_log::NAMES,
    fits,
    records: events::record_types,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    evtx::is_log(head.bytes) || evt::is_log(head.bytes) || exported_log::begun(head.bytes).is_some()
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    each(source, &mut |source, met| match met {
        Met::Event(event) => {
            let row = events::row(source, &event, &event.data());
            source.push(row)
        }
        Met::Damage(offset, what) => {
            source.damage(Some(offset), what);
            ControlFlow::Continue(())
        }
        Met::Checksum(offset) => {
            source.damage(Some(offset), CHANGED);
            ControlFlow::Continue(())
        }
        Met::Head(_) => ControlFlow::Continue(()),
    })
}

/// An item found while a log of either kind is read.
#[expect(clippy::large_enum_variant, reason = "made and taken apart once a record: a box would cost more")]
pub(crate) enum Met<'a> {
    /// The log's head.
    Head(LogHead),
    /// An event.
    Event(Event<'a>),
    /// Damage that may hide events.
    Damage(u64, String),
    /// A chunk whose checksum does not match: where it begins.
    Checksum(u64),
}

/// A callback for each item of a log.
pub(super) type Visit<'v> = dyn FnMut(&mut Source<'_, '_>, Met<'_>) -> Flow + 'v;

/// Reads a log of either kind.
pub(crate) fn each(source: &mut Source<'_, '_>, visit: &mut Visit<'_>) -> Result<Flow, ReadError> {
    let mut reader = source.open()?;
    let mut mark = [0; 8];
    let got = read_full_at(reader.as_mut(), 0, &mut mark)?;
    if !evtx::is_log(mark.get(..got).unwrap_or_default()) {
        let head = super::head(source.tree, source.node, source.stream)?.0;
        return match exported_log::begun(&head) {
            Some(begun) => exported_log::each(source, begun, visit),
            None => old(source, visit),
        };
    }
    let length = reader.len();
    let reader = RefCell::new(reader);
    let mut fetch =
        |offset: u64, buffer: &mut [u8]| read_full_at(reader.borrow_mut().as_mut(), offset, buffer);
    let mut stored = |offset| reader.borrow_mut().stored_from(offset);
    evtx::read(length, &mut fetch, &mut stored, &mut |found| {
        let met = match found {
            Found::Head(head) => Met::Head(head),
            Found::Event(event) => Met::Event(event),
            Found::Checksum { offset } => Met::Checksum(offset),
            Found::Damage(damage) => {
                let of = damage.record_id.map_or(String::new(), |id| format!("record {id}: "));
                Met::Damage(damage.offset, format!("{of}{}", crate::returned::chain(&damage.what)))
            }
        };
        visit(source, met)
    })
}

fn old(source: &mut Source<'_, '_>, visit: &mut Visit<'_>) -> Result<Flow, ReadError> {
    let log = source.bytes(LONGEST)?;
    if let Some(head) = evt::head(&log) {
        let next_record_id = head.next_record_id.into();
        let head = LogHead { next_record_id, chunks: 0, dirty: head.dirty, full: head.full, intact: true };
        if visit(source, Met::Head(head)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(evt::read(&log, &mut |found| match found {
        evt::EvtFound::Event(event) => visit(source, Met::Event(event)),
        evt::EvtFound::Damage { offset } => {
            visit(source, Met::Damage(offset, "what begins as a record is none".to_owned()))
        }
    }))
}
