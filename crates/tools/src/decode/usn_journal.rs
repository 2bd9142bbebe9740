//! The change journal: `$UsnJrnl:$J` of a volume of an image, or a copy of the stream as a file.

mod history;
mod kind;
mod paths;
mod record_types;
mod stream;

use history::HISTORY;
pub(crate) use record_types::{all, history};

use super::{Decoder, Head, Source, parts};
use crate::intake::{Brief, Flow};
use crate::mft_entry::flags;
use crate::row::Row;
use artifacts::usn::{self, FileId};
use evidence::ReadError;
use history::Histories;
use kind::Event;
use ledger::{ByteSpan, FieldValue, RecordType, Time, Utc};
use paths::Paths;
use record_types::SUMMARY;
use std::ops::ControlFlow;
use stream::Told;

pub(crate) const DECODER: Decoder = Decoder {
    name: "usn_journal",
    about: "what was done to which file of an NTFS volume, and when (change journal)",
    names: &["$J", "%24J", "*UsnJrnl*$J", "*UsnJrnl*%24J", "$UsnJrnl:$J"],
    common_names: &[],
    fits,
    records,
    read,
};

/// Checks for a journal record at the beginning; a stream that begins with zeros is recognised only by its name.
fn fits(head: &Head<'_>) -> bool {
    let empty = head.bytes.iter().all(|byte| *byte == 0);
    let named = ["$J", "%24J"].iter().any(|end| head.name.ends_with(end));
    head.bytes.len() >= usn::STEP && if empty { named } else { usn::begins(head.bytes) }
}

/// Returns the types of single records, and the summary.
fn records() -> Vec<RecordType> {
    all()
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let (mut paths, mut told) = (Paths::default(), Told::default());
    let flow = stream::each(source, &mut told, &mut |source, event| {
        let record = &event.record;
        if let Some(flow) = source.date(record.time, span(event)) {
            paths.look(source);
            return flow;
        }
        let (name, time) = (record.name(), Utc::from_filetime(record.time.0));
        let brief = Brief { kind: event.kind.name(), subject: &name, times: time.as_slice() };
        if source.passes_over(&brief) {
            return ControlFlow::Continue(());
        }
        let path = paths.path(source, record.parent, &name);
        source.push(row(source, event, &name, path))
    })?;
    Ok(if flow.is_break() { flow } else { push_summary(source, &told) })
}

/// Reads what happened to each name, instead of the single records.
pub(crate) fn read_names(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let (mut histories, mut told) = (Histories::default(), Told::default());
    let flow = stream::each(source, &mut told, &mut |_, event| {
        histories.add(event);
        ControlFlow::Continue(())
    })?;
    Ok(if flow.is_break() { flow } else { histories.push(source) })
}

/// Returns the place of a record in the journal.
fn span(event: &Event<'_>) -> ByteSpan {
    ByteSpan::new(event.base.saturating_add(event.record.offset as u64), event.record.length as u64)
}

fn row(source: &Source<'_, '_>, event: &Event<'_>, name: &str, path: Option<String>) -> Row {
    let (record, base) = (&event.record, event.base);
    let at = |offset: usize, length: u64| Some(ByteSpan::new(base.saturating_add(offset as u64), length));
    let place = parts::place(base, &record.located_name());
    let row = source
        .row(event.kind.name(), Some(span(event)))
        .field_at("name", FieldValue::Name(name.to_owned()), Some(place))
        .field_at("usn", FieldValue::Integer(record.usn.into()), at(record.usn_place(), 8))
        .field_at("reasons", FieldValue::List(usn::reasons(record.reasons)), at(record.reasons_place(), 4))
        .field("attributes", FieldValue::Name(flags(record.attributes)))
        .maybe("path", path.map(FieldValue::Path), None);
    let former = event.former.as_ref();
    let row = row.maybe(
        "former_name",
        former.map(|former| FieldValue::Name(former.name.clone())),
        former.map(|former| former.place),
    );
    let sources = usn::sources(record.source);
    let row = row.maybe("source_info", (!sources.is_empty()).then_some(FieldValue::List(sources)), None);
    let (file, parent) = record.file_places();
    let row = numbered(row, ["entry", "sequence"], record.file, base.saturating_add(file as u64));
    let row =
        numbered(row, ["parent_entry", "parent_sequence"], record.parent, base.saturating_add(parent as u64));
    parts::time(row, "time", base, record.located_time().as_ref())
}

/// Adds the entry and sequence number of a reference at offset `at`; nothing if it is not an NTFS reference.
fn numbered(row: Row, [entry, sequence]: [&str; 2], file: FileId, at: u64) -> Row {
    let Some((number, count)) = file.mft() else { return row };
    row.field_at(entry, FieldValue::Integer(number.into()), Some(ByteSpan::new(at, 6))).field_at(
        sequence,
        FieldValue::Integer(count.into()),
        Some(ByteSpan::new(at.saturating_add(6), 2)),
    )
}

fn push_summary(source: &mut Source<'_, '_>, told: &Told) -> Flow {
    let path = source.node.path.as_str().to_owned();
    let ends = || told.first.iter().chain(&told.last);
    let times: Vec<_> = ends().filter_map(|end| Utc::from_filetime(end.ticks)).collect();
    if source.passes_over(&Brief { kind: SUMMARY, subject: &path, times: &times }) {
        return ControlFlow::Continue(());
    }
    let number = |number: u64| FieldValue::Integer(number.into());
    let mut row = source
        .row(SUMMARY, None)
        .field("path", FieldValue::Path(path))
        .field("records", number(told.records))
        .field("range_records", number(told.ranges))
        .field("unread_bytes", FieldValue::Size(told.damaged));
    for (which, end) in [("first", &told.first), ("last", &told.last)] {
        let Some(end) = end else { continue };
        row = row
            .field_at(&format!("{which}_usn"), number(end.usn), Some(end.usn_place))
            .field_at(
                &format!("{which}_time"),
                FieldValue::Time(Time::from_filetime(end.ticks)),
                Some(end.time_place),
            )
            .field_at(&format!("{which}_name"), FieldValue::Name(end.name.clone()), Some(end.name_place));
    }
    source.push(row)
}
