//! Bytes of a zip that its central directory leaves out.
//!
//! Not every byte of an honest zip belongs to an entry: alignment, signatures and what a data descriptor or an editor leaves stand between them.
//! What holds the signature of a local header there is taken for an entry that is not listed; and nothing stands behind the end record and its comment.

use super::end::End;
use super::{LOCAL, le};
use crate::archive::decode::Part;
use crate::archive::index::Index;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;

/// Where something begins and where it ends.
pub(super) type Span = (u64, u64);

/// What a local header begins with.
const SIGNATURE: &[u8] = b"PK\x03\x04";

/// The most ranges that are told one by one.
const MAX_TOLD: usize = 100;

/// The most bytes between entries that are looked at altogether.
const MAX_LOOKED_AT: u64 = 256 << 20;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// A local header: its fixed part and as many bytes as the name has that the central directory gives.
pub(super) struct Local(Vec<u8>);

impl Local {
    /// Reads what stands at `header`.
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

    /// The name that stands in it, as far as it was read.
    pub(super) fn name(&self) -> Option<&[u8]> {
        let name = self.0.get(usize::try_from(LOCAL).ok()?..)?;
        let length = usize::try_from(self.field(26)).ok()?;
        self.is_one().then(|| name.get(..length).unwrap_or(name))
    }

    /// The bytes of an entry up to the end of its `packed` ones.
    pub(super) fn span(&self, header: u64, packed: u64) -> Span {
        let named = if self.is_one() { self.field(26).saturating_add(self.field(28)) } else { 0 };
        (header, header.saturating_add(LOCAL).saturating_add(named).saturating_add(packed))
    }
}

/// Tells what looks like entries in front of the end record, and all that stands behind it.
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

/// The ranges in front of `stop` that no span has.
fn uncovered(mut spans: Vec<Span>, stop: u64) -> Vec<Span> {
    spans.sort_unstable();
    spans.push((stop, stop));
    let mut at = 0;
    let mut ranges = Vec::new();
    for (begin, end) in spans {
        let begin = begin.min(stop);
        // Shorter ones hold no local header.
        if begin.saturating_sub(at) >= LOCAL {
            ranges.push((at, begin));
        }
        at = at.max(end);
    }
    ranges
}

/// Where the first signature of a local header stands between `start` and `stop`.
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
        // A signature may stand across two pieces.
        at = at.saturating_add((PIECE - (SIGNATURE.len() - 1)) as u64);
    }
}
