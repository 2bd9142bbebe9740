//! The evidence of the demo case, and what was planted in it.
//!
//! A workstation of an accountant: ordinary settings, ordinary autostarts, and one program that pretends to be another.
//! Everything here is invented; `cargo xtask demo` writes it to `cases/demo`.

use crate::hive::{HiveSpec, KeySpec, ValueSpec};

/// A file of the demo's evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFile {
    /// Its path under `cases/demo`, separated by `/`.
    pub path: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// 100-nanosecond ticks of a second since 1970 UTC, moved by `ticks`.
const fn filetime(unix_seconds: u64, ticks: u64) -> u64 {
    (unix_seconds + 11_644_473_600) * 10_000_000 + ticks
}

/// 2025-03-03T08:12:44Z: Windows was installed.
const INSTALLED: u64 = 1_740_989_564;
/// 2025-09-16T17:31:05Z: the last shutdown.
const SHUTDOWN: u64 = 1_758_043_865;
/// 2025-09-16T09:47:31Z: the program that pretends to be another was made to start by itself.
const PLANTED: u64 = 1_758_016_051;
/// 2025-05-20T13:05:12Z: an ordinary day.
const ORDINARY: u64 = 1_747_746_312;

/// Every file of the demo's evidence.
pub fn files() -> Vec<DemoFile> {
    let hive = |path, name: &str, root: KeySpec| DemoFile {
        path,
        bytes: HiveSpec {
            file_name: name.to_owned(),
            last_written: filetime(SHUTDOWN, 4_417_000),
            ..HiveSpec::new(root)
        }
        .build()
        .bytes,
    };
    vec![
        hive("evidence/C/Windows/System32/config/SYSTEM", "SYSTEM", system()),
        hive("evidence/C/Windows/System32/config/SOFTWARE", "emRoot\\System32\\Config\\SOFTWARE", software()),
        hive("evidence/C/Windows/System32/config/SAM", "\\SystemRoot\\System32\\Config\\SAM", sam()),
        hive("evidence/C/Users/mara/NTUSER.DAT", "\\??\\C:\\Users\\mara\\ntuser.dat", ntuser()),
        DemoFile {
            path: "evidence/C/Users/mara/Documents/handover.txt",
            bytes: b"Quarter end: send the ledgers to Ilse by Friday.\r\n\
                The new scanner tool was not installed by IT.\r\n"
                .to_vec(),
        },
    ]
}

fn key(name: &str, unix_seconds: u64) -> KeySpec {
    KeySpec::new(name).written(filetime(unix_seconds, 1_234_567))
}

fn system() -> KeySpec {
    let interface = key("{6d1f5a0e-93c7-4c1b-8f0e-2b7a51c0de11}", ORDINARY)
        .value(ValueSpec::dword("EnableDHCP", 1))
        .value(ValueSpec::sz("DhcpIPAddress", "10.20.4.37"))
        .value(ValueSpec::sz("DhcpServer", "10.20.4.1"))
        .value(ValueSpec::multi_sz("DhcpDefaultGateway", &["10.20.4.1"]))
        .value(ValueSpec::sz("DhcpNameServer", "10.20.4.1 10.20.4.2"));
    let parameters = key("Parameters", ORDINARY)
        .value(ValueSpec::sz("Hostname", "ALDER-07"))
        .value(ValueSpec::sz("Domain", "corp.alderbrook.example"))
        .key(key("Interfaces", ORDINARY).key(interface));
    let zone = key("TimeZoneInformation", INSTALLED)
        .value(ValueSpec::dword("Bias", 0xffff_ffc4))
        .value(ValueSpec::dword("ActiveTimeBias", 0xffff_ff88))
        .value(ValueSpec::sz("TimeZoneKeyName", "W. Europe Standard Time"));
    let name = key("ComputerName", INSTALLED)
        .key(key("ComputerName", INSTALLED).value(ValueSpec::sz("ComputerName", "ALDER-07")));
    let windows = key("Windows", SHUTDOWN)
        .value(ValueSpec::binary("ShutdownTime", &filetime(SHUTDOWN, 0).to_le_bytes()));
    let stick = key("4C530001230915117142&0", ORDINARY)
        .value(ValueSpec::sz("FriendlyName", "SanDisk Ultra USB Device"))
        .value(ValueSpec::sz("Class", "DiskDrive"));
    let usb = key("USBSTOR", ORDINARY).key(key("Disk&Ven_SanDisk&Prod_Ultra&Rev_1.00", ORDINARY).key(stick));
    let set = key("ControlSet001", SHUTDOWN)
        .key(key("Control", INSTALLED).key(name).key(zone).key(windows))
        .key(key("Enum", ORDINARY).key(usb))
        .key(key("Services", INSTALLED).key(key("Tcpip", INSTALLED).key(parameters)));
    let select = key("Select", INSTALLED)
        .value(ValueSpec::dword("Current", 1))
        .value(ValueSpec::dword("Default", 1))
        .value(ValueSpec::dword("Failed", 0))
        .value(ValueSpec::dword("LastKnownGood", 1));
    key("ROOT", INSTALLED).key(set).key(select)
}

fn software() -> KeySpec {
    let profile = |sid: &str, path: &str, time| {
        key(sid, time)
            .value(ValueSpec::expand_sz("ProfileImagePath", path))
            .value(ValueSpec::dword("Flags", 0))
    };
    let profiles = key("ProfileList", ORDINARY)
        .key(profile("S-1-5-18", "%systemroot%\\system32\\config\\systemprofile", INSTALLED))
        .key(profile("S-1-5-21-1391846017-2755219433-3320145571-1001", "C:\\Users\\mara", ORDINARY))
        .key(profile("S-1-5-21-1391846017-2755219433-3320145571-1002", "C:\\Users\\it-admin", INSTALLED));
    let nt = key("CurrentVersion", INSTALLED)
        .value(ValueSpec::sz("ProductName", "Windows 10 Pro"))
        .value(ValueSpec::sz("CurrentBuild", "19045"))
        .value(ValueSpec::sz("RegisteredOwner", "Alderbrook Accounting"))
        .value(ValueSpec::dword("InstallDate", INSTALLED as u32))
        .key(profiles);
    let run = key("Run", PLANTED)
        .value(ValueSpec::expand_sz("SecurityHealth", "%windir%\\system32\\SecurityHealthSystray.exe"))
        .value(ValueSpec::sz("ScanToPdf", "C:\\ProgramData\\ScanToPdf\\svchost.exe -k netsvcs"));
    let logon = key("LogonUI", SHUTDOWN)
        .value(ValueSpec::sz("LastLoggedOnUser", "ALDER-07\\mara"))
        .value(ValueSpec::sz("LastLoggedOnSAMUser", "ALDER-07\\mara"));
    let windows = key("CurrentVersion", SHUTDOWN)
        .key(run)
        .key(key("RunOnce", ORDINARY))
        .key(key("Authentication", SHUTDOWN).key(logon));
    let microsoft = key("Microsoft", INSTALLED)
        .key(key("Windows", INSTALLED).key(windows))
        .key(key("Windows NT", INSTALLED).key(nt));
    key("ROOT", INSTALLED).key(key("Classes", INSTALLED)).key(microsoft)
}

fn sam() -> KeySpec {
    let names = key("Names", INSTALLED)
        .key(key("Administrator", INSTALLED))
        .key(key("it-admin", INSTALLED))
        .key(key("mara", ORDINARY));
    let users = key("Users", INSTALLED).key(names);
    let domains = key("Domains", INSTALLED).key(key("Account", INSTALLED).key(users));
    key("ROOT", INSTALLED).key(key("SAM", INSTALLED).key(domains))
}

fn ntuser() -> KeySpec {
    let run = key("Run", ORDINARY).value(ValueSpec::sz(
        "OneDrive",
        "\"C:\\Users\\mara\\AppData\\Local\\Microsoft\\OneDrive\\OneDrive.exe\" /background",
    ));
    let typed = key("TypedURLs", PLANTED)
        .value(ValueSpec::sz("url1", "http://scan-to-pdf.example/download"))
        .value(ValueSpec::sz("url2", "https://intranet.alderbrook.example/"));
    let microsoft = key("Microsoft", INSTALLED)
        .key(key("Windows", INSTALLED).key(key("CurrentVersion", INSTALLED).key(run)))
        .key(key("Internet Explorer", PLANTED).key(typed));
    key("ROOT", INSTALLED)
        .key(key("Control Panel", INSTALLED))
        .key(key("Environment", INSTALLED))
        .key(key("Software", INSTALLED).key(microsoft))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_committed_evidence_is_what_the_builder_builds() {
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo");
        for file in files() {
            let committed = std::fs::read(case.join(file.path)).unwrap_or_default();
            assert!(committed == file.bytes, "{}: run `cargo xtask demo`", file.path);
        }
    }
}
