//! Reading a run, sealed or not, without trusting it.

use crate::column::{Column, Place};
use crate::fault::Fault;
use crate::open::{self, OpenError};
use crate::payload::{self, PayloadIndex, ReadError};
use crate::schema::{self, SchemaError};
use ledger::chain::Chain;
use ledger::event::Stored;
use ledger::{ChainError, Circumstance, Digest, Event, Link, Stream};
use rusqlite::{Connection, Row};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A run, open for reading.
///
/// Each call sees what is committed by then: during recording, a later call may see more.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    path: PathBuf,
}

impl Reader {
    /// Opens the run in `folder`, and checks its header and tables at once; creates nothing next to a sealed file.
    pub fn open(folder: &Path) -> Result<Reader, OpenError> {
        let path = open::file(folder);
        let connection = open::read_only(&path)?;
        Ok(Reader { connection, path })
    }

    /// Returns the stored links, by position, unchecked.
    ///
    /// A row that cannot be read is an error in its place, followed by the other rows; if SQLite itself cannot
    /// continue, the error is the last item.
    pub fn links(&self) -> Links<'_> {
        self.links_from(i64::MIN)
    }

    /// The same from a position on: what was added since the last look.
    pub fn links_from(&self, position: i64) -> Links<'_> {
        Links { rows: Rows { from: Some(position), ..Rows::new(&self.connection, &self.path) } }
    }

    /// Returns the position that the next event will have, according to the last row: how much is recorded,
    /// unchecked.
    pub fn length(&self) -> Result<u64, ReadError> {
        let fault = |source| ReadError::Fault { table: "events", source: Fault::sqlite(&self.path, source) };
        let sql = "SELECT position FROM events ORDER BY position DESC LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query([]).map_err(fault)?;
        let Some(row) = rows.next().map_err(fault)? else { return Ok(0) };
        let unplaced = ReadError::at(Place::Event { position: 0 });
        let last: u64 = Column(0, "position").integer(row).map_err(unplaced)?;
        Ok(last.saturating_add(1))
    }

    /// Returns the events, checking the chain on the way; the first error is the last item.
    pub fn events(&self) -> Events<'_> {
        Events { rows: Rows::new(&self.connection, &self.path), chain: Chain::new(), failed: false }
    }

    /// Returns the stored bytes with this digest, always checked against it; `None` if nothing is stored under it.
    pub fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, ReadError> {
        payload::read(&self.connection, &self.path, digest)
    }

    /// Returns what is stored as payloads, unchecked; the outer error ends the reading, an inner one concerns
    /// its row.
    pub fn payload_index(&self) -> Result<PayloadIndex, ReadError> {
        payload::index(&self.connection, &self.path)
    }

    /// Returns the events of the run's own stream, and the last event of each task: what a list of runs shows,
    /// from few rows.
    ///
    /// They are unchecked: neither the chain nor the other rows are read.
    pub fn glance(&self) -> Result<Vec<(Stream, Event, Circumstance)>, ReadError> {
        let fault = |source| ReadError::Fault { table: "events", source: Fault::sqlite(&self.path, source) };
        // Each step of the recursion is one search in the index of (stream, sequence).
        let sql = "WITH RECURSIVE streams(stream) AS ( \
                       SELECT min(stream) FROM events WHERE stream > 0 \
                       UNION ALL \
                       SELECT (SELECT min(stream) FROM events WHERE stream > streams.stream) \
                       FROM streams WHERE streams.stream IS NOT NULL) \
                   SELECT position, stream, sequence, name, event, circumstance, stream_hash, run_hash \
                   FROM events WHERE stream = 0 OR position IN ( \
                       SELECT (SELECT position FROM events WHERE events.stream = streams.stream \
                               ORDER BY sequence DESC LIMIT 1) FROM streams) \
                   ORDER BY position";
        let mut statement = self.connection.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query([]).map_err(fault)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(fault)? {
            let unplaced = ReadError::at(Place::Event { position: 0 });
            let position: i64 = Column(0, "position").integer(row).map_err(unplaced)?;
            let (link, _) = link(row, position)?;
            let at = link.position;
            let event = Event::from_stored(&link.event);
            let event = event.map_err(|_| ReadError::Chain(ChainError::Event { position: at }))?;
            let circumstance = Circumstance::from_stored(&link.circumstance);
            let circumstance =
                circumstance.map_err(|_| ReadError::Chain(ChainError::Circumstance { position: at }))?;
            found.push((link.stream, event, circumstance));
        }
        Ok(found)
    }

    /// Returns how many events have this name, unchecked.
    pub fn count(&self, name: &str) -> Result<u64, ReadError> {
        let fault = |source| ReadError::Fault { table: "events", source: Fault::sqlite(&self.path, source) };
        let mut statement =
            self.connection.prepare_cached("SELECT count(*) FROM events WHERE name = ?1").map_err(fault)?;
        let count: i64 = statement.query_row([name], |row| row.get(0)).map_err(fault)?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Checks what the chain does not cover: the tables are those that this version writes, byte for byte;
    /// SQLite's own structures are consistent; each `name` is its event's; the header's format is the first
    /// event's.
    pub fn check_schema(&self) -> Result<(), SchemaError> {
        schema::check_objects(&self.connection, &self.path)?;
        schema::check_integrity(&self.connection, &self.path)?;
        self.check_names().map_err(|source| SchemaError::Fault(Fault::sqlite(&self.path, source)))??;
        self.check_format()
    }

    /// In canonical form an event begins with its name, so no event needs to be parsed.
    fn check_names(&self) -> rusqlite::Result<Result<(), SchemaError>> {
        let mut statement = self.connection.prepare_cached("SELECT position, name, event FROM events")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let position = Column(0, "position").integer(row).unwrap_or_default();
            let fits = match (Column(1, "name").text(row), Column(2, "event").text(row)) {
                (Ok(name), Ok(event)) => event.starts_with(&[b"{\"event\":\"", name, b"\""].concat()),
                _ => false,
            };
            if !fits {
                return Ok(Err(SchemaError::Name { position }));
            }
        }
        Ok(Ok(()))
    }

    fn check_format(&self) -> Result<(), SchemaError> {
        let Some(Ok((_, Event::RunOpened(opened), _))) = self.events().next() else { return Ok(()) };
        let expected = opened.format;
        let found = open::format(&self.connection)
            .map_err(|source| SchemaError::Fault(Fault::sqlite(&self.path, source)))?;
        match expected == found {
            true => Ok(()),
            false => Err(SchemaError::Format { expected, found }),
        }
    }
}

/// The stored links of a run: see [`Reader::links`].
#[derive(Debug)]
pub struct Links<'r> {
    rows: Rows<'r>,
}

impl Iterator for Links<'_> {
    type Item = Result<Link, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.rows.next()?.map(|(link, _)| link))
    }
}

/// The checked events of a run: see [`Reader::events`].
#[derive(Debug)]
pub struct Events<'r> {
    rows: Rows<'r>,
    chain: Chain,
    failed: bool,
}

impl Events<'_> {
    /// Returns the chain over the events so far.
    pub fn so_far(&self) -> &Chain {
        &self.chain
    }

    fn check(
        &mut self,
        row: Result<(Link, Vec<u8>), ReadError>,
    ) -> Result<(Link, Event, Circumstance), ReadError> {
        let (link, name) = row?;
        let (event, circumstance) = self.chain.check(&link).map_err(ReadError::Chain)?;
        if event.name().as_bytes() != name {
            return Err(ReadError::Name {
                position: link.position,
                expected: event.name(),
                found: String::from_utf8_lossy(&name).into_owned(),
            });
        }
        Ok((link, event, circumstance))
    }
}

impl Iterator for Events<'_> {
    type Item = Result<(Link, Event, Circumstance), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let row = self.rows.next()?;
        let checked = self.check(row);
        self.failed = checked.is_err();
        Some(checked)
    }
}

/// Returns checked events over a borrowed connection.
pub(crate) fn events<'c>(connection: &'c Connection, path: &'c Path) -> Events<'c> {
    Events { rows: Rows::new(connection, path), chain: Chain::new(), failed: false }
}

/// Number of rows fetched at once: few enough that large events fit into memory.
const PAGE: usize = 64;

/// The rows of `events` in order, a page at a time: each link and its `name`.
#[derive(Debug)]
struct Rows<'r> {
    connection: &'r Connection,
    path: &'r Path,
    /// The lowest position not yet read; `None` at the end.
    from: Option<i64>,
    page: VecDeque<Result<(Link, Vec<u8>), ReadError>>,
}

impl<'r> Rows<'r> {
    fn new(connection: &'r Connection, path: &'r Path) -> Rows<'r> {
        Rows { connection, path, from: Some(i64::MIN), page: VecDeque::new() }
    }

    fn fetch(&mut self, from: i64) -> Result<(), ReadError> {
        let fault = |source| ReadError::Fault { table: "events", source: Fault::sqlite(self.path, source) };
        let sql = "SELECT position, stream, sequence, name, event, circumstance, stream_hash, run_hash \
                   FROM events WHERE position >= ?1 ORDER BY position LIMIT 64";
        let mut statement = self.connection.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query([from]).map_err(fault)?;
        let mut next = from;
        while let Some(row) = rows.next().map_err(fault)? {
            let unplaced = ReadError::at(Place::Event { position: next });
            let position: i64 = Column(0, "position").integer(row).map_err(unplaced)?;
            // A damaged tree can lead back to rows that were already read.
            if position < next {
                return Err(ReadError::Order { expected: next, found: position });
            }
            self.page.push_back(link(row, position));
            match position.checked_add(1) {
                Some(after) => next = after,
                None => return Ok(()),
            }
        }
        self.from = (self.page.len() == PAGE).then_some(next);
        Ok(())
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<(Link, Vec<u8>), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty()
            && let Some(from) = self.from.take()
            && let Err(error) = self.fetch(from)
        {
            self.page.push_back(Err(error));
        }
        self.page.pop_front()
    }
}

fn link(row: &Row<'_>, stored: i64) -> Result<(Link, Vec<u8>), ReadError> {
    let misfit = ReadError::at(Place::Event { position: stored });
    let link = Link {
        position: Column(0, "position").integer(row).map_err(&misfit)?,
        stream: Stream::from_number(Column(1, "stream").integer(row).map_err(&misfit)?),
        sequence: Column(2, "sequence").integer(row).map_err(&misfit)?,
        event: Column(4, "event").text(row).map_err(&misfit)?.to_vec(),
        circumstance: Column(5, "circumstance").text(row).map_err(&misfit)?.to_vec(),
        stream_hash: Column(6, "stream_hash").digest(row).map_err(&misfit)?,
        run_hash: Column(7, "run_hash").digest(row).map_err(&misfit)?,
    };
    Ok((link, Column(3, "name").text(row).map_err(&misfit)?.to_vec()))
}
