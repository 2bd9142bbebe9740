//! The system calls by which an administrator's worker gives up its rights.

use super::{check, check_long, prctl};
use std::io;

/// What a process may do beyond its user's rights: a bit for each capability (capabilities(7)).
#[derive(Clone, Copy)]
pub(crate) struct Capabilities(pub(crate) u32);

/// Version 3 has two words of each set (capget(2)); all that we need are in the first.
const VERSION: u32 = 0x2008_0522;

/// Returns the effective capabilities.
pub(crate) fn capabilities() -> io::Result<Capabilities> {
    let mut header: [u32; 2] = [VERSION, 0];
    let mut sets: [u32; 6] = [0; 6];
    // SAFETY: both pointers are to live locals of the sizes that version 3 has.
    check_long(unsafe { libc::syscall(libc::SYS_capget, header.as_mut_ptr(), sets.as_mut_ptr()) })?;
    let [effective, ..] = sets;
    Ok(Capabilities(effective))
}

/// Makes these effective, if they are permitted, and gives up all others for good.
pub(crate) fn keep_capabilities(kept: Capabilities) -> io::Result<()> {
    let mut header: [u32; 2] = [VERSION, 0];
    let sets: [u32; 6] = [kept.0, kept.0, 0, 0, 0, 0];
    // SAFETY: both pointers are to live locals of the sizes that version 3 has.
    check_long(unsafe { libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) }).map(drop)
}

/// Returns the effective user.
pub(crate) fn effective_user() -> u32 {
    // SAFETY: asks for a number and cannot fail.
    unsafe { libc::geteuid() }
}

/// Returns the effective group.
pub(crate) fn effective_group() -> u32 {
    // SAFETY: asks for a number and cannot fail.
    unsafe { libc::getegid() }
}

/// Becomes the user and the group `id` for good, without other groups.
///
/// Capabilities stay permitted but are no longer effective: [`keep_capabilities`] restores some.
/// Only a single-threaded process may call this.
pub(crate) fn become_user(id: u32) -> io::Result<()> {
    prctl(libc::PR_SET_KEEPCAPS, 1)?;
    // SAFETY: no group is read through the pointer.
    check(unsafe { libc::setgroups(0, std::ptr::null()) })?;
    // SAFETY: takes integers.
    check(unsafe { libc::setresgid(id, id, id) })?;
    // SAFETY: as above.
    check(unsafe { libc::setresuid(id, id, id) })
}
