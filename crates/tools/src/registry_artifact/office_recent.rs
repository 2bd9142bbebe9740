//! Files and places that a user last used in Microsoft Office (File MRU, Place MRU), since Office 2007.

use super::Artifact;
use super::decoded::{part, time};
use super::draft::{Draft, record_type, text_of, value_path};
use super::mru_list::POSITION;
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::value_name;
use crate::intake::Flow;
use artifacts::office_mru::{self, Entry};
use artifacts::registry::{HiveType, Key};
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "office_recent";

const PATH: &str = "Software\\Microsoft\\Office";

const FILES: &str = "File MRU";
const PLACES: &str = "Place MRU";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "office_recent",
    about: "files and folders that a user used last in Microsoft Office, with times",
    hives: &[HiveType::NtUser],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Name, Path, RegistryPath, Text, Time};
    vec![record_type(
        KIND,
        "one file or folder in a list of those used last in a program of Microsoft Office",
        "path",
        &[
            ("path", &[Path, Text], "path of the file or folder, or its address"),
            ("application", &[Name], "the program, such as Word"),
            ("version", &[Name], "version of Office, such as 16.0"),
            ("list", &[Name], "File MRU or Place MRU"),
            POSITION,
            ("opened", &[Time], "when the file was last opened in the program, or saved by it"),
            ("used", &[Time], "of a folder: when a file was last opened or saved there"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(root) = reader.key(PATH) else { return ControlFlow::Continue(()) };
    for version in reader.children(&root) {
        if !version.name.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        for application in reader.children(&version) {
            lists(reader, &version, &application, &application)?;
            // Since Office 2013 there are also lists for each account.
            let Some(users) = reader.below(&application, "User MRU") else { continue };
            for user in reader.children(&users) {
                lists(reader, &version, &application, &user)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn lists<'h>(
    reader: &mut Reader<'_, 'h>,
    version: &Key<'h>,
    application: &Key<'h>,
    parent: &Key<'h>,
) -> Flow {
    for name in [FILES, PLACES] {
        let Some(key) = reader.below(parent, name) else { continue };
        let values = reader.values(&key);
        let mut items: Vec<(u64, &Held<'_>)> =
            values.0.iter().filter_map(|held| Some((position(held)?, held))).collect();
        items.sort_by_key(|(position, _)| *position);
        for (position, held) in items {
            let at = value_name(reader.bytes, held.value.offset);
            let draft = Draft::of_value(reader, KIND, &key, held)
                .undated()
                .set("value_path", value_path(&key, held), None)
                .set("position", FieldValue::Integer(position.into()), at)
                .key_name(reader, "application", application, FieldValue::Name)
                .key_name(reader, "version", version, FieldValue::Name)
                .key_name(reader, "list", &key, FieldValue::Name);
            reader.push(item(draft, reader, held, name).done())?;
        }
    }
    ControlFlow::Continue(())
}

/// Returns the position of a value: `Item 1` is the most recent, and so on.
fn position(held: &Held<'_>) -> Option<u64> {
    held.value.name.strip_prefix("Item ")?.parse::<u64>().ok()?.checked_sub(1)
}

fn item(draft: Draft, reader: &Reader<'_, '_>, held: &Held<'_>, list: &str) -> Draft {
    let text = text_of(Some(held)).filter(|text| !text.is_empty());
    let Some(text) = text else {
        return draft.unfit(held, "a text").value_name(reader, "path", held, FieldValue::Text);
    };
    match office_mru::entry(text) {
        Some(Entry { used, path }) => {
            let field = if list == FILES { "opened" } else { "used" };
            let make = if path.value.contains("://") { FieldValue::Text } else { FieldValue::Path };
            let draft = part(draft, "path", held, Some(&path), make);
            time(draft, field, held, used.as_ref())
        }
        None => draft.set("path", FieldValue::Text(text.to_owned()), held.at()),
    }
}
