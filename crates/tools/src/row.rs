//! Building one record.

use evidence::{Node, Tree};
use ledger::{ByteSpan, Defect, Field, FieldValue, Locator, Record, RecordId};
use std::collections::BTreeMap;

/// A record being built.
pub(crate) struct Row(Record);

impl Row {
    /// Begins a record of type `kind` located at `span` of a file; it gets its number when the output is made.
    pub(crate) fn new(kind: &str, tree: &dyn Tree, node: &Node, span: Option<ByteSpan>) -> Row {
        Row::at(kind, tree, node.path.as_str(), span)
    }

    /// Begins a record of something that is not a folder entry: a volume or, with the root's path, the imaged medium itself.
    pub(crate) fn at(kind: &str, tree: &dyn Tree, path: &str, span: Option<ByteSpan>) -> Row {
        Row(Record {
            placement: None,
            defects: Vec::new(),
            fields: BTreeMap::new(),
            id: RecordId(0),
            kind: kind.to_owned(),
            locator: Locator { evidence: tree.label().to_owned(), path: path.to_owned(), stream: None, span },
        })
    }

    /// Adds a field that has no bytes of its own in the file.
    pub(crate) fn field(self, name: &str, value: FieldValue) -> Row {
        self.field_at(name, value, None)
    }

    /// Adds a field whose bytes are at `at`.
    pub(crate) fn field_at(mut self, name: &str, value: FieldValue, at: Option<ByteSpan>) -> Row {
        self.0.fields.insert(name.to_owned(), Field { at, value });
        self
    }

    /// Adds a field, if there is a value.
    pub(crate) fn maybe(self, name: &str, value: Option<FieldValue>, at: Option<ByteSpan>) -> Row {
        match value {
            Some(value) => self.field_at(name, value, at),
            None => self,
        }
    }

    /// Removes a field.
    pub(crate) fn without(mut self, name: &str) -> Row {
        self.0.fields.remove(name);
        self
    }

    /// Adds damage met while the record was read.
    pub(crate) fn defects(mut self, defects: Vec<Defect>) -> Row {
        self.0.defects.extend(defects);
        self
    }

    /// Locates the record in a named stream of the file; its other fields name the stream.
    pub(crate) fn located_in(mut self, stream: Option<&str>) -> Row {
        self.0.locator.stream = stream.map(str::to_owned);
        self
    }

    /// Locates the record in a named stream of the file, and adds the field `stream`.
    pub(crate) fn in_stream(mut self, stream: Option<&str>) -> Row {
        self.0.locator.stream = stream.map(str::to_owned);
        self.maybe("stream", stream.map(|name| FieldValue::Name(name.to_owned())), None)
    }

    /// Completes the record.
    pub(crate) fn done(self) -> Record {
        self.0
    }
}
