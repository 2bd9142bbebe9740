//! The interface on all systems but Linux: everything is refused.
//!
//! Nothing here runs a process. Workers are forked from a zygote and confined by Landlock and seccomp.
//! Other systems have none of the three, so there is no unconfined worker either.

mod signal;

pub(crate) use signal::{describe_signal, is_from_outside};

use crate::call_error::CallError;
use crate::config::Config;
use crate::confinement::{Confinement, Holding, Reason};
use crate::ending::Report;
use crate::limits::Limits;
use crate::reply::Reply;
use crate::serve_error::ServeError;
use crate::spawn_error::SpawnError;
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::path::Path;

/// The system's name, for messages.
const SYSTEM: &str = std::env::consts::OS;

/// Checks whether this system can run workers at all: it cannot.
pub fn check_system() -> Result<(), SpawnError> {
    Err(SpawnError::NeedsLinux { system: SYSTEM })
}

/// Returns what could confine a worker here: nothing.
pub fn probe() -> Confinement {
    let none = Holding::Missing(Reason::NotLinux);
    Confinement {
        landlock: none,
        landlock_abi: None,
        seccomp: none,
        no_new_privs: none,
        limits: none,
        capabilities: none,
        identity: none,
        namespaces: none,
        root: none,
    }
}

/// Serves calls on Linux; here it refuses.
pub fn serve(_handler: impl Fn(&[u8], &Path) -> Reply) -> Result<(), ServeError> {
    Err(ServeError::NeedsLinux { system: SYSTEM })
}

/// A worker; no value of this type exists here.
pub struct Zygote {
    never: Infallible,
}

impl Zygote {
    /// Starts a worker on Linux; here it refuses, whatever confinement is asked for.
    pub fn spawn(_config: Config) -> Result<Self, SpawnError> {
        Err(SpawnError::NeedsLinux { system: SYSTEM })
    }

    /// Refuses in the same way.
    pub fn spawn_probed(config: Config, _probed: &Confinement) -> Result<Self, SpawnError> {
        Self::spawn(config)
    }

    /// Returns what confines this worker's calls.
    pub fn confinement(&self) -> &Confinement {
        match self.never {}
    }

    /// Returns a handle that ends the running call from another thread.
    pub fn canceller(&self) -> Canceller {
        match self.never {}
    }

    /// Returns the process id of the zygote.
    pub fn process_id(&self) -> Option<u32> {
        match self.never {}
    }

    /// Makes one call.
    pub fn call(&mut self, _request: &[u8], _limits: &Limits) -> Result<Report, CallError> {
        match self.never {}
    }

    /// Makes one call, with the reply in a file.
    pub fn call_into(
        &mut self,
        _request: &[u8],
        _limits: &Limits,
        _into: &File,
    ) -> Result<Report, CallError> {
        match self.never {}
    }
}

/// A handle that cancels calls; no value of this type exists here.
#[derive(Clone, Debug)]
pub struct Canceller {
    never: Infallible,
}

impl Canceller {
    /// Ends the running call, and refuses later ones.
    pub fn cancel(&self) {
        match self.never {}
    }

    /// Lets calls run again.
    pub fn rearm(&self) {
        match self.never {}
    }

    /// Checks whether calls are refused at the moment.
    pub fn is_cancelled(&self) -> bool {
        match self.never {}
    }
}

/// Removes the folder `path` with everything in it; a missing folder is fine.
///
/// No call ever wrote there, so the content is not hostile and the standard library's removal is safe. It follows no link.
pub fn clear_scratch(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
