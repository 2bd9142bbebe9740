//! Ends a call from another thread.

use crate::linux::sys;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

/// A handle that cancels calls of one [`crate::Zygote`] from any thread.
///
/// Cancelling is sticky: the running call ends as [`crate::Ending::Cancelled`], and so does every later one until [`Canceller::rearm`].
/// A cancellation that comes a moment before a call starts is therefore not lost.
#[derive(Clone, Debug)]
pub struct Canceller {
    counter: Arc<File>,
}

impl Canceller {
    /// Makes a canceller that has not been used.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { counter: Arc::new(File::from(sys::eventfd()?)) })
    }

    /// Ends the running call, and refuses later ones.
    pub fn cancel(&self) {
        // The only possible failure is a full counter, which is not zero, so it is already cancelled.
        let _ = (&*self.counter).write(&1u64.to_ne_bytes());
    }

    /// Lets calls run again.
    pub fn rearm(&self) {
        // The only possible failure is a counter that is already zero.
        let _ = (&*self.counter).read(&mut [0; 8]);
    }

    /// Checks whether calls are refused at the moment.
    pub fn is_cancelled(&self) -> bool {
        let wanted = [(Some(self.fd()), sys::READABLE)];
        sys::poll(wanted, Some(Duration::ZERO)).is_ok_and(|[events]| events != 0)
    }

    /// Returns a descriptor that is readable while cancelled.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.counter.as_fd()
    }
}
