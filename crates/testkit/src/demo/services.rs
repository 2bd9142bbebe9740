//! Services and drivers in the SYSTEM hive.

use super::parts::at;
use super::story::*;
use crate::hive::{KeySpec, ValueSpec as Value};

/// Service types in `Type`.
const DRIVER: u32 = 0x1;
const FILE_SYSTEM: u32 = 0x2;
const OWN: u32 = 0x10;
const SHARED: u32 = 0x20;

/// The name, title, program, start (0 boot, 1 system, 2 automatic, 3 on demand, 4 disabled) and type of a service.
type Program = (&'static str, &'static str, &'static str, u32, u32);

const PROGRAMS: &[Program] = &[
    ("ACPI", "Microsoft ACPI Driver", "System32\\drivers\\ACPI.sys", 0, DRIVER),
    ("AFD", "Ancillary Function Driver for Winsock", "\\SystemRoot\\system32\\drivers\\afd.sys", 1, DRIVER),
    ("bam", "Background Activity Moderator Driver", "system32\\drivers\\bam.sys", 1, DRIVER),
    ("Beep", "Beep", "", 1, DRIVER),
    ("disk", "Disk Driver", "System32\\drivers\\disk.sys", 0, DRIVER),
    (
        "e1dexpress",
        "Intel(R) PRO/1000 PCI Express Network Driver",
        "\\SystemRoot\\System32\\drivers\\e1d.sys",
        3,
        DRIVER,
    ),
    ("FltMgr", "FltMgr", "system32\\drivers\\fltmgr.sys", 0, FILE_SYSTEM),
    ("HTTP", "HTTP Service", "system32\\drivers\\HTTP.sys", 3, DRIVER),
    ("kbdclass", "Keyboard Class Driver", "\\SystemRoot\\System32\\drivers\\kbdclass.sys", 3, DRIVER),
    ("mouclass", "Mouse Class Driver", "\\SystemRoot\\System32\\drivers\\mouclass.sys", 3, DRIVER),
    ("mrxsmb", "SMB MiniRedirector Wrapper and Engine", "system32\\DRIVERS\\mrxsmb.sys", 3, FILE_SYSTEM),
    ("NDIS", "NDIS System Driver", "system32\\drivers\\ndis.sys", 0, DRIVER),
    ("Ntfs", "Ntfs", "", 3, FILE_SYSTEM),
    ("pci", "PCI Bus Driver", "System32\\drivers\\pci.sys", 0, DRIVER),
    ("srv2", "Server SMB 2.xxx Driver", "System32\\DRIVERS\\srv2.sys", 3, FILE_SYSTEM),
    ("Tcpip", "TCP/IP Protocol Driver", "System32\\drivers\\tcpip.sys", 0, DRIVER),
    ("USBSTOR", "USB Mass Storage Driver", "\\SystemRoot\\System32\\drivers\\USBSTOR.SYS", 3, DRIVER),
    ("volmgr", "Volume Manager Driver", "System32\\drivers\\volmgr.sys", 0, DRIVER),
    (
        "LedgerlineSync",
        "Ledgerline Synchronisation",
        "\"C:\\Program Files\\Ledgerline\\llsync.exe\" --service",
        2,
        OWN,
    ),
    ("msiserver", "Windows Installer", "%systemroot%\\system32\\msiexec.exe /V", 3, OWN),
    ("SamSs", "Security Accounts Manager", "%SystemRoot%\\system32\\lsass.exe", 2, SHARED),
    ("Spooler", "Print Spooler", "%SystemRoot%\\System32\\spoolsv.exe", 2, 0x110),
    (
        "TrustedInstaller",
        "Windows Modules Installer",
        "%SystemRoot%\\servicing\\TrustedInstaller.exe",
        3,
        OWN,
    ),
    ("VSS", "Volume Shadow Copy", "%systemroot%\\system32\\vssvc.exe", 3, OWN),
    ("WSearch", "Windows Search", "%systemroot%\\system32\\SearchIndexer.exe /Embedding", 2, OWN),
];

/// The name, title, svchost group, account, library and start of a service.
type Hosted = (&'static str, &'static str, &'static str, &'static str, &'static str, u32);

const LOCAL_SYSTEM: &str = "LocalSystem";
const LOCAL_SERVICE: &str = "NT AUTHORITY\\LocalService";
const NETWORK_SERVICE: &str = "NT AUTHORITY\\NetworkService";

const HOSTED: &[Hosted] = &[
    ("AudioSrv", "Windows Audio", "LocalServiceNetworkRestricted", LOCAL_SERVICE, "Audiosrv.dll", 2),
    ("BITS", "Background Intelligent Transfer Service", "netsvcs", LOCAL_SYSTEM, "qmgr.dll", 3),
    ("CryptSvc", "Cryptographic Services", "NetworkService", NETWORK_SERVICE, "cryptsvc.dll", 2),
    ("Dhcp", "DHCP Client", "LocalServiceNetworkRestricted", LOCAL_SERVICE, "dhcpcore.dll", 2),
    ("Dnscache", "DNS Client", "NetworkService", NETWORK_SERVICE, "dnsrslvr.dll", 2),
    ("EventLog", "Windows Event Log", "LocalServiceNetworkRestricted", LOCAL_SERVICE, "wevtsvc.dll", 2),
    ("gpsvc", "Group Policy Client", "netsvcs", LOCAL_SYSTEM, "gpsvc.dll", 2),
    ("LanmanServer", "Server", "netsvcs", LOCAL_SYSTEM, "srvsvc.dll", 2),
    ("LanmanWorkstation", "Workstation", "NetworkService", NETWORK_SERVICE, "wkssvc.dll", 2),
    ("mpssvc", "Windows Defender Firewall", "LocalServiceNoNetworkFirewall", LOCAL_SERVICE, "mpssvc.dll", 2),
    ("nsi", "Network Store Interface Service", "LocalService", LOCAL_SERVICE, "nsisvc.dll", 2),
    ("ProfSvc", "User Profile Service", "netsvcs", LOCAL_SYSTEM, "profsvc.dll", 2),
    ("RpcSs", "Remote Procedure Call (RPC)", "rpcss", NETWORK_SERVICE, "rpcss.dll", 2),
    ("Schedule", "Task Scheduler", "netsvcs", LOCAL_SYSTEM, "schedsvc.dll", 2),
    ("seclogon", "Secondary Logon", "netsvcs", LOCAL_SYSTEM, "seclogon.dll", 3),
    ("TermService", "Remote Desktop Services", "NetworkService", NETWORK_SERVICE, "termsrv.dll", 3),
    ("Themes", "Themes", "netsvcs", LOCAL_SYSTEM, "themeservice.dll", 2),
    ("W32Time", "Windows Time", "LocalService", LOCAL_SERVICE, "w32time.dll", 3),
    ("Winmgmt", "Windows Management Instrumentation", "netsvcs", LOCAL_SYSTEM, "wbem\\WMIsvc.dll", 2),
    ("wuauserv", "Windows Update", "netsvcs", LOCAL_SYSTEM, "wuaueng.dll", 3),
];

/// Adds the services that every such machine has.
pub(crate) fn ordinary(set: KeySpec) -> KeySpec {
    let set = PROGRAMS.iter().fold(set, program);
    HOSTED.iter().fold(set, hosted)
}

/// Adds a few services, for the state of the first day.
pub(crate) fn first(set: KeySpec) -> KeySpec {
    let set = PROGRAMS.iter().filter(|service| service.3 == 0).fold(set, program);
    HOSTED.iter().filter(|service| service.2 == "rpcss").fold(set, hosted)
}

/// Adds the intruder's service.
pub(crate) fn planted(set: KeySpec) -> KeySpec {
    let key = at(SERVICE_MADE)
        .value(Value::dword("Type", OWN))
        .value(Value::dword("Start", 2))
        .value(Value::dword("ErrorControl", 0))
        .value(Value::expand_sz("ImagePath", SERVICE_COMMAND))
        .value(Value::sz("DisplayName", SERVICE_TITLE))
        .value(Value::sz("ObjectName", LOCAL_SYSTEM));
    set.path(&format!("Services\\{SERVICE}"), key)
}

fn program(set: KeySpec, &(name, title, image, start, kind): &Program) -> KeySpec {
    let mut key = at(INSTALLED)
        .value(Value::dword("Type", kind))
        .value(Value::dword("Start", start))
        .value(Value::dword("ErrorControl", 1))
        .value(Value::sz("DisplayName", title));
    if !image.is_empty() {
        key = key.value(Value::expand_sz("ImagePath", image));
    }
    if kind >= OWN {
        key = key.value(Value::sz("ObjectName", LOCAL_SYSTEM));
    }
    set.path(&format!("Services\\{name}"), key)
}

fn hosted(set: KeySpec, &(name, title, group, account, library, start): &Hosted) -> KeySpec {
    let image = format!("%SystemRoot%\\System32\\svchost.exe -k {group} -p");
    let library = format!("%SystemRoot%\\System32\\{library}");
    let key = at(INSTALLED)
        .value(Value::dword("Type", SHARED))
        .value(Value::dword("Start", start))
        .value(Value::dword("ErrorControl", 1))
        .value(Value::sz("DisplayName", title))
        .value(Value::expand_sz("ImagePath", &image))
        .value(Value::sz("ObjectName", account));
    set.path(&format!("Services\\{name}"), key).path(
        &format!("Services\\{name}\\Parameters"),
        at(INSTALLED)
            .value(Value::expand_sz("ServiceDll", &library))
            .value(Value::dword("ServiceDllUnloadOnStop", 1)),
    )
}
