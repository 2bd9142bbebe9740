//! Namespaces of its own for a worker.
//!
//! Its network has no active interface, its IPC has nobody else, and it has only the mounts that it reads and writes.
//! So what Landlock and seccomp deny does not even exist there.
//! An ordinary user's worker gets them inside a user namespace, if that can be created.
//! There it has capabilities while it sets itself up, over its own namespaces only, and gives all of them up before it opens evidence.

use crate::confinement::{Holding, Reason};
use crate::linux::hide;
use crate::linux::holding::holding;
use crate::linux::sys::{self, Exit, Forked};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The namespaces that a worker has for itself.
const OWN: i32 = libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWNS;

/// The result of the seclusion.
pub(crate) struct Seclusion {
    /// A network, an IPC and read-only mounts.
    pub(crate) namespaces: Holding,
    /// A root folder that contains only what the worker may read and write.
    pub(crate) root: Holding,
    /// Whether all capabilities of the worker are those of its own user namespace.
    pub(crate) own_user: bool,
}

/// Moves the worker into namespaces of its own, if it may create some.
pub(crate) fn own_namespaces(readable: &[PathBuf], scratch_root: &Path) -> Seclusion {
    let own_user = !may_make();
    if own_user && !may_make_as_user() {
        let absent = Holding::Missing(Reason::NeedsAdministrator);
        return Seclusion { namespaces: absent, root: absent, own_user: false };
    }
    let made = if own_user { become_own_user(OWN) } else { sys::unshare(OWN) };
    if let Err(error) = made.and_then(|()| sys::take_mounts_along()) {
        let absent = holding(Err(error));
        return Seclusion { namespaces: absent, root: absent, own_user };
    }
    let root = match hide::hide(readable, scratch_root) {
        // Not caused by the kernel but by the mounts here: a mount that must not be copied, or a root that is not a mount.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            Holding::Missing(Reason::Refused { errno: libc::EINVAL })
        }
        hidden => holding(hidden),
    };
    let namespaces = match root {
        Holding::Holds => Holding::Holds,
        Holding::Missing(_) => holding(only_read(readable, scratch_root)),
    };
    Seclusion { namespaces, root, own_user }
}

/// Checks whether namespaces can be created without an enclosing user namespace.
pub(crate) fn may_make() -> bool {
    const SYS_ADMIN: u32 = 1 << 21;
    sys::capabilities().is_ok_and(|capabilities| capabilities.0 & SYS_ADMIN != 0)
}

/// Checks whether an ordinary user may create user namespaces, as far as that can be known without creating one.
pub(crate) fn may_be_own_user() -> bool {
    let most = std::fs::read_to_string("/proc/sys/user/max_user_namespaces");
    sys::effective_user() != 0 && most.is_ok_and(|most| most.trim() != "0")
}

/// Checks the same by trying: a user namespace whose user is nobody, or may mount nothing, would be worse than none.
///
/// An administrator without the capability is in a container; a user namespace with a single id would take the container's other ids away.
fn may_make_as_user() -> bool {
    if !may_be_own_user() {
        return false;
    }
    match sys::fork() {
        Ok(Forked::Child) => {
            let tried = become_own_user(libc::CLONE_NEWNS).and_then(|()| sys::take_mounts_along());
            sys::exit_now(i32::from(tried.is_err()))
        }
        Ok(Forked::Parent { pid }) => sys::wait(pid).is_ok_and(|reaped| matches!(reaped.exit, Exit::Code(0))),
        Err(_) => false,
    }
}

/// Moves the worker into a user namespace, with the namespaces `which`. There it keeps its own user id, and no other id exists.
fn become_own_user(which: i32) -> io::Result<()> {
    let (user, group) = (sys::effective_user(), sys::effective_group());
    sys::unshare(libc::CLONE_NEWUSER | which)?;
    let tell = |file: &str, text: &str| OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes());
    tell("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    // Otherwise the groups cannot be mapped (user_namespaces(7)). The user's other groups stay in force.
    tell("/proc/self/setgroups", "deny")?;
    tell("/proc/self/gid_map", &format!("{group} {group} 1"))
}

/// Makes all mounts read-only except the scratch root, if nothing can be hidden.
fn only_read(readable: &[PathBuf], scratch_root: &Path) -> io::Result<()> {
    let root = Path::new("/");
    sys::bind(scratch_root)?;
    let devices = if readable.iter().any(|path| hide::is_device(path)) { 0 } else { libc::MOUNT_ATTR_NODEV };
    sys::set_mounts(root, true, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | devices, 0)?;
    let rest = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOEXEC;
    sys::set_mounts(scratch_root, false, rest, libc::MOUNT_ATTR_RDONLY).or_else(|error| {
        // Without a place to write, no call could be made.
        sys::set_mounts(root, true, 0, libc::MOUNT_ATTR_RDONLY)?;
        Err(error)
    })
}
