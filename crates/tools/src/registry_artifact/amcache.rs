//! The inventory of programs, files, drivers and devices kept by the application experience service (`Amcache.hve`).
//!
//! A scheduled task and installers fill it: an entry shows that the file existed, not that it ran.
//! Sources: ANSSI (Blanche Lagny), "Analysis of the AmCache" (2019); Joachim Metz, winreg-kb; Yogesh Khatri, "Amcache.hve in Windows 8" (2013).

mod inventory;
mod old;

use super::Artifact;
use super::draft::{Draft, record_type, text_of};
use super::reader::Reader;
use super::values::{Held, Values};
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use artifacts::us_date;
use ledger::FieldType::{Flag, Guid, Hash, Integer, List, Name, Path, Size, Text, Time};
use ledger::{AssumedZone, ByteSpan, Clock, FieldType, FieldValue, Precision, RecordType, Utc};
use std::ops::ControlFlow;

const FILE: &str = "amcache_file";
const PROGRAM: &str = "amcache_program";
const DRIVER: &str = "amcache_driver";
const DEVICE: &str = "amcache_device";
const SHORTCUT: &str = "amcache_shortcut";

/// The length of a SHA-1 in hexadecimal, and its prefix.
const SHA1: usize = 40;
const BEFORE_SHA1: &str = "0000";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "amcache",
    about: "programs, executable files with SHA-1, drivers, devices and shortcuts in the inventory of the host (Amcache.hve); not that anything ran",
    hives: &[HiveType::Amcache],
    records,
    read,
};

/// Name, types and meaning of a field.
type Declared = (&'static str, &'static [FieldType], &'static str);

const SHA1_FIELD: Declared = (
    "sha1",
    &[Hash],
    "SHA-1 of the first 31,457,280 bytes of the file: of a larger file it is not that of the whole",
);

const PROGRAM_ID: Declared =
    ("program_id", &[Name], "id of the program, as in the other records of this inventory");

fn records() -> Vec<RecordType> {
    vec![
        record_type(
            FILE,
            "one executable file in the inventory of the host; not that it ran. When the key was last written is when the entry was made or changed",
            "path",
            &file(),
        ),
        record_type(
            PROGRAM,
            "one program in the inventory of the host; when the key was last written need not be when it was installed",
            "name",
            &program(),
        ),
        record_type(
            DRIVER,
            "one driver file in the inventory of the host; not that it was loaded",
            "path",
            &driver(),
        ),
        record_type(
            DEVICE,
            "one device, or one container of devices, in the inventory of the host; devices of software stand there, too",
            "device",
            &device(),
        ),
        record_type(
            SHORTCUT,
            "one shortcut of the start menu in the inventory of the host",
            "path",
            &[
                ("path", &[Path, Name], "path of the shortcut; the name of its key where it has none"),
                ("target", &[Path], "path to which it leads"),
                ("application_id", &[Text], "application user model id"),
                PROGRAM_ID,
            ],
        ),
    ]
}

fn file() -> [Declared; 24] {
    [
        (
            "path",
            &[Path, Name],
            "path of the file, in lower case since Windows 10; the name of its key where it has none",
        ),
        ("name", &[Name], "name of the file"),
        SHA1_FIELD,
        ("size", &[Size], "size of the file"),
        ("version", &[Text], "version in its resources"),
        ("product", &[Text], "product in its resources"),
        ("product_version", &[Text], "version of the product in its resources"),
        ("publisher", &[Text], "publisher in its resources, which anybody can write there"),
        ("description", &[Text], "description in its resources"),
        ("original_name", &[Name], "original name in its resources"),
        ("binary_type", &[Name], "kind of executable, such as pe64_amd64"),
        ("link_date", &[Time], "when the file was linked, as its own header says"),
        ("modified", &[Time], "when the file was last modified, as it was then; Windows 7 and 8"),
        ("created", &[Time], "when the file was created, as it was then; Windows 7 and 8"),
        PROGRAM_ID,
        ("package", &[Name], "full name of the package that the file belongs to"),
        ("usn", &[Integer], "update sequence number of the file"),
        ("language", &[Integer], "code of the language"),
        ("os_component", &[Flag], "whether the file is part of Windows"),
        ("key", &[Name], "name of the key of the entry"),
        ("volume", &[Guid, Name], "GUID of the volume; Windows 7 and 8"),
        (
            "file_reference",
            &[Name],
            "reference of the file on its volume, as the name of the key writes it; Windows 7 and 8",
        ),
        ("image_size", &[Size], "size of the image in memory; Windows 7 and 8"),
        ("checksum", &[Integer], "checksum in the header; Windows 7 and 8"),
    ]
}

fn program() -> [Declared; 15] {
    [
        ("name", &[Text, Name], "name of the program; that of its key where it has none"),
        PROGRAM_ID,
        ("version", &[Text], "version"),
        ("publisher", &[Text], "publisher"),
        ("install_date", &[Time], "when it was installed, mostly to the day; the zone is not stored"),
        ("install_time", &[Time], "when it was installed, in seconds since 1970; Windows 7 and 8"),
        ("source", &[Name], "where the inventory has it from, such as Msi, AddRemoveProgram or AppxPackage"),
        ("type", &[Name], "kind of program"),
        ("store_type", &[Name], "kind of program of the store"),
        ("root_path", &[Path], "folder of the program"),
        ("uninstall_command", &[Text], "command that removes it"),
        ("registry_key", &[Text], "registry key of its removal"),
        ("package", &[Name], "full name of its package"),
        ("product_code", &[Text], "product code of the installer"),
        ("files", &[List], "files of the program; Windows 7 and 8"),
    ]
}

fn driver() -> [Declared; 15] {
    [
        ("path", &[Path], "path of the driver file, out of the name of its key"),
        ("name", &[Name], "name of the file"),
        SHA1_FIELD,
        ("service", &[Name], "service of the driver"),
        ("version", &[Text], "version"),
        ("product", &[Text], "product"),
        ("product_version", &[Text], "version of the product"),
        ("company", &[Text], "company in its resources"),
        ("signed", &[Flag], "whether the driver is signed, as the inventory says"),
        ("in_box", &[Flag], "whether the driver came with Windows"),
        ("kernel_mode", &[Flag], "whether it runs in the kernel"),
        ("modified", &[Time], "when the file was last modified; written without a zone"),
        ("inf", &[Name], "INF file"),
        ("image_size", &[Size], "size of the image in memory"),
        ("checksum", &[Integer], "checksum in the header"),
    ]
}

fn device() -> [Declared; 16] {
    [
        ("device", &[Text, Name], "id of the device; the name of the key"),
        ("inventory", &[Name], "part of the inventory: InventoryDevicePnp or InventoryDeviceContainer"),
        ("model", &[Text], "model"),
        ("friendly_name", &[Text], "name that is shown"),
        ("manufacturer", &[Text], "manufacturer"),
        ("description", &[Text], "description"),
        ("bus_description", &[Text], "description by the device itself"),
        ("class", &[Name], "class of devices"),
        ("enumerator", &[Name], "what found the device, such as usb"),
        ("service", &[Name], "service of the driver"),
        ("driver", &[Name], "driver file"),
        ("container_id", &[Guid], "GUID that all parts of one device share"),
        ("parent_id", &[Name], "id of the device above"),
        ("install_date", &[Time], "day on which the driver was last installed; the zone is not stored"),
        (
            "first_install_date",
            &[Time],
            "day on which the device was first installed; the zone is not stored",
        ),
        ("connected", &[Flag], "whether it was connected when the inventory was made"),
    ]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(root) = reader.key("Root") else { return ControlFlow::Continue(()) };
    inventory::read(reader, &root)?;
    old::read(reader, &root)
}

/// Returns the subkeys of a part of the inventory.
fn entries<'h>(reader: &mut Reader<'_, 'h>, root: &Key<'h>, part: &str) -> Vec<Key<'h>> {
    let Some(key) = reader.below(root, part) else { return Vec::new() };
    reader.children(&key)
}

/// Returns the value of this name, unless it is an empty text: the inventory has many of these.
fn full<'v, 'h>(values: &'v Values<'h>, name: &str) -> Option<&'v Held<'h>> {
    values.get(name).filter(|held| text_of(Some(held)) != Some("") || held.value.trailing)
}

/// Adds several texts that are not empty.
fn texts(draft: Draft, values: &Values<'_>, fields: &[super::draft::TextField]) -> Draft {
    fields.iter().fold(draft, |draft, (field, value, make)| draft.text(field, full(values, value), *make))
}

/// Adds the SHA-1 that follows four zeros.
fn sha1(draft: Draft, held: Option<&Held<'_>>) -> Draft {
    let Some(held) = held else { return draft };
    let found = text_of(Some(held)).and_then(|text| text.strip_prefix(BEFORE_SHA1));
    let is_hash = |hash: &&str| hash.len() == SHA1 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match found.filter(is_hash) {
        Some(hash) => {
            let at = held.part(BEFORE_SHA1.len() as u64 * 2, SHA1 as u64 * 2);
            draft.own(held).set("sha1", FieldValue::Hash(hash.to_ascii_lowercase()), at)
        }
        None => draft.unfit(held, "four zeros and a SHA-1"),
    }
}

/// Adds a date as text; `local` if it is in the host's time zone, which is unknown.
fn date(draft: Draft, field: &str, held: Option<&Held<'_>>, local: bool) -> Draft {
    let Some(held) = held else { return draft };
    let Some((text, (seconds, timed))) =
        text_of(Some(held)).and_then(|text| Some((text, us_date::read(text)?)))
    else {
        return draft.unfit(held, "a date");
    };
    let time = ledger::Time {
        utc: Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000),
        raw: text.to_owned(),
        clock: Clock::Host,
        precision: if timed { Precision::Second } else { Precision::Day },
        zone: local.then_some(AssumedZone::Utc),
    };
    draft.own(held).set(field, FieldValue::Time(time), held.at())
}

/// Adds a number of bytes, stored as a number or as hexadecimal text.
fn size(draft: Draft, field: &str, held: Option<&Held<'_>>) -> Draft {
    let Some(held) = held else { return draft };
    let of_text = |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok();
    let number = super::draft::number(held).or_else(|| text_of(Some(held)).and_then(of_text));
    match number {
        Some(number) => draft.own(held).set(field, FieldValue::Size(number), held.at()),
        None => draft.unfit(held, "a number of bytes"),
    }
}

/// Adds a flag, stored as a number or as the text 1 or 0.
fn flag(draft: Draft, field: &str, held: Option<&Held<'_>>) -> Draft {
    match held.and_then(|held| Some((held, text_of(Some(held))?))) {
        Some((held, text @ ("0" | "1"))) => {
            draft.own(held).set(field, FieldValue::Flag(text == "1"), held.at())
        }
        Some(_) | None => draft.flag(field, held),
    }
}

/// Adds the key's name as the field that a record must have, if its own value is missing.
fn or_key(draft: Draft, reader: &Reader<'_, '_>, field: &str, key: &Key<'_>, missing: bool) -> Draft {
    if missing { draft.key_name(reader, field, key, FieldValue::Name) } else { draft }
}

/// Returns the place of a key's name.
fn name_at(reader: &Reader<'_, '_>, key: &Key<'_>) -> Option<ByteSpan> {
    crate::hive_file::key_name(reader.bytes, key.offset)
}
