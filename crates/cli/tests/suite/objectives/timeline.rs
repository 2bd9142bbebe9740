//! The timeline agent: what happened when.

use super::hives::{TIME, UNIX_TIME, key, sam, software, system, system_beside, system_of_two};
use super::{Folder, Trial};
use testkit::hive::{KeySpec, ValueSpec as Value};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "installed", tempting: installations_of_other_things, answering: installed },
    Trial { objective: "shutdown", tempting: shutdowns_without_a_time, answering: shutdown },
    Trial { objective: "logons", tempting: nobody_logged_on, answering: logon },
];

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
const WINDOWS: &str = "Microsoft\\Windows\\CurrentVersion";

/// A time that is not set, the date of a version that was replaced, that of a program.
fn installations_of_other_things(at: &Folder<'_>) {
    let present =
        key().value(Value::sz("ProductName", "Windows 10 Pro")).value(Value::dword("InstallDate", 0));
    let program = key().value(Value::sz("DisplayName", "7-Zip")).value(Value::sz("InstallDate", "20250916"));
    let keys = [(NT, present), (&format!("{WINDOWS}\\Uninstall\\7-Zip"), program)];
    at.file("C/SOFTWARE", software(keys));
    let replaced = key()
        .value(Value::sz("ProductName", "Windows 7 Professional"))
        .value(Value::dword("InstallDate", UNIX_TIME));
    at.file("C/SYSTEM", system_beside("Setup\\Source OS (Updated on 9/16/2025 11:47:31)", replaced));
}

fn installed(at: &Folder<'_>) {
    at.file("C/SOFTWARE", software([(NT, key().value(Value::dword("InstallDate", UNIX_TIME)))]));
}

fn shut_down(time: u64) -> KeySpec {
    key().path("Control\\Windows", key().value(Value::binary("ShutdownTime", &time.to_le_bytes())))
}

/// A time that is not set, a count, a time in the control set that is not in use.
fn shutdowns_without_a_time(at: &Folder<'_>) {
    let current =
        shut_down(0).path("Control\\Watchdog\\Display", key().value(Value::dword("ShutdownCount", 41)));
    at.file("C/SYSTEM", system_of_two(current, shut_down(TIME)));
}

fn shutdown(at: &Folder<'_>) {
    at.file("C/SYSTEM", system(shut_down(TIME)));
}

/// Accounts with logons that are only counted, or failed; "never" has two spellings.
fn nobody_logged_on(at: &Folder<'_>) {
    at.file("C/one/SAM", sam(0, TIME));
    at.file("C/two/SAM", sam(i64::MAX.unsigned_abs(), 0));
    let logon = key().value(Value::sz("LastLoggedOnUser", "FIN-WS-07\\mara"));
    at.file("C/SOFTWARE", software([(&format!("{WINDOWS}\\Authentication\\LogonUI"), logon)]));
}

fn logon(at: &Folder<'_>) {
    at.file("C/SAM", sam(TIME, 0));
}
