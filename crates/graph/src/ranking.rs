//! What to look at first: the phenomena of a run in order, by what code can tell of them.
//!
//! What counts is told with each phenomenon: the weight of the objective that one of its facts answers, how rare facts of its kind are in the run, in how many other kinds of sources the same thing is named, whether it names what one of the first findings names or happened close to it, and how many phenomena of the same objective, or of the same kind where there is none, stand before it.
//! An agent's own words count for nothing.

use crate::run::{PhenomenonView, Run};
use ledger::pattern::fold;
use ledger::{Clock, FactEntry, FieldType, FieldValue, PhenomenonId, Predicate, TaskId, Weight};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many phenomena a reader is shown first, and how many `score` looks at for findings.
pub const FIRST: usize = 30;

/// Points for each other kind of source that names the same thing, and for how many of them.
const CORROBORATED: (u32, u32) = (10, 3);

/// Points for the only facts of a kind; half of them for twice as many, and so on.
const RARE: u32 = 20;

/// Points that each phenomenon of the same objective before it takes away, and how many at most: ten things of one kind are not ten findings.
const REPEATED: (u32, u32) = (8, 64);

/// How many of the first findings others are held against.
const ANCHORS: usize = 10;

/// Points for naming what one of them names, and for a time close to one of theirs.
const LINKED: u32 = 20;
const NEAR: u32 = 15;

/// How close is close, in nanoseconds: half an hour.
const CLOSE: u128 = 30 * 60 * 1_000_000_000;

/// How SIDs of accounts begin that belong to one computer or domain.
const OWN_SID: &str = "s-1-5-21-";

/// Fewest characters of a name that tells one thing from another.
const TELLING: usize = 4;

/// What makes two phenomena alike: the objective, or predicate and record type where there is none.
type Alike<'r> = (Option<Answered<'r>>, Option<(&'r str, &'r str)>);

/// A phenomenon in its place.
#[derive(Debug, Clone)]
pub struct Ranked<'r> {
    /// Its task.
    pub task: TaskId,
    /// The phenomenon.
    pub phenomenon: &'r PhenomenonView,
    /// The points that order it.
    pub points: u32,
    /// The heaviest objective that one of its facts answers, with its agent; `None` where none does.
    pub objective: Option<Answered<'r>>,
    /// The record types of other facts that name what it names.
    pub corroborated_by: BTreeSet<&'r str>,
    /// The finding before it that names the same thing.
    pub linked_to: Option<PhenomenonId>,
    /// The finding before it that happened within half an hour of it.
    pub close_to: Option<PhenomenonId>,
    /// Facts of the run with the predicate and record type of its rarest fact.
    pub alike: usize,
}

/// An objective that is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answered<'r> {
    /// How much its answer matters.
    pub weight: Weight,
    /// The agent whose objective it is.
    pub agent: &'r str,
    /// Its name.
    pub id: &'r str,
}

/// All phenomena, the first one first; of a redacted run in the order of the recorded one.
pub fn ranked(run: &Run) -> Vec<Ranked<'_>> {
    let mut all = ranked_by_values(run.as_recorded());
    if run.recorded.is_some() {
        let shown = |task| run.tasks.get(task).into_iter().flat_map(|view| &view.phenomena);
        let shown: BTreeMap<PhenomenonId, &PhenomenonView> =
            run.tasks.keys().flat_map(shown).map(|phenomenon| (phenomenon.id, phenomenon)).collect();
        all = all
            .into_iter()
            .filter_map(|it| Some(Ranked { phenomenon: *shown.get(&it.phenomenon.id)?, ..it }))
            .collect();
    }
    all
}

fn ranked_by_values(run: &Run) -> Vec<Ranked<'_>> {
    let known = Known::of(run);
    let mut all: Vec<Ranked<'_>> = Vec::new();
    for (task, view) in &run.tasks {
        all.extend(view.phenomena.iter().map(|phenomenon| known.rank(run, *task, phenomenon)));
    }
    all.sort_by_key(order);
    take_repeated(run, &mut all);
    all.sort_by_key(order);
    add_linked(run, &mut all);
    all.sort_by_key(order);
    all
}

/// Takes points from what repeats what stands before it.
fn take_repeated<'r>(run: &'r Run, all: &mut [Ranked<'r>]) {
    let mut before: BTreeMap<Alike<'_>, u32> = BTreeMap::new();
    for ranked in all {
        // What answers no objective is alike where predicate and record type are.
        let first = ranked.phenomenon.facts.first().and_then(|id| run.fact(*id));
        let alike = first.map(|fact| (fact.predicate.0.as_str(), fact.kind.as_str()));
        let alike = alike.filter(|_| ranked.objective.is_none());
        let repeated = before.entry((ranked.objective, alike)).or_default();
        let lost = repeated.saturating_mul(REPEATED.0).min(REPEATED.1);
        ranked.points = ranked.points.saturating_sub(lost);
        *repeated += 1;
    }
}

/// Gives points to what belongs to one of the first findings.
fn add_linked<'r>(run: &'r Run, all: &mut [Ranked<'r>]) {
    let is_finding = |it: &Ranked<'_>| it.objective.is_some_and(|it| it.weight == Weight::Finding);
    let traces = |it: &Ranked<'r>| Traces::of(run, it.phenomenon);
    let anchors: Vec<(PhenomenonId, Traces)> = all
        .iter()
        .filter(|it| is_finding(it))
        .take(ANCHORS)
        .map(|it| (it.phenomenon.id, traces(it)))
        .collect();
    for ranked in all.iter_mut().filter(|it| !is_finding(it)) {
        let own = Traces::of(run, ranked.phenomenon);
        let first = |fits: fn(&Traces, &Traces) -> bool| {
            anchors.iter().find(|(_, anchor)| fits(anchor, &own)).map(|(id, _)| *id)
        };
        ranked.linked_to = first(Traces::share_name);
        ranked.close_to = first(Traces::are_close);
        ranked.points += if ranked.linked_to.is_some() { LINKED } else { 0 };
        ranked.points += if ranked.close_to.is_some() { NEAR } else { 0 };
    }
}

/// Equal ones stay in the order in which they were recorded: an id says nothing of what a phenomenon tells.
fn order(ranked: &Ranked<'_>) -> (Reverse<u32>, TaskId) {
    (Reverse(ranked.points), ranked.task)
}

/// What a phenomenon names, and when it happened.
struct Traces {
    names: BTreeSet<String>,
    /// Nanoseconds since 1970 by the examined host.
    times: Vec<i128>,
}

impl Traces {
    fn of(run: &Run, phenomenon: &PhenomenonView) -> Traces {
        let facts = || phenomenon.facts.iter().filter_map(|id| run.fact(*id));
        Traces {
            names: facts().flat_map(|fact| names(fact).into_iter().chain(accounts(fact))).collect(),
            times: facts().flat_map(times).collect(),
        }
    }

    fn share_name(&self, other: &Traces) -> bool {
        !self.names.is_disjoint(&other.names)
    }

    fn are_close(&self, other: &Traces) -> bool {
        other.times.iter().any(|time| self.times.iter().any(|own| own.abs_diff(*time) <= CLOSE))
    }
}

/// What is known of all facts of a run.
struct Known<'r> {
    /// Facts by predicate and record type.
    alike: BTreeMap<(&'r Predicate, &'r str), usize>,
    /// The record types that name a thing.
    named: BTreeMap<String, BTreeSet<&'r str>>,
}

impl<'r> Known<'r> {
    fn of(run: &'r Run) -> Known<'r> {
        let mut known = Known { alike: BTreeMap::new(), named: BTreeMap::new() };
        for (_, accepted) in run.facts() {
            let fact = &accepted.fact;
            *known.alike.entry((&fact.predicate, &fact.kind)).or_default() += 1;
            for name in names(fact) {
                known.named.entry(name).or_default().insert(&fact.kind);
            }
        }
        known
    }

    fn rank(&self, run: &'r Run, task: TaskId, phenomenon: &'r PhenomenonView) -> Ranked<'r> {
        let facts: Vec<&FactEntry> = phenomenon.facts.iter().filter_map(|id| run.fact(*id)).collect();
        let objective = facts.iter().filter_map(|fact| answered(run, fact)).max();
        let own: BTreeSet<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
        let named = facts.iter().flat_map(|fact| names(fact)).filter_map(|name| self.named.get(&name));
        let corroborated_by: BTreeSet<&str> =
            named.flatten().copied().filter(|kind| !own.contains(kind)).collect();
        let alike = facts.iter().filter_map(|fact| self.alike.get(&(&fact.predicate, fact.kind.as_str())));
        let alike = alike.copied().min().unwrap_or(0);
        let others = u32::try_from(corroborated_by.len()).unwrap_or(u32::MAX).min(CORROBORATED.1);
        let rare = RARE >> alike.checked_ilog2().unwrap_or(0).min(31);
        let points = points(objective.map(|it| it.weight)) + others * CORROBORATED.0 + rare;
        Ranked {
            task,
            phenomenon,
            points,
            objective,
            corroborated_by,
            linked_to: None,
            close_to: None,
            alike,
        }
    }
}

const fn points(weight: Option<Weight>) -> u32 {
    match weight {
        Some(Weight::Finding) => 100,
        Some(Weight::Activity) => 40,
        Some(Weight::Context) => 20,
        None => 30,
    }
}

/// The heaviest objective of the run that a fact answers, whichever agent's it is.
fn answered<'r>(run: &'r Run, fact: &FactEntry) -> Option<Answered<'r>> {
    let agents = run.tasks.values().map(|view| &view.assigned.agent);
    let objectives =
        agents.flat_map(|agent| agent.objectives.iter().map(move |objective| (agent, objective)));
    let held = objectives.filter(|(_, objective)| objective.is_answered_by(fact));
    held.map(|(agent, it)| Answered { weight: it.weight, agent: &agent.name, id: &it.id }).max()
}

/// The things that a fact names: of its paths the last components, in lower case.
fn names(fact: &FactEntry) -> BTreeSet<String> {
    let paths = fact.values.iter().filter(|value| value.value.field_type() == FieldType::Path);
    let named = std::iter::once(&fact.subject).chain(paths);
    let last = |text: &str| fold(text.rsplit(['\\', '/']).next().unwrap_or(text).trim());
    let telling = |name: &String| name.chars().count() >= TELLING;
    named.map(|value| last(&value.value.to_text())).filter(telling).collect()
}

/// The SIDs of accounts that a fact states.
fn accounts(fact: &FactEntry) -> impl Iterator<Item = String> {
    let own = |sid: &str| Some(fold(sid)).filter(|sid| sid.starts_with(OWN_SID));
    fact.values.iter().filter_map(move |bound| match &bound.value {
        FieldValue::Sid(sid) => own(sid),
        _ => None,
    })
}

/// The times of a fact by the examined host.
fn times(fact: &FactEntry) -> impl Iterator<Item = i128> {
    fact.values.iter().filter_map(|bound| match &bound.value {
        FieldValue::Time(time) if time.clock == Clock::Host => time.utc.map(|utc| utc.unix_nanoseconds()),
        _ => None,
    })
}
