//! What a signal shows about the call that it ended.

use crate::limits::Limits;

/// Returns a lower-case fragment that follows "the call".
pub(crate) fn describe_signal(signal: i32, limits: &Limits) -> String {
    match signal {
        libc::SIGABRT => format!(
            "aborted (SIGABRT): out of its {} bytes of address space, out of stack, or a failed check",
            limits.address_space
        ),
        libc::SIGSEGV => "crashed (SIGSEGV): invalid memory access".to_owned(),
        libc::SIGBUS => "crashed (SIGBUS): a mapped file ended early or could not be read".to_owned(),
        libc::SIGFPE => "crashed (SIGFPE): division by zero".to_owned(),
        libc::SIGILL => "crashed (SIGILL): invalid instruction".to_owned(),
        libc::SIGXCPU => format!("used up its {} s of CPU time (SIGXCPU)", limits.cpu_seconds),
        libc::SIGXFSZ => format!("wrote a file of more than {} bytes (SIGXFSZ)", limits.file_size),
        libc::SIGSYS => "was killed (SIGSYS): made a system call that no parser has a use for".to_owned(),
        libc::SIGKILL => {
            "was killed (SIGKILL): out of memory, out of CPU time, or by somebody outside".to_owned()
        }
        other => format!("was killed by signal {other}"),
    }
}

/// Checks for a signal with which people and systems end processes, and which no process sends itself by accident.
pub(crate) const fn is_from_outside(signal: i32) -> bool {
    matches!(signal, libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP | libc::SIGQUIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ending::Ending;

    #[test]
    fn a_signal_is_explained_by_the_limit_that_sends_it() {
        let limits = Limits { cpu_seconds: 7, ..Limits::default() };
        let text = Ending::Signalled { signal: libc::SIGXCPU }.describe(&limits);
        assert_eq!(text, "used up its 7 s of CPU time (SIGXCPU)");
    }
}
