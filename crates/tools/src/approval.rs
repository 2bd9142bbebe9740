//! `StartupApproved`: where the task manager and the settings store which autostart entries are switched off.
//!
//! An entry has twelve bytes: a number that is odd if the entry is off, and the time at which it was switched off.
//! Sources: the behaviour of Microsoft's own tools; descriptions by Yogesh Khatri and in Sysinternals Autoruns.

/// The name of the key; also recorded as what switched an entry off.
pub(crate) const APPROVED: &str = "StartupApproved";

/// The stored state of one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    On,
    /// The entry does not start; `since` is the FILETIME at which it was switched off, if stored.
    Off {
        since: Option<u64>,
    },
}

impl Approval {
    /// Reads the data of an entry; `None` if it is empty.
    pub(crate) fn read(data: &[u8]) -> Option<Approval> {
        if data.first()? & 1 == 0 {
            return Some(Approval::On);
        }
        let ticks = data.get(4..).and_then(|rest| rest.first_chunk()).map(|ticks| u64::from_le_bytes(*ticks));
        Some(Approval::Off { since: ticks.filter(|ticks| *ticks != 0) })
    }
}

/// Returns the key of a list of entries (`Run`, `Run32` or `StartupFolder`), below the SOFTWARE hive or a user's key `Software`.
pub(crate) fn key(list: &str) -> String {
    format!("Microsoft\\Windows\\CurrentVersion\\Explorer\\{APPROVED}\\{list}")
}
