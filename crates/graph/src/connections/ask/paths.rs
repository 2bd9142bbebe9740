//! Finds how two entities are connected: the shortest paths, or the paths with the best support.

use super::super::model::{Connections, EntityRef, RelationRef};
use super::Filter;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// One relation of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The entity where it starts.
    pub from: EntityRef,
    /// The relation, which may point in the other direction.
    pub by: RelationRef,
    /// The entity that it leads to.
    pub to: EntityRef,
}

/// Finds the paths from one entity to another, without cycles.
///
/// If one path is requested, it is the shortest, and the least doubtful of several shortest ones. If more are requested, they are those
/// with the least total doubt, to which each relation adds a fixed amount.
/// `doubt` returns how poorly a relation is supported, from 0 to 1000.
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

/// Finds the shortest path: it expands from both ends until they meet, then takes the best path from there to each end.
fn shortest(
    of: &Connections,
    (start, end): (EntityRef, EntityRef),
    filter: &Filter,
    doubt: &impl Fn(RelationRef) -> u32,
) -> Option<Vec<Hop>> {
    let (mut first, mut second) = (Side::new(of, start), Side::new(of, end));
    let met = loop {
        let met: Vec<EntityRef> = first.layer.iter().copied().filter(|at| second.is_in_layer(*at)).collect();
        if !met.is_empty() {
            break met;
        }
        let smaller = if first.layer.len() <= second.layer.len() { &mut first } else { &mut second };
        if !smaller.grow(of, filter) {
            return None;
        }
    };
    let before = first.best(of, &met, filter, doubt);
    let after = second.best(of, &met, filter, doubt);
    let cost = |at: &EntityRef| Some(before.get(at)?.0 + after.get(at)?.0);
    let middle = met.iter().copied().min_by_key(|at| (cost(at), *at))?;
    let mut hops = led(&before, middle);
    hops.reverse();
    hops.iter_mut().for_each(|hop| std::mem::swap(&mut hop.from, &mut hop.to));
    hops.extend(led(&after, middle));
    Some(hops)
}

/// The search around one end, layer by layer.
struct Side {
    goal: EntityRef,
    distance: Vec<u32>,
    away: u32,
    layer: Vec<EntityRef>,
}

/// For entities on the way to a goal: the total doubt to the goal and the next hop.
type Led = BTreeMap<EntityRef, (u32, Option<Hop>)>;

impl Side {
    fn new(of: &Connections, goal: EntityRef) -> Side {
        let mut side =
            Side { goal, distance: vec![u32::MAX; of.graph.node_count()], away: 0, layer: vec![goal] };
        side.meet(goal, 0);
        side
    }

    fn of(&self, entity: EntityRef) -> u32 {
        let place = usize::try_from(entity.0).ok();
        place.and_then(|place| self.distance.get(place)).copied().unwrap_or(u32::MAX)
    }

    fn is_in_layer(&self, entity: EntityRef) -> bool {
        self.of(entity) == self.away
    }

    fn meet(&mut self, entity: EntityRef, away: u32) -> bool {
        match usize::try_from(entity.0).ok().and_then(|place| self.distance.get_mut(place)) {
            Some(place) if *place == u32::MAX => {
                *place = away;
                true
            }
            _ => false,
        }
    }

    /// Expands by one relation; returns whether anything was found.
    fn grow(&mut self, of: &Connections, filter: &Filter) -> bool {
        self.away += 1;
        let (layer, away) = (std::mem::take(&mut self.layer), self.away);
        let mut next = Vec::new();
        for at in layer {
            next.extend(of.steps(at, filter).map(|(_, to)| to).filter(|to| self.meet(*to, away)));
        }
        self.layer = next;
        !self.layer.is_empty()
    }

    /// Returns the paths with the least doubt from entities of the outermost layer to the goal.
    fn best(
        &self,
        of: &Connections,
        from: &[EntityRef],
        filter: &Filter,
        doubt: &impl Fn(RelationRef) -> u32,
    ) -> Led {
        // Every entity has a neighbour closer to the goal, so no path is a dead end.
        let mut layers = vec![from.to_vec()];
        for away in (0..self.away).rev() {
            let Some(last) = layers.last() else { break };
            let steps = last.iter().flat_map(|at| of.steps(*at, filter).map(|(_, to)| to));
            let mut nearer: Vec<EntityRef> = steps.filter(|to| self.of(*to) == away).collect();
            nearer.sort_unstable();
            nearer.dedup();
            layers.push(nearer);
        }
        let mut led: Led = BTreeMap::from([(self.goal, (0, None))]);
        for at in layers.into_iter().rev().skip(1).flatten() {
            let away = self.of(at);
            let steps = of.steps(at, filter).filter(|(_, to)| self.of(*to).saturating_add(1) == away);
            let costs = steps.filter_map(|(by, to)| {
                let hop = Hop { from: at, by, to };
                Some((led.get(&to)?.0 + doubt(by), Some(hop)))
            });
            if let Some(best) = costs.min() {
                led.insert(at, best);
            }
        }
        led
    }
}

/// Returns the hops from an entity to the goal.
fn led(led: &Led, from: EntityRef) -> Vec<Hop> {
    let step = |at: EntityRef| led.get(&at).and_then(|(_, hop)| *hop);
    std::iter::successors(step(from), |hop| step(hop.to)).collect()
}

/// Returns the cheapest paths (Yen, "Finding the K Shortest Loopless Paths in a Network", 1971).
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

/// The entities and relations that a path must not use.
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
