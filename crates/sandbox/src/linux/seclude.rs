//! Namespaces of its own for an administrator's worker.
//!
//! Its network has no interface that is up, its IPC nobody else, and of its mounts all but the scratch root can only be read: what Landlock and seccomp deny already is not there besides.
//! An ordinary user could have them inside a user namespace; there the worker would hold capabilities for a moment, which it otherwise never does.

use crate::confinement::{Holding, Reason};
use crate::linux::probe::holding;
use crate::linux::sys;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Moves the worker into namespaces of its own, where it may make some.
pub(crate) fn own_namespaces(readable: &[PathBuf], scratch_root: &Path) -> Holding {
    if !may_make() {
        return Holding::Missing(Reason::NeedsAdministrator);
    }
    holding(enter(readable, scratch_root))
}

/// Whether namespaces can be made without a user namespace around them.
pub(crate) fn may_make() -> bool {
    const SYS_ADMIN: u32 = 1 << 21;
    sys::capabilities().is_ok_and(|capabilities| capabilities.0 & SYS_ADMIN != 0)
}

fn enter(readable: &[PathBuf], scratch_root: &Path) -> io::Result<()> {
    let root = Path::new("/");
    sys::unshare(libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWNS)?;
    sys::take_mounts_along()?;
    sys::bind(scratch_root)?;
    let devices = if readable.iter().any(|path| is_device(path)) { 0 } else { libc::MOUNT_ATTR_NODEV };
    sys::set_mounts(root, true, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | devices, 0)?;
    let rest = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOEXEC;
    sys::set_mounts(scratch_root, false, rest, libc::MOUNT_ATTR_RDONLY).or_else(|error| {
        // Without a place to write no call could be made.
        sys::set_mounts(root, true, 0, libc::MOUNT_ATTR_RDONLY)?;
        Err(error)
    })
}

/// Whether evidence is read from a disk itself: then devices have to be there.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_block_device() || kind.is_char_device()
    })
}
