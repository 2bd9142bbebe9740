//! The only spawner of processes: confined tool workers.
//!
//! The parent starts a **zygote**: the same program with the argument [`WORKER_ARGUMENT`].
//! The zygote confines itself and then forks a fresh process for each call.
//! A crash, a hang or a memory kill is the [`Ending`] of that one call and of nothing else.
//! Requests and replies are opaque bytes: this crate knows nothing of tools.
//!
//! These layers confine a call, each independently of the others:
//! - Landlock (zygote): readable paths can be read, the scratch root written, nothing else; no TCP, no abstract socket, no signal out of the domain;
//! - Landlock (call): of the scratch root only the call's own fresh folder remains, and no signal reaches the zygote;
//! - seccomp: an allow-list of system calls; see `linux/filter.rs` for what it denies and what it kills for;
//! - for an administrator's worker: the rights of a user who owns nothing, with the capability to read;
//! - for whoever may create namespaces: a network, an IPC and mounts of its own; only the readable paths and the scratch root exist there,
//!   and only the scratch root can be written;
//! - resource limits: address space, CPU, file size, open files, no core dump, no further process;
//! - a minimum of free disk space, below which the running call is killed;
//! - a wall clock in the zygote, and a second one in the parent for a zygote that hangs.
//!
//! Workers run on Linux, on x86-64 and AArch64.
//! On any other system this crate has the same interface, but starting a worker is refused with [`SpawnError::NeedsLinux`]: see `elsewhere`.

mod call_error;
mod config;
mod confinement;
mod ending;
mod frame_error;
mod limits;
mod reply;
mod serve_error;
mod spawn_error;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use call_error::CallError;
pub use config::{Config, Policy, WORKER_ARGUMENT};
pub use confinement::{Confinement, Holding, LayerName, Missing, Reason};
pub use ending::{DOING, Ending, Report, SetupStep, ZygoteExit};
pub use frame_error::FrameError;
pub use limits::{Limits, Usage};
pub use reply::Reply;
pub use serve_error::ServeError;
pub use spawn_error::SpawnError;
pub use system::{Canceller, Zygote, check_system, clear_scratch, probe, serve};
