//! Checks the tasks of questions in words: code does one task for each question
//! and records what the run's first event or the assignment says.

use super::log::Found;
use crate::run::asked;
use graph::Run;
use ledger::AskedQuestion;
use ledger::event::TaskAssigned;

/// Returns what is wrong with these tasks.
pub(super) fn amiss(run: &Run) -> Vec<Found> {
    let (tasks, by_models): (Vec<&TaskAssigned>, Vec<&TaskAssigned>) = run
        .tasks
        .values()
        .map(|view| &view.assigned)
        .filter(|assigned| assigned.is_of_a_question())
        .partition(|assigned| assigned.ask);
    // Rows are for code alone to record.
    let has_rows = |task: &&&TaskAssigned| task.asked.as_ref().is_some_and(|asked| !asked.rows.is_empty());
    if let Some(task) = by_models.iter().find(has_rows) {
        let what = "a model looks for its answer, and its question names rows".to_owned();
        return vec![(task.task.to_string(), what)];
    }
    let questions = asked::questions(&run.opened, tasks.iter().copied());
    if tasks.len() != questions.len() {
        let what = format!(
            "{} questions were asked in words, and {} tasks record answers",
            questions.len(),
            tasks.len()
        );
        return vec![("the questions".to_owned(), what)];
    }
    let is_other = |(task, question): &(&&TaskAssigned, &AskedQuestion)| {
        let again = asked::assigned(&run.opened, task.task, question);
        !again.is_ok_and(|again| TaskAssigned { asked: task.asked.clone(), ..again } == ***task)
    };
    let others = tasks.iter().zip(questions.iter().copied()).filter(is_other);
    let told = "it does not record what its question was found to be answered by";
    others.map(|(task, _)| (task.task.to_string(), told.to_owned())).collect()
}
