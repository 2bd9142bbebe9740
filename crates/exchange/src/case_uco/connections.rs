//! The entities and relations that code derives from the facts (`graph::connections`), as observables and relationships.

use super::Graph;
use crate::related::{Related, shown_by};
use graph::connections::{EntityKind, EntityRef, RelationKind};
use serde_json::{Value, json};

/// Returns a node for each entity, and one for each relation between two entities.
pub(super) fn of<'g>(
    graph: &'g Graph<'_>,
    related: &'g Related<'_>,
) -> impl Iterator<Item = Value> + use<'g> {
    let entities = related.of.entities().map(move |entity| self::entity(graph, related, entity));
    let relations = related.of.relations().filter_map(move |relation| {
        let (from, kind, to) = related.of.relation(relation)?;
        let own = related.own(relation)?;
        Some(json!({
            "@id": graph.id("relationship", &own),
            "@type": "observable:ObservableRelationship",
            "core:source": reference(graph, related, from)?,
            "core:target": reference(graph, related, to)?,
            "core:isDirectional": {"@type": "xsd:boolean", "@value": "true"},
            "core:kindOfRelationship": kind_of(kind),
            "core:description": [shown_by(related.of, relation)],
        }))
    });
    entities.chain(relations)
}

fn entity(graph: &Graph<'_>, related: &Related<'_>, entity: EntityRef) -> Value {
    let own = related.of.id(entity).map(|id| id.to_string()).unwrap_or_default();
    let (told_by, key, is_strong) = related.of.key(entity);
    let by = if is_strong { "told apart by" } else { "known by a name alone:" };
    let mut described = vec![
        "an entity that code makes of the facts, which name it".to_owned(),
        format!("{by} {told_by} {key}"),
    ];
    described.extend(related.of.host(entity).map(|host| format!("of the host {host}")));
    json!({
        "@id": graph.id("entity", &own),
        "@type": class(related.of.kind(entity)),
        "core:name": related.of.title(entity),
        "core:tag": [format!("entity: {}", related.of.kind(entity).name())],
        "core:description": described,
        "core:externalReference": graph.external(&graph.node(&own), &own),
    })
}

fn reference(graph: &Graph<'_>, related: &Related<'_>, entity: EntityRef) -> Option<Value> {
    Some(graph.reference("entity", &related.of.id(entity)?.to_string()))
}

/// Returns the UCO class of an entity kind.
const fn class(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Account => "observable:WindowsAccount",
        EntityKind::Program | EntityKind::File => "observable:File",
        EntityKind::Process => "observable:Process",
        EntityKind::Service => "observable:WindowsService",
        EntityKind::ScheduledTask => "observable:WindowsTask",
        EntityKind::RegistryKey => "observable:WindowsRegistryKey",
        EntityKind::Address => "observable:IPAddress",
        EntityKind::Domain => "observable:DomainName",
        EntityKind::Url => "observable:URL",
        EntityKind::Device => "observable:Device",
        EntityKind::Email => "observable:EmailAddress",
        EntityKind::Host | EntityKind::RunEntry | EntityKind::Share | EntityKind::LogonSession => {
            "observable:ObservableObject"
        }
    }
}

/// Returns the name of a relation in UCO's style: `Downloaded_From`.
fn kind_of(kind: RelationKind) -> String {
    let parts = kind.name().split('_').map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    parts.collect::<Vec<_>>().join("_")
}
