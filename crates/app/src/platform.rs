//! The differences between operating systems for files that we write or inspect.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    changed, create_new, make_private, modified, open_to_all, open_to_append, readers, sync_folder,
};

/// Seconds and nanoseconds since 1970.
pub(crate) type Moment = (i64, i64);
