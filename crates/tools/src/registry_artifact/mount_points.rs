//! Volumes and shares that a user's Explorer has seen (MountPoints2).

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "mount_point";

const PATH: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\MountPoints2";

/// A store of Explorer's own, not a mount point.
const CACHE: &str = "CPC";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "mount_points",
    about: "volumes, drives and network shares that were connected while a user was logged on",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Guid, Name, Path, Text};
    vec![record_type(
        KIND,
        "one volume, drive or network share that was connected while the user was logged on",
        "name",
        &[
            ("name", &[Name], "name of the key: a GUID, a drive letter, or ##server#share"),
            ("volume", &[Guid], "GUID of the volume, as in the mounted devices of the computer"),
            ("share", &[Path], "path of the network share"),
            ("drive", &[Name], "drive letter"),
            ("label", &[Text], "label that the user gave"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(root) = reader.key(PATH) else { return ControlFlow::Continue(()) };
    for key in reader.children(&root) {
        if key.name.eq_ignore_ascii_case(CACHE) {
            continue;
        }
        let values = reader.values(&key);
        let draft = Draft::of_key(reader, KIND, &key).key_name(reader, "name", &key, FieldValue::Name);
        let label = values.get("_LabelFromReg").filter(|held| !held.value.raw.is_empty());
        let draft = named(draft, reader, &key).text("label", label, FieldValue::Text);
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

/// Adds what the name of the key shows.
fn named(draft: Draft, reader: &Reader<'_, '_>, key: &Key<'_>) -> Draft {
    let (name, at) = (&key.name, key_name(reader.bytes, key.offset));
    if name.starts_with('{') && name.ends_with('}') {
        return draft.set("volume", FieldValue::Guid(name.clone()), at);
    }
    if name.starts_with("##") {
        return draft.set("share", FieldValue::Path(name.replace('#', "\\")), at);
    }
    let letter = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    draft.maybe("drive", letter.then(|| FieldValue::Name(name.clone())), at)
}
