//! What holds a worker, and why something does not.

use crate::frame::{FrameError, Reader, Writer};
use crate::sys;
use std::io;

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
}

/// Whether a layer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// It does; from [`probe`]: it can be had here.
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
}

/// A layer that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Which.
    pub layer: LayerName,
    /// Why.
    pub reason: Reason,
}

/// Asks the kernel what could hold a worker on this machine, without restricting the caller.
pub fn probe() -> Confinement {
    let abi = sys::landlock_abi();
    Confinement {
        landlock_abi: abi.as_ref().ok().copied(),
        landlock: holding(abi.map(drop)),
        seccomp: holding(sys::knows_seccomp()),
        no_new_privs: holding(sys::knows_no_new_privs()),
        limits: Holding::Holds,
    }
}

/// The holding that follows from a system call's result.
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

impl Confinement {
    /// The layers that do not hold.
    pub fn missing(&self) -> Vec<Missing> {
        self.layers()
            .into_iter()
            .filter_map(|(layer, holding)| match holding {
                Holding::Holds => None,
                Holding::Missing(reason) => Some(Missing { layer, reason }),
            })
            .collect()
    }

    /// The four layers with their names.
    pub fn layers(&self) -> [(LayerName, Holding); 4] {
        [
            (LayerName::Landlock, self.landlock),
            (LayerName::Seccomp, self.seccomp),
            (LayerName::NoNewPrivs, self.no_new_privs),
            (LayerName::Limits, self.limits),
        ]
    }

    /// Adds the fields to a frame.
    pub(crate) fn write(&self, mut to: Writer) -> Writer {
        for (_, holding) in self.layers() {
            let (code, detail) = match holding {
                Holding::Holds => (0, 0),
                Holding::Missing(Reason::NotRequested) => (1, 0),
                Holding::Missing(Reason::NotInKernel) => (2, 0),
                Holding::Missing(Reason::SwitchedOff) => (3, 0),
                Holding::Missing(Reason::Refused { errno }) => (4, errno),
            };
            to = to.u8(code).i32(detail);
        }
        to.u64(self.landlock_abi.map_or(0, u64::from))
    }

    /// Takes the fields from a frame.
    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, FrameError> {
        Ok(Self {
            landlock: read_holding(from)?,
            seccomp: read_holding(from)?,
            no_new_privs: read_holding(from)?,
            limits: read_holding(from)?,
            landlock_abi: u32::try_from(from.u64()?).ok().filter(|abi| *abi != 0),
        })
    }
}

fn read_holding(from: &mut Reader<'_>) -> Result<Holding, FrameError> {
    let (code, errno) = (from.u8()?, from.i32()?);
    match code {
        0 => Ok(Holding::Holds),
        1 => Ok(Holding::Missing(Reason::NotRequested)),
        2 => Ok(Holding::Missing(Reason::NotInKernel)),
        3 => Ok(Holding::Missing(Reason::SwitchedOff)),
        4 => Ok(Holding::Missing(Reason::Refused { errno })),
        other => Err(FrameError::Field { field: "holding", actual: u64::from(other) }),
    }
}
