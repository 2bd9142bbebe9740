//! Retries without the files that break the process that reads them.

use super::ToolError;
use sandbox::{Ending, Limits, Report};
use tools::LeftOut;

/// The most files that are left out; each costs an attempt.
const MOST: usize = 16;

/// Calls `attempt` until it replies; after each attempt that breaks, leaves out the file that was being read. Returns these files.
///
/// All attempts together take no more time than `limits` allow for one.
/// A process that was taken over may name another file than the one that broke
/// it; that file becomes a gap, and the next attempt breaks again.
pub(super) fn leaving_out(
    limits: Limits,
    mut attempt: impl FnMut(&[LeftOut], &Limits) -> Result<Report, ToolError>,
) -> Result<Vec<LeftOut>, ToolError> {
    let (mut left, mut left_out, mut was_killed) = (limits, Vec::new(), false);
    loop {
        let report = attempt(&left_out, &left)?;
        if let Ending::Replied(_) = report.ending {
            return Ok(left_out);
        }
        left.wall = left.wall.saturating_sub(report.usage.wall);
        // The first time, no file is blamed for an end from outside.
        if report.ending.is_from_outside() && !was_killed && !left.wall.is_zero() {
            was_killed = true;
            continue;
        }
        let why = report.ending.describe(&limits);
        let reason = format!("not read: the process that decoded it {why}");
        let broke = LeftOut::of_doing(&report.doing, &reason).filter(|broke| {
            !left.wall.is_zero()
                && left_out.len() < MOST
                && !left_out.iter().any(|out: &LeftOut| out.is(&broke.path, broke.stream.as_deref()))
        });
        match broke {
            Some(broke) => left_out.push(broke),
            None => return Err(ToolError::Tables { ending: why }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use sandbox::Usage;
    use std::time::Duration;

    fn report(ending: Ending, doing: &str, seconds: u64) -> Report {
        let usage = Usage { wall: Duration::from_secs(seconds), ..Usage::default() };
        Report { ending, usage, stderr: Vec::new(), doing: doing.as_bytes().to_vec(), scratch_left: None }
    }

    /// Breaks at each of these files unless it is left out; returns the result, the
    /// number of attempts, and the number of files left out in the last attempt.
    fn broken_by(files: &[String]) -> (Result<Vec<LeftOut>, ToolError>, usize, usize) {
        let (mut tries, mut number) = (0, 0);
        let done = leaving_out(Limits::default(), |without, _| {
            (tries, number) = (tries + 1, without.len());
            let next = files.iter().find(|file| !without.iter().any(|out| out.is(file, None)));
            Ok(match next {
                Some(file) => report(Ending::Signalled { signal: 11 }, &format!("[{file:?},null]"), 0),
                None => report(Ending::Replied(Vec::new()), "", 0),
            })
        });
        (done, tries, number)
    }

    #[test]
    fn the_sandbox_hands_over_the_file_that_the_pass_writes() {
        assert_eq!(tools::DOING, sandbox::DOING);
    }

    #[test]
    fn files_that_break_the_process_are_left_out_one_by_one() {
        let files = ["a.evtx".to_owned(), "b.evtx".to_owned()];
        let (done, tries, _) = broken_by(&files);
        let left_out = done.unwrap();
        assert_eq!(
            (tries, left_out.iter().map(|out| out.path.as_str()).collect()),
            (3, vec!["a.evtx", "b.evtx"])
        );
        assert!(
            left_out.iter().all(|out| out.reason.starts_with("not read: the process that decoded it ")),
            "{left_out:?}"
        );
    }

    #[test]
    fn no_file_is_left_out_because_somebody_killed_the_process() {
        let mut tries = 0;
        let done = leaving_out(Limits::default(), |_, _| {
            tries += 1;
            let killed = || report(Ending::Signalled { signal: 9 }, "[\"a.evtx\",null]", 0);
            Ok(if tries == 1 { killed() } else { report(Ending::Replied(Vec::new()), "", 0) })
        });
        assert!(done.unwrap().is_empty());
    }

    #[test]
    fn only_so_many_files_are_left_out() {
        let files: Vec<_> = (0..MOST + 5).map(|number| format!("{number}.evtx")).collect();
        let (done, tries, left_out) = broken_by(&files);
        assert!(matches!(done, Err(ToolError::Tables { .. })));
        assert_eq!((tries, left_out), (MOST + 1, MOST));
    }

    #[test]
    fn a_process_that_names_no_file_or_the_same_again_is_not_tried_for_ever() {
        for doing in ["", "{", "[\"a\",null]"] {
            let mut tries = 0;
            let done = leaving_out(Limits::default(), |_, _| {
                tries += 1;
                Ok(report(Ending::Signalled { signal: 6 }, doing, 0))
            });
            assert!(done.is_err() && tries <= 2, "{doing}: {tries}");
        }
    }

    #[test]
    fn all_tries_share_the_time_of_one() {
        let limits = Limits { wall: Duration::from_secs(10), ..Limits::default() };
        let mut given = Vec::new();
        let done = leaving_out(limits, |without, limits| {
            given.push(limits.wall.as_secs());
            let doing = format!("[\"{}\",null]", without.len());
            Ok(report(Ending::TimedOut { limit: limits.wall }, &doing, 6))
        });
        assert!(done.is_err());
        assert_eq!(given, [10, 4]);
    }
}
