//! What is one source, and what kinds of sources there are: by what component of the examined host writes them.

use ledger::FactEntry;
use ledger::placement::tells_of_host;

/// A kind of source: what writes the files of it.
///
/// Files of one kind are written by one component, and what deceives it deceives all of them.
/// A hive is a hive, whatever artifact is read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// The file system's own records: `$MFT`, directories, change journal.
    FileSystem,
    /// Hives of the registry, but for that of Amcache.
    Registry,
    /// Windows event logs.
    EventLog,
    /// Prefetch files.
    Prefetch,
    /// The inventory of programs in `Amcache.hve`.
    Amcache,
    /// What the shell keeps as files: shortcuts, jump lists, the Timeline, Recycle Bin.
    Shell,
    /// Databases and marks of browsers.
    Browser,
    /// The resource usage monitor.
    Srum,
    /// Tasks of the scheduler, as files.
    Scheduler,
    /// The repository of WMI.
    Wmi,
    /// What security software keeps itself.
    SecuritySoftware,
    /// The transfer service.
    Bits,
    /// Logs as text, of whatever program.
    ApplicationLog,
    /// What says nothing of who writes it: tables, lines, bytes, counts.
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

    /// The words for people.
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

    /// The kind of source that records of this type are read from, by `ledger`'s `data/records`; a type that names none says nothing.
    pub fn of(record: &str) -> SourceKind {
        let word = ledger::source_kind(record);
        SourceKind::ALL.into_iter().find(|kind| word == Some(kind.word())).unwrap_or(SourceKind::Other)
    }

    /// The word for it in data.
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

/// Where a fact was read from: what the file system tells of its entries is one source, and so is every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place<'f> {
    Entries {
        evidence: &'f str,
    },
    File {
        evidence: &'f str,
        path: &'f str,
    },
    /// Files that stand where Windows keeps none such, and those of other computers: one hand can have put all of them there.
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
