//! Shell links: what a shortcut points to, and what was known about the target when the link was written.

mod fields;

pub(super) use fields::{described, details, droid, fill};

use super::parts::Base;
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::row::Row;
use crate::{dir_entry, spec};
use artifacts::lnk;
use evidence::ReadError;
use ledger::FieldType::{Path, Time};
use ledger::{ByteSpan, Clock, FieldValue, RecordType};
use std::ops::ControlFlow;

const SHORTCUT: &str = "shortcut";
const RECENT: &str = "recent_shortcut";

/// The longest file that is read: a link has most kinds of parts only once, with 64 KiB at most.
const LONGEST: u64 = 4 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "lnk",
    about: "shortcuts: their targets with times, volume and host, and in folders of recent documents what a user opened",
    names: &["*.lnk"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    lnk::is_link(head.bytes)
}

fn records() -> Vec<RecordType> {
    let own: [(&str, &[ledger::FieldType], &str); 3] = [
        ("path", &[Path], "path of the shortcut in the evidence"),
        (
            "shortcut_created",
            &[Time],
            "when the shortcut was created, where the evidence has the times of its files",
        ),
        (
            "shortcut_modified",
            &[Time],
            "when the shortcut was last written, where the evidence has the times of its files",
        ),
    ];
    let all: Vec<_> = described().into_iter().chain(own).collect();
    vec![
        spec::record(
            RECENT,
            "a shortcut in a user's folder of recent documents: a file or folder that was opened, or that holds one that was; the times of the target are those it had then",
            "target",
            &all,
        ),
        spec::record(
            SHORTCUT,
            "a shortcut: its target stood there when it was written; not that the target is still there, nor that anybody opened it",
            "target",
            &all,
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(found) = lnk::read(&bytes) else {
        source.damage(Some(0), "expected the header of a shell link, found less");
        return Ok(ControlFlow::Continue(()));
    };
    let base = Base(Some(0));
    let path = source.node.path.as_str().to_owned();
    let kind = if is_recent(&path) { RECENT } else { SHORTCUT };
    let row = source.row(kind, Some(ByteSpan::new(0, bytes.len() as u64)));
    let row = row.defects(base.defects(source, &found.damage)).field("path", FieldValue::Path(path));
    match fill(own_times(row, source), base, &found) {
        Some(row) => Ok(source.push(row)),
        None => {
            source.damage(Some(0), "expected the path of a target, found none");
            Ok(ControlFlow::Continue(()))
        }
    }
}

/// Checks whether a file is in a folder of recent documents, of Windows or of Office.
fn is_recent(path: &str) -> bool {
    path.rsplit('/').nth(1).is_some_and(|folder| folder.eq_ignore_ascii_case("recent"))
}

/// Adds the times of the file itself, if they are the host's.
fn own_times(row: Row, source: &Source<'_, '_>) -> Row {
    let times = dir_entry::times(source.node);
    let of_host =
        |time: Option<ledger::Time>| time.filter(|time| time.clock == Clock::Host).map(FieldValue::Time);
    row.maybe("shortcut_created", of_host(times.born), None).maybe(
        "shortcut_modified",
        of_host(times.modified),
        None,
    )
}
