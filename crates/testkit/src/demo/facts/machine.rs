//! Facts in the SYSTEM hive: the machine, its network, its sticks, its services.

use super::{Hive, SYSTEM, text, time};
use crate::demo::story::*;
use crate::demo::system::device_path;
use crate::demo::truth::{Datum, Fact};

/// Returns these facts.
pub(crate) fn all() -> Vec<Fact> {
    [named(), connected(), services(), stick(), old_stick()].concat()
}

fn named() -> Vec<Fact> {
    const CONTROL: &str = "ControlSet001\\Control";
    Hive::new(SYSTEM)
        .value("control-set", "Which control set is in use?", "Select", "Current", vec![Datum::Number(1)])
        .value(
            "computer-name",
            "What is the computer's name?",
            &format!("{CONTROL}\\ComputerName\\ComputerName"),
            "ComputerName",
            vec![text(HOST)],
        )
        .value(
            "time-zone",
            "Which time zone is configured?",
            &format!("{CONTROL}\\TimeZoneInformation"),
            "TimeZoneKeyName",
            vec![text(ZONE)],
        )
        .value(
            "shutdown",
            "When was it last shut down?",
            &format!("{CONTROL}\\Windows"),
            "ShutdownTime",
            vec![time(SHUTDOWN)],
        )
        .value(
            "remote-desktop",
            "Is remote desktop allowed?",
            &format!("{CONTROL}\\Terminal Server"),
            "fDenyTSConnections",
            vec![Datum::Number(0)],
        )
        .facts
}

fn connected() -> Vec<Fact> {
    const ADAPTERS: &str = "ControlSet001\\Control\\Network\\{4D36E972-E325-11CE-BFC1-08002BE10318}";
    const TCPIP: &str = "ControlSet001\\Services\\Tcpip\\Parameters";
    let adapters = format!("{ADAPTERS}\\{WIFI}\\Connection");
    Hive::new(SYSTEM)
        .value("host-name", "What is its TCP/IP host name?", TCPIP, "Hostname", vec![text(HOST)])
        .value("domain", "What is its DNS domain?", TCPIP, "Domain", vec![text(DOMAIN)])
        .key(
            "ethernet",
            "Which address did the cable have, and since when?",
            &format!("{TCPIP}\\Interfaces\\{ETHERNET}"),
            vec![text(ETHERNET_ADDRESS), time(MORNING)],
        )
        .key(
            "wifi",
            "Which address did the radio have, and since when?",
            &format!("{TCPIP}\\Interfaces\\{WIFI}"),
            vec![text(WIFI_ADDRESS), time(CAFE_FIRST)],
        )
        .value("wifi-name", "What is that connection called?", &adapters, "Name", vec![text("Wi-Fi")])
        .facts
}

fn services() -> Vec<Fact> {
    let service = format!("ControlSet001\\Services\\{SERVICE}");
    Hive::new(SYSTEM)
        .value(
            "share",
            "Which folder is shared?",
            "ControlSet001\\Services\\LanmanServer\\Shares",
            SHARE,
            vec![text(SHARE_PATH)],
        )
        .value(
            "name-service",
            "Which library does the DNS client load?",
            "ControlSet001\\Services\\Dnscache\\Parameters",
            "ServiceDll",
            vec![text("%SystemRoot%\\System32\\dnsrslvr.dll")],
        )
        .key(
            "service",
            "Which service starts the fake program?",
            &service,
            vec![text(SERVICE_TITLE), text(SERVICE_COMMAND), Datum::Number(2)],
        )
        .key("service-made", "When was it made?", &service, vec![time(SERVICE_MADE.key_write())])
        .value(
            "program-ran",
            "When did the fake program last run?",
            &format!("ControlSet001\\Services\\bam\\State\\UserSettings\\{}", local_sid(MARA_RID)),
            &device_path(PROGRAM),
            vec![text(&device_path(PROGRAM)), time(PROGRAM_RAN)],
        )
        .facts
}

fn disk(model: &str, serial: &str) -> String {
    format!("ControlSet001\\Enum\\USBSTOR\\{model}\\{serial}")
}

/// The key of a device's times.
const TIMES: &str = "Properties\\{83da6326-97a6-4088-9453-a1923f573b29}";

fn stick() -> Vec<Fact> {
    let new = disk(STICK_MODEL, STICK_SERIAL);
    Hive::new(SYSTEM)
        .key("stick", "Which stick was connected last?", &new, vec![text(STICK_NAME), text(STICK_SERIAL)])
        .value(
            "stick-connected",
            "When was it first connected?",
            &format!("{new}\\{TIMES}\\0064"),
            "",
            vec![time(STICK_IN)],
        )
        .value(
            "stick-removed",
            "When was it removed?",
            &format!("{new}\\{TIMES}\\0067"),
            "",
            vec![time(STICK_OUT)],
        )
        .value(
            "stick-letter",
            "Which drive letter did it have?",
            "MountedDevices",
            "\\DosDevices\\E:",
            vec![text("\\DosDevices\\E:"), text(STICK_SERIAL)],
        )
        .facts
}

fn old_stick() -> Vec<Fact> {
    let old = disk(OLD_STICK_MODEL, OLD_STICK_SERIAL);
    Hive::new(SYSTEM)
        .key(
            "old-stick",
            "Which other stick was used?",
            &old,
            vec![text(OLD_STICK_NAME), text(OLD_STICK_SERIAL)],
        )
        .value(
            "old-stick-first",
            "When was the other stick first connected?",
            &format!("{old}\\{TIMES}\\0064"),
            "",
            vec![time(OLD_STICK_FIRST)],
        )
        .value(
            "old-stick-last",
            "When was the other stick last connected?",
            &format!("{old}\\{TIMES}\\0066"),
            "",
            vec![time(OLD_STICK_LAST)],
        )
        .facts
}
