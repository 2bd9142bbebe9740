//! What can be asked of connections.

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

/// Which relations count.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those that may be of this instant or later; what nothing dates is left out.
    pub since: Option<Utc>,
    /// Only those that may be of this instant or earlier.
    pub until: Option<Utc>,
    /// Only those of these kinds; none: all.
    pub kinds: BTreeSet<RelationKind>,
    /// Only those that facts of these hosts show; none: all.
    pub hosts: BTreeSet<String>,
    /// Only those that facts show which nobody less trusted could have written; none: all.
    pub writer: Option<Writer>,
    /// Only these; none: all.
    pub only: Option<BTreeSet<RelationRef>>,
    /// Of facts that name a thing and relate it to nothing only these; none: all.
    pub naming: Option<BTreeSet<FactRef>>,
}

impl Filter {
    /// Whether a relation counts.
    pub fn admits(&self, of: &Connections, relation: RelationRef) -> bool {
        let Some((_, kind, _)) = of.relation(relation) else { return false };
        let is_of_kind = self.kinds.is_empty() || self.kinds.contains(&kind);
        let is_of_kind = is_of_kind && self.only.as_ref().is_none_or(|only| only.contains(&relation));
        is_of_kind && (self.takes_all_facts() || of.shown_by(relation).any(|told| self.takes(of, told)))
    }

    /// Whether a fact counts.
    pub fn takes(&self, of: &Connections, told: Told) -> bool {
        let is_of_host = self.hosts.is_empty()
            || of
                .host_of(told.fact)
                .is_some_and(|host| self.hosts.iter().any(|it| it.eq_ignore_ascii_case(host)));
        // Of a fact whose writers nothing tells everybody may be one.
        let is_written = self.writer.is_none_or(|least| of.writer_of(told.fact) >= Some(least));
        is_of_host && is_written && self.takes_time(told.when)
    }

    /// Whether a fact counts for its naming a thing, whatever it relates.
    pub fn takes_name(&self, of: &Connections, told: Told) -> bool {
        self.naming.as_ref().is_none_or(|naming| naming.contains(&told.fact)) && self.takes(of, told)
    }

    /// Whether nothing is left out.
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

/// Something that is met on the way from an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// How many relations away it is.
    pub depth: u32,
    /// What.
    pub entity: EntityRef,
    /// The relation by which it is met.
    pub by: RelationRef,
}

/// What lies within so many relations of an entity, the nearest first, each with every relation that leads to it from what is nearer.
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

/// The relations that count and have both ends among these entities, in their order.
pub fn between(of: &Connections, among: &BTreeSet<EntityRef>, filter: &Filter) -> Vec<RelationRef> {
    let is_inner = |relation: &RelationRef| {
        of.relation(*relation).is_some_and(|(from, _, to)| among.contains(&from) && among.contains(&to))
    };
    let all: BTreeSet<RelationRef> = among.iter().flat_map(|entity| of.relations_of(*entity)).collect();
    all.into_iter().filter(is_inner).filter(|relation| filter.admits(of, *relation)).collect()
}

/// The entities with the most others next to them, the first first.
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

/// What hangs together: the largest first, each in the order of its entities; what is related to nothing is in none.
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

/// What one host says of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen<'c> {
    /// The host.
    pub host: &'c str,
    /// The facts that name it, in the order of their ids.
    pub facts: Vec<Told>,
}

impl Seen<'_> {
    /// The first and the last time that a fact dates.
    pub fn span(&self) -> Option<(When, When)> {
        let times = || self.facts.iter().filter_map(|told| told.when);
        times().min().zip(times().max())
    }
}

/// The hosts whose facts name an entity, in the order of their names.
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

/// Another entity of the same kind that bears a name of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Namesake {
    /// Whether it is known to be another: two SIDs, serial numbers or entries of the file table are two things.
    pub is_another: bool,
    /// Which.
    pub entity: EntityRef,
}

impl Namesake {
    /// What it is to the one that bears the name, too.
    pub const fn words(self) -> &'static str {
        match self.is_another {
            false => "possibly the same by its name",
            true => "another of the same name",
        }
    }
}

/// Entities of the same kind that bear the same name, and are not known to be one: a program or file of the same host, whatever else of any. Those that may be the same are first.
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

/// A fact that tells of an entity, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The fact, and when it was.
    pub told: Told,
    /// The relation that it shows, where it shows one.
    pub relation: Option<RelationRef>,
}

/// The facts that tell of an entity in the order of time, then those that nothing dates.
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
