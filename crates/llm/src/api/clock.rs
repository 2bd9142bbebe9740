//! The clock of a client: how long it has tried, and waiting.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Instant;

/// A clock that can be waited on.
pub trait Clock: Send + Sync {
    /// Returns the time since some earlier moment.
    fn now(&self) -> Duration;

    /// Waits.
    fn wait<'a>(&'a self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// The machine's clock.
#[derive(Debug)]
pub struct MonotonicClock {
    since: Instant,
}

impl MonotonicClock {
    /// Starts a clock now.
    pub fn start() -> MonotonicClock {
        MonotonicClock { since: Instant::now() }
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Duration {
        self.since.elapsed()
    }

    fn wait<'a>(&'a self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(tokio::time::sleep(time))
    }
}
