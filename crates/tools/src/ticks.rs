//! Instants as sortable whole numbers: steps of 100 nanoseconds, as in a FILETIME.

use ledger::Utc;

/// Nanoseconds in a step.
const STEP: i128 = 100;

/// Steps in a second.
pub(crate) const SECOND: i64 = 10_000_000;

/// Returns the step of an instant, counted from 1970.
pub(crate) fn ticks(utc: Utc) -> i64 {
    // The years -9999 to 9999 fit.
    i64::try_from(utc.unix_nanoseconds().div_euclid(STEP)).unwrap_or(i64::MAX)
}

/// Returns the first instant of a step; `None` outside of the years that an instant can have.
pub(crate) fn utc(ticks: i64) -> Option<Utc> {
    Utc::from_unix_nanoseconds(i128::from(ticks) * STEP)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn an_instant_comes_back_from_its_steps() {
        for text in ["1601-01-01T00:00:00Z", "2012-04-04T01:58:40.839249Z", "9999-12-30T00:00:00Z"] {
            let instant: Utc = text.parse().unwrap();
            assert_eq!(utc(ticks(instant)), Some(instant));
        }
        assert_eq!(utc(i64::MAX), None);
    }
}
