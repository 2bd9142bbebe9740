//! `StartupApproved`: what the task manager and the settings store of entries that start by themselves.
//!
//! An entry has twelve bytes: a number that is odd where the entry is off, and the time at which it was switched off.
//! Source: observed by Microsoft's own tools; described by Yogesh Khatri and in Sysinternals Autoruns.

/// The name of the key, and what an entry is switched off by.
pub(crate) const APPROVED: &str = "StartupApproved";

/// What is stored of one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    On,
    /// It does not start, since this FILETIME where one is stored.
    Off {
        since: Option<u64>,
    },
}

impl Approval {
    /// Reads the data of an entry; `None` where it has none.
    pub(crate) fn read(data: &[u8]) -> Option<Approval> {
        if data.first()? & 1 == 0 {
            return Some(Approval::On);
        }
        let ticks = data.get(4..).and_then(|rest| rest.first_chunk()).map(|ticks| u64::from_le_bytes(*ticks));
        Some(Approval::Off { since: ticks.filter(|ticks| *ticks != 0) })
    }
}

/// The key of a list of entries: `Run`, `Run32` or `StartupFolder`, below the SOFTWARE hive or a user's key `Software`.
pub(crate) fn key(list: &str) -> String {
    format!("Microsoft\\Windows\\CurrentVersion\\Explorer\\{APPROVED}\\{list}")
}
