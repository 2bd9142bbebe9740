//! PowerShell transcripts: what was typed, by whom, and when the session began.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::powershell_log::{self, Transcript};
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Text, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const SESSION: &str = "powershell_session";
const COMMAND: &str = "transcript_command";

const LONGEST: u64 = 256 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "powershell_transcript",
    about: "sessions of PowerShell with what was typed there",
    names: &["PowerShell_transcript.*.txt"],
    common_names: &[],
    fits: |head: &Head<'_>| powershell_log::is_transcript(head.bytes),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    let of_session: [(&str, &[ledger::FieldType], &str); 4] = [
        ("user", &[Name], "account, as the transcript says"),
        ("run_as", &[Name], "account as which it ran"),
        ("machine", &[Text], "computer and its Windows"),
        ("path", &[Path], "path of the file in the evidence"),
    ];
    let mut session = vec![
        ("host_application", &[Text][..], "command line of PowerShell"),
        ("process_id", &[Integer], "its process number"),
        ("time", &[Time], "when the transcript began, by the local clock"),
    ];
    session.extend(of_session);
    let mut command = vec![
        ("command", &[Text][..], "what was typed at the prompt"),
        ("line", &[Integer], "the line of the transcript, from 1"),
        ("time", &[Time], "when it was started, by the local clock, where the transcript says so"),
    ];
    command.extend(of_session);
    vec![
        spec::record(
            SESSION,
            "a session of PowerShell of which a transcript was kept, as the transcript says; anybody who can write there can change it",
            "path",
            &session,
        ),
        spec::record(
            COMMAND,
            "a command in a transcript of PowerShell; not that it ran without error",
            "command",
            &command,
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    let found = powershell_log::transcript(&bytes);
    let row = common(source.row(SESSION, Some(ByteSpan::new(0, bytes.len() as u64))), source, &found);
    let row = parts::civil(row, "time", 0, found.start.as_ref(), parts::Unzoned::Local);
    let row = parts::part(row, "host_application", 0, found.host_application.as_ref(), FieldValue::Text);
    let row = parts::digits(row, "process_id", 0, found.process_id.as_ref());
    if let ControlFlow::Break(()) = source.push(row) {
        return Ok(ControlFlow::Break(()));
    }
    for command in &found.commands {
        let row = common(source.row(COMMAND, Some(parts::place(0, &command.text))), source, &found)
            .field("line", FieldValue::Integer(command.line.into()));
        let row = parts::part(row, "command", 0, Some(&command.text), FieldValue::Text);
        let row = parts::civil(row, "time", 0, command.time.as_ref(), parts::Unzoned::Local);
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn common(row: crate::row::Row, source: &Source<'_, '_>, found: &Transcript) -> crate::row::Row {
    let row = row.field("path", FieldValue::Path(source.node.path.as_str().to_owned()));
    let row = parts::part(row, "user", 0, found.user.as_ref(), FieldValue::Name);
    let row = parts::part(row, "run_as", 0, found.run_as.as_ref(), FieldValue::Name);
    parts::part(row, "machine", 0, found.machine.as_ref(), FieldValue::Text)
}
