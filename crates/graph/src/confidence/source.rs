//! Sources and their kinds, by the component of the examined host that writes them.

use ledger::FactEntry;
use ledger::placement::tells_of_host;

/// A kind of source, by what writes its files.
///
/// Files of one kind are written by one component: what deceives the component falsifies all of them.
/// A hive is a registry source, whatever artifact is read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// The file system's own records: `$MFT`, directories, change journal.
    FileSystem,
    /// Registry hives, except that of Amcache.
    Registry,
    /// Windows event logs.
    EventLog,
    /// Prefetch files.
    Prefetch,
    /// The program inventory in `Amcache.hve`.
    Amcache,
    /// Files of the shell: shortcuts, jump lists, the Timeline, Recycle Bin.
    Shell,
    /// Browser databases, and the marks on downloads (`Zone.Identifier`).
    Browser,
    /// The resource usage monitor (SRUM).
    Srum,
    /// Task files of the scheduler.
    Scheduler,
    /// The WMI repository.
    Wmi,
    /// Records kept by security software itself.
    SecuritySoftware,
    /// The transfer service (BITS).
    Bits,
    /// Text logs of any program.
    ApplicationLog,
    /// Formats that say nothing about their writer: tables, lines, bytes, counts.
    Other,
}

impl SourceKind {
    /// Every kind.
    pub const ALL: [SourceKind; 14] = [
        SourceKind::FileSystem,
        SourceKind::Registry,
        SourceKind::EventLog,
        SourceKind::Prefetch,
        SourceKind::Amcache,
        SourceKind::Shell,
        SourceKind::Browser,
        SourceKind::Srum,
        SourceKind::Scheduler,
        SourceKind::Wmi,
        SourceKind::SecuritySoftware,
        SourceKind::Bits,
        SourceKind::ApplicationLog,
        SourceKind::Other,
    ];

    /// Returns the words shown to people.
    pub const fn name(self) -> &'static str {
        match self {
            SourceKind::FileSystem => "file system",
            SourceKind::Registry => "registry",
            SourceKind::EventLog => "event log",
            SourceKind::Prefetch => "prefetch",
            SourceKind::Amcache => "Amcache",
            SourceKind::Shell => "shell",
            SourceKind::Browser => "browser",
            SourceKind::Srum => "SRUM",
            SourceKind::Scheduler => "scheduler",
            SourceKind::Wmi => "WMI",
            SourceKind::SecuritySoftware => "security software",
            SourceKind::Bits => "BITS",
            SourceKind::ApplicationLog => "application log",
            SourceKind::Other => "other",
        }
    }

    /// Returns the kind of source for records of this type, from `ledger`'s `data/records`; `Other` if the type names none.
    pub fn of(record: &str) -> SourceKind {
        let word = ledger::source_kind(record);
        SourceKind::ALL.into_iter().find(|kind| word == Some(kind.word())).unwrap_or(SourceKind::Other)
    }

    /// Returns the identifier used in data.
    const fn word(self) -> &'static str {
        match self {
            SourceKind::FileSystem => "file_system",
            SourceKind::Registry => "registry",
            SourceKind::EventLog => "event_log",
            SourceKind::Prefetch => "prefetch",
            SourceKind::Amcache => "amcache",
            SourceKind::Shell => "shell",
            SourceKind::Browser => "browser",
            SourceKind::Srum => "srum",
            SourceKind::Scheduler => "scheduler",
            SourceKind::Wmi => "wmi",
            SourceKind::SecuritySoftware => "security_software",
            SourceKind::Bits => "bits",
            SourceKind::ApplicationLog => "application_log",
            SourceKind::Other => "other",
        }
    }
}

/// The place that a fact was read from: all entries of the file system are one source, and each file is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place<'f> {
    Entries {
        evidence: &'f str,
    },
    File {
        evidence: &'f str,
        path: &'f str,
    },
    /// Files outside their usual place, and files of other computers: one person can have put all of them there.
    Elsewhere,
}

impl<'f> Place<'f> {
    pub(crate) fn of(fact: &'f FactEntry) -> Place<'f> {
        let (evidence, path) = (fact.locator.evidence.as_str(), fact.locator.path.as_str());
        if !tells_of_host(fact.placement) {
            return Place::Elsewhere;
        }
        match SourceKind::of(&fact.kind) {
            SourceKind::FileSystem => Place::Entries { evidence },
            _ => Place::File { evidence, path },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_for_a_kind_of_source_is_one() {
        let words = SourceKind::ALL.map(SourceKind::word);
        let wrong: Vec<_> = ledger::source_kinds().filter(|(_, word)| !words.contains(word)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(SourceKind::of("hosts_entry"), SourceKind::Other);
        assert_eq!(SourceKind::of("shortcut"), SourceKind::Shell);
    }
}
