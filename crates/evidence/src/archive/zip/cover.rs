//! Bytes of a zip that its central directory does not cover.
//!
//! Not every byte of an honest zip belongs to an entry: between entries there can be alignment, signatures, data
//! descriptors and what an editor left behind.
//! Bytes there with the signature of a local header are taken for an unlisted entry. Nothing may follow the end
//! record and its comment.

use super::end::End;
use super::{LOCAL, le};
use crate::archive::decode::Part;
use crate::archive::index::Index;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;

/// The start and the end of a range of bytes.
pub(super) type Span = (u64, u64);

/// The signature of a local header.
const SIGNATURE: &[u8] = b"PK\x03\x04";

/// The most ranges that are reported one by one.
const MAX_TOLD: usize = 100;

/// The most bytes between entries that are searched in total.
const MAX_LOOKED_AT: u64 = 256 << 20;

/// Bytes read at once.
const PIECE: usize = 64 << 10;

/// A local header: its fixed part, and as many bytes of the name as the central directory says it has.
pub(super) struct Local(Vec<u8>);

impl Local {
    /// Reads the local header at `header`.
    pub(super) fn read(file: &Rc<File>, header: u64, name: usize) -> io::Result<Local> {
        let mut bytes = Vec::new();
        let end = header.saturating_add(LOCAL).saturating_add(name as u64);
        Part::new(file, header, end).read_to_end(&mut bytes)?;
        Ok(Local(bytes))
    }

    fn field(&self, from: usize) -> u64 {
        self.0.get(from..from + 2).map_or(0, le)
    }

    fn is_one(&self) -> bool {
        self.0.starts_with(SIGNATURE) && self.0.len() as u64 >= LOCAL
    }

    /// Returns the name in the header, as far as it was read.
    pub(super) fn name(&self) -> Option<&[u8]> {
        let name = self.0.get(usize::try_from(LOCAL).ok()?..)?;
        let length = usize::try_from(self.field(26)).ok()?;
        self.is_one().then(|| name.get(..length).unwrap_or(name))
    }

    /// Returns the range of an entry, from its header to the end of its packed bytes.
    pub(super) fn span(&self, header: u64, packed: u64) -> Span {
        let named = if self.is_one() { self.field(26).saturating_add(self.field(28)) } else { 0 };
        (header, header.saturating_add(LOCAL).saturating_add(named).saturating_add(packed))
    }
}

/// Reports what looks like entries before the end record, and everything after it.
pub(super) fn tell(
    file: &Rc<File>,
    length: u64,
    end: &End,
    mut spans: Vec<Span>,
    index: &mut Index,
) -> io::Result<()> {
    spans.push((end.directory, end.stop));
    let (mut told, mut left) = (0_usize, MAX_LOOKED_AT);
    let mut skipped = 0;
    for (start, stop) in uncovered(spans, end.record) {
        let looked = left.min(stop.saturating_sub(start));
        left = left.saturating_sub(looked);
        let found = find(file, start, start.saturating_add(looked))?;
        let Some(at) = found else {
            skipped += stop.saturating_sub(start).saturating_sub(looked);
            continue;
        };
        told += 1;
        if told <= MAX_TOLD {
            index.gap(format!(
                "bytes of the archive: {} from byte {at} on begin like an entry that the central directory does not list: they are not read",
                stop.saturating_sub(at)
            ));
        }
    }
    if let Some(more) = told.checked_sub(MAX_TOLD).filter(|more| *more > 0) {
        index.gap(format!("bytes of the archive: {more} more ranges begin like entries that are not listed"));
    }
    if skipped > 0 {
        index.gap(format!(
            "bytes of the archive: {skipped} between entries that no entry has were not looked at"
        ));
    }
    if end.last < length {
        index.gap(format!(
            "bytes behind the end record of the archive: {} from byte {} on are not read",
            length - end.last,
            end.last
        ));
    }
    Ok(())
}

/// Returns the ranges before `stop` that no span covers.
fn uncovered(mut spans: Vec<Span>, stop: u64) -> Vec<Span> {
    spans.sort_unstable();
    spans.push((stop, stop));
    let mut at = 0;
    let mut ranges = Vec::new();
    for (begin, end) in spans {
        let begin = begin.min(stop);
        // Shorter ranges cannot hold a local header.
        if begin.saturating_sub(at) >= LOCAL {
            ranges.push((at, begin));
        }
        at = at.max(end);
    }
    ranges
}

/// Returns the offset of the first signature of a local header between `start` and `stop`.
fn find(file: &Rc<File>, start: u64, stop: u64) -> io::Result<Option<u64>> {
    let (mut at, mut bytes) = (start, Vec::with_capacity(PIECE));
    loop {
        bytes.clear();
        let end = at.saturating_add(PIECE as u64).min(stop);
        Part::new(file, at, end).read_to_end(&mut bytes)?;
        if let Some(found) = bytes.windows(SIGNATURE.len()).position(|window| window == SIGNATURE) {
            return Ok(Some(at.saturating_add(found as u64)));
        }
        if bytes.len() < PIECE {
            return Ok(None);
        }
        // A signature may be split across two pieces.
        at = at.saturating_add((PIECE - (SIGNATURE.len() - 1)) as u64);
    }
}
