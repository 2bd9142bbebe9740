//! The Landlock domains of zygote and call.
//!
//! Rights that the running kernel's ABI lacks are left out (`BestEffort`): truncation through a read-only open, TCP, signals, sockets.
//! The seccomp filter denies those on its own, so ABI 1 (Linux 5.13) is enough.

use crate::confinement::{Holding, Reason};
use crate::linux::holding::holding;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::error::Error;
use std::io;
use std::path::Path;

/// The newest ABI whose rights are requested.
const NEWEST: ABI = ABI::V9;

/// A path that calls may read, opened before any domain is in force.
pub(crate) struct Readable {
    path: PathFd,
    rights: BitFlags<AccessFs>,
}

/// Opens a file or folder that calls may read; a symbolic link at its end is followed here and never again.
pub(crate) fn open(path: &Path) -> io::Result<Readable> {
    let folder = std::fs::metadata(path)?.is_dir();
    let file = BitFlags::from(AccessFs::ReadFile);
    let rights = if folder { file | AccessFs::ReadDir } else { file };
    Ok(Readable { path: open_path(path)?, rights })
}

fn open_path(path: &Path) -> io::Result<PathFd> {
    PathFd::new(path).map_err(|error| cause(&error))
}

/// Enters the zygote's domain: `readable` may be read, anything but execution is allowed in the scratch root, no TCP, no signal outside.
pub(crate) fn enter_zygote_domain(readable: &[Readable], scratch_root: &Path) -> Holding {
    match restrict(readable, scratch_root) {
        Ok(status) => match status.ruleset {
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Holding::Holds,
            RulesetStatus::NotEnforced => Holding::Missing(Reason::NotInKernel),
        },
        Err(error) => holding(Err(error)),
    }
}

/// Enters a call's domain inside the zygote's.
/// `readable` may be read, of the scratch root only `scratch` remains, and no signal reaches any other process, including the zygote.
pub(crate) fn enter_call_domain(readable: &[Readable], scratch: &Path) -> io::Result<()> {
    match restrict(readable, scratch)?.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(io::Error::from_raw_os_error(libc::ENOSYS)),
    }
}

/// Enters a domain with everything that the kernel supports: reading `readable`, anything but execution in `scratch`, nothing outside.
fn restrict(readable: &[Readable], scratch: &Path) -> io::Result<RestrictionStatus> {
    let writable = open_path(scratch)?;
    let restricted = || -> Result<RestrictionStatus, RulesetError> {
        let mut ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?;
        for entry in readable {
            ruleset = ruleset.add_rule(PathBeneath::new(&entry.path, entry.rights))?;
        }
        let never = AccessFs::Execute | AccessFs::IoctlDev | AccessFs::ResolveUnix;
        let all = AccessFs::from_all(NEWEST) & !never;
        ruleset.add_rule(PathBeneath::new(&writable, all))?.restrict_self()
    };
    restricted().map_err(|error| cause(&error))
}

/// Returns the system's error at the end of a chain of sources.
fn cause(error: &(dyn Error + 'static)) -> io::Error {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(errno) = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error) {
            return io::Error::from_raw_os_error(errno);
        }
        next = error.source();
    }
    io::Error::from(io::ErrorKind::Other)
}
