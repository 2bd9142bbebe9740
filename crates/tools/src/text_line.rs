//! The record of a line of text.

use crate::remains;
use crate::row::Row;
use crate::spec;
use crate::text::Line;
use evidence::{Node, Tree};
use ledger::{Defect, FieldType, FieldValue, Record, RecordType};

const KIND: &str = "text_line";

pub(crate) fn record_type() -> RecordType {
    remains::qualified(spec::record(
        KIND,
        "one line of a text file, without its line end; of a long line one part; \
         in a file that is no text a run of printable characters",
        "path",
        &[
            ("path", &[FieldType::Path], "path of the file in the evidence"),
            ("stream", &[FieldType::Name], "named stream of the file, where the text stands in one"),
            remains::FIELD,
            (
                "line",
                &[FieldType::Integer],
                "line number from 1; only in a text file that was read from its start",
            ),
            (
                "part",
                &[FieldType::Integer],
                "number of the part from 1, where read_file gives a line of more than 4096 bytes",
            ),
            ("text", &[FieldType::Text], "the text"),
        ],
    ))
}

pub(crate) fn record(
    tree: &dyn Tree,
    node: &Node,
    stream: Option<&str>,
    line: Line,
    numbered: bool,
) -> Record {
    let number = |number: usize| FieldValue::Integer(i128::try_from(number).unwrap_or_default());
    let defects = if line.damaged {
        vec![Defect {
            path: node.path.as_str().to_owned(),
            offset: Some(line.span.offset),
            what: "bytes that are no text in this encoding became U+FFFD".to_owned(),
        }]
    } else {
        Vec::new()
    };
    Row::new(KIND, tree, node, Some(line.span))
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .maybe("line", numbered.then(|| number(line.number + 1)), None)
        .maybe("part", line.part.map(number), None)
        .field_at("text", FieldValue::Text(line.text), Some(line.span))
        .in_stream(stream)
        .defects(defects)
        .done()
}
