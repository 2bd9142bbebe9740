//! Which computers wrote a log, one after the other, without reading every record of it.

use super::{CHUNK, Fetch, Found, HEAD, chunk, oldest};
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
/// Of a chunk that begins as its neighbours do only the first record is read: who wrote nothing but in the middle of such chunks is not found.
pub fn computers<E>(length: u64, fetch: &mut Fetch<'_, E>) -> Result<Vec<Writer>, E> {
    let slots = length.saturating_sub(HEAD).div_ceil(CHUNK as u64);
    let oldest = oldest(slots, fetch)?;
    let mut names: Vec<Writer> = Vec::new();
    let mut before: Option<Vec<u8>> = None;
    for slot in (oldest..slots).chain(0..oldest) {
        let mut data = vec![0; CHUNK];
        let got = fetch(HEAD + slot * CHUNK as u64, &mut data)?;
        let Some(first) = names_of(&data, got, true).pop() else { continue };
        if names.last() != Some(&first) {
            // The name changed somewhere in the chunk before.
            names.extend(before.iter().flat_map(|before| names_of(before, CHUNK, false)));
            names.push(first);
        }
        before = Some(data);
    }
    names.extend(before.iter().flat_map(|last| names_of(last, CHUNK, false)));
    names.dedup();
    Ok(names)
}

/// The names in the records of a chunk: of the first one, or of all.
fn names_of(chunk: &[u8], held: usize, is_first_enough: bool) -> Vec<Writer> {
    let mut names = Vec::new();
    // Damage is told by whoever reads the log for what it holds.
    let _: ControlFlow<()> = chunk::read(chunk.to_vec(), held, 0, &mut |found| {
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
