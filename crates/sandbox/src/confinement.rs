//! The layers that confine a worker, and why a layer is missing.

/// The layers that confine a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// File and network access by path and port.
    pub landlock: Holding,
    /// The kernel's Landlock ABI version: 1 covers files, 3 truncation, 4 TCP, 6 signals.
    /// What an older version lacks is denied by seccomp.
    pub landlock_abi: Option<u32>,
    /// The allow-list of system calls.
    pub seccomp: Holding,
    /// No privileges through executed files; the other two layers need this one.
    pub no_new_privs: Holding,
    /// Limits on address space, CPU, file size and open files.
    pub limits: Holding,
    /// Of an administrator's rights, only those to read other users' files and to keep their access times unchanged.
    pub capabilities: Holding,
    /// The rights of a user who owns nothing, instead of the administrator's. No worker requires this layer.
    pub identity: Holding,
    /// A network, an IPC and mounts of its own. No worker requires this layer.
    pub namespaces: Holding,
    /// A root that contains only what the worker reads and writes. No worker requires this layer.
    pub root: Holding,
}

/// Whether a layer is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// It is in force; in a result of [`crate::probe`]: it is available here.
    Holds,
    /// It is not in force.
    Missing(Reason),
}

/// Why a layer is not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The caller asked for [`crate::Policy::Unconfined`].
    NotRequested,
    /// The kernel was built without it, or is too old.
    NotInKernel,
    /// The kernel has it, but it was not enabled at boot.
    SwitchedOff,
    /// The system is not Linux; Locard confines only on Linux.
    NotLinux,
    /// Only an administrator's worker can have it, or that of a user who may create user namespaces.
    NeedsAdministrator,
    /// Evidence is on a file system that asks who is reading, such as FUSE or NFS.
    EvidenceNeedsUser,
    /// The kernel refused.
    Refused {
        /// The system's error number, 0 if there is none.
        errno: i32,
    },
}

/// The name of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerName {
    /// See [`Confinement::landlock`].
    Landlock,
    /// See [`Confinement::seccomp`].
    Seccomp,
    /// See [`Confinement::no_new_privs`].
    NoNewPrivs,
    /// See [`Confinement::limits`].
    Limits,
    /// See [`Confinement::capabilities`].
    Capabilities,
    /// See [`Confinement::identity`].
    Identity,
    /// See [`Confinement::namespaces`].
    Namespaces,
    /// See [`Confinement::root`].
    Root,
}

/// A layer that is not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The layer.
    pub layer: LayerName,
    /// The reason.
    pub reason: Reason,
}

impl Confinement {
    /// Returns the missing ones among the layers that every confined worker has.
    pub fn missing(&self) -> Vec<Missing> {
        self.layers()
            .into_iter()
            .filter_map(|(layer, holding)| match holding {
                Holding::Holds => None,
                Holding::Missing(reason) => Some(Missing { layer, reason }),
            })
            .collect()
    }

    /// Returns the further layers that a worker has if they are available.
    pub fn more(&self) -> [(LayerName, Holding); 3] {
        [
            (LayerName::Identity, self.identity),
            (LayerName::Namespaces, self.namespaces),
            (LayerName::Root, self.root),
        ]
    }

    /// Returns the layers that every confined worker has, with their names.
    pub fn layers(&self) -> [(LayerName, Holding); 5] {
        [
            (LayerName::Landlock, self.landlock),
            (LayerName::Seccomp, self.seccomp),
            (LayerName::NoNewPrivs, self.no_new_privs),
            (LayerName::Limits, self.limits),
            (LayerName::Capabilities, self.capabilities),
        ]
    }
}
