//! The only spawner of processes: confined tool workers.
//!
//! The parent starts a **zygote**: the same program with the argument [`WORKER_ARGUMENT`].
//! The zygote confines itself and then forks a fresh process for each call.
//! A crash, a hang or a memory kill is the [`Ending`] of that one call and of nothing else.
//! Requests and replies are opaque bytes: this crate knows nothing of tools.
//!
//! What holds a call, each independent of the others:
//! - Landlock (zygote): readable paths can be read, the scratch root written, nothing else; no TCP, no signal out of the domain;
//! - Landlock (call): of the scratch root only the call's own fresh folder remains;
//! - seccomp: an allow-list of system calls, see `filter` for what it denies and what it kills for;
//! - resource limits: address space, CPU, file size, open files, no core dump, no further process;
//! - a wall clock in the zygote, and a second one in the parent for a zygote that hangs.
//!
//! Linux only, on x86-64 and AArch64.

mod cancel;
mod child;
mod confinement;
mod ending;
mod fence;
mod filter;
mod frame;
mod limits;
mod link;
mod message;
mod relay;
mod reply;
mod scratch;
mod serve;
mod spawn_error;
mod sys;
mod zygote;

pub use cancel::Canceller;
pub use confinement::{Confinement, Holding, LayerName, Missing, Reason, probe};
pub use ending::{Ending, Report, SetupStep, ZygoteExit};
pub use frame::FrameError;
pub use limits::{Limits, Usage};
pub use scratch::clear as clear_scratch;
pub use serve::{ServeError, WORKER_ARGUMENT, serve};
pub use spawn_error::SpawnError;
pub use zygote::{CallError, Config, Policy, Zygote};
