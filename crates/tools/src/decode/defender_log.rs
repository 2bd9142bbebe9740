//! `MPLog` of Windows Defender: detections, files that it looked up or blocked, and processes whose files it scanned.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::defender_log::{self, Entry, Told};
use evidence::ReadError;
use ledger::FieldType::{self, Hash, Integer, Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const DETECTION: &str = "defender_log_detection";
const IMPACT: &str = "defender_process";
const LOOKUP: &str = "defender_lookup";
const BLOCKED: &str = "defender_block";

const LONGEST: u64 = 512 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "defender_log",
    about: "detections, blocked and looked-up files and scanned processes in the log of Windows Defender",
    names: &["MPLog-*.log", "MPDetection-*.log"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    let name = head.name.to_lowercase();
    (name.starts_with("mplog-") || name.starts_with("mpdetection-")) && name.ends_with(".log")
}

fn records() -> Vec<RecordType> {
    let kind = |name, meaning, subject, own: &[(&str, &[FieldType], &str)]| {
        let mut fields = own.to_vec();
        fields.push(("time", &[Time], "when the line was written"));
        fields.push(("line", &[Text], "the whole line"));
        fields.push(("path", &[Path], "path of the log in the evidence"));
        spec::record(name, meaning, subject, &fields)
    };
    vec![
        kind(
            DETECTION,
            "a line of Windows Defender's log that reports a threat; not that the threat ran, nor that it was removed",
            "threat",
            &[
                ("threat", &[Name], "name of the threat"),
                ("event", &[Text], "what the log calls the event, with its source"),
                ("resource", &[Text], "in what it was found: file: and its path, or the like"),
            ],
        ),
        kind(
            IMPACT,
            "a line of Windows Defender's log that sums up what scanning the files of a process took: a process of this name ran before the line was written; not which file that was on disk, nor when it began",
            "program",
            &[
                ("program", &[Name], "name of the program"),
                ("process_id", &[Integer], "process number"),
                ("scans", &[Integer], "how many scans"),
                ("file", &[Path], "the file that took the longest"),
            ],
        ),
        kind(
            LOOKUP,
            "a line of Windows Defender's log that names a file it looked up by its digests: the file was there; not that it ran or was bad",
            "file",
            &[
                ("file", &[Path], "path of the file"),
                ("sha1", &[Hash], "SHA-1 of its content"),
                ("sha256", &[Hash], "SHA-256 of its content"),
            ],
        ),
        kind(
            BLOCKED,
            "a line of Windows Defender's log that names a file it kept from being opened: it was not run by that attempt",
            "file",
            &[
                ("file", &[Path], "path of the file"),
                ("process", &[Path], "process that wanted to open it"),
                ("status", &[Name], "status that the process got"),
            ],
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    source.note("only lines about detections, blocked or looked-up files and scanned processes are given; search_text reads the others");
    let path = source.node.path.as_str().to_owned();
    for entry in defender_log::entries(&bytes) {
        let row = told(source, &entry).field("path", FieldValue::Path(path.clone()));
        let row = parts::civil(row, "time", 0, entry.time.as_ref(), parts::Unzoned::Utc);
        let row = parts::part(row, "line", 0, Some(&entry.line), FieldValue::Text);
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn told(source: &Source<'_, '_>, entry: &Entry) -> Row {
    let row = |kind| source.row(kind, Some(parts::place(0, &entry.line)));
    let hash = |text: String| FieldValue::Hash(text.to_ascii_lowercase());
    match &entry.told {
        Told::Detection { event, threat, resource } => {
            let row = parts::part(row(DETECTION), "threat", 0, Some(threat), FieldValue::Name);
            let row = parts::part(row, "event", 0, Some(event), FieldValue::Text);
            parts::part(row, "resource", 0, resource.as_ref(), FieldValue::Text)
        }
        Told::Impact { program, process_id, count, file } => {
            let row = parts::part(row(IMPACT), "program", 0, Some(program), FieldValue::Name);
            let row = parts::digits(row, "process_id", 0, process_id.as_ref());
            let row = parts::digits(row, "scans", 0, count.as_ref());
            parts::part(row, "file", 0, file.as_ref(), FieldValue::Path)
        }
        Told::Lookup { path, sha1, sha256 } => {
            let row = parts::part(row(LOOKUP), "file", 0, Some(path), FieldValue::Path);
            let row = parts::part(row, "sha1", 0, sha1.as_ref(), hash);
            parts::part(row, "sha256", 0, sha256.as_ref(), hash)
        }
        Told::Blocked { path, process, status } => {
            let row = parts::part(row(BLOCKED), "file", 0, Some(path), FieldValue::Path);
            let row = parts::part(row, "process", 0, process.as_ref(), FieldValue::Path);
            parts::part(row, "status", 0, status.as_ref(), FieldValue::Name)
        }
    }
}
