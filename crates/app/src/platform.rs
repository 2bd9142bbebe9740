//! What operating systems do differently with files that we write, and say differently of files that we look at.

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
