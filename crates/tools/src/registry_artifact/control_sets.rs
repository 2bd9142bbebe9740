//! The control sets of a SYSTEM hive and what `Select` says of them.

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Integer, List};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "control_sets";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "control_sets",
    about: "which control set was used last",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "which control sets a SYSTEM hive has and which of them is which",
        "key_path",
        &[
            ("current", &[Integer], "number of the control set that was used last"),
            ("default", &[Integer], "number of the control set that the next start uses"),
            ("failed", &[Integer], "number of the control set with which a start failed; 0 for none"),
            ("last_known_good", &[Integer], "number of the control set of the last start that went well"),
            ("control_sets", &[List], "names of the control sets that the hive holds"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some((key, values)) = reader.key_and_values("Select") else { return ControlFlow::Continue(()) };
    let root = reader.key("");
    let children = root.map(|root| reader.children(&root)).unwrap_or_default();
    let sets = children.into_iter().map(|key| key.name);
    let sets = sets.filter(|name| name.to_ascii_lowercase().starts_with("controlset")).collect();
    let record = Draft::of_key(reader, KIND, &key)
        .number("current", values.get("Current"))
        .number("default", values.get("Default"))
        .number("failed", values.get("Failed"))
        .number("last_known_good", values.get("LastKnownGood"))
        .set("control_sets", FieldValue::List(sets), None)
        .done();
    reader.push(record)
}
