//! Questions in words: each has one task, done by code alone, which records what the first event says.

use super::log::Found;
use crate::run::asked;
use graph::Run;
use ledger::event::TaskAssigned;

/// What is wrong with their tasks.
pub(super) fn amiss(run: &Run) -> Vec<Found> {
    let tasks: Vec<&TaskAssigned> =
        run.tasks.values().map(|view| &view.assigned).filter(|assigned| assigned.ask).collect();
    let questions = &run.opened.asked;
    if tasks.len() != questions.len() {
        let what = format!(
            "{} questions were asked in words, and {} tasks record answers",
            questions.len(),
            tasks.len()
        );
        return vec![("the questions".to_owned(), what)];
    }
    let is_other = |(task, question): &(&&TaskAssigned, &ledger::AskedQuestion)| {
        !asked::assigned(&run.opened, task.task, question).is_ok_and(|again| again == ***task)
    };
    let others = tasks.iter().zip(questions).filter(is_other);
    others
        .map(|(task, _)| {
            (
                task.task.to_string(),
                "it does not record what its question was found to be answered by".to_owned(),
            )
        })
        .collect()
}
