//! Determines what this kernel offers to confine a worker.

use crate::confinement::{Confinement, Holding, Reason};
use crate::linux::{identity, seclude, sys};
use std::io;

/// Asks the kernel what could confine a worker on this machine, without restricting the caller.
pub fn probe() -> Confinement {
    let abi = sys::landlock_abi();
    let namespaces = match seclude::may_make() || seclude::may_be_own_user() {
        true => Holding::Holds,
        false => Holding::Missing(Reason::NeedsAdministrator),
    };
    Confinement {
        landlock_abi: abi.as_ref().ok().copied(),
        landlock: holding(abi.map(drop)),
        seccomp: holding(sys::knows_seccomp()),
        no_new_privs: holding(sys::knows_no_new_privs()),
        limits: Holding::Holds,
        capabilities: Holding::Holds,
        identity: match sys::effective_user() != 0 || identity::may_give_up() {
            true => Holding::Holds,
            false => Holding::Missing(Reason::Refused { errno: libc::EPERM }),
        },
        namespaces,
        root: namespaces,
    }
}

/// Converts the result of a system call to whether a layer is in force.
pub(crate) fn holding(result: io::Result<()>) -> Holding {
    match result {
        Ok(()) => Holding::Holds,
        Err(error) => Holding::Missing(match error.raw_os_error().unwrap_or(0) {
            libc::ENOSYS | libc::EINVAL => Reason::NotInKernel,
            libc::EOPNOTSUPP => Reason::SwitchedOff,
            errno => Reason::Refused { errno },
        }),
    }
}
