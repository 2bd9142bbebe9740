//! Matches the items of two lists by what they say, each item once.

use super::Changes;
use super::keys::Key;
use std::collections::BTreeMap;

/// An item with its comparison key.
#[derive(Debug, Clone)]
pub(super) struct Keyed<'r, T> {
    pub(super) key: Key,
    pub(super) agent: &'r str,
    pub(super) item: T,
}

/// Two lists, with matching items taken out as pairs.
#[derive(Debug)]
pub(super) struct Matched<'r, T> {
    pub(super) pairs: Vec<(Keyed<'r, T>, Keyed<'r, T>)>,
    pub(super) removed: Vec<Keyed<'r, T>>,
    pub(super) added: Vec<Keyed<'r, T>>,
}

impl<T> Matched<'_, T> {
    pub(super) fn changes(self) -> Changes<T> {
        let items = |left: Vec<Keyed<'_, T>>| left.into_iter().map(|it| it.item).collect();
        Changes {
            both: self.pairs.len(),
            by_another_agent: self.pairs.iter().filter(|(a, b)| a.agent != b.agent).count(),
            removed: items(self.removed),
            added: items(self.added),
        }
    }
}

/// Pairs items with the same key: first those of the same agent, then the others in order. Unmatched items keep their order.
///
/// Swapping the lists swaps the result.
pub(super) fn match_up<'r, T>(before: Vec<Keyed<'r, T>>, after: Vec<Keyed<'r, T>>) -> Matched<'r, T> {
    let places = places(&before, &after);
    let mut partners: BTreeMap<usize, usize> = BTreeMap::new();
    for [old, new] in places.values() {
        let mut free = new.clone();
        let mut lonely = Vec::new();
        for place in old {
            let agent = before.get(*place).map(|it| it.agent);
            match free.iter().position(|other| after.get(*other).map(|it| it.agent) == agent) {
                Some(found) => drop(partners.insert(*place, free.remove(found))),
                None => lonely.push(*place),
            }
        }
        partners.extend(lonely.into_iter().zip(free));
    }
    take(before, after, &partners)
}

/// Returns the indexes of each key in the two lists.
fn places<T>(before: &[Keyed<'_, T>], after: &[Keyed<'_, T>]) -> BTreeMap<Key, [Vec<usize>; 2]> {
    let mut places: BTreeMap<Key, [Vec<usize>; 2]> = BTreeMap::new();
    for (place, item) in before.iter().enumerate() {
        let [old, _] = places.entry(item.key).or_default();
        old.push(place);
    }
    for (place, item) in after.iter().enumerate() {
        let [_, new] = places.entry(item.key).or_default();
        new.push(place);
    }
    places
}

/// Takes pairs, given by indexes before and after, out of the lists.
pub(super) fn take<'r, T>(
    before: Vec<Keyed<'r, T>>,
    after: Vec<Keyed<'r, T>>,
    partners: &BTreeMap<usize, usize>,
) -> Matched<'r, T> {
    let mut others: Vec<Option<Keyed<'r, T>>> = after.into_iter().map(Some).collect();
    let (mut pairs, mut removed) = (Vec::new(), Vec::new());
    for (place, item) in before.into_iter().enumerate() {
        let partner = partners.get(&place).and_then(|other| others.get_mut(*other)?.take());
        match partner {
            Some(partner) => pairs.push((item, partner)),
            None => removed.push(item),
        }
    }
    Matched { pairs, removed, added: others.into_iter().flatten().collect() }
}
