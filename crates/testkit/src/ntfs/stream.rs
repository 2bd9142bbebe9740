//! Streams in clusters: plain, with holes, compressed, and partly uninitialised.

use super::attributes::{Attribute, Body, COMPRESSED, Mapped, SPARSE};
use super::boot::SECTOR;
use super::error::BuildError;
use super::lznt1;
use super::runs::{self, Run, push};
use super::space::Space;
use super::spec::Content;
use crate::medium::Medium;

/// The binary logarithm of the clusters in a compression unit.
const UNIT: u8 = 4;

/// The clusters and the medium in which streams are stored.
pub(crate) struct Store<'a> {
    pub(crate) space: &'a mut Space,
    pub(crate) medium: &'a mut Medium,
    pub(crate) extents: u32,
    /// Clusters to use first: those of deleted files.
    pub(crate) over: Vec<Run>,
}

impl Store<'_> {
    /// Stores a stream; it is resident if possible, and can be moved later.
    pub(crate) fn attribute(
        &mut self,
        kind: u32,
        name: &str,
        content: &Content,
    ) -> Result<Attribute, BuildError> {
        let mapped = match content {
            Content::Bytes(bytes) if self.over.is_empty() => {
                return Ok(Attribute::resident(kind, name, bytes.clone()));
            }
            Content::Bytes(bytes) | Content::Clusters(bytes) => self.plain(bytes)?,
            Content::Sparse { size, parts } => self.sparse(*size, parts)?,
            Content::Compressed(bytes) => self.compressed(bytes)?,
            Content::Uninitialised { bytes, size, behind } => self.uninitialised(bytes, *size, behind)?,
        };
        Ok(Attribute::clusters(kind, name, mapped))
    }

    /// Moves a resident value into clusters.
    pub(crate) fn evict(&mut self, attribute: &mut Attribute) -> Result<(), BuildError> {
        if let Body::Resident { value, .. } = &attribute.body {
            attribute.body = Body::Clusters(self.plain(&value.clone())?);
        }
        Ok(())
    }

    fn plain(&mut self, bytes: &[u8]) -> Result<Mapped, BuildError> {
        let found = self.take(bytes.len() as u64)?;
        self.write(&found, 0, bytes);
        Ok(Mapped::plain(found, self.space.cluster, bytes.len() as u64))
    }

    fn take(&mut self, bytes: u64) -> Result<Vec<Run>, BuildError> {
        let count = self.space.count(bytes);
        let over = std::mem::take(&mut self.over);
        self.space.take_over(&over, count, self.extents)
    }

    /// Writes whole sectors: older data in the rest of the last cluster stays, as file slack does.
    fn write(&mut self, runs: &[Run], offset: u64, bytes: &[u8]) {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(usize::try_from(SECTOR).unwrap_or(1)), 0);
        self.medium.put_runs(runs, self.space.cluster, offset, &padded);
    }

    fn uninitialised(&mut self, bytes: &[u8], size: u64, behind: &[u8]) -> Result<Mapped, BuildError> {
        let found = self.take(size)?;
        self.write(&found, 0, bytes);
        self.medium.put_runs(&found, self.space.cluster, bytes.len() as u64, behind);
        let initialised = size.min(bytes.len() as u64);
        Ok(Mapped { initialised, ..Mapped::plain(found, self.space.cluster, size) })
    }

    fn sparse(&mut self, size: u64, parts: &[(u64, Vec<u8>)]) -> Result<Mapped, BuildError> {
        let cluster = self.space.cluster;
        let mut all = Vec::new();
        let mut vcn = 0;
        for (offset, bytes) in parts.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            // Two parts may share a cluster.
            let start = (offset / cluster).max(vcn);
            let end = (offset + bytes.len() as u64).div_ceil(cluster);
            push(&mut all, Run { lcn: None, length: start - vcn });
            for run in self.space.take(end.saturating_sub(start), self.extents)? {
                push(&mut all, run);
            }
            vcn = vcn.max(end);
        }
        push(&mut all, Run { lcn: None, length: size.div_ceil(cluster).saturating_sub(vcn) });
        for (offset, bytes) in parts {
            self.medium.put_runs(&all, cluster, *offset, bytes);
        }
        Ok(self.with_holes(all, size, SPARSE, 0))
    }

    fn with_holes(&self, all: Vec<Run>, size: u64, flags: u16, unit: u8) -> Mapped {
        let stored = runs::stored(&all) * self.space.cluster;
        Mapped { flags, unit, stored, ..Mapped::plain(all, self.space.cluster, size) }
    }

    fn compressed(&mut self, bytes: &[u8]) -> Result<Mapped, BuildError> {
        let cluster = self.space.cluster;
        if cluster > 4096 {
            return Err(BuildError::Compression { cluster });
        }
        let clusters = 1 << UNIT;
        let mut all = Vec::new();
        for unit in bytes.chunks(usize::try_from(cluster * clusters).unwrap_or(1)) {
            let packed = lznt1::compress(unit);
            let needed = self.space.count(packed.len() as u64);
            let (taken, stored) = match unit.iter().all(|byte| *byte == 0) {
                true => (0, &[][..]),
                false if needed < clusters => (needed, packed.as_slice()),
                false => (clusters, unit),
            };
            let pieces = if self.extents > 1 { 2 } else { 1 };
            let found = self.space.take(taken, pieces)?;
            self.medium.put_runs(&found, cluster, 0, stored);
            for run in found {
                push(&mut all, run);
            }
            push(&mut all, Run { lcn: None, length: clusters - taken });
        }
        Ok(self.with_holes(all, bytes.len() as u64, COMPRESSED, UNIT))
    }
}
