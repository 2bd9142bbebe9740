//! The fields of a shell link; jump lists contain links, too.

use crate::decode::parts::Base;
use crate::row::Row;
use artifacts::Located;
use artifacts::known_folder;
use artifacts::lnk::{Droid, LinkInfo, Shortcut};
use ledger::FieldType::{self, Guid, Integer, Name, Path, Size, Text, Time};
use ledger::FieldValue;

/// Returns the fields of a link: name, types, meaning.
pub(in crate::decode) fn described() -> Vec<(&'static str, &'static [FieldType], &'static str)> {
    vec![
        (
            "target",
            &[Path],
            "the best path of the target: local or on a share, else as shell items, variables or the relative path tell it",
        ),
        ("target_created", &[Time], "when the target was created, by the link"),
        ("target_modified", &[Time], "when the target was last modified, by the link"),
        ("target_accessed", &[Time], "when the target was last accessed, by the link"),
        ("target_size", &[Size], "its bytes, modulo 2^32, by the link"),
        ("target_attributes", &[Integer], "its attributes as flags of Windows, by the link"),
        ("arguments", &[Text], "the arguments with which the target is started"),
        ("working_folder", &[Path], "the folder in which it is started"),
        ("description", &[Text], "what the shortcut says it is for"),
        ("relative_path", &[Path], "its path from the folder of the link"),
        ("icon", &[Path], "the file of the icon"),
        ("item_path", &[Path], "its path by shell items, where that is another"),
        ("environment_path", &[Path], "its path with variables of the environment"),
        (
            "known_folder",
            &[Name, Guid],
            "the known folder in which it stands: name, or GUID of an unknown one",
        ),
        (
            "drive_type",
            &[Name],
            "the kind of its drive: removable, fixed, network, cdrom, ramdisk, no_root, unknown",
        ),
        ("volume_label", &[Name], "label of its volume"),
        ("volume_serial", &[Name], "serial number of its volume, in hex digits"),
        ("share", &[Path], "its share"),
        ("share_drive", &[Name], "the drive that stood for the share"),
        ("machine", &[Name], "NetBIOS name of the host on which it was last seen"),
        ("volume_id", &[Guid], "its volume for link tracking"),
        ("file_id", &[Guid], "its file for link tracking"),
        ("birth_volume_id", &[Guid], "its volume when the identifier was made, where that is another"),
        ("mac_address", &[Name], "address of a network card of the host that made file_id, if it has one"),
        (
            "file_id_time",
            &[Time],
            "time in file_id: mostly when the host that made it was started; nothing of the target",
        ),
    ]
}

/// Adds the fields of a link to the row; `None` if the link has no target.
pub(in crate::decode) fn fill(row: Row, base: Base, link: &Shortcut) -> Option<Row> {
    let target = link.target()?;
    Some(details(base.part(row, "target", Some(&target), FieldValue::Path), base, link))
}

/// Adds all fields but the target.
pub(in crate::decode) fn details(row: Row, base: Base, link: &Shortcut) -> Row {
    let row = base.time(row, "target_created", link.created.as_ref());
    let row = base.time(row, "target_modified", link.modified.as_ref());
    let row = base.time(row, "target_accessed", link.accessed.as_ref());
    // A link without a known target has zeros here.
    let known = link.attributes.as_ref().filter(|attributes| attributes.value != 0);
    let row = base.number(row, "target_attributes", known);
    let size = link.size.as_ref().filter(|size| known.is_some() || size.value != 0);
    let row = base.part(row, "target_size", size, |size| FieldValue::Size(size.into()));
    let row = base.part(row, "arguments", link.arguments(), FieldValue::Text);
    let row = base.part(row, "working_folder", link.working_folder(), FieldValue::Path);
    let row = base.part(row, "description", link.description(), FieldValue::Text);
    let row = base.part(row, "relative_path", link.relative_path(), FieldValue::Path);
    let row = base.part(row, "icon", link.icon(), FieldValue::Path);
    let row = base.part(row, "item_path", item_path(link).as_ref(), FieldValue::Path);
    let row = base.part(row, "environment_path", link.extra.environment.as_ref(), FieldValue::Path);
    let row = base.part(row, "known_folder", link.extra.known_folder.as_ref(), folder);
    let row = base.part(row, "machine", link.extra.machine.as_ref(), FieldValue::Name);
    let row = match &link.info {
        Some(info) => place(row, base, info),
        None => row,
    };
    let row = match &link.extra.droid {
        Some(found) => droid(row, base, found),
        None => row,
    };
    let volume = |droid: &Option<Droid>| droid.as_ref().and_then(|droid| droid.volume.clone());
    let (born, now) = (volume(&link.extra.birth), volume(&link.extra.droid));
    let moved = born.filter(|born| now.is_none_or(|now| now.value != born.value));
    base.part(row, "birth_volume_id", moved.as_ref(), FieldValue::Guid)
}

/// Adds what link tracking knows about a file.
pub(in crate::decode) fn droid(row: Row, base: Base, found: &Droid) -> Row {
    let row = base.part(row, "volume_id", found.volume.as_ref(), FieldValue::Guid);
    let row = base.part(row, "file_id", found.file.as_ref(), FieldValue::Guid);
    let row = base.part(row, "mac_address", found.mac.as_ref(), FieldValue::Name);
    base.time(row, "file_id_time", found.time.as_ref())
}

fn place(row: Row, base: Base, info: &LinkInfo) -> Row {
    let row = base.part(row, "drive_type", info.drive_type.as_ref(), |kind| {
        FieldValue::Name(drive_type(kind).to_owned())
    });
    let row = base.part(row, "volume_label", info.label.as_ref(), FieldValue::Name);
    let row = base
        .part(row, "volume_serial", info.serial.as_ref(), |serial| FieldValue::Name(format!("{serial:08X}")));
    let row = base.part(row, "share", info.share.as_ref(), FieldValue::Path);
    base.part(row, "share_drive", info.device.as_ref(), FieldValue::Name)
}

/// Names a drive type (section 2.3.1 of [MS-SHLLINK], and `GetDriveType`).
fn drive_type(kind: u32) -> &'static str {
    match kind {
        1 => "no_root",
        2 => "removable",
        3 => "fixed",
        4 => "network",
        5 => "cdrom",
        6 => "ramdisk",
        _ => "unknown",
    }
}

/// Returns the path according to the shell items, if it differs from the target's.
fn item_path(link: &Shortcut) -> Option<Located<String>> {
    let items = link.items.as_ref()?;
    let (path, _) = items.value.path();
    let other = link.target().is_none_or(|target| !target.value.eq_ignore_ascii_case(&path));
    let known = other && !path.is_empty();
    let located = Located { value: path, offset: items.offset, length: items.length };
    Some(located).filter(|_| known)
}

fn folder(guid: String) -> FieldValue {
    match known_folder::find(&guid) {
        Some(folder) => FieldValue::Name(folder.name.to_owned()),
        None => FieldValue::Guid(guid),
    }
}
