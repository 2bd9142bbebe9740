//! Findings about each log as a whole.
//! For an event log: its time span, computers and missing records. For every log with dated records: where they go back in time, and silences.
//!
//! These records are a source of their own ([`Origin::Log`](crate::units::Origin)), made from all records of a log.

mod channel;
mod order;

use crate::decode::event_log::{self, Met};
use crate::decode::{DECODERS, Decoder, Source};
use crate::events::{ticks_of, time_of};
use crate::intake::{Flow, Intake};
use artifacts::evtx::{Event, filetime};
use channel::Summary;
use evidence::{Node, ReadError, Tree};
use ledger::{ByteSpan, FieldType, FieldValue, RecordType};
use order::{Dated, Order, Stamp, Written};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

pub(crate) use channel::record_type as channel_type;
pub(crate) use order::{STEP, silence_type, step_type};

/// The name of the source.
pub(crate) const NAME: &str = "logs";

/// Checks whether a decoder's records are dated entries: such a source can go back in time, or fall silent.
pub(crate) fn is_log(decoder: &Decoder) -> bool {
    decoders().any(|log| log.name == decoder.name)
}

/// Returns the decoders of logs.
pub(crate) fn decoders() -> impl Iterator<Item = &'static Decoder> {
    static LOGS: OnceLock<Vec<&Decoder>> = OnceLock::new();
    let is_dated = |record: &RecordType| {
        record.fields.get(order::TIME).is_some_and(|field| field.types.contains(&FieldType::Time))
    };
    let logs = || DECODERS.iter().filter(|decoder| (decoder.records)().iter().any(is_dated)).collect();
    LOGS.get_or_init(logs).iter().copied()
}

/// Returns the types of the records about a decoder's logs as a whole.
pub(crate) fn record_types(decoder: &Decoder) -> Vec<RecordType> {
    let channel = is_event_log(decoder).then(channel_type);
    channel.into_iter().chain([step_type(), silence_type()]).collect()
}

/// Reads one log. What was read before an error counts.
pub(crate) fn read(
    decoder: &Decoder,
    tree: &dyn Tree,
    node: &Node,
    stream: Option<&str>,
    scratch: &Path,
    out: &mut dyn Intake,
) -> Result<Flow, ReadError> {
    if is_event_log(decoder) {
        return events(&mut Source::new(tree, node, stream, scratch, out));
    }
    let mut order = Order::default();
    let mut dated = Dated { order: &mut order, out };
    let read = (decoder.read)(&mut Source::new(tree, node, stream, scratch, &mut dated));
    let flow = order.finish(&mut Source::new(tree, node, stream, scratch, out));
    read.map(|_| flow)
}

fn is_event_log(decoder: &Decoder) -> bool {
    decoder.name == event_log::DECODER.name
}

/// Reads an event log, without the data of its events.
fn events(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let (mut summary, mut order) = (Summary::default(), Order::default());
    let read = event_log::each(source, &mut |source, met| {
        match met {
            Met::Head(head) => summary.head = Some(head),
            Met::Event(event) => {
                summary.add(&event);
                if let Some((before, after)) = clock_setting(&event).filter(|_| event.exported.is_none()) {
                    order.clock_was_set(event.record_id.into(), before, after);
                }
                // Even a log of very many events is summarised to its end.
                let _: Flow = add(&mut order, &event);
            }
            Met::Damage(offset, what) => {
                summary.damaged += 1;
                source.damage(Some(offset), what);
            }
            Met::Checksum(offset) => {
                summary.changed += 1;
                source.damage(Some(offset), event_log::CHANGED);
            }
        }
        ControlFlow::Continue(())
    });
    if read.is_ok() {
        let row = summary.row(source);
        if source.push(row).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    let flow = order.finish(source);
    read.map(|_| flow)
}

/// Returns what the clock showed before and after it was set, as an event states it: Security 4616 and Kernel-General 1.
fn clock_setting(event: &Event<'_>) -> Option<(u64, u64)> {
    let before = match (event.system.provider.as_ref(), event.system.event_id) {
        ("Microsoft-Windows-Security-Auditing", 4616) => "PreviousTime",
        ("Microsoft-Windows-Kernel-General", 1) => "OldTime",
        _ => return None,
    };
    let data = event.data();
    let time = |name| data.iter().find(|(own, _)| own == name).and_then(|(_, text)| filetime(text));
    time(before).zip(time("NewTime"))
}

fn add(order: &mut Order, event: &Event<'_>) -> Flow {
    // In an export, somebody chose the events and their order.
    if event.exported.is_some() {
        return ControlFlow::Continue(());
    }
    // Logs before Vista keep seconds.
    let stamp = match event.is_old() {
        true => time_of(event).map(|time| Stamp::Other(Box::new(time))),
        false => Some(Stamp::Filetime(ticks_of(event))),
    };
    let Some(stamp) = stamp else { return ControlFlow::Continue(()) };
    let channel = &event.system.channel;
    let channel = (!channel.is_empty()).then(|| FieldValue::Name(channel.clone().into_owned()));
    let span = ByteSpan::new(event.offset, event.raw.len() as u64);
    let computer = event.system.computer.as_ref();
    let written = Written { channel, computer: (!computer.is_empty()).then_some(computer) };
    order.add(Some(event.record_id.into()), stamp, written, Some(span))
}
