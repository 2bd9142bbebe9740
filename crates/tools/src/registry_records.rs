//! The records of registry keys and values.

use crate::hive_file::{key_name, record_span, value_name};
use crate::hive_state::{self, State};
use crate::row::Row;
use crate::spec;
use artifacts::registry::{Key, Value, ValueData};
use evidence::{Node, Tree};
use ledger::digest::hex;
use ledger::{ByteSpan, Defect, FieldType, FieldValue, Record, RecordType, Time};

pub(crate) const KEY: &str = "registry_key";
pub(crate) const VALUE: &str = "registry_value";

/// The most bytes of binary data in a record.
const SHOWN: usize = 4096;

/// The path of the root key, whose own name is not part of any path.
const ROOT: &str = "\\";

/// The name under which registry editors show the unnamed value.
const UNNAMED: &str = "(default)";

pub(crate) fn key_type() -> RecordType {
    spec::record(
        KEY,
        "one registry key",
        "key_path",
        &[
            (
                "key_path",
                &[FieldType::RegistryPath],
                "path from the root of the hive; \\ for the root itself",
            ),
            ("name", &[FieldType::Name], "name of the key"),
            (
                "last_written",
                &[FieldType::Time],
                "when the key, its values or the list of its subkeys was last changed",
            ),
            ("class", &[FieldType::Text], "class name, where there is one"),
            ("subkeys", &[FieldType::Integer], "number of subkeys, as stored"),
            ("values", &[FieldType::Integer], "number of values, as stored"),
            ("hive", &[FieldType::Path], "path of the hive in the evidence"),
            hive_state::FIELD,
        ],
    )
}

pub(crate) fn value_type() -> RecordType {
    use FieldType::{Bytes, Flag, Integer, List, Name, Path, RegistryPath, Size, Text};
    spec::record(
        VALUE,
        "one value of a registry key",
        "value_path",
        &[
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
            ("key_path", &[RegistryPath], "path of the key from the root of the hive"),
            ("name", &[Name], "name of the value; (default) for the unnamed one"),
            ("value_type", &[Name], "type, such as REG_SZ; a hexadecimal number where it has no name"),
            (
                "data",
                &[Text, List, Integer, Bytes],
                "the data by its type; raw bytes for binary types and for numbers of a wrong length",
            ),
            (
                "data_length",
                &[Size],
                "bytes of the raw data, where the data is given as bytes or goes on behind its text",
            ),
            ("truncated", &[Flag], "true where only the first 4096 bytes of the data are given"),
            ("trailing", &[Flag], "true where bytes other than NUL stand behind the end of the text"),
            ("hive", &[Path], "path of the hive in the evidence"),
            (
                "key_last_written",
                &[FieldType::Time],
                "when the key was last changed; values have no times of their own",
            ),
            hive_state::FIELD,
        ],
    )
}

/// A hive from which records are made.
pub(crate) struct Source<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) node: &'a Node,
    pub(crate) bytes: &'a [u8],
    pub(crate) state: &'a State,
}

impl Source<'_> {
    fn hive(&self) -> FieldValue {
        FieldValue::Path(self.node.path.as_str().to_owned())
    }

    pub(crate) fn key(&self, key: &Key<'_>) -> Record {
        let name_at = key_name(self.bytes, key.offset);
        let span = record_span(key.offset, name_at, 0x4C);
        let count = |count: u32| FieldValue::Integer(i128::from(count));
        let at = |field: u64, length| Some(ByteSpan::new(key.offset + field, length));
        let row = Row::new(KEY, self.tree, self.node, Some(span))
            .field("key_path", path(key))
            .field_at("name", FieldValue::Name(key.name.clone()), name_at)
            .field_at("last_written", written(key), written_at(key))
            .maybe("class", key.class.clone().map(FieldValue::Text), None)
            .field_at("subkeys", count(key.subkey_count), at(0x14, 4))
            .field_at("values", count(key.value_count), at(0x24, 4))
            .field("hive", self.hive());
        self.state.record(row.done())
    }

    pub(crate) fn value(&self, key: &Key<'_>, value: &Value<'_>, defects: Vec<Defect>) -> Record {
        let name_at = value_name(self.bytes, value.offset);
        let span = record_span(value.offset, name_at, 0x14);
        let name = if value.name.is_empty() { UNNAMED } else { &value.name };
        let data = Data::of(value);
        let length = Some(value.raw.len() as u64).filter(|_| data.length);
        let flag = |flag: bool| flag.then_some(FieldValue::Flag(true));
        let row = Row::new(VALUE, self.tree, self.node, Some(span))
            .field("value_path", FieldValue::RegistryPath(format!("{}\\{name}", key.path)))
            .field("key_path", path(key))
            .field_at("name", FieldValue::Name(name.to_owned()), name_at)
            .field_at(
                "value_type",
                FieldValue::Name(value.kind.to_string()),
                Some(ByteSpan::new(value.offset + 0x0C, 4)),
            )
            .maybe("data", data.value, data.at)
            .maybe("data_length", length.map(FieldValue::Size), None)
            .maybe("truncated", flag(data.truncated), None)
            .maybe("trailing", flag(value.trailing), None)
            .field("hive", self.hive())
            .field_at("key_last_written", written(key), written_at(key))
            .defects(defects);
        self.state.record(row.done())
    }
}

fn path(key: &Key<'_>) -> FieldValue {
    FieldValue::RegistryPath(if key.path.is_empty() { ROOT.to_owned() } else { key.path.clone() })
}

/// Returns when the key was last written.
pub(crate) fn last_written(key: &Key<'_>) -> Time {
    Time::from_filetime(key.last_written.0)
}

fn written(key: &Key<'_>) -> FieldValue {
    FieldValue::Time(last_written(key))
}

fn written_at(key: &Key<'_>) -> Option<ByteSpan> {
    Some(ByteSpan::new(key.last_written_offset, 8))
}

/// A value's data, as a field.
pub(crate) struct Data {
    pub(crate) value: Option<FieldValue>,
    pub(crate) at: Option<ByteSpan>,
    pub(crate) truncated: bool,
    /// Whether the data's length must be given separately, because the field does not show it.
    length: bool,
}

impl Data {
    pub(crate) fn of(value: &Value<'_>) -> Data {
        let whole = match value.data_extents.as_slice() {
            [one] => Some(ByteSpan::new(one.offset, one.length)),
            _ => None,
        };
        let plain = |field| Data { value: Some(field), at: whole, truncated: false, length: value.trailing };
        match &value.data {
            ValueData::Text(text) => plain(FieldValue::Text(text.clone())),
            ValueData::MultiText(texts) => plain(FieldValue::List(texts.clone())),
            ValueData::Dword(number) => plain(FieldValue::Integer(i128::from(*number))),
            ValueData::Qword(number) => plain(FieldValue::Integer(i128::from(*number))),
            ValueData::Bytes => {
                let shown = value.raw.get(..SHOWN).unwrap_or(&value.raw);
                Data {
                    value: Some(FieldValue::Bytes(hex(shown))),
                    at: whole.map(|span| ByteSpan::new(span.offset, span.length.min(SHOWN as u64))),
                    truncated: value.raw.len() > SHOWN,
                    length: true,
                }
            }
            ValueData::Unreadable => Data { value: None, at: None, truncated: false, length: false },
        }
    }
}
