//! Checks entities and relations against their facts.

use ground::mentions;
use ledger::event::{EntityAdded, RelationAdded};
use ledger::{BoundValue, FactEntry, FactId, FieldValue, NodeId};

/// Returns the nodes of one task that lack the support that the engine requires: every fact of an entity must name it, and each entity of
/// a relation must be named by at least one of the relation's facts.
pub(super) fn unsupported<'r>(
    entities: &[EntityAdded],
    relations: &[RelationAdded],
    fact: impl Fn(FactId) -> Option<&'r FactEntry>,
) -> Vec<(NodeId, String)> {
    let names =
        |id: &FactId, name: &str| fact(*id).is_some_and(|fact| mentions(fact, name) && holds(fact, name));
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

/// Whether a fact names `name`, without the gateway's matching: ignoring case and the direction of slashes, the name is in a value,
/// between separators or the ends of the value.
///
/// A name or a text that is not ASCII always counts as found.
fn holds(fact: &FactEntry, name: &str) -> bool {
    let name = plain(name);
    let name = name.strip_prefix("//?/").unwrap_or(&name).trim_matches('/');
    let in_text = |text: &str| {
        let text = plain(text);
        text.match_indices(name).any(|(start, _)| {
            let (before, after) = (text.get(..start), text.get(start + name.len()..));
            before.is_none_or(|before| before.is_empty() || before.ends_with('/'))
                && after.is_none_or(|after| after.is_empty() || after.starts_with('/'))
        }) || !text.is_ascii()
    };
    let bound = std::iter::once(&fact.subject).chain(&fact.values);
    let in_value = |bound: &BoundValue| match (&bound.value, &bound.quotation) {
        (_, Some(quotation)) => in_text(quotation),
        (FieldValue::List(items), None) => items.iter().any(|item| in_text(item)),
        (value, None) => in_text(&value.to_text()),
    };
    !name.is_ascii() || bound.into_iter().any(in_value)
}

/// Returns a text in lower case, with all slashes in one direction and repeated ones merged, except at the beginning.
fn plain(text: &str) -> String {
    let text = text.trim().to_lowercase().replace('\\', "/");
    let rest = text.trim_start_matches('/');
    let front = text.len() - rest.len();
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    format!("{}{}", text.get(..front).unwrap_or_default(), parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{
        ByteSpan, Digest, EntityId, EntityKind, IdSpace, InvocationId, Locator, Predicate, RecordId,
        RelationId, RelationKind, Seed, TaskId, Tier,
    };

    fn ids() -> IdSpace {
        IdSpace::new(Seed(Digest::of(b"nodes")))
    }

    fn fact(subject: &str) -> FactEntry {
        FactEntry {
            placement: None,
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

    #[test]
    fn a_name_stands_between_separators() {
        let held = fact(r"\\?\C:\Users\Eve\Evil.exe");
        for name in ["eve", "EVIL.EXE", r"C:\Users\eve\evil.exe", "users/eve", r"\\?\c:\users"] {
            assert!(holds(&held, name), "{name}");
        }
        for name in ["ev", "vil.exe", "mallory", "eve/users"] {
            assert!(!holds(&held, name), "{name}");
        }
    }
}
