//! Entities and relations, as they are asked for.

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

/// The id of an entity: the beginning of its kind and twelve digits of what it is told apart by.
///
/// The same key has the same id in every run. Of what is told apart by its host (a path, a service, the host itself) the label of the evidence is part of the key: runs over other evidence with that label have the same ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    prefix: &'static str,
    digits: u64,
}

/// Why a text is no id of an entity.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read an id: expected a kind of entity, `-` and 12 hex digits, found {found:?}")]
pub struct EntityIdError {
    /// The text that was given.
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

/// An entity by its place; only [`Connections`] gives one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityRef(pub(super) u32);

/// A relation by its place; only [`Connections`] gives one.
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

/// A fact that shows a relation, with the time that it gives it.
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
    /// The least trusted who could have written a value of it.
    pub(super) writer: Option<Writer>,
}

/// When something was, as far as facts tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct When {
    /// The instant; of a local time what it would be in UTC.
    pub utc: Utc,
    /// Whether it is a local time whose zone nothing tells: the instant lies up to 14 hours earlier or 12 hours later.
    pub is_local: bool,
    /// Whether it was then or before: the time is that of what holds it, such as a registry key.
    pub is_latest: bool,
}

impl When {
    /// The earliest and the latest instant that it can be.
    pub fn bounds(self) -> (Utc, Utc) {
        const HOUR: i128 = 3_600_000_000_000;
        let moved = |hours: i128| {
            let at = self.utc.unix_nanoseconds() + hours * HOUR;
            Utc::from_unix_nanoseconds(at).unwrap_or(self.utc)
        };
        let (earliest, latest) = if self.is_local { (moved(-14), moved(12)) } else { (self.utc, self.utc) };
        // Nothing of what is examined is older.
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

/// A fact that tells of an entity or relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub fact: FactRef,
    /// When that was of which it tells.
    pub when: Option<When>,
}

/// Everything that the facts of runs name, and how they relate it.
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

    /// The version of the rules that made them ([`super::RULES`]).
    pub const fn rules(&self) -> u16 {
        self.rules
    }

    /// All entities, by kind and key.
    pub fn entities(&self) -> impl Iterator<Item = EntityRef> {
        (0..).zip(&self.entities).map(|(place, _)| EntityRef(place))
    }

    /// All relations, by their ends.
    pub fn relations(&self) -> impl Iterator<Item = RelationRef> {
        (0..).zip(&self.relations).map(|(place, _)| RelationRef(place))
    }

    /// The entity with this id.
    pub fn with_id(&self, id: EntityId) -> Option<EntityRef> {
        self.ids.get(&id).copied().map(EntityRef)
    }

    /// Its id.
    pub fn id(&self, entity: EntityRef) -> Option<EntityId> {
        self.entity(entity).map(|it| it.id)
    }

    /// What it is.
    pub fn kind(&self, entity: EntityRef) -> EntityKind {
        match self.entity(entity) {
            Some(it) if it.is_program => EntityKind::Program,
            Some(it) => it.kind,
            None => EntityKind::File,
        }
    }

    /// What it is called: the name that most facts give it.
    pub fn title(&self, entity: EntityRef) -> &str {
        let title = self.entity(entity).map(|it| it.title);
        title.and_then(|title| self.texts.get(index(title))).map_or("", |text| text)
    }

    /// What it is told apart by: the kind of key, the key, and whether it decides what is one.
    pub fn key(&self, entity: EntityRef) -> (&'static str, &str, bool) {
        self.entity(entity).map_or(("", "", false), |it| (it.told_by, &it.key, it.is_strong))
    }

    /// The host that it is of, where it is of one.
    pub fn host(&self, entity: EntityRef) -> Option<&str> {
        self.host_name(self.entity(entity)?.host?)
    }

    /// The facts that name it, with the name that each gives it, in the order of the names.
    pub fn names(&self, entity: EntityRef) -> impl Iterator<Item = (&str, Told)> {
        let (from, to) = self.entity(entity).map_or((0, 0), |it| it.named);
        self.named.get(from..to).unwrap_or_default().iter().filter_map(|named| {
            let text = self.texts.get(index(named.text))?;
            Some((text.as_ref(), self.told(named.fact)?))
        })
    }

    /// Where a fact was read: the host that it tells of.
    pub fn host_of(&self, fact: FactRef) -> Option<&str> {
        let place = self.facts.binary_search_by_key(&Some(fact), |kept| kept.fact).ok()?;
        self.host_name(self.facts.get(place)?.host)
    }

    /// When that was of which a fact tells.
    pub fn when_of(&self, fact: FactRef) -> Option<When> {
        let place = self.facts.binary_search_by_key(&Some(fact), |kept| kept.fact).ok()?;
        self.facts.get(place)?.at.and_then(when)
    }

    /// The least trusted who could have written a value of a fact; `None` where nothing tells.
    pub fn writer_of(&self, fact: FactRef) -> Option<Writer> {
        let place = self.facts.binary_search_by_key(&Some(fact), |kept| kept.fact).ok()?;
        self.facts.get(place)?.writer
    }

    /// The hosts that a text names: by what they are told apart by, a label of their evidence, or a computer's name.
    pub fn hosts_called<'c>(&'c self, text: &'c str) -> impl Iterator<Item = &'c str> {
        let is_called = move |host: &&Host| {
            let mut words = host.labels.iter().chain(&host.names).chain([&host.key]);
            words.any(|word| word.eq_ignore_ascii_case(text))
        };
        self.hosts.all.iter().filter(is_called).map(|host| host.key.as_str())
    }

    /// What hosts are told apart by.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.all.iter().map(|host| host.key.as_str())
    }

    /// The ends of a relation and what it is.
    pub fn relation(&self, relation: RelationRef) -> Option<(EntityRef, RelationKind, EntityRef)> {
        let it = self.relations.get(index(relation.0))?;
        Some((EntityRef(it.from), it.kind, EntityRef(it.to)))
    }

    /// The facts that show a relation, each with the time that it gives it.
    pub fn shown_by(&self, relation: RelationRef) -> impl Iterator<Item = Told> {
        let (from, to) = self.relations.get(index(relation.0)).map_or((0, 0), |it| it.shown);
        self.shown.get(from..to).unwrap_or_default().iter().filter_map(|shown| {
            Some(Told { fact: self.kept(shown.fact)?.fact?, when: shown.at.and_then(when) })
        })
    }

    /// The relations of an entity, in the order of their ends.
    pub fn relations_of(&self, entity: EntityRef) -> Vec<RelationRef> {
        let edges = self.graph.edges(NodeIndex::new(index(entity.0)));
        let mut all: Vec<RelationRef> = edges
            .filter_map(|edge| u32::try_from(EdgeRef::id(&edge).index()).ok())
            .map(RelationRef)
            .collect();
        all.sort_unstable();
        all
    }

    /// The other end of a relation.
    pub fn other_end(&self, relation: RelationRef, entity: EntityRef) -> Option<EntityRef> {
        let (from, _, to) = self.relation(relation)?;
        Some(if from == entity { to } else { from })
    }

    /// Where relations that count lead to from an entity.
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

    /// How many facts tell of an entity or relation, of all runs.
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
