//! The SOFTWARE hive: the installed Windows and programs, profiles, autostarts and networks.

use super::clock::Time;
use super::parts::{at, dated, domain_sid_bytes, local_sid_bytes, sid_bytes};
use super::story::*;
use crate::hive::{KeySpec, ValueSpec as Value};

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";
const WINDOWS: &str = "Microsoft\\Windows\\CurrentVersion";

/// Builds the whole hive.
pub(crate) fn root() -> KeySpec {
    let root = KeySpec::new("ROOT").path("Classes", at(INSTALLED));
    let root = version(root);
    let root = profiles(root);
    let root = logon(root);
    let root = autostarts(root);
    let root = programs(root);
    dated(networks(root), INSTALLED)
}

fn version(root: KeySpec) -> KeySpec {
    let key = at(INSTALLED)
        .value(Value::sz("ProductName", PRODUCT))
        .value(Value::sz("CurrentBuild", BUILD))
        .value(Value::sz("RegisteredOwner", OWNER))
        .value(Value::dword("InstallDate", INSTALLED.unix()))
        .value(Value::qword("InstallTime", INSTALLED.filetime()))
        .value(Value::sz("DisplayVersion", RELEASE))
        .value(Value::sz("ReleaseId", "2009"))
        .value(Value::sz("CurrentBuildNumber", BUILD))
        .value(Value::dword("UBR", REVISION))
        .value(Value::sz("CurrentVersion", "6.3"))
        .value(Value::dword("CurrentMajorVersionNumber", 10))
        .value(Value::dword("CurrentMinorVersionNumber", 0))
        .value(Value::sz("EditionID", "Professional"))
        .value(Value::sz("InstallationType", "Client"))
        .value(Value::sz("RegisteredOrganization", "Alderbrook"))
        .value(Value::sz("SystemRoot", "C:\\Windows"))
        .value(Value::sz("PathName", "C:\\Windows"));
    root.path(NT, key)
}

fn profiles(root: KeySpec) -> KeySpec {
    profile_table().into_iter().fold(root, |root, (sid, bytes, folder, made, loaded)| {
        let key = at(made)
            .value(Value::expand_sz("ProfileImagePath", &folder))
            .value(Value::dword("Flags", 0))
            .value(Value::dword("State", 0))
            .value(Value::binary("Sid", &bytes));
        let loaded = loaded.map_or(0, Time::filetime);
        let key = match loaded {
            0 => key,
            time => key
                .value(Value::dword("LocalProfileLoadTimeLow", time as u32))
                .value(Value::dword("LocalProfileLoadTimeHigh", (time >> 32) as u32)),
        };
        root.path(&format!("{NT}\\ProfileList\\{sid}"), key)
    })
}

/// The SID as text and bytes, the folder, and the creation and last load time of a profile.
type Profile = (String, Vec<u8>, String, Time, Option<Time>);

fn profile_table() -> Vec<Profile> {
    let colleague = format!("C:\\Users\\{COLLEAGUE}");
    vec![
        (
            "S-1-5-18".to_owned(),
            sid_bytes(&[18]),
            "%systemroot%\\system32\\config\\systemprofile".to_owned(),
            INSTALLED,
            None,
        ),
        (
            "S-1-5-19".to_owned(),
            sid_bytes(&[19]),
            "%systemroot%\\ServiceProfiles\\LocalService".to_owned(),
            INSTALLED,
            None,
        ),
        (
            "S-1-5-20".to_owned(),
            sid_bytes(&[20]),
            "%systemroot%\\ServiceProfiles\\NetworkService".to_owned(),
            INSTALLED,
            None,
        ),
        (
            local_sid(MARA_RID),
            local_sid_bytes(MARA_RID),
            "C:\\Users\\mara".to_owned(),
            ORDINARY,
            Some(MARA_LOGON),
        ),
        (
            local_sid(IT_ADMIN_RID),
            local_sid_bytes(IT_ADMIN_RID),
            "C:\\Users\\it-admin".to_owned(),
            INSTALLED,
            Some(IT_ADMIN_LOGON),
        ),
        (domain_sid(COLLEAGUE_RID), domain_sid_bytes(COLLEAGUE_RID), colleague, AUGUST, Some(AUGUST)),
    ]
}

fn logon(root: KeySpec) -> KeySpec {
    let winlogon = at(HIDDEN)
        .value(Value::sz("Shell", "explorer.exe"))
        .value(Value::sz("Userinit", "C:\\Windows\\system32\\userinit.exe,"))
        .value(Value::sz("AutoAdminLogon", "0"))
        .value(Value::sz("DefaultUserName", MARA))
        .value(Value::sz("DefaultDomainName", HOST))
        .value(Value::sz("LegalNoticeCaption", ""));
    let logon = at(SHUTDOWN)
        .value(Value::sz("LastLoggedOnUser", &format!("{HOST}\\{MARA}")))
        .value(Value::sz("LastLoggedOnSAMUser", &format!("{HOST}\\{MARA}")))
        .value(Value::sz("LastLoggedOnDisplayName", MARA_NAME))
        .value(Value::sz("LastLoggedOnUserSID", &local_sid(MARA_RID)));
    root.path(&format!("{NT}\\Winlogon"), winlogon)
        .path(&format!("{NT}\\Winlogon\\SpecialAccounts\\UserList"), at(HIDDEN).value(Value::dword(PLANT, 0)))
        .path(&format!("{WINDOWS}\\Authentication\\LogonUI"), logon)
        .path(
            &format!("{NT}\\Image File Execution Options\\spoolsv.exe"),
            at(INSTALLED).value(Value::qword("MitigationOptions", 0x100)),
        )
        .path(
            &format!("{NT}\\Image File Execution Options\\{DEBUGGED}"),
            at(DEBUGGER_SET).value(Value::sz("Debugger", DEBUGGER)),
        )
}

fn autostarts(root: KeySpec) -> KeySpec {
    let run = at(PLANTED)
        .value(Value::expand_sz("SecurityHealth", SECURITY_HEALTH))
        .value(Value::sz(RUN_NAME, RUN_COMMAND));
    let setup = at(INSTALLED)
        .value(Value::sz("", "Microsoft Windows"))
        .value(Value::sz("ComponentID", "BASEAPI"))
        .value(Value::expand_sz("StubPath", "%SystemRoot%\\system32\\ie4uinit.exe -UserConfig"))
        .value(Value::sz("Version", "11,3636,19041,0"))
        .value(Value::dword("IsInstalled", 1));
    root.path(&format!("{WINDOWS}\\Run"), run)
        .path(&format!("{WINDOWS}\\RunOnce"), at(ORDINARY))
        .path(
            "Wow6432Node\\Microsoft\\Windows\\CurrentVersion\\Run",
            at(ORDINARY).value(Value::sz("LedgerlineTray", LEDGERLINE_TRAY)),
        )
        .path("Microsoft\\Active Setup\\Installed Components\\{89820200-ECBD-11cf-8B85-00AA005B4340}", setup)
}

/// The key, name, version, publisher, date, folder and installation time of a program.
type Program = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, Time);

const PROGRAMS: [Program; 4] = [
    ("7-Zip", "7-Zip 24.08 (x64)", "24.08", "7-Zip", "20250303", "C:\\Program Files\\7-Zip\\", INSTALLED),
    (
        "Ledgerline",
        LEDGERLINE,
        "11.2",
        "Ledgerline Software",
        "20250520",
        "C:\\Program Files\\Ledgerline",
        ORDINARY,
    ),
    (
        "{5B0E7C3A-1D42-4A86-9E0B-6F1C2D73A9E4}",
        "Office Printer Utilities",
        "3.1.0",
        "Printworks",
        "20250303",
        "C:\\Program Files\\Printworks",
        INSTALLED,
    ),
    (
        RUN_NAME,
        UNINSTALL_NAME,
        "2.4.1",
        UNINSTALL_PUBLISHER,
        "20250916",
        "C:\\ProgramData\\ScanToPdf",
        PLANTED,
    ),
];

fn programs(root: KeySpec) -> KeySpec {
    PROGRAMS.iter().fold(root, |root, (key, name, version, publisher, date, folder, time)| {
        let values = at(*time)
            .value(Value::sz("DisplayName", name))
            .value(Value::sz("DisplayVersion", version))
            .value(Value::sz("Publisher", publisher))
            .value(Value::sz("InstallDate", date))
            .value(Value::sz("InstallLocation", folder))
            .value(Value::sz(
                "UninstallString",
                &format!("\"{}\\uninstall.exe\"", folder.trim_end_matches('\\')),
            ))
            .value(Value::dword("NoModify", 1));
        root.path(&format!("{WINDOWS}\\Uninstall\\{key}"), values)
    })
}

/// The profile, name, first connection (with the local clock's hours ahead of UTC), last connection, type, managed flag, signature and gateway.
type Network = (&'static str, &'static str, (Time, u64), Time, u32, u32, &'static str, [u8; 6]);

const NETWORKS: [Network; 2] = [
    (
        "{0c4b7be1-0d2f-4a53-8f5a-2f4f19d5a6c7}",
        NETWORK,
        (INSTALLED, 1),
        MORNING,
        6,
        1,
        "Managed\\010103000F0000F0080000000F0000F04B6E1D0A9C2F",
        [0x02, 0x00, 0x5e, 0x10, 0x04, 0x01],
    ),
    (
        CAFE_PROFILE,
        CAFE,
        (CAFE_FIRST, SUMMER),
        CAFE_FIRST.plus(5_400),
        71,
        0,
        "Unmanaged\\010103000F0000F0080000000F0000F0A17C5E33D418",
        [0x02, 0x00, 0x5e, 0x00, 0x53, 0x2a],
    ),
];

fn networks(root: KeySpec) -> KeySpec {
    const LIST: &str = "Microsoft\\Windows NT\\CurrentVersion\\NetworkList";
    NETWORKS.iter().fold(root, |root, (id, name, (first, zone), last, kind, managed, signature, gateway)| {
        let profile = at(*last)
            .value(Value::sz("ProfileName", name))
            .value(Value::sz("Description", name))
            .value(Value::dword("Managed", *managed))
            .value(Value::dword("Category", *managed * 2))
            .value(Value::dword("NameType", *kind))
            .value(Value::binary("DateCreated", &first.system_time(*zone)))
            .value(Value::binary("DateLastConnected", &last.system_time(SUMMER)));
        let signed = at(*first)
            .value(Value::sz("ProfileGuid", id))
            .value(Value::sz("Description", name))
            .value(Value::dword("Source", 8))
            .value(Value::sz("DnsSuffix", if *managed == 1 { DOMAIN } else { "<none>" }))
            .value(Value::sz("FirstNetwork", name))
            .value(Value::binary("DefaultGatewayMac", gateway));
        root.path(&format!("{LIST}\\Profiles\\{id}"), profile)
            .path(&format!("{LIST}\\Signatures\\{signature}"), signed)
    })
}
