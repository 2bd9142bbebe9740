//! Determines what this kernel offers to confine a worker.

use crate::confinement::{Confinement, Holding, Reason};
use crate::linux::holding::holding;
use crate::linux::{identity, seclude, sys};

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
