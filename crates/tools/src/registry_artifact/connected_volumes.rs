//! Labels, serial numbers and drive letters of connected volumes, from portable devices, ReadyBoost's tests and the search index.
//!
//! Source: Harlan Carvey, "Windows Registry Forensics" (2016), sections on USB devices; SANS, "USB Device Forensics".

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Integer, Name, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "connected_volume";

const PORTABLE: &str = "Microsoft\\Windows Portable Devices\\Devices";
const READY_BOOST: &str = "Microsoft\\Windows NT\\CurrentVersion\\EMDMgmt";
const SEARCH: &str = "Microsoft\\Windows Search\\VolumeInfoCache";
const BUS: [&str; 2] = ["Enum\\SWD\\WPDBUSENUM", "Enum\\WpdBusEnumRoot\\UMB"];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "connected_volumes",
    about: "labels, volume serial numbers and drive letters of removable volumes and portable devices that were connected",
    hives: &[HiveType::Software, HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one volume or portable device that Windows has met, in one of the lists that keep its label; the list of the search holds fixed drives, too",
        "device",
        &[
            ("device", &[Name], "id of the device or the drive, as the name of the key writes it"),
            ("source", &[Name], "list: portable_devices, ready_boost, search or device_bus"),
            ("serial", &[Name], "serial number of the USB device, out of the id"),
            (
                "label",
                &[Text],
                "label of the volume, name of the device, or drive letter where there was no label",
            ),
            ("volume_serial", &[Name], "serial number of the volume in eight hexadecimal digits"),
            ("drive", &[Name], "drive letter"),
            ("drive_type", &[Integer], "kind of drive: 2 removable, 3 fixed, 4 network, 5 optical"),
            (
                "last_tested",
                &[Time],
                "when ReadyBoost last tested the volume, which it does when it is connected",
            ),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (software, system) = (is(HiveType::Software), is(HiveType::System));
    if software {
        each(reader, PORTABLE, "portable_devices", |reader, draft, key| {
            draft.text("label", reader.values(key).get("FriendlyName"), FieldValue::Text)
        })?;
        each(reader, READY_BOOST, "ready_boost", ready_boost)?;
        each(reader, SEARCH, "search", |reader, draft, key| {
            let values = reader.values(key);
            let at = key_name(reader.bytes, key.offset);
            let label = values.get("VolumeLabel").filter(|held| held.value.raw.iter().any(|byte| *byte != 0));
            draft
                .set("drive", FieldValue::Name(key.name.clone()), at)
                .text("label", label, FieldValue::Text)
                .number("drive_type", values.get("DriveType"))
        })?;
    }
    let set = if system { reader.control_set() } else { None };
    for path in BUS {
        let Some(bus) = set.as_ref().and_then(|set| reader.below(set, path)) else { continue };
        below(reader, &bus, "device_bus", |reader, draft, key| {
            draft.text("label", reader.values(key).get("FriendlyName"), FieldValue::Text)
        })?;
    }
    ControlFlow::Continue(())
}

fn each<'c, 'h>(
    reader: &mut Reader<'c, 'h>,
    path: &str,
    source: &str,
    fill: impl Fn(&mut Reader<'c, 'h>, Draft, &Key<'h>) -> Draft,
) -> Flow {
    match reader.key(path) {
        Some(list) => below(reader, &list, source, fill),
        None => ControlFlow::Continue(()),
    }
}

/// Makes a record for each subkey; `fill` adds its content.
fn below<'c, 'h>(
    reader: &mut Reader<'c, 'h>,
    list: &Key<'h>,
    source: &str,
    fill: impl Fn(&mut Reader<'c, 'h>, Draft, &Key<'h>) -> Draft,
) -> Flow {
    for key in reader.children(list) {
        let draft = Draft::of_key(reader, KIND, &key)
            .key_name(reader, "device", &key, FieldValue::Name)
            .set("source", FieldValue::Name(source.to_owned()), None)
            .maybe("serial", serial(&key.name).map(|serial| FieldValue::Name(serial.to_owned())), None);
        let record = fill(reader, draft, &key).done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

/// Reads a ReadyBoost test. Its key is named after the device, its label, `_` and the volume's serial number in decimal digits.
fn ready_boost<'h>(reader: &mut Reader<'_, 'h>, draft: Draft, key: &Key<'h>) -> Draft {
    let values = reader.values(key);
    let tested = values.get("LastTestedTime").filter(|held| held.value.raw.iter().any(|byte| *byte != 0));
    let draft = draft.filetime("last_tested", tested);
    let Some((device, number)) = key.name.rsplit_once('_') else { return draft };
    let label = device.rsplit_once('}').map_or(device, |(_, label)| label);
    let draft = draft.maybe(
        "label",
        Some(label).filter(|label| !label.is_empty()).map(|label| FieldValue::Text(label.to_owned())),
        None,
    );
    let number = number.parse::<u32>().ok().map(|number| FieldValue::Name(format!("{number:08X}")));
    draft.maybe("volume_serial", number, None)
}

/// Returns the serial number of a USB device in an id with parts separated by `#`; an id that Windows made up has none.
fn serial(id: &str) -> Option<&str> {
    let upper = id.to_ascii_uppercase();
    let start = upper.find("USBSTOR#").or_else(|| upper.find("USB#"))?;
    let part = id.get(start..)?.split('#').nth(2)?;
    let made = part.chars().nth(1) == Some('&');
    let bare = part.rsplit_once('&').map_or(part, |(serial, _)| serial);
    Some(bare).filter(|bare| !bare.is_empty() && !made)
}
