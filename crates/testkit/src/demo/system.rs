//! The SYSTEM hive: two control sets, of which the second still has an older computer name.

use super::clock::Time;
use super::devices;
use super::parts::{at, dated};
use super::services;
use super::story::*;
use crate::hive::{KeySpec, ValueSpec as Value};

/// Builds the whole hive.
pub(crate) fn root() -> KeySpec {
    let select = at(INSTALLED)
        .value(Value::dword("Current", 1))
        .value(Value::dword("Default", 1))
        .value(Value::dword("Failed", 0))
        .value(Value::dword("LastKnownGood", 1));
    let root = KeySpec::new("ROOT")
        .path("ControlSet001", current())
        .path("ControlSet002", earlier())
        .path("MountedDevices", devices::mounted())
        .path("Select", select)
        .path("Setup", at(INSTALLED).value(Value::dword("SystemSetupInProgress", 0)));
    dated(root, INSTALLED)
}

/// Builds the control set in use.
fn current() -> KeySpec {
    let set = at(SHUTDOWN);
    let set = control(set, HOST, RENAMED, SHUTDOWN);
    let set = protection(set);
    let set = network(set);
    let set = devices::enumerated(set);
    let set = services::ordinary(set);
    let set = services::planted(set);
    let set = parameters(set, HOST);
    background(shares(set))
}

/// Builds a control set from the first day: the same machine under its first name, with few services.
fn earlier() -> KeySpec {
    let set = control(at(INSTALLED), OLD_HOST, INSTALLED, INSTALLED.plus(2_712));
    let set = services::first(set);
    set.path(
        "Services\\Tcpip\\Parameters",
        at(INSTALLED).value(Value::sz("Hostname", OLD_HOST)).value(Value::sz("Domain", "")),
    )
}

fn control(set: KeySpec, host: &str, named: Time, shutdown: Time) -> KeySpec {
    let zone = at(INSTALLED)
        .value(Value::dword("Bias", 0xffff_ffc4))
        .value(Value::dword("ActiveTimeBias", 0xffff_ff88))
        .value(Value::sz("TimeZoneKeyName", ZONE))
        .value(Value::dword("DaylightBias", 0xffff_ffc4))
        .value(Value::dword("StandardBias", 0))
        .value(Value::sz("StandardName", "@tzres.dll,-322"))
        .value(Value::sz("DaylightName", "@tzres.dll,-321"));
    set.path(
        "Control\\ComputerName\\ComputerName",
        at(named).value(Value::sz("", "mnmsrvc")).value(Value::sz("ComputerName", host)),
    )
    .path("Control\\ComputerName\\ActiveComputerName", at(named).value(Value::sz("ComputerName", host)))
    .path("Control\\TimeZoneInformation", zone)
    .path(
        "Control\\Windows",
        at(shutdown)
            .value(Value::binary("ShutdownTime", &shutdown.bytes()))
            .value(Value::expand_sz("Directory", "%SystemRoot%"))
            .value(Value::dword("CSDVersion", 0))
            .value(Value::dword("ShellErrorMode", 1)),
    )
}

/// Adds what is loaded at start, and what protects the logon.
fn protection(set: KeySpec) -> KeySpec {
    let environment = at(ORDINARY)
        .value(Value::sz("ComSpec", "%SystemRoot%\\system32\\cmd.exe"))
        .value(Value::sz("NUMBER_OF_PROCESSORS", "4"))
        .value(Value::expand_sz("Path", "%SystemRoot%\\system32;%SystemRoot%;%SystemRoot%\\System32\\Wbem"))
        .value(Value::sz("PROCESSOR_ARCHITECTURE", "AMD64"));
    set.path(
        "Control\\Session Manager",
        at(ORDINARY)
            .value(Value::multi_sz("BootExecute", &["autocheck autochk *"]))
            .value(Value::dword("ProtectionMode", 1))
            .value(Value::multi_sz("ObjectDirectories", &["\\Windows", "\\RPC Control"])),
    )
    .path("Control\\Session Manager\\Environment", environment)
    .path(
        "Control\\Session Manager\\Memory Management",
        at(INSTALLED)
            .value(Value::dword("ClearPageFileAtShutdown", 0))
            .value(Value::multi_sz("PagingFiles", &["?:\\pagefile.sys"])),
    )
    .path(
        "Control\\Lsa",
        at(ORDINARY)
            .value(Value::multi_sz("Authentication Packages", &["msv1_0"]))
            .value(Value::multi_sz("Notification Packages", &["scecli"]))
            .value(Value::multi_sz("Security Packages", &["\"\""]))
            .value(Value::dword("LimitBlankPasswordUse", 1))
            .value(Value::dword("NoLmHash", 1))
            .value(Value::dword("restrictanonymous", 0)),
    )
    .path(
        "Control\\Terminal Server",
        at(REMOTE_ALLOWED)
            .value(Value::dword("fDenyTSConnections", 0))
            .value(Value::dword("fSingleSessionPerUser", 1)),
    )
}

/// Adds the names of the network connections.
fn network(set: KeySpec) -> KeySpec {
    const ADAPTERS: &str = "Control\\Network\\{4D36E972-E325-11CE-BFC1-08002BE10318}";
    let connection = |name: &str, device: &str| {
        at(INSTALLED)
            .value(Value::sz("Name", name))
            .value(Value::sz("PnPInstanceId", device))
            .value(Value::dword("DefaultNameIndex", 0))
    };
    set.path(
        ADAPTERS,
        at(INSTALLED).value(Value::sz("", "Network Adapters")).value(Value::sz("Class", "Net")),
    )
    .path(
        &format!("{ADAPTERS}\\{ETHERNET}\\Connection"),
        connection("Ethernet", "PCI\\VEN_8086&DEV_15FB&SUBSYS_00001043&REV_20\\3&11583659&0&FE"),
    )
    .path(
        &format!("{ADAPTERS}\\{WIFI}\\Connection"),
        connection("Wi-Fi", "PCI\\VEN_8086&DEV_A0F0&SUBSYS_00748086&REV_20\\3&11583659&0&A3"),
    )
}

/// Adds TCP/IP with its leases.
fn parameters(set: KeySpec, host: &str) -> KeySpec {
    let lease = |key: KeySpec, obtained: Time| {
        key.value(Value::dword("Lease", LEASE))
            .value(Value::dword("LeaseObtainedTime", obtained.unix()))
            .value(Value::dword("T1", obtained.unix() + LEASE / 2))
            .value(Value::dword("LeaseTerminatesTime", obtained.unix() + LEASE))
            .value(Value::sz("DhcpSubnetMask", "255.255.255.0"))
    };
    let ethernet = at(ORDINARY)
        .value(Value::dword("EnableDHCP", 1))
        .value(Value::sz("DhcpIPAddress", ETHERNET_ADDRESS))
        .value(Value::sz("DhcpServer", "10.20.4.1"))
        .value(Value::multi_sz("DhcpDefaultGateway", &["10.20.4.1"]))
        .value(Value::sz("DhcpNameServer", "10.20.4.1 10.20.4.2"))
        .value(Value::sz("DhcpDomain", DOMAIN));
    let wifi = at(CAFE_FIRST)
        .value(Value::dword("EnableDHCP", 1))
        .value(Value::sz("DhcpIPAddress", WIFI_ADDRESS))
        .value(Value::sz("DhcpServer", "192.0.2.1"))
        .value(Value::multi_sz("DhcpDefaultGateway", &["192.0.2.1"]))
        .value(Value::sz("DhcpNameServer", "192.0.2.1"));
    let tcpip = at(ORDINARY)
        .value(Value::sz("Hostname", host))
        .value(Value::sz("Domain", DOMAIN))
        .value(Value::sz("NV Hostname", host))
        .value(Value::expand_sz("DataBasePath", "%SystemRoot%\\System32\\drivers\\etc"))
        .value(Value::dword("IPEnableRouter", 0));
    set.path("Services\\Tcpip\\Parameters", tcpip)
        .path(&format!("Services\\Tcpip\\Parameters\\Interfaces\\{ETHERNET}"), lease(ethernet, MORNING))
        .path(&format!("Services\\Tcpip\\Parameters\\Interfaces\\{WIFI}"), lease(wifi, CAFE_FIRST))
}

/// Adds the machine's shares.
fn shares(set: KeySpec) -> KeySpec {
    let share = [
        "CATimeout=0".to_owned(),
        "CSCFlags=0".to_owned(),
        "MaxUses=4294967295".to_owned(),
        format!("Path={SHARE_PATH}"),
        "Permissions=0".to_owned(),
        "Type=0".to_owned(),
    ];
    let share: Vec<&str> = share.iter().map(String::as_str).collect();
    set.path("Services\\LanmanServer\\Shares", at(ORDINARY).value(Value::multi_sz(SHARE, &share)))
}

/// Adds the background activity moderator: when a user last ran a program.
fn background(set: KeySpec) -> KeySpec {
    let ran = |name: &str, time: Time| {
        let mut data = time.bytes().to_vec();
        data.resize(24, 0);
        Value::binary(name, &data)
    };
    let users =
        |key: KeySpec| key.value(Value::dword("Version", 1)).value(Value::dword("SequenceNumber", 41));
    let volume = "\\Device\\HarddiskVolume3";
    let mara = users(at(SHUTDOWN))
        .value(ran(&format!("{volume}\\Windows\\explorer.exe"), SHUTDOWN))
        .value(ran("Microsoft.WindowsCalculator_8wekyb3d8bbwe", CALCULATOR_RAN))
        .value(ran(&format!("{volume}\\Program Files\\7-Zip\\7zFM.exe"), AUGUST))
        .value(ran(&format!("{volume}\\Users\\mara\\Downloads\\ScanToPdf-Setup.exe"), STARTED))
        .value(ran(&device_path(PROGRAM), PROGRAM_RAN));
    let admin = users(at(IT_ADMIN_LOGON))
        .value(ran(&format!("{volume}\\Windows\\System32\\mmc.exe"), IT_ADMIN_LOGON.plus(310)))
        .value(ran(&format!("{volume}\\Windows\\explorer.exe"), IT_ADMIN_LOGON.plus(1_830)));
    set.path(&format!("Services\\bam\\State\\UserSettings\\{}", local_sid(MARA_RID)), mara)
        .path(&format!("Services\\bam\\State\\UserSettings\\{}", local_sid(IT_ADMIN_RID)), admin)
}

/// Returns a path on drive C in kernel notation.
pub(crate) fn device_path(path: &str) -> String {
    path.replacen("C:", "\\Device\\HarddiskVolume3", 1)
}
