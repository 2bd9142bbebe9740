//! Entities and relations against the facts that they rest on.

use ground::mentions;
use ledger::event::{EntityAdded, RelationAdded};
use ledger::{FactEntry, FactId, NodeId};

/// What one task added to the graph without the support that the engine asks for: every fact of an entity names it, and of each entity that a relation joins at least one does.
pub(super) fn unsupported<'r>(
    entities: &[EntityAdded],
    relations: &[RelationAdded],
    fact: impl Fn(FactId) -> Option<&'r FactEntry>,
) -> Vec<(NodeId, String)> {
    let names = |id: &FactId, name: &str| fact(*id).is_some_and(|fact| mentions(fact, name));
    let mut found = Vec::new();
    for added in entities {
        let silent = added.facts.iter().filter(|id| !names(id, &added.name));
        found.extend(silent.map(|id| {
            (NodeId::Entity(added.entity), format!("its fact {id} does not name {:?}", added.name))
        }));
    }
    for added in relations {
        let ends = [added.from, added.to];
        let joined = entities.iter().filter(|entity| ends.contains(&NodeId::Entity(entity.entity)));
        let silent = joined.filter(|entity| !added.facts.iter().any(|id| names(id, &entity.name)));
        found.extend(silent.map(|entity| {
            let what = format!("none of its facts names {:?}, which it joins", entity.name);
            (NodeId::Relation(added.relation), what)
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{
        BoundValue, ByteSpan, Digest, EntityId, EntityKind, FieldValue, IdSpace, InvocationId, Locator,
        Predicate, RecordId, RelationId, RelationKind, Seed, TaskId, Tier,
    };

    fn ids() -> IdSpace {
        IdSpace::new(Seed(Digest::of(b"nodes")))
    }

    fn fact(subject: &str) -> FactEntry {
        FactEntry {
            id: FactId::assign(&ids(), TaskId(1), 0).unwrap(),
            predicate: Predicate("present".into()),
            subject: BoundValue {
                field: "path".into(),
                value: FieldValue::Path(subject.into()),
                quotation: None,
                tier: Tier::Exact,
                span: ByteSpan::new(0, 1),
                at: None,
                writer: None,
            },
            values: vec![],
            invocation: InvocationId::assign(&ids(), TaskId(1), 0).unwrap(),
            output: Digest::of(b"o"),
            record: RecordId(0),
            kind: "dir_entry".into(),
            locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
            shown: true,
        }
    }

    #[test]
    fn a_forged_name_is_found_at_its_entity_and_its_relation() {
        let held = fact("C/Users/eve/evil.exe");
        let entity = |ordinal, kind, name: &str| EntityAdded {
            entity: EntityId::assign(&ids(), TaskId(1), ordinal).unwrap(),
            kind,
            name: name.into(),
            facts: vec![held.id],
        };
        let [eve, evil, mallory] = [
            entity(0, EntityKind::ALL[0], "eve"),
            entity(1, EntityKind::ALL[0], "evil.exe"),
            entity(2, EntityKind::ALL[0], "mallory"),
        ];
        let relation = |from: &EntityAdded, to: &EntityAdded| RelationAdded {
            relation: RelationId::assign(&ids(), TaskId(1), 0).unwrap(),
            from: NodeId::Entity(from.entity),
            kind: RelationKind::ALL[0],
            to: NodeId::Entity(to.entity),
            facts: vec![held.id],
        };
        let look = |id: FactId| (id == held.id).then_some(&held);
        let good = [eve.clone(), evil.clone()];
        assert_eq!(unsupported(&good, &[relation(&eve, &evil)], look), []);
        let forged = unsupported(&[eve.clone(), mallory.clone()], &[relation(&eve, &mallory)], look);
        let nodes: Vec<_> = forged.iter().map(|(node, _)| *node).collect();
        let relation = RelationId::assign(&ids(), TaskId(1), 0).unwrap();
        assert_eq!(nodes, [NodeId::Entity(mallory.entity), NodeId::Relation(relation)], "{forged:?}");
        assert_eq!(unsupported(&good, &[], |_| None).len(), 2);
    }
}
