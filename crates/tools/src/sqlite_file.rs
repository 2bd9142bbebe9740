//! An SQLite database as a file of the evidence: its header, its logs, and a private copy of it all.
//!
//! SQLite creates files beside a database that it opens, and changes the database if it finds an unfinished transaction.
//! So it only works on copies in the scratch folder.
//! Two states are read.
//! *Checkpointed* is the file alone, opened as immutable.
//! *Applied* is what the application would have read next.
//! That is the file with the frames of a write-ahead log (`-wal`),
//! or with the unfinished transaction of a hot rollback journal (`-journal`) undone.
//!
//! The formats: <https://www.sqlite.org/fileformat2.html>, sections 1.3 (header), 3 (rollback journal) and 4 (write-ahead log).

pub(crate) mod budget;
mod clock;
pub(crate) mod connection;
mod copy;
pub(crate) mod error;
mod functions;
mod header;
pub(crate) mod schema;
pub(crate) mod table;
mod wal;
mod words;

pub(crate) use error::SqliteError;
pub(crate) use words::{defect_words, short, words};

use crate::place::Place;
use budget::Budget;
use connection::{Manner, connect};
use copy::copy;
use evidence::{Node, NodeKind, ReadError, Tree, read_full_at};
use header::{Header, JOURNAL_MAGIC};
use ledger::digest::hex;
use ledger::{Defect, Gap};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use wal::{End, Frames};

/// A database that was copied to the scratch folder.
pub(crate) struct Database<'a> {
    pub(crate) place: Place<'a>,
    folder: PathBuf,
    /// The applied state, if it differs from the checkpointed one.
    applied: Option<(&'static str, Manner)>,
    /// Damage that was met.
    pub(crate) defects: Vec<Defect>,
    /// Logs that were not applied.
    pub(crate) gaps: Vec<Gap>,
    /// What was done with the logs.
    pub(crate) notes: Vec<String>,
}

/// The state of a database to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// With its logs.
    Applied,
    /// The file alone.
    Checkpointed,
}

/// The copy of the database, alone or with its write-ahead log.
const MAIN: &str = "main.db";
/// The copy in which a rollback journal is played back.
const ROLLED: &str = "rolled.db";

impl<'a> Database<'a> {
    /// Copies the database at `place`, and the logs beside it, to the empty folder `scratch`.
    pub(crate) fn copy(place: Place<'a>, scratch: &Path) -> Result<Database<'a>, SqliteError> {
        let header = Header::read(place.tree, &place.node)?;
        let mut database = Database {
            folder: scratch.to_owned(),
            applied: None,
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: Vec::new(),
            place,
        };
        copy(database.place.tree, &database.place.node, &scratch.join(MAIN))?;
        let wal = database.wal(&header)?;
        database.journal(wal)?;
        if database.applied.is_none() {
            database.defects.extend(header.truncation(&database.place.node));
        }
        Ok(database)
    }

    pub(crate) fn tree(&self) -> &'a dyn Tree {
        self.place.tree
    }

    pub(crate) fn node(&self) -> &Node {
        &self.place.node
    }

    /// Returns the path in the evidence.
    pub(crate) fn path(&self) -> &str {
        self.place.node.path.as_str()
    }

    /// Checks whether there is a separate applied state.
    pub(crate) fn has_logs(&self) -> bool {
        self.applied.is_some()
    }

    /// Returns the kind of log that makes the applied state, as records name it.
    pub(crate) fn log_name(&self) -> &'static str {
        match self.applied {
            Some((ROLLED, _)) => "journal",
            Some(_) | None => "wal",
        }
    }

    /// Opens one state for reading.
    pub(crate) fn open(&self, state: State, budget: &Budget) -> Result<Connection, SqliteError> {
        let (name, manner) = match (state, self.applied) {
            (State::Applied, Some(applied)) => applied,
            (State::Applied, None) | (State::Checkpointed, _) => (MAIN, Manner::Immutable),
        };
        connect(&self.folder.join(name), manner, budget)
            .map_err(|source| SqliteError::Open { path: self.place.node.path.clone(), source })
    }

    /// Returns damage of the database as a ledger defect.
    pub(crate) fn defect(&self, what: String) -> Defect {
        Defect { path: self.path().to_owned(), offset: None, what: short(what) }
    }

    /// Returns a gap for a part of the database that was not examined.
    pub(crate) fn gap(&self, reason: String) -> Gap {
        Gap { path: self.path().to_owned(), reason: short(reason) }
    }

    /// Copies a write-ahead log that SQLite will apply; returns whether there is one.
    fn wal(&mut self, header: &Header) -> Result<bool, SqliteError> {
        let Some(log) = self.beside("-wal")? else { return Ok(false) };
        let path = log.path.as_str().to_owned();
        let Some(frames) = wal::frames(self.tree().open(&log, None)?.as_mut())? else {
            let found = hex(start(self.tree(), &log)?.get(..4).unwrap_or_default());
            let what =
                format!("expected a write-ahead log (377f0682 or 377f0683), found {found}: not applied");
            self.defects.push(Defect { path, offset: Some(0), what });
            return Ok(false);
        };
        if !header.in_wal_mode() {
            let reason = "a write-ahead log, but the header of the database (bytes 18 and 19) says that none is in use: not applied";
            self.gaps.push(Gap { path, reason: reason.to_owned() });
            return Ok(false);
        }
        let Frames { total, committed, end, offset } = frames;
        self.notes.push(short(format!(
            "{path}: write-ahead log, {committed} of {total} frames apply{}",
            rest(end)
        )));
        let what = match end {
            End::File | End::OlderUse => None,
            End::Checksum => Some("a frame with a wrong checksum: it and what follows are not applied"),
            End::Header => Some("a header with a wrong checksum or page size: nothing of the log is applied"),
        };
        self.defects.extend(what.map(|what| Defect { path, offset: Some(offset), what: what.to_owned() }));
        copy(self.tree(), &log, &self.folder.join(format!("{MAIN}-wal")))?;
        self.applied = Some((MAIN, Manner::WithLog));
        Ok(true)
    }

    /// Plays back a hot rollback journal in a copy of its own.
    fn journal(&mut self, wal: bool) -> Result<(), SqliteError> {
        let Some(journal) = self.beside("-journal")? else { return Ok(()) };
        let path = journal.path.as_str().to_owned();
        if !start(self.tree(), &journal)?.starts_with(&JOURNAL_MAGIC) {
            // A finished transaction leaves a journal whose header is zeroed or truncated.
            self.notes.push(short(format!("{path}: rollback journal, not hot: nothing to take back")));
            return Ok(());
        }
        if header::names_super_journal(self.tree(), &journal)? {
            // Playing it back would look for, and remove, any file that it names.
            let reason = "a hot rollback journal that names a super-journal: not applied";
            self.gaps.push(Gap { path, reason: reason.to_owned() });
            return Ok(());
        }
        copy(self.tree(), &journal, &self.folder.join(format!("{ROLLED}-journal")))?;
        copy::again(&self.place.node, &self.folder.join(MAIN), &self.folder.join(ROLLED))?;
        if wal {
            let log = |name| self.folder.join(format!("{name}-wal"));
            copy::again(&self.place.node, &log(MAIN), &log(ROLLED))?;
        }
        match connection::roll_back(&self.folder.join(ROLLED)) {
            Ok(()) => {
                let what =
                    "the file holds an unfinished transaction, which its hot rollback journal takes back";
                self.notes.push(short(format!(
                    "{path}: {what}: done in a copy; wal = ignored reads the file as it is"
                )));
                self.applied = Some((ROLLED, if wal { Manner::WithLog } else { Manner::Immutable }));
            }
            Err(error) => {
                let reason =
                    short(format!("a hot rollback journal that cannot be applied: {}", words(&error)));
                self.gaps.push(Gap { path, reason });
            }
        }
        Ok(())
    }

    /// Returns the non-empty file beside the database with this suffix; case is ignored, as on Windows.
    fn beside(&mut self, ending: &str) -> Result<Option<Node>, ReadError> {
        let node = &self.place.node;
        let Some(folder) = node.path.parent().map(|path| self.tree().node(&path)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        let wanted = format!("{}{ending}", node.name);
        let folded = wanted.to_lowercase();
        let is_it = |found: &Node| {
            found.kind == NodeKind::File && found.size > 0 && found.name.to_lowercase() == folded
        };
        let mut found: Vec<_> = self.tree().children(&folder)?.nodes.into_iter().filter(is_it).collect();
        found.sort_by_key(|found| found.name != wanted);
        let mut found = found.into_iter();
        let first = found.next();
        self.gaps.extend(found.map(|other| Gap {
            path: other.path.as_str().to_owned(),
            reason: "another file of that name, but for letter case, was taken for the log".to_owned(),
        }));
        Ok(first)
    }
}

/// Says in words what follows the applied frames in a log.
fn rest(end: End) -> &'static str {
    match end {
        End::OlderUse => "; the others are left over from an earlier use of the log and are not read",
        End::File | End::Checksum | End::Header => "",
    }
}

/// Reads the first bytes of a file.
fn start(tree: &dyn Tree, node: &Node) -> Result<Vec<u8>, ReadError> {
    let mut bytes = vec![0; 8];
    let read = read_full_at(tree.open(node, None)?.as_mut(), 0, &mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}
