//! What a journal record adds to the ones before it.
//!
//! From the opening of a file to its closing, each record repeats the reasons of the records before it.
//! A record is therefore classified by the reasons that it has and the one before it lacks.
//! So each creation, deletion and renaming is reported once.

use artifacts::usn::{CLOSE, FILE_CREATE, FILE_DELETE, FileId, RENAME_NEW_NAME, RENAME_OLD_NAME, UsnRecord};
use ledger::ByteSpan;
use std::collections::HashMap;

/// The most files that are followed at once: a system has some thousands open.
const MOST: usize = 1 << 18;

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Created,
    Deleted,
    Renamed,
    Changed,
    Closed,
}

impl Kind {
    /// Returns the type of its record.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Created => "usn_created",
            Kind::Deleted => "usn_deleted",
            Kind::Renamed => "usn_renamed",
            Kind::Changed => "usn_changed",
            Kind::Closed => "usn_closed",
        }
    }

    fn of(added: u32) -> Kind {
        if added & FILE_DELETE != 0 {
            Kind::Deleted
        } else if added & (RENAME_OLD_NAME | RENAME_NEW_NAME) != 0 {
            Kind::Renamed
        } else if added & FILE_CREATE != 0 {
            Kind::Created
        } else if added & !CLOSE != 0 {
            Kind::Changed
        } else {
            Kind::Closed
        }
    }
}

/// The name that a file had before it was renamed, and the place of that name.
pub(crate) struct Former {
    pub(crate) name: String,
    pub(crate) place: ByteSpan,
}

/// A record of the journal, and what it adds.
pub(crate) struct Event<'a> {
    pub(crate) record: UsnRecord<'a>,
    /// The offset in the stream of the data that the record was read from.
    pub(crate) base: u64,
    pub(crate) kind: Kind,
    /// The reasons that the records before it lack.
    pub(crate) added: u32,
    pub(crate) former: Option<Former>,
}

/// The files that are open, according to the journal.
#[derive(Default)]
pub(crate) struct Open {
    reasons: HashMap<FileId, u32>,
    former: HashMap<FileId, Former>,
}

impl Open {
    pub(crate) fn next<'a>(&mut self, record: UsnRecord<'a>, base: u64) -> Event<'a> {
        if self.reasons.len() > MOST {
            self.reasons.clear();
        }
        if self.former.len() > MOST {
            self.former.clear();
        }
        let before = match record.reasons & CLOSE != 0 {
            true => self.reasons.remove(&record.file),
            false => self.reasons.insert(record.file, record.reasons),
        };
        let added = record.reasons & !before.unwrap_or(0);
        let mut former = None;
        if added & RENAME_OLD_NAME != 0 && record.reasons & RENAME_NEW_NAME == 0 {
            let name = record.located_name();
            let place = ByteSpan::new(base.saturating_add(name.offset as u64), name.length as u64);
            self.former.insert(record.file, Former { name: name.value, place });
        } else if added & RENAME_NEW_NAME != 0 {
            former = self.former.remove(&record.file);
        }
        Event { record, base, kind: Kind::of(added), added, former }
    }
}
