//! Generates ordinary activity of a few computers; none of it was recorded.

use testkit::event_text::{Shape, exported};
use testkit::evtx::Event;
use testkit::random::Random;

/// The prefix of files with ordinary activity.
pub(super) const PREFIX: &str = "ordinary-";

const SECURITY: &str = "{54849625-5478-4994-a5ba-3e3b0328c30d}";
const SYSMON: &str = "{5770385f-c22a-43e0-bf4c-06f5698ffbd9}";
const SERVICES: &str = "{555908d1-a6d7-4695-8e1e-26931d2012f4}";
const POWERSHELL: &str = "{a0c1853b-5c40-4b15-8766-3cf1c58f985a}";

/// Programs with their parents and arguments.
const PROGRAMS: [(&str, &str, &str); 14] = [
    (r"C:\Windows\System32\svchost.exe", r"C:\Windows\System32\services.exe", "-k netsvcs -p -s Schedule"),
    (
        r"C:\Windows\System32\svchost.exe",
        r"C:\Windows\System32\services.exe",
        "-k LocalServiceNetworkRestricted -p",
    ),
    (r"C:\Windows\System32\taskhostw.exe", r"C:\Windows\System32\svchost.exe", ""),
    (r"C:\Windows\System32\RuntimeBroker.exe", r"C:\Windows\System32\svchost.exe", "-Embedding"),
    (
        r"C:\Windows\System32\SearchProtocolHost.exe",
        r"C:\Windows\System32\SearchIndexer.exe",
        "Global\\UsGthrFltPipeMssGthrPipe1",
    ),
    (r"C:\Windows\System32\conhost.exe", r"C:\Windows\System32\cmd.exe", "0xffffffff -ForceV1"),
    (
        r"C:\Windows\System32\backgroundTaskHost.exe",
        r"C:\Windows\System32\svchost.exe",
        "-ServerName:App.AppXmtcan0h2tfbfy7k9kn8hbxb6dmzz1zh0.mca",
    ),
    (r"C:\Program Files\Google\Chrome\Application\chrome.exe", r"C:\Windows\explorer.exe", "--type=renderer"),
    (
        r"C:\Program Files\Microsoft Office\root\Office16\WINWORD.EXE",
        r"C:\Windows\explorer.exe",
        "/n \"C:\\Users\\USER\\Documents\\report.docx\"",
    ),
    (r"C:\Program Files\Microsoft Office\root\Office16\OUTLOOK.EXE", r"C:\Windows\explorer.exe", ""),
    (r"C:\Windows\System32\notepad.exe", r"C:\Windows\explorer.exe", "C:\\Users\\USER\\Documents\\notes.txt"),
    (
        r"C:\Windows\System32\dllhost.exe",
        r"C:\Windows\System32\svchost.exe",
        "/Processid:{AB8902B4-09CA-4BB6-B78D-A8F59079A8D5}",
    ),
    (r"C:\Windows\System32\cmd.exe", r"C:\Windows\explorer.exe", ""),
    (r"C:\Windows\System32\ipconfig.exe", r"C:\Windows\System32\cmd.exe", ""),
];

const FILES: [&str; 5] = [
    r"C:\Users\USER\Documents\report.docx",
    r"C:\Users\USER\AppData\Local\Microsoft\Edge\User Data\Default\Cache\f_00001",
    r"C:\Windows\Prefetch\CHROME.EXE-5349D2D7.pf",
    r"C:\ProgramData\Microsoft\Windows Defender\Scans\mpcache.bin",
    r"C:\Users\USER\Downloads\invoice.pdf",
];

const KEYS: [(&str, &str, &str); 3] = [
    (
        r"C:\Windows\System32\svchost.exe",
        r"HKLM\System\CurrentControlSet\Services\W32Time\Config\LastKnownGoodTime",
        "QWORD (0x1)",
    ),
    (
        r"C:\Windows\explorer.exe",
        r"HKU\S-1-5-21-1-2-3-1001\Software\Microsoft\Windows\CurrentVersion\Explorer\RecentDocs\MRUListEx",
        "Binary Data",
    ),
    (
        r"C:\Windows\System32\services.exe",
        r"HKLM\System\CurrentControlSet\Services\BITS\Start",
        "DWORD (0x00000003)",
    ),
];

/// Generates logs with this many events in total.
pub(super) fn logs(seed: u64, events: usize) -> Vec<(String, Vec<u8>)> {
    const HOSTS: usize = 4;
    let mut random = Random::new(seed);
    let log = |host: usize, random: &mut Random| {
        let computer = format!("PC-{:03}.corp.example", 100 + seed % 400 + host as u64);
        let user = format!("user{:02}", random.below(60));
        // A week in 2024, from a time that depends on the seed.
        let mut time = 133_500_000_000_000_000 + seed % 1_000 * 6_000_000_000;
        let mut text = Vec::new();
        for number in 0..events / HOSTS {
            time += 1_000_000 + random.below(200_000_000) as u64;
            text.extend(event(number as u64 + 1, time, &computer, &user, random));
        }
        (format!("{PREFIX}{host}.jsonl"), text)
    };
    (0..HOSTS).map(|host| log(host, &mut random)).collect()
}

fn event(record_id: u64, time: u64, computer: &str, user: &str, random: &mut Random) -> Vec<u8> {
    let own = |text: &str| text.replace("USER", user);
    let at = |random: &mut Random, length: usize| random.below(length);
    let pid = (1_000 + random.below(9_000)).to_string();
    let address = format!("10.1.{}.{}", random.below(4), 2 + random.below(250));
    let which = random.below(100);
    let (provider, guid, channel, id, data): (&str, &str, &str, u16, Vec<(&str, String)>) = match which {
        0..30 => {
            let (image, parent, arguments) = PROGRAMS[at(random, PROGRAMS.len())];
            let line = own(format!("{image} {arguments}").trim());
            let data = vec![
                ("Image", own(image)),
                ("CommandLine", line),
                ("ProcessId", pid),
                ("User", format!("CORP\\{user}")),
                ("ParentImage", own(parent)),
                ("ParentProcessId", "900".to_owned()),
            ];
            ("Microsoft-Windows-Sysmon", SYSMON, "Microsoft-Windows-Sysmon/Operational", 1, data)
        }
        30..45 => {
            let data = vec![
                ("Image", PROGRAMS[7].0.to_owned()),
                ("ProcessId", pid),
                ("Protocol", "tcp".to_owned()),
                ("Initiated", "true".to_owned()),
                ("DestinationIp", format!("93.184.{}.{}", random.below(200), random.below(250))),
                ("DestinationPort", "443".to_owned()),
            ];
            ("Microsoft-Windows-Sysmon", SYSMON, "Microsoft-Windows-Sysmon/Operational", 3, data)
        }
        45..55 => {
            let data = vec![
                ("Image", PROGRAMS[8].0.to_owned()),
                ("ProcessId", pid),
                ("TargetFilename", own(FILES[at(random, FILES.len())])),
            ];
            ("Microsoft-Windows-Sysmon", SYSMON, "Microsoft-Windows-Sysmon/Operational", 11, data)
        }
        55..62 => {
            let (image, key, details) = KEYS[at(random, KEYS.len())];
            let data = vec![
                ("EventType", "SetValue".to_owned()),
                ("Image", image.to_owned()),
                ("ProcessId", pid),
                ("TargetObject", key.to_owned()),
                ("Details", details.to_owned()),
            ];
            ("Microsoft-Windows-Sysmon", SYSMON, "Microsoft-Windows-Sysmon/Operational", 13, data)
        }
        62..80 => {
            let kind = ["5", "2", "3", "7"][at(random, 4)];
            let (account, from) = match kind {
                "5" => ("SYSTEM".to_owned(), "-".to_owned()),
                "3" => (format!("{}$", computer.split('.').next().unwrap_or_default()), address),
                _ => (user.to_owned(), "127.0.0.1".to_owned()),
            };
            let data = vec![
                ("TargetUserName", account),
                ("TargetDomainName", "CORP".to_owned()),
                ("TargetLogonId", format!("0x{:x}", random.below(1 << 30))),
                ("LogonType", kind.to_owned()),
                ("IpAddress", from),
                ("LogonProcessName", "Advapi".to_owned()),
            ];
            ("Microsoft-Windows-Security-Auditing", SECURITY, "Security", 4624, data)
        }
        80..86 => {
            let data = vec![
                ("TargetUserName", user.to_owned()),
                ("TargetLogonId", "0x1234".to_owned()),
                ("LogonType", "3".to_owned()),
            ];
            ("Microsoft-Windows-Security-Auditing", SECURITY, "Security", 4634, data)
        }
        86..88 => {
            let data = vec![
                ("TargetUserName", user.to_owned()),
                ("TargetDomainName", "CORP".to_owned()),
                ("SubStatus", "0xc000006a".to_owned()),
                ("LogonType", "2".to_owned()),
                ("IpAddress", "127.0.0.1".to_owned()),
            ];
            ("Microsoft-Windows-Security-Auditing", SECURITY, "Security", 4625, data)
        }
        88..92 => {
            let data = vec![
                ("TargetUserName", format!("{user}@CORP.EXAMPLE")),
                ("ServiceName", "FILES01$".to_owned()),
                ("IpAddress", address),
                ("TicketEncryptionType", "0x12".to_owned()),
                ("Status", "0x0".to_owned()),
            ];
            ("Microsoft-Windows-Security-Auditing", SECURITY, "Security", 4769, data)
        }
        92..94 => {
            let data = vec![
                ("SubjectUserName", user.to_owned()),
                ("ShareName", r"\\*\Public".to_owned()),
                ("IpAddress", address),
            ];
            ("Microsoft-Windows-Security-Auditing", SECURITY, "Security", 5140, data)
        }
        94..98 => {
            let state = ["running", "stopped"][at(random, 2)];
            let data = vec![("param1", "Windows Update".to_owned()), ("param2", state.to_owned())];
            ("Service Control Manager", SERVICES, "System", 7036, data)
        }
        _ => {
            let data = vec![
                ("MessageNumber", "1".to_owned()),
                ("MessageTotal", "1".to_owned()),
                ("ScriptBlockText", "prompt".to_owned()),
                ("ScriptBlockId", "d3f8f4a1-2d3b-4b0e-9c53-6a4c7e2f1a10".to_owned()),
            ];
            (
                "Microsoft-Windows-PowerShell",
                POWERSHELL,
                "Microsoft-Windows-PowerShell/Operational",
                4104,
                data,
            )
        }
    };
    let data: Vec<(&str, &str)> = data.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let (guid, user_sid) = (Some(guid), None);
    let event = Event {
        record_id,
        time,
        provider,
        guid,
        event_id: id,
        level: 4,
        channel,
        computer,
        user_sid,
        user_data: None,
        data: &data,
    };
    exported(&[event], Shape::DumpLines)
}
