//! Retries a call that was ended from outside.

use super::ToolError;
use sandbox::{Limits, Report};

/// Repeats `attempt` once if the call was ended from outside, and then once more with half its limits: a call that the system ended
/// because memory ran out may then fit, or fail at its own limit.
///
/// For a call that is killed each time, returns the last report.
pub(super) fn again(
    limits: &Limits,
    mut attempt: impl FnMut(&Limits) -> Result<Report, ToolError>,
) -> Result<Report, ToolError> {
    let half = Limits {
        address_space: limits.address_space / 2,
        cpu_seconds: limits.cpu_seconds.div_ceil(2),
        wall: limits.wall / 2,
        ..*limits
    };
    for limits in [limits, limits] {
        let report = attempt(limits)?;
        if !report.ending.is_from_outside() {
            return Ok(report);
        }
    }
    attempt(&half)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use sandbox::{Ending, Usage, ZygoteExit};

    /// Returns the final ending of a call whose attempts end in this way, and the address space of each attempt.
    fn tried(endings: Vec<Ending>) -> (Ending, Vec<u64>) {
        let (mut endings, mut given) = (endings.into_iter(), Vec::new());
        let report = again(&Limits { address_space: 100, ..Limits::default() }, |limits| {
            given.push(limits.address_space);
            let ending = endings.next().unwrap();
            let (stderr, doing) = (Vec::new(), Vec::new());
            Ok(Report { ending, usage: Usage::default(), stderr, doing, scratch_left: None })
        });
        (report.unwrap().ending, given)
    }

    #[test]
    fn a_call_that_was_killed_is_made_again_and_then_within_half_its_bounds() {
        let killed = || Ending::Signalled { signal: 9 };
        let lost = || Ending::ZygoteDied { exit: ZygoteExit::Signal(9) };
        let replied = || Ending::Replied(b"x".to_vec());
        assert_eq!(tried(vec![replied()]), (replied(), vec![100]));
        assert_eq!(tried(vec![killed(), replied()]), (replied(), vec![100, 100]));
        assert_eq!(tried(vec![lost(), killed(), replied()]), (replied(), vec![100, 100, 50]));
        assert_eq!(tried(vec![killed(), killed(), killed()]), (killed(), vec![100, 100, 50]));
    }

    #[test]
    fn a_call_that_its_own_input_breaks_is_not_made_again() {
        for ending in [
            Ending::Signalled { signal: 6 },
            Ending::Signalled { signal: 11 },
            Ending::Panicked { message: String::new() },
            Ending::Exited { code: 7 },
            Ending::Cancelled,
        ] {
            assert_eq!(tried(vec![ending.clone()]), (ending, vec![100]));
        }
    }
}
