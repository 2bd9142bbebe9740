//! DetectionHistory of Windows Defender: one record for each resource of a detection.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::detection_history::{self, Detection, Resource};
use evidence::ReadError;
use ledger::FieldType::{Guid, Hash, Integer, Name, Path, Text, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "defender_history";

const LONGEST: u64 = 16 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "defender_history",
    about: "threats that Windows Defender detected, with the files and times",
    names: &["**/DetectionHistory/**"],
    common_names: &[],
    fits: |head: &Head<'_>| detection_history::fits(head.bytes),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a resource in which Windows Defender detected a threat; not that the threat ran, nor that it was removed",
        "threat",
        &[
            ("threat", &[Name], "name of the threat"),
            ("threat_id", &[Integer], "number of the threat"),
            ("detection_id", &[Guid], "identifier of the detection"),
            ("resource_type", &[Name], "file, containerfile, process, regkey, CmdLine, …"),
            ("resource", &[Path, Text], "where it was found, or the command line"),
            ("time", &[Time], "when it was first detected"),
            ("changed", &[Time], "when the state of the detection last changed"),
            ("remediated", &[Time], "when something was done about it"),
            ("user", &[Name], "account"),
            ("process", &[Path], "process that touched the resource; Unknown where none is known"),
            ("sha256", &[Hash], "SHA-256 of its content"),
            ("sha1", &[Hash], "SHA-1 of its content"),
            ("md5", &[Hash], "MD5 of its content"),
            ("path", &[Path], "path of the file in the evidence"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(found) = detection_history::read(&bytes) else { return Ok(ControlFlow::Continue(())) };
    for defect in parts::defects(source, 0, &found.damage) {
        source.damage(defect.offset, defect.what);
    }
    if found.threat.is_none() {
        source.damage(None, "expected the name of a threat, found none");
        return Ok(ControlFlow::Continue(()));
    }
    let none = [Resource::default()];
    let resources = if found.resources.is_empty() { &none[..] } else { &found.resources };
    for resource in resources {
        let row = of_detection(source.row(KIND, Some(ByteSpan::new(0, bytes.len() as u64))), source, &found);
        let row = of_resource(row, resource);
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn of_detection(row: Row, source: &Source<'_, '_>, found: &Detection) -> Row {
    let row = row.field("path", FieldValue::Path(source.node.path.as_str().to_owned()));
    let row = parts::part(row, "threat", 0, found.threat.as_ref(), FieldValue::Name);
    let row = parts::number(row, "threat_id", 0, found.threat_id.as_ref());
    let row = parts::part(row, "detection_id", 0, found.id.as_ref(), FieldValue::Guid);
    let row = parts::time(row, "time", 0, found.detected.as_ref());
    let row = parts::time(row, "changed", 0, found.changed.as_ref());
    let row = parts::time(row, "remediated", 0, found.remediated.as_ref());
    let row = parts::part(row, "user", 0, found.user.as_ref(), FieldValue::Name);
    parts::part(row, "process", 0, found.process.as_ref(), FieldValue::Path)
}

fn of_resource(row: Row, resource: &Resource) -> Row {
    let row = parts::part(row, "resource_type", 0, resource.kind.as_ref(), FieldValue::Name);
    let is_path = resource
        .kind
        .as_ref()
        .is_some_and(|kind| matches!(kind.value.as_str(), "file" | "containerfile" | "process"));
    let make = if is_path { FieldValue::Path } else { FieldValue::Text };
    let row = parts::part(row, "resource", 0, resource.location.as_ref(), make);
    let hash = |text: String| FieldValue::Hash(text.to_ascii_lowercase());
    let row = parts::part(row, "sha256", 0, resource.sha256.as_ref(), hash);
    let row = parts::part(row, "sha1", 0, resource.sha1.as_ref(), hash);
    parts::part(row, "md5", 0, resource.md5.as_ref(), hash)
}
