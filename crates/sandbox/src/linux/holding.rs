//! Whether a layer is in force, by the result of a system call.

use crate::confinement::{Holding, Reason};
use std::io;

/// Converts the result of a system call to whether a layer is in force.
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
