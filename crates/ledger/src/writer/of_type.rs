//! Who writes the fields of one record type.

use super::party::Writer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Who writes the fields of one record type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordWriters {
    /// Who writes its fields.
    pub writer: Writer,
    /// Fields with another writer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Writer>,
    /// The field whose [`super::Limit`] applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The field with the path of the file that the record describes, if it was read from another file: that file's place counts, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Fields that neither `by` nor `of` lowers.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub kept: BTreeSet<String>,
    /// Whether it was read from structures of the medium itself, so that its path does not show who wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub medium: bool,
    /// Whether it shows raw bytes of a file, whatever they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// The field with the name of the counted record type: the least trusted writer in its table counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
}
