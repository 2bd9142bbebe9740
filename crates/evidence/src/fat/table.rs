//! The FAT: which cluster follows which ([FATGEN] section "FAT Data Structure"; [exFAT] section 4).

use super::bytes::Cached;
use crate::window::Window;
use std::io;

/// The width of an entry in bits, which also decides its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// FAT12.
    Twelve,
    /// FAT16.
    Sixteen,
    /// FAT32: 28 bits in use.
    TwentyEight,
    /// exFAT.
    ThirtyTwo,
}

impl Width {
    /// Returns the size of an entry in bits.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Width::Twelve => 12,
            Width::Sixteen => 16,
            Width::TwentyEight | Width::ThirtyTwo => 32,
        }
    }

    /// Checks whether the entry ends a chain.
    pub(crate) fn is_end(self, entry: u32) -> bool {
        match self {
            Width::Twelve => entry >= 0xff8,
            Width::Sixteen => entry >= 0xfff8,
            Width::TwentyEight => entry >= 0x0fff_fff8,
            Width::ThirtyTwo => entry == u32::MAX,
        }
    }
}

/// One copy of the FAT.
pub(crate) struct Table {
    cached: Cached,
    /// Offset from the start of the volume, in bytes.
    offset: u64,
    pub(crate) width: Width,
}

impl Table {
    /// Creates the table for the copy at `offset` of the volume.
    pub(crate) fn new(window: &Window, offset: u64, width: Width) -> Table {
        Table { cached: Cached::new(window), offset, width }
    }

    /// Returns the offset of a cluster's entry from the start of the volume, in bytes.
    pub(crate) fn place(&self, cluster: u32) -> u64 {
        self.offset.saturating_add(u64::from(cluster) * self.width.bits() / 8)
    }

    /// Reads the entry of a cluster.
    pub(crate) fn entry(&self, cluster: u32) -> io::Result<u32> {
        let place = self.place(cluster);
        Ok(match self.width {
            Width::Twelve => {
                let pair = u16::from_le_bytes(self.cached.read(place)?);
                u32::from(if cluster.is_multiple_of(2) { pair & 0xfff } else { pair >> 4 })
            }
            Width::Sixteen => u32::from(u16::from_le_bytes(self.cached.read(place)?)),
            Width::TwentyEight => u32::from_le_bytes(self.cached.read(place)?) & 0x0fff_ffff,
            Width::ThirtyTwo => u32::from_le_bytes(self.cached.read(place)?),
        })
    }
}
