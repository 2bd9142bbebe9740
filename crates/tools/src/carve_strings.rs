//! `carve_strings`: the printable strings of a file, a stream or a region of the medium, with their offsets.
//!
//! The bytes are read in windows of 1 MiB; [`crate::printable`] says where a string begins and ends.

use crate::arguments::Arguments;
use crate::catalogue::Call;
use crate::error::CallError;
use crate::mft_entry::places;
use crate::place::Place;
use crate::printable::{LONGEST, LOOK_BACK, Printable, Scanner, Writing};
use crate::returned::Return;
use crate::row::Row;
use crate::whole_lines::read_at;
use crate::{place, remains, spec, stream, volume};
use evidence::{ReadAt, Tree};
use ledger::{ByteSpan, FieldType, FieldValue, Record, RecordType, ToolSpec};
use serde_json::{Value, json};

const KIND: &str = "carved_string";

/// How many bytes are read at once.
const WINDOW: usize = 1 << 20;

/// The allowed values of `encoding`.
const ENCODINGS: [&str; 3] = ["any", "ascii", "utf-16le"];

pub(crate) fn spec() -> ToolSpec {
    let encoding = json!({
        "type": "string",
        "description": "how the characters are written; any is both",
        "enum": ENCODINGS,
        "default": "any",
    });
    spec::tool(
        "carve_strings",
        "Finds printable strings in bytes of any kind, with the place of each: in a file, a deleted file or a stream, \
         or in a region of a disk image, such as the space between partitions. \
         A string tells that these characters stand there, and not what they were part of.",
        vec![
            (
                "path",
                spec::text(
                    "file to look into, with either slash; of a deleted one the path that list_deleted gives",
                ),
            ),
            ("stream", spec::text("named (alternate) stream of the file; its content when left out")),
            (
                "region",
                spec::text(
                    "region of the medium in place of a file, as list_partitions names it (p1, unpartitioned@1048576), or the byte where it begins",
                ),
            ),
            ("evidence", spec::evidence()),
            (
                "text",
                spec::text(
                    "text that the strings must hold, letter case aside, no patterns; all when left out",
                ),
            ),
            ("min_length", spec::number("fewest characters of a string", 6, 3, 256)),
            ("encoding", encoding),
            ("offset", spec::number("first byte to look at", 0, 0, spec::MAX_EXACT)),
            ("length", spec::number("most bytes to look at", 64 << 20, 1, 1 << 30)),
            ("limit", spec::number("most strings to return", 1000, 1, 10_000)),
        ],
        &[],
        vec![record_type()],
    )
}

fn record_type() -> RecordType {
    remains::qualified(spec::record(
        KIND,
        "one run of printable characters in bytes of any kind; a run of more than 8192 bytes comes in parts",
        "path",
        &[
            ("path", &[FieldType::Path], "path of the file, or name of the region of the medium"),
            ("stream", &[FieldType::Name], "named stream of the file, where the string stands in one"),
            remains::FIELD,
            ("offset", &[FieldType::Integer], "bytes from the start of the file, stream or region"),
            ("encoding", &[FieldType::Name], "ascii or utf-16le"),
            ("text", &[FieldType::Text], "the characters"),
            ("place", &[FieldType::Name], "where they stand in the files of the evidence: file@offset+bytes"),
        ],
    ))
}

/// The bytes to search, and their name.
struct Source<'t> {
    tree: &'t dyn Tree,
    reader: Box<dyn ReadAt>,
    /// The path of the file, or the name of the region.
    name: String,
    /// The path of the locator, and the offset in it at which the source's bytes begin.
    locator: (String, u64),
    stream: Option<String>,
    used: Vec<(&'static str, Value)>,
    /// The file, if the source is one.
    file: Option<Place<'t>>,
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let mut source = match (arguments.optional_text("path"), arguments.optional_text("region")) {
        (Some(path), None) => of_file(call, path)?,
        (None, Some(region)) => of_region(call, region)?,
        (Some(_), Some(_)) | (None, None) => {
            return Err(CallError::OneOf { one: "path", other: "region" });
        }
    };
    let search = Search::read(arguments)?;
    let (records, next) = search.run(&mut source)?;
    let size = source.reader.len();
    let mut returned = Return::found(records, arguments.normalised(&source.used));
    if next < size {
        returned.truncate(format!(
            "looked at bytes {} to {next} of {size}: go on with \"offset\": {next}",
            search.first
        ));
    } else if search.first > 0 {
        // A search of only a part must not be taken for an absence.
        returned.truncate(format!("looked at bytes {} to the end at {size}", search.first));
    }
    Ok(match &source.file {
        Some(place) => remains::mark(returned, place),
        None => returned,
    })
}

fn of_file<'t>(call: &Call<'t>, path: &str) -> Result<Source<'t>, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), path)?;
    let stream = stream::named(&place, arguments.optional_text("stream"))?.map(str::to_owned);
    let name = place.node.path.as_str().to_owned();
    let mut used = vec![("evidence", json!(place.tree.label())), ("path", json!(name))];
    used.extend(stream.as_ref().map(|stream| ("stream", json!(stream))));
    Ok(Source {
        tree: place.tree,
        reader: place.tree.open(&place.node, stream.as_deref())?,
        locator: (name.clone(), 0),
        name,
        stream,
        used,
        file: Some(place),
    })
}

fn of_region<'t>(call: &Call<'t>, region: &str) -> Result<Source<'t>, CallError> {
    let arguments = call.arguments;
    if arguments.optional_text("stream").is_some() {
        return Err(CallError::OneOf { one: "stream", other: "region" });
    }
    let scope = place::scope(call.trees, arguments.optional_text("evidence"))?;
    let (tree, found) = volume::region(&scope, region)?;
    let reader = tree.medium(found.offset, found.length);
    let name = volume::region_name(&found);
    Ok(Source {
        tree,
        reader: reader.ok_or_else(|| volume::no_region(&scope, region))?,
        used: vec![("evidence", json!(tree.label())), ("region", json!(name))],
        name,
        locator: (String::new(), found.offset),
        stream: None,
        file: None,
    })
}

/// What to look for, and where.
struct Search {
    writings: Vec<Writing>,
    least: usize,
    /// The wanted text, in lower case.
    text: Option<String>,
    first: u64,
    length: u64,
    limit: usize,
}

impl Search {
    fn read(arguments: &Arguments) -> Result<Search, CallError> {
        let writings = match arguments.text("encoding")? {
            "ascii" => vec![Writing::Ascii],
            "utf-16le" => vec![Writing::Utf16Le],
            _ => vec![Writing::Ascii, Writing::Utf16Le],
        };
        Ok(Search {
            writings,
            least: arguments.count("min_length")?,
            text: arguments.optional_text("text").map(str::to_lowercase).filter(|text| !text.is_empty()),
            first: arguments.number("offset")?,
            length: arguments.number("length")?,
            limit: arguments.count("limit")?,
        })
    }

    /// Returns the records, and the offset of the first byte that was not examined.
    fn run(&self, source: &mut Source<'_>) -> Result<(Vec<Record>, u64), CallError> {
        let size = source.reader.len();
        let end = self.first.saturating_add(self.length).min(size);
        // Strings that begin before the end are read to their own end.
        let last = end.saturating_add(LONGEST).min(size);
        let mut at = self.first.saturating_sub(LOOK_BACK);
        let mut scanner = Scanner::new(&self.writings, self.least, at);
        let mut records = Vec::new();
        while at < last {
            let wanted = usize::try_from(last - at).unwrap_or(WINDOW).min(WINDOW);
            let bytes = read_at(source.reader.as_mut(), at, wanted)?;
            if bytes.is_empty() {
                let path = source.reader.path().clone();
                return Err(CallError::Changed { path, offset: at, expected: size });
            }
            at = at.saturating_add(bytes.len() as u64);
            scanner.feed(&bytes);
            if at >= last {
                scanner.finish();
            }
            while let Some(found) = scanner.next() {
                if found.offset >= end {
                    return Ok((records, end));
                }
                if found.offset < self.first || !self.wants(&found) {
                    continue;
                }
                if records.len() >= self.limit {
                    return Ok((records, found.offset));
                }
                records.push(source.record(found));
            }
        }
        Ok((records, end.max(self.first)))
    }

    fn wants(&self, found: &Printable) -> bool {
        self.text.as_ref().is_none_or(|text| found.text.to_lowercase().contains(text.as_str()))
    }
}

impl Source<'_> {
    fn record(&self, found: Printable) -> Record {
        let (path, base) = &self.locator;
        let own = ByteSpan::new(found.offset, found.length);
        let span = ByteSpan::new(base.saturating_add(found.offset), found.length);
        Row::at(KIND, self.tree, path, Some(span))
            .field("path", FieldValue::Path(self.name.clone()))
            .field("offset", FieldValue::Integer(found.offset.into()))
            .field("encoding", FieldValue::Name(found.writing.name().to_owned()))
            .field_at("text", FieldValue::Text(found.text), Some(span))
            // The type is a name and not a list: words of the container's file name must not be quoted as words of the evidence.
            .maybe(
                "place",
                places(&self.reader.provenance(own))
                    .map(|place| FieldValue::Name(place.to_text().into_owned())),
                None,
            )
            .in_stream(self.stream.as_deref())
            .done()
    }
}
