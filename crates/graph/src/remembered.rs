//! The lessons of earlier runs that a run was given, and the calls that were refused because of them.

use crate::run::Run;
use ledger::event::CallRefused;
use ledger::{Insisted, InvocationId, RememberedLesson, TaskId};
use std::collections::BTreeSet;

/// A lesson that agents of a run were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldLesson<'r> {
    /// The lesson, as the first event has it.
    pub lesson: &'r RememberedLesson,
    /// The agents that were given it.
    pub agents: BTreeSet<&'r str>,
    /// The calls that were refused because of it.
    pub refused: Vec<(TaskId, &'r CallRefused)>,
    /// The calls that agents insisted on, with their reasons.
    pub insisted: Vec<(TaskId, InvocationId, &'r Insisted)>,
}

/// Returns the lessons that a run was given, without repeats, in the order of its first event.
pub fn told_lessons(run: &Run) -> Vec<ToldLesson<'_>> {
    let mut told: Vec<ToldLesson<'_>> = Vec::new();
    for of_agent in &run.opened.remembered {
        for lesson in &of_agent.lessons {
            let agent = of_agent.agent.as_str();
            match told.iter_mut().find(|known| known.lesson.id == lesson.id) {
                Some(known) => drop(known.agents.insert(agent)),
                None => told.push(ToldLesson {
                    lesson,
                    agents: BTreeSet::from([agent]),
                    refused: Vec::new(),
                    insisted: Vec::new(),
                }),
            }
        }
    }
    for (task, view) in &run.tasks {
        for refused in &view.refusals {
            if let Some(known) =
                told.iter_mut().find(|known| Some(&known.lesson.id) == refused.lesson.as_ref())
            {
                known.refused.push((*task, refused));
            }
        }
        for started in view.invocations.iter().map(|invocation| &invocation.started) {
            let Some(insists) = &started.insists else { continue };
            if let Some(known) = told.iter_mut().find(|known| known.lesson.id == insists.lesson) {
                known.insisted.push((*task, started.invocation, insists));
            }
        }
    }
    told
}
