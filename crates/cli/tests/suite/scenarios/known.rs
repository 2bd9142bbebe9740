//! The ids that a model has been told, extracted from the text it was sent.

use llm::api::{Part, Role, Transcript};
use serde_json::Value;
use std::collections::BTreeMap;

/// The number of hex digits in an id.
const DIGITS: usize = 8;
/// The greatest length of an id's first part.
const LONGEST: usize = 6;

/// Ids by their first part (`inv`, `fact`, `art`), each once, in the order in which they first appeared.
#[derive(Debug, Default)]
pub(super) struct Known {
    ids: BTreeMap<String, Vec<String>>,
}

impl Known {
    /// The ids in a conversation, as an investigator's model sees it.
    pub(super) fn of_transcript(transcript: &Transcript) -> Known {
        let mut known = Known::default();
        let told = transcript.turns.iter().filter(|turn| turn.role == Role::User);
        for part in told.flat_map(|turn| &turn.parts) {
            known.hear(text_of(part));
        }
        known
    }

    /// The ids in a request body, as a server sees it.
    pub(super) fn of_body(body: &Value) -> Known {
        let mut known = Known::default();
        for message in body["messages"].as_array().into_iter().flatten() {
            if message["role"] == "user" || message["role"] == "tool" {
                known.hear_all(&message["content"]);
            }
        }
        known
    }

    fn hear_all(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.hear(text),
            Value::Array(items) => items.iter().for_each(|item| self.hear_all(item)),
            Value::Object(members) => {
                let texts = members.iter().filter(|(name, _)| *name == "text" || *name == "content");
                texts.for_each(|(_, value)| self.hear_all(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn hear(&mut self, text: &str) {
        for (at, _) in text.match_indices('-') {
            let (before, behind) = (&text[..at], &text[at + 1..]);
            let letters = before.bytes().rev().take_while(u8::is_ascii_lowercase).count();
            let digits = behind.bytes().take_while(u8::is_ascii_hexdigit).count();
            if (1..=LONGEST).contains(&letters) && digits == DIGITS {
                let kind = &before[at - letters..];
                let id = format!("{kind}-{}", &behind[..DIGITS]);
                let of_kind = self.ids.entry(kind.to_owned()).or_default();
                if !of_kind.contains(&id) {
                    of_kind.push(id);
                }
            }
        }
    }

    /// Replaces `$inv0`, `$fact1`, `$art0` in all texts of the value with ids.
    pub(super) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.filled(text)),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.fill(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn filled(&self, text: &str) -> String {
        let mut parts = text.split('$');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let kind: String = part.chars().take_while(char::is_ascii_lowercase).collect();
            let digits: String = part[kind.len()..].chars().take_while(char::is_ascii_digit).collect();
            let at = digits.parse::<usize>().ok();
            match self.ids.get(&kind).zip(at).and_then(|(ids, at)| ids.get(at)) {
                Some(id) => {
                    filled.push_str(id);
                    filled.push_str(&part[kind.len() + digits.len()..]);
                }
                // If there is no such id, the placeholder stays, so that the refusal shows it.
                None => {
                    filled.push('$');
                    filled.push_str(part);
                }
            }
        }
        filled
    }
}

/// The text of a part.
pub(super) fn text_of(part: &Part) -> &str {
    match part {
        Part::Text(text) | Part::Result { text, .. } => text,
        Part::Call { .. } => "",
    }
}
