//! How each question of the case was answered: one result for every format, exit code and agent, over all tasks of a run.

use crate::run::{Run, TaskView};
use ledger::event::{AskedBy, CaseQuestion, ObjectiveResult, SeenRecord, TaskAssigned, WithoutFact};
use ledger::{Behaviour, FactId, InvocationId, Objective, TaskId};
use std::collections::BTreeSet;

/// A question of the case, or one that an agent added itself.
#[derive(Debug, Clone)]
pub struct Question<'r> {
    /// The agent whose question it is.
    pub agent: &'r str,
    /// The question, and what answers it.
    pub objective: &'r Objective,
    /// Who asks it.
    pub by: Asker,
    /// Whether an agent added it for itself and nobody else asks it.
    pub own: bool,
    /// The tasks that it was assigned to; empty if it was assigned to none.
    pub tasks: Vec<TaskId>,
    /// Its status.
    pub stands: Stands,
    /// Its status after the agents' work, if the sweep changed it.
    pub before_sweep: Option<Stands>,
    /// The reason why a lead left it open, in its own words, if it was still open when the agents ended.
    pub declined: Option<&'r str>,
}

/// The origin of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asker {
    /// Every case with this kind of evidence has this question.
    Standard,
    /// The case file.
    Owner,
    /// An agent of the run, which also wrote the condition.
    Agent,
    /// Unknown: the run is older than the list of questions and records only what was assigned.
    Unlisted,
}

impl<'r> Question<'r> {
    fn unasked(agent: &'r str, objective: &'r Objective, by: Asker) -> Question<'r> {
        Question {
            agent,
            objective,
            by,
            own: false,
            tasks: Vec::new(),
            stands: Stands::NotAsked,
            before_sweep: None,
            declined: None,
        }
    }

    /// Checks whether the agents left it open, whatever the sweep found.
    pub fn was_left_open(&self) -> bool {
        self.before_sweep.as_ref().unwrap_or(&self.stands).is_open()
    }

    /// Checks whether it belongs to the case and counts in totals. A question that an agent adds itself does not.
    pub fn is_of_case(&self) -> bool {
        self.by != Asker::Agent
    }
}

/// The status of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// Facts answer it.
    Answered(Vec<FactId>),
    /// Tools returned records that would answer it, but no agent recorded one.
    Seen {
        /// The first of these records.
        records: Vec<SeenRecord>,
        /// The number of these records.
        number: u64,
    },
    /// Complete searches of all its sources found no answer.
    Searched {
        /// The searches.
        searches: Vec<InvocationId>,
        /// The labels of evidence that has no source for it; the result does not cover these.
        lacking: Vec<String>,
    },
    /// The evidence has no source that could answer it, or none was readable. Lists what would be needed.
    CannotBeTold(Vec<String>),
    /// Calls searched some sources but not all.
    Partly {
        /// The calls.
        calls: Vec<InvocationId>,
        /// What was not searched or not read.
        missing: Vec<String>,
    },
    /// No call looked at a source that could answer it.
    NotAsked,
}

impl Stands {
    /// Checks whether an answer may still be found: the question is not answered, not fully searched, and has something to search.
    pub const fn is_open(&self) -> bool {
        match self {
            Stands::Seen { .. } | Stands::Partly { .. } | Stands::NotAsked => true,
            Stands::Answered(_) | Stands::Searched { .. } | Stands::CannotBeTold(_) => false,
        }
    }

    /// Returns the facts that answer it.
    pub fn facts(&self) -> &[FactId] {
        match self {
            Stands::Answered(facts) => facts,
            Stands::Seen { .. }
            | Stands::Searched { .. }
            | Stands::CannotBeTold(_)
            | Stands::Partly { .. }
            | Stands::NotAsked => &[],
        }
    }

    /// Returns the word for it in JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Stands::Answered(_) => "met",
            Stands::Seen { .. } => "seen",
            Stands::Searched { .. } => "empty",
            Stands::CannotBeTold(_) => "not_determinable",
            Stands::Partly { .. } => "partly",
            Stands::NotAsked => "not_asked",
        }
    }

    /// Ranks a status by how much it says; more is higher.
    const fn rank(&self) -> u8 {
        match self {
            Stands::NotAsked => 0,
            Stands::Partly { .. } => 1,
            Stands::CannotBeTold(_) => 2,
            Stands::Searched { .. } => 3,
            Stands::Seen { .. } => 4,
            Stands::Answered(_) => 5,
        }
    }

    /// Combines the status from two tasks.
    fn and(self, other: Stands) -> Stands {
        match (self, other) {
            (Stands::Answered(mut facts), Stands::Answered(others)) => {
                let known: BTreeSet<FactId> = facts.iter().copied().collect();
                facts.extend(others.into_iter().filter(|fact| !known.contains(fact)));
                Stands::Answered(facts)
            }
            (Stands::Partly { mut calls, missing }, Stands::Partly { calls: others, .. }) => {
                calls.extend(others);
                Stands::Partly { calls, missing }
            }
            (one, other) if other.rank() > one.rank() => other,
            (one, _) => one,
        }
    }
}

/// Returns every question of the case in the order of its list, assigned or not, followed by those that agents added themselves.
pub fn questions(run: &Run) -> Vec<Question<'_>> {
    let mut all = questions_by(run, |_| true);
    if run.tasks.values().any(|view| view.assigned.sweep) {
        for (question, before) in all.iter_mut().zip(questions_before_sweep(run)) {
            let is_changed = question.stands.rank() > before.stands.rank();
            question.before_sweep = is_changed.then_some(before.stands);
        }
    }
    for question in all.iter_mut().filter(|question| question.is_of_case() && question.was_left_open()) {
        question.declined = declined(run, question);
    }
    all
}

/// Returns the last reason that a lead gave for leaving a question open.
fn declined<'r>(run: &'r Run, question: &Question<'_>) -> Option<&'r str> {
    let all = run.tasks.values().flat_map(|view| &view.declined);
    let mut of_it =
        all.filter(|it| it.agent == question.agent && it.questions.contains(&question.objective.id));
    of_it.next_back().map(|it| it.reason.as_str())
}

/// Returns the questions as the agents left them, ignoring the sweep in which code searched for open ones.
///
/// A sweep handles only listed questions, so the result is in the same order as [`questions`].
pub fn questions_before_sweep(run: &Run) -> Vec<Question<'_>> {
    questions_by(run, |assigned| !assigned.sweep)
}

fn questions_by(run: &Run, counts: impl Fn(&TaskAssigned) -> bool) -> Vec<Question<'_>> {
    let mut all: Vec<Question<'_>> = run.opened.questions.iter().map(listed).collect();
    for (task, view) in run.tasks.iter().filter(|(_, view)| counts(&view.assigned)) {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            let agent = view.assigned.agent.name.as_str();
            let place = place(&all, agent, objective).unwrap_or_else(|| {
                let by = if run.opened.questions.is_empty() { Asker::Unlisted } else { Asker::Agent };
                all.push(Question::unasked(agent, objective, by));
                all.len() - 1
            });
            if let Some(question) = all.get_mut(place) {
                question.tasks.push(*task);
                let before = std::mem::replace(&mut question.stands, Stands::NotAsked);
                let result = view.ended.as_ref().and_then(|ended| ended.objectives.get(index));
                question.stands = before.and(stands(run, view, result, objective));
            }
        }
        all.extend(own(run, *task, view));
    }
    if run.opened.behaviour.contains(&Behaviour::Questions.into()) {
        all.iter_mut().for_each(|question| take_facts_of_all(run, &counts, question));
    }
    all
}

/// Returns the questions that a task's agent added itself. They are never merged with another question, even an equal one.
fn own<'r>(run: &'r Run, task: TaskId, view: &'r TaskView) -> impl Iterator<Item = Question<'r>> {
    view.own.iter().enumerate().map(move |(index, objective)| {
        let result = view.ended.as_ref().and_then(|ended| ended.own.get(index));
        Question {
            own: true,
            tasks: vec![task],
            stands: stands(run, view, result, objective),
            ..Question::unasked(&view.assigned.agent.name, objective, Asker::Agent)
        }
    })
}

fn listed(listed: &CaseQuestion) -> Question<'_> {
    let by = match listed.by {
        AskedBy::Standard => Asker::Standard,
        AskedBy::Owner => Asker::Owner,
    };
    let CaseQuestion { agent, objective, .. } = listed;
    Question::unasked(agent, objective, by)
}

/// Finds the question for an agent's objective: first among its own, then among those of other agents from which it took it over.
fn place(all: &[Question<'_>], agent: &str, objective: &Objective) -> Option<usize> {
    let is_it = |question: &Question<'_>| !question.own && question.objective.is_same_as(objective);
    let own = all.iter().position(|question| question.agent == agent && is_it(question));
    own.or_else(|| all.iter().position(|question| question.by != Asker::Agent && is_it(question)))
}

/// Lets a fact answer a question whichever task recorded it.
fn take_facts_of_all(run: &Run, counts: &impl Fn(&TaskAssigned) -> bool, question: &mut Question<'_>) {
    let run = run.as_recorded();
    let of_counted = |task: TaskId| run.tasks.get(&task).is_some_and(|view| counts(&view.assigned));
    let facts = run.facts().filter(|(task, _)| of_counted(*task)).map(|(_, accepted)| &accepted.fact);
    let answering: Vec<FactId> =
        facts.filter(|fact| question.objective.is_answered_by(fact)).map(|fact| fact.id).collect();
    if !answering.is_empty() {
        let before = std::mem::replace(&mut question.stands, Stands::NotAsked);
        question.stands = before.and(Stands::Answered(answering));
    }
}

/// Returns the status of an objective in one task.
fn stands(run: &Run, view: &TaskView, result: Option<&ObjectiveResult>, objective: &Objective) -> Stands {
    let Some(result) = result else {
        return by_calls(run, view, objective);
    };
    let ObjectiveResult { facts, without, .. } = result;
    match without {
        _ if !facts.is_empty() => Stands::Answered(facts.clone()),
        Some(WithoutFact::Empty { searches, lacking }) => {
            Stands::Searched { searches: searches.clone(), lacking: lacking.clone() }
        }
        Some(WithoutFact::NotDeterminable { needed }) => Stands::CannotBeTold(needed.clone()),
        Some(WithoutFact::Seen { records, number }) => {
            Stands::Seen { records: records.clone(), number: *number }
        }
        Some(WithoutFact::Partly { calls, missing }) => {
            Stands::Partly { calls: calls.clone(), missing: missing.clone() }
        }
        Some(WithoutFact::NotAsked) => Stands::NotAsked,
        Some(WithoutFact::Unmet) | None => by_calls(run, view, objective),
    }
}

/// Returns the status if the task itself does not say, based on whether any call looked.
fn by_calls(run: &Run, view: &TaskView, objective: &Objective) -> Stands {
    let recorded = view.accepted().map(|accepted| &accepted.fact);
    let facts: Vec<FactId> =
        recorded.filter(|fact| objective.is_answered_by(fact)).map(|fact| fact.id).collect();
    if !facts.is_empty() {
        return Stands::Answered(facts);
    }
    let could = |tool: &str, arguments: &serde_json::Value| {
        let spec = run.opened.tools.iter().find(|spec| spec.name == tool);
        spec.is_some_and(|spec| objective.may_be_answered_by(spec, arguments))
    };
    let looked = view.invocations.iter().map(|made| &made.started);
    let calls: Vec<InvocationId> =
        looked.filter(|made| could(&made.tool, &made.arguments)).map(|made| made.invocation).collect();
    match calls.is_empty() {
        true => Stands::NotAsked,
        false => Stands::Partly { calls, missing: Vec::new() },
    }
}
