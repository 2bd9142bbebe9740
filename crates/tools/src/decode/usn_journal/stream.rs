//! Reads a journal from its first record to its last, piece by piece: it may be of any size, and most of it a hole.

use super::super::parts;
use super::Source;
use super::kind::{Event, Open};
use crate::intake::Flow;
use artifacts::usn::{LONGEST, Step, UsnRecord, step};
use evidence::{ReadAt, ReadError, read_full_at};
use ledger::ByteSpan;
use std::ops::ControlFlow;

/// How many bytes are read at once; pages of the journal have 4,096.
const PIECE: usize = 1 << 20;
const PAGE: usize = 4096;

/// The most places of damage that are reported one by one.
const DAMAGED: u64 = 100;

/// Totals of a journal.
#[derive(Default)]
pub(super) struct Told {
    pub(super) records: u64,
    /// How many records of version 4.
    pub(super) ranges: u64,
    /// How many bytes are neither records nor zeros.
    pub(super) damaged: u64,
    pub(super) first: Option<End>,
    pub(super) last: Option<End>,
    places: u64,
    /// Damage that may continue after the bytes read so far.
    open: Option<ByteSpan>,
}

/// The first or last record.
pub(super) struct End {
    pub(super) usn: u64,
    pub(super) ticks: u64,
    pub(super) name: String,
    pub(super) usn_place: ByteSpan,
    pub(super) time_place: ByteSpan,
    pub(super) name_place: ByteSpan,
}

impl End {
    fn of(record: &UsnRecord<'_>, base: u64) -> End {
        let (name, at) = (record.located_name(), |offset: usize| base.saturating_add(offset as u64));
        End {
            usn: record.usn,
            ticks: record.time.0,
            name_place: parts::place(base, &name),
            usn_place: ByteSpan::new(at(record.usn_place()), 8),
            time_place: ByteSpan::new(at(record.usn_place().saturating_add(8)), 8),
            name: name.value,
        }
    }
}

/// A callback for each record.
type Take<'f, 'c, 't> = &'f mut dyn FnMut(&mut Source<'c, 't>, &Event<'_>) -> Flow;

/// Hands every record of the journal to `take`.
pub(super) fn each<'c, 't>(
    source: &mut Source<'c, 't>,
    told: &mut Told,
    take: Take<'_, 'c, 't>,
) -> Result<Flow, ReadError> {
    let mut reader = source.open()?;
    let (mut at, total) = (first_stored(reader.as_ref()), reader.len());
    let mut open = Open::default();
    let mut bytes = vec![0; PIECE];
    while at < total {
        let stored = reader.stored_from(at);
        at = at.max(stored - stored % PAGE as u64);
        let read = read_full_at(reader.as_mut(), at, &mut bytes)?;
        let Some(data) = bytes.get(..read).filter(|data| !data.is_empty()) else { break };
        let end = at.saturating_add(read as u64);
        let piece = Piece { data, base: at, last: end >= total };
        let used = if is_empty(data) { Ok(read) } else { piece.each(source, told, &mut open, take) };
        match used {
            Ok(0) => break,
            Ok(used) => at = at.saturating_add(used as u64),
            Err(Stopped) => return Ok(ControlFlow::Break(())),
        }
    }
    told.ends(source);
    if told.places > DAMAGED {
        let more = told.places - DAMAGED;
        source.damage(None, format!("{more} more places hold neither records nor zeros"));
    }
    Ok(ControlFlow::Continue(()))
}

/// The signal that no more records are wanted.
struct Stopped;

/// A piece of the journal.
struct Piece<'d> {
    data: &'d [u8],
    /// Its offset in the journal.
    base: u64,
    /// Whether the journal ends with it.
    last: bool,
}

impl Piece<'_> {
    /// Hands over the records of the piece; returns how many of its bytes were used.
    fn each<'c, 't>(
        &self,
        source: &mut Source<'c, 't>,
        told: &mut Told,
        open: &mut Open,
        take: Take<'_, 'c, 't>,
    ) -> Result<usize, Stopped> {
        let mut at = 0_usize;
        let mut latest = None;
        // A record that may continue in the next piece is left to be read with it.
        while self.last || at.saturating_add(LONGEST) <= self.data.len() {
            let length = match step(self.data, at) {
                Step::Record(record) => {
                    told.record(source, &record, self.base);
                    if take(source, &open.next(record, self.base)).is_break() {
                        return Err(Stopped);
                    }
                    latest = Some(record);
                    record.length
                }
                Step::Ranges(length) => {
                    told.ranges += 1;
                    length
                }
                Step::Zeros(length) => length,
                Step::Damage(length) => {
                    told.damage(ByteSpan::new(self.base.saturating_add(at as u64), length as u64));
                    length
                }
                Step::End => break,
            };
            at = at.saturating_add(length);
        }
        if let Some(record) = latest {
            told.last = Some(End::of(&record, self.base));
        }
        Ok(at)
    }
}

impl Told {
    fn record(&mut self, source: &mut Source<'_, '_>, record: &UsnRecord<'_>, base: u64) {
        self.ends(source);
        self.records += 1;
        if self.first.is_none() {
            self.first = Some(End::of(record, base));
        }
    }

    /// Adds damage; adjacent damage is merged.
    fn damage(&mut self, span: ByteSpan) {
        self.damaged = self.damaged.saturating_add(span.length);
        self.open = match self.open {
            Some(open) => Some(ByteSpan::new(open.offset, span.end().saturating_sub(open.offset))),
            None => Some(span),
        };
    }

    /// Reports damage that has ended.
    fn ends(&mut self, source: &mut Source<'_, '_>) {
        let Some(open) = self.open.take() else { return };
        self.places += 1;
        if self.places <= DAMAGED {
            source.damage(Some(open.offset), format!("expected a record, found {} other bytes", open.length));
        }
    }
}

fn is_empty(data: &[u8]) -> bool {
    data.chunks(PAGE).all(|page| [0; PAGE].starts_with(page))
}

/// Returns the offset of the first byte that is stored anywhere, rounded to a page: the rest of a journal is a hole, which a volume knows.
fn first_stored(reader: &dyn ReadAt) -> u64 {
    let (mut low, mut high) = (0, reader.len());
    // Nothing before `low` is stored.
    while high.saturating_sub(low) > PIECE as u64 {
        let middle = low + (high - low) / 2;
        match reader.provenance(ByteSpan::new(low, middle - low)).is_empty() {
            true => low = middle,
            false => high = middle,
        }
    }
    low - low % PAGE as u64
}
