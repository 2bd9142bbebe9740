//! What did not work in a task, apart from what the evidence lacks.

use super::{Fold, LONGEST, Learned, Made, of_call};
use crate::lesson::{Lesson, Outcome, Trouble};
use crate::words::words;
use ledger::event::Refusal;
use ledger::{
    CallForm, Cause, Digest, Event, Gap, Outcome as Came, Predicate, Reading, RejectionCode, ToolSpec,
    lessons,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How often claims of one shape must be refused in a task to make a lesson.
const RECURRING: usize = 2;

impl<'r> Fold<'r> {
    pub(super) fn failed_calls(&self) -> Vec<Learned> {
        let failed = self.made.iter().filter_map(|made| Some((made, made.trouble()?)));
        let failed = failed.filter(|(made, trouble)| !self.is_exempt(made, *trouble));
        // If the call ran when it was repeated, nothing is wrong with it.
        let worked: BTreeSet<Digest> = self.made.iter().filter(|made| made.works()).map(Made::very).collect();
        let failed = failed.filter(|(made, _)| !worked.contains(&made.very()));
        // Neither the call's digest nor its form includes paging arguments, which may be what the tool could not use.
        let failed = failed.filter(|(made, trouble)| {
            *trouble != Trouble::Cause(Cause::Arguments) || !is_paged(&made.started.arguments)
        });
        let learned = failed.map(|(made, trouble)| {
            let works = self.made.iter().any(|other| other.works() && other.form == made.form);
            let mut lesson = Lesson { trouble: Some(trouble), ..of_call(self.lesson(Outcome::Failed), made) };
            lesson.words.extend(self.question_words(&made.form));
            lesson.detail.get_or_insert_default().call = Some(made.very());
            // If other values worked, the form is not at fault; neither is a name that the form does not have.
            Learned { lesson, for_others: !works && made.is_known }
        });
        distinct(learned)
    }

    /// Checks whether an absence needs the call, or whether its failure shows that something is not there: nothing else would show that.
    fn is_exempt(&self, made: &Made<'r>, trouble: Trouble) -> bool {
        let (tool, arguments) = (&made.started.tool, &made.started.arguments);
        let questions = &self.seen.assigned.agent.objectives;
        let is_search = arguments.as_object().is_some_and(|given| lessons::is_needed(questions, tool, given));
        let covers = |spec: &&ToolSpec| spec.name == *tool && !spec.covers.is_empty();
        let says_absent = matches!(trouble, Trouble::Cause(Cause::NoSuchKey | Cause::NoSuchPath))
            && self.seen.opened.tools.iter().any(|spec| covers(&spec));
        is_search || says_absent || trouble == Trouble::Cause(Cause::NoSource)
    }

    pub(super) fn gaps(&self) -> Vec<Learned> {
        let left = self
            .made
            .iter()
            .filter(|made| made.works())
            .filter_map(|made| Some((made, made.ended.gaps.first()?)));
        let learned = left.map(|(made, gap)| {
            let cause = Cause::of(Came::Failed, std::slice::from_ref(&gap.reason));
            let trouble = Some(cause.map_or(Trouble::Unknown, Trouble::Cause));
            let mut lesson = Lesson { trouble, ..of_call(self.lesson(Outcome::Gap), made) };
            lesson.words.extend(words(&gap.reason));
            lesson.words.extend(self.question_words(&made.form));
            let detail = lesson.detail.get_or_insert_default();
            detail.gap = Some(told_gap(gap));
            Learned { lesson, for_others: true }
        });
        distinct(learned)
    }

    /// Returns lessons about calls that were refused for what they were, not because a budget ran out.
    pub(super) fn refused_calls(&self) -> Vec<Learned> {
        let refused = self.seen.events.iter().filter_map(|event| match event {
            Event::CallRefused(refused) => Some(refused),
            _ => None,
        });
        let offered = |tool: &str| self.seen.opened.tools.iter().any(|spec| spec.name == tool);
        let telling = refused.filter(|refused| match refused.refusal {
            // A name that is not a tool's name is the agent's own text.
            Refusal::OutsideSurface | Refusal::BadArguments | Refusal::Unsupported => offered(&refused.tool),
            Refusal::UnknownTool
            | Refusal::Repeated
            | Refusal::TooManyCalls
            | Refusal::RejectionsSpent
            | Refusal::FactsSpent
            | Refusal::TasksSpent
            | Refusal::Remembered => false,
        });
        let learned = telling.map(|refused| {
            let form = CallForm { tool: refused.tool.clone(), arguments: BTreeMap::new() };
            let mut lesson =
                Lesson { trouble: Some(Trouble::Refusal(refused.refusal)), ..self.lesson(Outcome::Refused) };
            lesson.words.extend(form.names().flat_map(words));
            lesson.words.extend(self.question_words(&form));
            lesson.call = Some(form);
            Learned { lesson, for_others: true }
        });
        distinct(learned)
    }

    /// Returns lessons about shapes of claims that were refused repeatedly.
    pub(super) fn rejected_claims(&self) -> Vec<Learned> {
        let mut shapes: BTreeMap<(RejectionCode, String, CallForm), usize> = BTreeMap::new();
        for (claim, code) in &self.refused {
            let shape = self.readings.get(claim).and_then(|reading| self.shape(reading));
            if let Some((predicate, form)) = shape {
                *shapes.entry((*code, predicate, form)).or_default() += 1;
            }
        }
        let recurring = shapes.into_iter().filter(|(_, times)| *times >= RECURRING);
        recurring
            .map(|((code, predicate, form), _)| {
                let mut lesson =
                    Lesson { trouble: Some(Trouble::Rejection(code)), ..self.lesson(Outcome::Rejected) };
                lesson.words.extend(form.names().chain([predicate.as_str()]).flat_map(words));
                lesson.words.extend(self.question_words(&form));
                (lesson.call, lesson.predicate) = (Some(form), Some(predicate));
                Learned { lesson, for_others: true }
            })
            .collect()
    }

    /// Returns a reading's predicate and what its cited call reads; `None` if one of them is not a name of the run.
    fn shape(&self, reading: &Reading) -> Option<(String, CallForm)> {
        let predicate = Predicate(reading.predicate.clone());
        let is_known = self.seen.opened.vocabulary.meaning(&predicate).is_some();
        let cited =
            self.made.iter().find(|made| made.started.invocation.to_string() == reading.invocation)?;
        is_known.then(|| (reading.predicate.clone(), cited.form.clone().choices_only()))
    }
}

fn told_gap(gap: &Gap) -> String {
    let told = format!("{}: {}", gap.path, gap.reason);
    told.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

/// Keeps each lesson once.
fn distinct(learned: impl Iterator<Item = Learned>) -> Vec<Learned> {
    let mut known: BTreeMap<Digest, Learned> = BTreeMap::new();
    for one in learned {
        let kept = known.entry(one.lesson.key()).or_insert_with(|| one.clone());
        kept.for_others &= one.for_others;
    }
    known.into_values().collect()
}

/// Checks whether a call asks for a certain part of an answer.
fn is_paged(arguments: &Value) -> bool {
    arguments.as_object().is_some_and(|given| given.keys().any(|name| CallForm::is_paging(name)))
}
