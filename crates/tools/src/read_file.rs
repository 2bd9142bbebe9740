//! `read_file`: a window of a file, as lines of text or as rows of bytes.
//!
//! A line of more than 4,096 bytes becomes several records with the same line number and a `part`, cut between characters.
//! A last line cut by the window is left for the next call; a note says how to make it.

use crate::arguments::Arguments;
use crate::catalogue::Call;
use crate::error::CallError;
use crate::place::Place;
use crate::returned::Return;
use crate::row::Row;
use crate::text::{Encoding, detect, lines};
use crate::whole_lines::{read_at, widen};
use crate::{place, remains, spec, text_line};
use evidence::ReadAt;
use ledger::digest::hex;
use ledger::{ByteSpan, FieldType, FieldValue, Record, RecordType, ToolSpec};
use serde_json::{Value, json};

const ROW: &str = "byte_row";

/// The most records of one call: a file of line ends only would make a million.
const MAX_RECORDS: usize = 20_000;

/// Bytes in a [`ROW`].
const ROW_BYTES: usize = 16;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "read_file",
        "Reads part of a file of the evidence: lines of text, or rows of 16 bytes for what is no text. \
         A line longer than 4096 bytes comes in parts. Line numbers are given only when reading from the start.",
        vec![
            ("path", spec::text("file, with either slash, with or without a drive letter")),
            ("evidence", spec::evidence()),
            offset(),
            length(),
            encoding(),
        ],
        &["path"],
        record_types(),
    )
}

/// Returns the argument for where to begin.
pub(crate) fn offset() -> (&'static str, Value) {
    ("offset", spec::number("first byte to read", 0, 0, spec::MAX_EXACT))
}

/// Returns the argument for how much to read.
pub(crate) fn length() -> (&'static str, Value) {
    ("length", spec::number("most bytes to read", 64 << 10, 1, 1 << 20))
}

/// Returns the argument for the encoding.
pub(crate) fn encoding() -> (&'static str, Value) {
    let encodings: Vec<_> = std::iter::once("auto").chain(Encoding::ALL.map(Encoding::name)).collect();
    let schema = json!({
        "type": "string",
        "description": "how to read the bytes; auto decides by their content",
        "enum": encodings,
        "default": "auto",
    });
    ("encoding", schema)
}

/// Returns the types of the records.
pub(crate) fn record_types() -> Vec<RecordType> {
    vec![
        text_line::record_type(),
        remains::qualified(spec::record(
            ROW,
            "16 bytes of a file",
            "path",
            &[
                ("path", &[FieldType::Path], "path of the file in the evidence"),
                ("stream", &[FieldType::Name], "named stream of the file, where the bytes stand in one"),
                remains::FIELD,
                ("offset", &[FieldType::Integer], "bytes from the start of the file"),
                ("bytes", &[FieldType::Bytes], "the bytes in hex digits; fewer than 16 at the end"),
            ],
        )),
    ]
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    Ok(remains::mark(read(arguments, &place, None)?, &place))
}

/// Reads the part of the file, or of its named stream, that the arguments ask for.
pub(crate) fn read(
    arguments: &Arguments,
    place: &Place<'_>,
    stream: Option<&str>,
) -> Result<Return, CallError> {
    let mut reader = place.tree.open(&place.node, stream)?;
    let (asked, length) = (arguments.number("offset")?, arguments.count("length")?);
    let window = Window::read(reader.as_mut(), asked, length, arguments.text("encoding")?)?;

    let mut used = vec![
        ("evidence", json!(place.tree.label())),
        ("path", json!(place.node.path.as_str())),
        ("offset", json!(window.offset)),
        ("encoding", json!(window.encoding.name())),
    ];
    used.extend(stream.map(|stream| ("stream", json!(stream))));
    let (records, next) = window.records(place, stream);
    let mut returned = Return::found(records, arguments.normalised(&used));
    if window.offset != asked {
        returned.notes.push(format!("no line is cut: read from byte {}", window.offset));
    }
    let size = window.size;
    if next < size {
        returned.truncate(format!("read up to byte {next} of {size}: go on with \"offset\": {next}"));
    } else if window.offset > 0 {
        // What is missing from a part of a file may still be in the rest.
        let note = format!("read from byte {} to the end at {size}; lines have no numbers", window.offset);
        returned.truncate(note);
    }
    Ok(returned)
}

/// The bytes that one call reads.
struct Window {
    bytes: Vec<u8>,
    offset: u64,
    encoding: Encoding,
    /// The size of the whole file in bytes.
    size: u64,
}

impl Window {
    fn read(reader: &mut dyn ReadAt, asked: u64, length: usize, encoding: &str) -> Result<Window, CallError> {
        let size = reader.len();
        let mut offset = asked;
        let mut bytes = read_at(reader, offset, length)?;
        let named = Encoding::ALL.into_iter().find(|known| known.name() == encoding);
        let encoding = match named {
            Some(encoding) => encoding,
            None => detect(&read_at(reader, 0, 3)?, &bytes),
        };
        match encoding {
            Encoding::Hex => {}
            Encoding::Utf8 | Encoding::Latin1 => (offset, bytes) = widen(reader, offset, length, encoding)?,
            // At least one unit, or reading would never advance.
            Encoding::Utf16Le => {
                (offset, bytes) = widen(reader, offset & !1, (length & !1).max(2), encoding)?;
            }
        }
        Ok(Window { bytes, offset, encoding, size })
    }

    /// Returns the records, and the offset of the first byte that is in none of them.
    fn records(&self, place: &Place<'_>, stream: Option<&str>) -> (Vec<Record>, u64) {
        match self.encoding {
            Encoding::Hex => self.rows(place, stream),
            Encoding::Utf8 | Encoding::Utf16Le | Encoding::Latin1 => self.lines(place, stream),
        }
    }

    fn lines(&self, place: &Place<'_>, stream: Option<&str>) -> (Vec<Record>, u64) {
        let cut = self.offset.saturating_add(self.bytes.len() as u64) < self.size;
        let found = lines(&self.bytes, self.offset, self.encoding, cut, MAX_RECORDS);
        let from_start = self.offset == 0;
        let record = |line| text_line::record(place.tree, &place.node, stream, line, from_start);
        (found.lines.into_iter().map(record).collect(), found.next)
    }

    fn rows(&self, place: &Place<'_>, stream: Option<&str>) -> (Vec<Record>, u64) {
        let (tree, node) = (place.tree, &place.node);
        let rows = self.bytes.chunks(ROW_BYTES).take(MAX_RECORDS);
        let mut next = self.offset;
        let records = rows.map(|bytes| {
            let span = ByteSpan::new(next, bytes.len() as u64);
            next = span.end();
            Row::new(ROW, tree, node, Some(span))
                .field("path", FieldValue::Path(node.path.as_str().to_owned()))
                .field("offset", FieldValue::Integer(i128::from(span.offset)))
                .field_at("bytes", FieldValue::Bytes(hex(bytes)), Some(span))
                .in_stream(stream)
                .done()
        });
        let records = records.collect();
        (records, next)
    }
}
