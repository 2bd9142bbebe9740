//! Event logs and prefetch of the workstation.

use super::DemoFile;
use super::clock::Time;
use super::story::*;
use crate::evtx::{Event, log};
use crate::prefetch;

/// The paths of the logs and the prefetch file.
pub(crate) const SECURITY: &str = "p1/Windows/System32/winevt/Logs/Security.evtx";
pub(crate) const SYSTEM_LOG: &str = "p1/Windows/System32/winevt/Logs/System.evtx";
pub(crate) const PREFETCH: &str = "p1/Windows/Prefetch/SCANTOPDF-SETUP.EXE-5E0C91A2.pf";

/// The installer's name in the prefetch file.
pub(crate) const PREFETCH_NAME: &str = "SCANTOPDF-SETUP.EXE";

/// When the security log was cleared: at the end of the evening.
pub(crate) const CLEARED: Time = ARCHIVE_DELETED.plus(65);

const AUDITING: (&str, Option<&str>) =
    ("Microsoft-Windows-Security-Auditing", Some("{54849625-5478-4994-a5ba-3e3b0328c30d}"));

/// Builds these files.
pub(crate) fn files() -> Vec<DemoFile> {
    let spec = prefetch::Spec {
        runs: vec![STARTED.filetime()],
        ..prefetch::Spec::new(PREFETCH_NAME, "\\VOLUME{01d0}\\USERS\\MARA\\DOWNLOADS\\SCANTOPDF-SETUP.EXE")
    };
    vec![
        DemoFile::new(SECURITY, security()),
        DemoFile::new(SYSTEM_LOG, system()),
        DemoFile::new(PREFETCH, prefetch::file(&spec)),
    ]
}

fn event<'a>(
    record_id: u64,
    time: Time,
    (provider, guid): (&'a str, Option<&'a str>),
    event_id: u16,
    data: &'a [(&'a str, &'a str)],
) -> Event<'a> {
    Event {
        record_id,
        time: time.filetime(),
        provider,
        guid,
        event_id,
        level: 4,
        channel: "Security",
        computer: HOST,
        user_sid: None,
        user_data: None,
        data,
    }
}

/// Builds what is left of the security log: the record of who cleared it, and a logon after that.
fn security() -> Vec<u8> {
    let (mara, plant) = (local_sid(MARA_RID), local_sid(PLANT_RID));
    let cleared = [
        ("SubjectUserSid", plant.as_str()),
        ("SubjectUserName", PLANT),
        ("SubjectDomainName", HOST),
        ("SubjectLogonId", "0x3f21a"),
    ];
    let logon = [
        ("SubjectUserName", "ALDER-07$"),
        ("TargetUserSid", mara.as_str()),
        ("TargetUserName", MARA),
        ("TargetDomainName", HOST),
        ("TargetLogonId", "0x51c07"),
        ("LogonType", "7"),
        ("IpAddress", "127.0.0.1"),
    ];
    let eventlog = ("Microsoft-Windows-Eventlog", Some("{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}"));
    log(&[
        Event { user_data: Some("LogFileCleared"), ..event(4801, CLEARED, eventlog, 1102, &cleared) },
        event(4802, CLEARED.plus(140), AUDITING, 4624, &logon),
    ])
}

/// Builds the system log, with the service that was installed.
fn system() -> Vec<u8> {
    let service = [
        ("ServiceName", SERVICE_TITLE),
        ("ImagePath", SERVICE_COMMAND),
        ("ServiceType", "user mode service"),
        ("StartType", "auto start"),
        ("AccountName", "LocalSystem"),
    ];
    let manager = ("Service Control Manager", Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"));
    let mara = local_sid(MARA_RID);
    log(&[Event {
        channel: "System",
        user_sid: Some(&mara),
        ..event(911, SERVICE_MADE.plus_ticks(2_118_040), manager, 7045, &service)
    }])
}
