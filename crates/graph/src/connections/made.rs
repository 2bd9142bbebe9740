//! The digest of a run's connections, which the seal contains and `verify` recomputes.

use super::collect::FactRef;
use super::model::{Connections, Told};
use ledger::event::ConnectionsMade;
use ledger::{PartsDigest, canonical};
use serde::Serialize;

/// Returns the seal's entry about the connections.
pub fn digest(of: &Connections) -> ConnectionsMade {
    let mut parts = PartsDigest::default();
    // Values of closed types always have a canonical form.
    let mut add = |bytes: Result<Vec<u8>, _>| parts.add(&bytes.unwrap_or_default());
    for entity in of.entities() {
        let (told_by, key, is_strong) = of.key(entity);
        add(canonical::to_vec(&EntityLine {
            id: of.id(entity).map(|id| id.to_string()),
            kind: of.kind(entity).name(),
            told_by,
            key,
            is_strong,
            host: of.host(entity),
            title: of.title(entity),
            names: of.names(entity).map(|(name, told)| (name, TellsOf::of(told))).collect(),
        }));
    }
    for relation in of.relations() {
        let Some((from, kind, to)) = of.relation(relation) else { continue };
        add(canonical::to_vec(&RelationLine {
            from: of.id(from).map(|id| id.to_string()),
            kind: kind.name(),
            to: of.id(to).map(|id| id.to_string()),
            shown_by: of.shown_by(relation).map(TellsOf::of).collect(),
        }));
    }
    ConnectionsMade {
        rules: of.rules(),
        entities: of.entities().count() as u64,
        relations: of.relations().count() as u64,
        digest: parts.finish(),
    }
}

/// An entity in the form used for the digest.
#[derive(Serialize)]
struct EntityLine<'c> {
    id: Option<String>,
    kind: &'static str,
    told_by: &'static str,
    key: &'c str,
    is_strong: bool,
    host: Option<&'c str>,
    title: &'c str,
    names: Vec<(&'c str, TellsOf)>,
}

/// A relation in the form used for the digest.
#[derive(Serialize)]
struct RelationLine {
    from: Option<String>,
    kind: &'static str,
    to: Option<String>,
    shown_by: Vec<TellsOf>,
}

/// A fact that shows the relation, and the time that it states.
#[derive(Serialize)]
struct TellsOf {
    fact: String,
    time: Option<String>,
}

impl TellsOf {
    fn of(told: Told) -> TellsOf {
        let FactRef { fact, .. } = told.fact;
        TellsOf { fact: fact.to_string(), time: told.when.map(|when| when.to_string()) }
    }
}
