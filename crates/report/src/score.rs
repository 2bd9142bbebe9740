//! Measures a run against what is known to be true of its case.
//!
//! A fact of the truth is found where one grounded fact of the run carries all its values.
//! How values are compared stands in `docs/scoring.md` and is decided in [`same`]; how many facts were recorded for it is always told beside it, so that recording everything wins nothing.

mod near;
mod path;
mod reliability;
mod same;
mod several;
mod show;
mod time;
mod truth;

pub use near::{Nearest, Nearness};
pub use reliability::{Bin, Forecast, Reliability, Spoken};
pub use several::{Figure, over_runs};
pub use show::{json as score_json, text as score_text};
pub use truth::{Forbidden, ForbiddenCondition, Manner, Truth, TruthFact, TruthFinding, TruthValue};

use graph::{FIRST, Run, fact_title, ranked};
use ledger::{FactEntry, FactId, PhenomenonId, SWEEP};
use same::{Held, Sought, stands};
use std::collections::{BTreeMap, BTreeSet};

/// What a run found of what is true, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The run's name.
    pub run: String,
    /// Its case.
    pub case: String,
    /// The models that decided its agents' steps.
    pub models: BTreeSet<String>,
    /// Facts recorded.
    pub recorded: usize,
    /// What became of each fact of the truth, in its order.
    pub answers: Vec<Answer>,
    /// What became of each finding, in its order.
    pub findings: Vec<FindingScore>,
    /// Facts that claim what must not be claimed.
    pub violations: Vec<Violation>,
    /// By the run's agents: facts recorded, and facts of the truth found by them.
    pub run_agents: BTreeMap<String, (usize, usize)>,
    /// The same of what agents recorded, where the sweep recorded something: a model is measured by this.
    pub without_sweep: Option<Box<Score>>,
    /// The confidences of its answers beside what the truth says of them.
    pub reliability: Reliability,
}

/// What became of one fact of the truth that a reading can answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its id.
    pub id: String,
    /// The agent whose matter it is.
    pub agent: String,
    /// The question.
    pub question: String,
    /// Whether it was found.
    pub standing: Standing,
}

/// Whether a fact of the truth was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// By each of these facts, in the order of their ids.
    Found {
        /// The facts.
        by: Vec<FactId>,
    },
    /// Not in one fact: its values stand in several.
    Spread {
        /// Those of one phenomenon, or only of one agent.
        over: Over,
    },
    /// No.
    Missed {
        /// What comes nearest.
        nearest: Option<Nearest>,
    },
}

/// What the values of a fact are spread over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The facts of one phenomenon.
    Phenomenon,
    /// The facts of one agent.
    Agent,
}

/// What became of one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingScore {
    /// The sentence.
    pub finding: String,
    /// How many facts it rests on.
    pub of: usize,
    /// Those that were not found, by id.
    pub missing: Vec<String>,
    /// Those that were found, but in none of the [`graph::FIRST`] phenomena that a reader is shown first.
    pub buried: Vec<String>,
}

impl FindingScore {
    /// Whether a reader of the first phenomena is told all of it.
    pub fn is_found(&self) -> bool {
        self.missing.is_empty() && self.buried.is_empty()
    }
}

/// A fact that claims what must not be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The sentence that says what must not be claimed.
    pub claim: String,
    /// The fact.
    pub fact: FactId,
    /// What it says.
    pub title: String,
}

/// A fact of the run, ready to be compared.
#[derive(Debug)]
pub(crate) struct Recorded<'a> {
    pub(crate) fact: &'a FactEntry,
    pub(crate) agent: &'a str,
    pub(crate) phenomena: Vec<PhenomenonId>,
    /// Whether one of these phenomena is among the first.
    pub(crate) first: bool,
    /// The subject and the values.
    pub(crate) held: Vec<Held<'a>>,
}

impl<'a> Recorded<'a> {
    pub(crate) fn new(
        fact: &'a FactEntry,
        agent: &'a str,
        phenomena: Vec<PhenomenonId>,
        first: bool,
    ) -> Recorded<'a> {
        let held = std::iter::once(&fact.subject).chain(&fact.values).map(Held::new).collect();
        Recorded { fact, agent, phenomena, first, held }
    }

    /// Whether it stands where `artifact` says: file and subject are named there.
    ///
    /// A fact about the file itself stands there only if nothing in the file is named.
    fn stands_at(&self, artifact: &str) -> bool {
        let artifact = path::lower(artifact.trim());
        let file = path::file(&self.fact.locator.path);
        let (Some(file), Some(subject)) = (file.last(), self.held.first()) else { return false };
        let of_file = subject.name() == file;
        stands(file, &artifact)
            && if of_file { artifact.ends_with(file) } else { stands(subject.name(), &artifact) }
    }
}

/// Measures a run.
pub fn score(truth: &Truth, run: &Run) -> Score {
    let first: BTreeSet<_> = ranked(run).iter().take(FIRST).map(|it| it.phenomenon.id).collect();
    let mut recorded = Vec::new();
    for (task, accepted) in run.facts() {
        let agent = run.tasks.get(&task).map_or("", |view| view.assigned.agent.name.as_str());
        let phenomena = run.graph.carried_by(accepted.fact.id);
        let is_first = phenomena.iter().any(|id| first.contains(id));
        recorded.push(Recorded::new(&accepted.fact, agent, phenomena, is_first));
    }
    let mut score = measured(truth, run, &recorded, |_| true);
    let by_agents = |agent: &str| agent != SWEEP;
    if recorded.iter().any(|it| !by_agents(it.agent)) {
        recorded.retain(|it| by_agents(it.agent));
        score.without_sweep = Some(Box::new(measured(truth, run, &recorded, by_agents)));
    }
    score
}

/// The score of what these agents of a run recorded.
fn measured(truth: &Truth, run: &Run, recorded: &[Recorded<'_>], is_of: impl Fn(&str) -> bool) -> Score {
    let tasks = || run.tasks.values().filter(|view| is_of(&view.assigned.agent.name));
    let mut score = compare(truth, recorded, tasks().map(|view| view.assigned.agent.name.clone()));
    score.run = run.name().to_owned();
    score.case = run.opened.case.name.clone();
    score.models = tasks().map(|view| view.assigned.model.clone()).collect();
    score.reliability = Reliability::of(truth, run, &score, is_of);
    score
}

/// Compares recorded facts with the truth; their order does not matter.
fn compare(truth: &Truth, recorded: &[Recorded<'_>], agents: impl Iterator<Item = String>) -> Score {
    let scored = truth.facts.iter().filter(|fact| fact.unscored().is_none());
    let answers: Vec<Answer> = scored
        .map(|fact| Answer {
            id: fact.id.clone(),
            agent: fact.agent.clone(),
            question: fact.question.clone(),
            standing: standing(fact, recorded, truth.tolerance),
        })
        .collect();
    let found: BTreeSet<&str> =
        answers.iter().filter(|answer| answer.is_found()).map(|answer| answer.id.as_str()).collect();
    let first: BTreeSet<FactId> = recorded.iter().filter(|it| it.first).map(|it| it.fact.id).collect();
    let shown: BTreeSet<&str> = answers
        .iter()
        .filter(|answer| match &answer.standing {
            Standing::Found { by } => by.iter().any(|fact| first.contains(fact)),
            Standing::Spread { .. } | Standing::Missed { .. } => false,
        })
        .map(|answer| answer.id.as_str())
        .collect();
    let findings = truth
        .findings
        .iter()
        .map(|finding| FindingScore {
            finding: finding.finding.clone(),
            of: finding.facts.len(),
            missing: finding.facts.iter().filter(|id| !found.contains(id.as_str())).cloned().collect(),
            buried: finding
                .facts
                .iter()
                .filter(|id| found.contains(id.as_str()) && !shown.contains(id.as_str()))
                .cloned()
                .collect(),
        })
        .collect();
    Score {
        run: String::new(),
        case: String::new(),
        models: BTreeSet::new(),
        recorded: recorded.len(),
        run_agents: run_agents(recorded, &answers, agents),
        without_sweep: None,
        answers,
        findings,
        violations: violations(truth, recorded),
        reliability: Reliability::default(),
    }
}

fn standing(fact: &TruthFact, recorded: &[Recorded<'_>], tolerance: i128) -> Standing {
    let weak = fact.is_weak();
    let sought: Vec<_> = fact.values.iter().map(|value| Sought::new(value, fact.manner)).collect();
    let placed: Vec<_> = recorded.iter().filter(|it| !weak || it.stands_at(&fact.artifact)).collect();
    // Of each value, the facts that carry it.
    let carriers: Vec<Vec<_>> = sought
        .iter()
        .map(|value| {
            let carries = |it: &&&Recorded<'_>| it.held.iter().any(|held| value.is(held, tolerance));
            placed.iter().filter(carries).copied().collect()
        })
        .collect();
    let by = common(&carriers, |it| vec![it.fact.id]);
    if !by.is_empty() {
        return Standing::Found { by: by.into_iter().collect() };
    }
    if !common(&carriers, |it| it.phenomena.clone()).is_empty() {
        return Standing::Spread { over: Over::Phenomenon };
    }
    if !common(&carriers, |it| vec![it.agent]).is_empty() {
        return Standing::Spread { over: Over::Agent };
    }
    Standing::Missed { nearest: near::nearest(&sought, recorded, tolerance, weak) }
}

/// What every value has a carrier of.
fn common<'a, T: Ord>(carriers: &[Vec<&Recorded<'a>>], of: impl Fn(&Recorded<'a>) -> Vec<T>) -> BTreeSet<T> {
    let mut sets =
        carriers.iter().map(|carriers| carriers.iter().flat_map(|it| of(it)).collect::<BTreeSet<T>>());
    let first = sets.next().unwrap_or_default();
    sets.fold(first, |mut all, set| {
        all.retain(|it| set.contains(it));
        all
    })
}

fn run_agents(
    recorded: &[Recorded<'_>],
    answers: &[Answer],
    agents: impl Iterator<Item = String>,
) -> BTreeMap<String, (usize, usize)> {
    let mut counts: BTreeMap<String, (usize, usize)> = agents.map(|agent| (agent, (0, 0))).collect();
    let mut by: BTreeMap<FactId, &str> = BTreeMap::new();
    for it in recorded {
        counts.entry(it.agent.to_owned()).or_default().0 += 1;
        by.insert(it.fact.id, it.agent);
    }
    for answer in answers {
        let Standing::Found { by: facts } = &answer.standing else { continue };
        let finders: BTreeSet<&str> = facts.iter().filter_map(|fact| by.get(fact).copied()).collect();
        for agent in finders {
            counts.entry(agent.to_owned()).or_default().1 += 1;
        }
    }
    counts
}

fn violations(truth: &Truth, recorded: &[Recorded<'_>]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for forbidden in &truth.must_not_claim {
        let Some(condition) = &forbidden.condition else { continue };
        let mut facts: Vec<_> = recorded.iter().filter(|it| condition.holds(it.fact)).collect();
        facts.sort_by_key(|it| it.fact.id);
        violations.extend(facts.into_iter().map(|it| Violation {
            claim: forbidden.claim.clone(),
            fact: it.fact.id,
            title: fact_title(it.fact),
        }));
    }
    violations
}

impl Answer {
    /// Whether one fact carries it.
    pub fn is_found(&self) -> bool {
        matches!(self.standing, Standing::Found { .. })
    }

    /// Whether only several facts together carry it.
    pub fn is_spread(&self) -> bool {
        matches!(self.standing, Standing::Spread { .. })
    }
}

impl Score {
    /// Facts of the truth that were found.
    pub fn found(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_found()).count()
    }

    /// Facts of the truth whose values stand in several facts only.
    pub fn spread(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_spread()).count()
    }

    /// Findings of which every fact stands among the first phenomena.
    pub fn findings_found(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_found()).count()
    }

    /// Findings of which every fact was found, wherever it stands.
    pub fn findings_anywhere(&self) -> usize {
        self.findings.iter().filter(|finding| finding.missing.is_empty()).count()
    }

    /// Different things that must not be claimed, and were.
    pub fn violated(&self) -> usize {
        self.violations.iter().map(|violation| &violation.claim).collect::<BTreeSet<_>>().len()
    }

    /// Found facts in a hundred; `None` where the truth has none.
    pub fn recall(&self) -> Option<f64> {
        ratio(100 * self.found(), self.answers.len())
    }

    /// Facts recorded for each found one: what recording everything costs; `None` where nothing was found.
    pub fn recorded_per_found(&self) -> Option<f64> {
        ratio(self.recorded, self.found())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of facts are far below 2^52")]
fn ratio(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

#[cfg(test)]
mod tests;
