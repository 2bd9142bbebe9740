//! The result of each question of the case in a task, and what answered it.

use super::{Fold, LONGEST, Learned, Made, of_call};
use crate::lesson::{Lesson, Outcome, Trouble};
use crate::words::words;
use ledger::event::{AskedBy, ObjectiveResult, TaskEnded, WithoutFact};
use ledger::{Cause, Event, InvocationId, Objective};

/// The most call forms that are kept for one answered question.
const MOST_WAYS: usize = 3;

/// A question of the case, or of a person who asked it in words.
#[derive(Clone, Copy)]
pub(super) struct Asked<'r> {
    agent: &'r str,
    objective: &'r Objective,
    by: AskedBy,
}

impl<'r> Fold<'r> {
    /// Returns the lesson of each question of the case; questions that the agent or a lead made up are left out.
    pub(super) fn answers(&self, ended: &TaskEnded) -> Vec<Learned> {
        let agent = &self.seen.assigned.agent;
        let of_case = ended.objectives.iter().filter_map(|result| {
            let objective = agent.objectives.iter().find(|objective| objective.id == result.id)?;
            Some((result, self.asked(objective)?))
        });
        let mut lessons: Vec<Learned> =
            of_case.flat_map(|(result, question)| self.answer(result, question)).collect();
        if !self.came_to_its_end() && lessons.is_empty() {
            lessons.push(self.unfinished());
        }
        lessons
    }

    /// Returns the question behind an objective; `None` if an agent made it up.
    pub(super) fn asked(&self, objective: &'r Objective) -> Option<Asked<'r>> {
        let assigned = self.seen.assigned;
        if assigned.asked.is_some() {
            return Some(Asked { agent: &assigned.agent.name, objective, by: AskedBy::Owner });
        }
        let mut of_case = self.seen.opened.questions.iter();
        let same = of_case.find(|asked| {
            asked.objective.is_same_as(objective) && asked.objective.question == objective.question
        });
        same.map(|asked| Asked { agent: &asked.agent, objective: &asked.objective, by: asked.by })
    }

    fn answer(&self, result: &ObjectiveResult, asked: Asked<'_>) -> Vec<Learned> {
        let recovered = self.recovery(&result.id);
        if let Some((strategy, call)) = &recovered {
            let lesson =
                Lesson { strategy: Some(strategy.clone()), ..of_question(Outcome::Recovered, asked, *call) };
            return vec![Learned { lesson, for_others: true }];
        }
        if !result.facts.is_empty() {
            return self.ways(result, asked);
        }
        let first = |calls: &[InvocationId]| calls.first().and_then(|id| self.call(*id));
        let cut_short = !self.came_to_its_end();
        let lesson = match &result.without {
            Some(WithoutFact::Empty { searches, .. }) => of_question(Outcome::Empty, asked, first(searches)),
            _ if cut_short => of_question(Outcome::Unfinished, asked, None),
            Some(WithoutFact::NotDeterminable { .. }) => {
                let trouble = Some(Trouble::Cause(Cause::NoSource));
                Lesson { trouble, ..of_question(Outcome::Open, asked, None) }
            }
            Some(WithoutFact::Partly { calls, .. }) => of_question(Outcome::Open, asked, first(calls)),
            Some(WithoutFact::Seen { .. } | WithoutFact::Unmet | WithoutFact::NotAsked) | None => {
                of_question(Outcome::Open, asked, None)
            }
        };
        vec![Learned { lesson, for_others: true }]
    }

    /// Returns the calls whose records answered a question; those behind most of its facts come first.
    fn ways(&self, result: &ObjectiveResult, asked: Asked<'_>) -> Vec<Learned> {
        let mut ways: Vec<(&Made<'r>, usize)> = Vec::new();
        for made in result.facts.iter().filter_map(|fact| self.call(*self.facts.get(fact)?)) {
            match ways.iter_mut().find(|(known, _)| known.form == made.form) {
                Some((_, facts)) => *facts += 1,
                None => ways.push((made, 1)),
            }
        }
        ways.sort_by_key(|(_, facts)| std::cmp::Reverse(*facts));
        let best = ways.into_iter().take(MOST_WAYS);
        best.map(|(made, _)| Learned {
            lesson: of_question(Outcome::Met, asked, Some(made)),
            for_others: true,
        })
        .collect()
    }

    /// Returns the strategy that led to an answer, with the first of its calls that was made.
    fn recovery(&self, objective: &str) -> Option<(String, Option<&Made<'r>>)> {
        let begun = |attempt: u32| {
            self.seen.events.iter().find_map(|event| match event {
                Event::RecoveryBegun(begun) if begun.attempt == attempt => Some(begun),
                _ => None,
            })
        };
        self.seen.events.iter().find_map(|event| match event {
            Event::RecoveryEnded(ended) if ended.answered.iter().any(|id| id == objective) => {
                let begun = begun(ended.attempt)?;
                let made = self.made.iter().find(|made| {
                    begun.calls.iter().any(|call| {
                        call.tool == made.started.tool && call.arguments == made.started.arguments
                    })
                });
                Some((begun.strategy.clone(), made))
            }
            _ => None,
        })
    }
}

fn of_question(outcome: Outcome, asked: Asked<'_>, made: Option<&Made<'_>>) -> Lesson {
    let lesson = Lesson {
        agent: Some(asked.agent.to_owned()),
        words: words(&asked.objective.question),
        ..Lesson::of(outcome)
    };
    let mut lesson = match made {
        Some(made) => of_call(lesson, made),
        None => lesson,
    };
    match asked.by {
        AskedBy::Standard => lesson.question = Some(format!("{}/{}", asked.agent, asked.objective.id)),
        AskedBy::Owner => {
            let question = asked.objective.question.chars().take(LONGEST).collect();
            lesson.detail.get_or_insert_default().question = Some(question);
        }
    }
    lesson
}
