//! Reports of Windows Error Reporting.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::error_report;
use evidence::ReadError;
use ledger::FieldType::{Guid, Integer, List, Name, Path, Text, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "crash_report";

const LONGEST: u64 = 16 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "error_report",
    about: "reports of crashes, hangs and other problems, with the program and the time",
    names: &["*.wer"],
    common_names: &[],
    fits: |head: &Head<'_>| error_report::fits(head.bytes),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a report of Windows Error Reporting; of a crash or hang of a process it also says that the program ran at that time",
        "event_type",
        &[
            ("event_type", &[Name], "kind of problem: APPCRASH, BEX64, AppHangB1, …"),
            ("time", &[Time], "when it happened"),
            (
                "program",
                &[Path],
                "path of the program whose process crashed or hung; of no other kind of problem",
            ),
            ("app_path", &[Path], "path of the program that the report is about"),
            ("app_name", &[Name], "name of the program"),
            ("friendly_name", &[Text], "what Windows calls this kind of problem"),
            ("report_id", &[Guid], "identifier of the report"),
            ("signature", &[List], "parameters of the problem, each name=value"),
            ("modules", &[List], "paths of the modules that were loaded, the program first"),
            ("module_count", &[Integer], "how many these are"),
            ("path", &[Path], "path of the report in the evidence"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    let report = error_report::read(&bytes);
    if report.event_type.is_none() {
        source.damage(None, "expected the kind of the problem, found none");
        return Ok(ControlFlow::Continue(()));
    }
    let row = source
        .row(KIND, Some(ByteSpan::new(0, bytes.len() as u64)))
        .field("path", FieldValue::Path(source.node.path.as_str().to_owned()))
        .field("module_count", FieldValue::Integer(report.modules.len() as i128));
    let row = parts::part(row, "event_type", 0, report.event_type.as_ref(), FieldValue::Name);
    let row = parts::time(row, "time", 0, report.time.as_ref());
    let ran = report.app_path.as_ref().filter(|_| report.is_of_process());
    let row = parts::part(row, "program", 0, ran, FieldValue::Path);
    let row = parts::part(row, "app_path", 0, report.app_path.as_ref(), FieldValue::Path);
    let row = parts::part(row, "app_name", 0, report.app_name.as_ref(), FieldValue::Name);
    let row = parts::part(row, "friendly_name", 0, report.friendly_name.as_ref(), FieldValue::Text);
    let row = parts::part(row, "report_id", 0, report.id.as_ref(), FieldValue::Guid);
    let row = row
        .field("signature", FieldValue::List(report.signature))
        .field("modules", FieldValue::List(report.modules));
    Ok(source.push(row))
}
