//! The wall clock, injected.

use ledger::Utc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time in UTC.
    fn now(&self) -> Utc;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the machine's clock is read")]
    fn now(&self) -> Utc {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let nanoseconds = i128::try_from(since.as_nanos()).unwrap_or(i128::MAX);
        // A clock past the year 9999 is as wrong as one at 1970.
        Utc::from_unix_nanoseconds(nanoseconds).unwrap_or(Utc::UNIX_EPOCH)
    }
}
