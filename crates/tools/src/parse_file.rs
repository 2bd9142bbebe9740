//! `parse_file`: one file, told by its content, decoded into records.

use crate::catalogue::Call;
use crate::decode::{DECODERS, Head, Source, head, recognise};
use crate::error::CallError;
use crate::intake::{Flow, Intake};
use crate::returned::Return;
use crate::sink::{self, Sink};
use crate::{place, remains, spec, stream};
use ledger::{RecordType, ToolSpec};
use serde_json::json;

pub(crate) fn spec() -> ToolSpec {
    let about: Vec<_> =
        DECODERS.iter().map(|decoder| format!("{}: {}", decoder.name, decoder.about)).collect();
    let mut arguments = vec![
        ("path", spec::text("file in the evidence, with either slash")),
        ("stream", spec::text("name of an alternate stream to read instead of the file itself")),
        ("evidence", spec::evidence()),
    ];
    arguments.extend(sink::arguments());
    spec::tool(
        "parse_file",
        &format!(
            "Decodes one file of a known format, told by its content whatever its name is. {}. Registry hives are read by registry_artifact and parse_registry_key, SQLite databases by sqlite_query.",
            about.join("; ")
        ),
        arguments,
        &["path"],
        record_types(),
    )
}

/// The record types of all decoders, each once, and that of counts.
fn record_types() -> Vec<RecordType> {
    let mut types: Vec<_> = DECODERS.iter().flat_map(|decoder| (decoder.records)()).collect();
    types.push(sink::count_type());
    types.sort_by(|a, b| a.name.cmp(&b.name));
    types.dedup_by(|a, b| a.name == b.name);
    types
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let path = arguments.text("path")?;
    let place = remains::whole(place::find(call.trees, arguments.optional_text("evidence"), path)?)?;
    let stream = stream::named(&place, arguments.optional_text("stream"))?;
    let (bytes, size) = head(place.tree, &place.node, stream)?;
    let name = stream.unwrap_or(&place.node.name);
    let of = Head { name, path: place.node.path.as_str(), bytes: &bytes, size };
    let decoder = recognise(&of).ok_or_else(|| CallError::UnknownFormat {
        path: place.node.path.clone(),
        known: DECODERS.iter().map(|decoder| decoder.name).collect(),
    })?;
    let mut sink = Sink::new(arguments, record_types())?;
    sink.begin(format!("{} of {} ({})", place.node.path, place.tree.label(), decoder.name));
    let mut source = Source::new(place.tree, &place.node, stream, call.scratch, &mut sink).alone();
    // Whether the file was read to its end is in the sink's page.
    let _: Flow = (decoder.read)(&mut source)?;
    let normalised = [("path", json!(place.node.path.as_str())), ("evidence", json!(place.tree.label()))];
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    sink.fill(&mut returned);
    Ok(returned)
}
