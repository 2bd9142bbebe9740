//! The settings for starting a worker.

use std::path::PathBuf;

/// The settings for starting a worker.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program; with the argument [`crate::WORKER_ARGUMENT`] it must call [`crate::linux::serve`].
    pub program: PathBuf,
    /// Files and folders that calls may read: evidence and cache.
    /// A symbolic link at the end of a path is followed.
    /// None of them should contain the scratch root, or calls of other workers could be read.
    pub readable: Vec<PathBuf>,
    /// The folder for the calls' scratch folders; created if it does not exist. Several workers may share it.
    pub scratch_root: PathBuf,
    /// Whether to run without confinement.
    pub confinement: Policy,
}

/// Whether calls must be confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Confined, or not at all.
    Required,
    /// Workers run without Landlock and seccomp, even if those are available. Resource limits and wall clock still apply.
    Unconfined,
}

/// The argument that makes the program a worker.
pub const WORKER_ARGUMENT: &str = "tool-worker";
