//! Reads the arguments of the engine's own tools: strict about what is missing, lenient about its shape.

use crate::shelf::bounded;
use ledger::NodeId;
use ledger::pattern::Patterns;
use serde_json::{Map, Value};
use thiserror::Error;

/// The longest text that an agent may write, in bytes.
const LONGEST: usize = 4096;

/// Why arguments cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read {place}: expected {expected}")]
pub(crate) struct Malformed {
    /// The place in the arguments, such as `readings[0].values`.
    pub(crate) place: String,
    /// What was expected there.
    pub(crate) expected: String,
}

impl Malformed {
    pub(crate) fn new(place: &str, expected: impl Into<String>) -> Malformed {
        Malformed { place: bounded(place), expected: expected.into() }
    }
}

/// The members of an object, all of them known.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    members: &'a Map<String, Value>,
    place: String,
}

impl<'a> Arguments<'a> {
    /// Reads the arguments of a call.
    pub(crate) fn of(value: &'a Value, known: &[&str]) -> Result<Arguments<'a>, Malformed> {
        Arguments::at(value, "", known)
    }

    /// Reads the members of the object at `place`.
    pub(crate) fn at(value: &'a Value, place: &str, known: &[&str]) -> Result<Arguments<'a>, Malformed> {
        let whole = if place.is_empty() { "arguments" } else { place };
        let members = value.as_object().ok_or_else(|| Malformed::new(whole, "an object"))?;
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => {
                let expected = format!("one of {}", known.join(", "));
                Err(Malformed::new(&format!("{whole}.{unknown}"), expected))
            }
            None => Ok(Arguments { members, place: place.to_owned() }),
        }
    }

    /// Returns a member that is given and not null.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// Returns the place of a member.
    pub(crate) fn place(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    pub(crate) fn malformed(&self, name: &str, expected: impl Into<String>) -> Malformed {
        Malformed::new(&self.place(name), expected)
    }

    /// Reads a text that may be left out.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, Malformed> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.malformed(name, "a text")),
        }
    }

    /// Reads a text that is not blank, of at most 4,096 bytes.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, Malformed> {
        let fits = |text: &&str| !text.trim().is_empty() && text.len() <= LONGEST;
        let text = self.optional_text(name)?.filter(fits);
        text.ok_or_else(|| self.malformed(name, "a text of 1 to 4096 bytes"))
    }

    /// Reads a whole number; models also write it as text.
    pub(crate) fn number(&self, name: &str, default: u32) -> Result<u32, Malformed> {
        let number = match self.get(name) {
            None => return Ok(default),
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.malformed(name, "a whole number"))
    }

    /// Reads a flag; `false` if it is left out. Models also write it as text.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Malformed> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
            Some(_) => Err(self.malformed(name, "true or false")),
        }
    }

    /// Reads one of several words.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &str,
        words: &[T],
        word: impl Fn(T) -> &'static str,
    ) -> Result<T, Malformed> {
        let given = self.optional_text(name)?.unwrap_or_default().trim().to_lowercase();
        words.iter().copied().find(|known| word(*known) == given).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|known| word(*known)).collect();
            self.malformed(name, format!("one of {}", known.join(", ")))
        })
    }

    /// Reads the id of a node.
    pub(crate) fn node(&self, name: &str) -> Result<NodeId, Malformed> {
        let text = self.optional_text(name)?.unwrap_or_default().trim();
        text.parse().map_err(|_| self.malformed(name, "the id of a node, such as fact-0a1b2c3d"))
    }

    /// Reads the ids of nodes, each once: an array, or one text with commas.
    pub(crate) fn nodes(&self, name: &str) -> Result<Vec<NodeId>, Malformed> {
        let mut ids = Vec::new();
        for text in self.texts(name)? {
            let id = text.parse().map_err(|_| self.malformed(name, "ids of nodes, such as fact-0a1b2c3d"))?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// Reads a pattern, or an array of patterns; `None` if it is left out.
    pub(crate) fn texts_of_patterns(&self, name: &str) -> Result<Option<Patterns>, Malformed> {
        Ok(match self.get(name) {
            None => None,
            Some(Value::Array(_)) => {
                Some(Patterns::Any(self.texts(name)?.into_iter().map(str::to_owned).collect()))
            }
            Some(_) => Some(Patterns::One(self.text(name)?.to_owned())),
        })
    }

    /// Reads several words: an array, or one text with commas.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&'a str>, Malformed> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => {
                Ok(text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect())
            }
            Some(Value::Array(items)) => {
                let text = |item: &'a Value| item.as_str().map(str::trim);
                items
                    .iter()
                    .map(|item| text(item).ok_or_else(|| self.malformed(name, "an array of texts")))
                    .collect()
            }
            Some(_) => Err(self.malformed(name, "an array of texts")),
        }
    }
}
