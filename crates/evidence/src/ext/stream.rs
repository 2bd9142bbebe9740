//! The bytes of a file, read run by run.

use super::content::{Content, Piece, content};
use super::inode::Inode;
use super::map::{Map, Run};
use super::{Volume, unreadable};
use crate::error::{Damage, ReadError};
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt};
use ledger::ByteSpan;
use std::rc::Rc;

/// The bytes of a file.
pub(crate) struct Stream {
    volume: Rc<Volume>,
    path: EvidencePath,
    size: u64,
    content: Content,
}

impl Stream {
    pub(crate) fn new(volume: &Rc<Volume>, inode: &Inode, path: EvidencePath) -> Result<Stream, Damage> {
        let content = content(volume, inode)?;
        Ok(Stream { volume: volume.clone(), path, size: inode.size, content })
    }

    /// Returns the run at byte `offset`: where its bytes are (`None` for zeros), and how many there are.
    fn at(&self, map: &Map, offset: u64) -> Result<(Option<u64>, u64), Damage> {
        let block = self.volume.superblock.block;
        let within = offset % block;
        let Run { block: first, is_written, length } = map.at(offset / block)?;
        let left = length.saturating_mul(block).saturating_sub(within);
        let place = first.filter(|_| is_written).map(|first| first.saturating_mul(block) + within);
        Ok((place, left))
    }

    fn fill(&self, map: &Map, offset: u64, buffer: &mut [u8]) -> Result<usize, Damage> {
        let (place, left) = self.at(map, offset)?;
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let piece = buffer.get_mut(..take).unwrap_or_default();
        let Some(place) = place else {
            piece.fill(0);
            return Ok(take);
        };
        let window = &self.volume.window;
        if window.read_exact_at(place, piece).is_ok() {
            return Ok(take);
        }
        // Before the unreadable block there may be readable ones.
        let block = self.volume.superblock.block;
        let take = usize::try_from(block - offset % block).unwrap_or(usize::MAX).min(take);
        let piece = buffer.get_mut(..take).unwrap_or_default();
        window
            .read_exact_at(place, piece)
            .map_err(|source| unreadable("content of a file", place, source))?;
        Ok(take)
    }
}

impl ReadAt for Stream {
    fn len(&self) -> u64 {
        self.size
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..wanted).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        match &self.content {
            Content::Inline(pieces) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let bytes = pieces.iter().flat_map(|piece| &piece.bytes).skip(from);
                buffer.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
                Ok(wanted)
            }
            Content::Blocks(map) => self
                .fill(map, offset, buffer)
                .map_err(|source| ReadError::Damaged { path: self.path.clone(), source }),
        }
    }

    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        let end = span.end().min(self.size);
        let map = match &self.content {
            Content::Inline(pieces) => return self.inline(pieces, span.offset, end),
            Content::Blocks(map) => map,
        };
        let mut extents = Vec::new();
        let mut position = span.offset;
        while position < end {
            // Bytes without a known place cannot be read either.
            let Ok((place, left)) = self.at(map, position) else { break };
            let take = left.min(end - position);
            if let Some(place) = place {
                extents.extend(self.volume.window.extents(place, take));
            }
            position = position.saturating_add(take);
        }
        extents
    }
}

impl Stream {
    fn inline(&self, pieces: &[Piece], offset: u64, end: u64) -> Vec<Extent> {
        let mut start = 0;
        let mut extents = Vec::new();
        for piece in pieces {
            let stop = start + piece.bytes.len() as u64;
            let (from, to) = (offset.max(start), end.min(stop));
            if from < to {
                extents.extend(self.volume.window.extents(piece.offset + (from - start), to - from));
            }
            start = stop;
        }
        extents
    }
}
