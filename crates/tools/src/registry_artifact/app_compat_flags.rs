//! Programs with compatibility settings, made by a user or by the compatibility assistant.

use super::Artifact;
use super::draft::{Draft, record_type, value_path};
use super::names::last_component;
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueData};
use ledger::FieldType::{Integer, Name, Path, RegistryPath, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "app_compat_entry";

const OF_HOST: &str = "Microsoft\\Windows NT\\CurrentVersion\\AppCompatFlags";
const OF_USER: &str = "Software\\Microsoft\\Windows NT\\CurrentVersion\\AppCompatFlags";

/// The lists, and their names in records.
const LISTS: [(&str, &str); 3] = [
    ("Layers", "layers"),
    ("Compatibility Assistant\\Store", "assistant_store"),
    ("Compatibility Assistant\\Persisted", "assistant_persisted"),
];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "app_compat_flags",
    about: "programs that have compatibility settings (layers such as RUNASADMIN), or that the compatibility assistant looked at",
    hives: &[HiveType::Software, HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one program in a list of the compatibility settings; the assistant lists programs that it watched when they were installed or started, which is not said here of any",
        "program",
        &[
            ("program", &[Path], "path of the program"),
            ("name", &[Name], "last component of the path"),
            ("list", &[Name], "layers, assistant_store or assistant_persisted"),
            ("layers", &[Text], "the settings, such as ~ RUNASADMIN"),
            ("number", &[Integer], "the number that an older assistant stores"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (host, user) = (is(HiveType::Software), is(HiveType::NtUser));
    for top in [OF_HOST].iter().filter(|_| host).chain([OF_USER].iter().filter(|_| user)) {
        for (path, list) in LISTS {
            let Some((key, values)) = reader.key_and_values(&format!("{top}\\{path}")) else { continue };
            for held in values.0.iter().filter(|held| held.value.name.contains('\\')) {
                let record = entry(reader, &key, held, list).done();
                reader.push(record)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn entry(reader: &Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>, list: &str) -> Draft {
    let draft = Draft::of_value(reader, KIND, key, held)
        .undated()
        .value_name(reader, "program", held, FieldValue::Path)
        .set("name", last_component(&held.value.name), None)
        .set("list", FieldValue::Name(list.to_owned()), None)
        .set("value_path", value_path(key, held), None);
    match &held.value.data {
        ValueData::Text(_) | ValueData::MultiText(_) => draft.text("layers", Some(held), FieldValue::Text),
        ValueData::Dword(_) | ValueData::Qword(_) => draft.number("number", Some(held)),
        // What the assistant stores is not documented.
        ValueData::Bytes | ValueData::Unreadable => draft,
    }
}
