//! What holds a worker, and why something does not.

/// The layers that hold a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// File and network access by path and port.
    pub landlock: Holding,
    /// The kernel's Landlock ABI version: 1 covers files, 3 truncation, 4 TCP, 6 signals.
    /// What an older one lacks is denied by seccomp.
    pub landlock_abi: Option<u32>,
    /// The list of allowed system calls.
    pub seccomp: Holding,
    /// No privileges through executed files; the other two need it.
    pub no_new_privs: Holding,
    /// Limits of address space, CPU, file size and open files.
    pub limits: Holding,
    /// Of an administrator's rights only those to read files of others, and to leave their times of access as they were.
    pub capabilities: Holding,
    /// The rights of a user whom nothing belongs to, and not of the administrator. No worker waits for it.
    pub identity: Holding,
    /// A network, an IPC and mounts of its own. No worker waits for them.
    pub namespaces: Holding,
    /// A root in which nothing stands but what the worker reads and writes. No worker waits for it.
    pub root: Holding,
}

/// Whether a layer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// It does; from [`crate::probe`]: it can be had here.
    Holds,
    /// It does not.
    Missing(Reason),
}

/// Why a layer does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The caller asked for [`crate::Policy::Unconfined`].
    NotRequested,
    /// The kernel was built without it, or is too old.
    NotInKernel,
    /// The kernel has it, but it was not enabled at boot.
    SwitchedOff,
    /// The system is not Linux, and Locard confines on Linux alone.
    NotLinux,
    /// Only an administrator's worker can have it, or that of a user who may make user namespaces.
    NeedsAdministrator,
    /// Evidence lies on a file system that asks who reads, such as FUSE or NFS.
    EvidenceNeedsUser,
    /// The kernel refused.
    Refused {
        /// The system's error number, 0 when there is none.
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

/// A layer that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Which.
    pub layer: LayerName,
    /// Why.
    pub reason: Reason,
}

impl Confinement {
    /// The layers that every confined worker has and that do not hold.
    pub fn missing(&self) -> Vec<Missing> {
        self.layers()
            .into_iter()
            .filter_map(|(layer, holding)| match holding {
                Holding::Holds => None,
                Holding::Missing(reason) => Some(Missing { layer, reason }),
            })
            .collect()
    }

    /// What a worker has besides, where it can be had.
    pub fn more(&self) -> [(LayerName, Holding); 3] {
        [
            (LayerName::Identity, self.identity),
            (LayerName::Namespaces, self.namespaces),
            (LayerName::Root, self.root),
        ]
    }

    /// The layers that every confined worker has, with their names.
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
