//! The free space of a hive.

use crate::registry::cells::{Cells, u32_at};

/// Length of the header of a hive bin.
const BIN_HEADER: usize = 32;

/// Bins begin at multiples of this.
const BIN_UNIT: usize = 4096;

/// Runs of free bytes, as references (from the first hive bin): start and end, sorted.
pub(super) struct Free(Vec<(u32, u32)>);

impl Free {
    /// Goes through all bins and their cells; a bin that contradicts itself is read up to the contradiction.
    pub(super) fn of(cells: Cells<'_>) -> Self {
        let bins = cells.bins();
        let (mut runs, mut at) = (Vec::new(), 0);
        while let Some(bin) = bins.get(at..).filter(|bin| !bin.is_empty()) {
            let size = u32_at(bin, 8).unwrap_or_default() as usize;
            let sound = bin.starts_with(b"hbin") && size > 0 && size.is_multiple_of(BIN_UNIT);
            match bin.get(..size).filter(|_| sound) {
                Some(bin) => {
                    in_bin(bin, at, &mut runs);
                    at += size;
                }
                None => at += BIN_UNIT,
            }
        }
        Self(runs)
    }

    /// Returns the runs of free bytes.
    pub(super) fn runs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    /// Checks whether all of these bytes are free.
    pub(super) fn holds(&self, start: u32, length: usize) -> bool {
        let after = self.0.partition_point(|(from, _)| *from <= start);
        let run = after.checked_sub(1).and_then(|index| self.0.get(index));
        run.is_some_and(|(_, end)| start as usize + length <= *end as usize)
    }
}

fn in_bin(bin: &[u8], first: usize, runs: &mut Vec<(u32, u32)>) {
    let mut at = BIN_HEADER;
    while let Some(size) = u32_at(bin, at) {
        let length = size.cast_signed().unsigned_abs() as usize;
        if length < 8 || !length.is_multiple_of(8) || at + length > bin.len() {
            return;
        }
        let (Ok(start), Ok(end)) = (u32::try_from(first + at), u32::try_from(first + at + length)) else {
            return;
        };
        if size.cast_signed() > 0 {
            match runs.last_mut() {
                Some((_, last)) if *last == start => *last = end,
                _ => runs.push((start, end)),
            }
        }
        at += length;
    }
}
