//! The identity of an administrator's worker: a user who owns nothing, with the capability to read.
//!
//! This does not change what the worker may read: the kernel's own file systems check the capability first.
//! Others ask who is reading; if evidence is on one of those, the worker stays the administrator.

use crate::confinement::{Holding, Reason};
use crate::linux::holding::holding;
use crate::linux::sys::{self, Capabilities};
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

/// `CAP_CHOWN`, `CAP_SETGID`, `CAP_SETUID`: needed to give up the identity.
const GIVE_UP: u32 = 1 | 1 << 6 | 1 << 7;
/// `CAP_DAC_READ_SEARCH`: reading other users' files, and nothing else.
const DAC_READ_SEARCH: u32 = 1 << 2;
/// `CAP_DAC_OVERRIDE`: reading and writing them; the administrator of most containers has only this one.
const DAC_OVERRIDE: u32 = 1 << 1;
/// `CAP_FOWNER`: keeping the access time of another user's file unchanged (`O_NOATIME` is reserved for owners).
/// It also allows changing modes and times, but a worker may not make those system calls.
const FOWNER: u32 = 1 << 3;

/// The first of the ids to take: no convention assigns them, containers use lower ones, and programs read much higher ones as negative.
const FIRST: u32 = 1_879_048_192;
/// `nobody`, if those ids do not exist.
const NOBODY: u32 = 65_534;

/// Becomes a user who owns only the scratch root, if this is the administrator and all evidence is on `local` file systems.
///
/// All workers of one program are the same user, or they could not share a scratch root.
pub(crate) fn give_up(local: bool, scratch_root: &Path) -> Holding {
    if sys::effective_user() != 0 {
        return Holding::Holds;
    }
    if !may_give_up() {
        return Holding::Missing(Reason::Refused { errno: libc::EPERM });
    }
    if !local {
        return Holding::Missing(Reason::EvidenceNeedsUser);
    }
    let program = FIRST.saturating_add(std::os::unix::process::parent_id());
    holding(become_one_of([program, NOBODY], scratch_root))
}

/// Checks whether this process may become another user and still read as before.
pub(crate) fn may_give_up() -> bool {
    let needed = |held: u32| held & GIVE_UP == GIVE_UP && held & (DAC_READ_SEARCH | DAC_OVERRIDE) != 0;
    sys::capabilities().is_ok_and(|held| needed(held.0))
}

fn become_one_of(users: [u32; 2], scratch_root: &Path) -> io::Result<()> {
    let held = sys::capabilities()?;
    let owner = scratch_root.metadata()?.uid();
    if owner != 0 && !users.contains(&owner) {
        return Err(io::Error::from_raw_os_error(libc::EPERM));
    }
    // Nothing can be given to an id that does not exist in this user namespace.
    let given = |id: u32| chown(scratch_root, Some(id), Some(id)).map(|()| id);
    let [first, second] = users;
    let id = if owner == 0 { given(first).or_else(|_| given(second))? } else { owner };
    sys::become_user(id).inspect_err(|_| {
        // The worker stays the administrator and must be able to write there; if this fails, every call fails and reports it.
        let _ = chown(scratch_root, Some(0), Some(0));
    })?;
    sys::keep_capabilities(Capabilities(reading(held.0)))
}

/// Gives up all capabilities for good, except an administrator's to read; an ordinary user keeps none in its `own` user namespace.
pub(crate) fn give_up_capabilities(own: bool) -> Holding {
    let kept = |held: Capabilities| Capabilities(if own { 0 } else { reading(held.0) });
    holding(sys::capabilities().and_then(|held| sys::keep_capabilities(kept(held))))
}

/// Returns those of the capabilities `held` that are for reading other users' files and keeping their access times.
fn reading(held: u32) -> u32 {
    let read = if held & DAC_READ_SEARCH == 0 { DAC_OVERRIDE } else { DAC_READ_SEARCH };
    held & (read | FOWNER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_to_write_stays_only_where_there_is_no_other_to_read() {
        assert_eq!(reading(u32::MAX), DAC_READ_SEARCH | FOWNER);
        assert_eq!(reading(!DAC_READ_SEARCH), DAC_OVERRIDE | FOWNER);
        assert_eq!(reading(0), 0);
    }
}
