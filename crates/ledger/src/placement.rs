//! Where a file is, compared with where Windows keeps files of its kind.
//!
//! A scheduled task's file in a user's Downloads folder only describes a task: it does not make anything start.
//! The places are data (`data/places.toml`); `data/records` says which of them a record type belongs to.

mod of_file;

use crate::record::Record;
use crate::record_data;
use crate::value::FieldValue;
use crate::writer::leads_to;
pub use of_file::{Placement, tells_of_host};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Paths from the root of a drive, by kind of place. The data is embedded, and a test reads it, so it is never empty.
static PLACES: LazyLock<BTreeMap<String, Vec<String>>> =
    LazyLock::new(|| toml::from_str(include_str!("../data/places.toml")).unwrap_or_default());

/// The folders that contain users' folders, in lower case.
const OF_USERS: [&str; 3] = ["users", "documents and settings", "dokumente und einstellungen"];

/// Checks whether records like this one belong somewhere.
///
/// A count belongs where the records that it counts belong. Of directory entries, those of users' folders do:
/// a copy of a volume has some, too.
pub fn has_place(record: &Record) -> bool {
    is_in_folder_of_users(record) || kind_of_place(record).is_some()
}

/// Checks whether a record is where it belongs, at a path from the root of a drive; `None` if it belongs nowhere in particular.
pub fn belongs(record: &Record, path: &[&str]) -> Option<bool> {
    if is_in_folder_of_users(record) {
        let mut parts = path.iter();
        return Some(
            parts.next().is_some_and(|part| is_of_users(part)) && !parts.any(|part| is_of_users(part)),
        );
    }
    let kind = kind_of_place(record)?;
    let of_hive = log_as_hive(record, path);
    let path = of_hive.as_deref().unwrap_or(path);
    // If each file of a folder has one such record, the count is located at the folder.
    Some(
        is_at(kind, path) && bears_its_name(record, path)
            || record.kind == COUNT && is_at(kind, &inside(path)),
    )
}

/// Returns the computers that a log record names as its writers or sources; empty if it names none.
pub fn names_of_computers(record: &Record) -> Vec<&str> {
    let value = |field: &str| record.fields.get(field).map(|field| &field.value);
    match kind_of_place(record) {
        Some("event_logs") => match (value("computer"), value("computers")) {
            (Some(FieldValue::Name(name)), _) => vec![name],
            (_, Some(FieldValue::List(names))) => names.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        },
        // `ALDER-07 (Microsoft Windows NT 10.0.19045.0)`
        Some("transcripts") => match value("machine") {
            Some(FieldValue::Text(machine)) => machine.split_whitespace().take(1).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Checks whether a record describes only the host's configuration and no event: in a shadow copy, that may no longer be current.
pub fn tells_a_state(record: &Record) -> bool {
    record_data::proves_only(
        &record.kind,
        &["configured", "persists", "registered"],
        &["present", "recorded"],
    )
}

/// Checks whether a record is about an event log or an event in one.
pub fn is_of_event_log(record: &Record) -> bool {
    kind_of_place(record) == Some("event_logs")
}

/// Loads the data of places and record types, which is otherwise loaded on first use.
pub fn prepare() {
    LazyLock::force(&PLACES);
    let _ = of("");
}

/// Returns the kind of place that records of this type belong to; `None` if they belong nowhere in particular.
pub fn of(record: &str) -> Option<&'static str> {
    record_data::place_of(record)
}

/// Returns the kinds of files that Windows keeps in places of their own, sorted.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    PLACES.keys().map(String::as_str)
}

/// Checks whether a file or folder at a path from the root of a drive is where Windows keeps files of this kind.
pub fn is_kept(kind: &str, path: &[&str]) -> bool {
    is_at(kind, path) || is_at(kind, &inside(path))
}

/// Checks whether a path leads to a place of this kind; hives of unspecified kind may be in the place of any hive.
fn is_at(kind: &str, path: &[&str]) -> bool {
    let kinds = if kind == ANY_HIVE { &HIVES[..] } else { &[kind][..] };
    kinds.iter().filter_map(|kind| PLACES.get(*kind)).any(|places| is_in(places, path))
}

/// Keys at the root of the computer's hives, each with the only hive file in which Windows reads it;
/// for control sets, the beginning of the name.
const ROOT_KEYS: [(&str, &str); 9] = [
    ("microsoft", "software"),
    ("policies", "software"),
    ("wow6432node", "software"),
    ("select", "system"),
    ("mounteddevices", "system"),
    ("controlset0", "system"),
    ("sam", "sam"),
    ("policy", "security"),
    ("rxact", "security"),
];

/// Checks whether a key is in the hive in which Windows reads a key of its name.
/// Windows does not read SOFTWARE's `Microsoft` key in SYSTEM, or in a user's hive.
fn fits_its_hive(record: &Record, path: &[&str]) -> bool {
    let key = ["key_path", "value_path"].into_iter().find_map(|field| record.fields.get(field));
    let Some(key) = key else { return true };
    let key = key.value.to_text();
    let first = key.trim_start_matches('\\').split('\\').next().unwrap_or_default().to_lowercase();
    let of_computer = ROOT_KEYS.iter().find(|(key, _)| match *key {
        "controlset0" => first.starts_with("controlset0"),
        key => first == key,
    });
    match of_computer {
        Some((_, hive)) => {
            let is_named = |name: &&str| name.eq_ignore_ascii_case(hive);
            is_at("machine_hives", path) && path.last().is_some_and(is_named)
        }
        None => first != "software" || is_at("user_hives", path),
    }
}

/// Returns the path of the hive if a record was taken from its transaction log: the log is beside the hive and has its name.
fn log_as_hive<'p>(record: &Record, path: &[&'p str]) -> Option<Vec<&'p str>> {
    let state = record.fields.get("hive_state")?;
    let (name, folder) = path.split_last().filter(|_| state.value.to_text() == "replayed")?;
    let suffixes = [".LOG", ".LOG1", ".LOG2"];
    let bare = suffixes.into_iter().find_map(|suffix| {
        let (bare, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
        end.eq_ignore_ascii_case(suffix).then_some(bare)
    })?;
    Some([folder, &[bare]].concat())
}

/// Checks whether the file has the name that Windows gives a file with such content:
/// the content of `NTUSER.DAT` does not make it a SYSTEM hive.
fn bears_its_name(record: &Record, path: &[&str]) -> bool {
    match kind_of_place(record) {
        Some("prefetch") => return is_named_by_its_program(record, path),
        Some("recycle_bins") => return is_bin_of_an_account(path),
        Some("event_logs") => return is_log_of_its_channel(record, path),
        _ => {}
    }
    let Some(found) = record.fields.get("hive_type").filter(|_| record.kind == "hive") else {
        return fits_its_hive(record, path);
    };
    match found.value.to_text().as_ref() {
        "SYSTEM" | "SOFTWARE" | "SAM" | "SECURITY" => {
            let is_named = |name: &&str| name.eq_ignore_ascii_case(&found.value.to_text());
            is_at("machine_hives", path) && path.last().is_some_and(is_named)
        }
        "NTUSER" | "USRCLASS" => is_at("user_hives", path),
        "AMCACHE" => is_at("amcache", path),
        _ => true,
    }
}

/// The log of events that other computers, or this one, forwarded.
const FORWARDED: &str = "forwardedevents.evtx";

/// The extensions of exported logs.
const EXPORTED: [&str; 5] = [".xml", ".json", ".jsonl", ".ndjson", ".gz"];

/// Checks whether the content of a log (Vista or later) belongs to the channel that the log is named after:
/// a copy under another name is not a log of Windows.
/// Forwarded events keep their channel; their computer shows whose they are.
fn is_log_of_its_channel(record: &Record, path: &[&str]) -> bool {
    let Some(file) = path.last().map(|file| file.to_lowercase()) else { return true };
    // An export from a log is not a log.
    if EXPORTED.iter().any(|end| file.ends_with(end)) {
        return false;
    }
    let Some(channel) = record.fields.get("channel") else { return true };
    let has_one_channel = file.ends_with(".evtx") && file != FORWARDED;
    !has_one_channel || is_named_after_channel(&file, &channel.value.to_text())
}

/// Checks whether a file has the name of a channel's log or of Windows' archive of it: `Security.evtx`, `Archive-Security-2024-….evtx`.
/// Neither a collection of forwarded events nor a copy has.
///
/// Collection tools write the `%` of a name as `%25`, and spaces as `%20`.
pub fn is_named_after_channel(file: &str, channel: &str) -> bool {
    let (file, channel) = (file.to_lowercase(), channel.replace('/', "%4").to_lowercase());
    let is_its_name = |file: &str| {
        let Some(bare) = file.strip_suffix(".evtx").filter(|_| !channel.is_empty()) else { return false };
        let archived = bare.strip_prefix("archive-").and_then(|rest| rest.strip_prefix(&channel));
        bare == channel || archived.is_some_and(|rest| rest.starts_with('-'))
    };
    is_its_name(&file) || is_its_name(&file.replace("%25", "%").replace("%20", " "))
}

/// Checks whether a prefetch file is named after its program and a hash: `CMD.EXE-0BD30981.pf`.
fn is_named_by_its_program(record: &Record, path: &[&str]) -> bool {
    let text = |field: &str| record.fields.get(field).map(|held| held.value.to_text().to_lowercase());
    let Some((program, name)) = text("executable").zip(path.last()) else { return true };
    let name = name.to_lowercase();
    let Some(hash) = name.strip_prefix(&program).and_then(|rest| rest.strip_prefix('-')) else {
        return false;
    };
    hash.strip_suffix(".pf").is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Checks whether a path leads into the Recycle Bin of an account: `$Recycle.Bin`, then its SID.
/// All users share the bin of a FAT volume (`RECYCLED`).
fn is_bin_of_an_account(path: &[&str]) -> bool {
    let is_sid = |name: &str| {
        name.to_uppercase().strip_prefix("S-1-").is_some_and(|numbers| {
            numbers.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    match path {
        [bin, account, ..] if !bin.eq_ignore_ascii_case("RECYCLED") => is_sid(account),
        _ => true,
    }
}

fn is_in(places: &[String], path: &[&str]) -> bool {
    let fits = |place: &&String| leads_to(place, path);
    !is_open_to_all(path) && places.iter().any(|place| fits(&place))
        || places.iter().filter(|place| place.starts_with("Users/Public/")).any(|place| fits(&place))
}

/// Returns the path of some file in a folder.
fn inside<'p>(folder: &[&'p str]) -> Vec<&'p str> {
    [folder, &["x"]].concat()
}

/// Checks whether a path leads to a folder of no single user, or to one for data that programs brought from elsewhere.
/// Neither holds what Windows keeps for a user.
fn is_open_to_all(path: &[&str]) -> bool {
    let is = |part: &&str, names: &[&str]| names.contains(&part.to_lowercase().as_str());
    let of_users = path.first().is_some_and(|first| is_of_users(first));
    let of_nobody = || {
        path.first().is_some_and(|first| is(first, &["users"]))
            && path.get(1).is_some_and(|name| is(name, &["public", "all users"]))
    };
    of_users
        && (of_nobody()
            || path.iter().skip(2).any(|part| is(part, &["temp", "content.outlook", "inetcache"])))
}

/// The record type of counts.
const COUNT: &str = "record_count";

/// The kind of place for hives of any type, and all kinds of hive places.
const ANY_HIVE: &str = "hives";
const HIVES: [&str; 4] = [ANY_HIVE, "machine_hives", "user_hives", "amcache"];

fn kind_of_place(record: &Record) -> Option<&'static str> {
    match record.kind.as_str() {
        COUNT => record_data::place_of(&record.fields.get("counted")?.value.to_text()),
        kind => record_data::place_of(kind),
    }
}

/// Checks whether the record is a folder inside one that is named like the folder of users' folders.
fn is_in_folder_of_users(record: &Record) -> bool {
    let is_folder = || record.fields.get("kind").is_some_and(|kind| kind.value.to_text() == "directory");
    record.kind == "dir_entry" && is_folder() && record.locator.path.split('/').any(is_of_users)
}

fn is_of_users(part: &str) -> bool {
    OF_USERS.contains(&part.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, FieldValue, Locator, RecordId};

    fn at(kind: &str, path: &str) -> Option<bool> {
        let field = |text: &str| Field { at: None, value: FieldValue::Name(text.into()) };
        let record = Record {
            placement: None,
            id: RecordId(0),
            kind: kind.trim_start_matches("count of ").into(),
            locator: Locator { evidence: "e".into(), path: path.into(), stream: None, span: None },
            fields: [("kind".to_owned(), field("directory"))].into(),
            defects: Vec::new(),
        };
        if let Some(kind) = kind.strip_prefix("replayed ") {
            let fields = [("hive_state".to_owned(), field("replayed"))].into();
            let replayed = Record { kind: kind.into(), fields, ..record };
            return belongs(&replayed, &path.split('/').collect::<Vec<_>>());
        }
        if let Some(channel) = kind.strip_prefix("event of ") {
            let fields = [("channel".to_owned(), field(channel))].into();
            let event = Record { kind: "event".into(), fields, ..record };
            return belongs(&event, &path.split('/').collect::<Vec<_>>());
        }
        if let Some(program) = kind.strip_prefix("prefetch of ") {
            let (name, hash) = program.split_once(' ').unwrap();
            let fields = [("executable".to_owned(), field(name)), ("path_hash".to_owned(), field(hash))];
            let prefetch = Record { kind: "prefetch".into(), fields: fields.into(), ..record };
            return belongs(&prefetch, &path.split('/').collect::<Vec<_>>());
        }
        if let Some(key) = kind.strip_prefix("key ") {
            let fields = [("key_path".to_owned(), field(key))].into();
            let value = Record { kind: "autostart".into(), fields, ..record };
            return belongs(&value, &path.split('/').collect::<Vec<_>>());
        }
        if let Some(hive) = kind.strip_prefix("hive ") {
            let fields = [("hive_type".to_owned(), field(hive))].into();
            let listed = Record { kind: "hive".into(), fields, ..record };
            return belongs(&listed, &path.split('/').collect::<Vec<_>>());
        }
        let record = match kind.strip_prefix("count of ") {
            Some(counted) => Record {
                kind: "record_count".into(),
                fields: [("counted".to_owned(), field(counted))].into(),
                ..record
            },
            None => record,
        };
        belongs(&record, &path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn a_record_belongs_where_windows_keeps_its_file() {
        for (kind, path, expected) in [
            ("scheduled_task", "Windows/System32/Tasks/Microsoft/Windows/Defrag", Some(true)),
            ("scheduled_task", "Users/mara/Downloads/Tasks/Defrag", Some(false)),
            ("prefetch", "WINDOWS/Prefetch/CMD.EXE-1.pf", Some(true)),
            ("prefetch of CMD.EXE 0BD30981", "Windows/Prefetch/CMD.EXE-0BD30981.pf", Some(true)),
            ("prefetch of CMD.EXE 0BD30981", "Windows/Prefetch/cmd.exe-0bd30981.PF", Some(true)),
            ("prefetch of CMD.EXE 0BD30981", "Windows/Prefetch/NOTEPAD.EXE-0BD30981.pf", Some(false)),
            ("prefetch of CMD.EXE 0BD30981", "Windows/Prefetch/CMD.EXE-0BD30981 (2).pf", Some(false)),
            ("event of Security", "Windows/System32/winevt/Logs/Security.evtx", Some(true)),
            ("event of Security", "Windows/System32/winevt/Logs/Security (2).evtx", Some(false)),
            ("event of Security", "Windows/System32/winevt/Logs/ForwardedEvents.evtx", Some(true)),
            ("event of Security", "Windows/System32/config/SecEvent.Evt", Some(true)),
            ("scheduled_task", "Windows/SysWOW64/Tasks/Defrag", Some(false)),
            ("prefetch", "Users/mara/Downloads/CMD.EXE-1.pf", Some(false)),
            ("service", "windows/system32/CONFIG/system", Some(true)),
            ("service", "Backup/old-pc/Windows/System32/config/SYSTEM", Some(false)),
            ("user_assist", "Users/mara/ntuser.dat", Some(true)),
            ("user_assist", "Windows/System32/config/SOFTWARE", Some(false)),
            ("service", "Users/mara/NTUSER.DAT", Some(false)),
            ("service", "Windows/System32/config/SYSTEM.bak", Some(false)),
            ("service", "Windows/System32/config/RegBack/SYSTEM", Some(false)),
            ("service", "Windows/System32/config/SAM", Some(false)),
            (r"key Microsoft\Windows", "Users/mara/NTUSER.DAT", Some(false)),
            (r"key Software\Microsoft", "Users/mara/NTUSER.DAT", Some(true)),
            (r"key Software\Microsoft", "Windows/System32/config/SOFTWARE", Some(false)),
            (r"key Microsoft\Windows", "Windows/System32/config/SOFTWARE", Some(true)),
            (r"key Microsoft\Windows", "Windows/System32/config/SYSTEM", Some(false)),
            (r"key Microsoft\Windows", "Windows/System32/config/BBI", Some(false)),
            (r"key Microsoft\Windows", "Windows/AppCompat/Programs/Amcache.hve", Some(false)),
            (r"key ControlSet001\Services", "Windows/System32/config/SOFTWARE", Some(false)),
            (r"key Software\Microsoft", "Windows/System32/config/DEFAULT", Some(true)),
            ("autostart", "Users/mara/NTUSER.DAT", Some(true)),
            ("autostart", "Windows/System32/config/SOFTWARE", Some(true)),
            ("autostart", "Users/mara/ntuser.dat.bak", Some(false)),
            ("autostart", "Windows/System32/config/systemprofile/Desktop/SOFTWARE", Some(false)),
            ("replayed user_assist", "Users/mara/ntuser.dat.LOG1", Some(true)),
            ("replayed service", "Windows/System32/config/SYSTEM.LOG", Some(true)),
            ("replayed service", "Users/mara/ntuser.dat.LOG1", Some(false)),
            ("user_assist", "Users/mara/ntuser.dat.LOG1", Some(false)),
            ("hive SOFTWARE", "Windows/System32/config/software", Some(true)),
            ("hive SOFTWARE", "Users/mara/NTUSER.DAT", Some(false)),
            ("hive NTUSER", "Windows/System32/config/SOFTWARE", Some(false)),
            ("hive NTUSER", "Users/mara/NTUSER.DAT", Some(true)),
            ("hive AMCACHE", "Windows/AppCompat/Programs/Amcache.hve", Some(true)),
            ("hive NTUSER", "Windows/AppCompat/Programs/Amcache.hve", Some(false)),
            ("user_assist", "Users/mara/Desktop/NTUSER.DAT", Some(false)),
            ("recycled_file", "$Recycle.Bin/S-1-5-21-1/$I1.zip", Some(true)),
            ("recycled_file", "Users/mara/Downloads/$I1.zip", Some(false)),
            ("recycled_file", "$Recycle.Bin/mara/$I1.zip", Some(false)),
            ("recycled_file", "$Recycle.Bin/S-1-5-18x/$I1.zip", Some(false)),
            ("recycled_file", "RECYCLER/S-1-5-21-1-500/INFO2", Some(true)),
            ("recycled_file", "RECYCLED/INFO2", Some(true)),
            (
                "startup_item",
                "Backup/old-pc/Users/a/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/a.lnk",
                Some(false),
            ),
            ("count of prefetch", "Windows/Prefetch", Some(true)),
            ("count of prefetch", "Users/mara/Prefetch", Some(false)),
            ("count of logon", "Windows/System32/winevt/Logs/Security.evtx", Some(true)),
            ("count of logon", "Users/mara/Downloads/Security.evtx", Some(false)),
            ("count of dir_entry", "Users", None),
            ("clock_step", "Users/mara/Downloads/System.evtx", Some(false)),
            ("user_assist", "Users/Public/NTUSER.DAT", Some(false)),
            ("shortcut", "Users/Public/Desktop/a.lnk", Some(true)),
            ("browser_download", "Users/ann/AppData/Local/Temp/a/History", Some(false)),
            ("recycled_file", "$Recycle.Bin/S-1-5-21-1/$RABC/stick/$I1.zip", Some(false)),
            ("dir_entry", "anywhere", None),
            ("dir_entry", "Users/mara", Some(true)),
            ("dir_entry", "Users/mara/Desktop", Some(true)),
            ("dir_entry", "Users/mara/Downloads/old/Users/ann", Some(false)),
            ("dir_entry", "Backup/old-pc/Users/ann", Some(false)),
        ] {
            assert_eq!(at(kind, path), expected, "{kind} {path}");
        }
    }

    #[test]
    fn a_log_is_named_after_its_channel_however_a_collecting_tool_wrote_it() {
        for (file, channel) in [
            (
                "Microsoft-Windows-Windows Defender%4Operational.evtx",
                "Microsoft-Windows-Windows Defender/Operational",
            ),
            (
                "microsoft-windows-windows defender%254operational.evtx",
                "Microsoft-Windows-Windows Defender/Operational",
            ),
            (
                "Microsoft-Windows-Windows%20Defender%254Operational.evtx",
                "Microsoft-Windows-Windows Defender/Operational",
            ),
            ("A%4Admin.evtx", "A/Admin"),
            ("A%254Admin.evtx", "A/Admin"),
            ("A%4Debug.evtx", "A/Debug"),
            ("Archive-Security-2024-01-02-03-04-05-678.evtx", "Security"),
        ] {
            assert!(is_named_after_channel(file, channel), "{file}");
        }
        for file in [
            "Security - Copy.evtx",
            "Security-2.evtx",
            "Security (2).evtx",
            "Archive-Security.evtx",
            "Security",
        ] {
            assert!(!is_named_after_channel(file, "Security"), "{file}");
        }
    }

    #[test]
    fn a_folder_is_in_a_place_where_its_files_are() {
        for (kind, path, expected) in [
            ("prefetch", "Windows/Prefetch", true),
            ("scheduled_tasks", "Windows/System32/Tasks", true),
            ("scheduled_tasks", "Backup/Windows/System32/Tasks", false),
            ("hosts", "Windows/System32/drivers/etc/hosts", true),
            ("hosts", "Users/mara/Downloads/drivers/etc/hosts", false),
            ("no such kind", "Windows/Prefetch", false),
        ] {
            assert_eq!(is_kept(kind, &path.split('/').collect::<Vec<_>>()), expected, "{kind} {path}");
        }
    }

    #[test]
    fn every_place_is_one_of_some_type_and_every_type_names_a_place_that_there_is() {
        let of_types = record_data::places().chain(["windows"]);
        let named: std::collections::BTreeSet<&str> = of_types.collect();
        let known: std::collections::BTreeSet<&str> = PLACES.keys().map(String::as_str).collect();
        assert_eq!(named, known);
    }
}
