//! Notes: an agent's remarks that are not facts. Nobody checks them, and nothing can be based on them.

use crate::arguments::Malformed;
use crate::step::Append;
use crate::task::{Task, event};
use ledger::event::{NoteWritten, Refusal};
use ledger::turn::{Answer, ToolCall};
use ledger::{Chapter, Event};
use serde_json::Value;

/// The member of a record call that holds a note.
pub(crate) const NOTE: &str = "note";

/// The most characters of a note.
pub(crate) const LONGEST_NOTE: usize = 1_000;

/// The most notes of a task.
pub(crate) const MOST_NOTES: u32 = 50;

/// Checks whether a record call writes a note.
pub(crate) fn is_note(arguments: &Value) -> bool {
    arguments.get(NOTE).is_some_and(|note| !note.is_null())
}

/// The members of a `tell` call that comments on a chapter.
const ON_CHAPTER: [&str; 2] = ["chapter", "comment"];

/// Checks whether a `tell` call comments on a chapter.
pub(crate) fn is_on_chapter(arguments: &Value) -> bool {
    ON_CHAPTER.iter().any(|name| arguments.get(name).is_some_and(|value| !value.is_null()))
}

impl Task {
    /// Writes down a note, whatever remains of the claim budgets: a note is not a claim.
    pub(crate) fn write_note(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let read = read(&call.arguments).map(|text| (text, None));
        self.note(call, read, append);
    }

    /// Writes down a comment on a chapter of the story, in the same way.
    pub(crate) fn comment_on_chapter(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let read = read_comment(&call.arguments).map(|(text, chapter)| (text, Some(chapter)));
        self.note(call, read, append);
    }

    fn note(
        &mut self,
        call: ToolCall,
        read: Result<(String, Option<Chapter>), Malformed>,
        append: &mut Vec<Append>,
    ) {
        let (text, chapter) = match read {
            Err(malformed) => {
                return self.refuse(call, Refusal::BadArguments, malformed.to_string(), append);
            }
            Ok(_) if self.notes >= MOST_NOTES => {
                let told = format!("a task writes {MOST_NOTES} notes at most");
                return self.refuse(call, Refusal::BadArguments, told, append);
            }
            Ok(read) => read,
        };
        self.notes += 1;
        append.push(event(Event::NoteWritten(NoteWritten {
            turn: self.turn,
            call: call.call.clone(),
            text,
            chapter,
        })));
        let told = "noted as your words, checked by nobody: no fact, and nothing can rest on it".to_owned();
        self.answer(call, Answer::Noted { text: told });
    }
}

/// Reads the note of a call, which must contain nothing else.
fn read(arguments: &Value) -> Result<String, Malformed> {
    let mut members = arguments.as_object().into_iter().flatten();
    if members.any(|(name, value)| name != NOTE && !value.is_null()) {
        let expected = "nothing beside it: words on readings are their `interpretation`";
        return Err(Malformed::new(NOTE, expected));
    }
    words(arguments, NOTE)
}

/// Reads the comment of a call on a chapter, and the chapter.
fn read_comment(arguments: &Value) -> Result<(String, Chapter), Malformed> {
    let mut members = arguments.as_object().into_iter().flatten();
    if members.any(|(name, value)| !ON_CHAPTER.contains(&name.as_str()) && !value.is_null()) {
        return Err(Malformed::new(
            "chapter",
            "a chapter and a comment alone: statements are a call of their own",
        ));
    }
    let named = arguments.get("chapter").and_then(Value::as_str).and_then(Chapter::of_name);
    let names = || Chapter::ALL.map(Chapter::name).join(", ");
    let chapter = named.ok_or_else(|| Malformed::new("chapter", format!("one of {}", names())))?;
    Ok((words(arguments, "comment")?, chapter))
}

fn words(arguments: &Value, member: &str) -> Result<String, Malformed> {
    let text = arguments.get(member).and_then(Value::as_str).unwrap_or_default().trim();
    match (1..=LONGEST_NOTE).contains(&text.chars().count()) {
        true => Ok(text.to_owned()),
        false => Err(Malformed::new(member, format!("a text of 1 to {LONGEST_NOTE} characters"))),
    }
}
