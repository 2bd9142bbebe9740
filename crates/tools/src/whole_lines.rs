//! Windows of whole lines.
//!
//! A line cut by an offset or a length can say the opposite of the whole line, and a number cut in two is another number.

use crate::error::CallError;
use crate::text::Encoding;
use evidence::{ReadAt, read_full_at};

/// How far from the window the ends of a line are looked for, in bytes; a longer line stays cut where the window cuts it.
const REACH: usize = 64 * 1024;

/// Reads the window of `length` bytes at `offset`, extended so that it begins with a whole line and contains at least one.
pub(crate) fn widen(
    reader: &mut dyn ReadAt,
    offset: u64,
    length: usize,
    encoding: Encoding,
) -> Result<(u64, Vec<u8>), CallError> {
    if offset >= reader.len() {
        return Ok((offset, Vec::new()));
    }
    let start = line_start(reader, offset, encoding)?;
    let asked = usize::try_from(offset - start).unwrap_or(REACH).saturating_add(length);
    let mut bytes = read_at(reader, start, asked.saturating_add(REACH))?;
    let unit = encoding.unit();
    let whole = bytes.get(..asked).is_some_and(|asked| feeds(asked, unit).next().is_some());
    let rest = bytes.get(asked..).filter(|_| !whole);
    let end = match rest {
        // The window has a whole line: a line that it cuts after that is left to the next window.
        None => asked,
        Some(rest) => feeds(rest, unit).next().map_or(asked + rest.len(), |at| asked + at + unit),
    };
    bytes.truncate(end);
    Ok((start, bytes))
}

/// Returns where the line with byte `offset` begins.
fn line_start(reader: &mut dyn ReadAt, offset: u64, encoding: Encoding) -> Result<u64, CallError> {
    let unit = encoding.unit() as u64;
    let from = offset.saturating_sub(REACH as u64) / unit * unit;
    let before = read_at(reader, from, usize::try_from(offset - from).unwrap_or(REACH))?;
    Ok(match feeds(&before, encoding.unit()).last() {
        Some(at) => from + at as u64 + unit,
        None if from == 0 => 0,
        None => offset,
    })
}

/// Returns the positions of line feeds in bytes that begin with a whole unit.
fn feeds(bytes: &[u8], unit: usize) -> impl Iterator<Item = usize> {
    let is_feed = |unit: &[u8]| matches!(unit, b"\n" | b"\n\0");
    bytes.chunks_exact(unit).enumerate().filter(move |(_, unit)| is_feed(unit)).map(move |(at, _)| at * unit)
}

pub(crate) fn read_at(reader: &mut dyn ReadAt, offset: u64, length: usize) -> Result<Vec<u8>, CallError> {
    let left = usize::try_from(reader.len().saturating_sub(offset)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(left)];
    let read = read_full_at(reader, offset, &mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}
