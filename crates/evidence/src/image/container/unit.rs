//! The most recently expanded units (chunks, grains, clusters).

use super::piece;
use std::cell::RefCell;
use std::io;

/// Bytes that are kept; at least one unit is always kept.
const KEPT: usize = 8 << 20;

/// A small cache of expanded units; the one used last is at the end.
#[derive(Default)]
pub(super) struct Unit(RefCell<Vec<(u64, Vec<u8>)>>);

impl Unit {
    /// Fills `part` from byte `within` of unit `key`, which `make` expands if it is not cached; returns the
    /// number of bytes.
    pub(super) fn copy(
        &self,
        key: u64,
        within: u64,
        part: &mut [u8],
        make: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<usize> {
        let mut kept = self.0.borrow_mut();
        let unit = match kept.iter().rposition(|(found, _)| *found == key) {
            Some(index) => kept.remove(index),
            None => (key, make()?),
        };
        let start = usize::try_from(within).unwrap_or(usize::MAX);
        let bytes = unit.1.get(start..).unwrap_or_default();
        let part = piece(part, bytes.len() as u64);
        part.copy_from_slice(bytes.get(..part.len()).unwrap_or_default());
        if kept.len() >= (KEPT / unit.1.len().max(1)).max(1) {
            kept.remove(0);
        }
        kept.push(unit);
        match part.len() {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}
