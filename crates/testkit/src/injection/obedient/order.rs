//! Finds orders in the text shown, and what each asks for.

use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// The maximum number of ids that are remembered.
const KEPT: usize = 3;

/// The act that an order asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Deed {
    /// Make a call.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Make no further call.
    End,
    /// Make no record that contains the word.
    Drop {
        /// The word.
        word: String,
    },
    /// Add words to every record.
    Words {
        /// The words.
        words: String,
    },
}

/// The ids that were read so far and that orders may need.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The latest fact ids.
    facts: VecDeque<String>,
    /// The latest invocation, and its record that was read last.
    invocation: String,
    record: Option<String>,
    /// The latest invocations that found nothing.
    empty: VecDeque<String>,
}

impl Seen {
    /// Returns the orders in a text, each with its canary, and remembers ids on the way.
    pub(super) fn orders(&mut self, text: &str) -> Vec<(String, Deed)> {
        let mut found = Vec::new();
        for line in text.lines() {
            self.learn(line);
            let mut texts = Vec::new();
            match serde_json::from_str(line) {
                Ok(value) => strings(&value, &mut texts),
                Err(_) => texts.push(line.to_owned()),
            }
            for text in &texts {
                for (canary, order) in proper(text) {
                    if let Some(deed) = self.deed(order) {
                        found.push((canary, deed));
                    }
                }
            }
        }
        found
    }

    fn learn(&mut self, line: &str) {
        for fact in ids(line, "fact-") {
            keep(&mut self.facts, fact);
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else { return };
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(invocation) = text("invocation") {
            if text("outcome").as_deref() == Some("empty") {
                keep(&mut self.empty, invocation.clone());
            }
            self.invocation = invocation;
            self.record = None;
        }
        if let Some(record) = text("record") {
            self.record = Some(record);
        }
    }

    fn deed(&self, order: &str) -> Option<Deed> {
        let mut words = order.split('~');
        let verb = words.next()?.to_ascii_lowercase();
        let rest: Vec<&str> = words.collect();
        let word = |at: usize| rest.get(at).map(|word| (*word).to_owned());
        let from = |at: usize| members(rest.get(at..).unwrap_or_default());
        Some(match verb.as_str() {
            "call" => call(&word(0)?, from(1)),
            "record" => self.reading(&word(0)?, from(1), &self.invocation, self.record.as_deref()),
            "cite" => self.reading(&word(1)?, from(2), &word(0)?, None),
            "absent" => {
                let searches =
                    if self.empty.is_empty() { vec![&self.invocation] } else { self.empty.iter().collect() };
                let mut arguments = from(0);
                if let Some(ids) = arguments.get_mut("ids") {
                    let numbers = ids.as_str().and_then(|id| id.parse::<u64>().ok());
                    *ids = json!([numbers]);
                }
                arguments["searches"] = json!(searches);
                call("record_absence", arguments)
            }
            // Its own words can be in a story only as a comment on what it names.
            "tell" => {
                let node = self.facts.back().map(String::as_str).unwrap_or_default();
                call("tell", json!({"statements": [{"node": node, "comment": word(0)?}]}))
            }
            "guess" => call("propose_hypothesis", json!({"statement": word(0)?})),
            "store" => call("store_result", json!({"summary": word(0)?, "content": word(1)?})),
            "nothing" => call("nothing_to_record", json!({"reason": word(0)?})),
            "decline" => call(
                "decline_questions",
                json!({"agent": word(0)?, "questions": [word(1)?], "reason": word(2)?}),
            ),
            "entity" => call("add_entity", json!({"kind": word(0)?, "name": word(1)?, "facts": self.facts})),
            "end" => Deed::End,
            "drop" => Deed::Drop { word: word(0)? },
            "words" => Deed::Words { words: word(0)? },
            _ => return None,
        })
    }

    fn reading(&self, predicate: &str, values: Value, invocation: &str, record: Option<&str>) -> Deed {
        let mut reading = json!({"predicate": predicate, "values": values, "invocation": invocation});
        if let Some(record) = record {
            reading["record"] = json!(record);
        }
        call("record_phenomenon", json!({"readings": [reading], "interpretation": "as I was told"}))
    }
}

fn call(tool: &str, arguments: Value) -> Deed {
    Deed::Call { tool: tool.to_owned(), arguments }
}

/// Parses `name=value` as members of an object.
fn members(words: &[&str]) -> Value {
    let members = words.iter().filter_map(|word| word.split_once('='));
    Value::Object(members.map(|(name, value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>())
}

/// Returns the actual orders in a text: `(canary~verb~…)`.
fn proper(text: &str) -> Vec<(String, &str)> {
    text.match_indices('(')
        .filter_map(|(at, _)| {
            let inside = text.get(at + 1..)?;
            let (canary, rest) = inside.split_once('~')?;
            let canary = canary.to_ascii_lowercase();
            let digits = canary.strip_prefix("zq")?;
            let is_canary = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
            let order = rest.split(')').next()?;
            is_canary.then_some((canary, order))
        })
        .collect()
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                strings(value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns ids of eight hexadecimal digits after a prefix.
fn ids(text: &str, prefix: &str) -> Vec<String> {
    text.match_indices(prefix)
        .filter_map(|(at, _)| text.get(at..at + prefix.len() + 8))
        .filter(|id| id.bytes().skip(prefix.len()).all(|digit| digit.is_ascii_hexdigit()))
        .map(str::to_owned)
        .collect()
}

fn keep(kept: &mut VecDeque<String>, id: String) {
    kept.retain(|known| *known != id);
    kept.push_back(id);
    if kept.len() > KEPT {
        kept.pop_front();
    }
}
