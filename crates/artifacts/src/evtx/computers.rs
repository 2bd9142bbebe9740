//! Which computers wrote a log, one after the other, without reading every record of it.

use super::{CHUNK, Fetch, Found, HEAD, chunk, oldest};
use std::ops::ControlFlow;

/// The names of the computers that a log of `length` bytes names, in the order of its records; a name that follows itself stands once.
///
/// Of a chunk that begins as its neighbours do only the first record is read: a name that stands nowhere but in the middle of such chunks is not found.
pub fn computers<E>(length: u64, fetch: &mut Fetch<'_, E>) -> Result<Vec<String>, E> {
    let slots = length.saturating_sub(HEAD).div_ceil(CHUNK as u64);
    let oldest = oldest(slots, fetch)?;
    let mut names: Vec<String> = Vec::new();
    let mut before: Option<Vec<u8>> = None;
    for slot in (oldest..slots).chain(0..oldest) {
        let mut data = vec![0; CHUNK];
        let got = fetch(HEAD + slot * CHUNK as u64, &mut data)?;
        let Some(first) = names_of(&data, got, true).pop() else { continue };
        if names.last() != Some(&first) {
            // The name changed somewhere in the chunk before.
            before.iter().for_each(|before| extend(&mut names, names_of(before, CHUNK, false)));
            extend(&mut names, vec![first]);
        }
        before = Some(data);
    }
    before.iter().for_each(|last| extend(&mut names, names_of(last, CHUNK, false)));
    Ok(names)
}

/// The names in the records of a chunk: of the first one, or of all.
fn names_of(chunk: &[u8], held: usize, is_first_enough: bool) -> Vec<String> {
    let mut names = Vec::new();
    // Damage is told by whoever reads the log for what it holds.
    let _: ControlFlow<()> = chunk::read(chunk.to_vec(), held, 0, &mut |found| {
        if let Found::Event(event) = found
            && !event.system.computer.is_empty()
        {
            extend(&mut names, vec![event.system.computer.as_ref().to_owned()]);
            if is_first_enough {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    names
}

fn extend(names: &mut Vec<String>, more: Vec<String>) {
    for name in more {
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
}
