//! Startup folders: their items are opened when a user logs on, unless the task manager switched them off.

mod switched;

use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::spec;
use evidence::ReadError;
use ledger::FieldType::{Name, Path, Size};
use ledger::{ByteSpan, FieldType, FieldValue, RecordType, Time};
use std::ops::ControlFlow;

const KIND: &str = "startup_item";
const DISABLED: &str = "disabled_startup_item";

pub(crate) const DECODER: Decoder = Decoder {
    name: "startup_folder",
    about: "files in the startup folders of users and of the machine, those that are switched off as disabled_startup_item",
    names: &["**/Start Menu/Programs/Startup/*"],
    common_names: &[],
    fits,
    records,
    read,
};

/// Checks the path: the folder decides, whatever the file contains.
fn fits(head: &Head<'_>) -> bool {
    let path = head.path.to_lowercase();
    path.rsplit_once('/').is_some_and(|(folder, _)| folder.ends_with("/start menu/programs/startup"))
}

fn records() -> Vec<RecordType> {
    let common: [Declared; 4] = [
        ("name", &[Name], "name of the file"),
        ("path", &[Path], "path of the file in the evidence; a shortcut is decoded by parse_file"),
        ("user", &[Name], "folder of the profile it stands in; none for the folder of all users"),
        ("size", &[Size], "its bytes"),
    ];
    let disabled: [Declared; 3] = [
        (
            "disabled_by",
            &[Name],
            "what switches it off: StartupApproved, or no_logon in the profile of no person (of new users, of accounts of the system)",
        ),
        ("disabled_at", &[FieldType::Time], "when it was switched off"),
        ("hive", &[Path], "the hive that says so, where one does"),
    ];
    vec![
        spec::record(
            KIND,
            "a file in a startup folder: it is opened when the user, or any user, logs on; not that it ever was",
            "name",
            &common,
        ),
        spec::record(
            DISABLED,
            "a file in a startup folder that is not opened when a user logs on: it was switched off, or nobody logs on there",
            "name",
            &[&common[..], &disabled].concat(),
        ),
    ]
}

/// Name, types and meaning of a field.
type Declared = (&'static str, &'static [FieldType], &'static str);

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    // `desktop.ini` says how Explorer shows the folder; it is not opened at logon.
    if source.node.name.eq_ignore_ascii_case("desktop.ini") {
        return Ok(ControlFlow::Continue(()));
    }
    let node = source.node;
    let off = switched::off(source.tree, node);
    let row = source
        .row(if off.is_some() { DISABLED } else { KIND }, Some(ByteSpan::new(0, node.size)))
        .field("name", FieldValue::Name(node.name.clone()))
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("size", FieldValue::Size(node.size))
        .maybe("user", user(node.path.as_str()).map(|user| FieldValue::Name(user.to_owned())), None);
    let row = match off {
        Some(off) => row
            .field("disabled_by", FieldValue::Name(off.by.to_owned()))
            .maybe("disabled_at", off.since.map(|ticks| FieldValue::Time(Time::from_filetime(ticks))), None)
            .maybe("hive", off.hive.map(|hive| FieldValue::Path(hive.as_str().to_owned())), None),
        None => row,
    };
    Ok(source.push(row))
}

/// Returns the folder below `Users` or `Documents and Settings`.
fn user(path: &str) -> Option<&str> {
    let mut parts = path.split('/').skip_while(|part| {
        !part.eq_ignore_ascii_case("Users") && !part.eq_ignore_ascii_case("Documents and Settings")
    });
    parts.next()?;
    parts.next().filter(|user| !user.eq_ignore_ascii_case("All Users"))
}
