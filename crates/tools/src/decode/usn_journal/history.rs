//! What happened to each name: how often files with it were created, renamed and deleted, first and last.

use super::Source;
use super::kind::{Event, Kind};
use crate::intake::{Brief, Flow};
use crate::row::Row;
use artifacts::usn::{CLOSE, FILE_CREATE, RENAME_NEW_NAME, RENAME_OLD_NAME};
use ledger::{ByteSpan, FieldValue, Time, Utc};
use std::collections::HashMap;
use std::ops::ControlFlow;

pub(crate) const HISTORY: &str = "usn_name_history";

/// The most different names of one journal.
const MOST: usize = 2_000_000;

#[derive(Default)]
pub(super) struct Histories {
    /// The histories, by the names as they are stored.
    names: HashMap<Box<[u8]>, Box<History>>,
    left_out: bool,
}

#[derive(Default)]
struct History {
    records: u64,
    creations: u64,
    create_records: u64,
    deletions: u64,
    renamed_from: u64,
    renamed_to: u64,
    created: Ends,
    deleted: Ends,
    seen: Ends,
}

/// The first and the last record of a kind.
#[derive(Default)]
struct Ends {
    first: Option<Stand>,
    last: Option<Stand>,
}

#[derive(Clone, Copy)]
struct Stand {
    ticks: u64,
    time: ByteSpan,
    entry: Option<(u64, u16)>,
    file: u64,
}

impl Ends {
    fn add(&mut self, stand: Stand) {
        self.first.get_or_insert(stand);
        self.last = Some(stand);
    }
}

impl Histories {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        let (record, base) = (&event.record, event.base);
        let name = record.name_bytes();
        let at = |offset: usize| base.saturating_add(offset as u64);
        let stand = Stand {
            ticks: record.time.0,
            time: ByteSpan::new(at(record.usn_place().saturating_add(8)), 8),
            entry: record.file.mft(),
            file: at(record.file_places().0),
        };
        if let Some(history) = self.names.get_mut(name) {
            history.add(event, stand);
        } else if self.names.len() < MOST {
            let mut history = Box::<History>::default();
            history.add(event, stand);
            self.names.insert(name.into(), history);
        } else {
            self.left_out = true;
        }
    }

    /// Hands over a record for each name, in alphabetical order.
    pub(super) fn push(self, source: &mut Source<'_, '_>) -> Flow {
        if self.left_out {
            source.gap("more different names than are followed");
        }
        let units =
            |name: &[u8]| name.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect::<Vec<_>>();
        let text = |name: &[u8]| String::from_utf16_lossy(&units(name));
        let mut names: Vec<_> = self.names.iter().map(|(name, history)| (text(name), history)).collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, history) in names {
            let ends = [&history.created, &history.deleted, &history.seen];
            let stands = ends.iter().flat_map(|ends| ends.first.iter().chain(&ends.last));
            let times: Vec<_> = stands.filter_map(|stand| Utc::from_filetime(stand.ticks)).collect();
            if source.passes_over(&Brief { kind: HISTORY, subject: &name, times: &times }) {
                continue;
            }
            source.push(history.row(source, &name))?;
        }
        ControlFlow::Continue(())
    }
}

impl History {
    fn add(&mut self, event: &Event<'_>, stand: Stand) {
        let (reasons, added) = (event.record.reasons, event.added);
        self.records += 1;
        self.seen.add(stand);
        if reasons & FILE_CREATE != 0 {
            // A file can be created under one name and renamed before it is closed.
            self.creations += u64::from(added & (FILE_CREATE | RENAME_NEW_NAME) != 0);
            self.create_records += u64::from(reasons & CLOSE == 0);
            self.created.add(stand);
        }
        if event.kind == Kind::Deleted {
            self.deletions += 1;
            self.deleted.add(stand);
        }
        self.renamed_from += u64::from(added & RENAME_OLD_NAME != 0);
        self.renamed_to += u64::from(added & RENAME_NEW_NAME != 0);
    }

    fn row(&self, source: &Source<'_, '_>, name: &str) -> Row {
        let number = |number: u64| FieldValue::Integer(number.into());
        let row = source
            .row(HISTORY, None)
            .field("name", FieldValue::Name(name.to_owned()))
            .field("records", number(self.records))
            .field("creations", number(self.creations))
            .field("create_records", number(self.create_records))
            .field("deletions", number(self.deletions))
            .field("renamed_from", number(self.renamed_from))
            .field("renamed_to", number(self.renamed_to));
        let row = stand(row, "first_created", "first_entry", &self.created.first);
        let row = stand(row, "first_deleted", "deleted_entry", &self.deleted.first);
        let row = timed(row, "last_created", &self.created.last);
        let row = timed(row, "last_deleted", &self.deleted.last);
        timed(timed(row, "first_seen", &self.seen.first), "last_seen", &self.seen.last)
    }
}

fn timed(row: Row, field: &str, stand: &Option<Stand>) -> Row {
    let time = stand.map(|stand| (FieldValue::Time(Time::from_filetime(stand.ticks)), stand.time));
    match time {
        Some((time, place)) => row.field_at(field, time, Some(place)),
        None => row,
    }
}

fn stand(row: Row, time: &str, entry: &str, stand: &Option<Stand>) -> Row {
    let found = stand.and_then(|stand| Some((stand.entry?.0, stand.file)));
    let row = timed(row, time, stand);
    match found {
        Some((number, at)) => {
            row.field_at(entry, FieldValue::Integer(number.into()), Some(ByteSpan::new(at, 6)))
        }
        None => row,
    }
}
