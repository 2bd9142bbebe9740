//! Clusters, and their chains in the FAT.

use super::pieces::{Pieces, Stop};
use super::table::Table;
use crate::window::Window;
use std::collections::BTreeMap;

/// The most pieces of a file that are accepted: 1 GiB of fully fragmented 4 KiB clusters.
const MAX_PIECES: usize = 1 << 18;

/// The clusters of a volume.
pub(crate) struct Clusters {
    pub(crate) window: Window,
    pub(crate) table: Table,
    /// Offset of cluster 2, the first one, from the start of the volume, in bytes.
    pub(crate) heap: u64,
    /// Bytes of a cluster.
    pub(crate) size: u64,
    /// Number of clusters.
    pub(crate) count: u32,
}

/// How far a chain is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// For exactly this many bytes; the chain must have them.
    Exactly(u64),
    /// To its end, which must come within this many bytes.
    ToEnd(u64),
}

impl Clusters {
    /// Returns the offset of a cluster in the volume; `None` if there is no such cluster.
    pub(crate) fn offset(&self, cluster: u32) -> Option<u64> {
        let index = cluster.checked_sub(2).filter(|index| *index < self.count)?;
        u64::from(index).checked_mul(self.size)?.checked_add(self.heap)
    }

    /// Returns the cluster that holds a byte of the volume.
    pub(crate) fn holding(&self, offset: u64) -> Option<u32> {
        let index = offset.checked_sub(self.heap)?.checked_div(self.size)?;
        u32::try_from(index).ok().filter(|index| *index < self.count)?.checked_add(2)
    }

    /// Returns how many clusters this many bytes need.
    pub(crate) fn of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.size)
    }

    /// Returns the number of clusters from `first` to the end of the volume.
    pub(crate) fn left(&self, first: u32) -> u64 {
        self.offset(first).map_or(0, |_| (u64::from(self.count) + 2).saturating_sub(first.into()))
    }

    /// Returns `bytes` contiguous bytes from cluster `first` on; `at` is the offset in the volume that says so.
    pub(crate) fn run(&self, first: u32, bytes: u64, at: u64) -> Pieces {
        if bytes == 0 {
            return Pieces::default();
        }
        let outside = Stop {
            what: "first cluster",
            offset: at,
            expected: "a cluster from which the content lies within the volume",
            found: first.into(),
        };
        let Some(offset) = self.offset(first) else {
            return Pieces::none(outside);
        };
        let within = self.left(first).saturating_mul(self.size);
        let mut pieces = Pieces::one(offset, bytes.min(within));
        pieces.stop = (bytes > within).then_some(outside);
        pieces
    }

    /// Follows the chain from cluster `first` on; `at` is the offset in the volume that names this cluster.
    pub(crate) fn chain(&self, first: u32, reach: Reach, at: u64) -> Pieces {
        let (bytes, to_end) = match reach {
            Reach::Exactly(bytes) => (bytes, false),
            Reach::ToEnd(bytes) => (bytes, true),
        };
        let (mut pieces, mut seen) = (Pieces::default(), Seen::default());
        let (mut cluster, mut from, mut left) = (first, at, self.of(bytes));
        while left > 0 || to_end {
            let found = cluster.into();
            let stop = |expected| Some(Stop { what: "cluster of a chain", offset: from, expected, found });
            let Some(offset) = self.offset(cluster) else {
                pieces.stop = stop("a cluster of the volume");
                break;
            };
            if !seen.add(cluster) {
                pieces.stop = stop("a cluster that the chain does not hold yet");
                break;
            }
            if left == 0 || pieces.count() > MAX_PIECES {
                pieces.stop = stop("the end of the chain, or one of fewer pieces");
                break;
            }
            pieces.push(offset, self.size);
            left -= 1;
            if left == 0 && !to_end {
                break;
            }
            from = self.table.place(cluster);
            match self.table.entry(cluster) {
                Ok(next) if self.table.width.is_end(next) && to_end => break,
                Ok(next) => cluster = next,
                Err(_) => {
                    let (what, expected) = ("entry of the FAT", "bytes on the medium");
                    pieces.stop = Some(Stop { what, offset: from, expected, found: cluster.into() });
                    break;
                }
            }
        }
        pieces.cut(bytes);
        pieces
    }
}

/// The clusters of a chain, as runs, to detect a cluster that occurs twice and makes the chain endless.
#[derive(Default)]
struct Seen {
    /// The last cluster of each run, by its first.
    runs: BTreeMap<u32, u32>,
    /// The first and last cluster of the run that is growing.
    current: Option<(u32, u32)>,
    /// The first seen cluster above the current run.
    barrier: Option<u32>,
}

impl Seen {
    /// Adds a cluster; `false` if it was added before.
    fn add(&mut self, cluster: u32) -> bool {
        if let Some((first, last)) = self.current {
            if last.checked_add(1) == Some(cluster) && self.barrier != Some(cluster) {
                self.current = Some((first, cluster));
                return true;
            }
            self.runs.insert(first, last);
        }
        let below = self.runs.range(..=cluster).next_back();
        if below.is_some_and(|(_, last)| *last >= cluster) {
            return false;
        }
        self.barrier = self.runs.range(cluster..).next().map(|(first, _)| *first);
        self.current = Some((cluster, cluster));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_twice(clusters: &[u32]) -> Option<usize> {
        let mut seen = Seen::default();
        clusters.iter().position(|cluster| !seen.add(*cluster))
    }

    #[test]
    fn a_cluster_that_comes_again_is_found_at_once() {
        assert_eq!(first_twice(&[2, 3, 4, 9, 8, 7, 5, 6, 20]), None);
        assert_eq!(first_twice(&[2, 2]), Some(1));
        assert_eq!(first_twice(&[5, 6, 7, 3, 4, 5]), Some(5));
        assert_eq!(first_twice(&[5, 6, 7, 8, 6]), Some(4));
        assert_eq!(first_twice(&[10, 2, 3, 11, 3]), Some(4));
    }
}
