//! The history of PSReadLine: commands typed at PowerShell's prompt.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::powershell_log;
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "typed_command";

const LONGEST: u64 = 64 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "powershell_history",
    about: "commands that were typed at the prompt of PowerShell, without times",
    names: &["**/PSReadLine/*_history.txt", "ConsoleHost_history.txt"],
    common_names: &[],
    fits,
    records,
    read,
};

/// Checks the name: the file is plain text, and nothing else identifies it.
fn fits(head: &Head<'_>) -> bool {
    let name = head.name.to_lowercase();
    let text = !head.bytes.contains(&0) || head.bytes.starts_with(&[0xFF, 0xFE]);
    name.ends_with("host_history.txt") && text
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a command in the history of PowerShell's prompt; not when it was typed, nor that it ran without error",
        "command",
        &[
            ("command", &[Text], "the command; lines of a longer one are parted by a line feed"),
            (
                "line",
                &[Integer],
                "its first line, from 1; later lines were typed later, as long as the file was not changed otherwise",
            ),
            ("user", &[Name], "folder of the profile it stands in"),
            ("path", &[Path], "path of the file in the evidence"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    let path = source.node.path.as_str().to_owned();
    let user = profile(&path).map(str::to_owned);
    for command in powershell_log::history(&bytes) {
        let place = parts::place(0, &command.text);
        let row = source
            .row(KIND, Some(place))
            .field_at("command", FieldValue::Text(command.text.value), Some(place))
            .field("line", FieldValue::Integer(command.line.into()))
            .field("path", FieldValue::Path(path.clone()))
            .maybe("user", user.clone().map(FieldValue::Name), None);
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Returns the folder of a profile: the one before `AppData`.
fn profile(path: &str) -> Option<&str> {
    let mut before = None;
    for part in path.split('/') {
        if part.eq_ignore_ascii_case("AppData") {
            return before;
        }
        before = Some(part);
    }
    None
}
