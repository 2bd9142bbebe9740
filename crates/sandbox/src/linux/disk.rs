//! Detects when calls are about to fill the disk with their scratch folders.
//!
//! The kernel limits the length of one file, but neither the number of files nor that of files that no longer have a name.

use crate::linux::sys::{self, Room};
use std::os::fd::BorrowedFd;

/// The most free space that is reserved, in bytes.
const MOST: u64 = 1 << 30;

/// A file system, and the free space that a call must leave.
pub(crate) struct Floor<'a> {
    folder: BorrowedFd<'a>,
    bytes: u64,
    files: u64,
}

impl<'a> Floor<'a> {
    /// Returns the free space that a call starting now must leave on the file system of `folder`; `None` if its size is unknown.
    pub(crate) fn of(folder: BorrowedFd<'a>) -> Option<Self> {
        let room = sys::room(folder).ok()?;
        let (bytes, files) = (floor(room.bytes, room.free_bytes), floor(room.files, room.free_files));
        Some(Self { folder, bytes, files })
    }

    /// Checks whether less than that is free.
    pub(crate) fn is_reached(&self) -> bool {
        sys::room(self.folder)
            .is_ok_and(|room: Room| room.free_bytes < self.bytes || room.free_files < self.files)
    }
}

/// Returns a fiftieth of the disk; if the disk is almost full already, half of what is free.
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
