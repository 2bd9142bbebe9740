//! The types of values that the kinds work on.

use ledger::FieldType;

/// Every type.
pub(super) const ALL: &[FieldType] = &[
    FieldType::Text,
    FieldType::Name,
    FieldType::Path,
    FieldType::RegistryPath,
    FieldType::Time,
    FieldType::Integer,
    FieldType::Size,
    FieldType::Sid,
    FieldType::Guid,
    FieldType::Hash,
    FieldType::Bytes,
    FieldType::Flag,
    FieldType::List,
];

/// Types whose values have letters.
pub(super) const WORDED: &[FieldType] = &[
    FieldType::Text,
    FieldType::Name,
    FieldType::Path,
    FieldType::RegistryPath,
    FieldType::Guid,
    FieldType::Hash,
    FieldType::Bytes,
    FieldType::List,
];

/// Types with words and names.
pub(super) const TEXTS: &[FieldType] =
    &[FieldType::Text, FieldType::Name, FieldType::Path, FieldType::RegistryPath, FieldType::List];

/// Types of which a part, however long, is not the value.
pub(super) const PARTED: &[FieldType] = &[
    FieldType::Text,
    FieldType::Name,
    FieldType::Path,
    FieldType::RegistryPath,
    FieldType::Integer,
    FieldType::Size,
    FieldType::Sid,
    FieldType::Guid,
    FieldType::Hash,
    FieldType::Bytes,
    FieldType::List,
];

/// Types whose values may have digits.
pub(super) const NUMBERED: &[FieldType] = &[
    FieldType::Text,
    FieldType::Name,
    FieldType::Path,
    FieldType::RegistryPath,
    FieldType::Time,
    FieldType::Integer,
    FieldType::Size,
    FieldType::Sid,
    FieldType::Guid,
    FieldType::Hash,
    FieldType::Bytes,
    FieldType::List,
];
