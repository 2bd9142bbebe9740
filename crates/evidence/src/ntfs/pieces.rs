//! A cache of pieces of the `$MFT`: the entries of a folder are mostly close together.

use super::runs::Runs;
use super::{NtfsDamage, Place};
use ntfs_core::error::NtfsError;

/// Bytes read at once, and bytes kept in the cache.
const PIECE: u64 = 16 << 10;
const KEPT: u64 = 16 << 20;

/// The pieces read last, each in the slot for its number.
pub(super) struct Pieces {
    piece: u64,
    kept: Vec<Option<(u64, Vec<u8>)>>,
}

impl Pieces {
    pub(super) fn new(record: u64) -> Pieces {
        let piece = PIECE.max(record) / record.max(1) * record.max(1);
        let slots = usize::try_from((KEPT / piece.max(1)).max(1)).unwrap_or(1);
        Pieces { piece, kept: (0..slots).map(|_| None).collect() }
    }

    /// Reads the `length` bytes at `offset` of the `$MFT`, which is `total` bytes long.
    pub(super) fn read(
        &mut self,
        (mft, place): (&Runs, &Place),
        (offset, length, total): (u64, u64, u64),
    ) -> Result<Vec<u8>, NtfsDamage> {
        let number = offset / self.piece.max(1);
        let start = number * self.piece;
        let slots = self.kept.len().max(1) as u64;
        let slot = usize::try_from(number % slots).unwrap_or(0);
        let within = usize::try_from(offset - start).unwrap_or(usize::MAX);
        let wanted = usize::try_from(length).unwrap_or(0);
        let kept = self.kept.get_mut(slot);
        if let Some(kept) = kept {
            if kept.as_ref().is_none_or(|(found, _)| *found != number) {
                let size = usize::try_from(self.piece.min(total.saturating_sub(start))).unwrap_or(0);
                let mut bytes = kept.take().map(|(_, bytes)| bytes).unwrap_or_default();
                bytes.resize(size, 0);
                if mft.read(place, start, &mut bytes).is_ok() {
                    *kept = Some((number, bytes));
                }
            }
            let found = kept.as_ref().and_then(|(_, bytes)| bytes.get(within..)?.get(..wanted));
            if let Some(found) = found {
                return Ok(found.to_vec());
            }
        }
        // A part of the piece cannot be read, or is past the end.
        let entry = offset.checked_div(length).unwrap_or(0);
        let mut bytes = vec![0; wanted];
        let read = mft.read(place, offset, &mut bytes);
        read.map_err(|source| NtfsDamage::Record { entry, source: NtfsError::Io(source) })?;
        Ok(bytes)
    }
}
