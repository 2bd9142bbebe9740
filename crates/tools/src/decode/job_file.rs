//! `.job` files: scheduled tasks of Windows XP and before, including those created with `at`.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::civil_time;
use artifacts::due;
use artifacts::job_file::{self, Trigger};
use evidence::ReadError;
use ledger::FieldType::{Flag, Guid, Integer, List, Name, Path, Text, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "scheduled_job";

const LONGEST: u64 = 1 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "job_file",
    about: "scheduled tasks of Windows XP and before, and those of the command at",
    names: &["*.job"],
    common_names: &[],
    fits: |head: &Head<'_>| job_file::fits(head.bytes),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a scheduled task in a .job file; its last start is what the scheduler tried, not that the program came to run",
        "job",
        &[
            ("job", &[Name], "name of the file without .job"),
            ("path", &[Path], "path of the file in the evidence"),
            ("id", &[Guid], "identifier of the task"),
            ("command", &[Path], "program, as spelled"),
            ("arguments", &[Text], "what it is given"),
            ("working_directory", &[Path], "where it is started"),
            ("author", &[Name], "who made it, as the file says"),
            ("comment", &[Text], "words about it"),
            ("last_start", &[Time], "when the scheduler last started it, by the local clock"),
            ("exit_code", &[Integer], "what its last run ended with"),
            ("status", &[Integer], "state in the words of the scheduler: 267011 is that it has not run"),
            ("triggers", &[List], "what starts it, a line each"),
            ("hidden", &[Flag], "whether tools hide it"),
            ("enabled", &[Flag], "whether it may run"),
            ("starts", &[Name], due::STARTS),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(job) = job_file::read(&bytes) else { return Ok(ControlFlow::Continue(())) };
    let file = source.node.name.as_str();
    let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
    let name = if name.is_empty() { file } else { name };
    let counting = job.triggers.iter().filter(|trigger| trigger.enabled);
    let starts = due::starts(job.enabled(), counting.map(Trigger::due));
    let row = source
        .row(KIND, Some(ByteSpan::new(0, bytes.len() as u64)))
        .defects(parts::defects(source, 0, &job.damage))
        .field("job", FieldValue::Name(name.to_owned()))
        .field("path", FieldValue::Path(source.node.path.as_str().to_owned()))
        .field("triggers", FieldValue::List(job.triggers.iter().map(Trigger::render).collect()))
        .field("hidden", FieldValue::Flag(job.hidden()))
        .field("enabled", FieldValue::Flag(job.enabled()))
        .field("starts", FieldValue::Name(starts.to_owned()));
    let row = parts::part(row, "id", 0, job.id.as_ref(), FieldValue::Guid);
    let row = parts::part(row, "command", 0, job.program.as_ref(), FieldValue::Path);
    let row = parts::part(row, "arguments", 0, job.parameters.as_ref(), FieldValue::Text);
    let row = parts::part(row, "working_directory", 0, job.working_directory.as_ref(), FieldValue::Path);
    let row = parts::part(row, "author", 0, job.author.as_ref(), FieldValue::Name);
    let row = parts::part(row, "comment", 0, job.comment.as_ref(), FieldValue::Text);
    let row = parts::number(row, "exit_code", 0, job.exit_code.as_ref());
    let row = parts::number(row, "status", 0, job.status.as_ref());
    let row = match &job.last_run {
        Some(last) => {
            let time = civil_time::read(&last.value.to_string());
            let value = time.and_then(|time| parts::civil_value(&time, parts::Unzoned::Local));
            row.maybe("last_start", value, Some(parts::place(0, last)))
        }
        None => row,
    };
    Ok(source.push(row))
}
