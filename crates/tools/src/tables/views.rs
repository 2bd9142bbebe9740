//! Named views for common questions of examiners, gathered from all relevant tables.
//!
//! Every row is about one record: `_table` and `_row` name it, and `source` names the kind of evidence in a word or two.
//! A view does not change what a table proves: a program in the ShimCache need not have run.

use super::schema::quoted;
use std::fmt::Write;

/// One view.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Its name.
    pub name: &'static str,
    /// What one row is.
    pub meaning: &'static str,
    /// Its own columns; the common ones follow them.
    pub columns: &'static [&'static str],
    arms: &'static [Arm],
}

/// The rows of one table in a view: the source, the value of each of the view's columns (NULL for missing ones), and which rows count.
#[derive(Debug, Clone, Copy)]
struct Arm {
    table: &'static str,
    source: &'static str,
    columns: &'static [&'static str],
    only: &'static str,
}

const fn arm(table: &'static str, source: &'static str, columns: &'static [&'static str]) -> Arm {
    Arm { table, source, columns, only: "" }
}

const fn only(
    table: &'static str,
    source: &'static str,
    columns: &'static [&'static str],
    only: &'static str,
) -> Arm {
    Arm { table, source, columns, only }
}

/// The program of a prefetch file.
const PREFETCHED: &str = "coalesce(program_path, executable)";

/// The columns that every view has after its own.
pub(super) const COMMON: [&str; 6] = ["source", "_table", "_row", "_evidence", "_path", "_source"];

/// The views, sorted by name.
pub const VIEWS: &[View] = &[
    View {
        name: "account_changes",
        meaning: "an account or a group was changed, as an event log tells it",
        columns: &["time", "account", "action", "by_account"],
        arms: &[
            arm("account_changed", "event log", &["time", "account", "action", "by_account"]),
            arm(
                "group_member_added",
                "event log",
                &["time", "member_sid", "'added to ' || \"group\"", "by_account"],
            ),
            arm(
                "group_member_removed",
                "event log",
                &["time", "member_sid", "'removed from ' || \"group\"", "by_account"],
            ),
        ],
    },
    View {
        name: "autostarts",
        meaning: "something that Windows starts by itself; not that it ever started",
        columns: &["time", "name", "command", "location"],
        arms: &[
            arm("autostart", "registry", &["key_last_written", "name", "command", "location"]),
            only(
                "service",
                "registry",
                &[
                    "key_last_written",
                    "name",
                    "coalesce(service_dll, image_path)",
                    "'service ' || start_name",
                ],
                "start_name IN ('boot', 'system', 'automatic')",
            ),
            arm(
                "scheduled_task",
                "task file",
                &["registered", "task", "command || coalesce(' ' || arguments, '')", "'scheduled task'"],
            ),
            arm(
                "scheduled_job",
                "job file",
                &["NULL", "job", "command || coalesce(' ' || arguments, '')", "'scheduled job'"],
            ),
            arm("startup_item", "startup folder", &["NULL", "name", "path", "'startup folder'"]),
            arm(
                "wmi_consumer",
                "WMI repository",
                &["NULL", "name", "coalesce(command_line, script)", "'WMI consumer'"],
            ),
        ],
    },
    View {
        name: "browsing",
        meaning: "a page that a browser visited; not that a user saw it",
        columns: &["time", "url", "title", "user"],
        arms: &[
            arm("page_visit", "browser history", &["time", "url", "title", "user"]),
            arm("web_cache_visit", "WebCache", &["time", "url", "NULL", "user"]),
        ],
    },
    View {
        name: "devices",
        meaning: "a device, a disk or a volume that the host has met",
        columns: &["time", "device", "serial", "name"],
        arms: &[
            arm(
                "usb_device",
                "registry",
                &["first_install_time", "device", "serial", "coalesce(friendly_name, description)"],
            ),
            arm("device_connected", "event log", &["time", "device", "serial", "model"]),
            arm("device_setup", "setup log", &["time", "coalesce(device, title)"]),
            arm("connected_volume", "registry", &["last_tested", "device", "serial", "label"]),
            arm("mounted_device", "registry", &["NULL", "device", "NULL", "name"]),
            arm("amcache_device", "Amcache", &["NULL", "device", "NULL", "coalesce(model, description)"]),
        ],
    },
    View {
        name: "downloads",
        meaning: "a file that came from elsewhere; not that it was opened",
        columns: &["time", "file", "url"],
        arms: &[
            arm("browser_download", "browser history", &["time", "file", "url"]),
            arm("download_mark", "Zone.Identifier", &["NULL", "file", "host_url"]),
            arm("web_cache_download", "WebCache", &["time", "file_name", "url"]),
            arm("bits_transfer", "event log", &["time", "job", "url"]),
        ],
    },
    View {
        name: "files_deleted",
        meaning: "a file or a name that was deleted",
        columns: &["time", "path"],
        arms: &[
            arm("recycled_file", "Recycle Bin", &["deleted", "original_path"]),
            arm("usn_deleted", "change journal", &["time", "coalesce(path, name)"]),
            only("mft_file_entry", "master file table", &["NULL", "path"], "NOT in_use"),
        ],
    },
    View {
        name: "files_opened",
        meaning: "a file or folder that a user opened or chose; each source says what that means",
        columns: &["time", "path", "user"],
        arms: &[
            arm("recent_document", "RecentDocs", &["opened_last", "name"]),
            arm("jump_list_entry", "jump list", &["last_opened", "coalesce(target, path)"]),
            arm("recent_shortcut", "recent folder", &["NULL", "target"]),
            arm("office_recent", "Office", &["opened", "path"]),
            arm("open_save", "OpenSave dialog", &["chosen_last", "path"]),
            arm("shell_bag", "shellbags", &["last_interacted", "path"]),
            // Without content, an activity is about the program itself.
            only("activity", "Windows timeline", &["started", "content", "user"], "content IS NOT NULL"),
        ],
    },
    View {
        name: "logons",
        meaning: "an account logged on or off, failed to, or used another one's credentials",
        columns: &["time", "account", "action", "kind", "address", "workstation"],
        arms: &[
            arm(
                "logon",
                "event log",
                &["time", "account", "'logged on'", "logon_type_name", "address", "workstation"],
            ),
            arm(
                "logon_failed",
                "event log",
                &["time", "account", "'failed to log on'", "logon_type_name", "address", "workstation"],
            ),
            arm("logoff", "event log", &["time", "account", "'logged off'", "logon_type_name"]),
            arm(
                "explicit_credentials",
                "event log",
                &["time", "account", "'credentials given by ' || by_account", "NULL", "address"],
            ),
            arm("rdp_session", "event log", &["time", "account", "action", "'remote desktop'", "address"]),
            arm("rdp_connection", "event log", &["time", "account", "action", "'remote desktop'", "address"]),
        ],
    },
    View {
        name: "processes",
        meaning: "a process that was started, as an event log tells it",
        columns: &["time", "image", "command_line", "user", "parent_image", "pid"],
        arms: &[arm(
            "process_created",
            "event log",
            &["time", "image", "command_line", "user", "parent_image", "pid"],
        )],
    },
    View {
        name: "programs_run",
        meaning: "one run of a program, by each source that can tell; `count` is all that the source counts, where it tells one",
        columns: &["time", "program", "count", "user"],
        arms: &[
            arm("prefetch", "prefetch", &["last_run", PREFETCHED, "run_count"]),
            only("prefetch", "prefetch", &["last_run_2", PREFETCHED], "last_run_2 IS NOT NULL"),
            only("prefetch", "prefetch", &["last_run_3", PREFETCHED], "last_run_3 IS NOT NULL"),
            only("prefetch", "prefetch", &["last_run_4", PREFETCHED], "last_run_4 IS NOT NULL"),
            only("prefetch", "prefetch", &["last_run_5", PREFETCHED], "last_run_5 IS NOT NULL"),
            only("prefetch", "prefetch", &["last_run_6", PREFETCHED], "last_run_6 IS NOT NULL"),
            only("prefetch", "prefetch", &["last_run_7", PREFETCHED], "last_run_7 IS NOT NULL"),
            only("prefetch", "prefetch", &["last_run_8", PREFETCHED], "last_run_8 IS NOT NULL"),
            only(
                "user_assist",
                "UserAssist",
                &["last_run", "coalesce(resolved, program)", "run_count"],
                "run_count > 0 OR last_run IS NOT NULL",
            ),
            arm("bam_entry", "BAM", &["last_run", "program", "NULL", "sid"]),
            arm("process_created", "event log", &["time", "image", "NULL", "user"]),
            only("shim_cache_entry", "ShimCache", &["NULL", "path"], "process_flag"),
            arm("pca_launch", "PCA", &["last_run", "program"]),
            arm("recent_app", "RecentApps", &["last_accessed", "program", "launch_count"]),
            arm("srum_application", "SRUM", &["time", "application", "NULL", "sid"]),
            arm("srum_app_timeline", "SRUM", &["time", "application", "NULL", "sid"]),
            only("task_cache_entry", "task cache", &["last_run", "task"], "last_run IS NOT NULL"),
        ],
    },
    View {
        name: "services_installed",
        meaning: "a service that was installed, or is there",
        columns: &["time", "name", "command", "account"],
        arms: &[
            arm("service_installed", "event log", &["time", "service_name", "image_path", "account"]),
            arm("service", "registry", &["key_last_written", "name", "image_path", "account"]),
        ],
    },
    View {
        name: "shares_used",
        meaning: "a share of this host or of another one",
        columns: &["time", "share", "account", "address"],
        arms: &[
            arm("share_access", "event log", &["time", "share", "by_account", "address"]),
            only("mount_point", "registry", &["key_last_written", "share"], "share IS NOT NULL"),
            arm("share", "registry", &["key_last_written", "name"]),
        ],
    },
];

impl View {
    /// Returns the tables that it uses, each once.
    pub fn tables(&self) -> Vec<&'static str> {
        let mut tables: Vec<_> = self.arms.iter().map(|arm| arm.table).collect();
        tables.dedup();
        tables
    }

    pub(super) fn select(&self) -> String {
        let mut sql = String::new();
        for (number, arm) in self.arms.iter().enumerate() {
            if number > 0 {
                sql.push_str(" UNION ALL ");
            }
            sql.push_str("SELECT ");
            for (index, name) in self.columns.iter().enumerate() {
                let value = arm.columns.get(index).copied().unwrap_or("NULL");
                // Writing to a string cannot fail.
                let _ = write!(sql, "{value} AS {}, ", quoted(name));
            }
            let _ = write!(
                sql,
                "'{}' AS source, '{table}' AS _table, _row, _evidence, _path, _source FROM {table}",
                arm.source,
                table = arm.table,
            );
            if !arm.only.is_empty() {
                let _ = write!(sql, " WHERE {}", arm.only);
            }
        }
        sql
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::tables;
    use super::*;

    #[test]
    fn views_are_sorted_named_as_no_table_and_gather_tables_that_there_are() {
        assert!(VIEWS.iter().map(|view| view.name).is_sorted());
        let known: Vec<_> = tables().iter().map(|table| table.name.as_str()).collect();
        for view in VIEWS {
            assert!(!known.contains(&view.name), "{}", view.name);
            assert!(view.columns.iter().all(|name| !COMMON.contains(name)), "{}", view.name);
            for arm in view.arms {
                assert!(known.contains(&arm.table), "{}: {}", view.name, arm.table);
                assert!(arm.columns.len() <= view.columns.len(), "{}: {}", view.name, arm.table);
            }
        }
    }
}
