//! The system calls by which an administrator's worker gives up what it may do.

use super::{check, check_long, prctl};
use std::ffi::{CString, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What a process may do beside what its user may: a bit for each capability (capabilities(7)).
#[derive(Clone, Copy)]
pub(crate) struct Capabilities(pub(crate) u32);

/// Version 3 has two words of each set (capget(2)); all that we ask for stand in the first.
const VERSION: u32 = 0x2008_0522;

/// Those in force.
pub(crate) fn capabilities() -> io::Result<Capabilities> {
    let mut header: [u32; 2] = [VERSION, 0];
    let mut sets: [u32; 6] = [0; 6];
    // SAFETY: both pointers are to live locals of the sizes that version 3 has.
    check_long(unsafe { libc::syscall(libc::SYS_capget, header.as_mut_ptr(), sets.as_mut_ptr()) })?;
    let [effective, ..] = sets;
    Ok(Capabilities(effective))
}

/// Puts these in force, where they are permitted, and gives up all others for good.
pub(crate) fn keep_capabilities(kept: Capabilities) -> io::Result<()> {
    let mut header: [u32; 2] = [VERSION, 0];
    let sets: [u32; 6] = [kept.0, kept.0, 0, 0, 0, 0];
    // SAFETY: both pointers are to live locals of the sizes that version 3 has.
    check_long(unsafe { libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) }).map(drop)
}

/// The user whose rights count.
pub(crate) fn effective_user() -> u32 {
    // SAFETY: asks for a number and cannot fail.
    unsafe { libc::geteuid() }
}

/// Becomes the user and the group `id` for good, without other groups.
///
/// Capabilities stay permitted and are no longer in force: [`keep_capabilities`] says which come back.
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

/// Moves the process into namespaces of its own (`CLONE_NEW*`).
pub(crate) fn unshare(which: c_int) -> io::Result<()> {
    // SAFETY: takes an integer; the process is single-threaded and shares nothing with others.
    check(unsafe { libc::unshare(which) })
}

/// From here on what the caller mounts is for nobody else; what others unmount goes here, too.
pub(crate) fn take_mounts_along() -> io::Result<()> {
    mount(None, Path::new("/"), libc::MS_REC | libc::MS_SLAVE)
}

/// Mounts the folder on itself, so that it can have rights of its own.
pub(crate) fn bind(folder: &Path) -> io::Result<()> {
    mount(Some(folder), folder, libc::MS_BIND | libc::MS_REC)
}

fn mount(from: Option<&Path>, to: &Path, how: u64) -> io::Result<()> {
    let from = from.map(|from| CString::new(from.as_os_str().as_bytes())).transpose()?;
    let to = CString::new(to.as_os_str().as_bytes())?;
    let from = from.as_ref().map_or(std::ptr::null(), |from| from.as_ptr());
    let none = std::ptr::null();
    // SAFETY: the pointers are to live C strings, or null where this kind of mount takes none.
    check(unsafe { libc::mount(from, to.as_ptr(), none, how, none.cast()) })
}

/// Sets and clears attributes (`MOUNT_ATTR_*`) of the mount at `path`, and of those below it if `all`.
pub(crate) fn set_mounts(path: &Path, all: bool, set: u64, clear: u64) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let flags = if all { libc::AT_RECURSIVE } else { 0 };
    let attributes: [u64; 4] = [set, clear, 0, 0];
    let size = size_of_val(&attributes);
    // SAFETY: the pointers are to a live C string and to memory of the size that is told (`struct mount_attr`).
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            attributes.as_ptr(),
            size,
        )
    };
    check_long(result).map(drop)
}
