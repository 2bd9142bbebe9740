//! The devices behind drive letters and volumes: `MountedDevices` of SYSTEM.

use super::Artifact;
use super::draft::{Draft, record_type, value_path};
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::mounted_device::MountedDevice;
use artifacts::registry::{HiveType, Key, ValueData};
use ledger::FieldType::{Bytes, Guid, Integer, Name, RegistryPath, Size, Text};
use ledger::{FieldValue, Record, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "mounted_device";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "mounted_devices",
    about: "devices behind drive letters and volumes",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "the device behind one drive letter or volume",
        "name",
        &[
            ("name", &[Name], "drive letter or volume, such as \\DosDevices\\C: or \\??\\Volume{…}"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
            ("device", &[Text], "device, where it is stored as a text"),
            ("disk_signature", &[Integer], "signature of the disk in its MBR"),
            ("partition_offset", &[Size], "where the partition begins on that disk, in bytes"),
            ("partition_guid", &[Guid], "GUID of the partition on a GPT disk"),
            ("data", &[Bytes], "the data as stored"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some((key, values)) = reader.key_and_values("MountedDevices") else {
        return ControlFlow::Continue(());
    };
    for held in &values.0 {
        let record = device(reader, &key, held);
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn device(reader: &Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>) -> Record {
    let draft = Draft::of_value(reader, KIND, key, held)
        .value_name(reader, "name", held, FieldValue::Name)
        .set("value_path", value_path(key, held), None);
    if held.value.data != ValueData::Bytes {
        return draft.unfit(held, "binary data").done();
    }
    let draft = draft.bytes("data", held);
    let draft = match MountedDevice::read(&held.value.raw) {
        MountedDevice::Mbr { signature, offset } => draft
            .set("disk_signature", FieldValue::Integer(signature.into()), held.part(0, 4))
            .set("partition_offset", FieldValue::Size(offset), held.part(4, 8)),
        MountedDevice::Gpt { partition } => {
            draft.set("partition_guid", FieldValue::Guid(partition), held.part(8, 16))
        }
        MountedDevice::Text(text) => draft.set("device", FieldValue::Text(text), held.at()),
        MountedDevice::Unknown => draft.unfit(held, "a text, an MBR partition or a GPT partition"),
    };
    draft.done()
}
