//! Signals: no call ends by one here.

use crate::limits::Limits;

/// Returns false: no call ends by a signal here.
pub(crate) const fn is_from_outside(_signal: i32) -> bool {
    false
}

/// Describes a signal only by its number: numbers differ between systems, and no call ends by one here.
pub(crate) fn describe_signal(signal: i32, _limits: &Limits) -> String {
    format!("was killed by signal {signal}")
}
