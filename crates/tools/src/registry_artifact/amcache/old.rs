//! The inventory of Windows 7 and 8: `File` with a key for each volume, and `Programs`. Values are named by hexadecimal numbers.

use super::{FILE, PROGRAM};
use super::{entries, full, name_at, or_key, sha1, size, texts};
use crate::intake::Flow;
use crate::registry_artifact::draft::{Draft, TextField, text_of};
use crate::registry_artifact::names::last_component;
use crate::registry_artifact::reader::Reader;
use crate::registry_artifact::values::{Held, Values};
use artifacts::registry::Key;
use ledger::FieldValue;
use std::ops::ControlFlow;

const FILE_TEXTS: &[TextField] = &[
    ("path", "15", FieldValue::Path),
    ("product", "0", FieldValue::Text),
    ("publisher", "1", FieldValue::Text),
    ("product_version", "2", FieldValue::Text),
    ("version", "5", FieldValue::Text),
    ("description", "c", FieldValue::Text),
    ("program_id", "100", FieldValue::Name),
];

const PROGRAM_TEXTS: &[TextField] = &[
    ("name", "0", FieldValue::Text),
    ("version", "1", FieldValue::Text),
    ("publisher", "2", FieldValue::Text),
    ("type", "6", FieldValue::Name),
    ("registry_key", "7", FieldValue::Text),
];

pub(super) fn read<'h>(reader: &mut Reader<'_, 'h>, root: &Key<'h>) -> Flow {
    for volume in entries(reader, root, "File") {
        for key in reader.children(&volume) {
            file(reader, &volume, &key)?;
        }
    }
    for key in entries(reader, root, "Programs") {
        let values = reader.values(&key);
        let draft =
            Draft::of_key(reader, PROGRAM, &key).key_name(reader, "program_id", &key, FieldValue::Name);
        let draft = texts(draft, &values, PROGRAM_TEXTS).unix("install_time", set(&values, "a"));
        let draft = draft.list("files", full(&values, "Files"));
        let record = or_key(draft, reader, "name", &key, text_of(full(&values, "0")).is_none()).done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn file<'h>(reader: &mut Reader<'_, 'h>, volume: &Key<'h>, key: &Key<'h>) -> Flow {
    let values = reader.values(key);
    let draft = Draft::of_key(reader, FILE, key)
        .key_name(reader, "key", key, FieldValue::Name)
        .key_name(reader, "file_reference", key, FieldValue::Name)
        .set("volume", FieldValue::Guid(volume.name.clone()), name_at(reader, volume));
    let path = text_of(full(&values, "15"));
    let draft = draft.maybe("name", path.map(last_component), None);
    let draft = texts(draft, &values, FILE_TEXTS)
        .number("language", values.get("3"))
        .number("checksum", values.get("9"))
        .unix("link_date", set(&values, "f"))
        .filetime("modified", set(&values, "11"))
        .filetime("created", set(&values, "12"));
    let draft = size(draft, "size", values.get("6"));
    let draft = size(draft, "image_size", values.get("7"));
    let draft = sha1(draft, full(&values, "101"));
    let record = or_key(draft, reader, "path", key, path.is_none()).done();
    reader.push(record)
}

/// Returns the value of this name, unless it is 0, which is no time.
fn set<'v, 'h>(values: &'v Values<'h>, name: &str) -> Option<&'v Held<'h>> {
    values.get(name).filter(|held| held.value.raw.iter().any(|byte| *byte != 0))
}
