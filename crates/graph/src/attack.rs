//! Finds the MITRE ATT&CK techniques that the facts of a run fit, and the rules behind each match.

use crate::run::{PhenomenonView, Run};
use detect::{Attack, Technique, Trace};
use ledger::{FactId, PhenomenonId};
use std::collections::BTreeMap;

/// A technique that at least one fact of a run fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit<'a> {
    /// The technique.
    pub technique: &'a Technique,
    /// The phenomena that carry one of these facts, task by task, in the order in which they were recorded.
    pub phenomena: Vec<PhenomenonId>,
    /// The facts that fit it, task by task, in the order in which they were accepted.
    pub facts: Vec<FactId>,
}

/// Returns the techniques that the facts of a phenomenon fit, ordered by id.
pub fn techniques_of<'a>(attack: &'a Attack, run: &Run, phenomenon: &PhenomenonView) -> Vec<&'a Technique> {
    let facts = phenomenon.facts.iter().filter_map(|fact| run.fact(*fact));
    let fitting = facts.flat_map(|fact| attack.techniques(&Trace::of_fact(fact)));
    let sorted: BTreeMap<_, _> = fitting.map(|technique| (&technique.id, technique)).collect();
    sorted.into_values().collect()
}

/// Returns the techniques that the facts of a run fit, ordered by id.
pub fn attack_fits<'a>(attack: &'a Attack, run: &Run) -> Vec<Fit<'a>> {
    let mut found = BTreeMap::new();
    for (_, accepted) in run.facts() {
        for technique in attack.techniques(&Trace::of_fact(&accepted.fact)) {
            let fit = found.entry(&technique.id).or_insert_with(|| Fit::of(technique));
            fit.facts.push(accepted.fact.id);
        }
    }
    for phenomenon in run.tasks.values().flat_map(|task| &task.phenomena) {
        for technique in techniques_of(attack, run, phenomenon) {
            let fit = found.entry(&technique.id).or_insert_with(|| Fit::of(technique));
            fit.phenomena.push(phenomenon.id);
        }
    }
    found.into_values().collect()
}

impl Fit<'_> {
    const fn of(technique: &Technique) -> Fit<'_> {
        Fit { technique, phenomena: Vec::new(), facts: Vec::new() }
    }
}
