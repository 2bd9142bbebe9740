//! Matches phenomena that share facts, possibly with different values.

use super::Told;
use super::keys::{Key, Keys, read_from};
use super::matching::{Keyed, Matched, take};
use crate::run::{PhenomenonView, Run};
use ledger::{FactEntry, NodeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A phenomenon of each run; they share facts, possibly with different values.
#[derive(Debug)]
pub struct ChangedPhenomenon<'r> {
    /// The phenomenon of the first run.
    pub before: Told<'r, PhenomenonView>,
    /// The phenomenon of the second run.
    pub after: Told<'r, PhenomenonView>,
    /// The number of facts that both carry with the same values.
    pub kept: usize,
    /// Facts that only the first run's phenomenon carries.
    pub removed: Vec<&'r FactEntry>,
    /// Facts that only the second run's phenomenon carries.
    pub added: Vec<&'r FactEntry>,
}

/// A fact that more phenomena of a run carry does not distinguish any of them.
const MOST_CARRIERS: usize = 64;

type Phenomena<'r> = Matched<'r, Told<'r, PhenomenonView>>;

/// Takes the phenomena that share facts out of the unmatched ones, starting with those that share the most.
pub(super) fn overlapping<'r>(
    matched: Phenomena<'r>,
    old: &Keys<'r>,
    new: &Keys<'r>,
) -> (Phenomena<'r>, Vec<ChangedPhenomenon<'r>>) {
    let before = facts(&matched.removed, old);
    let after = facts(&matched.added, new);
    let mut candidates = candidates(&before, &after);
    let key = |left: &[Keyed<'r, _>], place: usize| left.get(place).map(|it: &Keyed<'r, Told<'r, _>>| it.key);
    // The order is the same whichever run comes first, because keys are compared from the smaller to the larger.
    candidates.sort_by_cached_key(|(old, new, kept, all)| {
        let keys = [key(&matched.removed, *old), key(&matched.added, *new)];
        (Reverse(*kept), *all, keys.iter().min().copied(), keys.iter().max().copied(), *old, *new)
    });
    let (mut partners, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (old, new, _, _) in candidates {
        if !partners.contains_key(&old) && taken.insert(new) {
            partners.insert(old, new);
        }
    }
    let again = take(matched.removed, matched.added, &partners);
    let changed = again.pairs.into_iter().map(|(a, b)| changed([old, new], a.item, b.item)).collect();
    (Matched { pairs: matched.pairs, removed: again.removed, added: again.added }, changed)
}

/// Returns what each phenomenon's facts are about, ignoring their values.
fn facts(left: &[Keyed<'_, Told<'_, PhenomenonView>>], keys: &Keys<'_>) -> Vec<BTreeSet<Key>> {
    let facts = |phenomenon: &PhenomenonView| {
        phenomenon.facts.iter().filter_map(|id| keys.run.fact(*id)).map(read_from).collect()
    };
    left.iter().map(|it| facts(it.item.what)).collect()
}

/// Returns the indexes, before and after, of two phenomena that share facts, how many they share, and how many they have in total.
fn candidates(before: &[BTreeSet<Key>], after: &[BTreeSet<Key>]) -> Vec<(usize, usize, usize, usize)> {
    let (old, new) = (carriers(before), carriers(after));
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (fact, carriers) in &old {
        let others = new.get(fact).map(Vec::as_slice).unwrap_or_default();
        if carriers.len() > MOST_CARRIERS || others.len() > MOST_CARRIERS {
            continue;
        }
        for old in carriers {
            for new in others {
                *shared.entry((*old, *new)).or_default() += 1;
            }
        }
    }
    let size = |lists: &[BTreeSet<Key>], place: usize| lists.get(place).map_or(0, BTreeSet::len);
    let all = |((old, new), kept): ((usize, usize), usize)| {
        (old, new, kept, (size(before, old) + size(after, new)).saturating_sub(kept))
    };
    shared.into_iter().map(all).collect()
}

fn carriers(phenomena: &[BTreeSet<Key>]) -> BTreeMap<Key, Vec<usize>> {
    let mut carriers: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (place, facts) in phenomena.iter().enumerate() {
        for fact in facts {
            carriers.entry(*fact).or_default().push(place);
        }
    }
    carriers
}

fn changed<'r>(
    [old, new]: [&Keys<'r>; 2],
    before: Told<'r, PhenomenonView>,
    after: Told<'r, PhenomenonView>,
) -> ChangedPhenomenon<'r> {
    let (theirs, ours) = (old.of_facts(&before.what.facts), new.of_facts(&after.what.facts));
    ChangedPhenomenon {
        before,
        after,
        kept: theirs.intersection(&ours).count(),
        removed: besides(old, before.what, &ours),
        added: besides(new, after.what, &theirs),
    }
}

/// Returns the facts that a phenomenon carries in addition to these, without repeats.
fn besides<'r>(keys: &Keys<'r>, phenomenon: &PhenomenonView, these: &BTreeSet<Key>) -> Vec<&'r FactEntry> {
    let run: &'r Run = keys.run;
    let mut seen = these.clone();
    let facts = phenomenon.facts.iter().filter(|id| seen.insert(keys.node(NodeId::Fact(**id))));
    facts.filter_map(|id| run.fact(*id)).collect()
}
