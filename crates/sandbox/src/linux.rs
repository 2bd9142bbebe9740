//! Linux: the zygote and its confined processes.

mod cancel;
mod child;
mod disk;
mod fence;
mod filter;
mod frame;
mod hide;
mod holding;
mod identity;
mod link;
mod message;
mod mounts;
mod probe;
mod relay;
mod reply;
mod scratch;
mod seclude;
mod serve;
mod signal;
mod sys;
mod told;
mod wire;
mod zygote;

pub use cancel::Canceller;
pub use probe::probe;
pub use scratch::clear as clear_scratch;
pub use serve::serve;
pub(crate) use signal::{describe_signal, is_from_outside};
pub use zygote::Zygote;

use crate::spawn_error::SpawnError;
use std::path::Path;

/// The files that a bare chroot lacks: a worker is started from the first, and keeps the second open in place of its parent's pipes.
const NEEDED: [&str; 2] = ["/proc/self/exe", "/dev/null"];

/// Checks whether this system can run workers at all; [`probe`] shows whether it can also confine them.
pub fn check_system() -> Result<(), SpawnError> {
    match NEEDED.into_iter().find(|path| !Path::new(path).exists()) {
        Some(path) => Err(SpawnError::NeedsFile { path }),
        None => Ok(()),
    }
}
