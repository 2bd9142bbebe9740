//! Whether calls are about to fill the disk that their scratch folders lie on.
//!
//! The length of one file is limited by the kernel, the number of files, and of those that have no name any more, is not.

use crate::linux::sys::{self, Room};
use std::os::fd::BorrowedFd;

/// How much is left alone at most, in bytes.
const MOST: u64 = 1 << 30;

/// A file system, and what a call has to leave of it.
pub(crate) struct Floor<'a> {
    folder: BorrowedFd<'a>,
    bytes: u64,
    files: u64,
}

impl<'a> Floor<'a> {
    /// What a call that starts now has to leave where `folder` lies; `None` where nobody knows how much there is.
    pub(crate) fn of(folder: BorrowedFd<'a>) -> Option<Self> {
        let room = sys::room(folder).ok()?;
        let (bytes, files) = (floor(room.bytes, room.free_bytes), floor(room.files, room.free_files));
        Some(Self { folder, bytes, files })
    }

    /// Whether less than that is left.
    pub(crate) fn is_reached(&self) -> bool {
        sys::room(self.folder)
            .is_ok_and(|room: Room| room.free_bytes < self.bytes || room.free_files < self.files)
    }
}

/// A fiftieth, but of a disk that is almost full already half of what is free.
fn floor(all: u64, free: u64) -> u64 {
    (all / 50).min(free / 2).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_full_already_stops_nobody() {
        assert_eq!(floor(1 << 40, 1 << 39), MOST);
        assert_eq!(floor(1 << 30, 1 << 29), (1 << 30) / 50);
        assert_eq!(floor(1 << 40, 100), 50);
        assert_eq!(floor(1 << 40, 0), 0);
        assert_eq!(floor(0, 0), 0, "a file system that does not count files");
    }
}
