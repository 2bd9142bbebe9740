//! Differences between the operating systems of the examiner's machine: reading at an offset, names that are not
//! text, file metadata.
//!
//! Evidence is examined on Linux, in a confined worker. The other systems are supported so that everything else
//! builds for them; what they cannot provide is documented in their modules and in `docs/platforms.md`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{FileExt, from_name_bytes, modified, name_bytes};
pub(crate) use system::{facts, open_itself, open_untouched, stored_from};

/// Seconds and nanoseconds since 1970.
pub type Moment = (i64, i64);

/// What the machine's file system says about an entry; `None` for what it does not say.
pub(crate) struct FileFacts {
    /// When its bytes last changed.
    pub(crate) modified: Option<Moment>,
    /// When they were last read.
    pub(crate) accessed: Option<Moment>,
    /// When its inode last changed.
    pub(crate) changed: Option<Moment>,
    /// Number of names that lead to it.
    pub(crate) links: Option<u64>,
    /// Its number in its file system.
    pub(crate) inode: Option<u64>,
}
