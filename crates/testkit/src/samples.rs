//! One good file of each format that is decoded: what tests, mutations and fuzz targets begin with.

use crate::{evtx, recycle_bin};

/// The time that samples carry: 2012-04-04T01:58:40.8392490Z.
pub const TICKS: u64 = 129_779_783_208_392_490;

/// A file as it stands on a Windows volume.
pub struct Sample {
    /// The decoder that reads it.
    pub decoder: &'static str,
    /// Its path from the root of the volume.
    pub path: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// At least one for each decoder, sorted by decoder.
pub fn samples() -> Vec<Sample> {
    let sample = |decoder, path, bytes| Sample { decoder, path, bytes };
    let old = evtx::old_log("Security", "PC-1", &[(1, 1_333_504_720, 528, "ann")]);
    vec![
        sample("event_log", "Windows/System32/config/SecEvent.Evt", old),
        sample("event_log", "Windows/System32/winevt/Logs/Security.evtx", event_log()),
        sample(
            "recycle_bin",
            "$Recycle.Bin/S-1-5-21-1-2-3-1001/$IA1B2C3.txt",
            recycle_bin::dollar_i("C:\\Users\\ann\\old notes.txt", 4096, TICKS),
        ),
    ]
}

/// A logon, two failed ones, a service, and one event that only looks like that of a service.
fn event_log() -> Vec<u8> {
    let failed = [
        ("TargetUserName", "root"),
        ("TargetDomainName", "PC-1"),
        ("SubStatus", "0xc000006a"),
        ("LogonType", "3"),
        ("IpAddress", "203.0.113.7"),
    ];
    let logon = [
        ("TargetUserSid", "S-1-5-21-1-2-3-1001"),
        ("TargetUserName", "ann"),
        ("TargetLogonId", "0x1a2b"),
        ("LogonType", "10"),
        ("IpAddress", "203.0.113.7"),
    ];
    let service = [("ServiceName", "updater"), ("ImagePath", "C:\\ProgramData\\u.exe -k")];
    let security = |record_id, event_id, data| evtx::Event {
        record_id,
        time: TICKS + record_id * 10_000_000,
        provider: "Microsoft-Windows-Security-Auditing",
        guid: Some("{54849625-5478-4994-a5ba-3e3b0328c30d}"),
        event_id,
        level: 0,
        channel: "Security",
        computer: "PC-1",
        user_sid: None,
        user_data: None,
        data,
    };
    let system = |record_id, guid, data| evtx::Event {
        provider: "Service Control Manager",
        guid,
        channel: "System",
        user_sid: Some("S-1-5-18"),
        ..security(record_id, 7045, data)
    };
    evtx::log(&[
        security(1, 4625, &failed),
        security(2, 4625, &failed),
        security(3, 4624, &logon),
        system(4, Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"), &service),
        system(5, None, &service),
    ])
}
