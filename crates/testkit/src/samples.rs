//! One valid file of each decoded format: the starting point for tests, mutations and fuzz targets.

use crate::event_text::{self, Shape};
use crate::jump_list::Entry;
use crate::ntfs::{Deleted, EntrySpec, FileTimes, NtfsTimes, VolumeSpec};
use crate::scheduled_task::utf16;
use crate::usn::Change;
use crate::{
    demo, detection_history, ese, evtx, index_dat, info2, job_file, jump_list, lnk, pe, prefetch,
    recycle_bin, scheduled_task, usn, windows_logs, windows_timeline, wmi_repository,
};

/// The time in all samples: 2012-04-04T01:58:40.8392490Z.
pub const TICKS: u64 = 129_779_783_208_392_490;

/// A file on a Windows volume.
pub struct Sample {
    /// The decoder that reads it.
    pub decoder: &'static str,
    /// Its path from the root of the volume.
    pub path: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Returns at least one sample for each decoder, sorted by decoder.
pub fn samples() -> Vec<Sample> {
    let sample = |decoder, path, bytes| Sample { decoder, path, bytes };
    let program = prefetch::Spec {
        runs: vec![TICKS, TICKS - 600_000_000],
        run_count: 2,
        ..prefetch::Spec::new("NOTEPAD.EXE", "\\VOLUME{01d0}\\WINDOWS\\NOTEPAD.EXE")
    };
    let older = prefetch::Spec { version: 17, ..prefetch::Spec::new("SOL.EXE", "\\VOLUME{01d0}\\SOL.EXE") };
    let entries = [Entry::new(1, "C:\\Users\\ann\\plan.txt", TICKS), Entry::new(2, "D:\\old.txt", TICKS - 5)];
    let link = lnk::link(&lnk::Spec::local("C:\\Users\\ann\\plan.txt", [TICKS; 3]));
    let old = evtx::old_log("Security", "PC-1", &[(1, 1_333_504_720, 528, "ann")]);
    let [history, places] = demo::browser_databases().unwrap_or_default();
    vec![
        sample(
            "hosts",
            "Windows/System32/drivers/etc/hosts",
            b"# comment\r\n127.0.0.1 localhost\r\n10.0.0.7\tupdate.example www.update.example # here\r\n"
                .to_vec(),
        ),
        sample(
            "index_dat",
            "Documents and Settings/ann/Local Settings/History/History.IE5/index.dat",
            index_dat::index(&[
                index_dat::Entry::used("Visited: ann@https://docs.example/Page", TICKS),
                index_dat::Entry::used("Visited: ann@file:///C:/plan.txt", TICKS),
            ]),
        ),
        sample("info2", "RECYCLER/S-1-5-21-1-2-3-1003/INFO2", info2()),
        sample("mft", "$MFT", mft()),
        sample("usn_journal", "$Extend/$J", journal()),
        sample(
            "chromium_history",
            "Users/ann/AppData/Local/Google/Chrome/User Data/Default/History",
            history,
        ),
        sample(
            "pca",
            "Windows/appcompat/pca/PcaAppLaunchDic.txt",
            windows_logs::PCA_LAUNCHES.as_bytes().to_vec(),
        ),
        sample("pca", "Windows/appcompat/pca/PcaGeneralDb0.txt", utf16(windows_logs::PCA_LOG)),
        sample("copy_log", "2012-04-04T015840_CopyLog.csv", windows_logs::COPY_LOG.as_bytes().to_vec()),
        sample("copy_log", "2012-04-04T015840_SkipLog.csv.csv", windows_logs::SKIP_LOG.as_bytes().to_vec()),
        sample("ese_database", "ProgramData/plain.edb", ese::plain()),
        sample(
            "firefox_history",
            "Users/ann/AppData/Roaming/Mozilla/Firefox/Profiles/a1.default/places.sqlite",
            places,
        ),
        sample("srum", "Windows/System32/sru/SRUDB.dat", ese::srum()),
        sample(
            "web_cache",
            "Users/ann/AppData/Local/Microsoft/Windows/WebCache/WebCacheV01.dat",
            ese::web_cache(TICKS),
        ),
        sample(
            "defender_history",
            "ProgramData/Microsoft/Windows Defender/Scans/History/Service/DetectionHistory/00/22222222-2222-2222-2222-222222222222",
            detection_history::detection("HackTool:Win32/Example", "C:\\Tools\\sync.exe", TICKS),
        ),
        sample(
            "defender_log",
            "ProgramData/Microsoft/Windows Defender/Support/MPLog-20120404-015000.log",
            utf16(windows_logs::DEFENDER),
        ),
        sample(
            "download_mark",
            "Users/ann/Downloads/tool.zip%3AZone.Identifier",
            b"[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=https://files.example/tool.zip\r\n".to_vec(),
        ),
        sample(
            "error_report",
            "ProgramData/Microsoft/Windows/WER/ReportArchive/AppCrash_sync.exe_1/Report.wer",
            utf16(windows_logs::REPORT),
        ),
        sample("event_log", "Windows/System32/config/SecEvent.Evt", old),
        sample("event_log", "Windows/System32/winevt/Logs/Security.evtx", evtx::log(&events())),
        sample(
            "firewall_log",
            "Windows/System32/LogFiles/Firewall/pfirewall.log",
            windows_logs::FIREWALL.as_bytes().to_vec(),
        ),
        sample("job_file", "Windows/Tasks/At1.job", job_file::job("C:\\Tools\\sync.exe", "/all", "ann")),
        sample(
            "jump_list",
            "Users/ann/AppData/Roaming/Microsoft/Windows/Recent/AutomaticDestinations/9b9cdc69c1c24e2b.automaticDestinations-ms",
            jump_list::automatic(3, &entries).unwrap_or_default(),
        ),
        sample(
            "jump_list",
            "Users/ann/AppData/Roaming/Microsoft/Windows/Recent/CustomDestinations/ccba5a5986c77e43.customDestinations-ms",
            jump_list::custom(),
        ),
        sample("lnk", "Users/ann/AppData/Roaming/Microsoft/Windows/Recent/plan.lnk", link.clone()),
        sample("lnk", "Users/Public/Desktop/plan.lnk", link),
        sample("pe", "Windows/tiny.exe", pe::program(b"behind")),
        sample(
            "powershell_history",
            "Users/ann/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt",
            windows_logs::HISTORY.as_bytes().to_vec(),
        ),
        sample(
            "powershell_transcript",
            "Users/ann/Documents/20120404/PowerShell_transcript.WKS-1.abc.20120404015840.txt",
            windows_logs::TRANSCRIPT.as_bytes().to_vec(),
        ),
        sample(
            "prefetch",
            "Windows/Prefetch/NOTEPAD.EXE-C0FFEE01.pf",
            prefetch::compressed(&prefetch::file(&program)),
        ),
        sample("prefetch", "Windows/Prefetch/SOL.EXE-C0FFEE01.pf", prefetch::file(&older)),
        sample(
            "recycle_bin",
            "$Recycle.Bin/S-1-5-21-1-2-3-1001/$IA1B2C3.txt",
            recycle_bin::dollar_i("C:\\Users\\ann\\old notes.txt", 4096, TICKS),
        ),
        sample("scheduled_task", "Windows/System32/Tasks/Acme/Sync", utf16(scheduled_task::TASK)),
        sample("setup_log", "Windows/INF/setupapi.dev.log", windows_logs::SETUP.as_bytes().to_vec()),
        sample(
            "startup_folder",
            "Users/ann/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/sync.bat",
            b"@echo off\r\n".to_vec(),
        ),
        sample(
            "web_log",
            "inetpub/logs/LogFiles/W3SVC1/u_ex120404.log",
            windows_logs::WEB.as_bytes().to_vec(),
        ),
        sample(
            "windows_timeline",
            "Users/ann/AppData/Local/ConnectedDevicesPlatform/L.ann/ActivitiesCache.db",
            windows_timeline::database(1_333_504_720).unwrap_or_default(),
        ),
        sample(
            "wmi_repository",
            "Windows/System32/wbem/Repository/OBJECTS.DATA",
            wmi_repository::repository(),
        ),
    ]
}

/// Returns the events of the sample log in the formats that programs export, as files that can be anywhere.
pub fn exported_logs() -> Vec<Sample> {
    let of = |shape: &Shape| {
        let path = match shape {
            Shape::Wevtutil => "Exports/wevtutil.xml",
            Shape::ToXml => "Exports/to-xml.xml",
            Shape::DumpXml => "Exports/evtx-dump.xml",
            Shape::DumpJson => "Exports/evtx-dump.json",
            Shape::DumpLines => "Exports/evtx-dump.jsonl",
            Shape::DumpSeparate => "Exports/evtx-dump-separate.json",
            Shape::Winlogbeat => "Exports/winlogbeat.ndjson",
            Shape::Nxlog => "Exports/nxlog.json",
            Shape::PowerShell => "Exports/powershell.json",
        };
        Sample { decoder: "event_log", path, bytes: event_text::exported(&events(), *shape) }
    };
    Shape::ALL.iter().map(of).collect()
}

/// Returns a logon, two failed ones, a service installation, and an event that only looks like one.
fn events() -> Vec<evtx::Event<'static>> {
    const FAILED: &[(&str, &str)] = &[
        ("TargetUserName", "root"),
        ("TargetDomainName", "PC-1"),
        ("SubStatus", "0xc000006a"),
        ("LogonType", "3"),
        ("IpAddress", "203.0.113.7"),
    ];
    const LOGON: &[(&str, &str)] = &[
        ("TargetUserSid", "S-1-5-21-1-2-3-1001"),
        ("TargetUserName", "ann"),
        ("TargetLogonId", "0x1a2b"),
        ("LogonType", "10"),
        ("IpAddress", "203.0.113.7"),
    ];
    const SERVICE: &[(&str, &str)] =
        &[("ServiceName", "updater"), ("ImagePath", "C:\\ProgramData\\u.exe -k")];
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
    vec![
        security(1, 4625, FAILED),
        security(2, 4625, FAILED),
        security(3, 4624, LOGON),
        system(4, Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"), SERVICE),
        system(5, None, SERVICE),
    ]
}

fn info2() -> Vec<u8> {
    let entry = |path: &str, index, emptied| info2::Entry {
        path: path.to_owned(),
        index,
        deleted: TICKS,
        size: 4096,
        emptied,
    };
    info2::info2(&[entry("C:\\old\\plan.txt", 1, false), entry("C:\\old\\gone.txt", 2, true)])
}

/// Builds the `$MFT` of a small volume: a folder, files with streams, links and forged times, and deleted files.
pub fn mft() -> Vec<u8> {
    let set = NtfsTimes {
        standard_information: FileTimes { changed: TICKS, ..FileTimes::all(125_911_584_000_000_000) },
        file_name: FileTimes::all(TICKS),
    };
    let built = VolumeSpec::new("DATA")
        .size(8 << 20)
        .entry(
            EntrySpec::file("Users/ann/notes.txt", b"plain")
                .stream("Zone.Identifier", b"[ZoneTransfer]\r\nZoneId=3\r\n"),
        )
        .entry(EntrySpec::file("Users/ann/linked.txt", b"one").hard_link("Users/other.txt"))
        .entry(EntrySpec::file("Users/ann/tool.exe", b"MZ").times(set))
        .entry(EntrySpec::file("Users/ann/gone.doc", b"a small one").deleted(Deleted::Recoverable))
        .build();
    built.map(|built| built.read_runs(&built.mft)).unwrap_or_default()
}

/// Builds a journal after a page of zeros: a file is created, renamed and deleted.
fn journal() -> Vec<u8> {
    let steps = [(0x100, "new.tmp"), (0x8000_0100, "new.tmp"), (0x1000, "new.tmp"), (0x2000, "tool.exe")];
    let more =
        [(0x8000_2000, "tool.exe"), (0x2, "tool.exe"), (0x8000_0002, "tool.exe"), (0x8000_0200, "tool.exe")];
    let change = |(number, (reasons, name)): (u64, (u32, &str))| Change {
        file: (70, 2),
        parent: (5, 5),
        time: TICKS + number * 10_000_000,
        reasons,
        name: name.to_owned(),
    };
    let changes: Vec<_> = (0..).zip(steps.into_iter().chain(more)).map(change).collect();
    usn::journal(8192, 4096, &changes)
}
