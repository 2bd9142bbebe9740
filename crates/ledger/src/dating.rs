//! What the times of a fact can date: data for the gateway, and for anyone who checks its verdicts again.
//!
//! The tables of writers say who could have written a time, but they do not distinguish the times of a file:
//! its owner can set them all.
//! The times differ in how hard that is. One call sets those of `$STANDARD_INFORMATION`, as archives and installers do.
//! Those of `$FILE_NAME` change only if somebody sets the others and moves the file, which leaves a trace in the change journal.

/// How well a time dates what its fact says; the first is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dates {
    /// It is the time of what the record describes.
    Event,
    /// The name of a file was made then (`$FILE_NAME`).
    Name,
    /// The time at which the file was created, by its own account (`$STANDARD_INFORMATION`, or a copy of it).
    Birth,
    /// The time at which the file was changed or read, by its own account.
    File,
    /// It is not a time at which something was on the host: a linker's time, another host's, a time in the future.
    Nothing,
}

/// Fields that date nothing on the host, whatever their record.
const NOTHING: &[&str] = &[
    "account_expires",
    "container_created",
    "expires",
    "file_id_time",
    "file_time",
    "lease_terminates",
    "link_date",
    "modified_on_client",
    "old_time",
    "preset_time",
    "volume_created",
];

/// Fields that say when the name of a file was made.
const NAME: &[&str] = &["fn_created", "name_born"];

/// Fields that say when the file itself was created, in every record that has them.
const BIRTH: &[&str] = &["born", "shortcut_created", "si_created", "target_created"];

/// The other times of files and file names.
const FILE: &[&str] = &[
    "fn_accessed",
    "fn_changed",
    "fn_modified",
    "name_accessed",
    "name_changed",
    "name_modified",
    "shortcut_modified",
    "si_accessed",
    "si_changed",
    "si_modified",
    "target_accessed",
    "target_modified",
];

/// Records whose `created`, `modified`, `changed` and `accessed` are times of a file; in other records they belong to what is recorded.
const OF_FILES: &[&str] = &[
    "amcache_driver",
    "amcache_file",
    "copied_file",
    "deleted_entry",
    "dir_entry",
    "file_created",
    "file_name",
    "last_visited",
    "mft_entry",
    "mft_file_entry",
    "open_save",
    "shell_bag",
    "shim_cache_entry",
    "timestomp_indicator",
    "web_cache_download",
    "web_cache_entry",
    "web_cache_file",
    "web_cache_visit",
];

/// Fields that say when something was deleted: they date only a deletion.
const DELETION: &[&str] = &["deleted", "first_deleted", "last_deleted"];

/// Returns what the time in this field of a fact dates, by the fact's predicate and record type.
pub fn dates(predicate: &str, record: &str, field: &str) -> Dates {
    let is_deletion = DELETION.contains(&field);
    match (predicate == "deleted", field) {
        // The times of a deleted file say nothing about its deletion.
        (true, _) if !is_deletion && field != "time" => Dates::Nothing,
        (false, _) if is_deletion => Dates::Nothing,
        _ if NOTHING.contains(&field) => Dates::Nothing,
        _ if NAME.contains(&field) => Dates::Name,
        _ if BIRTH.contains(&field) => Dates::Birth,
        _ if FILE.contains(&field) => Dates::File,
        (_, "created") if OF_FILES.contains(&record) => Dates::Birth,
        (_, "accessed" | "changed" | "modified") if OF_FILES.contains(&record) => Dates::File,
        _ => Dates::Event,
    }
}

/// Checks whether a time belongs to the container of the record (a key, a list) and not to the record itself: several records share it.
///
/// It dates a fact only if the fact states no other time that does.
pub fn is_of_container(field: &str) -> bool {
    field != "last_written" && field.ends_with("_written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_dates_what_its_record_tells_of() {
        for (predicate, record, field, expected) in [
            ("executed", "prefetch", "last_run", Dates::Event),
            ("executed", "prefetch", "volume_created", Dates::Nothing),
            ("recorded", "amcache_file", "link_date", Dates::Nothing),
            ("recorded", "amcache_file", "key_last_written", Dates::Event),
            ("recorded", "amcache_file", "modified", Dates::File),
            ("present", "dir_entry", "born", Dates::Birth),
            ("present", "dir_entry", "name_born", Dates::Name),
            ("present", "mft_file_entry", "fn_created", Dates::Name),
            ("present", "mft_file_entry", "si_modified", Dates::File),
            ("registered", "task_cache_entry", "created", Dates::Event),
            ("deleted", "deleted_entry", "born", Dates::Nothing),
            ("deleted", "usn_name_history", "first_deleted", Dates::Event),
            ("created", "usn_name_history", "last_deleted", Dates::Nothing),
            ("deleted", "usn_deleted", "time", Dates::Event),
        ] {
            assert_eq!(dates(predicate, record, field), expected, "{predicate} {record} {field}");
        }
    }

    #[test]
    fn no_field_is_two_things() {
        let all = [NOTHING, NAME, BIRTH, FILE, DELETION].concat();
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len());
    }
}
