//! A tool's output: the records of one invocation, as they are stored and hashed.
//!
//! The stored form has a line for the header and a line for each record, all canonical JSON.
//! It contains only records: arguments, notes and error texts are kept in the event,
//! so that nothing an agent said can ground its claims.

mod form;

use crate::canonical::CanonicalError;
use crate::digest::Digest;
use crate::id::RecordId;
use crate::locator::ByteSpan;
use crate::record::Record;
use form::VERSION;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;
use thiserror::Error;

/// The records of one invocation.
///
/// Its digest names it in a fact, and it has one form only: the same records in other bytes are refused.
///
/// ```
/// use ledger::{Field, FieldValue, Locator, Output, Record, RecordId};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let line = Field { at: None, value: FieldValue::Text("login failed".into()) };
/// let locator = Locator { evidence: "disk".into(), path: "auth.log".into(), stream: None, span: None };
/// let output = Output::new(vec![Record {
///     id: RecordId(0),
///     kind: "text_line".into(),
///     fields: [("text".into(), line)].into(),
///     locator,
///     placement: None,
///     defects: Vec::new(),
/// }])?;
/// assert_eq!(Output::decode(output.bytes())?.digest(), output.digest());
///
/// let changed = String::from_utf8(output.bytes().to_vec())?.replace("failed", "worked");
/// assert_ne!(Output::decode(changed.as_bytes())?.digest(), output.digest());
/// assert!(Output::decode(changed.replace(':', ": ").as_bytes()).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Output {
    /// Decoded from the bytes on first use.
    records: OnceLock<Vec<Record>>,
    bytes: Vec<u8>,
    /// The offset of each record's line in `bytes`.
    lines: Vec<usize>,
    digest: Digest,
}

impl PartialEq for Output {
    fn eq(&self, other: &Output) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Output {}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    locard_output: u32,
    records: u32,
}

/// Why bytes are not a stored output, or records cannot become one.
#[derive(Debug, Error)]
pub enum OutputError {
    /// A record has no canonical form.
    #[error("encode record {record}")]
    Encode {
        /// The record's position.
        record: usize,
        /// The reason.
        #[source]
        source: CanonicalError,
    },
    /// The first line is not a header of this version.
    #[error("read a stored output: byte 0: expected a header of version {VERSION}")]
    Header,
    /// A line is not a record.
    #[error("read a stored output: byte {offset}: expected record r{record}")]
    Record {
        /// Bytes from the start of the output.
        offset: usize,
        /// The record's position.
        record: usize,
        /// What the JSON reader said.
        #[source]
        source: serde_json::Error,
    },
    /// A line is a record, but not written canonically, or out of place.
    #[error("read a stored output: byte {offset}: record r{record} is out of order or not in canonical form")]
    NotCanonical {
        /// Bytes from the start of the output.
        offset: usize,
        /// The record's position.
        record: usize,
    },
    /// The header states a different number of records than follow.
    #[error("read a stored output: expected {expected} records, found {found}")]
    Count {
        /// The number in the header.
        expected: u32,
        /// The number of lines after it.
        found: usize,
    },
}

impl Output {
    /// Makes an output of `records` and numbers them in order.
    pub fn new(mut records: Vec<Record>) -> Result<Output, OutputError> {
        let header = Header { locard_output: VERSION, records: records.len() as u32 };
        let mut bytes =
            crate::canonical::to_vec(&header).map_err(|source| OutputError::Encode { record: 0, source })?;
        bytes.push(b'\n');
        let mut lines = Vec::with_capacity(records.len());
        for (index, record) in records.iter_mut().enumerate() {
            record.id = RecordId(index as u32);
            let encoded = record.encode().map_err(|source| OutputError::Encode { record: index, source })?;
            lines.push(bytes.len());
            bytes.extend(encoded.bytes);
            bytes.push(b'\n');
        }
        let digest = Digest::of(&bytes);
        Ok(Output { records: OnceLock::from(records), bytes, lines, digest })
    }

    /// Decodes a stored output; refuses anything but the exact bytes that [`Output::new`] writes.
    pub fn decode(bytes: &[u8]) -> Result<Output, OutputError> {
        Output::decode_digested(bytes.to_vec(), Digest::of(bytes))
    }

    /// Does the same for bytes that are already known to have this digest.
    pub fn decode_digested(bytes: Vec<u8>, digest: Digest) -> Result<Output, OutputError> {
        match form::lines(&bytes) {
            Some(lines) => Ok(Output { records: OnceLock::new(), bytes, lines, digest }),
            None => Output::decode_by_records(&bytes),
        }
    }

    /// Decodes the records, encodes them again, and compares.
    fn decode_by_records(bytes: &[u8]) -> Result<Output, OutputError> {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_slice(first).map_err(|_| OutputError::Header)?;
        if header.locard_output != VERSION {
            return Err(OutputError::Header);
        }
        let mut offset = first.len();
        let mut records = Vec::new();
        for (record, line) in lines.enumerate() {
            let parsed = serde_json::from_slice(line).map_err(|source| OutputError::Record {
                offset,
                record,
                source,
            })?;
            records.push(parsed);
            offset += line.len();
        }
        if header.records as usize != records.len() {
            return Err(OutputError::Count { expected: header.records, found: records.len() });
        }
        let output = Output::new(records)?;
        match output.bytes.iter().zip(bytes).position(|(ours, theirs)| ours != theirs) {
            None if output.bytes.len() == bytes.len() => Ok(output),
            at => {
                let offset = at.unwrap_or(output.bytes.len().min(bytes.len()));
                let record = output.lines.partition_point(|line| *line <= offset).saturating_sub(1);
                Err(OutputError::NotCanonical { offset, record })
            }
        }
    }

    /// Returns the records in order.
    pub fn records(&self) -> &[Record] {
        // Recognised bytes can be decoded; if not, no record would ground anything.
        self.records.get_or_init(|| {
            let lines = self.bytes.split_inclusive(|byte| *byte == b'\n').skip(1);
            lines.map(serde_json::from_slice).collect::<Result<_, _>>().unwrap_or_default()
        })
    }

    /// Returns the number of records.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Checks whether any record has a defect.
    pub fn has_defects(&self) -> bool {
        let whole =
            |line: &usize| self.bytes.get(*line..).is_some_and(|rest| rest.starts_with(b"{\"defects\":[],"));
        !self.lines.iter().all(whole)
    }

    /// Returns the record with this id.
    pub fn record(&self, id: RecordId) -> Option<&Record> {
        self.records().get(id.0 as usize)
    }

    /// Returns the stored bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the digest of the stored bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the number of stored bytes of the record's line, including its line feed.
    pub fn line_length(&self, id: RecordId) -> Option<usize> {
        let index = id.0 as usize;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(index + 1).copied().unwrap_or(self.bytes.len());
        Some(end - start)
    }

    /// Returns the span in the stored bytes of each field's value, by field name.
    pub fn value_spans(&self, id: RecordId) -> Option<BTreeMap<&str, ByteSpan>> {
        let encoded = self.record(id)?.encode().ok()?;
        let line = *self.lines.get(id.0 as usize)?;
        let span = |range: Range<usize>| ByteSpan::new((line + range.start) as u64, range.len() as u64);
        Some(encoded.values.into_iter().map(|(name, range)| (name, span(range))).collect())
    }

    /// Returns the span in the stored bytes of this field's value.
    pub fn value_span(&self, id: RecordId, field: &str) -> Option<ByteSpan> {
        self.value_spans(id)?.get(field).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;
    use crate::locator::Locator;
    use crate::record::{Defect, Field};
    use crate::value::FieldValue;
    use proptest::prelude::*;

    fn record(fields: Vec<(String, FieldValue)>) -> Record {
        let fields = fields.into_iter().map(|(name, value)| (name, Field { at: None, value }));
        Record {
            placement: None,
            defects: vec![Defect { path: "a\"b".into(), offset: Some(7), what: "x".into() }],
            fields: fields.collect::<BTreeMap<_, _>>(),
            id: RecordId(0),
            kind: "text_line".into(),
            locator: Locator {
                evidence: "e".into(),
                path: "a\"b".into(),
                stream: None,
                span: Some(ByteSpan::new(1, 2)),
            },
        }
    }

    fn whole_record() -> impl Strategy<Value = Record> {
        let text = "(?s).{0,9}";
        let value = prop_oneof![
            text.prop_map(FieldValue::Text),
            text.prop_map(FieldValue::RegistryPath),
            text.prop_map(FieldValue::Hash),
            any::<u64>().prop_map(|ticks| FieldValue::Time(crate::Time::from_filetime(ticks))),
            (0u64..1 << 57).prop_map(|ticks| FieldValue::Time(crate::Time {
                zone: Some(crate::AssumedZone::Utc),
                clock: crate::Clock::CollectionCopy,
                ..crate::Time::from_filetime(ticks)
            })),
            any::<i64>().prop_map(|number| FieldValue::Integer(number.into())),
            (-5i64..5).prop_map(|number| FieldValue::Integer(number.into())),
            any::<u64>().prop_map(FieldValue::Size),
            any::<bool>().prop_map(FieldValue::Flag),
            prop::collection::vec(text, 0..3).prop_map(FieldValue::List),
        ];
        let at = prop::option::of((0u64..300, 0u64..300).prop_map(|(a, b)| ByteSpan::new(a, b)));
        let field = (at.clone(), value).prop_map(|(at, value)| Field { at, value });
        let fields = prop::collection::btree_map("[a-z\"é]{0,3}", field, 0..4);
        (fields, at, prop::option::of(text), text).prop_map(|(fields, span, stream, text)| Record {
            locator: Locator { span, stream, ..record(vec![]).locator },
            kind: text,
            fields,
            ..record(vec![])
        })
    }

    proptest! {
        #[test]
        fn the_hand_written_encoder_agrees_with_the_canonical_one(name in ".{0,8}", text in ".{0,40}", n: i64) {
            let fields = vec![(name, FieldValue::Text(text)), ("n".into(), FieldValue::Integer(n.into()))];
            let record = record(fields);
            prop_assert_eq!(record.encode().unwrap().bytes, canonical::to_vec(&record).unwrap());
        }

        #[test]
        fn a_value_span_holds_exactly_the_value(texts in prop::collection::vec(".{0,40}", 1..5)) {
            let records: Vec<_> =
                texts.iter().map(|t| record(vec![("text".into(), FieldValue::Text(t.clone()))])).collect();
            let output = Output::decode(Output::new(records).unwrap().bytes()).unwrap();
            for (index, text) in texts.iter().enumerate() {
                let span = output.value_span(RecordId(index as u32), "text").unwrap();
                let bytes = &output.bytes()[span.offset as usize..span.end() as usize];
                let value: FieldValue = serde_json::from_slice(bytes).unwrap();
                prop_assert_eq!(value, FieldValue::Text(text.clone()));
            }
        }

        #[test]
        fn bytes_that_are_recognised_are_those_that_reading_accepts(
            record in whole_record(), position: prop::sample::Index, byte: u8, cut: bool
        ) {
            let good = Output::new(vec![record.clone(), record]).unwrap();
            prop_assert!(form::lines(good.bytes()).is_none_or(|lines| lines == good.lines));
            let read = Output::decode(good.bytes()).unwrap();
            prop_assert_eq!(read.records(), good.records());
            let mut bytes = good.bytes().to_vec();
            let position = position.index(bytes.len());
            match cut {
                true => drop(bytes.remove(position)),
                false => bytes[position] = byte,
            }
            if let Some(lines) = form::lines(&bytes) {
                let read = Output::decode_by_records(&bytes).unwrap();
                prop_assert_eq!(&read.lines, &lines);
                let lazy = Output::decode(&bytes).unwrap();
                prop_assert_eq!(read.records(), lazy.records());
                prop_assert_eq!((lazy.count(), lazy.has_defects()), (2, true));
            }
        }

        #[test]
        fn any_changed_byte_is_refused_or_changes_the_digest(position: prop::sample::Index, bit in 0u8..8) {
            let output = Output::new(vec![record(vec![("text".into(), FieldValue::Text("x".into()))])]).unwrap();
            let mut bytes = output.bytes().to_vec();
            let position = position.index(bytes.len());
            bytes[position] ^= 1 << bit;
            prop_assert_ne!(Digest::of(&bytes), output.digest());
            if let Ok(other) = Output::decode(&bytes) {
                prop_assert_ne!(other, output);
            }
        }
    }

    #[test]
    fn white_space_between_members_is_not_canonical() {
        let output = Output::new(vec![record(vec![])]).unwrap();
        let text = String::from_utf8(output.bytes().to_vec()).unwrap().replace("\"id\":0", "\"id\": 0");
        assert!(matches!(Output::decode(text.as_bytes()), Err(OutputError::NotCanonical { record: 0, .. })));
    }

    #[test]
    fn a_missing_line_is_counted() {
        let output = Output::new(vec![record(vec![]), record(vec![])]).unwrap();
        let cut = &output.bytes()[..output.lines[1]];
        assert!(matches!(Output::decode(cut), Err(OutputError::Count { expected: 2, found: 1 })));
    }
}
