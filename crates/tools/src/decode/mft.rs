//! `$MFT`: a file of a collection, a carved file, or that of a volume of an image.

mod record_types;

use super::{Decoder, Head, Source};
use crate::intake::{Brief, Flow};
use crate::mft_entry::flags;
use crate::row::Row;
use evidence::{EvidencePath, MacbTimes, MftFile, MftFileEntry, MftName, MftSummary, ReadError};
use ledger::{ByteSpan, FieldValue, Time, Utc};
use record_types::{ENTRY, SUMMARY, records};
use std::ops::ControlFlow;

/// The most names and streams of one entry that a record lists.
const MOST: usize = 1000;

/// Ticks in a second.
const SECOND: u64 = 10_000_000;

pub(crate) const DECODER: Decoder = Decoder {
    name: "mft",
    about: "every file and folder of an NTFS volume, deleted ones among them, with the times of both sets",
    names: &["$MFT", "%24MFT"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    evidence::mft_record_size(head.bytes).is_some()
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let Some(mut file) = MftFile::open(source.open()?)? else { return Ok(ControlFlow::Continue(())) };
    damage(source, &file);
    let root = source.node.path.parent().unwrap_or_else(EvidencePath::root);
    if push_summary(source, &file).is_break() {
        return Ok(ControlFlow::Break(()));
    }
    for number in file.stored() {
        let Some(entry) = file.entry(number, &root)? else { continue };
        let Some(name) = main_name(&entry) else { continue };
        let times = instants(&entry, name);
        if source.passes_over(&Brief { kind: ENTRY, subject: &name.path, times: &times }) {
            continue;
        }
        let span = ByteSpan::new(file.offset(number), file.record_size());
        let row = row(source, &entry, name, span);
        if source.push(row).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn damage(source: &mut Source<'_, '_>, file: &MftFile) {
    let summary = file.summary();
    if let Some((number, what)) = &summary.damage {
        let count = summary.unread;
        source.damage(
            Some(file.offset(*number)),
            format!("{count} records are not sound, the first one: {what}"),
        );
    }
    if summary.cut > 0 {
        let end = file.offset(file.numbers().end);
        source.damage(Some(end), format!("expected a whole record, found {} bytes", summary.cut));
    }
}

fn push_summary(source: &mut Source<'_, '_>, file: &MftFile) -> Flow {
    let MftSummary {
        records,
        in_use,
        not_in_use,
        directories,
        extensions,
        nameless,
        streams,
        first,
        last,
        ..
    } = file.summary().clone();
    let (unused, unread) = (file.summary().unused, file.summary().unread);
    let times: Vec<_> = first.into_iter().chain(last).filter_map(Utc::from_filetime).collect();
    let path = source.node.path.as_str().to_owned();
    if source.passes_over(&Brief { kind: SUMMARY, subject: &path, times: &times }) {
        return ControlFlow::Continue(());
    }
    let number = |number: u64| FieldValue::Integer(number.into());
    let time = |ticks: Option<u64>| ticks.map(|ticks| FieldValue::Time(Time::from_filetime(ticks)));
    let row = source
        .row(SUMMARY, None)
        .field("path", FieldValue::Path(path))
        .field("records", number(records))
        .field("in_use", number(in_use))
        .field("not_in_use", number(not_in_use))
        .field("directories_in_use", number(directories))
        .field("extensions", number(extensions))
        .field("nameless", number(nameless))
        .field("named_streams", number(streams))
        .field("unused", number(unused))
        .field("unread", number(unread))
        .field("record_size", FieldValue::Size(file.record_size()))
        .maybe("first", time(first), None)
        .maybe("last", time(last), None);
    source.push(row)
}

/// Returns the first name that Windows shows, or else any name.
fn main_name(entry: &MftFileEntry) -> Option<&MftName> {
    let names = || entry.names.iter().filter(|name| name.known);
    names().find(|name| name.namespace != "posix").or_else(|| names().next()).or(entry.names.first())
}

fn instants(entry: &MftFileEntry, name: &MftName) -> Vec<Utc> {
    let information = entry.description.standard_information.as_ref().map(|found| &found.times);
    let of = |times: &MacbTimes| {
        [&times.born, &times.modified, &times.changed, &times.accessed]
            .map(|time| time.as_ref().and_then(|time| time.utc))
    };
    information.into_iter().chain([&name.times]).flat_map(of).flatten().collect()
}

fn row(source: &Source<'_, '_>, entry: &MftFileEntry, name: &MftName, span: ByteSpan) -> Row {
    let found = &entry.description;
    let information = found.standard_information.as_ref();
    let times = information.map(|information| information.times.clone()).unwrap_or_default();
    let number = |number: u64| FieldValue::Integer(number.into());
    let damage = found.damage.iter().map(|what| source.defect(Some(span.offset), what)).collect();
    let ending = name.name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty() && !found.directory);
    let row = source
        .row(ENTRY, Some(span))
        .defects(damage)
        .field("path", FieldValue::Path(name.path.clone()))
        .maybe("folder", name.folder.clone().filter(|folder| !folder.is_empty()).map(FieldValue::Path), None)
        .field("name", FieldValue::Name(name.name.clone()))
        .maybe("extension", ending.map(|(_, ending)| FieldValue::Name(ending.to_lowercase())), None)
        .field("folder_known", FieldValue::Flag(name.known))
        .field("entry", number(found.entry))
        .field("sequence", number(found.sequence.into()))
        .field("parent_entry", number(name.parent.0))
        .field("parent_sequence", number(name.parent.1.into()))
        .field("in_use", FieldValue::Flag(found.in_use))
        .field("directory", FieldValue::Flag(found.directory))
        .field("links", number(found.links.into()))
        .maybe("size", entry.size.map(FieldValue::Size), None)
        .maybe("resident", entry.size.map(|_| FieldValue::Flag(entry.resident)), None)
        .maybe("attributes", information.map(|found| FieldValue::Name(flags(found.attributes))), None);
    let row = timed(timed(row, "si", &times), "fn", &name.times);
    further(stomped(row, &times, &name.times), entry, name)
}

/// Adds other names, streams, and the content of a reparse point.
fn further(row: Row, entry: &MftFileEntry, name: &MftName) -> Row {
    let others = entry.names.iter().filter(|other| *other != name);
    let others: Vec<_> = others.take(MOST).map(|other| other.path.clone()).collect();
    let shown = |stream: &evidence::StreamInfo| stream.name.clone();
    let streams: Vec<_> = entry.streams.iter().take(MOST).map(shown).collect();
    let sizes = entry.streams.iter().take(MOST).map(|stream| stream.size.to_string()).collect();
    let target = entry.reparse.as_ref().and_then(|(_, target)| target.clone());
    let tag = entry.reparse.as_ref().map(|(tag, _)| FieldValue::Name(format!("{tag:#010x}")));
    let row = row
        .maybe("reparse", tag, None)
        .maybe("target", target.filter(|target| !target.is_empty()).map(FieldValue::Path), None)
        .maybe("other_paths", (!others.is_empty()).then_some(FieldValue::List(others)), None);
    match streams.is_empty() {
        true => row,
        false => {
            row.field("streams", FieldValue::List(streams)).field("stream_sizes", FieldValue::List(sizes))
        }
    }
}

fn timed(row: Row, set: &str, times: &MacbTimes) -> Row {
    let MacbTimes { modified, accessed, changed, born } = times.clone();
    [("created", born), ("modified", modified), ("changed", changed), ("accessed", accessed)]
        .into_iter()
        .filter_map(|(what, time)| Some((what, time.filter(|time| time.utc.is_some())?)))
        .fold(row, |row, (what, time)| row.field(&format!("{set}_{what}"), FieldValue::Time(time)))
}

/// Adds what makes the two creation times suspicious. These are facts only: installers and copies set times, too.
fn stomped(row: Row, information: &MacbTimes, name: &MacbTimes) -> Row {
    let (Some(born), Some(named)) = (&information.born, &name.born) else { return row };
    let (Some(first), Some(second)) = (born.utc, named.utc) else { return row };
    let whole = born.raw.parse::<u64>().is_ok_and(|ticks| ticks.is_multiple_of(SECOND));
    row.field("si_before_fn", FieldValue::Flag(first < second))
        .field("created_precision_zero", FieldValue::Flag(whole))
}
