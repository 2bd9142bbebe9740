//! Startup folders: what stands there is opened when a user logs on.

use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::spec;
use evidence::ReadError;
use ledger::FieldType::{Name, Path, Size};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "startup_item";

pub(crate) const DECODER: Decoder = Decoder {
    name: "startup_folder",
    about: "files in the startup folders of users and of the machine",
    names: &["**/Start Menu/Programs/Startup/*"],
    fits,
    records,
    read,
};

/// The folder is told by its path, whatever the file holds.
fn fits(head: &Head<'_>) -> bool {
    let path = head.path.to_lowercase();
    path.rsplit_once('/').is_some_and(|(folder, _)| folder.ends_with("/start menu/programs/startup"))
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a file in a startup folder: it is opened when the user, or any user, logs on; not that it ever was",
        "name",
        &[
            ("name", &[Name], "name of the file"),
            ("path", &[Path], "path of the file in the evidence; a shortcut is decoded by parse_file"),
            ("user", &[Name], "folder of the profile it stands in; none for the folder of all users"),
            ("size", &[Size], "its bytes"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    // How the Explorer shows the folder; it is not opened at logon.
    if source.node.name.eq_ignore_ascii_case("desktop.ini") {
        return Ok(ControlFlow::Continue(()));
    }
    let node = source.node;
    let row = source
        .row(KIND, Some(ByteSpan::new(0, node.size)))
        .field("name", FieldValue::Name(node.name.clone()))
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("size", FieldValue::Size(node.size))
        .maybe("user", user(node.path.as_str()).map(|user| FieldValue::Name(user.to_owned())), None);
    Ok(source.push(row))
}

/// The folder below `Users` or `Documents and Settings`.
fn user(path: &str) -> Option<&str> {
    let mut parts = path.split('/').skip_while(|part| {
        !part.eq_ignore_ascii_case("Users") && !part.eq_ignore_ascii_case("Documents and Settings")
    });
    parts.next()?;
    parts.next().filter(|user| !user.eq_ignore_ascii_case("All Users"))
}
