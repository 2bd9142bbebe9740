//! Values: types and decoded data (section "Key value").

use std::borrow::Cow;
use std::fmt;

use super::decode;
use super::defect::{Defect, DefectKind};

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value<'h> {
    /// The name; `""` is the default value.
    pub name: String,
    /// The type, as stored.
    pub kind: ValueKind,
    /// The data, decoded according to its type.
    pub data: ValueData,
    /// The data as stored; shorter than declared if a defect says so.
    pub raw: Cow<'h, [u8]>,
    /// Whether bytes other than NUL follow the end of a text: hidden there, or left over.
    pub trailing: bool,
    /// The location of the record in the file: the offset of its signature `vk`.
    pub offset: u64,
    /// The location of the data in the file, in order; empty if there is none.
    pub data_extents: Vec<Extent>,
}

/// A run of bytes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Offset in the file.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
}

/// The type of a value, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// `REG_NONE`, 0
    None,
    /// `REG_SZ`, 1
    Sz,
    /// `REG_EXPAND_SZ`, 2
    ExpandSz,
    /// `REG_BINARY`, 3
    Binary,
    /// `REG_DWORD`, 4
    Dword,
    /// `REG_DWORD_BIG_ENDIAN`, 5
    DwordBigEndian,
    /// `REG_LINK`, 6
    Link,
    /// `REG_MULTI_SZ`, 7
    MultiSz,
    /// `REG_RESOURCE_LIST`, 8
    ResourceList,
    /// `REG_FULL_RESOURCE_DESCRIPTOR`, 9
    FullResourceDescriptor,
    /// `REG_RESOURCE_REQUIREMENTS_LIST`, 10
    ResourceRequirementsList,
    /// `REG_QWORD`, 11
    Qword,
    /// Any other number; some programs store types of their own.
    Other(u32),
}

impl From<u32> for ValueKind {
    fn from(number: u32) -> Self {
        match number {
            0 => Self::None,
            1 => Self::Sz,
            2 => Self::ExpandSz,
            3 => Self::Binary,
            4 => Self::Dword,
            5 => Self::DwordBigEndian,
            6 => Self::Link,
            7 => Self::MultiSz,
            8 => Self::ResourceList,
            9 => Self::FullResourceDescriptor,
            10 => Self::ResourceRequirementsList,
            11 => Self::Qword,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "REG_NONE",
            Self::Sz => "REG_SZ",
            Self::ExpandSz => "REG_EXPAND_SZ",
            Self::Binary => "REG_BINARY",
            Self::Dword => "REG_DWORD",
            Self::DwordBigEndian => "REG_DWORD_BIG_ENDIAN",
            Self::Link => "REG_LINK",
            Self::MultiSz => "REG_MULTI_SZ",
            Self::ResourceList => "REG_RESOURCE_LIST",
            Self::FullResourceDescriptor => "REG_FULL_RESOURCE_DESCRIPTOR",
            Self::ResourceRequirementsList => "REG_RESOURCE_REQUIREMENTS_LIST",
            Self::Qword => "REG_QWORD",
            Self::Other(number) => return write!(f, "{number:#010x}"),
        })
    }
}

/// The data of a value, decoded by its type alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueData {
    /// `REG_SZ`, `REG_EXPAND_SZ`, `REG_LINK`: the text up to its first NUL.
    Text(String),
    /// `REG_MULTI_SZ`: the texts up to the first empty one.
    MultiText(Vec<String>),
    /// `REG_DWORD`, `REG_DWORD_BIG_ENDIAN`, if the data has 4 bytes.
    Dword(u32),
    /// `REG_QWORD`, if the data has 8 bytes.
    Qword(u64),
    /// Every other type, and numbers of another length: the raw bytes.
    Bytes,
    /// The data could not be reached; a defect says why.
    Unreadable,
}

/// Decodes raw data that begins at a file offset; the flag says whether something follows the text.
pub(crate) fn decode(kind: ValueKind, raw: &[u8], at: u64, defects: &mut Vec<Defect>) -> (ValueData, bool) {
    match kind {
        ValueKind::Sz | ValueKind::ExpandSz | ValueKind::Link => {
            let found = decode::text(raw);
            decode::note(at, found.unpaired, raw.len(), defects);
            (ValueData::Text(found.text), found.trailing)
        }
        ValueKind::MultiSz => {
            let (texts, trailing, unpaired) = decode::texts(raw);
            decode::note(at, unpaired, raw.len(), defects);
            (ValueData::MultiText(texts), trailing)
        }
        ValueKind::Dword => {
            (number(kind, raw, at, defects, |b| ValueData::Dword(u32::from_le_bytes(b))), false)
        }
        ValueKind::DwordBigEndian => {
            (number(kind, raw, at, defects, |b| ValueData::Dword(u32::from_be_bytes(b))), false)
        }
        ValueKind::Qword => {
            (number(kind, raw, at, defects, |b| ValueData::Qword(u64::from_le_bytes(b))), false)
        }
        ValueKind::None
        | ValueKind::Binary
        | ValueKind::ResourceList
        | ValueKind::FullResourceDescriptor
        | ValueKind::ResourceRequirementsList
        | ValueKind::Other(_) => (ValueData::Bytes, false),
    }
}

fn number<const N: usize>(
    kind: ValueKind,
    raw: &[u8],
    at: u64,
    defects: &mut Vec<Defect>,
    read: impl FnOnce([u8; N]) -> ValueData,
) -> ValueData {
    match raw.try_into() {
        Ok(bytes) => read(bytes),
        // Not damage: the SAM stores numbers in the type field of values without data.
        Err(_) if raw.is_empty() => ValueData::Bytes,
        Err(_) => {
            let (expected, actual) = (N as u64, raw.len() as u64);
            defects.push(Defect::at(at, DefectKind::NumberLength { kind, expected, actual }));
            ValueData::Bytes
        }
    }
}
