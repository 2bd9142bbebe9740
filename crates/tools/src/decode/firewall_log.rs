//! The log of the Windows firewall: allowed and dropped connections.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::w3c_log;
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Size, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "firewall_event";

/// The longest log that is read; Windows closes one at 32,767 KB and keeps the one before it.
const LONGEST: u64 = 256 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "firewall_log",
    about: "connections that the Windows firewall allowed or dropped",
    names: &["pfirewall.log*"],
    common_names: &[],
    fits: |head: &Head<'_>| w3c_log::software(head.bytes).is_some_and(|name| name.contains("Firewall")),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a packet or connection that the Windows firewall noted; of an allowed one not that a service answered",
        "action",
        &[
            ("action", &[Name], "ALLOW, DROP, …"),
            ("time", &[Time], "when, by the local clock where the log says so"),
            ("protocol", &[Name], "TCP, UDP, …"),
            ("source", &[Name], "address it came from"),
            ("source_port", &[Integer], "port it came from"),
            ("destination", &[Name], "address it went to"),
            ("destination_port", &[Integer], "port it went to"),
            ("size", &[Size], "its bytes"),
            ("direction", &[Name], "SEND, RECEIVE, FORWARD or UNKNOWN"),
            ("process_id", &[Integer], "process number, in newer logs"),
            ("path", &[Path], "path of the log in the evidence"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let path = source.node.path.as_str().to_owned();
    for found in w3c_log::rows(&bytes) {
        let Some(action) = found.get("action") else {
            if let Some(damage) = found.damage {
                source.damage(Some(damage.offset as u64), damage.what);
            }
            continue;
        };
        let unzoned = if found.local { parts::Unzoned::Local } else { parts::Unzoned::Utc };
        let row = source
            .row(KIND, Some(parts::place(0, &found.line)))
            .defects(parts::defects(source, 0, found.damage.as_slice()))
            .field("path", FieldValue::Path(path.clone()));
        let row = parts::part(row, "action", 0, Some(action), FieldValue::Name);
        let row = parts::civil(row, "time", 0, found.time.as_ref(), unzoned);
        let row = parts::part(row, "protocol", 0, found.get("protocol"), FieldValue::Name);
        let row = parts::part(row, "source", 0, found.get("src-ip"), FieldValue::Name);
        let row = parts::digits(row, "source_port", 0, found.get("src-port"));
        let row = parts::part(row, "destination", 0, found.get("dst-ip"), FieldValue::Name);
        let row = parts::digits(row, "destination_port", 0, found.get("dst-port"));
        let row = parts::part(row, "direction", 0, found.get("path"), FieldValue::Name);
        let row = parts::digits(row, "process_id", 0, found.get("pid"));
        let size = found.get("size").and_then(|size| Some((size, size.value.parse().ok()?)));
        let row = match size {
            Some((at, size)) => row.field_at("size", FieldValue::Size(size), Some(parts::place(0, at))),
            None => row,
        };
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
