//! What Windows Defender is configured not to scan.

use super::Artifact;
use super::draft::{Draft, record_type, text_of, value_path};
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::value_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Flag, Name, Path, RegistryPath, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "defender_exclusion";

/// The lists; true for those of a policy.
const LISTS: [(&str, bool); 2] = [
    ("Microsoft\\Windows Defender\\Exclusions", false),
    ("Policies\\Microsoft\\Windows Defender\\Exclusions", true),
];

/// The kinds, by the key of their list.
const KINDS: [(&str, &str); 5] = [
    ("Paths", "path"),
    ("Extensions", "extension"),
    ("Processes", "process"),
    ("TemporaryPaths", "temporary path"),
    ("IpAddresses", "address"),
];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "defender_exclusions",
    about: "paths, extensions and processes that Windows Defender does not look at, set on the host or by a policy",
    hives: &[HiveType::Software],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one path, extension, process or address that Windows Defender does not look at; when the list was last written is not when this entry was made",
        "exclusion",
        &[
            ("exclusion", &[Path, Name], "what is left out"),
            ("kind", &[Name], "what it is: path, extension, process, temporary path or address"),
            ("policy", &[Flag], "whether a policy sets it"),
            ("value", &[Text], "the data of the value, where it is a text"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    for (list, policy) in LISTS {
        for (name, kind) in KINDS {
            let Some((key, values)) = reader.key_and_values(&format!("{list}\\{name}")) else { continue };
            for held in values.0.iter().filter(|held| !held.value.name.is_empty()) {
                let record = exclusion(reader, &key, held, kind, policy).done();
                reader.push(record)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn exclusion(reader: &Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>, kind: &str, policy: bool) -> Draft {
    let name = held.value.name.clone();
    let subject = if kind == "extension" || kind == "address" { FieldValue::Name } else { FieldValue::Path };
    let text = text_of(Some(held)).filter(|text| !matches!(*text, "" | "0"));
    Draft::of_value(reader, KIND, key, held)
        .set("exclusion", subject(name), value_name(reader.bytes, held.value.offset))
        .set("kind", FieldValue::Name(kind.to_owned()), None)
        .set("policy", FieldValue::Flag(policy), None)
        .maybe("value", text.map(|text| FieldValue::Text(text.to_owned())), held.at())
        .set("value_path", value_path(key, held), None)
}
