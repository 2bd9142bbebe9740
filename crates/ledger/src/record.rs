//! Records: rows of evidence inside a tool's output.

use crate::canonical::{self, CanonicalError, write_text};
use crate::id::RecordId;
use crate::locator::{ByteSpan, Locator};
use crate::placement::Placement;
use crate::value::FieldValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// One row of evidence: named, typed fields with a locator into the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Damage found while this record was read.
    #[serde(default)]
    pub defects: Vec<Defect>,
    /// The fields by name.
    pub fields: BTreeMap<String, Field>,
    /// The record's position in its output.
    pub id: RecordId,
    /// The name of its record type, such as `registry_value`.
    pub kind: String,
    /// The record's place in the evidence.
    pub locator: Locator,
    /// The placement of its file, if it is not a place in which Windows keeps such files; absent before format 2.16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
}

/// One field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The place of its raw bytes in the record's file, if they are in one piece.
    #[serde(default)]
    pub at: Option<ByteSpan>,
    /// What it holds.
    pub value: FieldValue,
}

/// Damaged evidence that was read as far as possible.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// The path in the evidence.
    pub path: String,
    /// Bytes from the start of that file, if known.
    pub offset: Option<u64>,
    /// What was found there and what was expected.
    pub what: String,
}

/// Something that was not examined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// The path in the evidence.
    pub path: String,
    /// Why it was not examined.
    pub reason: String,
}

/// The canonical bytes of a record, and the range of each field's value in them.
pub(crate) struct EncodedRecord<'r> {
    pub(crate) bytes: Vec<u8>,
    /// In the order of the field names.
    pub(crate) values: Vec<(&'r str, Range<usize>)>,
}

impl Record {
    /// Encodes canonically and notes the byte range of each field's value.
    pub(crate) fn encode(&self) -> Result<EncodedRecord<'_>, CanonicalError> {
        let mut bytes = b"{\"defects\":".to_vec();
        canonical::append(&mut bytes, &self.defects)?;
        bytes.extend_from_slice(b",\"fields\":{");
        let mut values = Vec::with_capacity(self.fields.len());
        for (index, (name, field)) in self.fields.iter().enumerate() {
            if index > 0 {
                bytes.push(b',');
            }
            write_text(&mut bytes, name)?;
            bytes.extend_from_slice(b":{\"at\":");
            canonical::append(&mut bytes, &field.at)?;
            bytes.extend_from_slice(b",\"value\":");
            let start = bytes.len();
            canonical::append(&mut bytes, &field.value)?;
            values.push((name.as_str(), start..bytes.len()));
            bytes.push(b'}');
        }
        bytes.extend_from_slice(b"},\"id\":");
        canonical::append(&mut bytes, &self.id)?;
        bytes.extend_from_slice(b",\"kind\":");
        write_text(&mut bytes, &self.kind)?;
        bytes.extend_from_slice(b",\"locator\":");
        canonical::append(&mut bytes, &self.locator)?;
        if let Some(placement) = &self.placement {
            bytes.extend_from_slice(b",\"placement\":");
            canonical::append(&mut bytes, placement)?;
        }
        bytes.push(b'}');
        Ok(EncodedRecord { bytes, values })
    }
}
