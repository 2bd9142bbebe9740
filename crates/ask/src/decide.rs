//! Decides a question by the rows that were found.
//!
//! An answer needs rows that support it. "No" needs a source that would show it, is there, and shows nothing. Everything else is not determinable.

mod fields;
mod found;
mod silence;

use crate::answer::{Answer, Reason, Verdict};
use crate::looks::Look;
use crate::picked::picked;
use crate::question::{Name, Question, Reading};
use crate::world::{Row, World};

pub(crate) use fields::{role, times};
pub(crate) use found::Found;

/// The most rows that an answer cites.
pub(crate) const CITED: usize = 40;

/// Decides a question by the rows that its looks found.
pub fn decide(question: &Question, looks: &[Look], rows: &[Row], world: &World) -> Answer {
    if let Some(answer) = unreadable(question) {
        return answer;
    }
    let mut first: Option<Answer> = None;
    for (place, reading) in question.readings.iter().enumerate() {
        // Where the first reading shows that there was nothing, the others are not needed.
        let is_settled = first.as_ref().is_some_and(|answer| answer.verdict == Verdict::No);
        if reading.is_other && (is_settled || is_of_other_programs(reading)) {
            continue;
        }
        let found = Found::of(place, question, reading, looks, rows, world);
        let has_rows = !found.chosen.is_empty();
        let answer = answer(&found);
        if has_rows && answer.verdict != Verdict::NotDeterminable(Reason::Ambiguous) {
            return answer;
        }
        first = match first {
            None => Some(answer),
            Some(before) => Some(surer(before, answer)),
        };
    }
    first.unwrap_or_else(|| Answer::not_determinable(Reason::Ambiguous, None, String::new()))
}

/// Returns the answer to a question that needs no rows.
fn unreadable(question: &Question) -> Option<Answer> {
    if question.is_beyond {
        let note = "intent, the person behind an account and opinions are not in records".to_owned();
        return Some(Answer::not_determinable(Reason::NoQuestionOfEvidence, None, note));
    }
    if question.is_time_ambiguous {
        let back = "Which time is meant? Write it as 2022-03-10, or 2022-03-10 at 20:26 (UTC).".to_owned();
        return Some(Answer::not_determinable(Reason::Ambiguous, None, String::new()).asking(back));
    }
    if let Some(unclear) = question.unclear {
        return Some(Answer::not_determinable(Reason::Ambiguous, None, unclear.to_owned()));
    }
    if question.readings.is_empty() {
        let note = "the question was not understood".to_owned();
        let back = "What is asked about: a program, a file, an account, a device, a log, or the system?";
        return Some(Answer::not_determinable(Reason::Ambiguous, None, note).asking(back.to_owned()));
    }
    None
}

/// Whether a reading is about programs, and the question names something else: a folder or a document is not a program.
fn is_of_other_programs(reading: &Reading) -> bool {
    let is_program = |name: &Name| name.spellings.iter().any(|spelling| spelling.ends_with(".exe"));
    reading.topic.sources.iter().any(|source| !source.program.is_empty())
        && !reading.names.iter().any(is_program)
}

/// Of two answers without rows, returns the one that claims less.
fn surer(one: Answer, other: Answer) -> Answer {
    match (one.verdict, other.verdict) {
        (Verdict::No, Verdict::NotDeterminable(_)) => other,
        _ => one,
    }
}

/// Returns the answer of one reading.
fn answer(found: &Found<'_>) -> Answer {
    let (topic, wants) = (found.reading.topic, found.question.wants);
    let ambiguous = |note: String| Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note);
    if topic.sources.is_empty() {
        let note = format!("no evidence of this kind is read: {}", topic.about);
        return Answer::not_determinable(Reason::NoSource, Some(&topic.id), note);
    }
    if wants.yes_or_no && topic.attribute {
        let is_there = !found.chosen.is_empty() || found.sources().any(|source| found.is_there(source));
        let reason = if is_there { Reason::Ambiguous } else { Reason::NoSource };
        let note = format!("what was asked of {} was not understood", topic.about);
        return Answer::not_determinable(reason, Some(&topic.id), note);
    }
    if topic.of_things && found.things == 0 {
        return ambiguous("the question names no program".to_owned());
    }
    if found.chosen.is_empty() {
        return found.nothing();
    }
    let is_told = |class: &&str| topic.tells.iter().any(|told| told == class);
    if let Some(class) = found.question.class.filter(|class| !is_told(class)) {
        return ambiguous(format!("{} do not tell of each {class}", topic.about));
    }
    let is_narrowed = found.names_something() || found.question.span.is_some();
    if topic.named && found.things == 0 && (wants.yes_or_no || !is_narrowed) {
        return ambiguous("the question names nothing that could be looked for".to_owned());
    }
    if found.question.condition.is_some() {
        let note = "a part of the question that puts it before or after something else was not understood";
        return ambiguous(note.to_owned())
            .asking("Before or after which time, as a date and a time of day?".to_owned());
    }
    picked(found)
}
