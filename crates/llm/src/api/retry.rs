//! Decides when a request is sent again.

use super::error::{Again, ApiError};
use super::settings::Retries;
use crate::random::Choices;
use std::time::Duration;

/// The remaining retries for one turn.
#[derive(Debug)]
pub(crate) struct Patience<'a> {
    retries: &'a Retries,
    waits: u32,
    choices: Choices,
}

impl<'a> Patience<'a> {
    /// Makes the retry state. Its uneven waits follow from `seed`, so that tasks which were turned away together do not return together.
    pub(crate) fn new(retries: &'a Retries, seed: u64) -> Patience<'a> {
        Patience { retries, waits: 0, choices: Choices::new(seed) }
    }

    /// Returns how long to wait before the next attempt, `elapsed` after the first; `None` to give up.
    pub(crate) fn wait(&mut self, error: &ApiError, elapsed: Duration) -> Option<Duration> {
        let wait = match error.again() {
            Again::Never => return None,
            Again::Later => self.doubled(),
            // Not before the server says, and not all at the same moment.
            // If a server asked for one second again and again, all attempts would be used up within seconds.
            Again::After(asked) => {
                let asked = asked.saturating_add(self.part_of(self.retries.first_wait));
                asked.max(self.doubled())
            }
        };
        self.waits += 1;
        let is_in_time = elapsed.saturating_add(wait) < self.retries.total;
        (self.waits < self.retries.attempts && is_in_time).then_some(wait)
    }

    fn doubled(&mut self) -> Duration {
        let doubled = self.retries.first_wait.saturating_mul(1 << self.waits.min(20));
        let most = doubled.min(self.retries.longest_wait);
        most / 2 + self.part_of(most / 2)
    }

    fn part_of(&mut self, most: Duration) -> Duration {
        let micros = usize::try_from(most.as_micros()).unwrap_or(usize::MAX);
        Duration::from_micros(self.choices.below(micros) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, after: Option<u64>) -> ApiError {
        let after = after.map(Duration::from_secs);
        ApiError::Status { host: "h".into(), status, told: String::new(), after }
    }

    #[test]
    fn waits_grow_to_a_bound_and_end() {
        let retries = Retries { attempts: 12, ..Retries::default() };
        let mut patience = Patience::new(&retries, 1);
        for turn in 0..11 {
            let most = Duration::from_secs(1 << turn).min(retries.longest_wait);
            let wait = patience.wait(&status(529, None), Duration::ZERO).unwrap();
            assert!(wait >= most / 2 && wait <= most, "{wait:?} of {most:?}");
        }
        assert_eq!(patience.wait(&status(529, None), Duration::ZERO), None);
    }

    #[test]
    fn a_server_that_asks_for_time_gets_it_or_is_given_up() {
        let retries = Retries::default();
        let mut patience = Patience::new(&retries, 1);
        let wait = patience.wait(&status(429, Some(30)), Duration::ZERO).unwrap();
        assert!(wait >= Duration::from_secs(30) && wait < Duration::from_secs(31), "{wait:?}");
        assert_eq!(patience.wait(&status(429, Some(3600)), Duration::ZERO), None);
        assert_eq!(patience.wait(&status(429, Some(30)), retries.total), None);
    }

    #[test]
    fn a_server_that_asks_for_little_again_and_again_is_waited_for_as_long_as_one_that_asks_for_nothing() {
        let retries = Retries::default();
        let mut patience = Patience::new(&retries, 1);
        let waits = std::iter::from_fn(|| patience.wait(&status(503, Some(1)), Duration::ZERO));
        let waits: Vec<_> = waits.collect();
        assert!(waits.iter().all(|wait| *wait >= Duration::from_secs(1)), "{waits:?}");
        assert!(waits.iter().sum::<Duration>() > Duration::from_secs(120), "{waits:?}");
    }

    #[test]
    fn what_would_be_answered_alike_is_not_sent_again() {
        let retries = Retries::default();
        for code in [400, 404, 413, 422] {
            assert_eq!(Patience::new(&retries, 1).wait(&status(code, Some(1)), Duration::ZERO), None);
        }
        for code in [408, 429, 500, 502, 503, 504, 529] {
            assert!(Patience::new(&retries, 1).wait(&status(code, None), Duration::ZERO).is_some());
        }
    }

    #[test]
    fn two_tasks_wait_unevenly() {
        let retries = Retries::default();
        let wait = |seed| Patience::new(&retries, seed).wait(&status(500, None), Duration::ZERO);
        assert_eq!(wait(1), wait(1));
        assert_ne!(wait(1), wait(2));
    }
}
