//! The Program Compatibility Assistant of Windows 11 (22H2 and later).
//! It lists programs started from the desktop, and programs that it had something to report about.
//!
//! Sources of the format: A. Rathbun and L. Gonzalez, "New Windows 11 Pro (22H2) Evidence of Execution Artifact!" (AboutDFIR, 2023);
//! Sygnia, "Diving into the new Windows 11 PCA artifact" (2023).
//! `PcaAppLaunchDic.txt` has a path and a time in each line.
//! `PcaGeneralDb0.txt` and `PcaGeneralDb1.txt` have eight members in each line, separated by `|`. All times are UTC.
//! The first file is text in a code page, the others are UTF-16; each is read by its content.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::text_lines::{Line, lines};
use artifacts::{Located, civil_time};
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const LAUNCH: &str = "pca_launch";
const ENTRY: &str = "pca_entry";

const LONGEST: u64 = 64 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "pca",
    about: "programs that users started from the desktop of Windows 11, by the Program Compatibility Assistant",
    names: &["PcaAppLaunchDic.txt", "PcaGeneralDb?.txt"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    let name = head.name.to_lowercase();
    let is_named = name == "pcaapplaunchdic.txt" || name.starts_with("pcageneraldb");
    is_named && lines(head.bytes).next().is_some_and(|line| line.text.value.contains('|'))
}

fn records() -> Vec<RecordType> {
    let line = ("line", &[Integer][..], "number of the line, from 1");
    vec![
        spec::record(
            LAUNCH,
            "a program in the list of programs started from the desktop, with the time of its last start; not who started it, nor how often, and nothing of programs that a console, a service or a task started",
            "program",
            &[
                ("program", &[Path], "path of the program, as Windows names it"),
                ("last_run", &[Time], "when it was last started"),
                line,
            ],
        ),
        spec::record(
            ENTRY,
            "an entry of the log of the Program Compatibility Assistant about a program: an end with an error, an installer that failed, a blocked driver; not that the program did what it is for",
            "program",
            &[
                ("program", &[Path], "path of the program, with names of folders such as %programfiles%"),
                ("time", &[Time], "when the entry was written"),
                (
                    "status",
                    &[Integer],
                    "what the entry is about: 0 a failed installer, 1 a blocked driver, 2 an end with an error, 3 and 4 steps of the assistant itself",
                ),
                ("description", &[Text], "description of the program, by its version resource"),
                ("vendor", &[Name], "its vendor, by the same"),
                ("version", &[Name], "its version, by the same"),
                ("program_id", &[Name], "its number in Amcache"),
                ("result", &[Text], "how it ended, in words"),
                line,
            ],
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    for line in lines(&bytes) {
        if line.text.value.trim().is_empty() {
            continue;
        }
        let members: Vec<_> = line.text.value.split('|').collect();
        let row = match members.as_slice() {
            [program, time] => launch(source, &line, program, time),
            [time, status, program, rest @ ..] if rest.len() == 5 => {
                entry(source, &line, [time, status, program], rest)
            }
            _ => None,
        };
        let Some(row) = row else {
            let offset = Some(line.text.offset as u64);
            source.damage(offset, format!("expected 2 or 8 members with a time, found {}", members.len()));
            continue;
        };
        let row = row.field("line", FieldValue::Integer(line.number.into()));
        if source.push(row).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Reads a line of the list; `None` if it has no program or no time.
fn launch(source: &Source<'_, '_>, line: &Line, program: &str, time: &str) -> Option<Row> {
    let row = source.row(LAUNCH, Some(parts::place(0, &line.text)));
    let row = with(row, "program", line, program, |text| Some(FieldValue::Path(text)))?;
    with(row, "last_run", line, time, instant)
}

/// Reads a line of the log; `None` if it has no program or no time.
fn entry(
    source: &Source<'_, '_>,
    line: &Line,
    [time, status, program]: [&str; 3],
    rest: &[&str],
) -> Option<Row> {
    let row = source.row(ENTRY, Some(parts::place(0, &line.text)));
    let row = with(row, "program", line, program, |text| Some(FieldValue::Path(text)))?;
    let mut row = with(row, "time", line, time, instant)?;
    row = parts::digits(row, "status", 0, line.place(status).as_ref());
    let fields = [
        ("description", false),
        ("vendor", true),
        ("version", true),
        ("program_id", true),
        ("result", false),
    ];
    for ((field, is_name), text) in fields.into_iter().zip(rest) {
        let value = |text: String| if is_name { FieldValue::Name(text) } else { FieldValue::Text(text) };
        let found = trimmed(line, text);
        let place = found.as_ref().map(|found| parts::place(0, found));
        row = row.maybe(field, found.map(|found| value(found.value)), place);
    }
    Some(row)
}

/// Adds a field that must be present.
fn with(
    row: Row,
    field: &str,
    line: &Line,
    text: &str,
    value: impl FnOnce(String) -> Option<FieldValue>,
) -> Option<Row> {
    let found = trimmed(line, text)?;
    let place = parts::place(0, &found);
    Some(row.field_at(field, value(found.value)?, Some(place)))
}

fn trimmed(line: &Line, text: &str) -> Option<Located<String>> {
    let text = text.trim();
    if text.is_empty() { None } else { line.place(text) }
}

fn instant(text: String) -> Option<FieldValue> {
    parts::civil_value(&civil_time::read(&text)?, parts::Unzoned::Utc)
}
