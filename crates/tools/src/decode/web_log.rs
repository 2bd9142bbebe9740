//! Logs of the web server IIS.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::w3c_log;
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Size, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "web_request";

const LONGEST: u64 = 512 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "web_log",
    about: "requests to the web server IIS",
    names: &["u_ex*.log", "u_in*.log", "**/W3SVC*/ex*.log"],
    common_names: &[],
    fits: |head: &Head<'_>| {
        w3c_log::software(head.bytes).is_some_and(|name| name.contains("Internet Information Services"))
    },
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a request to a web server as its log tells it; what was sent in its body is not told",
        "uri",
        &[
            ("uri", &[Text], "what was asked for, without its query"),
            ("query", &[Text], "the query"),
            ("method", &[Name], "GET, POST, …"),
            ("time", &[Time], "when it was answered"),
            ("client", &[Name], "address it came from; that of a proxy where there is one"),
            ("user", &[Name], "account, where it logged on"),
            ("server", &[Name], "address of the server"),
            ("port", &[Integer], "port of the server"),
            ("status", &[Integer], "status of the answer"),
            ("user_agent", &[Text], "program of the client, as it called itself; + stands for a space"),
            ("referer", &[Text], "page that it came from, as the client said"),
            ("sent", &[Size], "bytes of the answer"),
            ("received", &[Size], "bytes of the request"),
            ("path", &[Path], "path of the log in the evidence"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let path = source.node.path.as_str().to_owned();
    for found in w3c_log::rows(&bytes) {
        let Some(uri) = found.get("cs-uri-stem") else {
            if let Some(damage) = found.damage {
                source.damage(Some(damage.offset as u64), damage.what);
            }
            continue;
        };
        let row = source
            .row(KIND, Some(parts::place(0, &found.line)))
            .defects(parts::defects(source, 0, found.damage.as_slice()))
            .field("path", FieldValue::Path(path.clone()));
        let mut row = parts::civil(row, "time", 0, found.time.as_ref(), parts::Unzoned::Utc);
        row = parts::part(row, "uri", 0, Some(uri), FieldValue::Text);
        for (field, column, make) in [
            ("query", "cs-uri-query", FieldValue::Text as fn(String) -> FieldValue),
            ("method", "cs-method", FieldValue::Name),
            ("client", "c-ip", FieldValue::Name),
            ("user", "cs-username", FieldValue::Name),
            ("server", "s-ip", FieldValue::Name),
            ("user_agent", "cs(User-Agent)", FieldValue::Text),
            ("referer", "cs(Referer)", FieldValue::Text),
        ] {
            row = parts::part(row, field, 0, found.get(column), make);
        }
        row = parts::digits(row, "port", 0, found.get("s-port"));
        row = parts::digits(row, "status", 0, found.get("sc-status"));
        for (field, column) in [("sent", "sc-bytes"), ("received", "cs-bytes")] {
            let size = found.get(column).and_then(|size| Some((size, size.value.parse().ok()?)));
            if let Some((at, size)) = size {
                row = row.field_at(field, FieldValue::Size(size), Some(parts::place(0, at)));
            }
        }
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
