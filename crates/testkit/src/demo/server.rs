//! The file server: what a triage collected from it, in Velociraptor's upload layout.

use super::DemoFile;
use super::parts::{at, dated, lines};
use super::shell::Used;
use super::story::*;
use super::users::{EXPLORER, user};
use crate::hive::{KeySpec, ValueSpec as Value};

/// The folder for its drive C.
pub(crate) const DRIVE: &str = "uploads/auto/C%3A";
pub(crate) const SYSTEM: &str = "uploads/auto/C%3A/Windows/System32/config/SYSTEM";
pub(crate) const USER_HIVE: &str = "uploads/auto/C%3A/Users/svc-backup/NTUSER.DAT";
pub(crate) const TYPED: &str = "uploads/auto/C%3A/Users/svc-backup/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt";
const CLIENT: &str = "client_info.json";

/// Builds everything that was collected.
pub(crate) fn files() -> Vec<DemoFile> {
    let typed = ["hostname", "Get-SmbShare", SERVER_COMMAND, SERVER_COPY, "logoff"];
    vec![
        DemoFile::new(CLIENT, format!("{{\"hostname\": \"{SERVER}\"}}\n").into_bytes()),
        super::hive(SYSTEM, "SYSTEM", system()),
        super::hive(USER_HIVE, "\\??\\C:\\Users\\svc-backup\\ntuser.dat", backup_user()),
        DemoFile::new(TYPED, lines(&typed)),
        DemoFile::new(
            &format!("{DRIVE}/Windows/System32/drivers/etc/hosts"),
            lines(&["# Nothing here: names come from the name server."]),
        ),
    ]
}

fn system() -> KeySpec {
    let select = at(SERVER_INSTALLED)
        .value(Value::dword("Current", 1))
        .value(Value::dword("Default", 1))
        .value(Value::dword("Failed", 0))
        .value(Value::dword("LastKnownGood", 1));
    let zone = at(SERVER_INSTALLED)
        .value(Value::dword("Bias", 0xffff_ffc4))
        .value(Value::sz("TimeZoneKeyName", ZONE));
    let tcpip = at(SERVER_INSTALLED).value(Value::sz("Hostname", SERVER)).value(Value::sz("Domain", DOMAIN));
    let card = at(SERVER_INSTALLED)
        .value(Value::dword("EnableDHCP", 0))
        .value(Value::multi_sz("IPAddress", &[FILE_SERVER]))
        .value(Value::multi_sz("SubnetMask", &["255.255.255.0"]));
    let remote = at(SERVER_INSTALLED).value(Value::dword("fDenyTSConnections", 0));
    let set = at(SERVER_SHUTDOWN)
        .path(
            "Control\\ComputerName\\ComputerName",
            at(SERVER_INSTALLED).value(Value::sz("ComputerName", SERVER)),
        )
        .path("Control\\TimeZoneInformation", zone)
        .path(
            "Control\\Windows",
            at(SERVER_SHUTDOWN).value(Value::binary("ShutdownTime", &SERVER_SHUTDOWN.bytes())),
        )
        .path("Control\\Terminal Server", remote)
        .path("Services\\Tcpip\\Parameters", tcpip)
        .path(&format!("Services\\Tcpip\\Parameters\\Interfaces\\{SERVER_CARD}"), card);
    dated(KeySpec::new("ROOT").path("ControlSet001", set).path("Select", select), SERVER_INSTALLED)
}

fn backup_user() -> KeySpec {
    let program = Used { name: CONSOLE, runs: 1, focused: 4, focus_time: 211_870, last: SERVER_STARTED };
    let root = user()
        .path(&format!("{EXPLORER}\\TypedPaths"), at(SERVER_LOOKED).value(Value::sz("url1", SERVER_FOLDER)));
    dated(super::users::used(root, super::users::PROGRAMS, &[program], SERVER_STARTED), SERVER_INSTALLED)
}
