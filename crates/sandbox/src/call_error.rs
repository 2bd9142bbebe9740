//! Why a call could not be made.

use crate::ending::ZygoteExit;
use crate::spawn_error::SpawnError;

/// Why there is no report of a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The request is too long. The call was not made.
    #[error("send a request of {actual} bytes, at most {limit} are allowed")]
    RequestTooLong {
        /// Bytes of the request.
        actual: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The zygote of an earlier call had died and no new one could be started. The call was not made.
    #[error("start a worker for the call")]
    Respawn {
        /// The reason.
        #[source]
        source: SpawnError,
    },
    /// The file for the reply cannot be written. The call was made.
    #[error("write the reply of a worker")]
    Keep {
        /// The reason.
        #[source]
        source: std::io::Error,
    },
    /// One zygote after another died without a reply in between.
    #[error("keep a worker alive, {deaths} died in a row ({last:?})")]
    ZygoteKeepsDying {
        /// How many died.
        deaths: u32,
        /// How the last one ended.
        last: ZygoteExit,
    },
}
