//! The queryable model of entities and relations.

use super::ask::Filter;
use super::collect::{At, FactRef};
use super::hosts::{Host, Hosts};
use super::kind::{EntityKind, RelationKind};
use ledger::{Digest, Utc, Writer};
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// The id of an entity: the prefix of its kind and twelve hex digits derived from its key.
///
/// The same key has the same id in every run. If the key is specific to a host (a path, a service, the host itself), it includes the label of
/// the evidence: runs over other evidence with that label get the same ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    prefix: &'static str,
    digits: u64,
}

/// The error for a text that is not an entity id.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read an id: expected a kind of entity, `-` and 12 hex digits, found {found:?}")]
pub struct EntityIdError {
    /// The invalid text.
    pub found: String,
}

impl EntityId {
    pub(super) fn of(prefix: &'static str, key: &str) -> EntityId {
        let [a, b, c, d, e, f, ..] = *Digest::of(key.as_bytes()).as_bytes();
        EntityId { prefix, digits: u64::from_be_bytes([0, 0, a, b, c, d, e, f]) }
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:012x}", self.prefix, self.digits)
    }
}

impl FromStr for EntityId {
    type Err = EntityIdError;

    fn from_str(text: &str) -> Result<EntityId, EntityIdError> {
        let read = text.rsplit_once('-').and_then(|(prefix, digits)| {
            let prefix = EntityKind::ALL.iter().map(|kind| kind.prefix()).find(|it| *it == prefix)?;
            let is_form =
                digits.len() == 12 && digits.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
            let digits = u64::from_str_radix(digits, 16).ok().filter(|_| is_form)?;
            Some(EntityId { prefix, digits })
        });
        read.ok_or_else(|| EntityIdError { found: text.to_owned() })
    }
}

/// A reference to an entity by index; only [`Connections`] creates one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityRef(pub(super) u32);

/// A reference to a relation by index; only [`Connections`] creates one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationRef(pub(super) u32);

#[derive(Debug)]
pub(super) struct Entity {
    pub(super) id: EntityId,
    pub(super) kind: EntityKind,
    pub(super) is_program: bool,
    pub(super) told_by: &'static str,
    pub(super) is_strong: bool,
    pub(super) key: Arc<str>,
    pub(super) host: Option<u32>,
    pub(super) title: u32,
    pub(super) named: (usize, usize),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Relation {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) kind: RelationKind,
    pub(super) shown: (usize, usize),
}

/// A fact that shows a relation, and the time that it states for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) fact: u32,
    pub(super) at: Option<At>,
}

/// A name that a fact gives an entity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) text: u32,
    pub(super) fact: u32,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kept {
    pub(super) fact: Option<FactRef>,
    pub(super) host: u32,
    pub(super) at: Option<At>,
    /// The least trusted party that could have written one of its values.
    pub(super) writer: Option<Writer>,
}

/// The time of an event, as far as facts state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct When {
    /// The instant; for a local time, its value as if it were UTC.
    pub utc: Utc,
    /// Whether it is a local time of unknown zone: the actual instant is up to 14 hours earlier or 12 hours later.
    pub is_local: bool,
    /// Whether the time is only an upper bound: it belongs to the container, such as a registry key.
    pub is_latest: bool,
}

impl When {
    /// Returns the earliest and the latest possible instant.
    pub fn bounds(self) -> (Utc, Utc) {
        const HOUR: i128 = 3_600_000_000_000;
        let moved = |hours: i128| {
            let at = self.utc.unix_nanoseconds() + hours * HOUR;
            Utc::from_unix_nanoseconds(at).unwrap_or(self.utc)
        };
        let (earliest, latest) = if self.is_local { (moved(-14), moved(12)) } else { (self.utc, self.utc) };
        // Nothing that is examined is older than that.
        (if self.is_latest { Utc::UNIX_EPOCH } else { earliest }, latest)
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.utc.to_string();
        let until = if self.is_latest { "until " } else { "" };
        match self.is_local {
            false => write!(f, "{until}{text}"),
            true => write!(f, "{until}{} local", text.trim_end_matches('Z')),
        }
    }
}

/// A fact about an entity or relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// The fact.
    pub fact: FactRef,
    /// The time of what it states.
    pub when: Option<When>,
}

/// All entities that the facts of runs name, and the relations between them.
#[derive(Debug)]
pub struct Connections {
    rules: u16,
    entities: Vec<Entity>,
    named: Vec<Named>,
    texts: Vec<Arc<str>>,
    facts: Vec<Kept>,
    hosts: Hosts,
    relations: Vec<Relation>,
    shown: Vec<Shown>,
    ids: BTreeMap<EntityId, u32>,
    pub(super) graph: UnGraph<(), (), u32>,
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Connections {
    #[expect(clippy::too_many_arguments, reason = "each is a table of its own")]
    pub(super) fn new(
        rules: u16,
        entities: Vec<Entity>,
        named: Vec<Named>,
        texts: Vec<Arc<str>>,
        facts: Vec<Kept>,
        hosts: Hosts,
        relations: Vec<Relation>,
        shown: Vec<Shown>,
    ) -> Connections {
        let mut graph = UnGraph::with_capacity(entities.len(), relations.len());
        entities.iter().for_each(|_| {
            graph.add_node(());
        });
        for relation in &relations {
            graph.add_edge(NodeIndex::new(index(relation.from)), NodeIndex::new(index(relation.to)), ());
        }
        let ids = (0..).zip(&entities).map(|(place, entity): (u32, &Entity)| (entity.id, place)).collect();
        Connections { rules, entities, named, texts, facts, hosts, relations, shown, ids, graph }
    }

    /// Returns the version of the rules that made them ([`super::RULES`]).
    pub const fn rules(&self) -> u16 {
        self.rules
    }

    /// Returns all entities, by kind and key.
    pub fn entities(&self) -> impl Iterator<Item = EntityRef> {
        (0..).zip(&self.entities).map(|(place, _)| EntityRef(place))
    }

    /// Returns all relations, by their ends.
    pub fn relations(&self) -> impl Iterator<Item = RelationRef> {
        (0..).zip(&self.relations).map(|(place, _)| RelationRef(place))
    }

    /// Returns the entity with this id.
    pub fn with_id(&self, id: EntityId) -> Option<EntityRef> {
        self.ids.get(&id).copied().map(EntityRef)
    }

    /// Returns the id of an entity.
    pub fn id(&self, entity: EntityRef) -> Option<EntityId> {
        self.entity(entity).map(|it| it.id)
    }

    /// Returns the kind of an entity.
    pub fn kind(&self, entity: EntityRef) -> EntityKind {
        match self.entity(entity) {
            Some(it) if it.is_program => EntityKind::Program,
            Some(it) => it.kind,
            None => EntityKind::File,
        }
    }

    /// Returns the title of an entity: the name that most facts give it.
    pub fn title(&self, entity: EntityRef) -> &str {
        let title = self.entity(entity).map(|it| it.title);
        title.and_then(|title| self.texts.get(index(title))).map_or("", |text| text)
    }

    /// Returns the kind of an entity's key, the key, and whether it is a strong one.
    pub fn key(&self, entity: EntityRef) -> (&'static str, &str, bool) {
        self.entity(entity).map_or(("", "", false), |it| (it.told_by, &it.key, it.is_strong))
    }

    /// Returns the host that an entity belongs to, if it is specific to one.
    pub fn host(&self, entity: EntityRef) -> Option<&str> {
        self.host_name(self.entity(entity)?.host?)
    }

    /// Returns the facts that name an entity, each with the name it uses, in the order of the names.
    pub fn names(&self, entity: EntityRef) -> impl Iterator<Item = (&str, Told)> {
        let (from, to) = self.entity(entity).map_or((0, 0), |it| it.named);
        self.named.get(from..to).unwrap_or_default().iter().filter_map(|named| {
            let text = self.texts.get(index(named.text))?;
            Some((text.as_ref(), self.told(named.fact)?))
        })
    }

    /// Returns the host that a fact is about.
    pub fn host_of(&self, fact: FactRef) -> Option<&str> {
        let place = self.facts.binary_search_by_key(&Some(fact), |kept| kept.fact).ok()?;
        self.host_name(self.facts.get(place)?.host)
    }

    /// Returns the time of what a fact states.
    pub fn when_of(&self, fact: FactRef) -> Option<When> {
        let place = self.facts.binary_search_by_key(&Some(fact), |kept| kept.fact).ok()?;
        self.facts.get(place)?.at.and_then(when)
    }

    /// Returns the least trusted party that could have written a value of a fact; `None` if unknown.
    pub fn writer_of(&self, fact: FactRef) -> Option<Writer> {
        let place = self.facts.binary_search_by_key(&Some(fact), |kept| kept.fact).ok()?;
        self.facts.get(place)?.writer
    }

    /// Returns the hosts that a text names: by their key, the label of their evidence, or a computer name.
    pub fn hosts_called<'c>(&'c self, text: &'c str) -> impl Iterator<Item = &'c str> {
        let is_called = move |host: &&Host| {
            let mut words = host.labels.iter().chain(&host.names).chain([&host.key]);
            words.any(|word| word.eq_ignore_ascii_case(text))
        };
        self.hosts.all.iter().filter(is_called).map(|host| host.key.as_str())
    }

    /// Returns the keys of all hosts.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.all.iter().map(|host| host.key.as_str())
    }

    /// Returns the two ends and the kind of a relation.
    pub fn relation(&self, relation: RelationRef) -> Option<(EntityRef, RelationKind, EntityRef)> {
        let it = self.relations.get(index(relation.0))?;
        Some((EntityRef(it.from), it.kind, EntityRef(it.to)))
    }

    /// Returns the facts that show a relation, each with the time that it states for it.
    pub fn shown_by(&self, relation: RelationRef) -> impl Iterator<Item = Told> {
        let (from, to) = self.relations.get(index(relation.0)).map_or((0, 0), |it| it.shown);
        self.shown.get(from..to).unwrap_or_default().iter().filter_map(|shown| {
            Some(Told { fact: self.kept(shown.fact)?.fact?, when: shown.at.and_then(when) })
        })
    }

    /// Returns the relations of an entity, in the order of their ends.
    pub fn relations_of(&self, entity: EntityRef) -> Vec<RelationRef> {
        let edges = self.graph.edges(NodeIndex::new(index(entity.0)));
        let mut all: Vec<RelationRef> = edges
            .filter_map(|edge| u32::try_from(EdgeRef::id(&edge).index()).ok())
            .map(RelationRef)
            .collect();
        all.sort_unstable();
        all
    }

    /// Returns the other end of a relation.
    pub fn other_end(&self, relation: RelationRef, entity: EntityRef) -> Option<EntityRef> {
        let (from, _, to) = self.relation(relation)?;
        Some(if from == entity { to } else { from })
    }

    /// Returns the relations of an entity that pass the filter, each with its other end.
    pub(super) fn steps<'c>(
        &'c self,
        entity: EntityRef,
        filter: &'c Filter,
    ) -> impl Iterator<Item = (RelationRef, EntityRef)> + 'c {
        let edges = self.graph.edges(NodeIndex::new(index(entity.0)));
        edges.filter_map(move |edge| {
            let relation = RelationRef(u32::try_from(EdgeRef::id(&edge).index()).ok()?);
            let to = EntityRef(u32::try_from(edge.target().index()).ok()?);
            filter.admits(self, relation).then_some((relation, to))
        })
    }

    /// Returns the number of facts about any entity or relation, over all runs.
    pub fn facts(&self) -> usize {
        self.facts.len()
    }

    fn entity(&self, entity: EntityRef) -> Option<&Entity> {
        self.entities.get(index(entity.0))
    }

    fn told(&self, fact: u32) -> Option<Told> {
        let kept = self.kept(fact)?;
        Some(Told { fact: kept.fact?, when: kept.at.and_then(when) })
    }

    fn kept(&self, fact: u32) -> Option<&Kept> {
        self.facts.get(index(fact))
    }

    fn host_name(&self, host: u32) -> Option<&str> {
        self.hosts.get(host).map(|host| host.key.as_str())
    }
}

fn when(at: At) -> Option<When> {
    let utc = Utc::from_unix_nanoseconds(at.nanoseconds.into())?;
    Some(When { utc, is_local: at.is_local, is_latest: at.is_latest })
}
