//! What two runs say differently: a pure comparison of what they recorded, refused and spent.
//!
//! Ids, seeds, ordinals and numbers of records differ from run to run and mean nothing here.
//! A thing is the same in both runs where it says the same of the same place; which agent says it is told and does not count.
//! Things are counted: what one run says twice and the other once is there once more.

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

/// What two runs say differently.
#[derive(Debug)]
pub struct Diff<'r> {
    /// The one run.
    pub before: &'r Run,
    /// The other one.
    pub after: &'r Run,
    /// What the runs were given that is not the same.
    pub setup: BTreeSet<Setup>,
    /// Facts: the same where predicate, subject, values, record type and place are.
    pub facts: Changes<Told<'r, FactEntry>>,
    /// Facts that say the same of the same subject in the same place with other values.
    pub changed_facts: Vec<(Told<'r, FactEntry>, Told<'r, FactEntry>)>,
    /// Phenomena, in the order of their rank: the same where they carry the same facts.
    pub phenomena: Changes<Told<'r, PhenomenonView>>,
    /// Phenomena that carry some facts of another one of the other run, maybe with other values.
    pub changed_phenomena: Vec<ChangedPhenomenon<'r>>,
    /// Absences: the same where the same is said to be absent from the same place.
    pub absences: Changes<Told<'r, AbsenceAccepted>>,
    /// Derivations: the same where they say the same of the same facts.
    pub derivations: Changes<Told<'r, DerivationAccepted>>,
    /// Entities: the same where kind and name are, whatever the case of its letters.
    pub entities: Changes<Told<'r, EntityAdded>>,
    /// Relations: the same where they join the same in the same way by the same facts.
    pub relations: Changes<Told<'r, RelationAdded>>,
    /// Hypotheses: the same where statement and last word are.
    pub hypotheses: Changes<Told<'r, HypothesisView>>,
    /// Hypotheses with the same statement on which the last word is another one.
    pub changed_hypotheses: Vec<(Told<'r, HypothesisView>, Told<'r, HypothesisView>)>,
    /// Refused claims: the same where agent, code and what was claimed are.
    pub rejections: Changes<RefusedClaim<'r>>,
    /// Tasks that ended differently, or that only one of the runs has.
    pub tasks: Vec<ChangedTask<'r>>,
    /// What each run cost: before, after.
    pub effort: [Effort; 2],
    /// The same by agent.
    pub effort_by_agent: BTreeMap<&'r str, [Effort; 2]>,
}

/// What only one of two runs has; of what both have, how many.
#[derive(Debug)]
pub struct Changes<T> {
    /// As many are in both.
    pub both: usize,
    /// So many of these come from different agents.
    pub by_another_agent: usize,
    /// Only in the run before, in the order of that run.
    pub removed: Vec<T>,
    /// Only in the run after, in the order of that run.
    pub added: Vec<T>,
}

/// A node, and the agent that recorded it.
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
    /// Whether neither run has anything that the other one has not.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

impl Diff<'_> {
    /// Whether both runs recorded the same; what they refused and spent, and how tasks ended, does not count.
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

/// Pairs of what was not matched.
type Pairs<'r, T> = Vec<(Told<'r, T>, Told<'r, T>)>;

/// Takes out of what was not matched what a wider key matches.
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

    /// What each task has of a kind, with what it is compared by.
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
