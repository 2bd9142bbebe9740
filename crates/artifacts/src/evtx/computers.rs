//! The computers that wrote a log, in order, found without reading every record of it.

use super::{CHUNK, Fetch, Found, HEAD, Stored, behind_hole, chunk, oldest};
use std::ops::ControlFlow;

/// The computer that wrote a record, and the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// The name of the computer.
    pub computer: String,
    /// The channel; empty if the record names none.
    pub channel: String,
}

/// Returns who wrote a log of `length` bytes, in the order of its records; consecutive repeats appear once.
///
/// If all chunks of a log begin with the same writer, only their first records are read, and all records of the
/// newest chunk. A writer that appears only in the middle of such a log is not found.
pub fn computers<E>(
    length: u64,
    fetch: &mut Fetch<'_, E>,
    stored: &mut Stored<'_>,
) -> Result<Vec<Writer>, E> {
    let slots = length.saturating_sub(HEAD).div_ceil(CHUNK as u64);
    let oldest = oldest(slots, fetch, stored)?;
    let mut order = Vec::new();
    for range in [oldest..slots, 0..oldest] {
        let mut slot = range.start;
        while slot < range.end {
            slot = behind_hole(slot, stored);
            order.extend(Some(slot).filter(|slot| range.contains(slot)));
            slot += 1;
        }
    }
    let begun = writers(&order, true, fetch)?;
    match begun.as_slice() {
        [_, _, ..] => writers(&order, false, fetch),
        _ => Ok(begun),
    }
}

/// Returns who wrote the records of these chunks; with `is_first_enough`, only the first record is read of all
/// chunks except the last.
fn writers<E>(chunks: &[u64], is_first_enough: bool, fetch: &mut Fetch<'_, E>) -> Result<Vec<Writer>, E> {
    let mut found: Vec<Writer> = Vec::new();
    for (place, chunk) in chunks.iter().enumerate() {
        let mut data = vec![0; CHUNK];
        let got = fetch(HEAD + chunk * CHUNK as u64, &mut data)?;
        let is_last = place + 1 == chunks.len();
        found.extend(names_of(data, got, is_first_enough && !is_last));
        found.dedup();
    }
    Ok(found)
}

/// Returns the names in the records of a chunk: in the first one, or in all.
fn names_of(chunk: Vec<u8>, held: usize, is_first_enough: bool) -> Vec<Writer> {
    let mut names = Vec::new();
    // Damage is reported by code that reads the log for its content.
    let _: ControlFlow<()> = chunk::read(chunk, held, 0, &mut |found| {
        if let Found::Event(event) = found
            && !event.system.computer.is_empty()
        {
            let (computer, channel) = (event.system.computer.as_ref(), event.system.channel.as_ref());
            names.push(Writer { computer: computer.to_owned(), channel: channel.to_owned() });
            names.dedup();
            if is_first_enough {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    names
}
