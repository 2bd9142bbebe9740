//! `parse_file`: decodes one file, recognised by its content, into records.

use crate::arguments::Arguments;
use crate::catalogue::{Call, Prepared};
use crate::decode::{DECODERS, Decoder, Head, Source, head, named, recognise};
use crate::error::CallError;
use crate::intake::{Flow, Intake};
use crate::place::Place;
use crate::returned::Return;
use crate::sink::{self, Sink};
use crate::tables::Stored;
use crate::{place, remains, spec, stream};
use evidence::{EvidencePath, Tree, memory_tree};
use ledger::{RecordType, ToolSpec};
use serde_json::{Value, json};
use std::path::Path;

/// The label of bytes that are not evidence.
const MEMORY: &str = "memory";

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
            "Decodes one file of a known format, told by its content whatever its name is. {}. Registry hives are read by records and parse_registry_key, SQLite databases by sqlite_query.",
            about.join("; ")
        ),
        arguments,
        &["path"],
        record_types(),
    )
}

/// Returns the record types of all decoders, each once, and that of counts.
fn record_types() -> Vec<RecordType> {
    sink::with_counts(DECODERS.iter().flat_map(|decoder| (decoder.records)()).collect())
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
    let normalised = [("path", json!(place.node.path.as_str())), ("evidence", json!(place.tree.label()))];
    decode(decoder, call, &place, stream, &normalised)
}

/// Reads one file, or a stream of it, with this decoder.
fn decode(
    decoder: &Decoder,
    call: &Call<'_>,
    place: &Place<'_>,
    stream: Option<&str>,
    normalised: &[(&str, Value)],
) -> Result<Return, CallError> {
    let mut sink = Sink::new(call.arguments, record_types())?;
    sink.begin(format!("{} of {} ({})", place.node.path, place.tree.label(), decoder.name));
    let mut source = Source::new(place.tree, &place.node, stream, call.scratch, &mut sink).alone();
    // The sink's page knows whether the file was read to its end.
    let _: Flow = (decoder.read)(&mut source)?;
    let mut returned = Return::found(Vec::new(), call.arguments.normalised(normalised));
    sink.fill(&mut returned);
    Ok(returned)
}

/// Returns the names of all decoders, sorted.
pub fn decoders() -> Vec<&'static str> {
    DECODERS.iter().map(|decoder| decoder.name).collect()
}

/// Reads these bytes with this decoder as the file at `path`, whatever they are: mutation tests and fuzzers call it.
///
/// It does the same as [`parse_file`](crate::run), but the content need not begin as a file of the decoder.
/// `scratch` is an empty folder that the call may use; an unknown decoder name fails the call.
pub fn decode_bytes(decoder: &str, path: &str, bytes: &[u8], scratch: &Path) -> Return {
    Return::from(decode_memory(decoder, path, bytes, scratch))
}

fn decode_memory(decoder: &str, path: &str, bytes: &[u8], scratch: &Path) -> Result<Return, CallError> {
    let known = || decoders().into_iter().map(str::to_owned).collect();
    let decoder =
        named(decoder).ok_or_else(|| CallError::UnknownTool { tool: decoder.to_owned(), known: known() })?;
    let arguments = Arguments::check(&spec(), &json!({ "path": path, "evidence": MEMORY }))?;
    let file = EvidencePath::parse(path).map_err(CallError::Path)?;
    let trees: [Box<dyn Tree>; 1] = [Box::new(memory_tree(MEMORY, [(file, bytes.into())]))];
    let Prepared { names, tables, in_place } = &Prepared::default();
    let tables = &Stored::new(tables);
    let call = Call { arguments: &arguments, trees: &trees, indexes: names, tables, in_place, scratch };
    let place = place::find(&trees, Some(MEMORY), path)?;
    decode(decoder, &call, &place, None, &[])
}
