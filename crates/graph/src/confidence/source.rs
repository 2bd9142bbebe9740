//! What is one source, and what kinds of sources there are: by what component of the examined host writes them.

use ledger::FactEntry;

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

    /// The kind of source that records of this type are read from; a type that is not listed says nothing.
    pub fn of(record: &str) -> SourceKind {
        let lists = |kind: &SourceKind| kind.records().contains(&record);
        SourceKind::ALL.into_iter().find(lists).unwrap_or(SourceKind::Other)
    }

    /// The record types that are read from it.
    const fn records(self) -> &'static [&'static str] {
        match self {
            SourceKind::FileSystem => FILE_SYSTEM,
            SourceKind::Registry => REGISTRY,
            SourceKind::EventLog => EVENT_LOG,
            SourceKind::Prefetch => &["prefetch", "prefetch_file"],
            SourceKind::Amcache => {
                &["amcache_device", "amcache_driver", "amcache_file", "amcache_program", "amcache_shortcut"]
            }
            SourceKind::Shell => SHELL,
            SourceKind::Browser => BROWSER,
            SourceKind::Srum => SRUM,
            SourceKind::Scheduler => &["scheduled_job", "scheduled_task"],
            SourceKind::Wmi => &["wmi_binding", "wmi_consumer", "wmi_filter"],
            SourceKind::SecuritySoftware => {
                &["defender_history", "defender_log_detection", "defender_lookup", "defender_process"]
            }
            SourceKind::Bits => &["bits_transfer"],
            SourceKind::ApplicationLog => APPLICATION_LOG,
            SourceKind::Other => &[],
        }
    }
}

const FILE_SYSTEM: &[&str] = &[
    "deleted_entry",
    "dir_entry",
    "file_name",
    "mft_attribute",
    "mft_entry",
    "mft_file_entry",
    "stream",
    "timestomp_indicator",
    "usn_changed",
    "usn_closed",
    "usn_created",
    "usn_deleted",
    "usn_name_history",
    "usn_renamed",
    "volume",
];

const REGISTRY: &[&str] = &[
    "account_policy",
    "app_compat_entry",
    "autostart",
    "bam_entry",
    "computer_name",
    "connected_volume",
    "control_sets",
    "defender_exclusion",
    "deleted_key",
    "deleted_value",
    "disabled_autostart",
    "firewall_rule",
    "group_member",
    "installed_program",
    "last_logged_on",
    "last_visited",
    "mount_point",
    "mounted_device",
    "mui_cache_entry",
    "network_interface",
    "network_profile",
    "network_signature",
    "office_recent",
    "open_save",
    "os_version",
    "recent_app",
    "recent_app_item",
    "recent_document",
    "recent_documents_list",
    "registry_key",
    "registry_value",
    "security_domain",
    "security_setting",
    "service",
    "share",
    "shell_bag",
    "shim_cache_entry",
    "shutdown",
    "system_state",
    "task_cache_entry",
    "time_zone",
    "typed_entry",
    "usb_device",
    "user_account",
    "user_assist",
    "user_profile",
];

const EVENT_LOG: &[&str] = &[
    "account_changed",
    "audit_policy_changed",
    "clock_step",
    "credential_check",
    "defender_block",
    "defender_changed",
    "defender_detection",
    "device_connected",
    "dns_query",
    "event",
    "event_log",
    "explicit_credentials",
    "file_created",
    "firewall_change",
    "group_member_added",
    "group_member_removed",
    "log_cleared",
    "logoff",
    "logon",
    "logon_failed",
    "network_connection",
    "powershell_command",
    "powershell_script",
    "powershell_session",
    "powershell_started",
    "process_created",
    "process_ended",
    "rdp_connection",
    "rdp_session",
    "registry_set",
    "service_changed",
    "service_installed",
    "share_access",
    "silence",
    "special_privileges",
    "task_changed",
    "task_run",
    "time_changed",
    "wmi_subscription",
];

const SHELL: &[&str] = &[
    "activity",
    "activity_operation",
    "activity_package",
    "custom_jump_list_entry",
    "jump_list_entry",
    "recent_shortcut",
    "recycled_content",
    "recycled_file",
    "shortcut",
    "startup_item",
];

const BROWSER: &[&str] = &[
    "browser_download",
    "browser_search",
    "download_mark",
    "page_visit",
    "web_cache_download",
    "web_cache_entry",
    "web_cache_file",
    "web_cache_visit",
];

const SRUM: &[&str] = &[
    "srum_app_timeline",
    "srum_application",
    "srum_connectivity",
    "srum_entry",
    "srum_network",
    "srum_notification",
];

const APPLICATION_LOG: &[&str] = &[
    "copied_file",
    "crash_report",
    "device_setup",
    "firewall_event",
    "skipped_file",
    "transcript_command",
    "typed_command",
    "web_request",
];

/// Where a fact was read from: what the file system tells of its entries is one source, and so is every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place<'f> {
    Entries { evidence: &'f str },
    File { evidence: &'f str, path: &'f str },
}

impl<'f> Place<'f> {
    pub(crate) fn of(fact: &'f FactEntry) -> Place<'f> {
        let (evidence, path) = (fact.locator.evidence.as_str(), fact.locator.path.as_str());
        match SourceKind::of(&fact.kind) {
            SourceKind::FileSystem => Place::Entries { evidence },
            _ => Place::File { evidence, path },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_listed_record_type_is_one_and_has_one_kind_of_source() {
        let vocabulary = ledger::Vocabulary::shipped().unwrap();
        let mut seen = BTreeSet::new();
        for kind in SourceKind::ALL {
            for record in kind.records() {
                assert!(vocabulary.proved_by(record).next().is_some(), "{record} is no record type");
                assert!(seen.insert(*record), "{record} stands twice");
            }
        }
        assert_eq!(SourceKind::of("table_row"), SourceKind::Other);
    }
}
