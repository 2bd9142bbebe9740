//! The typed value of a field; its type decides which values count as equal.

use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What one field of a record holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case", deny_unknown_fields)]
pub enum FieldValue {
    /// Free text: the only type from which a part can be quoted.
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
    Integer(#[serde(with = "whole_number")] i128),
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
    /// Returns the type.
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

    /// Returns the text, if the value has one; `None` for a time, a number, a flag or a list.
    pub const fn as_text(&self) -> Option<&str> {
        match self {
            FieldValue::Text(text)
            | FieldValue::Name(text)
            | FieldValue::Path(text)
            | FieldValue::RegistryPath(text)
            | FieldValue::Sid(text)
            | FieldValue::Guid(text)
            | FieldValue::Hash(text)
            | FieldValue::Bytes(text) => Some(text.as_str()),
            FieldValue::Time(_)
            | FieldValue::Integer(_)
            | FieldValue::Size(_)
            | FieldValue::Flag(_)
            | FieldValue::List(_) => None,
        }
    }

    /// Returns the value as the text that models and people read and that a claim states.
    ///
    /// A list is its items joined by `; `, which is good for reading but cannot be claimed.
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

/// Reads a whole number in decimal digits or, after `0x`, in hex digits.
pub fn read_whole_number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let plain = digits.chars().all(|c| c.is_digit(radix));
    let number = i128::from_str_radix(digits, radix).ok().filter(|_| plain)?;
    Some(if negative { -number } else { number })
}

/// `i128` in the range of JSON's whole numbers: serde cannot return a buffered value as `i128`.
mod whole_number {
    use serde::de::{Deserializer, Visitor};
    use serde::ser::{Error as _, Serializer};
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(number: &i128, serializer: S) -> Result<S::Ok, S::Error> {
        match (u64::try_from(*number), i64::try_from(*number)) {
            (Ok(number), _) => serializer.serialize_u64(number),
            (_, Ok(number)) => serializer.serialize_i64(number),
            (Err(_), Err(_)) => Err(S::Error::custom("a whole number outside i64 and u64")),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i128, D::Error> {
        deserializer.deserialize_any(WholeNumber)
    }

    struct WholeNumber;

    impl Visitor<'_> for WholeNumber {
        type Value = i128;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number")
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<i128, E> {
            Ok(number.into())
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<i128, E> {
            Ok(number.into())
        }

        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<i128, E> {
            Err(E::custom("a number with a fraction"))
        }
    }

    #[cfg(test)]
    mod tests {
        use crate::value::FieldValue;

        #[test]
        fn a_whole_number_survives_whatever_order_its_members_come_in() {
            for number in [i128::from(i64::MIN), -1, 0, i128::from(u64::MAX)] {
                let value = FieldValue::Integer(number);
                let text = serde_json::to_string(&value).unwrap();
                assert_eq!(serde_json::from_str::<FieldValue>(&text).unwrap(), value);
                let turned = format!("{{\"value\":{number},\"type\":\"integer\"}}");
                assert_eq!(serde_json::from_str::<FieldValue>(&turned).unwrap(), value);
            }
            assert!(serde_json::to_string(&FieldValue::Integer(i128::MAX)).is_err());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read_whole_number;

    #[test]
    fn numbers_are_decimal_or_hex_and_nothing_else() {
        assert_eq!(read_whole_number("0x1F"), Some(31));
        assert_eq!(read_whole_number("-12"), Some(-12));
        for text in ["1e3", "1,000", "+5", "0x", "", "--1", "0x-1", "١"] {
            assert_eq!(read_whole_number(text), None, "{text}");
        }
    }
}
