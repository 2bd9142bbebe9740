//! What things are compared by: a digest of what they say and where it stands.

use crate::rejections::RefusedClaim;
use crate::run::{HypothesisView, InvocationView, Run};
use ledger::{BoundValue, Claim, Derivation, Digest, FactEntry, FactId, NodeId, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A digest of what a thing says.
pub(super) type Key = [u8; 32];

/// What is said where there is nothing to say.
const NOTHING: [&str; 0] = [];

/// What the nodes of a run are compared by.
///
/// A key never leaves the program, so that it may be made of the text that `Debug` gives, which tells any two values apart.
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

    /// In the order of recording: a relation may join relations before it.
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

    /// What a node is compared by; nodes that the run does not have are all the same.
    pub(super) fn node(&self, id: NodeId) -> Key {
        self.nodes.get(&id).copied().unwrap_or_else(|| key("unknown", NOTHING))
    }

    /// What the facts are compared by, each once.
    pub(super) fn of_facts(&self, facts: &[FactId]) -> BTreeSet<Key> {
        facts.iter().map(|id| self.node(NodeId::Fact(*id))).collect()
    }

    /// Statement, last word, and what is named for and against it.
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

    /// Agent, code, and what was claimed; which invocations and records were cited does not count.
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

/// What a hypothesis says.
pub(super) fn statement(hypothesis: &HypothesisView) -> Key {
    key("hypothesis", [&hypothesis.proposed.statement])
}

fn called(invocation: &InvocationView) -> Key {
    let normalised = invocation.ended.as_ref().and_then(|ended| ended.normalised.as_ref());
    let arguments = normalised.unwrap_or(&invocation.started.arguments).to_string();
    key("invocation", [invocation.started.tool.clone(), arguments])
}

/// What a fact is about and where it stands, whatever its values.
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

/// A digest of parts, each with its length, so that no two lists of parts share a key.
fn key<P: AsRef<[u8]>>(kind: &str, parts: impl IntoIterator<Item = P>) -> Key {
    let parts: Vec<P> = parts.into_iter().collect();
    let all: Vec<&[u8]> = std::iter::once(kind.as_bytes()).chain(parts.iter().map(AsRef::as_ref)).collect();
    *Digest::of_parts(&all).as_bytes()
}
