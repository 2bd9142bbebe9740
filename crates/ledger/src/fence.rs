//! The fence between words of ours and text of the evidence, in what a language model reads.

use crate::digest::Digest;
use crate::id::{Seed, TaskId};
use crate::record::Record;
use crate::vocabulary::{Predicate, Vocabulary};
use crate::writer::{Writer, Writers};
use std::sync::Arc;

/// What encloses answers of tools where they are rendered as text, and what is said there of records: whose words they hold, and what they prove.
///
/// Its word follows from the run's seed and the task, so that equal runs have equal requests, and whoever wrote the evidence cannot know it.
/// Nothing rests on that alone: whoever renders must let no line of the evidence's begin or end inside (`llm::render`).
#[derive(Debug, Clone)]
pub struct Fence {
    word: String,
    writers: Arc<Writers>,
    vocabulary: Arc<Vocabulary>,
}

impl Fence {
    /// The fence of a task.
    pub fn new(seed: Seed, task: TaskId, writers: Arc<Writers>, vocabulary: Arc<Vocabulary>) -> Fence {
        let of = Digest::of_parts(&[b"locard fence", seed.0.as_bytes(), &task.0.to_be_bytes()]);
        let digits: String = of.to_string().chars().take(16).collect();
        Fence { word: format!("evidence-{digits}"), writers, vocabulary }
    }

    /// The word that stands on its lines and nowhere else.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// The line before what it encloses.
    pub fn begin(&self) -> String {
        format!("[begin {}]", self.word)
    }

    /// The line after it.
    pub fn end(&self) -> String {
        format!("[end {}]", self.word)
    }

    /// The fields of a record that any user could have written; all of them where nothing is known.
    pub fn of_any_user<'r>(&self, record: &'r Record) -> Vec<&'r str> {
        let written = self.writers.written(record);
        let fields = record.fields.keys().map(String::as_str);
        fields.filter(|field| written.is_none_or(|written| written.by(field) == Writer::AnyUser)).collect()
    }

    /// The predicates that a record can prove where its file stands, each with the field that a reading must state for it.
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
