//! Settings that weaken or monitor the security of the host, each under its own name.
//!
//! The places are a table, [`SETTINGS`]. A setting that is not stored gives no record, and Windows' default applies.
//! Sources: Microsoft Learn, the policy reference and the pages about each value; MITRE ATT&CK T1112, T1562, T1003.001, T1021.001.

mod table;

use super::Artifact;
use super::draft::{Draft, number, record_type, value_path};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Bytes, Integer, List, Name, RegistryPath, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;
use table::{Place, SETTINGS, Setting};

const KIND: &str = "security_setting";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "security_settings",
    about: "single settings of security and of what is recorded: remote desktop, UAC, LSA protection, WDigest, Defender, firewall, event logs, prefetch, last access, page file",
    hives: &[HiveType::System, HiveType::Software, HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one setting as the registry holds it; what is in force may be set elsewhere, too, such as by a policy",
        "setting",
        &[
            ("setting", &[Name], "what is set, such as remote_desktop or uac"),
            ("value", &[Integer, Text, List, Bytes], "the value as stored"),
            (
                "state",
                &[Name],
                "what the value means: on or off for whether what the name says is so, or a word, where that is known",
            ),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (system, software, user) = (is(HiveType::System), is(HiveType::Software), is(HiveType::NtUser));
    let set = if system { reader.control_set() } else { None };
    for setting in SETTINGS {
        let key = match setting.place {
            Place::ControlSet => set.as_ref().and_then(|set| reader.below(set, setting.key)),
            Place::Software if software => reader.key(setting.key),
            Place::User if user => reader.key(setting.key),
            Place::Software | Place::User => None,
        };
        if let Some(key) = key {
            let values = reader.values(&key);
            if let Some(held) = values.get(setting.value) {
                let record = Draft::of_value(reader, KIND, &key, held)
                    .set("setting", FieldValue::Name(setting.name.to_owned()), None)
                    .set("value_path", value_path(&key, held), None)
                    .data("value", held)
                    .maybe("state", number(held).and_then(|number| state(setting, number)), held.at())
                    .done();
                reader.push(record)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns the word for a value of a setting.
fn state(setting: &Setting, value: u64) -> Option<FieldValue> {
    let found = setting.states.iter().find(|(number, _)| *number == value)?;
    Some(FieldValue::Name(found.1.to_owned()))
}
