//! The parts of these hives about programs, folders and tasks, and further hives for them.

use crate::hive::{KeySpec, ValueSpec};
use crate::samples::TICKS;
use crate::scheduled_task::wide;

const EXPLORER: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer";
const TASK: &str = "{11111111-2222-3333-4444-555555555555}";
const HIDDEN: &str = "{22222222-2222-3333-4444-555555555555}";
const SHA1: &str = "0000da39a3ee5e6b4b0d3255bfef95601890afd80709";

fn key(values: Vec<ValueSpec>) -> KeySpec {
    KeySpec { values, last_written: TICKS, ..KeySpec::default() }
}

fn ticks() -> [u8; 8] {
    TICKS.to_le_bytes()
}

/// Returns a text preceded by its length in bytes.
fn counted(text: &str) -> Vec<u8> {
    [&(wide(text).len() as u32).to_le_bytes()[..], &wide(text)].concat()
}

/// Returns a Windows 10 shim cache with two entries.
fn shim_cache() -> Vec<u8> {
    let mut cache = 0x34_u32.to_le_bytes().to_vec();
    cache.resize(0x34, 0);
    for path in ["SYSVOL\\Windows\\a.exe", "C:\\Users\\Ann\\b.exe"] {
        let path = wide(path);
        let mut body = (path.len() as u16).to_le_bytes().to_vec();
        body.extend(path);
        body.extend(ticks());
        body.extend([0; 4]);
        cache.extend(b"10ts\x01\x02\x03\x04");
        cache.extend((body.len() as u32).to_le_bytes());
        cache.extend(body);
    }
    cache
}

pub(super) fn system(root: KeySpec) -> KeySpec {
    let manager = "ControlSet002\\Control\\Session Manager";
    root.path(
        &format!("{manager}\\AppCompatCache"),
        key(vec![ValueSpec::binary("AppCompatCache", &shim_cache())]),
    )
    .path(
        &format!("{manager}\\AppCompatibility"),
        key(vec![ValueSpec::binary("AppCompatCache", &[1, 2, 3, 4])]),
    )
    .path("ControlSet002\\Control\\Terminal Server", key(vec![ValueSpec::dword("fDenyTSConnections", 0)]))
    .path(
        "ControlSet002\\Control\\SecurityProviders\\WDigest",
        key(vec![ValueSpec::sz("UseLogonCredential", "one")]),
    )
    .path(
        "ControlSet002\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules",
        key(vec![
            ValueSpec::sz(
                "{0A}",
                "v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|Profile=Private|Profile=Public|LPort=4444|RA4=10.0.0.0/8|App=C:\\a.exe|Name=Own|",
            ),
            ValueSpec::dword("bad", 1),
        ]),
    )
    .path(
        "ControlSet002\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\StandardProfile\\AuthorizedApplications\\List",
        key(vec![ValueSpec::sz("C:\\b.exe", "C:\\b.exe:*:Disabled:Tool: old"), ValueSpec::sz("x", "y")]),
    )
    .path(
        "ControlSet002\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\DomainProfile\\GloballyOpenPorts\\List",
        key(vec![ValueSpec::sz("3389:TCP", "3389:TCP:LocalSubNet:Enabled:RDP")]),
    )
    .path(
        "ControlSet002\\Enum\\SWD\\WPDBUSENUM\\_??_USBSTOR#Disk&Ven_X&Prod_Y&Rev_1#AA01&0#{53f56307}",
        key(vec![ValueSpec::sz("FriendlyName", "E:\\")]),
    )
}

pub(super) fn software(root: KeySpec) -> KeySpec {
    let cache = "Microsoft\\Windows NT\\CurrentVersion\\Schedule\\TaskCache";
    let current = "Microsoft\\Windows\\CurrentVersion";
    let mut actions = 3_u16.to_le_bytes().to_vec();
    actions.extend(counted("Author"));
    actions.extend([0x66, 0x66]);
    actions.extend([counted(""), counted("C:\\evil.exe"), counted("-x"), counted("C:\\")].concat());
    actions.extend([0, 0]);
    let dynamic = [&[3, 0, 0, 0][..], &ticks(), &ticks(), &[0; 8], &[0; 8]].concat();
    let off = [&[3, 0, 0, 0][..], &ticks()].concat();
    let root = tasks(root, cache, &actions, &dynamic);
    root.path(
        &format!("{current}\\Explorer\\StartupApproved\\Run"),
        key(vec![ValueSpec::binary("SVCHOST", &off), ValueSpec::binary("number", &[2; 12])]),
    )
    .path(
        "Microsoft\\Windows NT\\CurrentVersion\\Windows",
        key(vec![ValueSpec::sz("AppInit_DLLs", "C:\\hook.dll"), ValueSpec::dword("LoadAppInit_DLLs", 0)]),
    )
    .path(
        &format!("{current}\\Policies\\System"),
        key(vec![ValueSpec::dword("EnableLUA", 1), ValueSpec::dword("ConsentPromptBehaviorAdmin", 77)]),
    )
    .path("Microsoft\\Windows Defender\\Exclusions\\Paths", key(vec![ValueSpec::dword("C:\\Temp", 0)]))
    .path(
        "Policies\\Microsoft\\Windows Defender\\Exclusions\\Extensions",
        key(vec![ValueSpec::sz("exe", "0"), ValueSpec::sz("", "")]),
    )
    .path(
        "Microsoft\\Windows NT\\CurrentVersion\\AppCompatFlags\\Layers",
        key(vec![ValueSpec::sz("C:\\old.exe", "~ RUNASADMIN")]),
    )
    .path(
        "Microsoft\\Windows NT\\CurrentVersion\\EMDMgmt\\_??_USBSTOR#Disk&Ven_X#AA01&0#{53f56307}MYSTICK_1234567890",
        key(vec![ValueSpec::qword("LastTestedTime", TICKS)]),
    )
    .path(
        "Microsoft\\Windows Search\\VolumeInfoCache\\E:",
        key(vec![ValueSpec::sz("VolumeLabel", "MYSTICK"), ValueSpec::dword("DriveType", 2)]),
    )
    .path(
        "Microsoft\\Windows Portable Devices\\Devices\\USB#VID_1234&PID_5678#6&1&0",
        key(vec![ValueSpec::sz("FriendlyName", "Phone")]),
    )
}

fn tasks(root: KeySpec, cache: &str, actions: &[u8], dynamic: &[u8]) -> KeySpec {
    root.path(
        &format!("{cache}\\Tree\\Folder\\Evil"),
        key(vec![ValueSpec::sz("Id", TASK), ValueSpec::dword("Index", 3), ValueSpec::binary("SD", &[1, 0])]),
    )
    .path(
        &format!("{cache}\\Tree\\Hidden"),
        key(vec![ValueSpec::sz("Id", HIDDEN), ValueSpec::dword("Index", 2)]),
    )
    .path(&format!("{cache}\\Tree\\Orphan"), key(vec![ValueSpec::sz("Id", "{9}")]))
    .path(
        &format!("{cache}\\Tasks\\{TASK}"),
        key(vec![
            ValueSpec::sz("Path", "\\Folder\\Evil"),
            ValueSpec::sz("Author", "WKS-2\\Ann"),
            ValueSpec::binary("Actions", actions),
            ValueSpec::binary("DynamicInfo", dynamic),
        ]),
    )
    .path(
        &format!("{cache}\\Tasks\\{HIDDEN}"),
        key(vec![
            ValueSpec::sz("Path", "\\Hidden"),
            ValueSpec::binary("Actions", &actions[..20]),
            ValueSpec::binary("DynamicInfo", &dynamic[..9]),
        ]),
    )
    .path(&format!("{cache}\\Tasks\\{{3}}"), key(vec![ValueSpec::dword("Path", 1)]))
}

pub(super) fn user(root: KeySpec) -> KeySpec {
    let recent = "Software\\Microsoft\\Windows\\CurrentVersion\\Search\\RecentApps\\{a}";
    root.path(
        recent,
        key(vec![
            ValueSpec::sz("AppId", "C:\\a\\tool.exe"),
            ValueSpec::dword("LaunchCount", 4),
            ValueSpec::qword("LastAccessedTime", TICKS),
        ]),
    )
    .path(
        &format!("{recent}\\RecentItems\\{{b}}"),
        key(vec![ValueSpec::sz("Path", "C:\\a\\text.txt"), ValueSpec::qword("LastAccessedTime", TICKS)]),
    )
    .path("Software\\Microsoft\\Windows\\CurrentVersion\\Search\\RecentApps\\{c}", key(vec![]))
    .path(&format!("{EXPLORER}\\StartupApproved\\Run"), key(vec![ValueSpec::binary("OneDrive", &[6; 12])]))
    .path(
        "Software\\Microsoft\\Windows NT\\CurrentVersion\\AppCompatFlags\\Compatibility Assistant\\Store",
        key(vec![ValueSpec::binary("C:\\setup.exe", b"SACP\x01"), ValueSpec::dword("version", 1)]),
    )
    .path(
        "Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings",
        key(vec![ValueSpec::dword("ProxyEnable", 1)]),
    )
    .path(
        "Software\\Microsoft\\Windows\\ShellNoRoam\\MUICache",
        key(vec![ValueSpec::sz("C:\\a\\tool.exe", "Tool"), ValueSpec::sz("@shell32.dll,-1", "x")]),
    )
}

/// Returns a shell item and the end of its list.
fn listed(item: &[u8]) -> Vec<u8> {
    [&(item.len() as u16 + 2).to_le_bytes()[..], item, &[0, 0]].concat()
}

fn computer() -> Vec<u8> {
    let guid = [0xE0, 0x4F, 0xD0, 0x20, 0xEA, 0x3A, 0x69, 0x10, 0xA2, 0xD8, 8, 0, 0x2B, 0x30, 0x30, 0x9D];
    listed(&[&[0x1F, 0x50][..], &guid].concat())
}

fn drive() -> Vec<u8> {
    listed(&[&b"/C:\\"[..], &[0; 19]].concat())
}

/// Returns a folder item as in Windows 10, with its long name and its `$MFT` reference.
fn folder(short: &str, long: &str) -> Vec<u8> {
    let mut item = vec![0x31, 0, 0, 0, 0, 0, 0x84, 0x40, 0x96, 0x7E, 0x10, 0];
    item.extend(short.as_bytes());
    item.push(0);
    if item.len() % 2 != 0 {
        item.push(0);
    }
    let first = item.len() + 2;
    let mut block = vec![0, 0, 9, 0, 4, 0, 0xEF, 0xBE, 0x81, 0x40, 0, 8, 0x82, 0x40, 0, 0x10, 0x2E, 0];
    block.extend([0, 0, 0x39, 0x30, 0, 0, 0, 0, 7, 0]);
    block.extend([0; 18]);
    block.extend(wide(long));
    block.extend([0, 0]);
    block.extend((first as u16).to_le_bytes());
    let size = block.len() as u16;
    block[..2].copy_from_slice(&size.to_le_bytes());
    item.extend(block);
    listed(&item)
}

fn order(numbers: &[u32]) -> ValueSpec {
    let data: Vec<u8> = numbers.iter().chain([&u32::MAX]).flat_map(|number| number.to_le_bytes()).collect();
    ValueSpec::binary("MRUListEx", &data)
}

/// Builds a `UsrClass.dat` hive.
pub fn classes() -> KeySpec {
    let shell = "Local Settings\\Software\\Microsoft\\Windows\\Shell";
    let of = |name: &str| format!("{shell}\\BagMRU{name}");
    KeySpec::new("ROOT")
        .path(
            &of(""),
            key(vec![
                ValueSpec::binary("0", &computer()),
                ValueSpec::binary("1", &listed(&[0x99, 1])),
                order(&[1, 0]),
            ]),
        )
        .path(
            &of("\\0"),
            key(vec![ValueSpec::binary("0", &drive()), order(&[0]), ValueSpec::dword("NodeSlot", 3)]),
        )
        .path(
            &of("\\0\\0"),
            key(vec![
                ValueSpec::binary("0", &folder("LONGNA~1", "long name")),
                ValueSpec::binary("1", &[9, 0, 0x31]),
                order(&[0]),
            ]),
        )
        .path(&of("\\0\\0\\0"), key(vec![order(&[]), ValueSpec::dword("NodeSlot", 7)]))
        .path(&of("\\1"), key(vec![ValueSpec::binary("0", &folder("SUB", "below unknown"))]))
        .path(
            &format!("{shell}\\MuiCache"),
            key(vec![
                ValueSpec::sz("C:\\b\\app.exe.FriendlyAppName", "App"),
                ValueSpec::sz("C:\\b\\app.exe.ApplicationCompany", "Company"),
                ValueSpec::binary("LangID", &[9, 4]),
            ]),
        )
        .path(
            "CLSID\\{0}\\InprocServer32",
            key(vec![ValueSpec::sz("", "C:\\Users\\Ann\\hook.dll"), ValueSpec::sz("ThreadingModel", "Both")]),
        )
}

/// Builds an `Amcache.hve` hive with both layouts.
pub fn amcache() -> KeySpec {
    let file = vec![
        ValueSpec::sz("LowerCaseLongPath", "c:\\users\\ann\\a.exe"),
        ValueSpec::sz("Name", "a.exe"),
        ValueSpec::sz("FileId", SHA1),
        ValueSpec::sz("LinkDate", "08/02/2019 22:00:40"),
        ValueSpec::qword("Size", 18_944),
        ValueSpec::sz("Publisher", ""),
        ValueSpec::dword("IsOsComponent", 0),
        ValueSpec::qword("Usn", 1_434_632),
    ];
    let root = KeySpec::new("ROOT")
        .path("Root\\InventoryApplicationFile\\a.exe|8b8c", key(file))
        .path(
            "Root\\InventoryApplicationFile\\odd|1",
            key(vec![
                ValueSpec::sz("FileId", "no hash"),
                ValueSpec::sz("LinkDate", "2019"),
                ValueSpec::sz("Size", "0x10"),
            ]),
        )
        .path(
            "Root\\InventoryApplication\\0000f5",
            key(vec![
                ValueSpec::sz("Name", "Tool"),
                ValueSpec::sz("Source", "AddRemoveProgram"),
                ValueSpec::sz("InstallDate", "02/05/2022 00:00:00"),
            ]),
        )
        .path(
            "Root\\InventoryDriverBinary\\c:/windows/system32/drivers/x.sys",
            key(vec![
                ValueSpec::sz("DriverId", SHA1),
                ValueSpec::sz("DriverSigned", "1"),
                ValueSpec::sz("DriverLastWriteTime", "12/07/2019 09:07:53"),
                ValueSpec::dword("ImageSize", 294_912),
            ]),
        )
        .path(
            "Root\\InventoryDevicePnp\\usb/vid_0781&pid_5580/aa01",
            key(vec![ValueSpec::sz("Model", "Extreme"), ValueSpec::sz("InstallDate", "03-10-2022")]),
        )
        .path(
            "Root\\InventoryApplicationShortcut\\tool|4f",
            key(vec![ValueSpec::sz("ShortcutPath", "c:\\users\\ann\\Tool.lnk")]),
        );
    older(root)
}

fn older(root: KeySpec) -> KeySpec {
    root.path(
        "Root\\File\\{8c5bb5b6-0000-0000-0000-100000000000}\\10000ea3c",
        key(vec![
            ValueSpec::sz("15", "C:\\Tools\\b.exe"),
            ValueSpec::sz("101", SHA1),
            ValueSpec::dword("6", 1000),
            ValueSpec::dword("f", 1_333_504_720),
            ValueSpec::qword("11", TICKS),
            ValueSpec::qword("12", 0),
        ]),
    )
    .path(
        "Root\\Programs\\0000aa",
        key(vec![
            ValueSpec::sz("0", "Old tool"),
            ValueSpec::dword("a", 1_333_504_720),
            ValueSpec::multi_sz("Files", &["x", "y"]),
        ]),
    )
}

/// Builds a `SAM` hive that contains only the policy.
pub fn sam() -> KeySpec {
    let mut policy = vec![0; 0x60];
    policy[8..16].copy_from_slice(&ticks());
    policy[0x18..0x20].copy_from_slice(&(-42 * 86_400 * 10_000_000_i64).to_le_bytes());
    policy[0x30..0x38].copy_from_slice(&i64::MIN.to_le_bytes());
    (policy[0x4C], policy[0x50], policy[0x54]) = (1, 7, 5);
    KeySpec::new("ROOT").path("SAM\\Domains\\Account", key(vec![ValueSpec::binary("F", &policy)]))
}

/// Builds a `SECURITY` hive with the names and SIDs of the computer and its workgroup.
pub fn security() -> KeySpec {
    let named = |text: &str| {
        let text = wide(text);
        let length = (text.len() as u16).to_le_bytes();
        ValueSpec::binary("", &[&length[..], &length, &[8, 0, 0, 0], &text].concat())
    };
    let sid = [1, 4, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
    KeySpec::new("ROOT")
        .path("Policy\\PolAcDmN", key(vec![named("WKS-2")]))
        .path("Policy\\PolAcDmS", key(vec![ValueSpec::binary("", &sid)]))
        .path("Policy\\PolPrDmN", key(vec![named("WORKGROUP")]))
        .path("Policy\\PolPrDmS", key(vec![ValueSpec::binary("", &[])]))
}
