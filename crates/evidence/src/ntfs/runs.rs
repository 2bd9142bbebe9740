//! The clusters of a non-resident attribute, by their position in the stream.

use super::{NtfsDamage, Place};
use crate::read::Extent;
use ntfs_core::runlist::Run;
use std::io;

/// Runs in stream order; a missing piece is a break, which cannot be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    /// The first cluster in the stream, and the run.
    runs: Vec<(u64, Run)>,
    /// Number of clusters up to the end of the last run.
    total: u64,
}

impl Runs {
    /// Adds the runs of an attribute that begins at cluster `start` of the stream.
    pub(crate) fn add(&mut self, entry: u64, start: u64, runs: Vec<Run>) -> Result<(), NtfsDamage> {
        if start < self.total {
            let what = "first cluster of a piece of the stream";
            return Err(NtfsDamage::Value { entry, what, expected: self.total, found: start });
        }
        self.total = start;
        for run in runs {
            self.runs.push((self.total, run));
            self.total = self.total.saturating_add(run.length);
        }
        Ok(())
    }

    /// Returns the part of a run from byte `offset` of the stream on: its offset in the volume (`None` for a
    /// hole), and its size in bytes.
    pub(crate) fn at(&self, cluster: u64, offset: u64) -> Option<(Option<u64>, u64)> {
        let wanted = offset.checked_div(cluster)?;
        let index = self.runs.partition_point(|(start, _)| *start <= wanted).checked_sub(1)?;
        let (start, run) = self.runs.get(index)?;
        let within = offset.checked_sub(start.checked_mul(cluster)?)?;
        let left = run.length.saturating_mul(cluster).checked_sub(within).filter(|left| *left > 0)?;
        let place = match run.lcn {
            Some(lcn) => Some(lcn.checked_mul(cluster)?.checked_add(within)?),
            None => None,
        };
        Some((place, left))
    }

    /// Reads from the clusters; holes, and bytes that no run covers, are zeros.
    pub(crate) fn read(&self, place: &Place, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let Some((found, left)) = self.at(place.cluster, offset.saturating_add(done as u64)) else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            let take = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
            let piece = rest.get_mut(..take).unwrap_or_default();
            match found {
                None => piece.fill(0),
                Some(at) => place.window.read_exact_at(at, piece)?,
            }
            done += take;
        }
        Ok(())
    }

    /// Returns the extents of the bytes on the medium; holes have none.
    pub(crate) fn extents(&self, place: &Place, offset: u64, end: u64) -> Vec<Extent> {
        let mut extents = Vec::new();
        let mut position = offset;
        while position < end {
            let Some((found, left)) = self.at(place.cluster, position) else { break };
            let take = left.min(end - position);
            if let Some(at) = found {
                extents.extend(place.window.extents(at, take));
            }
            position = position.saturating_add(take);
        }
        extents
    }

    /// Returns the runs: first cluster on the volume (`None` for a hole), and number of clusters.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<u64>, u64)> {
        self.runs.iter().map(|(_, run)| (run.lcn, run.length))
    }

    /// Checks whether clusters are missing from `offset` on, before a later run.
    fn broken(&self, cluster: u64, offset: u64) -> bool {
        offset.checked_div(cluster).is_some_and(|at| at < self.total)
    }

    /// Returns the number of stored bytes from the start of the range up to the first hole, and the number that
    /// runs cover. `None` if a piece is missing.
    pub(crate) fn stored(&self, cluster: u64, offset: u64, length: u64) -> Option<(u64, u64)> {
        let (mut stored, mut covered) = (0, 0);
        while covered < length {
            let at = offset.saturating_add(covered);
            let Some((found, left)) = self.at(cluster, at) else {
                if self.broken(cluster, at) {
                    return None;
                }
                break;
            };
            let take = left.min(length - covered);
            if found.is_some() && stored == covered {
                stored += take;
            }
            covered += take;
        }
        Some((stored, covered))
    }
}
