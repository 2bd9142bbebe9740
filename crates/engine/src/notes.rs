//! Notes: remarks of an agent that are no facts. Nobody checks them, and nothing can rest on them.

use crate::arguments::Malformed;
use crate::step::Append;
use crate::task::{Task, event};
use ledger::Event;
use ledger::event::{NoteWritten, Refusal};
use ledger::turn::{Answer, ToolCall};
use serde_json::Value;

/// The member of a record call that holds one.
pub(crate) const NOTE: &str = "note";

/// The most characters of a note.
pub(crate) const LONGEST_NOTE: usize = 1_000;

/// The most notes of a task.
pub(crate) const MOST_NOTES: u32 = 50;

/// Whether a record call writes a note.
pub(crate) fn is_note(arguments: &Value) -> bool {
    arguments.get(NOTE).is_some_and(|note| !note.is_null())
}

impl Task {
    /// Writes down a note, whatever is left of the budgets of claims: it is none.
    pub(crate) fn write_note(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let text = match read(&call.arguments) {
            Err(malformed) => {
                return self.refuse(call, Refusal::BadArguments, malformed.to_string(), append);
            }
            Ok(_) if self.notes >= MOST_NOTES => {
                let told = format!("a task writes {MOST_NOTES} notes at most");
                return self.refuse(call, Refusal::BadArguments, told, append);
            }
            Ok(text) => text,
        };
        self.notes += 1;
        append.push(event(Event::NoteWritten(NoteWritten {
            turn: self.turn,
            call: call.call.clone(),
            text,
        })));
        let told = "noted as your words, checked by nobody: no fact, and nothing can rest on it".to_owned();
        self.answer(call, Answer::Noted { text: told });
    }
}

/// The note of a call, which holds nothing else.
fn read(arguments: &Value) -> Result<String, Malformed> {
    let mut members = arguments.as_object().into_iter().flatten();
    if members.any(|(name, value)| name != NOTE && !value.is_null()) {
        let expected = "nothing beside it: words on readings are their `interpretation`";
        return Err(Malformed::new(NOTE, expected));
    }
    let text = arguments.get(NOTE).and_then(Value::as_str).unwrap_or_default().trim();
    match (1..=LONGEST_NOTE).contains(&text.chars().count()) {
        true => Ok(text.to_owned()),
        false => Err(Malformed::new(NOTE, format!("a text of 1 to {LONGEST_NOTE} characters"))),
    }
}
