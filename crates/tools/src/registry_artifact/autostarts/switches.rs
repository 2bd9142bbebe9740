//! What keeps entries from starting.
//! That is the task manager (`StartupApproved`), a policy, a missing flag, a Windows that no longer reads the place,
//! or a hive that nobody logs on with.
//!
//! Sources: Microsoft Learn, "Run and RunOnce Registry Keys" (`RunServices` was Windows 9x), "AppInit DLLs and Secure Boot",
//! "Monitoring Silent Process Exit", "GFlags flag table", "Time Provider registry keys",
//! "Winlogon Notification Packages" and "GINA" (both: no longer since Vista);
//! logon.admx, "Do not process the legacy run list" and "Do not process the run once list".

use super::locations::Location;
use crate::approval::{self, APPROVED, Approval};
use crate::nobody;
use crate::registry_artifact::draft::{Draft, number, text_of};
use crate::registry_artifact::reader::Reader;
use crate::registry_artifact::values::{Held, Values};
use artifacts::registry::{HiveType, Key, ValueData, ValueKind};
use ledger::{ByteSpan, FieldValue, Time};
use std::collections::BTreeMap;

/// What is stored about the entries of one key.
pub(super) struct Switches<'h> {
    /// By the entry's name, in lower case.
    approved: BTreeMap<String, Held<'h>>,
    /// What keeps the key's values from starting.
    off: Option<Off>,
    /// Whether each value is one command, as in Run keys.
    takes_one_text: bool,
}

/// What keeps values of a key from starting anything.
struct Off {
    by: &'static str,
    /// The value concerned; `None` for every value of the key.
    value: Option<&'static str>,
}

/// Bit of `GlobalFlag`: the application verifier is on, and its DLLs are loaded.
const APPLICATION_VERIFIER: u64 = 0x100;

/// Bit of `GlobalFlag`: the end of the process is monitored.
const MONITOR_SILENT_EXIT: u64 = 0x200;

/// Bit of `ReportingMode`: the monitor is started.
const LAUNCH_MONITOR: u64 = 1;

/// Whether an entry starts.
pub(super) enum State {
    /// It starts: nothing is stored about it.
    Plain,
    /// It starts, and the task manager says so.
    Enabled(Option<ByteSpan>),
    /// It does not start.
    Disabled { by: &'static str, since: Option<(u64, Option<ByteSpan>)> },
}

impl<'h> Switches<'h> {
    /// Reads what is stored for the key of a location, with these values.
    pub(super) fn of(
        reader: &mut Reader<'_, 'h>,
        location: &Location,
        key: &Key<'h>,
        values: &Values<'h>,
    ) -> Switches<'h> {
        let off = off(reader, location, key, values);
        let stored = approved(location, key).and_then(|path| reader.key_and_values(&path));
        let named = stored.into_iter().flat_map(|(_, values)| values.0);
        let approved = named.map(|held| (held.value.name.to_ascii_lowercase(), held)).collect();
        Switches { approved, off, takes_one_text: AT_LOGON_LISTS.contains(&location.name) }
    }

    /// Returns the state of one value.
    pub(super) fn state(&self, held: &Held<'_>) -> State {
        let is_meant = |off: &&Off| off.value.is_none_or(|name| held.value.name.eq_ignore_ascii_case(name));
        if let Some(off) = self.off.as_ref().filter(is_meant) {
            return State::Disabled { by: off.by, since: None };
        }
        // No place in the table starts a number or raw bytes; a place for one text starts neither a multi-text value nor a link.
        let is_no_command = match held.value.data {
            ValueData::Dword(_) | ValueData::Qword(_) | ValueData::Bytes => true,
            ValueData::MultiText(_) => self.takes_one_text,
            ValueData::Text(_) => self.takes_one_text && held.value.kind == ValueKind::Link,
            ValueData::Unreadable => false,
        };
        if is_no_command {
            return State::Disabled { by: "type", since: None };
        }
        let Some(stored) = self.approved.get(&held.value.name.to_ascii_lowercase()) else {
            return State::Plain;
        };
        match Approval::read(&stored.value.raw) {
            Some(Approval::Off { since }) => {
                State::Disabled { by: APPROVED, since: since.map(|ticks| (ticks, stored.part(4, 8))) }
            }
            Some(Approval::On) => State::Enabled(stored.part(0, 1)),
            None => State::Plain,
        }
    }
}

impl State {
    /// Adds the fields of the state.
    pub(super) fn tell(self, draft: Draft) -> Draft {
        match self {
            State::Plain => draft,
            State::Enabled(at) => draft.set("approved", FieldValue::Name("enabled".to_owned()), at),
            State::Disabled { by, since } => {
                let draft = draft.set("disabled_by", FieldValue::Name(by.to_owned()), None);
                let (time, at) = since.unzip();
                let time = time.map(|ticks| FieldValue::Time(Time::from_filetime(ticks)));
                draft.maybe("disabled_at", time, at.flatten())
            }
        }
    }
}

/// Lists of commands that Explorer starts at a logon.
const AT_LOGON_LISTS: [&str; 8] = [
    "run",
    "run_once",
    "run_once_setup",
    "run_once_ex",
    "policies_run",
    "terminal_server_run",
    "terminal_server_run_once",
    "alternate_shell",
];

/// Other places in a user's hive that start only when this user logs on.
const AT_LOGON: [&str; 6] =
    ["policies_shell", "winlogon", "load_and_run", "logon_script", "policy_script", "startup_folder"];

/// Returns what keeps values of a location's key from starting.
fn off<'h>(
    reader: &mut Reader<'_, 'h>,
    location: &Location,
    key: &Key<'h>,
    values: &Values<'h>,
) -> Option<Off> {
    let every = |by| Some(Off { by, value: None });
    let is = |name: &str, number_of: u64| values.get(name).and_then(number) == Some(number_of);
    let is_at_logon = AT_LOGON_LISTS.contains(&location.name) || AT_LOGON.contains(&location.name);
    if is_at_logon && reader.hive_type == HiveType::NtUser && nobody::is_hive(reader.node.path.as_str()) {
        return every("no_logon");
    }
    match location.name {
        // Winlogon is a 64-bit program if there is such a branch.
        "winlogon" | "winlogon_notify" if is_of_32_bits(key) => every("not_read"),
        "winlogon" if since_vista(reader) => Some(Off { by: "not_read", value: Some("GinaDLL") }),
        "winlogon_notify" if since_vista(reader) => every("not_read"),
        "active_setup" if is("IsInstalled", 0) => every("IsInstalled"),
        "screen_saver" => {
            let is_off = text_of(values.get("ScreenSaveActive")) == Some("0") || is("ScreenSaveActive", 0);
            is_off.then_some(Off { by: "ScreenSaveActive", value: None })
        }
        "time_provider" if is("Enabled", 0) => every("Enabled"),
        "run_services" | "run_services_once" => every("not_read"),
        "run" => every(policy(reader, key, ["DisableLocalMachineRun", "DisableCurrentUserRun"])?),
        "run_once" => {
            every(policy(reader, key, ["DisableLocalMachineRunOnce", "DisableCurrentUserRunOnce"])?)
        }
        "app_init_dlls" => {
            // Windows before Vista has no such flag, and loads them.
            let is_off = match values.get("LoadAppInit_DLLs").and_then(number) {
                Some(flag) => flag == 0,
                None => since_vista(reader),
            };
            is_off.then_some(Off { by: "LoadAppInit_DLLs", value: Some("AppInit_DLLs") })
        }
        "image_file_execution_options" if location.is_filter() => {
            let (_, program) = reader.key_and_values(above(&key.path))?;
            if is_set(&program, "UseFilter") { None } else { every("UseFilter") }
        }
        "image_file_execution_options" => {
            let is_off = global_flag(values) & APPLICATION_VERIFIER == 0;
            is_off.then_some(Off { by: "GlobalFlag", value: Some("VerifierDlls") })
        }
        "silent_process_exit" => every(unmonitored(reader, key, values)?),
        _ => None,
    }
}

/// Returns the policy that switches off a list of the host or of a user; it is stored in the same hive as the list.
fn policy<'h>(
    reader: &mut Reader<'_, 'h>,
    key: &Key<'h>,
    [of_host, of_user]: [&'static str; 2],
) -> Option<&'static str> {
    let (top, name) = if is_of_user(key) { ("Software\\", of_user) } else { ("", of_host) };
    let path = format!("{top}Microsoft\\Windows\\CurrentVersion\\Policies\\Explorer");
    let (_, values) = reader.key_and_values(&path)?;
    is_set(&values, name).then_some(name)
}

/// Checks whether a value is a number other than 0.
fn is_set(values: &Values<'_>, name: &str) -> bool {
    values.get(name).and_then(number).is_some_and(|set| set != 0)
}

/// Returns the path of the parent key.
fn above(path: &str) -> &str {
    path.rsplit_once('\\').map_or("", |(above, _)| above)
}

/// Returns the value whose missing flag keeps the monitor from starting when the program of `key` (below `SilentProcessExit`) ends.
fn unmonitored<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, values: &Values<'h>) -> Option<&'static str> {
    let folder = above(&key.path);
    let options = format!("{}\\Image File Execution Options\\{}", above(folder), key.name);
    let flags = reader.key_and_values(&options).map_or(0, |(_, values)| global_flag(&values));
    if flags & MONITOR_SILENT_EXIT == 0 {
        return Some("GlobalFlag");
    }
    // The setting for all programs applies if the program has no setting of its own.
    let of_all = |reader: &mut Reader<'_, 'h>| {
        let (_, values) = reader.key_and_values(folder)?;
        values.get("ReportingMode").and_then(number)
    };
    let mode = values.get("ReportingMode").and_then(number).or_else(|| of_all(reader));
    (mode.unwrap_or_default() & LAUNCH_MONITOR == 0).then_some("ReportingMode")
}

/// Returns the flags of a program; older tools store them as text, in hex with `0x` or else in decimal.
fn global_flag(values: &Values<'_>) -> u64 {
    let held = values.get("GlobalFlag");
    let written = || {
        let text = text_of(held)?.trim();
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        digits.map_or_else(|| text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok())
    };
    held.and_then(number).or_else(written).unwrap_or_default()
}

/// Checks whether the key is in the branch for 32-bit programs.
fn is_of_32_bits(key: &Key<'_>) -> bool {
    key.path.to_ascii_lowercase().contains("wow6432node\\")
}

/// Checks whether the hive is of Windows Vista (6.0) or later, by the version in SOFTWARE.
fn since_vista(reader: &mut Reader<'_, '_>) -> bool {
    let Some((_, values)) = reader.key_and_values("Microsoft\\Windows NT\\CurrentVersion") else {
        return false;
    };
    let version = text_of(values.get("CurrentVersion"));
    let major = version.and_then(|version| version.split('.').next()?.trim().parse::<u32>().ok());
    major.is_some_and(|major| major >= 6)
}

fn is_of_user(key: &Key<'_>) -> bool {
    key.path.get(..9).is_some_and(|top| top.eq_ignore_ascii_case("software\\"))
}

/// Returns where the task manager stores the state of a Run key's entries: in the same hive, with a separate list for 32-bit programs.
fn approved(location: &Location, key: &Key<'_>) -> Option<String> {
    if location.name != "run" {
        return None;
    }
    let list = if is_of_32_bits(key) { "Run32" } else { "Run" };
    let top = if is_of_user(key) { "Software\\" } else { "" };
    Some(format!("{top}{}", approval::key(list)))
}
