//! Which clusters are in use.

use super::bytes::Cached;
use super::clusters::Clusters;
use super::pieces::Pieces;
use crate::window::Window;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

/// Clusters that are counted as one block.
const BLOCK: u32 = 1024;

/// The source that shows which clusters are in use.
pub(crate) enum Usage {
    /// The FAT: an entry of 0 is free ([FATGEN] section "FAT Data Structure").
    Table,
    /// A bitmap ([exFAT] section 7.1.5).
    Bitmap(Cached, Pieces),
}

impl Usage {
    /// Creates the bitmap whose bytes are in `pieces`.
    pub(crate) fn bitmap(window: &Window, pieces: Pieces) -> Usage {
        Usage::Bitmap(Cached::new(window), pieces)
    }

    /// Checks whether a cluster of the volume is in use.
    pub(crate) fn is_used(&self, clusters: &Clusters, cluster: u32) -> io::Result<bool> {
        match self {
            Usage::Table => Ok(clusters.table.entry(cluster)? != 0),
            Usage::Bitmap(cached, pieces) => {
                let index = cluster.saturating_sub(2);
                let (offset, _) = pieces.at(u64::from(index / 8)).ok_or(io::ErrorKind::UnexpectedEof)?;
                let [byte] = cached.read(offset)?;
                Ok(byte >> (index % 8) & 1 == 1)
            }
        }
    }
}

/// Counts of clusters in use; each whole block of clusters is counted only once.
#[derive(Default)]
pub(crate) struct Counts(RefCell<HashMap<u32, u32>>);

impl Counts {
    /// Returns how many of the `count` clusters from `first` on are in use; those past the end of the volume are
    /// left out.
    pub(crate) fn used(&self, usage: &Usage, clusters: &Clusters, first: u32, count: u64) -> io::Result<u64> {
        let mut left = count.min(clusters.left(first));
        let (mut cluster, mut used) = (first, 0);
        while left > 0 {
            let whole = cluster.is_multiple_of(BLOCK) && left >= BLOCK.into();
            let step = if whole { BLOCK } else { 1 };
            used += u64::from(match whole {
                true => self.block(usage, clusters, cluster)?,
                false => usage.is_used(clusters, cluster)?.into(),
            });
            left -= u64::from(step);
            cluster = cluster.saturating_add(step);
        }
        Ok(used)
    }

    fn block(&self, usage: &Usage, clusters: &Clusters, first: u32) -> io::Result<u32> {
        if let Some(known) = self.0.borrow().get(&first) {
            return Ok(*known);
        }
        let mut used = 0;
        for cluster in first..first.saturating_add(BLOCK) {
            used += u32::from(usage.is_used(clusters, cluster)?);
        }
        self.0.borrow_mut().insert(first, used);
        Ok(used)
    }
}
