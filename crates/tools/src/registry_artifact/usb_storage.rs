//! USB storage that was connected: `Enum\USBSTOR` of the active control set, and devices of `Enum\USB` that it does not list.
//!
//! Times are device properties of the set {83da6326-97a6-4088-9453-a1923f573b29}, numbers 0x64 to 0x67
//! (`DEVPKEY_Device_InstallDate`, `_FirstInstallDate`, `_LastArrivalDate`, `_LastRemovalDate` of the Windows SDK's `devpkey.h`):
//! since Windows 8 the default value of a key named by the number, in Windows 7 the value `Data` two levels below.
//! For a device without a serial number, Windows makes up an id whose second character is `&`
//! (Microsoft Learn, "Instance IDs" and "Standard USB Identifiers").
//! Layout of the keys according to Joachim Metz, "Windows Registry knowledge base", section "USB storage".

use super::Artifact;
use super::draft::{Draft, TextField, record_type};
use super::reader::Reader;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Guid, Name, Text, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

const KIND: &str = "usb_device";
const PROPERTIES: &str = "Properties\\{83da6326-97a6-4088-9453-a1923f573b29}";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "usb_storage",
    about: "USB storage and other USB devices that were connected, with serial numbers and times",
    hives: &[HiveType::System],
    records,
    read,
};

const TEXTS: &[TextField] = &[
    ("friendly_name", "FriendlyName", FieldValue::Text),
    ("description", "DeviceDesc", FieldValue::Text),
    ("manufacturer", "Mfg", FieldValue::Text),
    ("service", "Service", FieldValue::Name),
    ("container_id", "ContainerID", FieldValue::Guid),
    ("parent_prefix", "ParentIdPrefix", FieldValue::Name),
    ("location", "LocationInformation", FieldValue::Text),
];

const TIMES: [(&str, &str); 4] = [
    ("install_time", "0064"),
    ("first_install_time", "0065"),
    ("last_arrival_time", "0066"),
    ("last_removal_time", "0067"),
];

/// Fields from the parts of a device id, by the prefix of the part.
const PARTS: [(&str, &str); 5] =
    [("Ven_", "vendor"), ("Prod_", "product"), ("Rev_", "revision"), ("VID_", "vid"), ("PID_", "pid")];

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one USB device that was connected to the host",
        "device",
        &[
            ("device", &[Name], "device id and instance id, below USBSTOR or USB"),
            ("bus", &[Name], "where it is listed: USBSTOR for storage, USB for every device"),
            ("device_id", &[Name], "id of the kind of device, with vendor, product and revision"),
            ("instance_id", &[Name], "id of this very device"),
            ("serial", &[Name], "serial number, where the device has one"),
            ("device_type", &[Name], "kind of storage, such as Disk or CdRom"),
            ("vendor", &[Name], "vendor"),
            ("product", &[Name], "product"),
            ("revision", &[Name], "revision"),
            (
                "vid",
                &[Name],
                "number of the vendor in hex digits; for storage from the USB device of the same serial number",
            ),
            (
                "pid",
                &[Name],
                "number of the product in hex digits; for storage from the USB device of the same serial number",
            ),
            ("friendly_name", &[Text], "name that is shown"),
            ("description", &[Text], "description, often a resource and a text"),
            ("manufacturer", &[Text], "manufacturer, often a resource and a text"),
            ("service", &[Name], "driver"),
            ("container_id", &[Guid], "GUID that all parts of one device share"),
            ("parent_prefix", &[Name], "prefix of the ids of what lies below the device"),
            ("location", &[Text], "port and hub"),
            ("install_time", &[Time], "when the driver was last installed for the device"),
            ("first_install_time", &[Time], "when the device was first installed"),
            ("last_arrival_time", &[Time], "when the device was last connected"),
            ("last_removal_time", &[Time], "when the device was last removed"),
        ],
    )]
}

/// Device ids in `Enum\USB`, by lower-case serial number.
type UsbIds = BTreeMap<String, String>;

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    let Some(list) = reader.below(&set, "Enum") else { return ControlFlow::Continue(()) };
    let storage = instances(reader, &list, "USBSTOR");
    let all = instances(reader, &list, "USB");
    let known =
        |(device, key): &(Key<'_>, Key<'_>)| Some((serial(key)?.to_ascii_lowercase(), device.name.clone()));
    let usb_ids: UsbIds = all.iter().filter_map(known).collect();
    let mut listed = BTreeSet::new();
    for (device, key) in storage {
        listed.extend(serial(&key).map(str::to_ascii_lowercase));
        let usb_id = serial(&key).and_then(|serial| usb_ids.get(&serial.to_ascii_lowercase()));
        push(reader, "USBSTOR", &device, &key, usb_id)?;
    }
    for (device, key) in all {
        let is_device = device.name.to_ascii_uppercase().starts_with("VID_");
        let is_listed = serial(&key).is_some_and(|serial| listed.contains(&serial.to_ascii_lowercase()));
        if is_device && !is_listed {
            push(reader, "USB", &device, &key, None)?;
        }
    }
    ControlFlow::Continue(())
}

/// Returns the devices on a bus, with their instances.
fn instances<'h>(reader: &mut Reader<'_, 'h>, list: &Key<'h>, bus: &str) -> Vec<(Key<'h>, Key<'h>)> {
    let mut found = Vec::new();
    let Some(bus) = reader.below(list, bus) else { return found };
    for device in reader.children(&bus) {
        let instances = reader.children(&device);
        found.extend(instances.into_iter().map(|instance| (device.clone(), instance)));
    }
    found
}

fn push<'h>(
    reader: &mut Reader<'_, 'h>,
    bus: &str,
    device: &Key<'h>,
    key: &Key<'h>,
    usb_id: Option<&String>,
) -> Flow {
    let values = reader.values(key);
    let path = format!("{}\\{}", device.name, key.name);
    let mut draft = Draft::of_key(reader, KIND, key)
        .set("device", FieldValue::Name(path), None)
        .set("bus", FieldValue::Name(bus.to_owned()), None)
        .key_name(reader, "device_id", device, FieldValue::Name)
        .key_name(reader, "instance_id", key, FieldValue::Name)
        .texts(&values, TEXTS);
    if let Some(serial) = serial(key) {
        let at = key_name(reader.bytes, key.offset).map(|at| start_of(at, &key.name, serial));
        draft = draft.set("serial", FieldValue::Name(serial.to_owned()), at);
    }
    for part in device.name.split('&').chain(usb_id.map(|id| id.split('&')).into_iter().flatten()) {
        draft = id_part(draft, part);
    }
    if let Some(kind) = device.name.split('&').next().filter(|_| bus == "USBSTOR") {
        draft = draft.set("device_type", FieldValue::Name(kind.to_owned()), None);
    }
    let properties = reader.below(key, PROPERTIES);
    for (field, number) in TIMES {
        let Some(properties) = &properties else { break };
        draft = property(reader, draft, properties, field, number);
    }
    reader.push(draft.done())
}

fn id_part(draft: Draft, part: &str) -> Draft {
    let found = PARTS.iter().find_map(|(prefix, field)| {
        let (start, rest) = part.split_at_checked(prefix.len())?;
        (start.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some((*field, rest))
    });
    match found {
        Some((field, rest)) => draft.set(field, FieldValue::Name(rest.to_owned()), None),
        None => draft,
    }
}

fn property<'h>(
    reader: &mut Reader<'_, 'h>,
    draft: Draft,
    properties: &Key<'h>,
    field: &str,
    number: &str,
) -> Draft {
    if let Some(key) = reader.below(properties, number) {
        return draft.filetime(field, reader.values(&key).get(""));
    }
    match reader.below(properties, &format!("0000{number}\\00000000")) {
        Some(key) => draft.filetime(field, reader.values(&key).get("Data")),
        None => draft,
    }
}

/// Returns the serial number in an instance id: the text before its last `&`, unless Windows made up the id.
fn serial<'k>(key: &'k Key<'_>) -> Option<&'k str> {
    if key.name.chars().nth(1) == Some('&') {
        return None;
    }
    let serial = key.name.rsplit_once('&').map_or(key.name.as_str(), |(serial, _)| serial);
    Some(serial).filter(|serial| !serial.is_empty())
}

/// Returns the place of the start of a name: names are stored with one byte per character, or with two per UTF-16 unit.
fn start_of(name_at: ByteSpan, name: &str, start: &str) -> ByteSpan {
    let units = |text: &str| text.encode_utf16().count() as u64;
    let width = if name_at.length == units(name) { 1 } else { 2 };
    ByteSpan::new(name_at.offset, units(start).saturating_mul(width).min(name_at.length))
}
