//! Canonical JSON: the encoding that is hashed and stored, with one byte string for each value.
//!
//! JSON without white space, object keys in byte order, integers only.
//! It follows RFC 8785 (JSON Canonicalization Scheme) with two exceptions:
//! keys are ordered by their UTF-8 bytes, and whole numbers keep all their digits past 2^53.
//! Locard persists no floating-point numbers.

mod order;

use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use thiserror::Error;

/// Why a value has no canonical form.
#[derive(Debug, Error)]
pub enum CanonicalError {
    /// The value does not serialise to JSON at all.
    #[error("encode a value as canonical JSON")]
    Json(#[source] serde_json::Error),
    /// A number is not an integer in the range of `i64` and `u64`.
    #[error("encode a value as canonical JSON: expected an integer, found {found}")]
    NotAnInteger {
        /// The number as JSON text.
        found: String,
    },
}

/// Returns the canonical bytes of `value`.
///
/// # Errors
///
/// If it holds a number that is not an integer, or does not serialise.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    // Everything below is compiled once, not once for each type.
    in_order(serde_json::to_vec(value))
}

/// Appends the canonical bytes of `value` to `out`; after an error, do not use `out` any more.
///
/// # Errors
///
/// As for [`to_vec`].
pub(crate) fn append<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), CanonicalError> {
    let start = out.len();
    serde_json::to_writer(&mut *out, value).map_err(CanonicalError::Json)?;
    put_in_order(out, start)
}

/// Sorts the members of everything from `start` on.
fn put_in_order(out: &mut Vec<u8>, start: usize) -> Result<(), CanonicalError> {
    let text = out.get(start..).unwrap_or_default();
    // A tree of values costs ten times as much as the text, and is seldom needed.
    let ordered = match order::ordered(text) {
        Some(Cow::Borrowed(_)) => return Ok(()),
        Some(Cow::Owned(ordered)) => ordered,
        None => by_tree(text)?,
    };
    out.truncate(start);
    out.extend(ordered);
    Ok(())
}

fn in_order(text: serde_json::Result<Vec<u8>>) -> Result<Vec<u8>, CanonicalError> {
    let mut text = text.map_err(CanonicalError::Json)?;
    put_in_order(&mut text, 0)?;
    Ok(text)
}

fn by_tree(text: &[u8]) -> Result<Vec<u8>, CanonicalError> {
    let value: Value = serde_json::from_slice(text).map_err(CanonicalError::Json)?;
    let mut out = Vec::with_capacity(text.len());
    write_value(&mut out, &value)?;
    Ok(out)
}

/// Returns the canonical form of `value` as text.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, CanonicalError> {
    let bytes = to_vec(value)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write_value(out: &mut Vec<u8>, value: &Value) -> Result<(), CanonicalError> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            out.extend_from_slice(number.to_string().as_bytes());
        }
        Value::Number(number) => return Err(CanonicalError::NotAnInteger { found: number.to_string() }),
        Value::String(text) => write_text(out, text)?,
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(out, item)?;
            }
            out.push(b']');
        }
        Value::Object(members) => {
            // serde_json does not keep its maps sorted in every build: another crate's feature can change that.
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|a, b| a.0.cmp(b.0));
            out.push(b'{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_text(out, name)?;
                out.push(b':');
                write_value(out, member)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

/// Appends `text` as a JSON string.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) -> Result<(), CanonicalError> {
    serde_json::to_writer(out, text).map_err(CanonicalError::Json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_white_space_is_gone() {
        let value = json!({"b": [1, -2, true, null], "a": {"z": "\u{e9}\n", "y": 18446744073709551615u64}});
        let expected = "{\"a\":{\"y\":18446744073709551615,\"z\":\"\u{e9}\\n\"},\"b\":[1,-2,true,null]}";
        assert_eq!(to_string(&value).unwrap(), expected);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-3i8..3).prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_put_in_order_as_text_is_what_a_tree_gives(value in values()) {
            // The members of this tree are in the order of an array of pairs, which can be any.
            let turned = Turned(&value);
            let text = serde_json::to_vec(&turned).unwrap();
            let by_tree = by_tree(&text).unwrap();
            if let Some(ordered) = order::ordered(&text) {
                prop_assert_eq!(ordered.as_ref(), by_tree.as_slice());
            }
            prop_assert_eq!(to_vec(&turned).unwrap(), by_tree);
        }
    }

    /// A value that writes its members in reverse order.
    struct Turned<'v>(&'v Value);

    impl Serialize for Turned<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                Value::Object(members) => {
                    serializer.collect_map(members.iter().rev().map(|(name, value)| (name, Turned(value))))
                }
                Value::Array(items) => serializer.collect_seq(items.iter().map(Turned)),
                other => other.serialize(serializer),
            }
        }
    }

    #[test]
    fn a_float_has_no_canonical_form() {
        assert!(matches!(to_vec(&json!({"x": 1.5})), Err(CanonicalError::NotAnInteger { .. })));
    }
}
