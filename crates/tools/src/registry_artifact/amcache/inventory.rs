//! The inventory of Windows 10 and 11, and of earlier versions with its updates.

use super::{DEVICE, DRIVER, FILE, PROGRAM, SHORTCUT};
use super::{date, entries, flag, full, name_at, or_key, sha1, size, texts};
use crate::intake::Flow;
use crate::registry_artifact::draft::{Draft, TextField, text_of};
use crate::registry_artifact::names::last_component;
use crate::registry_artifact::reader::Reader;
use artifacts::registry::Key;
use ledger::FieldValue;
use std::ops::ControlFlow;

const FILE_TEXTS: &[TextField] = &[
    ("path", "LowerCaseLongPath", FieldValue::Path),
    ("name", "Name", FieldValue::Name),
    ("version", "Version", FieldValue::Text),
    ("product", "ProductName", FieldValue::Text),
    ("product_version", "ProductVersion", FieldValue::Text),
    ("publisher", "Publisher", FieldValue::Text),
    ("original_name", "OriginalFileName", FieldValue::Name),
    ("binary_type", "BinaryType", FieldValue::Name),
    ("program_id", "ProgramId", FieldValue::Name),
    ("package", "AppxPackageFullName", FieldValue::Name),
];

const PROGRAM_TEXTS: &[TextField] = &[
    ("name", "Name", FieldValue::Text),
    ("program_id", "ProgramId", FieldValue::Name),
    ("version", "Version", FieldValue::Text),
    ("publisher", "Publisher", FieldValue::Text),
    ("source", "Source", FieldValue::Name),
    ("type", "Type", FieldValue::Name),
    ("store_type", "StoreAppType", FieldValue::Name),
    ("root_path", "RootDirPath", FieldValue::Path),
    ("uninstall_command", "UninstallString", FieldValue::Text),
    ("registry_key", "RegistryKeyPath", FieldValue::Text),
    ("package", "PackageFullName", FieldValue::Name),
    ("product_code", "MsiProductCode", FieldValue::Text),
];

const DRIVER_TEXTS: &[TextField] = &[
    ("name", "DriverName", FieldValue::Name),
    ("service", "Service", FieldValue::Name),
    ("version", "DriverVersion", FieldValue::Text),
    ("product", "Product", FieldValue::Text),
    ("product_version", "ProductVersion", FieldValue::Text),
    ("company", "DriverCompany", FieldValue::Text),
    ("inf", "Inf", FieldValue::Name),
];

const DEVICE_TEXTS: &[TextField] = &[
    ("model", "Model", FieldValue::Text),
    ("model", "ModelName", FieldValue::Text),
    ("friendly_name", "FriendlyName", FieldValue::Text),
    ("manufacturer", "Manufacturer", FieldValue::Text),
    ("description", "Description", FieldValue::Text),
    ("bus_description", "BusReportedDescription", FieldValue::Text),
    ("class", "Class", FieldValue::Name),
    ("class", "PrimaryCategory", FieldValue::Name),
    ("enumerator", "Enumerator", FieldValue::Name),
    ("service", "Service", FieldValue::Name),
    ("driver", "DriverName", FieldValue::Name),
    ("container_id", "ContainerId", FieldValue::Guid),
    ("parent_id", "ParentId", FieldValue::Name),
];

const SHORTCUT_TEXTS: &[TextField] = &[
    ("path", "ShortcutPath", FieldValue::Path),
    ("target", "ShortcutTargetPath", FieldValue::Path),
    ("application_id", "ShortcutAumid", FieldValue::Text),
    ("program_id", "ShortcutProgramId", FieldValue::Name),
];

pub(super) fn read<'h>(reader: &mut Reader<'_, 'h>, root: &Key<'h>) -> Flow {
    for key in entries(reader, root, "InventoryApplicationFile") {
        file(reader, &key)?;
    }
    for key in entries(reader, root, "InventoryApplication") {
        program(reader, &key)?;
    }
    for key in entries(reader, root, "InventoryDriverBinary") {
        driver(reader, &key)?;
    }
    for part in ["InventoryDevicePnp", "InventoryDeviceContainer"] {
        for key in entries(reader, root, part) {
            device(reader, part, &key)?;
        }
    }
    for key in entries(reader, root, "InventoryApplicationShortcut") {
        let values = reader.values(&key);
        let draft = texts(Draft::of_key(reader, SHORTCUT, &key), &values, SHORTCUT_TEXTS);
        let missing = text_of(full(&values, "ShortcutPath")).is_none();
        let record = or_key(draft, reader, "path", &key, missing).done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn file<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>) -> Flow {
    let values = reader.values(key);
    let draft = texts(Draft::of_key(reader, FILE, key), &values, FILE_TEXTS)
        .key_name(reader, "key", key, FieldValue::Name)
        .number("usn", values.get("Usn"))
        .number("language", values.get("Language"));
    let draft = sha1(draft, full(&values, "FileId"));
    let draft = size(draft, "size", full(&values, "Size"));
    let draft = date(draft, "link_date", full(&values, "LinkDate"), false);
    let draft = flag(draft, "os_component", full(&values, "IsOsComponent"));
    let missing = text_of(full(&values, "LowerCaseLongPath")).is_none();
    let record = or_key(draft, reader, "path", key, missing).done();
    reader.push(record)
}

fn program<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>) -> Flow {
    let values = reader.values(key);
    let draft = texts(Draft::of_key(reader, PROGRAM, key), &values, PROGRAM_TEXTS);
    let draft = date(draft, "install_date", full(&values, "InstallDate"), true);
    let missing = text_of(full(&values, "Name")).is_none();
    let record = or_key(draft, reader, "name", key, missing).done();
    reader.push(record)
}

/// Reads a driver; its key is named after the path, with `/` for `\`.
fn driver<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>) -> Flow {
    let values = reader.values(key);
    let path = key.name.replace('/', "\\");
    let draft = Draft::of_key(reader, DRIVER, key).set("name", last_component(&path), None).set(
        "path",
        FieldValue::Path(path),
        name_at(reader, key),
    );
    let draft = texts(draft, &values, DRIVER_TEXTS);
    let draft = sha1(draft, full(&values, "DriverId"));
    let draft = flag(draft, "signed", full(&values, "DriverSigned"));
    let draft = flag(draft, "in_box", full(&values, "DriverInBox"));
    let draft = flag(draft, "kernel_mode", full(&values, "DriverIsKernelMode"));
    let draft = date(draft, "modified", full(&values, "DriverLastWriteTime"), true);
    let draft = size(draft, "image_size", full(&values, "ImageSize"));
    let record = draft.number("checksum", full(&values, "DriverCheckSum")).done();
    reader.push(record)
}

fn device<'h>(reader: &mut Reader<'_, 'h>, part: &str, key: &Key<'h>) -> Flow {
    let values = reader.values(key);
    let draft = Draft::of_key(reader, DEVICE, key).key_name(reader, "device", key, FieldValue::Text).set(
        "inventory",
        FieldValue::Name(part.to_owned()),
        None,
    );
    let draft = texts(draft, &values, DEVICE_TEXTS);
    let draft = date(draft, "install_date", full(&values, "InstallDate"), true);
    let draft = date(draft, "first_install_date", full(&values, "FirstInstallDate"), true);
    let record = flag(draft, "connected", full(&values, "IsConnected")).done();
    reader.push(record)
}
