//! Installed programs: the `Uninstall` keys of the host and of each user.
//!
//! Names and meanings of the values: Microsoft Learn, "Uninstall Registry Key" (Windows Installer).

use super::Artifact;
use super::draft::{Draft, TextField, record_type, text_of};
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Flag, Integer, Name, Path, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "installed_program";
const UNINSTALL: &str = "Microsoft\\Windows\\CurrentVersion\\Uninstall";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "installed_programs",
    about: "programs that can be uninstalled, of the host and of each user",
    hives: &[HiveType::Software, HiveType::NtUser],
    records,
    read,
};

const TEXTS: &[TextField] = &[
    ("version", "DisplayVersion", FieldValue::Name),
    ("publisher", "Publisher", FieldValue::Text),
    ("install_date", "InstallDate", FieldValue::Text),
    ("install_location", "InstallLocation", FieldValue::Path),
    ("install_source", "InstallSource", FieldValue::Path),
    ("uninstall_command", "UninstallString", FieldValue::Text),
];

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one entry in the list of installed programs",
        "program",
        &[
            (
                "program",
                &[Text, Name],
                "name that is shown; the name of the entry where it has none or an empty one",
            ),
            ("entry", &[Name], "name of the entry: a product code or a short name"),
            ("version", &[Name], "version"),
            ("publisher", &[Text], "publisher"),
            (
                "install_date",
                &[Text],
                "day of the installation as the installer wrote it, mostly YYYYMMDD in local time",
            ),
            ("install_location", &[Path], "folder of the program"),
            ("install_source", &[Path], "folder from which it was installed"),
            ("uninstall_command", &[Text], "command that removes it"),
            ("estimated_size", &[Integer], "size of the program in KiB, by its installer"),
            ("system_component", &[Flag], "whether the entry is hidden from the list"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let top = if reader.hive_type == HiveType::NtUser { "Software\\" } else { "" };
    for branch in ["", "Wow6432Node\\"] {
        let Some(list) = reader.key(&format!("{top}{branch}{UNINSTALL}")) else { continue };
        for key in reader.children(&list) {
            let values = reader.values(&key);
            if values.0.is_empty() {
                continue;
            }
            let shown = values.get("DisplayName");
            let draft = Draft::of_key(reader, KIND, &key)
                .key_name(reader, "entry", &key, FieldValue::Name)
                .key_name(reader, "program", &key, FieldValue::Name);
            let named = shown.filter(|held| text_of(Some(held)) != Some(""));
            let record = draft
                .text("program", named, FieldValue::Text)
                .texts(&values, TEXTS)
                .number("estimated_size", values.get("EstimatedSize"))
                .flag("system_component", values.get("SystemComponent").filter(|held| is_number(held)))
                .done();
            reader.push(record)?;
        }
    }
    ControlFlow::Continue(())
}

fn is_number(held: &Held<'_>) -> bool {
    super::draft::number(held).is_some()
}
