//! What a worker is started with.

use std::path::PathBuf;

/// What a worker is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program; with the argument [`crate::WORKER_ARGUMENT`] it must call [`crate::linux::serve`].
    pub program: PathBuf,
    /// Files and folders that calls may read: evidence and cache.
    /// A symbolic link at the end of a path is followed.
    /// None of them should hold the scratch root, or calls of other workers could be overlooked.
    pub readable: Vec<PathBuf>,
    /// Folder for the calls' scratch folders; made when it does not exist. Several workers may share it.
    pub scratch_root: PathBuf,
    /// Whether to run at all where confinement cannot be had.
    pub confinement: Policy,
}

/// Whether calls must be confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Confined or not at all.
    Required,
    /// Without Landlock and seccomp, also where they could be had. Resource limits and wall clock still hold.
    Unconfined,
}

/// The argument that makes the program a worker.
pub const WORKER_ARGUMENT: &str = "tool-worker";
