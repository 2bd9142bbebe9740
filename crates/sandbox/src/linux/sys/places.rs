//! The system calls by which a worker gets namespaces and mounts of its own.

use super::{check, check_long};
use std::ffi::{CStr, CString, c_int, c_ulong};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// Moves the process into namespaces of its own (`CLONE_NEW*`).
pub(crate) fn unshare(which: c_int) -> io::Result<()> {
    // SAFETY: takes an integer; the process is single-threaded and shares nothing with others.
    check(unsafe { libc::unshare(which) })
}

/// Makes later mounts of the caller invisible to others; unmounts by others still take effect here.
pub(crate) fn take_mounts_along() -> io::Result<()> {
    mount(None, Path::new("/"), libc::MS_REC | libc::MS_SLAVE)
}

/// Mounts the folder on itself, so that it can have its own rights.
pub(crate) fn bind(folder: &Path) -> io::Result<()> {
    mount(Some(folder), folder, libc::MS_BIND | libc::MS_REC)
}

/// Mounts an empty in-memory folder over this one.
pub(crate) fn cover(folder: &Path) -> io::Result<()> {
    let (folder, kind) = (text(folder)?, c"tmpfs");
    let how = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let options = c"mode=0755".as_ptr();
    // SAFETY: the pointers are to live C strings.
    check(unsafe { libc::mount(kind.as_ptr(), folder.as_ptr(), kind.as_ptr(), how, options.cast()) })
}

/// Removes the topmost mount from this folder, with everything mounted in it.
pub(crate) fn uncover(folder: &Path) -> io::Result<()> {
    let folder = text(folder)?;
    // SAFETY: the pointer is to a live C string.
    check(unsafe { libc::umount2(folder.as_ptr(), libc::MNT_DETACH) })
}

/// Makes the current folder, which is a mount, the new root. The old root disappears unless something still uses it.
pub(crate) fn swap_roots() -> io::Result<()> {
    let here = c".".as_ptr();
    // SAFETY: the pointers are to a C string that lives forever. The old root ends up over the new one.
    check_long(unsafe { libc::syscall(libc::SYS_pivot_root, here, here) })?;
    // SAFETY: as above.
    check(unsafe { libc::umount2(here, libc::MNT_DETACH) })?;
    std::env::set_current_dir("/")
}

/// Copies the mounts at `path` and below; the copy is not attached anywhere yet.
pub(crate) fn copy_of(path: &Path) -> io::Result<OwnedFd> {
    let path = text(path)?;
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE.cast_unsigned();
    // SAFETY: the pointer is to a live C string.
    let copy = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) };
    let copy = RawFd::try_from(check_long(copy)?).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    // SAFETY: the kernel has just given us this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Attaches what [`copy_of`] has copied at `place`.
pub(crate) fn attach(copy: &OwnedFd, place: &Path) -> io::Result<()> {
    let place = text(place)?;
    let (copy, none) = (copy.as_raw_fd(), c"".as_ptr());
    let flags = libc::MOVE_MOUNT_F_EMPTY_PATH;
    // SAFETY: the pointers are to live C strings; the descriptor is open.
    let moved =
        unsafe { libc::syscall(libc::SYS_move_mount, copy, none, libc::AT_FDCWD, place.as_ptr(), flags) };
    check_long(moved).map(drop)
}

fn mount(from: Option<&Path>, to: &Path, how: c_ulong) -> io::Result<()> {
    let from = from.map(text).transpose()?;
    let to = text(to)?;
    let from = from.as_ref().map_or(ptr::null(), |from| from.as_ptr());
    // SAFETY: the pointers are to live C strings, or null if this kind of mount takes none.
    check(unsafe { libc::mount(from, to.as_ptr(), ptr::null(), how, ptr::null()) })
}

/// Sets and clears attributes (`MOUNT_ATTR_*`) of the mount at `path`, and of those below it if `all`.
pub(crate) fn set_mounts(path: &Path, all: bool, set: u64, clear: u64) -> io::Result<()> {
    let flags = if all { libc::AT_RECURSIVE } else { 0 };
    set_attributes(libc::AT_FDCWD, &text(path)?, flags, set, clear)
}

/// Sets attributes of everything that [`copy_of`] has copied.
pub(crate) fn set_copies(copy: &OwnedFd, set: u64) -> io::Result<()> {
    set_attributes(copy.as_raw_fd(), c"", libc::AT_EMPTY_PATH | libc::AT_RECURSIVE, set, 0)
}

fn set_attributes(at: RawFd, path: &CStr, flags: c_int, set: u64, clear: u64) -> io::Result<()> {
    let attributes: [u64; 4] = [set, clear, 0, 0];
    let (path, size) = (path.as_ptr(), size_of_val(&attributes));
    // SAFETY: the pointers are to a live C string and to memory of the given size (`struct mount_attr`).
    let result =
        unsafe { libc::syscall(libc::SYS_mount_setattr, at, path, flags, attributes.as_ptr(), size) };
    check_long(result).map(drop)
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}
