//! Comparison keys: digests of what items say and where they were found.

use crate::rejections::RefusedClaim;
use crate::run::{HypothesisView, InvocationView, Run};
use ledger::{BoundValue, Claim, Derivation, Digest, FactEntry, FactId, NodeId, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A digest of what an item says.
pub(super) type Key = [u8; 32];

/// An empty list of parts.
const NOTHING: [&str; 0] = [];

/// The comparison keys of a run's nodes.
///
/// A key never leaves the program, so it may be built from `Debug` text, which distinguishes any two values.
pub(super) struct Keys<'r> {
    pub(super) run: &'r Run,
    nodes: BTreeMap<NodeId, Key>,
}

impl<'r> Keys<'r> {
    pub(super) fn of(run: &'r Run) -> Keys<'r> {
        let mut keys = Keys { run, nodes: BTreeMap::new() };
        for view in run.tasks.values() {
            for invocation in &view.invocations {
                keys.put(NodeId::Invocation(invocation.started.invocation), called(invocation));
            }
            for accepted in view.accepted() {
                keys.put(NodeId::Fact(accepted.fact.id), fact(&accepted.fact));
            }
            for covered in view.covered() {
                let said = format!("{:?}", covered.absence.absence);
                keys.put(NodeId::Absence(covered.absence.id), key("absence", [said]));
            }
            for entity in &view.entities {
                let said = [entity.kind.name().to_owned(), entity.name.to_lowercase()];
                keys.put(NodeId::Entity(entity.entity), key("entity", said));
            }
            for hypothesis in &view.hypotheses {
                keys.put(NodeId::Hypothesis(hypothesis.proposed.hypothesis), statement(hypothesis));
            }
            keys.add_what_rests_on_facts(view);
        }
        keys
    }

    /// Processes nodes in the order of recording, because a relation may relate earlier relations.
    fn add_what_rests_on_facts(&mut self, view: &crate::run::TaskView) {
        for derived in view.derived() {
            let said = self.derivation(&derived.derivation.derivation);
            self.put(NodeId::Derivation(derived.derivation.id), said);
        }
        for phenomenon in &view.phenomena {
            let said = key("phenomenon", self.of_facts(&phenomenon.facts));
            self.put(NodeId::Phenomenon(phenomenon.id), said);
        }
        for relation in &view.relations {
            let joined = [self.node(relation.from), self.node(relation.to)];
            let joined = joined.into_iter().chain(self.of_facts(&relation.facts));
            let said = key(relation.kind.name(), joined);
            self.put(NodeId::Relation(relation.relation), key("relation", [said]));
        }
    }

    fn put(&mut self, id: NodeId, key: Key) {
        self.nodes.insert(id, key);
    }

    /// Returns the key of a node; all nodes that the run lacks have the same key.
    pub(super) fn node(&self, id: NodeId) -> Key {
        self.nodes.get(&id).copied().unwrap_or_else(|| key("unknown", NOTHING))
    }

    /// Returns the keys of facts, without repeats.
    pub(super) fn of_facts(&self, facts: &[FactId]) -> BTreeSet<Key> {
        facts.iter().map(|id| self.node(NodeId::Fact(*id))).collect()
    }

    /// Returns the key of a hypothesis with its last assessment: statement, assessment, and what supports and contradicts it.
    pub(super) fn last_word(&self, hypothesis: &HypothesisView) -> Key {
        let nodes = |ids: &[NodeId]| ids.iter().map(|id| self.node(*id)).collect::<BTreeSet<_>>();
        let word = hypothesis.assessments.last().map(|last| {
            (
                last.assessment.name(),
                key("for", nodes(&last.supporting)),
                key("against", nodes(&last.contradicting)),
            )
        });
        let word = match word {
            None => key("unweighed", NOTHING),
            Some((name, supporting, contradicting)) => key(name, [supporting, contradicting]),
        };
        key("weighed", [statement(hypothesis), word])
    }

    /// Returns the key of a refused claim: agent, code, and what was claimed, but not the invocations and records cited.
    pub(super) fn refused(&self, refused: &RefusedClaim<'_>) -> Key {
        let claimed = match refused.stated {
            Claim::Reading(reading) => {
                let mut values: Vec<String> = reading
                    .values
                    .iter()
                    .map(|value| format!("{:?}", (&value.field, &value.value)))
                    .collect();
                values.sort();
                key("reading", [reading.predicate.clone(), reading.subject.clone()].into_iter().chain(values))
            }
            Claim::Absence(claimed) => key("absence", [format!("{:?}", claimed.absence)]),
            Claim::Derivation(derivation) => self.derivation(derivation),
            Claim::Sentence(sentence) => key("sentence", [sentence.text.clone()]),
            Claim::Statement(statement) => key("statement", [statement.to_string()]),
        };
        key(refused.rejection.code.name(), [key("agent", [refused.agent]), claimed])
    }

    fn derivation(&self, derivation: &Derivation) -> Key {
        let term = |term: &Term| key(&term.field, [self.node(NodeId::Fact(term.fact))]);
        let mut terms: Vec<Key> = derivation.terms().iter().map(term).collect();
        let number = match derivation {
            Derivation::Order { .. } | Derivation::Below { .. } => None,
            Derivation::Same { .. } | Derivation::Different { .. } => {
                terms.sort();
                None
            }
            Derivation::Within { seconds, .. } => {
                terms.sort();
                Some(seconds.to_string())
            }
            Derivation::Sum { total, .. } => {
                terms.sort();
                Some(total.to_string())
            }
        };
        key(derivation.form().name(), [key("terms", terms), key("number", number)])
    }
}

/// Returns the key of a hypothesis's statement.
pub(super) fn statement(hypothesis: &HypothesisView) -> Key {
    key("hypothesis", [&hypothesis.proposed.statement])
}

fn called(invocation: &InvocationView) -> Key {
    let normalised = invocation.ended.as_ref().and_then(|ended| ended.normalised.as_ref());
    let arguments = normalised.unwrap_or(&invocation.started.arguments).to_string();
    key("invocation", [invocation.started.tool.clone(), arguments])
}

/// Returns the key of what a fact is about and where it was read, ignoring its values.
pub(super) fn read_from(fact: &FactEntry) -> Key {
    let place = format!("{:?}", fact.locator);
    key("read", [fact.predicate.0.clone(), fact.kind.clone(), place, said(&fact.subject)])
}

fn fact(fact: &FactEntry) -> Key {
    let mut values: Vec<String> = fact.values.iter().map(said).collect();
    values.sort();
    key("fact", [read_from(fact), key("values", values)])
}

fn said(bound: &BoundValue) -> String {
    format!("{:?}", (&bound.field, &bound.value, &bound.quotation))
}

/// Returns a digest of parts, each with its length, so that no two lists of parts have the same key.
fn key<P: AsRef<[u8]>>(kind: &str, parts: impl IntoIterator<Item = P>) -> Key {
    let parts: Vec<P> = parts.into_iter().collect();
    let all: Vec<&[u8]> = std::iter::once(kind.as_bytes()).chain(parts.iter().map(AsRef::as_ref)).collect();
    *Digest::of_parts(&all).as_bytes()
}
