//! An index as it is searched: from its file, or from memory right after it was built.

use super::error::TimelineIndexError;
use super::layout::{HEADER, Head, Parts, ROW, Row};
use super::unit::Unit;
use evidence::platform::FileExt;
use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// Rows that are read at once.
const PIECE: u64 = 8192;

/// The longest head that is read: some hundred thousand sources.
const LONGEST_HEAD: u64 = 256 << 20;

/// Where the bytes are.
enum Medium {
    File(File),
    Memory(Vec<u8>),
}

/// An opened index.
pub(crate) struct TimeIndex {
    medium: Medium,
    parts: Parts,
    head: Head,
}

impl TimeIndex {
    /// Opens the index in the file `path`.
    pub(crate) fn open(path: &Path) -> Result<TimeIndex, TimelineIndexError> {
        let file = File::open(path).map_err(TimelineIndexError::Open)?;
        let metadata = file.metadata().map_err(TimelineIndexError::Open)?;
        if !metadata.is_file() {
            return Err(TimelineIndexError::Open(io::ErrorKind::InvalidInput.into()));
        }
        TimeIndex::over(Medium::File(file), metadata.len())
    }

    /// An index that was just built.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<TimeIndex, TimelineIndexError> {
        let length = bytes.len() as u64;
        TimeIndex::over(Medium::Memory(bytes), length)
    }

    fn over(medium: Medium, length: u64) -> Result<TimeIndex, TimelineIndexError> {
        let outside = TimelineIndexError::Outside { offset: 0, length: HEADER, end: length };
        if length < HEADER {
            return Err(outside);
        }
        let header = medium.read(0, HEADER)?;
        let parts = Parts::read(header.first_chunk::<64>().ok_or(outside)?, length)?;
        if parts.head > LONGEST_HEAD {
            let (what, expected, found) = ("the length of the head", LONGEST_HEAD, parts.head);
            return Err(TimelineIndexError::Value { what, expected, found });
        }
        let head = medium.read(parts.head_at(), parts.head)?;
        let head: Head = serde_json::from_slice(&head).map_err(TimelineIndexError::Head)?;
        Ok(TimeIndex { medium, parts, head })
    }

    /// What was decoded, by number.
    pub(crate) fn units(&self) -> &[Unit] {
        &self.head.units
    }

    /// The fields with times, by number.
    pub(crate) fn fields(&self) -> &[String] {
        &self.head.fields
    }

    /// Whether any time is a local one.
    pub(crate) fn has_local(&self) -> bool {
        self.head.local > 0
    }

    /// Times in it.
    pub(crate) fn rows(&self) -> u64 {
        self.parts.rows
    }

    /// The number of the first row whose time is `bound` or later.
    pub(crate) fn first_from(&self, bound: i64) -> Result<u64, TimelineIndexError> {
        let (mut low, mut high) = (0, self.parts.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            let bytes = self.medium.read(HEADER + middle * ROW, ROW)?;
            let row = Row::read(&bytes);
            if row.is_some_and(|row| row.time < bound) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// Shows the rows of a range in their order until told to stop.
    pub(crate) fn scan(
        &self,
        range: Range<u64>,
        mut show: impl FnMut(Row) -> ControlFlow<()>,
    ) -> Result<(), TimelineIndexError> {
        let end = range.end.min(self.parts.rows);
        let (mut next, mut last) = (range.start, i64::MIN);
        while next < end {
            let count = PIECE.min(end - next);
            let bytes = self.medium.read(HEADER + next * ROW, count * ROW)?;
            for bytes in bytes.chunks_exact(24) {
                let Some(row) = Row::read(bytes) else { continue };
                if row.time < last {
                    return Err(TimelineIndexError::Order { row: next });
                }
                last = row.time;
                self.check(&row)?;
                if show(row).is_break() {
                    return Ok(());
                }
                next += 1;
            }
        }
        Ok(())
    }

    /// The numbers of a row must name something.
    fn check(&self, row: &Row) -> Result<(), TimelineIndexError> {
        let numbers = [
            ("the unit of a row", self.head.units.len() as u64, u64::from(row.unit)),
            ("the field of a row", self.head.fields.len() as u64, u64::from(row.field)),
            ("the text of a row", self.parts.texts, u64::from(row.text)),
        ];
        let wrong = numbers.into_iter().find(|(_, bound, number)| number >= bound);
        wrong.map_or(Ok(()), |(what, expected, found)| {
            Err(TimelineIndexError::Value { what, expected, found })
        })
    }

    /// One text.
    pub(crate) fn text(&self, number: u32) -> Result<String, TimelineIndexError> {
        let number = u64::from(number);
        let end = self.parts.texts;
        if number >= end {
            return Err(TimelineIndexError::Outside { offset: number, length: 1, end });
        }
        let place = |number: u64| {
            let bytes = self.medium.read(self.parts.places_at() + number * 4, 4)?;
            Ok(bytes.first_chunk::<4>().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes))))
        };
        let start = number.checked_sub(1).map(place).transpose()?.unwrap_or(0);
        let end = place(number)?;
        let offset = self.parts.heap_at().saturating_add(start);
        if start > end || end > self.parts.heap {
            return Err(TimelineIndexError::Outside { offset, length: end, end: self.parts.heap });
        }
        let bytes = self.medium.read(offset, end - start)?;
        String::from_utf8(bytes).map_err(|_| TimelineIndexError::Text { offset })
    }

    /// All texts, for a search that looks at many.
    pub(crate) fn texts(&self) -> Result<Texts, TimelineIndexError> {
        let offset = self.parts.heap_at();
        let places = self.medium.read(self.parts.places_at(), self.parts.texts * 4)?;
        let ends: Vec<u32> = places
            .chunks_exact(4)
            .filter_map(|bytes| bytes.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes)))
            .collect();
        let heap = String::from_utf8(self.medium.read(offset, self.parts.heap)?)
            .map_err(|_| TimelineIndexError::Text { offset })?;
        Ok(Texts { ends, heap, offset })
    }
}

/// All texts of an index.
pub(crate) struct Texts {
    ends: Vec<u32>,
    heap: String,
    offset: u64,
}

impl Texts {
    /// One text.
    pub(crate) fn get(&self, number: u32) -> Result<&str, TimelineIndexError> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let end = |number: usize| self.ends.get(number).and_then(|end| usize::try_from(*end).ok());
        let start = number.checked_sub(1).map_or(Some(0), end);
        let text = start.zip(end(number)).and_then(|(start, end)| self.heap.get(start..end));
        text.ok_or(TimelineIndexError::Text { offset: self.offset })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }
}

impl Medium {
    /// The bytes from `offset` on; whoever asks has held the place against the length of the file.
    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, TimelineIndexError> {
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        match self {
            Medium::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let found = bytes.get(start..).and_then(|rest| rest.get(..size));
                let end = bytes.len() as u64;
                found.map(<[u8]>::to_vec).ok_or(TimelineIndexError::Outside { offset, length, end })
            }
            Medium::File(file) => {
                let mut bytes = vec![0; size];
                file.read_exact_at(&mut bytes, offset)
                    .map_err(|source| TimelineIndexError::Read { offset, source })?;
                Ok(bytes)
            }
        }
    }
}
