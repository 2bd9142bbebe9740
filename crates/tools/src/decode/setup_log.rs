//! SetupAPI logs: which devices and drivers were installed, and when.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::setup_log;
use evidence::ReadError;
use ledger::FieldType::{Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "device_setup";

const LONGEST: u64 = 256 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "setup_log",
    about: "installations of devices and drivers, with their local times",
    names: &["setupapi*.log"],
    common_names: &[],
    fits: |head: &Head<'_>| setup_log::fits(head.bytes),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a section of a log of SetupAPI: something was installed, updated or removed, or that was tried; for a USB device the first such section is about its first connection",
        "title",
        &[
            ("title", &[Name], "what was done: Device Install (Hardware initiated), Delete Device, …"),
            ("target", &[Path, Text], "instance of the device, or file of the driver"),
            ("device", &[Path], "the same, only where hardware asked for it: then the device was there"),
            ("time", &[Time], "when it began, by the local clock"),
            ("end", &[Time], "when it ended, by the local clock"),
            ("status", &[Name], "how it ended"),
            ("command", &[Text], "program that asked for it, with its arguments"),
            ("path", &[Path], "path of the log in the evidence"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    parts::tell_text_damage(source, &bytes);
    let path = source.node.path.as_str().to_owned();
    for section in setup_log::sections(&bytes) {
        let Some(title) = section.title.as_ref().filter(|title| !title.value.is_empty()) else { continue };
        let by_hardware = title.value.contains("Hardware initiated");
        let row = source
            .row(KIND, Some(parts::place(0, &section.at)))
            .field("path", FieldValue::Path(path.clone()));
        let row = parts::part(row, "title", 0, Some(title), FieldValue::Name);
        let row = parts::part(row, "target", 0, section.target.as_ref(), FieldValue::Path);
        let device = section.target.as_ref().filter(|_| by_hardware);
        let row = parts::part(row, "device", 0, device, FieldValue::Path);
        let row = parts::civil(row, "time", 0, section.start.as_ref(), parts::Unzoned::Local);
        let row = parts::civil(row, "end", 0, section.end.as_ref(), parts::Unzoned::Local);
        let row = parts::part(row, "status", 0, section.status.as_ref(), FieldValue::Name);
        let row = parts::part(row, "command", 0, section.command.as_ref(), FieldValue::Text);
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
