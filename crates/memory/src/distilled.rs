//! Lessons of a task, derived from its events by code alone.
//!
//! Texts of agents, questions that they added and hints of rejections are already left out here.

mod answers;
mod trouble;

use crate::lesson::{Conditions, Detail, Lesson, Outcome, Shows, Trouble};
use crate::words::words;
use ledger::event::{InvocationEnded, InvocationStarted, RunOpened, TaskAssigned, TaskEnded, TaskStatus};
use ledger::{
    CallForm, Cause, Claim, ClaimId, Digest, Event, InvocationId, KnownTool, Objective, Outcome as Came,
    Reading, RejectionCode, same_call,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The most characters of a text that is kept.
const LONGEST: usize = 200;
/// Arguments whose values are names of things in the evidence, times or choices; all others may be a model's free text.
const KEPT: [&str; 14] = [
    "count_by",
    "evidence",
    "extension",
    "from",
    "hive",
    "key",
    "level",
    "logs",
    "path",
    "record",
    "source",
    "to",
    "under",
    "volume",
];

/// A task that has ended or was interrupted.
#[derive(Debug, Clone, Copy)]
pub struct TaskSeen<'r> {
    /// The first event of its run.
    pub opened: &'r RunOpened,
    /// The task.
    pub assigned: &'r TaskAssigned,
    /// Its events.
    pub events: &'r [Event],
    /// The version of Windows, if a fact of the run states it.
    pub windows: Option<&'r str>,
}

/// What a task showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distilled {
    /// The lessons, with everything that the memory of this evidence may hold.
    pub(crate) lessons: Vec<Learned>,
    /// Calls and claims that worked, which contradict earlier lessons.
    pub(crate) worked: Vec<Worked>,
    /// Whether the task has ended; an interrupted one may be resumed.
    pub(crate) has_end: bool,
}

/// A lesson, and whether other evidence can learn from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Learned {
    pub(crate) lesson: Lesson,
    pub(crate) for_others: bool,
}

/// A call that could run, or a claim that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Worked {
    pub(crate) shows: Shows,
    pub(crate) call: CallForm,
    pub(crate) predicate: Option<String>,
    pub(crate) values: Map<String, Value>,
    /// The digest of the exact call, for a call that could run.
    pub(crate) very: Option<Digest>,
}

impl Worked {
    /// Returns its subject as one text; with values of the evidence, if the store may hold them.
    pub(crate) fn subject(&self, with_values: bool) -> String {
        let (values, very) = match with_values {
            true => (Some(&self.values), self.very.as_ref()),
            false => (None, None),
        };
        self.shows.subject(&self.call, self.predicate.as_deref(), values, very)
    }
}

impl Distilled {
    /// Returns the number of lessons.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Checks whether the task showed nothing.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// Returns the lessons.
    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.lessons.iter().map(|learned| &learned.lesson)
    }
}

/// Distils what a task showed.
pub fn distilled(seen: TaskSeen<'_>) -> Distilled {
    let fold = Fold::of(seen);
    let mut lessons = match fold.ended {
        Some(ended) => fold.answers(ended),
        None => vec![fold.unfinished()],
    };
    // Failures mean nothing if time or money ended the task; tasks that only code runs are exempt.
    if fold.came_to_its_end() && !seen.assigned.sweep && !seen.assigned.hunt && !seen.assigned.ask {
        lessons.extend(fold.failed_calls());
        lessons.extend(fold.gaps());
        lessons.extend(fold.refused_calls());
        lessons.extend(fold.rejected_claims());
    }
    let conditions = fold.conditions();
    for learned in &mut lessons {
        learned.lesson.conditions = conditions.clone();
    }
    Distilled { lessons, worked: fold.worked(), has_end: fold.ended.is_some() }
}

/// A call of the task.
struct Made<'r> {
    started: &'r InvocationStarted,
    ended: &'r InvocationEnded,
    form: CallForm,
    /// The values that are kept.
    values: Map<String, Value>,
    /// Whether the tool has all given arguments: the form says nothing about others.
    is_known: bool,
}

impl Made<'_> {
    /// Returns the digest of the exact call, including its values.
    fn very(&self) -> Digest {
        let none = Map::new();
        same_call(&self.started.tool, self.started.arguments.as_object().unwrap_or(&none))
    }

    fn works(&self) -> bool {
        !self.ended.outcome.is_failure()
    }

    fn trouble(&self) -> Option<Trouble> {
        match self.ended.outcome {
            Came::Ok | Came::Empty => None,
            Came::Timeout => Some(Trouble::Timeout),
            Came::Denied | Came::Failed => Some(
                Cause::of(self.ended.outcome, &self.ended.notes).map_or(Trouble::Unknown, Trouble::Cause),
            ),
        }
    }
}

struct Fold<'r> {
    seen: TaskSeen<'r>,
    ended: Option<&'r TaskEnded>,
    /// In order.
    made: Vec<Made<'r>>,
    readings: BTreeMap<ClaimId, &'r Reading>,
    refused: Vec<(ClaimId, RejectionCode)>,
    accepted: Vec<(ClaimId, InvocationId)>,
    /// Facts with the calls that they are based on.
    facts: BTreeMap<ledger::FactId, InvocationId>,
}

impl<'r> Fold<'r> {
    fn of(seen: TaskSeen<'r>) -> Fold<'r> {
        let mut fold = Fold {
            seen,
            ended: None,
            made: Vec::new(),
            readings: BTreeMap::new(),
            refused: Vec::new(),
            accepted: Vec::new(),
            facts: BTreeMap::new(),
        };
        let tools: BTreeMap<&str, KnownTool> =
            seen.opened.tools.iter().map(|spec| (spec.name.as_str(), KnownTool::of(spec))).collect();
        let mut started = BTreeMap::new();
        for event in seen.events {
            match event {
                Event::InvocationStarted(it) => drop(started.insert(it.invocation, it)),
                Event::InvocationEnded(ended) => {
                    let made =
                        started.get(&ended.invocation).and_then(|started| made(started, ended, &tools));
                    fold.made.extend(made);
                }
                Event::ClaimSubmitted(submitted) => {
                    if let Claim::Reading(reading) = &submitted.stated {
                        fold.readings.insert(submitted.claim, reading);
                    }
                }
                Event::ClaimAccepted(accepted) => {
                    fold.accepted.push((accepted.claim, accepted.fact.invocation));
                    fold.facts.insert(accepted.fact.id, accepted.fact.invocation);
                }
                Event::ClaimRejected(rejected) => {
                    fold.refused.push((rejected.claim, rejected.rejection.code))
                }
                Event::TaskEnded(ended) => fold.ended = Some(ended),
                _ => {}
            }
        }
        fold
    }

    /// Checks whether the agent itself ended the task, not a budget or another party.
    fn came_to_its_end(&self) -> bool {
        self.ended.is_some_and(|ended| {
            ended.spent.is_none() && matches!(ended.status, TaskStatus::Completed | TaskStatus::Incomplete)
        })
    }

    fn agent(&self) -> Option<String> {
        Some(self.seen.assigned.agent.name.clone())
    }

    fn lesson(&self, outcome: Outcome) -> Lesson {
        Lesson { agent: self.agent(), ..Lesson::of(outcome) }
    }

    /// Returns the lesson about an unfinished task as a whole.
    fn unfinished(&self) -> Learned {
        Learned { lesson: self.lesson(Outcome::Unfinished), for_others: true }
    }

    fn conditions(&self) -> Conditions {
        let kinds = self.seen.opened.case.evidence.iter().map(|entry| entry.kind.into());
        let gave = self.made.iter().filter(|made| made.ended.outcome == Came::Ok);
        Conditions {
            kinds: kinds.collect(),
            windows: self.seen.windows.map(str::to_owned),
            sources: gave.filter_map(|made| made.form.source()).map(str::to_owned).collect(),
        }
    }

    /// Returns the words of the case's questions that a call could answer; if none can be identified, of all the agent's questions.
    fn question_words(&self, form: &CallForm) -> BTreeSet<String> {
        let of_case =
            || self.seen.assigned.agent.objectives.iter().filter(|objective| self.asked(objective).is_some());
        let spec = self.seen.opened.tools.iter().find(|spec| spec.name == form.tool);
        let gives = form.source().zip(spec).and_then(|(source, spec)| spec.sources.get(source));
        let could = |objective: &&Objective| {
            let records = || objective.ways().map(|way| &way.condition.record);
            let is_search = objective.all_searched().any(|search| {
                let source = search.arguments.get("source").and_then(Value::as_str);
                search.tool == form.tool && source == form.source()
            });
            is_search || gives.is_some_and(|gives| records().any(|record| gives.contains(record)))
        };
        let told = |objective: &Objective| words(&objective.question);
        let could: BTreeSet<String> = of_case().filter(could).flat_map(told).collect();
        if could.is_empty() { of_case().flat_map(told).collect() } else { could }
    }

    fn call(&self, id: InvocationId) -> Option<&Made<'r>> {
        self.made.iter().find(|made| made.started.invocation == id)
    }

    fn worked(&self) -> Vec<Worked> {
        let mut worked = Vec::new();
        for made in self.made.iter().filter(|made| made.works()) {
            let of = |shows| Worked {
                shows,
                call: made.form.clone(),
                predicate: None,
                values: made.values.clone(),
                very: None,
            };
            worked.push(of(Shows::Runs));
            // A lesson about a failed call on this evidence is contradicted only by exactly the same call.
            worked.push(Worked { very: Some(made.very()), ..of(Shows::Runs) });
            worked.extend(made.ended.gaps.is_empty().then(|| of(Shows::ReadsAll)));
        }
        let accepted = self.accepted.iter().filter_map(|(claim, call)| {
            let predicate = self.readings.get(claim)?.predicate.clone();
            let call = self.call(*call)?.form.clone().choices_only();
            Some(Worked {
                shows: Shows::Accepted,
                call,
                predicate: Some(predicate),
                values: Map::new(),
                very: None,
            })
        });
        worked.extend(accepted);
        let mut seen = BTreeSet::new();
        worked.retain(|it| seen.insert(it.subject(true)));
        worked
    }
}

fn made<'r>(
    started: &'r InvocationStarted,
    ended: &'r InvocationEnded,
    tools: &BTreeMap<&str, KnownTool>,
) -> Option<Made<'r>> {
    let known = tools.get(started.tool.as_str())?;
    let read = ended.normalised.as_ref().and_then(Value::as_object);
    let given = started.arguments.as_object();
    let form = known.form(&started.tool, given.or(read).unwrap_or(&Map::new()));
    let is_known = given.is_none_or(|given| given.keys().all(|name| known.choices(name).is_some()));
    // The arguments as the tool read them: an argument that it never read may be anything.
    let is_given = |name: &String| given.is_some_and(|given| given.contains_key(name));
    let kept = |(name, value): &(&String, &Value)| {
        KEPT.contains(&name.as_str()) && is_given(name) && known.choices(name).is_some() && is_short(value)
    };
    let values =
        read.into_iter().flatten().filter(kept).map(|(name, value)| (name.clone(), value.clone())).collect();
    Some(Made { started, ended, form, values, is_known })
}

/// Checks whether a value is small enough to keep and has only one line.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => {
            !text.is_empty() && text.chars().count() <= LONGEST && !text.contains(char::is_control)
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn of_call(lesson: Lesson, made: &Made<'_>) -> Lesson {
    let mut found_by = lesson.words.clone();
    found_by.extend(made.form.names().flat_map(words));
    let detail = Some(Detail { arguments: made.values.clone(), ..Detail::default() });
    Lesson { call: Some(made.form.clone()), words: found_by, detail, ..lesson }
}
