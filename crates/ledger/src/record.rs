//! Records: rows of evidence inside a tool's output.

use crate::canonical::{self, CanonicalError, write_text};
use crate::id::RecordId;
use crate::locator::{ByteSpan, Locator};
use crate::value::FieldValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// One row of evidence: named, typed fields with a locator into the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Damage met while this record was read.
    #[serde(default)]
    pub defects: Vec<Defect>,
    /// The fields by name.
    pub fields: BTreeMap<String, Field>,
    /// The record's place in its output.
    pub id: RecordId,
    /// The name of its record type, such as `registry_value`.
    pub kind: String,
    /// Where the record stands in the evidence.
    pub locator: Locator,
}

/// One field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Where its raw bytes stand in the record's file, where they stand in one piece.
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
    /// Bytes from the start of that file, where known.
    pub offset: Option<u64>,
    /// What stands there and what was expected.
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

/// The canonical bytes of a record, and where in them each field's value stands.
pub(crate) struct EncodedRecord {
    pub(crate) bytes: Vec<u8>,
    pub(crate) values: BTreeMap<String, Range<usize>>,
}

impl Record {
    /// Encodes canonically, noting the byte range of each field's value.
    pub(crate) fn encode(&self) -> Result<EncodedRecord, CanonicalError> {
        let mut bytes = b"{\"defects\":".to_vec();
        bytes.extend(canonical::to_vec(&self.defects)?);
        bytes.extend_from_slice(b",\"fields\":{");
        let mut values = BTreeMap::new();
        for (index, (name, field)) in self.fields.iter().enumerate() {
            if index > 0 {
                bytes.push(b',');
            }
            write_text(&mut bytes, name)?;
            bytes.extend_from_slice(b":{\"at\":");
            bytes.extend(canonical::to_vec(&field.at)?);
            bytes.extend_from_slice(b",\"value\":");
            let start = bytes.len();
            bytes.extend(canonical::to_vec(&field.value)?);
            values.insert(name.clone(), start..bytes.len());
            bytes.push(b'}');
        }
        bytes.extend_from_slice(b"},\"id\":");
        bytes.extend(canonical::to_vec(&self.id)?);
        bytes.extend_from_slice(b",\"kind\":");
        write_text(&mut bytes, &self.kind)?;
        bytes.extend_from_slice(b",\"locator\":");
        bytes.extend(canonical::to_vec(&self.locator)?);
        bytes.push(b'}');
        Ok(EncodedRecord { bytes, values })
    }
}
