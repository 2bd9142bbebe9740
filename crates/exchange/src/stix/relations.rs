//! The relations that code derives from the facts (`graph::connections`): between observables if STIX has both ends, otherwise as notes.

use super::Bundle;
use super::observables::Observables;
use crate::related::{Related, shown_by};
use graph::connections::{EntityKind, EntityRef, RelationRef};
use ledger::FactId;
use serde_json::{Value, json};

/// Returns an object for each relation.
pub(super) fn of(bundle: &Bundle<'_>, observables: &mut Observables) -> Vec<Value> {
    let related = Related::new(bundle.view.run);
    related.of.relations().filter_map(|relation| object(bundle, &related, observables, relation)).collect()
}

fn object(
    bundle: &Bundle<'_>,
    related: &Related<'_>,
    observables: &mut Observables,
    relation: RelationRef,
) -> Option<Value> {
    let (own, words) = (related.own(relation)?, related.words(relation)?);
    let facts: Vec<FactId> = related.of.shown_by(relation).map(|told| told.fact.fact).collect();
    let described = format!("{words}; {}", shown_by(related.of, relation));
    let (from, _, to) = related.of.relation(relation)?;
    let first = *facts.first()?;
    let mut end = |entity: EntityRef| observable(bundle, related, observables, entity, first);
    let references = bundle.reference(&own, "a relation that code makes of the facts".to_owned());
    let (kind, members) = match (end(from), end(to)) {
        (Some(from), Some(to)) if from != to => {
            let members = json!({
                "relationship_type": "related-to",
                "description": described,
                "source_ref": from,
                "target_ref": to,
                "external_references": references,
            });
            ("relationship", members)
        }
        _ => {
            let refs: Vec<String> = facts.into_iter().map(|fact| bundle.observed_id(fact)).collect();
            let members = json!({
                "abstract": words,
                "content": format!("a relation that code makes of the facts: {described}"),
                "object_refs": refs,
                "external_references": references,
            });
            ("note", members)
        }
    };
    Some(bundle.object(kind, &own, members))
}

/// Returns the observable of an entity; `None` if STIX has none.
fn observable(
    bundle: &Bundle<'_>,
    related: &Related<'_>,
    observables: &mut Observables,
    entity: EntityRef,
    shown: FactId,
) -> Option<String> {
    let (told_by, key, _) = related.of.key(entity);
    let title = related.of.title(entity);
    let observables = observables.told_by(&bundle.ids, shown);
    match related.of.kind(entity) {
        EntityKind::Account => {
            let sid = Some(key).filter(|key| told_by == "SID" && key.starts_with("S-1-"));
            let login = Some(title).filter(|title| !title.is_empty() && !title.starts_with("S-1-"));
            observables.account(login, sid)
        }
        EntityKind::Program | EntityKind::File => observables.named(title),
        EntityKind::Address => observables.address(title),
        EntityKind::Url => observables.url(title),
        EntityKind::Domain
        | EntityKind::Email
        | EntityKind::Host
        | EntityKind::Process
        | EntityKind::Service
        | EntityKind::ScheduledTask
        | EntityKind::RunEntry
        | EntityKind::RegistryKey
        | EntityKind::Share
        | EntityKind::Device
        | EntityKind::LogonSession => None,
    }
}
