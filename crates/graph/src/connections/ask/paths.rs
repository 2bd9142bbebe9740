//! How two entities are connected: the shortest ways, and the best by what shows them.

use super::super::model::{Connections, EntityRef, RelationRef};
use super::Filter;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// One relation of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// Where it begins.
    pub from: EntityRef,
    /// The relation, which may read the other way round.
    pub by: RelationRef,
    /// Where it leads.
    pub to: EntityRef,
}

/// The ways from one entity to another without a circle.
///
/// One is the shortest, of several such the one with the least doubt; more of them are those with the least doubt in all, where each relation counts as much as a certain doubt by itself.
/// `doubt` says how little a relation is borne out, from 0 to 1000.
pub fn paths(
    of: &Connections,
    ends: (EntityRef, EntityRef),
    most: usize,
    filter: &Filter,
    doubt: impl Fn(RelationRef) -> u32,
) -> Vec<Vec<Hop>> {
    if most <= 1 {
        return shortest(of, ends, filter, &doubt).into_iter().collect();
    }
    best(of, ends, most, filter, |relation| 1000 + doubt(relation))
}

/// The shortest way, by the distance of everything from its beginning.
fn shortest(
    of: &Connections,
    (start, end): (EntityRef, EntityRef),
    filter: &Filter,
    doubt: &impl Fn(RelationRef) -> u32,
) -> Option<Vec<Hop>> {
    let distance = distances(of, (start, end), filter)?;
    // From the end on backwards, only over what is one nearer to the beginning.
    let mut layer: BTreeMap<EntityRef, (u32, Vec<Hop>)> = BTreeMap::from([(end, (0, Vec::new()))]);
    for away in (0..distance.of(end)?).rev() {
        let mut nearer: BTreeMap<EntityRef, (u32, Vec<Hop>)> = BTreeMap::new();
        for (to, (cost, hops)) in layer {
            for (by, from) in of.steps(to, filter).filter(|(_, from)| distance.of(*from) == Some(away)) {
                let cost = cost + doubt(by);
                let hop = Hop { from, by, to };
                let known = nearer.get(&from);
                if known.is_none_or(|known| (cost, Some(&hop)) < (known.0, known.1.last())) {
                    let mut hops = hops.clone();
                    hops.push(hop);
                    nearer.insert(from, (cost, hops));
                }
            }
        }
        layer = nearer;
    }
    let (_, mut hops) = layer.remove(&start)?;
    hops.reverse();
    Some(hops)
}

/// How far everything is that is no farther than the end.
struct Distances(Vec<u32>);

impl Distances {
    fn of(&self, entity: EntityRef) -> Option<u32> {
        let distance = self.0.get(usize::try_from(entity.0).ok()?).copied()?;
        (distance != u32::MAX).then_some(distance)
    }

    fn meet(&mut self, entity: EntityRef, away: u32) -> bool {
        match usize::try_from(entity.0).ok().and_then(|at| self.0.get_mut(at)) {
            Some(place) if *place == u32::MAX => {
                *place = away;
                true
            }
            _ => false,
        }
    }
}

fn distances(of: &Connections, (start, end): (EntityRef, EntityRef), filter: &Filter) -> Option<Distances> {
    let mut distances = Distances(vec![u32::MAX; of.graph.node_count()]);
    distances.meet(start, 0);
    let mut layer = vec![start];
    for away in 1.. {
        if distances.of(end).is_some() {
            return Some(distances);
        }
        let mut next = Vec::new();
        for at in layer {
            next.extend(of.steps(at, filter).map(|(_, to)| to).filter(|to| distances.meet(*to, away)));
        }
        if next.is_empty() {
            return None;
        }
        layer = next;
    }
    None
}

/// The ways with the least costs (Yen, "Finding the K Shortest Loopless Paths in a Network", 1971).
fn best(
    of: &Connections,
    (start, end): (EntityRef, EntityRef),
    most: usize,
    filter: &Filter,
    cost: impl Fn(RelationRef) -> u32,
) -> Vec<Vec<Hop>> {
    let costs = |way: &[Hop]| way.iter().map(|hop| u64::from(cost(hop.by))).sum::<u64>();
    let without = |barred: &Barred| cheapest(of, (start, end), filter, barred, &cost);
    let mut found: Vec<Vec<Hop>> = without(&Barred::default()).into_iter().collect();
    let mut candidates: BTreeSet<(u64, Vec<Hop>)> = BTreeSet::new();
    while let Some(last) = found.last().filter(|_| found.len() < most).cloned() {
        for at in 0..last.len() {
            let Some((root, spur)) = last.get(..at).zip(last.get(at)) else { continue };
            let mut barred = Barred::default();
            for way in found.iter().filter(|way| way.get(..at) == Some(root)) {
                barred.relations.extend(way.get(at).map(|hop| hop.by));
            }
            barred.entities.extend(root.iter().map(|hop| hop.from));
            if let Some(rest) = cheapest(of, (spur.from, end), filter, &barred, &cost) {
                let way: Vec<Hop> = root.iter().copied().chain(rest).collect();
                if !found.contains(&way) {
                    candidates.insert((costs(&way), way));
                }
            }
        }
        match candidates.pop_first() {
            Some((_, way)) => found.push(way),
            None => break,
        }
    }
    found
}

/// What a way must not use.
#[derive(Debug, Default)]
struct Barred {
    entities: BTreeSet<EntityRef>,
    relations: BTreeSet<RelationRef>,
}

fn cheapest(
    of: &Connections,
    (start, end): (EntityRef, EntityRef),
    filter: &Filter,
    barred: &Barred,
    cost: impl Fn(RelationRef) -> u32,
) -> Option<Vec<Hop>> {
    let mut reached: BTreeMap<EntityRef, (u64, Option<Hop>)> = BTreeMap::from([(start, (0, None))]);
    let mut queue = BinaryHeap::from([Reverse((0_u64, start))]);
    while let Some(Reverse((so_far, at))) = queue.pop() {
        if at == end {
            break;
        }
        if reached.get(&at).is_some_and(|(known, _)| *known < so_far) {
            continue;
        }
        for (by, to) in of.steps(at, filter) {
            if barred.entities.contains(&to) || barred.relations.contains(&by) {
                continue;
            }
            let costs = so_far + u64::from(cost(by));
            let hop = Some(Hop { from: at, by, to });
            let known = reached.get(&to);
            if known.is_none_or(|known| (costs, hop) < *known) {
                if known.is_none_or(|known| costs < known.0) {
                    queue.push(Reverse((costs, to)));
                }
                reached.insert(to, (costs, hop));
            }
        }
    }
    let mut way = Vec::new();
    let mut at = end;
    while at != start {
        let hop = reached.get(&at)?.1?;
        way.push(hop);
        at = hop.from;
    }
    way.reverse();
    Some(way)
}
