//! The clusters of a volume: which are allocated, and what is written to them.

use super::error::BuildError;
use super::runs::{Run, push};
use crate::medium::Medium;
use std::collections::BTreeSet;

impl Medium {
    /// Writes bytes of a stream starting at `offset`; nothing is written to holes.
    pub(crate) fn put_runs(&mut self, runs: &[Run], cluster: u64, offset: u64, bytes: &[u8]) {
        let mut start = 0;
        let end = offset + bytes.len() as u64;
        for run in runs {
            let stop = start + run.length * cluster;
            let (from, to) = (start.max(offset), stop.min(end));
            if let Some(lcn) = run.lcn
                && from < to
            {
                let within = |at: u64| usize::try_from(at - offset).unwrap_or(usize::MAX);
                self.put(lcn * cluster + (from - start), bytes[within(from)..within(to)].to_vec());
            }
            start = stop;
        }
    }

    /// Returns the contents of these clusters, with zeros for holes.
    pub(crate) fn read_runs(&self, runs: &[Run], cluster: u64) -> Vec<u8> {
        let piece = |run: &Run| match run.lcn {
            Some(lcn) => self.read(lcn * cluster, run.length * cluster),
            None => vec![0; usize::try_from(run.length * cluster).unwrap_or(0)],
        };
        runs.iter().flat_map(piece).collect()
    }
}

/// The clusters of a volume, allocated in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) cluster: u64,
    pub(crate) total: u64,
    next: u64,
    /// Clusters that are in use in the finished volume.
    used: BTreeSet<(u64, u64)>,
}

impl Space {
    pub(crate) fn new(cluster: u64, total: u64) -> Space {
        Space { cluster, total, next: 0, used: BTreeSet::new() }
    }

    /// Returns the number of clusters for this many bytes.
    pub(crate) fn count(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.cluster)
    }

    /// Allocates clusters in this many pieces, separated by a free cluster and with every two pieces swapped.
    pub(crate) fn take(&mut self, count: u64, extents: u32) -> Result<Vec<Run>, BuildError> {
        let pieces = u64::from(extents.max(1)).min(count);
        let (length, mut longer) = match pieces {
            0 => return Ok(Vec::new()),
            pieces => (count / pieces, count % pieces),
        };
        let mut found = Vec::new();
        for _ in 0..pieces {
            let extra = longer.min(1);
            longer -= extra;
            found.push(self.piece(length + extra)?);
            if pieces > 1 {
                self.next += 1;
            }
        }
        for pair in found.chunks_exact_mut(2) {
            pair.swap(0, 1);
        }
        Ok(found)
    }

    fn piece(&mut self, length: u64) -> Result<Run, BuildError> {
        let free = self.total.saturating_sub(self.next);
        if length > free {
            return Err(BuildError::Full { wanted: length, free });
        }
        let run = Run { lcn: Some(self.next), length };
        self.next += length;
        Ok(run)
    }

    /// Allocates clusters from these runs first, and others if they are not enough.
    pub(crate) fn take_over(
        &mut self,
        runs: &[Run],
        count: u64,
        extents: u32,
    ) -> Result<Vec<Run>, BuildError> {
        let mut found = Vec::new();
        let mut left = count;
        for run in runs.iter().filter(|run| run.lcn.is_some()) {
            let length = run.length.min(left);
            push(&mut found, Run { length, ..*run });
            left -= length;
        }
        for run in self.take(left, extents)? {
            push(&mut found, run);
        }
        Ok(found)
    }

    /// Leaves this cluster and all before it free.
    pub(crate) fn skip_to(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Marks these clusters as in use.
    pub(crate) fn mark(&mut self, runs: &[Run]) {
        self.used.extend(runs.iter().filter_map(|run| Some((run.lcn?, run.length))));
    }

    /// Encodes `$Bitmap`: one bit per cluster, with the bits after the end of the volume set.
    pub(crate) fn bitmap(&self) -> Vec<u8> {
        let mut bits = vec![0; usize::try_from(bitmap_size(self.total)).unwrap_or(0)];
        let end = bits.len() as u64 * 8;
        for (start, length) in self.used.iter().copied().chain([(self.total, end - self.total)]) {
            for bit in start..start + length {
                set_bit(&mut bits, bit);
            }
        }
        bits
    }
}

/// Returns the size of a bitmap in bytes: whole units of eight bytes.
pub(crate) fn bitmap_size(bits: u64) -> u64 {
    bits.div_ceil(64) * 8
}

pub(crate) fn set_bit(bits: &mut [u8], bit: u64) {
    if let Some(byte) = usize::try_from(bit / 8).ok().and_then(|at| bits.get_mut(at)) {
        *byte |= 1 << (bit % 8);
    }
}
