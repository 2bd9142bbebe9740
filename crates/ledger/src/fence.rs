//! The fence between our words and text of the evidence, in what a language model reads.

use crate::digest::Digest;
use crate::id::{Seed, TaskId};
use crate::record::Record;
use crate::vocabulary::{Predicate, Vocabulary};
use crate::writer::{Writer, Writers};
use std::sync::Arc;

/// Delimits tool answers where they are rendered as text, and describes records there:
/// who could have written their fields, and what they prove.
///
/// Its word is derived from the run's seed and the task. So equal runs have equal requests, and the author of the evidence cannot know it.
/// Safety does not depend on the word alone: a renderer must not let a line of the evidence look like a begin or end line (`llm::render`).
#[derive(Debug, Clone)]
pub struct Fence {
    word: String,
    writers: Arc<Writers>,
    vocabulary: Arc<Vocabulary>,
}

impl Fence {
    /// Makes the fence of a task.
    pub fn new(seed: Seed, task: TaskId, writers: Arc<Writers>, vocabulary: Arc<Vocabulary>) -> Fence {
        let of = Digest::of_parts(&[b"locard fence", seed.0.as_bytes(), &task.0.to_be_bytes()]);
        let digits: String = of.to_string().chars().take(16).collect();
        Fence { word: format!("evidence-{digits}"), writers, vocabulary }
    }

    /// Returns the word that is on its lines and nowhere else.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Returns the line before the enclosed text.
    pub fn begin(&self) -> String {
        format!("[begin {}]", self.word)
    }

    /// Returns the line after the enclosed text.
    pub fn end(&self) -> String {
        format!("[end {}]", self.word)
    }

    /// Returns the fields of a record that any user could have written; all of them if nothing is known.
    pub fn of_any_user<'r>(&self, record: &'r Record) -> Vec<&'r str> {
        let written = self.writers.written(record);
        let fields = record.fields.keys().map(String::as_str);
        fields.filter(|field| written.is_none_or(|written| written.by(field) == Writer::AnyUser)).collect()
    }

    /// Returns the predicates that a record can prove at its file's place, each with the field that a reading must state for it.
    pub fn proofs<'f>(
        &'f self,
        record: &'f Record,
    ) -> impl Iterator<Item = (&'f Predicate, Option<&'f str>)> {
        self.vocabulary
            .entries()
            .filter(|(_, meaning)| meaning.is_proved_by(record))
            .map(|(predicate, meaning)| (predicate, meaning.states.get(&record.kind).map(String::as_str)))
    }
}
