//! JSON values with their places: what `serde_json` reads, as parts of the text.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members of an object in their order; a name can occur twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a>(pub(super) Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    /// Reads an object.
    pub(super) fn read(text: &'a str) -> Result<Object<'a>, serde_json::Error> {
        let Members(members) = serde_json::from_str(text)?;
        Ok(Object(members))
    }

    /// The same for a value; `None` if it is not an object.
    pub(super) fn of(raw: &'a str) -> Option<Object<'a>> {
        raw.starts_with('{').then(|| Object::read(raw).ok())?
    }

    /// Returns the text of the first member of this name.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, raw)| *raw)
    }

    /// The same if it is an object.
    pub(super) fn object(&self, name: &str) -> Option<Object<'a>> {
        Object::of(self.get(name)?)
    }

    /// Returns a name that occurs twice.
    pub(super) fn twice(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        names.windows(2).find_map(|pair| match pair {
            [one, other] if one == other => Some(*one),
            _ => None,
        })
    }
}

/// Returns the items of an array; `None` if the value is not one.
pub(super) fn items(raw: &str) -> Option<Vec<&str>> {
    let Items(items) = raw.starts_with('[').then(|| serde_json::from_str(raw).ok())??;
    Some(items)
}

/// Returns a scalar and its source in the text, without quotation marks; for null both are empty, and an object
/// or array is not a scalar.
pub(super) fn scalar(raw: &str) -> Option<(Cow<'_, str>, &str)> {
    match raw.as_bytes().first()? {
        b'{' | b'[' => None,
        b'n' => Some((Cow::Borrowed(""), "")),
        b'"' => {
            let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
            if !inner.contains('\\') {
                return Some((Cow::Borrowed(inner), inner));
            }
            let value = serde_json::from_str::<String>(raw).unwrap_or_else(|_| lenient(inner));
            Some((Cow::Owned(value), inner))
        }
        _ => Some((Cow::Borrowed(raw), raw)),
    }
}

/// Returns the text without escapes; an unpaired surrogate does not count as a character.
fn lenient(inner: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        let escape = (c == '\\').then(|| rest.next()).flatten();
        let plain = match escape {
            None => c,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xFFFD));
                continue;
            }
            Some(other) => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}

struct Members<'a>(Vec<(Cow<'a, str>, &'a str)>);

struct Items<'a>(Vec<&'a str>);

/// A name, borrowed if it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Texts)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Maps;
        impl<'de> Visitor<'de> for Maps {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(name), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((name, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Maps)
    }
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lists;
        impl<'de> Visitor<'de> for Lists {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element::<&'de RawValue>()? {
                    items.push(item.get());
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Lists)
    }
}
