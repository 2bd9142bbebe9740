//! `read_stream`: the named (alternate) streams of a file, and the content of one of them.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::place::Place;
use crate::returned::Return;
use crate::row::Row;
use crate::{place, read_file, remains, spec, stream};
use evidence::StreamInfo;
use ledger::{ByteSpan, FieldType, FieldValue, Record, RecordType, ToolSpec};
use serde_json::json;

const KIND: &str = "stream";

pub(crate) fn spec() -> ToolSpec {
    let mut records = vec![record_type()];
    records.extend(read_file::record_types());
    spec::tool(
        "read_stream",
        "Reads a named (alternate) stream of a file as read_file reads its content; without a name of a stream it lists the streams that the file has. \
         Only images of file systems with such streams (NTFS) hold them: a copied folder has none, whatever the examined host had.",
        vec![
            ("path", spec::text("file or folder, with either slash, with or without a drive letter")),
            ("stream", spec::text_or("name of the stream; empty to list them", "")),
            ("evidence", spec::evidence()),
            read_file::offset(),
            read_file::length(),
            read_file::encoding(),
        ],
        &["path"],
        records,
    )
}

fn record_type() -> RecordType {
    spec::qualified(
        &["stream"],
        spec::record(
            KIND,
            "one named stream of a file or folder",
            "path",
            &[
                ("path", &[FieldType::Path], "path of the file or folder in the evidence"),
                ("stream", &[FieldType::Name], "name of the stream"),
                ("size", &[FieldType::Size], "bytes of the stream"),
            ],
        ),
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    match stream::named(&place, arguments.optional_text("stream"))? {
        Some(stream) => Ok(remains::mark(read_file::read(arguments, &place, Some(stream))?, &place)),
        None => {
            let records = place.node.streams.iter().map(|stream| record(&place, stream)).collect();
            let used = [("evidence", json!(place.tree.label())), ("path", json!(place.node.path.as_str()))];
            Ok(Return::found(records, arguments.normalised(&used)))
        }
    }
}

fn record(place: &Place<'_>, stream: &StreamInfo) -> Record {
    Row::new(KIND, place.tree, &place.node, Some(ByteSpan::new(0, stream.size)))
        .field("path", FieldValue::Path(place.node.path.as_str().to_owned()))
        .field("size", FieldValue::Size(stream.size))
        .in_stream(Some(&stream.name))
        .done()
}
