//! The limits of a call, and what it has used.

use std::time::Duration;

/// The limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time from the fork to the end of the reply.
    pub wall: Duration,
    /// CPU time in whole seconds, user and system together.
    pub cpu_seconds: u64,
    /// Bytes of address space.
    pub address_space: u64,
    /// Bytes of any one file written in the scratch folder.
    pub file_size: u64,
    /// Open files at one time, including the three standard ones and the reply pipe.
    pub open_files: u64,
    /// Bytes of the reply.
    pub reply_bytes: u64,
}

impl Default for Limits {
    /// Returns 60 s of wall clock, 60 s of CPU, 2 GiB of address space, 1 GiB per file, 256 files, 256 MiB of reply.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(60),
            cpu_seconds: 60,
            address_space: 2 << 30,
            file_size: 1 << 30,
            open_files: 256,
            reply_bytes: 256 << 20,
        }
    }
}

/// What one call has used, as the kernel counted it for the call's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Wall-clock time from the fork until the process was reaped.
    pub wall: Duration,
    /// CPU time in user mode.
    pub user: Duration,
    /// CPU time in the kernel.
    pub system: Duration,
    /// Peak resident set in KiB; pages shared with the zygote count.
    pub peak_rss_kib: u64,
}
