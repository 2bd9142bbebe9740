//! The registry agent: what the computer is, who uses it, and how it is set up.

use super::hives::{UNIX_TIME, key, sam, sam_of_nobody, software, system, system_beside, system_of_two};
use super::{Folder, Trial, investigated, meeting, shipped};
use crate::support::Place;
use testkit::hive::{KeySpec, ValueSpec as Value};

pub(super) const TRIALS: &[Trial] = &[
    Trial { objective: "computer-name", tempting: names_elsewhere, answering: computer_name },
    Trial { objective: "operating-system", tempting: replaced_windows, answering: present_windows },
    Trial { objective: "time-zone", tempting: a_zone_of_another_control_set, answering: time_zone },
    Trial { objective: "users", tempting: profiles_of_no_user, answering: profile },
    Trial { objective: "accounts", tempting: groups_only, answering: account },
    Trial { objective: "network", tempting: interfaces_without_an_address, answering: leased_address },
    Trial { objective: "hidden-accounts", tempting: accounts_that_are_shown, answering: hidden_account },
    Trial {
        objective: "remote-desktop",
        tempting: remote_desktop_refused,
        answering: remote_desktop_allowed,
    },
];

const NT: &str = "Microsoft\\Windows NT\\CurrentVersion";

fn named(set: KeySpec) -> KeySpec {
    let name = key().value(Value::sz("ComputerName", "FIN-WS-07"));
    set.path("Control\\ComputerName\\ComputerName", name)
}

/// A name that is only in the other control set, a host name, an empty name, and a text file with a name.
fn names_elsewhere(at: &Folder<'_>) {
    let hostname = key().value(Value::sz("Hostname", "FIN-WS-07")).value(Value::sz("Domain", "corp.example"));
    let current = key()
        .path("Services\\Tcpip\\Parameters", hostname)
        .path("Control\\ComputerName\\ComputerName", key().value(Value::sz("ComputerName", "")));
    at.file("C/Windows/System32/config/SYSTEM", system_of_two(current, named(key())));
    at.file(
        "C/computer_name.reg",
        "[HKLM\\SYSTEM\\Control\\ComputerName]\r\n\"ComputerName\"=\"FIN-WS-07\"\r\n",
    );
}

fn computer_name(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SYSTEM", system(named(key())));
}

/// A version that an upgrade replaced, and a current one without a name.
fn replaced_windows(at: &Folder<'_>) {
    let replaced = key()
        .value(Value::sz("ProductName", "Windows 7 Professional"))
        .value(Value::sz("CurrentBuild", "7601"))
        .value(Value::dword("InstallDate", UNIX_TIME));
    at.file(
        "C/Windows/System32/config/SYSTEM",
        system_beside("Setup\\Source OS (Updated on 9/16/2025 11:47:31)", replaced),
    );
    let present = key().value(Value::sz("CurrentBuild", "19045")).value(Value::sz("ProductName", ""));
    at.file("C/Windows/System32/config/SOFTWARE", software([(NT, present)]));
}

fn present_windows(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/config/SOFTWARE",
        software([(NT, key().value(Value::sz("ProductName", "Windows 10 Pro")))]),
    );
}

/// A time zone that is only in the other control set.
fn a_zone_of_another_control_set(at: &Folder<'_>) {
    const ZONE: &str = "Control\\TimeZoneInformation";
    let rest = key().value(Value::dword("DynamicDaylightTimeDisabled", 0));
    let whole = key()
        .value(Value::sz("TimeZoneKeyName", "W. Europe Standard Time"))
        .value(Value::dword("ActiveTimeBias", 0xffff_ff88));
    at.file(
        "C/Windows/System32/config/SYSTEM",
        system_of_two(key().path(ZONE, rest), key().path(ZONE, whole)),
    );
}

fn time_zone(at: &Folder<'_>) {
    let zone = key().value(Value::dword("ActiveTimeBias", 0xffff_ff88));
    at.file("C/Windows/System32/config/SYSTEM", system(key().path("Control\\TimeZoneInformation", zone)));
}

fn profiles(users: &[(&str, Option<&str>)]) -> Vec<u8> {
    let list = users.iter().fold(key(), |list, (sid, folder)| {
        let profile =
            folder.map_or(key(), |folder| key().value(Value::expand_sz("ProfileImagePath", folder)));
        list.path(sid, profile)
    });
    software([(&format!("{NT}\\ProfileList"), list)])
}

/// The service profiles that every Windows has, a profile without a folder, and one without a SID.
fn profiles_of_no_user(at: &Folder<'_>) {
    let users = [
        ("S-1-5-18", Some("%systemroot%\\system32\\config\\systemprofile")),
        ("S-1-5-19", Some("%systemroot%\\ServiceProfiles\\LocalService")),
        ("S-1-5-20", Some("%systemroot%\\ServiceProfiles\\NetworkService")),
        ("S-1-5-21-1004-2004-3004-1001", None),
        ("mara", Some("C:\\Users\\mara")),
    ];
    at.file("C/Windows/System32/config/SOFTWARE", profiles(&users));
}

fn profile(at: &Folder<'_>) {
    at.file(
        "C/Windows/System32/config/SOFTWARE",
        profiles(&[("S-1-5-21-1004-2004-3004-1001", Some("C:\\Users\\mara"))]),
    );
}

/// Groups without accounts.
fn groups_only(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SAM", sam_of_nobody());
}

fn account(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SAM", sam(0, 0));
}

fn interface(values: KeySpec) -> KeySpec {
    const INTERFACE: &str = "Services\\Tcpip\\Parameters\\Interfaces\\{8c2f0e5a-1b3d-4c6e-9f70-2a4b6c8d0e1f}";
    key().path(INTERFACE, values)
}

fn leased(address: &str) -> KeySpec {
    interface(key().value(Value::dword("EnableDHCP", 1)).value(Value::sz("DhcpIPAddress", address)))
}

/// An interface that was never connected, addresses of 0.0.0.0, and an address that is only in the other control set.
fn interfaces_without_an_address(at: &Folder<'_>) {
    let unconnected = key().value(Value::dword("EnableDHCP", 1)).value(Value::sz("NameServer", ""));
    at.file(
        "C/Windows/System32/config/unconnected/SYSTEM",
        system_of_two(interface(unconnected), leased("10.20.4.31")),
    );
    at.file("C/Windows/System32/config/released/SYSTEM", system(leased("0.0.0.0")));
    let by_hand = key()
        .value(Value::multi_sz("IPAddress", &["0.0.0.0"]))
        .value(Value::multi_sz("SubnetMask", &["0.0.0.0"]));
    at.file("C/Windows/System32/config/by-hand/SYSTEM", system(interface(by_hand)));
}

fn leased_address(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SYSTEM", system(leased("10.20.4.31")));
}

fn shown_accounts(path: &str, shown: u32) -> Vec<u8> {
    software([(path, key().value(Value::dword("svc-backup", shown)))])
}

const USER_LIST: &str = "Microsoft\\Windows NT\\CurrentVersion\\Winlogon\\SpecialAccounts\\UserList";

/// An account that is shown, and a list with another name.
fn accounts_that_are_shown(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/shown/SOFTWARE", shown_accounts(USER_LIST, 1));
    at.file(
        "C/Windows/System32/config/other/SOFTWARE",
        shown_accounts("Microsoft\\Windows NT\\CurrentVersion\\Winlogon\\UserList", 0),
    );
}

fn hidden_account(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SOFTWARE", shown_accounts(USER_LIST, 0));
}

fn remote_desktop(denied: u32) -> KeySpec {
    let server = key()
        .value(Value::dword("fDenyTSConnections", denied))
        .value(Value::dword("fSingleSessionPerUser", 0));
    key().path("Control\\Terminal Server", server)
}

/// Denied in the current control set, allowed in the other one.
fn remote_desktop_refused(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SYSTEM", system_of_two(remote_desktop(1), remote_desktop(0)));
}

fn remote_desktop_allowed(at: &Folder<'_>) {
    at.file("C/Windows/System32/config/SYSTEM", system(remote_desktop(0)));
}

/// SIDs of Microsoft Entra ID begin with S-1-12-1.
#[test]
fn the_profile_of_a_user_of_entra_id_is_one() {
    let place = Place::new();
    let user = ("S-1-12-1-1004-2004-3004-4004", Some("C:\\Users\\mara"));
    place.file("evidence/C/Windows/System32/config/SOFTWARE", profiles(&[user]));
    let (finished, run) = investigated(&place, &shipped("registry"), &place.path("evidence"));
    assert_eq!(meeting(&finished, &run, "users").len(), 1);
}
