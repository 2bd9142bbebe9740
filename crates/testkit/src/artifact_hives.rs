//! Hives with one of every artifact, both valid and malformed.

mod programs;

pub use programs::{amcache, classes, sam, security};

use crate::hive::{HiveSpec, KeySpec, ValueSpec};
use crate::samples::TICKS;
use crate::scheduled_task::wide;

const SID: &str = "S-1-5-21-1-2-3-1001";
const GUID: &str = "{1EDE3981-5784-4C61-B5A7-CF328A10043E}";
const INTERFACE: &str = "{4b0ae068-b350-4bd4-85ab-77e00e581863}";

/// Returns the files of all these hives, each with its path from the root of the volume.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    [
        ("Users/ann/AppData/Local/Microsoft/Windows/UsrClass.dat", classes()),
        ("Users/ann/NTUSER.DAT", user()),
        ("Windows/AppCompat/Programs/Amcache.hve", amcache()),
        ("Windows/System32/config/SAM", sam()),
        ("Windows/System32/config/SECURITY", security()),
        ("Windows/System32/config/SOFTWARE", software()),
        ("Windows/System32/config/SYSTEM", system()),
    ]
    .map(|(path, root)| (path, HiveSpec::new(root).build().bytes))
    .into()
}

fn key(values: Vec<ValueSpec>) -> KeySpec {
    KeySpec { values, last_written: TICKS, ..KeySpec::default() }
}

fn ticks() -> [u8; 8] {
    TICKS.to_le_bytes()
}

/// Builds a `SYSTEM` hive with two control sets.
pub fn system() -> KeySpec {
    let name = |name| key(vec![ValueSpec::sz("ComputerName", name)]);
    let root = KeySpec::new("ROOT")
        .path(
            "Select",
            key(vec![
                ValueSpec::dword("Current", 2),
                ValueSpec::dword("Default", 2),
                ValueSpec::dword("LastKnownGood", 1),
            ]),
        )
        .path("ControlSet001\\Control\\ComputerName\\ComputerName", name("WKS-1"))
        .path("ControlSet002\\Control\\ComputerName\\ComputerName", name("WKS-2"));
    let root = root.path(
        "Setup\\Source OS (Updated on 3/4/2012 01:02:03)",
        key(vec![
            ValueSpec::sz("ProductName", "Windows 7 Professional"),
            ValueSpec::dword("InstallDate", 1_289_406_535),
        ]),
    );
    programs::system(usb(devices(network(control(services(root))))))
}

fn services(root: KeySpec) -> KeySpec {
    let of = |name: &str| format!("ControlSet002\\Services\\{name}");
    root.path(
        &of("Dhcp"),
        key(vec![
            ValueSpec::expand_sz("ImagePath", "%SystemRoot%\\system32\\svchost.exe -k Local"),
            ValueSpec::sz("DisplayName", "DHCP Client"),
            ValueSpec::sz("ObjectName", "NT Authority\\LocalService"),
            ValueSpec::dword("Start", 2),
            ValueSpec::dword("Type", 0x20),
        ]),
    )
    .path(&of("Dhcp\\Parameters"), key(vec![ValueSpec::expand_sz("ServiceDll", "C:\\dhcp.dll")]))
    .path(
        &of("Odd"),
        key(vec![
            ValueSpec::sz("Start", "2"),
            ValueSpec::raw("Type", 4, &[1, 0, 0]),
            ValueSpec::raw("ImagePath", 1, &wide("unterminated")[..23]),
            ValueSpec::multi_sz("DisplayName", &["one text"]),
            ValueSpec::dword("ObjectName", 7),
        ]),
    )
    .path(
        &of("LanmanServer\\Shares"),
        key(vec![
            ValueSpec::multi_sz("Docs", &["Path=C:\\Docs", "Remark=all = mine", "Type=0"]),
            ValueSpec::multi_sz("Bad", &["Type=x", "no setting"]),
            ValueSpec::dword("Worse", 1),
        ]),
    )
    .path(
        &of(&format!("bam\\State\\UserSettings\\{SID}")),
        key(vec![
            ValueSpec::binary("\\Device\\HarddiskVolume2\\a.exe", &[&ticks()[..], &[0; 16]].concat()),
            ValueSpec::binary("\\Device\\HarddiskVolume2\\never.exe", &[0; 24]),
            ValueSpec::binary("short.exe", &[1, 2, 3]),
            ValueSpec::dword("Version", 1),
        ]),
    )
    .path(&of("W32Time\\TimeProviders\\Own"), key(vec![ValueSpec::sz("DllName", "C:\\time.dll")]))
}

fn control(root: KeySpec) -> KeySpec {
    let of = |name: &str| format!("ControlSet002\\Control\\{name}");
    root.path(
        &of("TimeZoneInformation"),
        key(vec![
            ValueSpec::raw("TimeZoneKeyName", 1, &wide("W. Europe Standard Time\0left over")),
            ValueSpec::dword("Bias", 0xFFFF_FFC4),
            ValueSpec::dword("ActiveTimeBias", 0xFFFF_FF88),
            ValueSpec::dword("DaylightBias", 0xFFFF_FFC4),
            ValueSpec::dword("DynamicDaylightTimeDisabled", 9),
        ]),
    )
    .path(&of("Windows"), key(vec![ValueSpec::binary("ShutdownTime", &ticks())]))
    .path(&of("Watchdog\\Display"), key(vec![ValueSpec::dword("ShutdownCount", 12)]))
    .path(
        &of("Session Manager"),
        key(vec![ValueSpec::multi_sz("BootExecute", &["autocheck autochk *", "evil"])]),
    )
    .path(
        &of("Lsa"),
        key(vec![
            ValueSpec::multi_sz("Security Packages", &[]),
            ValueSpec::sz("Notification Packages", "scecli"),
        ]),
    )
    .path(&of("Print\\Monitors\\Port"), key(vec![ValueSpec::sz("Driver", "port.dll")]))
}

fn network(root: KeySpec) -> KeySpec {
    let of = |name: &str| format!("ControlSet002\\Services\\Tcpip\\Parameters{name}");
    root.path(&of(""), key(vec![ValueSpec::sz("Hostname", "wks-2"), ValueSpec::sz("Domain", "")]))
        .path(&of(&format!("\\Interfaces\\{INTERFACE}")), key(vec![
            ValueSpec::dword("EnableDHCP", 1),
            ValueSpec::sz("DhcpIPAddress", "192.168.0.7"),
            ValueSpec::multi_sz("DhcpDefaultGateway", &["192.168.0.1"]),
            ValueSpec::sz("DefaultGateway", "10.0.0.1"),
            ValueSpec::dword("LeaseObtainedTime", 1_333_504_720),
            ValueSpec::binary("LeaseTerminatesTime", &[1]),
        ]))
        .path(
            &format!("ControlSet002\\Control\\Network\\{{4D36E972-E325-11CE-BFC1-08002BE10318}}\\{INTERFACE}\\Connection"),
            key(vec![ValueSpec::sz("Name", "Wi-Fi")]),
        )
}

fn devices(root: KeySpec) -> KeySpec {
    let mbr = [0x78, 0x56, 0x34, 0x12, 0, 0, 0x10, 0, 0, 0, 0, 0];
    let gpt = [&b"DMIO:ID:"[..], &(1..=16).collect::<Vec<u8>>()].concat();
    root.path(
        "MountedDevices",
        key(vec![
            ValueSpec::binary("\\DosDevices\\C:", &mbr),
            ValueSpec::binary("\\DosDevices\\D:", &gpt),
            ValueSpec::binary("\\DosDevices\\E:", &wide("_??_USBSTOR#Disk&Ven_X")),
            ValueSpec::binary("\\DosDevices\\F:", &[1, 2, 3]),
            ValueSpec::sz("\\DosDevices\\G:", "text"),
        ]),
    )
}

fn usb(root: KeySpec) -> KeySpec {
    let device = "ControlSet002\\Enum\\USBSTOR\\Disk&Ven_SanDisk&Prod_Extreme&Rev_0001\\AA01&0";
    let properties = format!("{device}\\Properties\\{{83da6326-97a6-4088-9453-a1923f573b29}}");
    let time = |kind| ValueSpec::raw("", kind, &ticks());
    root.path(device, key(vec![ValueSpec::sz("FriendlyName", "SanDisk Extreme USB Device")]))
        .path(&format!("{properties}\\0064"), key(vec![time(0xFFFF_0010)]))
        .path(&format!("{properties}\\00000065\\00000000"), key(vec![ValueSpec::binary("Data", &ticks())]))
        .path(&format!("{properties}\\0066"), key(vec![ValueSpec::raw("", 0xFFFF_0010, &[1])]))
        .path("ControlSet002\\Enum\\USB\\VID_0781&PID_5580\\AA01", key(vec![]))
        .path(
            "ControlSet002\\Enum\\USB\\VID_0E0F&PID_0003\\6&2ab&0&1",
            key(vec![ValueSpec::sz("Service", "usbccgp")]),
        )
        .path("ControlSet002\\Enum\\USB\\ROOT_HUB\\4&1&0", key(vec![]))
}

/// Builds a `SOFTWARE` hive.
pub fn software() -> KeySpec {
    let nt = |name: &str| format!("Microsoft\\Windows NT\\CurrentVersion{name}");
    let current = |name: &str| format!("Microsoft\\Windows\\CurrentVersion\\{name}");
    let profile = key(vec![
        ValueSpec::expand_sz("ProfileImagePath", "C:\\Users\\Ann"),
        ValueSpec::dword("LocalProfileLoadTimeLow", (TICKS & 0xFFFF_FFFF) as u32),
        ValueSpec::dword("LocalProfileLoadTimeHigh", (TICKS >> 32) as u32),
        ValueSpec::dword("LocalProfileUnloadTimeLow", 1),
    ]);
    let root = KeySpec::new("ROOT").key(KeySpec::new("Classes"));
    let root = root
        .path(
            &nt(""),
            key(vec![
                ValueSpec::sz("ProductName", "Windows 10 Pro"),
                ValueSpec::sz("CurrentBuild", "22631"),
                ValueSpec::dword("UBR", 3007),
                ValueSpec::dword("InstallDate", 1_333_504_720),
                ValueSpec::qword("InstallTime", TICKS),
            ]),
        )
        .path(&nt(&format!("\\ProfileList\\{SID}")), profile.clone())
        .path(&nt(&format!("\\ProfileList\\{SID}.bak")), profile)
        .path(&nt("\\ProfileList\\odd"), key(vec![]))
        .path(
            &nt("\\Winlogon"),
            key(vec![
                ValueSpec::sz("Shell", "explorer.exe"),
                ValueSpec::sz("Taskman", ""),
                ValueSpec::sz("DefaultUserName", "Ann"),
                ValueSpec::sz("DefaultPassword", "secret"),
            ]),
        )
        .path(
            &nt("\\Image File Execution Options\\sethc.exe"),
            key(vec![ValueSpec::sz("Debugger", "cmd.exe")]),
        )
        .path(
            &current("Run"),
            key(vec![
                ValueSpec::sz("svchost", "c:\\evil.exe"),
                ValueSpec::raw("hidden", 1, &wide("seen\0behind")),
                ValueSpec::dword("number", 5),
                ValueSpec::binary("raw", &[1, 2]),
            ]),
        )
        .path(
            "Wow6432Node\\Microsoft\\Windows\\CurrentVersion\\RunOnce",
            key(vec![ValueSpec::sz("", "default.exe")]),
        )
        .path(
            &current("Authentication\\LogonUI"),
            key(vec![
                ValueSpec::sz("LastLoggedOnUser", "WKS-2\\Ann"),
                ValueSpec::sz("LastLoggedOnUserSID", SID),
            ]),
        );
    let root = root
        .path(
            &current("Uninstall\\{0001}"),
            key(vec![
                ValueSpec::sz("DisplayName", "Tool 1.0"),
                ValueSpec::sz("DisplayVersion", "1.0"),
                ValueSpec::sz("InstallDate", "20120404"),
            ]),
        )
        .path(&current("Uninstall\\AddressBook"), key(vec![ValueSpec::dword("SystemComponent", 1)]))
        .path(&current("Uninstall\\Empty"), key(vec![]));
    programs::software(networks(root))
}

fn networks(root: KeySpec) -> KeySpec {
    let of = |name: &str| format!("Microsoft\\Windows NT\\CurrentVersion\\NetworkList\\{name}");
    let time: Vec<u8> = [2012u16, 4, 3, 4, 7, 48, 39, 392].into_iter().flat_map(u16::to_le_bytes).collect();
    root.path(
        &of(&format!("Profiles\\{GUID}")),
        key(vec![
            ValueSpec::sz("ProfileName", "shieldbase.local"),
            ValueSpec::binary("DateCreated", &time),
            ValueSpec::binary("DateLastConnected", &time[..15]),
            ValueSpec::dword("Category", 2),
        ]),
    )
    .path(
        &of("Signatures\\Unmanaged\\0101"),
        key(vec![
            ValueSpec::sz("ProfileGuid", GUID),
            ValueSpec::binary("DefaultGatewayMac", &[0, 0x18, 0xF8, 0xEA, 0x2E, 0xA2]),
            ValueSpec::sz("DnsSuffix", "<none>"),
        ]),
    )
    .path(&of("Signatures\\Managed\\0102"), key(vec![ValueSpec::binary("DefaultGatewayMac", &[1])]))
}

/// Builds an `NTUSER.DAT` hive.
pub fn user() -> KeySpec {
    let root = KeySpec::new("ROOT")
        .path("Environment", key(vec![ValueSpec::sz("UserInitMprLogonScript", "C:\\logon.bat")]))
        .path("Control Panel\\Desktop", key(vec![ValueSpec::sz("SCRNSAVE.EXE", "C:\\saver.scr")]))
        .path(
            "Software\\Microsoft\\Windows\\CurrentVersion\\Run",
            key(vec![ValueSpec::sz("OneDrive", "OneDrive.exe /background")]),
        )
        .path(
            "Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Own",
            key(vec![ValueSpec::sz("DisplayName", "Own tool")]),
        );
    programs::user(root)
}
