//! The questions that people asked in words (`locard ask`), and the facts that their tasks recorded.

use crate::run::{Run, TaskView};
use ledger::FactId;

/// A question in words, and the task that answers it.
#[derive(Debug, Clone, Copy)]
pub struct InWords<'r> {
    /// The question as it was asked.
    pub question: &'r str,
    /// Its task.
    pub view: &'r TaskView,
}

impl<'r> InWords<'r> {
    /// Returns who answered: `code`, or the name of the model.
    pub fn answered_by(&self) -> &'r str {
        if self.view.assigned.ask { "code" } else { &self.view.assigned.model }
    }

    /// Returns the facts that its task recorded, in order.
    pub fn facts(&self) -> impl Iterator<Item = FactId> + use<'r> {
        self.view.accepted().map(|accepted| accepted.fact.id)
    }
}

/// Returns the questions of a run that people asked in words, in the order of their tasks.
pub fn questions_in_words(run: &Run) -> Vec<InWords<'_>> {
    // The first event has the questions that were known when the run began.
    let mut of_first = run.opened.asked.iter();
    let of_questions = run.tasks.values().filter(|view| view.assigned.is_of_a_question());
    let paired = of_questions.filter_map(|view| {
        let asked = view.assigned.asked.as_deref().or_else(|| of_first.next())?;
        Some(InWords { question: &asked.question, view })
    });
    paired.collect()
}
