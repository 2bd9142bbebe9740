//! Programs that a user started, as kept by the search of Windows 10 (1607 to 1709), with the files that they opened.

use super::Artifact;
use super::draft::{Draft, record_type, text_of};
use super::names::last_component;
use super::reader::Reader;
use super::values::{Held, Values};
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Guid, Integer, Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const APP: &str = "recent_app";
const ITEM: &str = "recent_app_item";

const PATH: &str = "Software\\Microsoft\\Windows\\CurrentVersion\\Search\\RecentApps";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "recent_apps",
    about: "programs that a user started, with counts and last start, and files opened with them (Windows 10, 1607 to 1709)",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![
        record_type(
            APP,
            "one program that the user started, as the search keeps it",
            "program",
            &[
                (
                    "program",
                    &[Path, Name],
                    "path or id of the program; the name of the key where it has none",
                ),
                ("name", &[Name], "last component of the path or id"),
                ("application_path", &[Path], "path of the program, where it stands beside its id"),
                ("launch_count", &[Integer], "how often it was started"),
                ("last_accessed", &[Time], "when it was last started"),
                ("guid", &[Guid, Name], "name of the key"),
            ],
        ),
        record_type(
            ITEM,
            "one file that the user opened with such a program",
            "path",
            &[
                ("path", &[Path, Name], "path of the file; the name of the key where it has none"),
                ("name", &[Name], "last component of the path"),
                ("display_name", &[Text], "name that is shown"),
                ("program", &[Path, Name], "path or id of the program"),
                ("last_accessed", &[Time], "when it was last opened so"),
            ],
        ),
    ]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(root) = reader.key(PATH) else { return ControlFlow::Continue(()) };
    for key in reader.children(&root) {
        let values = reader.values(&key);
        let id = named(&values, "AppId");
        let draft = Draft::of_key(reader, APP, &key).key_name(reader, "guid", &key, FieldValue::Guid);
        let draft = subject(draft, reader, "program", &key, id);
        let draft = draft.text("program", full(&values, "AppId"), FieldValue::Path).text(
            "application_path",
            full(&values, "AppPath"),
            FieldValue::Path,
        );
        let draft = draft.number("launch_count", values.get("LaunchCount"));
        let record = draft.filetime("last_accessed", set(&values)).done();
        reader.push(record)?;
        let Some(items) = reader.below(&key, "RecentItems") else { continue };
        for item in reader.children(&items) {
            let values = reader.values(&item);
            let draft =
                subject(Draft::of_key(reader, ITEM, &item), reader, "path", &item, named(&values, "Path"));
            let record = draft
                .text("path", full(&values, "Path"), FieldValue::Path)
                .text("display_name", values.get("DisplayName"), FieldValue::Text)
                .maybe("program", id.map(|id| FieldValue::Path(id.to_owned())), None)
                .filetime("last_accessed", set(&values))
                .done();
            reader.push(record)?;
        }
    }
    ControlFlow::Continue(())
}

fn named<'v>(values: &'v Values<'_>, name: &str) -> Option<&'v str> {
    text_of(values.get(name)).filter(|text| !text.is_empty())
}

/// Returns the value of this name, unless it is an empty text.
fn full<'v, 'h>(values: &'v Values<'h>, name: &str) -> Option<&'v Held<'h>> {
    values.get(name).filter(|held| text_of(Some(held)) != Some(""))
}

/// Adds the subject and its name; without a text the key's name is used.
fn subject(draft: Draft, reader: &Reader<'_, '_>, field: &str, key: &Key<'_>, text: Option<&str>) -> Draft {
    match text {
        Some(text) => draft.set("name", last_component(text), None),
        None => draft.key_name(reader, field, key, FieldValue::Name),
    }
}

/// Returns the time, unless it is 0.
fn set<'v, 'h>(values: &'v Values<'h>) -> Option<&'v Held<'h>> {
    values.get("LastAccessedTime").filter(|held| held.value.raw.iter().any(|byte| *byte != 0))
}
