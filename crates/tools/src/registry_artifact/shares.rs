//! Shared folders: the values of `LanmanServer\Shares`, each a list of `setting=value`.

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::registry::{HiveType, ValueData};
use ledger::FieldType::{Integer, List, Name, Path, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "share";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "shares",
    about: "folders and printers shared with other computers",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one share of the active control set; those that Windows makes by itself, such as C$, do not stand here",
        "name",
        &[
            ("name", &[Name], "name of the share"),
            ("path", &[Path], "folder that is shared"),
            ("remark", &[Text], "remark"),
            ("share_type", &[Integer], "0 for a folder, 1 for a printer"),
            ("settings", &[List], "all settings, as stored"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    let Some(key) = reader.below(&set, "Services\\LanmanServer\\Shares") else {
        return ControlFlow::Continue(());
    };
    for held in &reader.values(&key).0 {
        let draft = Draft::of_value(reader, KIND, &key, held)
            .value_name(reader, "name", held, FieldValue::Name)
            .list("settings", Some(held));
        reader.push(settings(draft, held).done())?;
    }
    ControlFlow::Continue(())
}

fn settings(draft: Draft, held: &Held<'_>) -> Draft {
    let ValueData::MultiText(settings) = &held.value.data else { return draft };
    let parts = settings.iter().zip(held.items()).filter_map(|(setting, at)| {
        let (name, value) = setting.split_once('=')?;
        let behind = at.and_then(|at| at.behind(name.encode_utf16().count().saturating_add(1)));
        Some((name, value, behind))
    });
    parts.fold(draft, |draft, (name, value, at)| {
        let text = value.to_owned();
        match name.to_ascii_lowercase().as_str() {
            "path" => draft.set("path", FieldValue::Path(text), at),
            "remark" => draft.set("remark", FieldValue::Text(text), at),
            "type" => match value.parse::<u32>() {
                Ok(number) => draft.set("share_type", FieldValue::Integer(number.into()), at),
                Err(_) => draft.unfit(held, "a list with a number as Type"),
            },
            _ => draft,
        }
    })
}
