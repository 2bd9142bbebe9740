//! Names of programs that the shell has shown (MUICache).
//!
//! The shell looks up a program's name when it shows or starts the program, and keeps it.
//! So an entry shows that the file existed, and usually that it was started.

use super::Artifact;
use super::draft::{Draft, record_type, value_path};
use super::names::last_component;
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::value_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueData};
use ledger::FieldType::{Name, Path, RegistryPath, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "mui_cache_entry";

const OF_USER: [&str; 2] =
    ["Software\\Microsoft\\Windows\\ShellNoRoam\\MUICache", "Software\\Microsoft\\Windows\\Shell\\MuiCache"];
const OF_CLASSES: &str = "Local Settings\\Software\\Microsoft\\Windows\\Shell\\MuiCache";

/// What newer Windows appends to the path.
const ENDS: [(&str, &str); 2] = [(".FriendlyAppName", "application"), (".ApplicationCompany", "company")];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "mui_cache",
    about: "programs whose names the shell has shown to a user (MUICache), mostly because they were started; without times",
    hives: &[HiveType::NtUser, HiveType::UsrClass],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one text of a program's resources that the shell keeps for the user: the file was there, and the shell looked at it; not that it ran, nor when",
        "program",
        &[
            ("program", &[Path], "path of the program"),
            ("name", &[Name], "name of the file"),
            ("part", &[Name], "what the text is: application (the name shown) or company"),
            ("text", &[Text], "the text"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (user, classes) = (is(HiveType::NtUser), is(HiveType::UsrClass));
    let paths = OF_USER.iter().filter(|_| user).chain(Some(&OF_CLASSES).filter(|_| classes));
    for path in paths {
        let Some((key, values)) = reader.key_and_values(path) else { continue };
        for held in values.0.iter().filter(|held| is_program(held)) {
            let record = entry(reader, &key, held).done();
            reader.push(record)?;
        }
    }
    ControlFlow::Continue(())
}

/// Besides programs there are resources (`@…`) and the language.
fn is_program(held: &Held<'_>) -> bool {
    let name = &held.value.name;
    name.contains('\\') && !name.starts_with('@') && matches!(held.value.data, ValueData::Text(_))
}

fn entry(reader: &Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>) -> Draft {
    let name = held.value.name.as_str();
    let cut = ENDS.iter().find_map(|(end, part)| {
        let (path, found) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
        found.eq_ignore_ascii_case(end).then_some((path, *part))
    });
    let (program, part) = cut.unwrap_or((name, "application"));
    let at = value_name(reader.bytes, held.value.offset).filter(|_| cut.is_none());
    Draft::of_value(reader, KIND, key, held)
        .undated()
        .set("program", FieldValue::Path(program.to_owned()), at)
        .set("name", last_component(program), None)
        .set("part", FieldValue::Name(part.to_owned()), None)
        .text("text", Some(held), FieldValue::Text)
        .set("value_path", value_path(key, held), None)
}
