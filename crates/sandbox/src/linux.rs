//! Linux: the zygote and its confined processes.

mod cancel;
mod child;
mod fence;
mod filter;
mod frame;
mod link;
mod message;
mod probe;
mod relay;
mod reply;
mod scratch;
mod serve;
mod signal;
mod sys;
mod wire;
mod zygote;

pub use cancel::Canceller;
pub use probe::probe;
pub use scratch::clear as clear_scratch;
pub use serve::serve;
pub(crate) use signal::describe_signal;
pub use zygote::Zygote;

use crate::spawn_error::SpawnError;

/// Whether this system can run workers at all; whether it can also confine them is for [`probe`] to tell.
pub fn check_system() -> Result<(), SpawnError> {
    Ok(())
}
