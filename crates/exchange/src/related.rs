//! The entities and relations that code derives from the facts of a run, for every format that can represent them.

use graph::Run;
use graph::connections::{Connections, RelationRef};

/// The maximum number of facts listed for one relation.
const NAMED: usize = 20;

/// The entities that the facts of a run name, and their relations.
pub(crate) struct Related<'r> {
    pub(crate) of: &'r Connections,
}

impl<'r> Related<'r> {
    pub(crate) fn new(run: &'r Run) -> Related<'r> {
        Related { of: run.connections() }
    }

    /// Returns the identity of a relation: its kind and its two ends.
    pub(crate) fn own(&self, relation: RelationRef) -> Option<String> {
        let (from, kind, to) = self.of.relation(relation)?;
        Some(format!("{} {} {}", self.of.id(from)?, kind.name(), self.of.id(to)?))
    }

    /// Describes a relation.
    pub(crate) fn words(&self, relation: RelationRef) -> Option<String> {
        let (from, kind, to) = self.of.relation(relation)?;
        let called = |entity| format!("{} {}", self.of.kind(entity).words(), self.of.title(entity));
        Some(format!("{} {} {}", called(from), kind.words(), called(to)))
    }
}

/// Lists the facts that show a relation, with the times they state.
pub(crate) fn shown_by(of: &Connections, relation: RelationRef) -> String {
    let named = of.shown_by(relation).take(NAMED).map(|told| match told.when {
        Some(when) => format!("{} ({when})", told.fact.fact),
        None => told.fact.fact.to_string(),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match of.shown_by(relation).count().saturating_sub(NAMED) {
        0 => format!("shown by {named}"),
        more => format!("shown by {named}, and {more} more"),
    }
}
