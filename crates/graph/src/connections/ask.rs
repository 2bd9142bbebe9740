//! Queries over connections.

mod contradiction;
mod find;
mod paths;
mod story;

pub use contradiction::{Contradiction, ContradictionKind, contradictions};
pub use find::{Found, find};
pub use paths::{Hop, paths};
pub use story::{Part, StoryStep, told_of};

use super::collect::FactRef;
use super::kind::RelationKind;
use super::model::{Connections, EntityRef, RelationRef, Told, When};
use ledger::{Utc, Writer};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A filter for relations.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only relations that may be at or after this instant; undated ones are left out.
    pub since: Option<Utc>,
    /// Only relations that may be at or before this instant.
    pub until: Option<Utc>,
    /// Only relations of these kinds; empty means all.
    pub kinds: BTreeSet<RelationKind>,
    /// Only relations shown by facts of these hosts; empty means all.
    pub hosts: BTreeSet<String>,
    /// Only relations shown by facts that nobody less trusted could have written; `None` means all.
    pub writer: Option<Writer>,
    /// Only these relations; `None` means all.
    pub only: Option<BTreeSet<RelationRef>>,
    /// Of the facts that only name an entity, without relating it: only these; `None` means all.
    pub naming: Option<BTreeSet<FactRef>>,
}

impl Filter {
    /// Checks whether a relation passes the filter.
    pub fn admits(&self, of: &Connections, relation: RelationRef) -> bool {
        let Some((_, kind, _)) = of.relation(relation) else { return false };
        let is_of_kind = self.kinds.is_empty() || self.kinds.contains(&kind);
        let is_of_kind = is_of_kind && self.only.as_ref().is_none_or(|only| only.contains(&relation));
        is_of_kind && (self.takes_all_facts() || of.shown_by(relation).any(|told| self.takes(of, told)))
    }

    /// Checks whether a fact passes the filter.
    pub fn takes(&self, of: &Connections, told: Told) -> bool {
        let is_of_host = self.hosts.is_empty()
            || of
                .host_of(told.fact)
                .is_some_and(|host| self.hosts.iter().any(|it| it.eq_ignore_ascii_case(host)));
        // If the writers of a fact are unknown, anybody may be one.
        let is_written = self.writer.is_none_or(|least| of.writer_of(told.fact) >= Some(least));
        is_of_host && is_written && self.takes_time(told.when)
    }

    /// Checks whether a fact passes as one that names an entity, whatever it relates.
    pub fn takes_name(&self, of: &Connections, told: Told) -> bool {
        self.naming.as_ref().is_none_or(|naming| naming.contains(&told.fact)) && self.takes(of, told)
    }

    /// Checks whether the filter leaves nothing out.
    pub fn takes_everything(&self) -> bool {
        self.kinds.is_empty() && self.only.is_none() && self.naming.is_none() && self.takes_all_facts()
    }

    fn takes_all_facts(&self) -> bool {
        self.hosts.is_empty() && self.writer.is_none() && self.since.is_none() && self.until.is_none()
    }

    fn takes_time(&self, when: Option<When>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some((earliest, latest)) = when.map(When::bounds) else { return false };
        self.since.is_none_or(|since| latest >= since) && self.until.is_none_or(|until| earliest <= until)
    }
}

/// An entity reached from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// The number of relations to it.
    pub depth: u32,
    /// The entity.
    pub entity: EntityRef,
    /// The relation through which it is reached.
    pub by: RelationRef,
}

/// Returns the entities within this many relations, nearest first, each with every relation that leads to it from a nearer one.
pub fn neighbours(of: &Connections, entity: EntityRef, depth: u32, filter: &Filter) -> Vec<Neighbour> {
    let mut met: BTreeMap<EntityRef, u32> = BTreeMap::from([(entity, 0)]);
    let mut queue = VecDeque::from([(entity, 0)]);
    let mut found = Vec::new();
    while let Some((at, away)) = queue.pop_front() {
        if away == depth {
            continue;
        }
        for by in of.relations_of(at).into_iter().filter(|relation| filter.admits(of, *relation)) {
            let Some(entity) = of.other_end(by, at) else { continue };
            let known = *met.entry(entity).or_insert_with(|| {
                queue.push_back((entity, away + 1));
                away + 1
            });
            if known == away + 1 {
                found.push(Neighbour { depth: known, entity, by });
            }
        }
    }
    found
}

/// Returns the relations that pass the filter and have both ends among these entities, in order.
pub fn between(of: &Connections, among: &BTreeSet<EntityRef>, filter: &Filter) -> Vec<RelationRef> {
    let is_inner = |relation: &RelationRef| {
        of.relation(*relation).is_some_and(|(from, _, to)| among.contains(&from) && among.contains(&to))
    };
    let all: BTreeSet<RelationRef> = among.iter().flat_map(|entity| of.relations_of(*entity)).collect();
    all.into_iter().filter(is_inner).filter(|relation| filter.admits(of, *relation)).collect()
}

/// Returns the entities with the most neighbours, largest first.
pub fn hubs(of: &Connections, most: usize, filter: &Filter) -> Vec<(EntityRef, usize)> {
    let mut pairs: Vec<(EntityRef, EntityRef)> = Vec::new();
    for relation in of.relations().filter(|relation| filter.admits(of, *relation)) {
        if let Some((from, _, to)) = of.relation(relation) {
            pairs.extend([(from, to), (to, from)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut hubs: Vec<(EntityRef, usize)> = Vec::new();
    for (entity, _) in pairs {
        match hubs.last_mut().filter(|(last, _)| *last == entity) {
            Some((_, number)) => *number += 1,
            None => hubs.push((entity, 1)),
        }
    }
    hubs.sort_by_key(|(entity, number)| (std::cmp::Reverse(*number), *entity));
    hubs.truncate(most);
    hubs
}

/// Returns the connected components, largest first, each in the order of its entities; entities without relations are left out.
pub fn islands(of: &Connections, filter: &Filter) -> Vec<Vec<EntityRef>> {
    let mut sets = UnionFind::<u32>::new(of.entities().count());
    let mut related = BTreeSet::new();
    for relation in of.relations().filter(|relation| filter.admits(of, *relation)) {
        if let Some((from, _, to)) = of.relation(relation) {
            sets.union(from.0, to.0);
            related.extend([from, to]);
        }
    }
    let mut islands: BTreeMap<u32, Vec<EntityRef>> = BTreeMap::new();
    for entity in related {
        islands.entry(sets.find(entity.0)).or_default().push(entity);
    }
    let mut islands: Vec<Vec<EntityRef>> = islands.into_values().collect();
    islands.sort_by_key(|island| (std::cmp::Reverse(island.len()), island.first().copied()));
    islands
}

/// The facts of one host that name an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen<'c> {
    /// The host.
    pub host: &'c str,
    /// The facts that name it, in the order of their ids.
    pub facts: Vec<Told>,
}

impl Seen<'_> {
    /// Returns the first and the last time stated by the facts.
    pub fn span(&self) -> Option<(When, When)> {
        let times = || self.facts.iter().filter_map(|told| told.when);
        times().min().zip(times().max())
    }
}

/// Returns the hosts whose facts name an entity, in the order of their names.
pub fn where_else<'c>(of: &'c Connections, entity: EntityRef, filter: &Filter) -> Vec<Seen<'c>> {
    let mut seen: BTreeMap<&str, Vec<Told>> = BTreeMap::new();
    for (_, told) in of.names(entity).filter(|(_, told)| filter.takes_name(of, *told)) {
        seen.entry(of.host_of(told.fact).unwrap_or_default()).or_default().push(told);
    }
    let seen = seen.into_iter().map(|(host, mut facts)| {
        facts.sort_by_key(|told| told.fact);
        facts.dedup_by_key(|told| told.fact);
        Seen { host, facts }
    });
    seen.collect()
}

/// Another entity of the same kind that has one of this entity's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Namesake {
    /// Whether it is known to be different: two SIDs, serial numbers or file table entries identify two entities.
    pub is_another: bool,
    /// The entity.
    pub entity: EntityRef,
}

impl Namesake {
    /// Describes how it relates to the entity that shares its name.
    pub const fn words(self) -> &'static str {
        match self.is_another {
            false => "possibly the same by its name",
            true => "another of the same name",
        }
    }
}

/// Returns entities of the same kind with the same name that are not known to be the same:
/// for programs and files on the same host, otherwise on any host. Those that may be the same come first.
pub fn namesakes(of: &Connections, entity: EntityRef) -> Vec<Namesake> {
    let kind = of.kind(entity).prefix();
    let names: BTreeSet<String> = of.names(entity).filter_map(|(name, _)| find::simple(kind, name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let is_of_host = |other: EntityRef| kind != "file" || of.host(other) == of.host(entity);
    let (told_by, _, is_strong) = of.key(entity);
    let is_another = |other: EntityRef| {
        let (others_key, _, is_also_strong) = of.key(other);
        is_strong && is_also_strong && told_by == others_key
    };
    let others = of
        .entities()
        .filter(|other| *other != entity && of.kind(*other).prefix() == kind && is_of_host(*other));
    let bears = |other: &EntityRef| {
        let mut own = of.names(*other).filter_map(|(name, _)| find::simple(kind, name));
        own.any(|name| names.contains(&name))
    };
    let namesake = |entity| Namesake { is_another: is_another(entity), entity };
    let mut all: Vec<Namesake> = others.filter(bears).map(namesake).collect();
    all.sort();
    all
}

/// A fact about an entity, and the relation that it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The fact and its time.
    pub told: Told,
    /// The relation that it shows, if any.
    pub relation: Option<RelationRef>,
}

/// Returns the facts about an entity in chronological order, followed by undated ones.
pub fn timeline(of: &Connections, entity: EntityRef, filter: &Filter) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::new();
    for relation in of.relations_of(entity).into_iter().filter(|it| filter.admits(of, *it)) {
        let shown = of.shown_by(relation).filter(|told| filter.takes(of, *told));
        moments.extend(shown.map(|told| Moment { told, relation: Some(relation) }));
    }
    if filter.kinds.is_empty() {
        let related: BTreeSet<_> = moments.iter().map(|moment| moment.told.fact).collect();
        let named = of.names(entity).map(|(_, told)| told);
        let named = named.filter(|told| !related.contains(&told.fact) && filter.takes_name(of, *told));
        moments.extend(named.map(|told| Moment { told, relation: None }));
    }
    moments.sort_by_key(|moment| {
        (moment.told.when.is_none(), moment.told.when, moment.told.fact, moment.relation)
    });
    moments.dedup_by_key(|moment| (moment.told.fact, moment.relation, moment.told.when));
    moments
}
