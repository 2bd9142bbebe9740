//! Which sources each of the gathering tools reads.

use super::Gathered;

/// What browsers kept.
pub(crate) const BROWSER_HISTORY: Gathered = Gathered {
    tool: "browser_history",
    about: "Gives the pages, downloads and searches that browsers kept, and what users typed as addresses.",
    decoders: &["chromium_history", "firefox_history", "index_dat", "web_cache"],
    artifacts: &["typed_entries"],
};

/// Files and folders of master file tables.
pub(crate) const MFT: Gathered = Gathered {
    tool: "mft_file",
    about: "Gives every file and folder that a master file table ($MFT) tells of, deleted ones among them, with the four times of $STANDARD_INFORMATION and those of $FILE_NAME; first what the table holds altogether. The $MFT may be a file of a collection or that of a volume of an image.",
    decoders: &["mft"],
    artifacts: &[],
};

/// What starts by itself.
pub(crate) const PERSISTENCE: Gathered = Gathered {
    tool: "persistence",
    about: "Gives what the system starts by itself: scheduled tasks, startup folders, event subscriptions of WMI, services and the registry's autostarts.",
    // A startup folder may hold a file of any kind: its items come first.
    decoders: &["startup_folder", "job_file", "scheduled_task", "wmi_repository"],
    artifacts: &["autostarts", "services", "task_cache"],
};

/// What ran, and what only was there.
pub(crate) const PROGRAM_EXECUTION: Gathered = Gathered {
    tool: "program_execution",
    about: "Gives which programs ran or were there, by every source that can tell, side by side; each proves something else, and the inventories prove no run.",
    decoders: &["error_report", "powershell_history", "powershell_transcript", "prefetch", "srum"],
    artifacts: &["amcache", "bam", "mui_cache", "recent_apps", "shim_cache", "user_assist"],
};

/// What users opened, started and typed.
pub(crate) const USER_ACTIVITY: Gathered = Gathered {
    tool: "user_activity",
    about: "Gives what users opened, started and typed, by shortcuts, jump lists, Windows Timeline and the registry.",
    decoders: &["jump_list", "lnk", "windows_timeline"],
    artifacts: &[
        "mount_points",
        "office_recent",
        "open_save",
        "recent_apps",
        "recent_documents",
        "shell_bags",
        "typed_entries",
        "user_assist",
    ],
};
