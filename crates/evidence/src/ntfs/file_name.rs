//! `$FILE_NAME`: a name, its parent folder and four times, in records and as the keys of folders.

use super::bytes::{Reference, u32_at, u64_at};
use super::record::{is_written, name_bytes};
use crate::tree::MacbTimes;
use ledger::Time;

/// Size of the structure before the name, in bytes.
const HEADER: usize = 0x42;

/// The short name of a file that also has a long one.
const DOS: u8 = 2;

/// Set in the attributes of a folder.
const DIRECTORY: u32 = 0x1000_0000;

/// A `$FILE_NAME`.
#[derive(Clone, Copy)]
pub(super) struct NameRecord<'a> {
    bytes: &'a [u8],
    /// The UTF-16 bytes of the name.
    pub(super) units: &'a [u8],
}

impl<'a> NameRecord<'a> {
    /// Parses a `$FILE_NAME`; `None` if it ends before its name does, or has no name.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<NameRecord<'a>> {
        let length = usize::from(*bytes.get(0x40)?) * 2;
        let units = bytes.get(HEADER..)?.get(..length).filter(|units| !units.is_empty())?;
        Some(NameRecord { bytes, units })
    }

    pub(super) fn parent(&self) -> Reference {
        Reference::read(u64_at(self.bytes, 0).unwrap_or(0))
    }

    /// Returns the times as stored: born, modified, changed, accessed.
    pub(super) fn times(&self) -> MacbTimes {
        four_times(self.bytes.get(8..).unwrap_or_default())
    }

    pub(super) fn size(&self) -> u64 {
        u64_at(self.bytes, 0x30).unwrap_or(0)
    }

    pub(super) fn is_directory(&self) -> bool {
        u32_at(self.bytes, 0x38).unwrap_or(0) & DIRECTORY != 0
    }

    /// Returns the tag of a reparse point, stored where other files have the size of extended attributes.
    pub(super) fn reparse_tag(&self) -> Option<u32> {
        const REPARSE_POINT: u32 = 0x400;
        u32_at(self.bytes, 0x38)
            .filter(|flags| flags & REPARSE_POINT != 0)
            .and_then(|_| u32_at(self.bytes, 0x3c))
    }

    pub(super) fn is_dos(&self) -> bool {
        self.code() == DOS
    }

    pub(super) fn code(&self) -> u8 {
        self.bytes.get(0x41).copied().unwrap_or(0)
    }

    pub(super) fn namespace(&self) -> &'static str {
        match self.code() {
            0 => "posix",
            1 => "win32",
            DOS => "dos",
            3 => "win32_and_dos",
            _ => "unknown",
        }
    }

    /// Returns the bytes of the name, see [`name_bytes`].
    pub(super) fn name(&self) -> Vec<u8> {
        name_bytes(self.units)
    }

    pub(super) fn is_written(&self, name: &str) -> bool {
        is_written(self.units, name)
    }

    /// Returns the size of the structure up to the end of its name, in bytes.
    pub(super) fn length(&self) -> usize {
        HEADER + self.units.len()
    }
}

/// Reads four times in the order of `$STANDARD_INFORMATION` and `$FILE_NAME`.
pub(super) fn four_times(bytes: &[u8]) -> MacbTimes {
    let ticks = |at| u64_at(bytes, at);
    let born = ticks(0).map(Time::from_filetime);
    // Some of them are often equal, and a copy is cheaper than a conversion.
    let after = |at, before: usize, known: &Option<Time>| match ticks(at) == ticks(before) {
        true => known.clone(),
        false => ticks(at).map(Time::from_filetime),
    };
    let modified = after(8, 0, &born);
    let changed = after(16, 8, &modified);
    let accessed = if ticks(24) == ticks(16) { changed.clone() } else { after(24, 0, &born) };
    MacbTimes { born, modified, changed, accessed }
}
