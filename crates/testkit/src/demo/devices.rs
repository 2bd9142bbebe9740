//! The devices in the SYSTEM hive: two USB sticks and the mounted volumes.

use super::clock::Time;
use super::parts::{at, guid, utf16};
use super::story::*;
use crate::hive::{KeySpec, ValueSpec as Value};

/// The property set with a device's times.
const TIMES: &str = "{83da6326-97a6-4088-9453-a1923f573b29}";
/// The type of such a property in the registry: `DEVPROP_TYPE_FILETIME` with the property marker.
const PROPERTY_FILETIME: u32 = 0xffff_0010;
/// The interface class of disks.
const DISKS: &str = "{53f56307-b6bf-11d0-94f2-00a0c91efb8b}";

struct Stick {
    model: &'static str,
    serial: &'static str,
    name: &'static str,
    vendor: &'static str,
    first: Time,
    arrived: Time,
    removed: Time,
}

const STICKS: [Stick; 2] = [
    Stick {
        model: OLD_STICK_MODEL,
        serial: OLD_STICK_SERIAL,
        name: OLD_STICK_NAME,
        vendor: "VID_0781&PID_5581",
        first: OLD_STICK_FIRST,
        arrived: OLD_STICK_LAST,
        removed: OLD_STICK_OUT,
    },
    Stick {
        model: STICK_MODEL,
        serial: STICK_SERIAL,
        name: STICK_NAME,
        vendor: "VID_0951&PID_1666",
        first: STICK_IN,
        arrived: STICK_IN,
        removed: STICK_OUT,
    },
];

/// Adds `Enum`, with the sticks as disks and as USB devices.
pub(crate) fn enumerated(set: KeySpec) -> KeySpec {
    STICKS.iter().fold(set, |set, stick| {
        let disk = format!("Enum\\USBSTOR\\{}\\{}", stick.model, stick.serial);
        let times = format!("{disk}\\Properties\\{TIMES}");
        let serial = stick.serial.trim_end_matches("&0");
        let key = at(stick.first)
            .value(Value::sz("FriendlyName", stick.name))
            .value(Value::sz("Class", "DiskDrive"))
            .value(Value::dword("Capabilities", 0x10))
            .value(Value::multi_sz("HardwareID", &[&format!("USBSTOR\\{}", stick.model), "GenDisk"]))
            .value(Value::sz("Service", "disk"));
        let usb = at(stick.first)
            .value(Value::sz("DeviceDesc", "USB Mass Storage Device"))
            .value(Value::sz("Service", "USBSTOR"));
        [
            ("0064", stick.first, stick.first),
            ("0065", stick.first, stick.first),
            ("0066", stick.arrived, stick.arrived),
            ("0067", stick.removed, stick.removed),
        ]
        .iter()
        .fold(set.path(&disk, key), |set, (property, time, written)| {
            let value = Value::raw("", PROPERTY_FILETIME, &time.bytes());
            set.path(&format!("{times}\\{property}"), at(*written).value(value))
        })
        .path(&format!("Enum\\USB\\{}\\{serial}", stick.vendor), usb)
    })
}

/// Builds `MountedDevices`: a GPT partition, an MBR partition, and the sticks by their device names.
pub(crate) fn mounted() -> KeySpec {
    let mut gpt = b"DMIO:ID:".to_vec();
    gpt.extend(guid("{0f6d7a52-6c1e-4b0f-9a57-1f0f3f6f8c21}"));
    let mut mbr = 0x9b2e_51c7_u32.to_le_bytes().to_vec();
    mbr.extend((2_048_u64 * 512).to_le_bytes());
    let stick = |model: &str, serial: &str| utf16(&format!("_??_USBSTOR#{model}#{serial}#{DISKS}"));
    let planted = stick(STICK_MODEL, STICK_SERIAL);
    let system_volume = "{0f6d7a52-6c1e-4b0f-9a57-1f0f3f6f8c21}";
    at(STICK_IN)
        .value(Value::binary("\\DosDevices\\C:", &gpt))
        .value(Value::binary(&format!("\\??\\Volume{system_volume}"), &gpt))
        .value(Value::binary("\\DosDevices\\D:", &mbr))
        .value(Value::binary("\\DosDevices\\E:", &planted))
        .value(Value::binary(
            &format!("\\??\\Volume{OLD_STICK_VOLUME}"),
            &stick(OLD_STICK_MODEL, OLD_STICK_SERIAL),
        ))
        .value(Value::binary(&format!("\\??\\Volume{STICK_VOLUME}"), &planted))
}
