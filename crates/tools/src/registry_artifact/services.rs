//! Services and drivers of the active control set.
//!
//! Numbers of `Start` and `Type`: Microsoft Learn, `CreateServiceW` and "HKLM\SYSTEM\CurrentControlSet\Services registry tree".

use super::Artifact;
use super::draft::{Draft, TextField, number, record_type};
use super::reader::Reader;
use super::values::{Held, Values};
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Flag, Integer, Name, Path, Text, Time};
use ledger::{ByteSpan, FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "service";
const DELETED: &str = "deleted_service";
const INERT: &str = "inert_service";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "services",
    about: "services and drivers: what they run, how they start, as whom",
    hives: &[HiveType::System],
    records,
    read,
};

const TEXTS: &[TextField] = &[
    ("display_name", "DisplayName", FieldValue::Text),
    ("image_path", "ImagePath", FieldValue::Text),
    ("account", "ObjectName", FieldValue::Name),
    ("description", "Description", FieldValue::Text),
    ("group", "Group", FieldValue::Name),
    ("failure_command", "FailureCommand", FieldValue::Text),
];

/// The named bits of `Type`.
const TYPES: [(u64, &str); 10] = [
    (0x01, "kernel driver"),
    (0x02, "file system driver"),
    (0x04, "adapter"),
    (0x08, "file system recognizer"),
    (0x10, "own process"),
    (0x20, "shared process"),
    (0x40, "user service"),
    (0x80, "instance of a user service"),
    (0x100, "interactive"),
    (0x200, "packaged"),
];

/// The bits of `Type` for drivers and recognizers: by default Windows loads them from `System32\drivers` by their name.
const DRIVERS: u64 = 0x01 | 0x02 | 0x08;

/// The bits for processes, which need a program.
const PROCESSES: u64 = 0x10 | 0x20;

/// All types for which Windows starts something. An adapter (4) is only described.
const STARTED_TYPES: u64 = DRIVERS | PROCESSES;

/// The last number of `Start` with a meaning: disabled.
const LAST_START: u64 = 4;

fn records() -> Vec<RecordType> {
    let fields: &[(&str, &[FieldType], &str)] = &[
        ("name", &[Name], "name of the service"),
        ("display_name", &[Text], "name that is shown; may be a resource such as @file,-100"),
        ("image_path", &[Text], "program or driver with its arguments, as stored"),
        ("service_dll", &[Path], "DLL of a service that runs in svchost"),
        ("service_main", &[Name], "function of the DLL that is called"),
        ("start", &[Integer], "how it starts, as stored"),
        ("start_name", &[Name], "the same in words: boot, system, automatic, manual or disabled"),
        ("delayed", &[Flag], "whether an automatic start is delayed"),
        ("type", &[Integer], "what it is, as stored: a sum of flags"),
        ("type_name", &[Text], "the same in words"),
        ("account", &[Name], "account under which it runs; for a driver the name of its object"),
        ("description", &[Text], "description; may be a resource"),
        ("group", &[Name], "group in the order of loading"),
        ("failure_command", &[Text], "command that is run when the service fails"),
        ("parameters_last_written", &[Time], "when the key Parameters of the service was last changed"),
    ];
    vec![
        record_type(
            KIND,
            "one key of a service or driver in the active control set; one without type and start only holds settings, such as performance counters",
            "name",
            fields,
        ),
        record_type(
            DELETED,
            "one key of a service or driver that is marked for deletion (DeleteFlag): it goes when nobody has it open any more, at the next start of Windows at the latest",
            "name",
            fields,
        ),
        record_type(
            INERT,
            "one key of a service or driver with a way to start that Windows does not start all the same: its type is none that is started (a kernel or file system driver, a recognizer, an own or a shared process), a process has no program (ImagePath), or there is no such way to start",
            "name",
            fields,
        ),
    ]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    let Some(services) = reader.below(&set, "Services") else { return ControlFlow::Continue(()) };
    for key in reader.children(&services) {
        let values = reader.values(&key);
        service(reader, &key, &values)?;
    }
    ControlFlow::Continue(())
}

fn service<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, values: &Values<'h>) -> Flow {
    let parameters = reader.below(key, "Parameters");
    let inner = parameters.as_ref().map(|key| reader.values(key)).unwrap_or_default();
    let of = |name| inner.get(name).or_else(|| values.get(name));
    let written = parameters.map(|key| {
        let time = FieldValue::Time(ledger::Time::from_filetime(key.last_written.0));
        (time, ByteSpan::new(key.last_written_offset, 8))
    });
    let (written, written_at) = written.unzip();
    let (start, kind) = (values.get("Start"), values.get("Type"));
    let is_deleted = values.get("DeleteFlag").and_then(number).is_some_and(|flag| flag != 0);
    let has_image = values.get("ImagePath").is_some();
    let record_kind = match (start.and_then(number), kind.and_then(number)) {
        _ if is_deleted => DELETED,
        (Some(_), Some(kind)) if !has_image && kind & DRIVERS == 0 && kind & PROCESSES != 0 => INERT,
        (Some(start), kind) if start > LAST_START || kind.unwrap_or_default() & STARTED_TYPES == 0 => INERT,
        _ => KIND,
    };
    let record = Draft::of_key(reader, record_kind, key)
        .key_name(reader, "name", key, FieldValue::Name)
        .texts(values, TEXTS)
        .text("service_dll", of("ServiceDll"), FieldValue::Path)
        .text("service_main", of("ServiceMain"), FieldValue::Name)
        .number("start", start)
        .maybe("start_name", start.and_then(start_name), start.and_then(Held::at))
        .flag("delayed", values.get("DelayedAutostart"))
        .number("type", kind)
        .maybe("type_name", kind.and_then(type_name), kind.and_then(Held::at))
        .maybe("parameters_last_written", written, written_at)
        .done();
    reader.push(record)
}

fn start_name(start: &Held<'_>) -> Option<FieldValue> {
    let name = match number(start)? {
        0 => "boot",
        1 => "system",
        2 => "automatic",
        3 => "manual",
        4 => "disabled",
        _ => return None,
    };
    Some(FieldValue::Name(name.to_owned()))
}

fn type_name(kind: &Held<'_>) -> Option<FieldValue> {
    let kind = number(kind)?;
    let names: Vec<_> = TYPES.iter().filter(|(bit, _)| kind & bit != 0).map(|(_, name)| *name).collect();
    (!names.is_empty()).then(|| FieldValue::Text(names.join(", ")))
}
