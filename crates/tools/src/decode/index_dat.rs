//! `index.dat`: history, cache and cookies of Internet Explorer 5 to 9 and of programs that use WinINet.
//!
//! Its records are the same as those of its successor, the WebCache.

use super::web_cache::{self, is_history, of_history, split};
use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use artifacts::index_dat::{self, IndexEntry};
use evidence::ReadError;
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

/// The longest file that is read.
const LONGEST: u64 = 512 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "index_dat",
    about: "history, cache and cookies of Internet Explorer 5 to 9 (index.dat), removed entries among them",
    names: &["index.dat"],
    common_names: &[],
    fits: |head: &Head<'_>| index_dat::is_index(head.bytes),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![web_cache::entry_type(), web_cache::file_type(), web_cache::visit_type()]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some((entries, damage)) = index_dat::read(&bytes) else { return Ok(ControlFlow::Continue(())) };
    damage.iter().for_each(|damage| source.damage(Some(damage.offset as u64), damage.what));
    for entry in &entries {
        if push(source, entry).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn push(source: &mut Source<'_, '_>, entry: &IndexEntry) -> Flow {
    let location = &entry.location;
    let (user, url) = split(&location.value);
    if url.is_empty() {
        return ControlFlow::Continue(());
    }
    let history = is_history(&location.value);
    let kind = if history { of_history(url) } else { web_cache::ENTRY };
    let span = ByteSpan::new(entry.offset as u64, entry.length as u64);
    let mut row = source
        .row(kind, Some(span))
        .field_at("url", FieldValue::Text(url.to_owned()), Some(parts::place(0, location)))
        .maybe("user", user.map(|user| FieldValue::Name(user.to_owned())), None)
        .maybe("removed", (!entry.in_use).then_some(FieldValue::Flag(true)), None);
    row = parts::time(row, "time", 0, entry.accessed.as_ref());
    // In a daily history this time is in the computer's time zone.
    row = parts::time(row, "modified", 0, entry.modified.as_ref().filter(|_| !history));
    row = parts::number(row, "access_count", 0, entry.hits.as_ref());
    row = parts::part(row, "file_name", 0, entry.file_name.as_ref(), FieldValue::Name);
    let row = row.defects(parts::defects(source, 0, &entry.damage));
    source.push(row)
}
