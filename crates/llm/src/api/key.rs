//! API keys: they leave this module only in a request header.

use reqwest::header::{HeaderValue, InvalidHeaderValue};
use serde_json::Value;
use std::fmt;
use thiserror::Error;

/// The replacement for a key.
const HIDDEN: &str = "[key]";

/// The shortest text that counts as a secret, in bytes.
/// Placeholders for servers that need no key (`x`, `none`, `ollama`) occur inside many other words.
const SHORTEST_SECRET: usize = 8;

/// An API key.
#[derive(Clone)]
pub struct ApiKey(String);

/// Why a text is not a key.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// It is empty.
    #[error("read a key: it is empty")]
    Empty,
    /// It has a character that no header can contain.
    #[error("read a key: expected visible ASCII, found another character at {at}")]
    Character {
        /// Its position, from 0, in bytes.
        at: usize,
    },
}

impl ApiKey {
    /// Makes a key; surrounding whitespace, as files and shells leave it, is removed.
    pub fn new(text: &str) -> Result<ApiKey, KeyError> {
        let key = text.trim();
        if key.is_empty() {
            return Err(KeyError::Empty);
        }
        match key.bytes().position(|byte| !byte.is_ascii_graphic()) {
            Some(at) => Err(KeyError::Character { at }),
            None => Ok(ApiKey(key.to_owned())),
        }
    }

    /// Returns the header's value, which is hidden from the client's logs; `scheme` precedes the key.
    pub(crate) fn header(&self, scheme: &str) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{scheme}{}", self.0))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Removes the key from a text, in case a server repeats it.
    pub(crate) fn hide(&self, text: &str) -> String {
        match self.is_secret() {
            true => text.replace(&self.0, HIDDEN),
            false => text.to_owned(),
        }
    }

    fn is_secret(&self) -> bool {
        self.0.len() >= SHORTEST_SECRET
    }

    /// Removes the key from JSON text, in which it can be escaped.
    pub(crate) fn hide_in_json(&self, text: &str) -> String {
        if !self.is_secret() {
            return text.to_owned();
        }
        let escaped = Value::from(self.0.as_str()).to_string();
        let hidden = self.hide(text).replace(escaped.trim_matches('"'), HIDDEN);
        // Any character can be written as an escape: only the values show them all.
        let Ok(value) = serde_json::from_str::<Value>(&hidden) else { return hidden };
        let mut clean = value.clone();
        self.hide_in(&mut clean);
        if clean == value { hidden } else { clean.to_string() }
    }

    /// Removes the key from a text, which may itself be JSON in which the key is escaped: APIs send arguments as such a text.
    fn hide_in_text(&self, text: &str) -> String {
        let hidden = self.hide(text);
        let nested = match hidden.contains('\\') && self.is_secret() {
            true => serde_json::from_str::<Value>(&hidden).ok(),
            false => None,
        };
        let Some(nested) = nested else { return hidden };
        let mut inner = nested.clone();
        self.hide_in(&mut inner);
        if inner == nested { hidden } else { inner.to_string() }
    }

    /// Removes the key from every text and name of a value.
    pub(crate) fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide_in_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_in(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.hide_in(member));
                if members.keys().any(|name| name.contains(&self.0)) {
                    let whole = std::mem::take(members);
                    members.extend(whole.into_iter().map(|(name, member)| (self.hide(&name), member)));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_itself_nowhere() {
        let key = ApiKey::new(" sk-secret-1\n").unwrap();
        let header = key.header("Bearer ").unwrap();
        let shown = format!("{key:?} {:?} {header:?} {}", Some(&key), key.hide("you sent sk-secret-1 to us"));
        assert!(!shown.contains("secret"), "{shown}");
        assert_eq!(header.to_str().unwrap(), "Bearer sk-secret-1");
    }

    #[test]
    fn a_key_is_hidden_in_json_however_it_is_written_there() {
        let key = ApiKey::new(r#"sk-secret"\1"#).unwrap();
        let mut value = serde_json::json!({ "a sk-secret\"\\1": ["b", { "c": "x sk-secret\"\\1 y" }] });
        let text = key.hide_in_json(&value.to_string());
        key.hide_in(&mut value);
        assert_eq!(value, serde_json::json!({ "a [key]": ["b", { "c": "x [key] y" }] }));
        assert_eq!(text, value.to_string());
    }

    #[test]
    fn a_key_is_hidden_where_its_letters_are_escaped_in_arguments_that_are_a_text() {
        let key = ApiKey::new("sk-secret-1").unwrap();
        let escaped: String = "sk-secret-1".chars().map(|it| format!("\\u{:04x}", u32::from(it))).collect();
        let arguments = format!(r#"{{"text": "say {escaped}"}}"#);
        let message = serde_json::json!({ "tool_calls": [{ "function": { "arguments": arguments } }] });
        let hidden = key.hide_in_json(&message.to_string());
        let hidden: Value = serde_json::from_str(&hidden).unwrap();
        assert_eq!(hidden["tool_calls"][0]["function"]["arguments"], r#"{"text":"say [key]"}"#);
        assert_eq!(key.hide_in_json(r#"{"a": "\u0073k-secret-1"}"#), r#"{"a":"[key]"}"#);
    }

    #[test]
    fn what_people_type_in_place_of_a_key_is_hidden_nowhere() {
        for typed in ["x", "none", "ollama"] {
            let key = ApiKey::new(typed).unwrap();
            let mut value = serde_json::json!({ "text/event-stream": "ollama runs none" });
            key.hide_in(&mut value);
            let text = value.to_string();
            assert_eq!(
                (key.hide("text/event-stream ollama none"), key.hide_in_json(&text)),
                ("text/event-stream ollama none".to_owned(), text.clone())
            );
            assert_eq!(text, r#"{"text/event-stream":"ollama runs none"}"#);
        }
    }

    #[test]
    fn what_no_header_can_carry_is_no_key() {
        assert_eq!(ApiKey::new(" \n").unwrap_err(), KeyError::Empty);
        assert_eq!(ApiKey::new("sk\u{e9}").unwrap_err(), KeyError::Character { at: 2 });
        assert_eq!(ApiKey::new("s k").unwrap_err(), KeyError::Character { at: 1 });
    }
}
