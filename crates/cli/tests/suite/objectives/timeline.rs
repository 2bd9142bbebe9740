//! The timeline agent: what happened when.

use super::hives::{TIME, UNIX_TIME, key, sam, software, system, system_beside, system_of_two};
use super::{Folder, Trial};
use testkit::evtx::{self, Event};
use testkit::hive::{KeySpec, ValueSpec as Value};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "installed", tempting: installations_of_other_things, answering: installed },
    Trial { objective: "shutdown", tempting: shutdowns_without_a_time, answering: shutdown },
    Trial { objective: "logons", tempting: nobody_logged_on, answering: logon },
    Trial { objective: "clock", tempting: times_in_order, answering: clock_set_back },
];

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
const WINDOWS: &str = "Microsoft\\Windows\\CurrentVersion";

/// A date that is not set, a program's installation date, and the date of a version that was replaced.
fn installations_of_other_things(at: &Folder<'_>) {
    let present =
        key().value(Value::sz("ProductName", "Windows 10 Pro")).value(Value::dword("InstallDate", 0));
    let program = key().value(Value::sz("DisplayName", "7-Zip")).value(Value::sz("InstallDate", "20250916"));
    let keys = [(NT, present), (&format!("{WINDOWS}\\Uninstall\\7-Zip"), program)];
    at.file("C/Windows/System32/config/SOFTWARE", software(keys));
    let replaced = key()
        .value(Value::sz("ProductName", "Windows 7 Professional"))
        .value(Value::dword("InstallDate", UNIX_TIME));
    at.file(
        "C/Windows/System32/config/SYSTEM",
        system_beside("Setup\\Source OS (Updated on 9/16/2025 11:47:31)", replaced),
    );
}

fn installed(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/config/SOFTWARE",
        software([(NT, key().value(Value::dword("InstallDate", UNIX_TIME)))]),
    );
}

fn shut_down(time: u64) -> KeySpec {
    key().path("Control\\Windows", key().value(Value::binary("ShutdownTime", &time.to_le_bytes())))
}

/// A time that is not set, a count, and a time that is only in the other control set.
fn shutdowns_without_a_time(at: &Folder<'_>) {
    let current =
        shut_down(0).path("Control\\Watchdog\\Display", key().value(Value::dword("ShutdownCount", 41)));
    at.file("C/Windows/System32/config/SYSTEM", system_of_two(current, shut_down(TIME)));
}

fn shutdown(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SYSTEM", system(shut_down(TIME)));
}

/// Accounts whose logons failed or are only counted; "never" has two encodings.
fn nobody_logged_on(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/one/SAM", sam(0, TIME));
    at.file("C/Windows/System32/config/two/SAM", sam(i64::MAX.unsigned_abs(), 0));
    let logon = key().value(Value::sz("LastLoggedOnUser", "FIN-WS-07\\mara"));
    at.file(
        "C/Windows/System32/config/SOFTWARE",
        software([(&format!("{WINDOWS}\\Authentication\\LogonUI"), logon)]),
    );
}

fn logon(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SAM", sam(TIME, 0));
}

/// A log of records with these ids and seconds, each of which says that the clock was changed.
fn log(entries: &[(u64, u64)]) -> Vec<u8> {
    let event = |(record_id, seconds): &(u64, u64)| Event {
        record_id: *record_id,
        time: TIME + seconds * 10_000_000,
        provider: "Microsoft-Windows-Security-Auditing",
        guid: Some("{54849625-5478-4994-a5ba-3e3b0328c30d}"),
        event_id: 4616,
        level: 0,
        channel: "Security",
        computer: "FIN-WS-07",
        user_sid: None,
        user_data: None,
        data: &[
            ("PreviousTime", "2025-09-16T09:47:31.000Z"),
            ("NewTime", "2025-09-16T08:47:31.000Z"),
            ("ProcessName", "C:\\Windows\\System32\\svchost.exe"),
            ("ProcessId", "0x1a2c"),
        ],
    };
    evtx::log(&entries.iter().map(event).collect::<Vec<_>>())
}

/// A late writer, a clock that was slightly fast, a log that started again, and records that are only stored
/// in another order.
fn times_in_order(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/winevt/Logs/late/Security.evtx",
        log(&[(1, 4000), (2, 3999), (3, 3960), (4, 4000)]),
    );
    at.file("C/Windows/System32/winevt/Logs/former/Security.evtx", log(&[(901, 8000), (902, 8001)]));
    at.file("C/Windows/System32/winevt/Logs/cleared/Security.evtx", log(&[(1, 5000), (2, 5001)]));
    at.file(
        "C/Windows/System32/winevt/Logs/wrapped/Security.evtx",
        log(&[(12, 7000), (13, 7001), (10, 6000), (11, 6001)]),
    );
}

fn clock_set_back(at: &Folder<'_>) {
    at.file("C/Windows/System32/winevt/Logs/Security.evtx", log(&[(1, 4000), (2, 400)]));
}
