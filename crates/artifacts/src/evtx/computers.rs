//! Which computers wrote a log, one after the other, without reading every record of it.

use super::{CHUNK, Fetch, Found, HEAD, Stored, behind_hole, chunk, oldest};
use std::ops::ControlFlow;

/// Who wrote a record, and for which channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// The name of the computer.
    pub computer: String,
    /// The channel; empty where the record names none.
    pub channel: String,
}

/// Who wrote a log of `length` bytes, in the order of its records; who follows itself stands once.
///
/// Of a log whose chunks all begin with one writer only the first records, and those of the newest chunk, are read: who wrote nothing but in the middle of such a log is not found.
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

/// Who wrote the records of these chunks: of all but the last one only the first record where `is_first_enough`.
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

/// The names in the records of a chunk: of the first one, or of all.
fn names_of(chunk: Vec<u8>, held: usize, is_first_enough: bool) -> Vec<Writer> {
    let mut names = Vec::new();
    // Damage is told by whoever reads the log for what it holds.
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
