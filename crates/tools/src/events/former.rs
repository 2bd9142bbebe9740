//! Which events had types of their own in runs before format 2.21.

use super::index;
use artifacts::evtx::System;
use ledger::Record;

/// The providers and event ids whose events had types of their own, sorted.
const TYPED: &[(&str, &[u32])] = &[
    ("EventLog", &[6005, 6006, 6008, 6009]),
    ("Microsoft-Windows-Bits-Client", &[3, 59, 60, 61]),
    ("Microsoft-Windows-DriverFrameworks-UserMode", &[2003]),
    ("Microsoft-Windows-Eventlog", &[104, 1100, 1102]),
    ("Microsoft-Windows-Kernel-General", &[1, 12, 13]),
    ("Microsoft-Windows-Kernel-PnP", &[400, 410]),
    ("Microsoft-Windows-Kernel-Power", &[41, 42, 107, 109]),
    ("Microsoft-Windows-Partition", &[1006]),
    ("Microsoft-Windows-PowerShell", &[4103, 4104]),
    ("Microsoft-Windows-RemoteDesktopServices-RdpCoreTS", &[131]),
    (
        "Microsoft-Windows-Security-Auditing",
        &[
            4616, 4624, 4625, 4634, 4647, 4648, 4657, 4672, 4688, 4689, 4697, 4698, 4699, 4700, 4701, 4702,
            4719, 4720, 4722, 4723, 4724, 4725, 4726, 4728, 4729, 4732, 4733, 4738, 4740, 4756, 4757, 4767,
            4768, 4769, 4771, 4776, 4778, 4779, 4781, 5140, 5145, 5156,
        ],
    ),
    ("Microsoft-Windows-Sysmon", &[1, 3, 5, 11, 13, 19, 20, 21, 22]),
    ("Microsoft-Windows-TaskScheduler", &[100, 102, 106, 129, 140, 141, 142, 200, 201]),
    ("Microsoft-Windows-TerminalServices-LocalSessionManager", &[21, 22, 23, 24, 25]),
    ("Microsoft-Windows-TerminalServices-RemoteConnectionManager", &[1149]),
    ("Microsoft-Windows-WMI-Activity", &[5861]),
    (
        "Microsoft-Windows-Windows Defender",
        &[1006, 1007, 1008, 1015, 1116, 1117, 1118, 1119, 5000, 5001, 5004, 5007, 5010, 5012, 5013],
    ),
    (
        "Microsoft-Windows-Windows Firewall With Advanced Security",
        &[2004, 2005, 2006, 2052, 2071, 2073, 2097, 2099],
    ),
    ("PowerShell", &[400, 800]),
    ("Service Control Manager", &[7031, 7034, 7036, 7040, 7045]),
    ("User32", &[1074]),
];

/// Checks whether a record shows an event in a form that no run before format 2.21 had.
/// Either the event has got a type of its own since, or its binary data are shown as text.
pub fn is_event_typed_later(record: &Record) -> bool {
    let text = |field: &str| record.fields.get(field).map(|held| held.value.to_text());
    if record.fields.contains_key("binary_text") {
        return true;
    }
    let (Some(id), Some(provider), Some(channel)) = (text("event_id"), text("provider"), text("channel"))
    else {
        return false;
    };
    let Ok(event_id) = id.parse() else { return false };
    let system = System { provider, event_id, channel, ..System::default() };
    let known = TYPED.iter().find(|(known, _)| known.eq_ignore_ascii_case(&system.provider));
    index::entry(&system).is_some() && !known.is_some_and(|(_, ids)| ids.contains(&event_id))
}
