//! Scores a run against the known truth of its case.
//!
//! A fact of the truth is found if a single grounded fact of the run carries all its values.
//! `docs/scoring.md` explains how values are compared, and [`same`] decides it. The number of recorded facts is always shown next to the score,
//! so recording everything gains nothing.

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

/// The score of a run: what it found of the truth, and how many facts it recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The run's name.
    pub run: String,
    /// Its case.
    pub case: String,
    /// The models that decided the agents' steps.
    pub models: BTreeSet<String>,
    /// The number of facts recorded.
    pub recorded: usize,
    /// The result for each fact of the truth, in order.
    pub answers: Vec<Answer>,
    /// The result for each finding, in order.
    pub findings: Vec<FindingScore>,
    /// Facts that make a forbidden claim.
    pub violations: Vec<Violation>,
    /// By agent of the run: the number of facts recorded, and of facts of the truth that it found.
    pub run_agents: BTreeMap<String, (usize, usize)>,
    /// The score of what agents recorded, if the sweep recorded something: models are measured by this.
    pub without_sweep: Option<Box<Score>>,
    /// The confidences of its answers next to what the truth says about them.
    pub reliability: Reliability,
}

/// The result for one fact of the truth that can be scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its id.
    pub id: String,
    /// The agent responsible for it.
    pub agent: String,
    /// The question.
    pub question: String,
    /// Whether it was found.
    pub standing: Standing,
}

/// The result for a fact of the truth.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// Each of these facts carries it; ordered by id.
    Found {
        /// The facts.
        by: Vec<FactId>,
    },
    /// No single fact carries it: its values are spread over several.
    Spread {
        /// Over the facts of one phenomenon, or only of one agent.
        over: Over,
    },
    /// It was not found.
    Missed {
        /// The nearest recorded fact.
        nearest: Option<Nearest>,
    },
}

/// The group of facts over which values are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The facts of one phenomenon.
    Phenomenon,
    /// The facts of one agent.
    Agent,
}

/// The result for one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingScore {
    /// The finding, as a sentence.
    pub finding: String,
    /// The number of facts that it is based on.
    pub of: usize,
    /// The facts that were not found, by id.
    pub missing: Vec<String>,
    /// The facts that were found, but in none of the [`graph::FIRST`] phenomena that a reader is shown first.
    pub buried: Vec<String>,
}

impl FindingScore {
    /// Checks whether the first phenomena show all of it.
    pub fn is_found(&self) -> bool {
        self.missing.is_empty() && self.buried.is_empty()
    }
}

/// A fact that makes a forbidden claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The forbidden claim, as a sentence.
    pub claim: String,
    /// The fact.
    pub fact: FactId,
    /// What it says.
    pub title: String,
}

/// A fact of the run, prepared for comparison.
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

    /// Checks whether the fact is located where `artifact` says, which must name the file and the subject.
    ///
    /// A fact about the file itself matches only if `artifact` names nothing inside the file.
    fn stands_at(&self, artifact: &str) -> bool {
        let artifact = path::lower(artifact.trim());
        let file = path::file(&self.fact.locator.path);
        let (Some(file), Some(subject)) = (file.last(), self.held.first()) else { return false };
        let of_file = subject.name() == file;
        stands(file, &artifact)
            && if of_file { artifact.ends_with(file) } else { stands(subject.name(), &artifact) }
    }
}

/// Scores a run.
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

/// Scores what a subset of a run's agents recorded.
fn measured(truth: &Truth, run: &Run, recorded: &[Recorded<'_>], is_of: impl Fn(&str) -> bool) -> Score {
    let tasks = || run.tasks.values().filter(|view| is_of(&view.assigned.agent.name));
    let mut score = compare(truth, recorded, tasks().map(|view| view.assigned.agent.name.clone()));
    score.run = run.name().to_owned();
    score.case = run.opened.case.name.clone();
    score.models = tasks().map(|view| view.assigned.model.clone()).collect();
    score.reliability = Reliability::of(truth, run, &score, is_of);
    score
}

/// Compares recorded facts with the truth, independently of their order.
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
    // For each value, the facts that carry it.
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

/// Returns the groups (such as phenomena) in which every value has a carrier.
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
    /// Checks whether one fact carries it.
    pub fn is_found(&self) -> bool {
        matches!(self.standing, Standing::Found { .. })
    }

    /// Checks whether only several facts together carry it.
    pub fn is_spread(&self) -> bool {
        matches!(self.standing, Standing::Spread { .. })
    }
}

impl Score {
    /// Returns the number of facts of the truth that were found.
    pub fn found(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_found()).count()
    }

    /// Returns the number of facts of the truth whose values are only spread over several facts.
    pub fn spread(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_spread()).count()
    }

    /// Returns the number of findings whose facts are all among the first phenomena.
    pub fn findings_found(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_found()).count()
    }

    /// Returns the number of findings whose facts were all found, anywhere.
    pub fn findings_anywhere(&self) -> usize {
        self.findings.iter().filter(|finding| finding.missing.is_empty()).count()
    }

    /// Returns the number of distinct forbidden claims that were made.
    pub fn violated(&self) -> usize {
        self.violations.iter().map(|violation| &violation.claim).collect::<BTreeSet<_>>().len()
    }

    /// Returns the percentage of facts found; `None` if the truth has no facts.
    pub fn recall(&self) -> Option<f64> {
        ratio(100 * self.found(), self.answers.len())
    }

    /// Returns the number of facts recorded per found one, which is the price of recording everything; `None` if nothing was found.
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
