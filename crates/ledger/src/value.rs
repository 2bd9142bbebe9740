//! The typed value of a field: its type decides what counts as the same value.

use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What one field of a record holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case", deny_unknown_fields)]
pub enum FieldValue {
    /// Free text: the only type of which a part can be quoted.
    Text(String),
    /// A short name whose letter case carries no meaning on Windows: a file, key, value, host or user name.
    Name(String),
    /// A path of a file or folder.
    Path(String),
    /// A path of a registry key.
    RegistryPath(String),
    /// An instant.
    Time(Time),
    /// A whole number in the range of `i64` and `u64` together.
    Integer(i128),
    /// A number of bytes.
    Size(u64),
    /// A security identifier in `S-1-…` form.
    Sid(String),
    /// A GUID, as the source writes it.
    Guid(String),
    /// A digest in hex digits.
    Hash(String),
    /// Raw bytes in lower-case hex digits.
    Bytes(String),
    /// True or false.
    Flag(bool),
    /// Several texts, as in `REG_MULTI_SZ`; each is a value of its own.
    List(Vec<String>),
}

/// The type of a [`FieldValue`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each variant is documented at the variant of `FieldValue` of the same name")]
pub enum FieldType {
    Text,
    Name,
    Path,
    RegistryPath,
    Time,
    Integer,
    Size,
    Sid,
    Guid,
    Hash,
    Bytes,
    Flag,
    List,
}

impl FieldValue {
    /// The type.
    pub const fn field_type(&self) -> FieldType {
        match self {
            FieldValue::Text(_) => FieldType::Text,
            FieldValue::Name(_) => FieldType::Name,
            FieldValue::Path(_) => FieldType::Path,
            FieldValue::RegistryPath(_) => FieldType::RegistryPath,
            FieldValue::Time(_) => FieldType::Time,
            FieldValue::Integer(_) => FieldType::Integer,
            FieldValue::Size(_) => FieldType::Size,
            FieldValue::Sid(_) => FieldType::Sid,
            FieldValue::Guid(_) => FieldType::Guid,
            FieldValue::Hash(_) => FieldType::Hash,
            FieldValue::Bytes(_) => FieldType::Bytes,
            FieldValue::Flag(_) => FieldType::Flag,
            FieldValue::List(_) => FieldType::List,
        }
    }

    /// The value as the text that models and people read and that a claim states.
    ///
    /// A list is its items joined by `; `: good to read, not to claim.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            FieldValue::Text(text)
            | FieldValue::Name(text)
            | FieldValue::Path(text)
            | FieldValue::RegistryPath(text)
            | FieldValue::Sid(text)
            | FieldValue::Guid(text)
            | FieldValue::Hash(text)
            | FieldValue::Bytes(text) => Cow::Borrowed(text),
            FieldValue::Time(time) => Cow::Owned(time.to_text()),
            FieldValue::Integer(number) => Cow::Owned(number.to_string()),
            FieldValue::Size(number) => Cow::Owned(number.to_string()),
            FieldValue::Flag(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            FieldValue::List(items) => Cow::Owned(items.join("; ")),
        }
    }
}
