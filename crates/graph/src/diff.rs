//! Compares two runs: what they recorded, refused and spent. This is a pure function.
//!
//! Ids, seeds, ordinals and record numbers differ from run to run and are ignored.
//! An item is the same in both runs if it says the same about the same place. The agent is reported but not compared.
//! Items are counted: if one run says something twice and the other once, one of them is extra.

mod effort;
mod keys;
mod matching;
mod phenomena;
mod setup;
mod tasks;

pub use effort::Effort;
pub use phenomena::ChangedPhenomenon;
pub use setup::Setup;
pub use tasks::{ChangedObjective, ChangedTask};

use crate::ranking::{Ranked, ranked};
use crate::rejections::{RefusedClaim, refused_claims};
use crate::run::{HypothesisView, PhenomenonView, Run, TaskView};
use keys::{Key, Keys};
use ledger::event::{AbsenceAccepted, DerivationAccepted, EntityAdded, RelationAdded};
use ledger::{FactEntry, NodeId};
use matching::{Keyed, Matched, match_up};
use std::collections::{BTreeMap, BTreeSet};

/// The differences between two runs.
#[derive(Debug)]
pub struct Diff<'r> {
    /// The first run.
    pub before: &'r Run,
    /// The second run.
    pub after: &'r Run,
    /// The inputs of the runs that differ.
    pub setup: BTreeSet<Setup>,
    /// Facts: equal if predicate, subject, values, record type and locator are equal.
    pub facts: Changes<Told<'r, FactEntry>>,
    /// Facts about the same subject from the same place, with the same predicate and different values.
    pub changed_facts: Vec<(Told<'r, FactEntry>, Told<'r, FactEntry>)>,
    /// Phenomena, in order of rank: equal if they carry the same facts.
    pub phenomena: Changes<Told<'r, PhenomenonView>>,
    /// Phenomena that share some facts with a phenomenon of the other run, possibly with different values.
    pub changed_phenomena: Vec<ChangedPhenomenon<'r>>,
    /// Absences: equal if they say that the same thing is absent from the same place.
    pub absences: Changes<Told<'r, AbsenceAccepted>>,
    /// Derivations: equal if they say the same of the same facts.
    pub derivations: Changes<Told<'r, DerivationAccepted>>,
    /// Entities: equal if kind and name are equal, ignoring case.
    pub entities: Changes<Told<'r, EntityAdded>>,
    /// Relations: equal if they relate the same nodes in the same way, based on the same facts.
    pub relations: Changes<Told<'r, RelationAdded>>,
    /// Hypotheses: equal if the statement and the last assessment are equal.
    pub hypotheses: Changes<Told<'r, HypothesisView>>,
    /// Hypotheses with the same statement but a different last assessment.
    pub changed_hypotheses: Vec<(Told<'r, HypothesisView>, Told<'r, HypothesisView>)>,
    /// Refused claims: equal if agent, code and claim are equal.
    pub rejections: Changes<RefusedClaim<'r>>,
    /// Tasks that ended differently or that only one run has.
    pub tasks: Vec<ChangedTask<'r>>,
    /// The cost of each run: before, after.
    pub effort: [Effort; 2],
    /// The cost by agent: before, after.
    pub effort_by_agent: BTreeMap<&'r str, [Effort; 2]>,
}

/// The items that only one of two runs has, and how many both have.
#[derive(Debug)]
pub struct Changes<T> {
    /// The number that both runs have.
    pub both: usize,
    /// How many of these come from different agents.
    pub by_another_agent: usize,
    /// Items only in the first run, in its order.
    pub removed: Vec<T>,
    /// Items only in the second run, in its order.
    pub added: Vec<T>,
}

/// A node and the agent that recorded it.
#[derive(Debug)]
pub struct Told<'r, T> {
    /// The agent's name.
    pub agent: &'r str,
    /// The node.
    pub what: &'r T,
}

impl<T> Clone for Told<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Told<'_, T> {}

impl<T> Changes<T> {
    /// Checks whether neither run has an item that the other lacks.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

impl Diff<'_> {
    /// Checks whether both runs recorded the same nodes. Refusals, costs and how tasks ended do not count.
    pub fn recorded_the_same(&self) -> bool {
        self.facts.is_empty()
            && self.changed_facts.is_empty()
            && self.phenomena.is_empty()
            && self.changed_phenomena.is_empty()
            && self.absences.is_empty()
            && self.derivations.is_empty()
            && self.entities.is_empty()
            && self.relations.is_empty()
            && self.hypotheses.is_empty()
            && self.changed_hypotheses.is_empty()
    }
}

/// Compares two runs.
pub fn diff<'r>(before: &'r Run, after: &'r Run) -> Diff<'r> {
    let keys = [Keys::of(before), Keys::of(after)];
    let [old, new] = &keys;
    let phenomena = match_up(old.phenomena(), new.phenomena());
    let (phenomena, changed_phenomena) = phenomena::overlapping(phenomena, old, new);
    let (facts, changed_facts) = again(match_up(old.facts(), new.facts()), keys::read_from);
    let hypotheses = match_up(old.hypotheses(), new.hypotheses());
    let (hypotheses, changed_hypotheses) = again(hypotheses, keys::statement);
    Diff {
        before,
        after,
        setup: setup::setup(before, after),
        facts: facts.changes(),
        changed_facts,
        phenomena: phenomena.changes(),
        changed_phenomena,
        absences: match_up(old.absences(), new.absences()).changes(),
        derivations: match_up(old.derivations(), new.derivations()).changes(),
        entities: match_up(old.entities(), new.entities()).changes(),
        relations: match_up(old.relations(), new.relations()).changes(),
        hypotheses: hypotheses.changes(),
        changed_hypotheses,
        rejections: match_up(old.rejections(), new.rejections()).changes(),
        tasks: tasks::tasks(before, after),
        effort: [effort::of_run(before), effort::of_run(after)],
        effort_by_agent: effort::by_agent(before, after),
    }
}

/// Pairs of items that were unmatched at first.
type Pairs<'r, T> = Vec<(Told<'r, T>, Told<'r, T>)>;

/// Matches the unmatched items again by a wider key, and takes them out.
fn again<'r, T>(
    matched: Matched<'r, Told<'r, T>>,
    key: impl Fn(&T) -> Key,
) -> (Matched<'r, Told<'r, T>>, Pairs<'r, T>) {
    let wider = |left: Vec<Keyed<'r, Told<'r, T>>>| -> Vec<_> {
        left.into_iter().map(|it| Keyed { key: key(it.item.what), ..it }).collect()
    };
    let again = match_up(wider(matched.removed), wider(matched.added));
    let changed = again.pairs.into_iter().map(|(before, after)| (before.item, after.item)).collect();
    (Matched { pairs: matched.pairs, removed: again.removed, added: again.added }, changed)
}

impl<'r> Keys<'r> {
    fn facts(&self) -> Vec<Keyed<'r, Told<'r, FactEntry>>> {
        let facts = |view: &'r TaskView| view.accepted().map(|accepted| &accepted.fact);
        self.told(facts, |keys, fact| keys.node(NodeId::Fact(fact.id)))
    }

    fn phenomena(&self) -> Vec<Keyed<'r, Told<'r, PhenomenonView>>> {
        let keyed = |ranked: Ranked<'r>| {
            let what = ranked.phenomenon;
            let agent = self.run.tasks.get(&ranked.task)?.assigned.agent.name.as_str();
            Some(Keyed { key: self.node(NodeId::Phenomenon(what.id)), agent, item: Told { agent, what } })
        };
        ranked(self.run).into_iter().filter_map(keyed).collect()
    }

    fn absences(&self) -> Vec<Keyed<'r, Told<'r, AbsenceAccepted>>> {
        self.told(TaskView::covered, |keys, covered| keys.node(NodeId::Absence(covered.absence.id)))
    }

    fn derivations(&self) -> Vec<Keyed<'r, Told<'r, DerivationAccepted>>> {
        self.told(TaskView::derived, |keys, derived| keys.node(NodeId::Derivation(derived.derivation.id)))
    }

    fn entities(&self) -> Vec<Keyed<'r, Told<'r, EntityAdded>>> {
        self.told(|view| view.entities.iter(), |keys, entity| keys.node(NodeId::Entity(entity.entity)))
    }

    fn relations(&self) -> Vec<Keyed<'r, Told<'r, RelationAdded>>> {
        self.told(
            |view| view.relations.iter(),
            |keys, relation| keys.node(NodeId::Relation(relation.relation)),
        )
    }

    fn hypotheses(&self) -> Vec<Keyed<'r, Told<'r, HypothesisView>>> {
        self.told(|view| view.hypotheses.iter(), Keys::last_word)
    }

    fn rejections(&self) -> Vec<Keyed<'r, RefusedClaim<'r>>> {
        let keyed = |item: RefusedClaim<'r>| Keyed { key: self.refused(&item), agent: item.agent, item };
        refused_claims(self.run).into_iter().map(keyed).collect()
    }

    /// Collects the items of one kind from each task, with the key for comparison.
    fn told<T, I: Iterator<Item = &'r T>>(
        &self,
        of: impl Fn(&'r TaskView) -> I,
        key: impl Fn(&Keys<'r>, &'r T) -> Key,
    ) -> Vec<Keyed<'r, Told<'r, T>>> {
        let mut all = Vec::new();
        for view in self.run.tasks.values() {
            let agent = view.assigned.agent.name.as_str();
            all.extend(of(view).map(|what| Keyed {
                key: key(self, what),
                agent,
                item: Told { agent, what },
            }));
        }
        all
    }
}
