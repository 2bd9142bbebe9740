//! What to look at first: the phenomena of a run in order, by what code can tell of them.
//!
//! Four things count, and are told with each phenomenon: the weight of the objective that one of its facts answers, how rare facts of its kind are in the run, in how many other kinds of sources the same thing is named, and how many phenomena of the same objective, or of the same kind where there is none, stand before it.
//! An agent's own words count for nothing.

use crate::run::{PhenomenonView, Run};
use ledger::pattern::fold;
use ledger::{FactEntry, FieldType, Predicate, TaskId, Weight};
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

/// All phenomena, the first one first.
pub fn ranked(run: &Run) -> Vec<Ranked<'_>> {
    let known = Known::of(run);
    let mut all: Vec<Ranked<'_>> = Vec::new();
    for (task, view) in &run.tasks {
        all.extend(view.phenomena.iter().map(|phenomenon| known.rank(run, *task, phenomenon)));
    }
    let order = |it: &Ranked<'_>| (Reverse(it.points), it.task, it.phenomenon.id);
    all.sort_by_key(order);
    let mut before: BTreeMap<Alike<'_>, u32> = BTreeMap::new();
    for ranked in &mut all {
        // What answers no objective is alike where predicate and record type are.
        let first = ranked.phenomenon.facts.first().and_then(|id| run.fact(*id));
        let alike = first.map(|fact| (fact.predicate.0.as_str(), fact.kind.as_str()));
        let alike = alike.filter(|_| ranked.objective.is_none());
        let repeated = before.entry((ranked.objective, alike)).or_default();
        let lost = repeated.saturating_mul(REPEATED.0).min(REPEATED.1);
        ranked.points = ranked.points.saturating_sub(lost);
        *repeated += 1;
    }
    all.sort_by_key(order);
    all
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
        Ranked { task, phenomenon, points, objective, corroborated_by, alike }
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
    let held = objectives.filter(|(_, objective)| objective.condition.holds(fact));
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
