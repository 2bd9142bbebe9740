//! The entities and relations that agents added: their interpretations, which code matches with its own entities by name.
//!
//! **Invariant:** nothing here becomes a relation of the graph that code derives.

use super::{Connections, EntityKind, EntityRef};
use crate::run::Run;
use ledger::pattern::fold;
use ledger::{EntityKind as AgentKind, FactId, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// The entities and relations that agents added, in the order of their tasks.
#[derive(Debug, Default)]
pub struct Readings {
    /// The entities.
    pub things: Vec<Thing>,
    /// The relations.
    pub links: Vec<Link>,
    by_entity: BTreeMap<EntityRef, Vec<usize>>,
}

/// An entity that an agent added.
#[derive(Debug)]
pub struct Thing {
    /// The agent that added it.
    pub agent: String,
    /// Kind and name, as the agent wrote them.
    pub said: String,
    /// The facts that the agent cited for it.
    pub facts: Vec<FactId>,
    /// The one entity derived by code that these facts give the same name.
    pub entity: Option<EntityRef>,
}

/// A relation that an agent added.
#[derive(Debug)]
pub struct Link {
    /// The agent that added it.
    pub agent: String,
    /// Its first end.
    pub from: End,
    /// How the first end relates to the second.
    pub words: String,
    /// Its second end.
    pub to: End,
    /// The facts that the agent cited for it.
    pub facts: Vec<FactId>,
}

/// One end of an agent's relation.
#[derive(Debug, Clone)]
pub struct End {
    /// The node.
    pub node: NodeId,
    /// The kind and name of the agent's entity, or the id of another node.
    pub said: String,
    /// The matching entity derived by code, by its facts and name.
    pub entity: Option<EntityRef>,
}

impl Readings {
    /// Collects the readings of a run with these connections.
    pub fn of(run: &Run, of: &Connections) -> Readings {
        let added = || run.tasks.values().flat_map(|view| view.entities.iter().map(move |it| (view, it)));
        let wanted: BTreeSet<FactId> = added().flat_map(|(_, it)| it.facts.iter().copied()).collect();
        let named = named(of, &wanted);
        let mut ends: BTreeMap<NodeId, End> = BTreeMap::new();
        let mut readings = Readings::default();
        for (view, it) in added() {
            let said = format!("{} {}", it.kind.name().replace('_', " "), it.name);
            let entity = same(of, &named, it.kind, &it.name, &it.facts);
            let node = NodeId::Entity(it.entity);
            ends.insert(node, End { node, said: said.clone(), entity });
            let agent = view.assigned.agent.name.clone();
            readings.things.push(Thing { agent, said, facts: it.facts.clone(), entity });
        }
        let end = |node: NodeId| {
            let other = || End { node, said: node.to_string(), entity: None };
            ends.get(&node).cloned().unwrap_or_else(other)
        };
        for view in run.tasks.values() {
            readings.links.extend(view.relations.iter().map(|it| Link {
                agent: view.assigned.agent.name.clone(),
                from: end(it.from),
                words: it.kind.name().replace('_', " "),
                to: end(it.to),
                facts: it.facts.clone(),
            }));
        }
        for (at, link) in readings.links.iter().enumerate() {
            for entity in [link.from.entity, link.to.entity].into_iter().flatten() {
                let known = readings.by_entity.entry(entity).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
        }
        readings
    }

    /// Returns the indexes of the relations that have this entity as an end.
    pub fn about(&self, entity: EntityRef) -> &[usize] {
        self.by_entity.get(&entity).map_or(&[], Vec::as_slice)
    }
}

/// Returns the entities that each of these facts names, with the names.
fn named<'c>(
    of: &'c Connections,
    wanted: &BTreeSet<FactId>,
) -> BTreeMap<FactId, BTreeSet<(EntityRef, &'c str)>> {
    let mut named: BTreeMap<FactId, BTreeSet<(EntityRef, &str)>> = BTreeMap::new();
    if wanted.is_empty() {
        return named;
    }
    for entity in of.entities() {
        for (name, told) in of.names(entity).filter(|(_, told)| wanted.contains(&told.fact.fact)) {
            named.entry(told.fact.fact).or_default().insert((entity, name));
        }
    }
    named
}

/// Finds the one entity derived by code with a compatible kind and the same name, among those that the facts name.
fn same(
    of: &Connections,
    named: &BTreeMap<FactId, BTreeSet<(EntityRef, &str)>>,
    kind: AgentKind,
    name: &str,
    facts: &[FactId],
) -> Option<EntityRef> {
    let wanted = fold(name.trim());
    let bears = |known: &str| {
        let known = fold(known);
        known == wanted || known.rsplit(['\\', '/']).next() == Some(wanted.as_str())
    };
    let all = facts.iter().filter_map(|fact| named.get(fact)).flatten();
    let fitting = all.filter(|(entity, known)| is_like(kind, of.kind(*entity)) && bears(known));
    let fitting: BTreeSet<EntityRef> = fitting.map(|(entity, _)| *entity).collect();
    match fitting.len() {
        1 => fitting.first().copied(),
        _ => None,
    }
}

/// Checks whether an agent's entity kind can match this kind.
const fn is_like(kind: AgentKind, code: EntityKind) -> bool {
    match kind {
        AgentKind::Host => matches!(code, EntityKind::Host),
        AgentKind::Account => matches!(code, EntityKind::Account),
        AgentKind::Person => matches!(code, EntityKind::Account | EntityKind::Email),
        AgentKind::Device => matches!(code, EntityKind::Device),
        AgentKind::File | AgentKind::Program => matches!(code, EntityKind::File | EntityKind::Program),
        AgentKind::Service => matches!(code, EntityKind::Service),
        AgentKind::ScheduledTask => matches!(code, EntityKind::ScheduledTask),
        AgentKind::RegistryKey => matches!(code, EntityKind::RegistryKey | EntityKind::RunEntry),
        AgentKind::Address => matches!(code, EntityKind::Address),
        AgentKind::Domain => matches!(code, EntityKind::Domain | EntityKind::Share | EntityKind::Url),
    }
}
