//! What a task showed, read from its events by code: no model has a part in it.
//!
//! Texts of agents, the questions that they asked themselves and the hints of rejections are left out here already.

use crate::form::{CallForm, KnownTool};
use crate::lesson::{Conditions, Detail, Lesson, Outcome, Shows, Trouble};
use crate::words::words;
use ledger::event::{
    AskedBy, CaseQuestion, InvocationEnded, InvocationStarted, ObjectiveResult, Refusal, RunOpened,
    TaskAssigned, TaskEnded, TaskStatus, WithoutFact,
};
use ledger::{
    Cause, Claim, ClaimId, Event, Gap, InvocationId, Objective, Outcome as Came, Predicate, Reading,
    RejectionCode, ToolSpec,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How often claims of one shape must be refused in a task for it to be a lesson.
const RECURRING: usize = 2;
/// The most forms of call that are kept of one answered question.
const MOST_WAYS: usize = 3;
/// The most characters of a text that is kept.
const LONGEST: usize = 200;
/// Arguments whose values are names of things in the evidence, times, or choices; all others may be free text of a model.
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

/// A task that has ended, or broke off.
#[derive(Debug, Clone, Copy)]
pub struct TaskSeen<'r> {
    /// The first event of its run.
    pub opened: &'r RunOpened,
    /// The task.
    pub assigned: &'r TaskAssigned,
    /// Its events.
    pub events: &'r [Event],
    /// The version of Windows, where a fact of the run told it.
    pub windows: Option<&'r str>,
}

/// What a task showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distilled {
    /// The lessons, with everything that the memory of this evidence may hold.
    pub(crate) lessons: Vec<Learned>,
    /// What worked, by which earlier lessons are contradicted.
    pub(crate) worked: Vec<Worked>,
    /// Whether the task has ended; one that broke off may be gone on with.
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
}

impl Distilled {
    /// How many lessons there are.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Whether the task showed nothing.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// The lessons.
    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.lessons.iter().map(|learned| &learned.lesson)
    }
}

/// What a task showed.
pub fn distilled(seen: TaskSeen<'_>) -> Distilled {
    let fold = Fold::of(seen);
    let mut lessons = match fold.ended {
        Some(ended) => fold.answers(ended),
        None => vec![fold.unfinished()],
    };
    // Nothing that did not work says anything where time or money decided; code that asks what others left open is exempt.
    if fold.came_to_its_end() && !seen.assigned.sweep && !seen.assigned.hunt {
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
}

impl Made<'_> {
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
    /// In their order.
    made: Vec<Made<'r>>,
    readings: BTreeMap<ClaimId, &'r Reading>,
    refused: Vec<(ClaimId, RejectionCode)>,
    accepted: Vec<(ClaimId, InvocationId)>,
    /// Facts and the calls that they rest on.
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

    /// Whether the agent ended the task, and neither a budget nor anybody else.
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

    /// The task as a whole, where it has no end.
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

    /// Words of the questions of the case that a call could answer; of all questions of the agent where none can be told.
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

    // ── Questions ─────────────────────────────────────────────────────────

    /// How each question of the case stands; what the agent asks itself, and what a lead made up, is left out.
    fn answers(&self, ended: &TaskEnded) -> Vec<Learned> {
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

    /// The question of the case that an objective is; `None` where an agent made it up.
    fn asked(&self, objective: &Objective) -> Option<&'r CaseQuestion> {
        let same = |asked: &&CaseQuestion| {
            asked.objective.is_same_as(objective) && asked.objective.question == objective.question
        };
        self.seen.opened.questions.iter().find(same)
    }

    fn answer(&self, result: &ObjectiveResult, asked: &CaseQuestion) -> Vec<Learned> {
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

    /// The calls whose records answered a question: those first that most of its facts rest on.
    fn ways(&self, result: &ObjectiveResult, asked: &CaseQuestion) -> Vec<Learned> {
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

    /// The strategy that led to an answer, with the first of its calls that was made.
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

    // ── What did not work ─────────────────────────────────────────────────

    fn failed_calls(&self) -> Vec<Learned> {
        let failed = self.made.iter().filter_map(|made| Some((made, made.trouble()?)));
        let failed = failed.filter(|(made, trouble)| !self.is_exempt(made, *trouble));
        let learned = failed.map(|(made, trouble)| {
            let works = self.made.iter().any(|other| other.works() && other.form == made.form);
            let mut lesson = Lesson { trouble: Some(trouble), ..of_call(self.lesson(Outcome::Failed), made) };
            lesson.words.extend(self.question_words(&made.form));
            // What worked with other values is no fault of the form.
            Learned { lesson, for_others: !works }
        });
        distinct(learned)
    }

    /// Whether the call is one that an absence needs, or says that something is not there: how else would that be found out?
    fn is_exempt(&self, made: &Made<'r>, trouble: Trouble) -> bool {
        let (tool, arguments) = (&made.started.tool, &made.started.arguments);
        let searches = self.seen.assigned.agent.objectives.iter().flat_map(Objective::all_searched);
        let is_search = searches.into_iter().any(|search| {
            let each = search.sources.as_ref().and_then(|sources| sources.each.as_ref());
            let is_each = each.is_some_and(|each| {
                each.tool == *tool
                    && each.arguments.iter().all(|(name, value)| arguments.get(name) == Some(value))
            });
            search.is(tool, arguments) || is_each
        });
        let covers = |spec: &&ToolSpec| spec.name == *tool && !spec.covers.is_empty();
        let says_absent = matches!(trouble, Trouble::Cause(Cause::NoSuchKey | Cause::NoSuchPath))
            && self.seen.opened.tools.iter().any(|spec| covers(&spec));
        is_search || says_absent || trouble == Trouble::Cause(Cause::NoSource)
    }

    fn gaps(&self) -> Vec<Learned> {
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

    /// Calls that were refused for what they were, not for what was left of a budget.
    fn refused_calls(&self) -> Vec<Learned> {
        let refused = self.seen.events.iter().filter_map(|event| match event {
            Event::CallRefused(refused) => Some(refused),
            _ => None,
        });
        let offered = |tool: &str| self.seen.opened.tools.iter().any(|spec| spec.name == tool);
        let telling = refused.filter(|refused| match refused.refusal {
            // A name that is no tool's is a text of the agent's.
            Refusal::OutsideSurface | Refusal::BadArguments | Refusal::Unsupported => offered(&refused.tool),
            Refusal::UnknownTool
            | Refusal::Repeated
            | Refusal::TooManyCalls
            | Refusal::RejectionsSpent
            | Refusal::FactsSpent
            | Refusal::TasksSpent => false,
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

    /// Shapes of claims that were refused again and again.
    fn rejected_claims(&self) -> Vec<Learned> {
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

    /// Predicate of a reading, and what the call that it cites reads; `None` where one of them is no name of the run's.
    fn shape(&self, reading: &Reading) -> Option<(String, CallForm)> {
        let predicate = Predicate(reading.predicate.clone());
        let is_known = self.seen.opened.vocabulary.meaning(&predicate).is_some();
        let cited =
            self.made.iter().find(|made| made.started.invocation.to_string() == reading.invocation)?;
        is_known.then(|| (reading.predicate.clone(), cited.form.clone().choices_only()))
    }

    // ── What worked ───────────────────────────────────────────────────────

    fn worked(&self) -> Vec<Worked> {
        let mut worked = Vec::new();
        for made in self.made.iter().filter(|made| made.works()) {
            let of = |shows| Worked {
                shows,
                call: made.form.clone(),
                predicate: None,
                values: made.values.clone(),
            };
            worked.push(of(Shows::Runs));
            worked.extend(made.ended.gaps.is_empty().then(|| of(Shows::ReadsAll)));
        }
        let accepted = self.accepted.iter().filter_map(|(claim, call)| {
            let predicate = self.readings.get(claim)?.predicate.clone();
            let call = self.call(*call)?.form.clone().choices_only();
            Some(Worked { shows: Shows::Accepted, call, predicate: Some(predicate), values: Map::new() })
        });
        worked.extend(accepted);
        let mut seen = BTreeSet::new();
        worked
            .retain(|it| seen.insert(it.shows.subject(&it.call, it.predicate.as_deref(), Some(&it.values))));
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
    // What the tool read them as: what it never came to read may be anything.
    let is_given = |name: &String| given.is_some_and(|given| given.contains_key(name));
    let kept = |(name, value): &(&String, &Value)| {
        KEPT.contains(&name.as_str()) && is_given(name) && known.choices(name).is_some() && is_short(value)
    };
    let values =
        read.into_iter().flatten().filter(kept).map(|(name, value)| (name.clone(), value.clone())).collect();
    Some(Made { started, ended, form, values })
}

/// Whether a value is small enough to keep, and one line.
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

fn of_question(outcome: Outcome, asked: &CaseQuestion, made: Option<&Made<'_>>) -> Lesson {
    let lesson = Lesson {
        agent: Some(asked.agent.clone()),
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

fn told_gap(gap: &Gap) -> String {
    let told = format!("{}: {}", gap.path, gap.reason);
    told.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

/// Each lesson once.
fn distinct(learned: impl Iterator<Item = Learned>) -> Vec<Learned> {
    let mut known: BTreeMap<ledger::Digest, Learned> = BTreeMap::new();
    for one in learned {
        let kept = known.entry(one.lesson.key()).or_insert_with(|| one.clone());
        kept.for_others &= one.for_others;
    }
    known.into_values().collect()
}
