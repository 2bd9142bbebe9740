//! What a sentence may cite, and the values that the cited nodes state.

use ledger::{
    Absence, AbsenceEntry, BoundValue, Derivation, DerivationEntry, FactEntry, FactId, FieldValue,
    InvocationId, NodeId,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A node that a sentence can cite.
#[derive(Debug, Clone, Copy)]
pub enum Citable<'k> {
    /// A grounded reading.
    Fact(&'k FactEntry),
    /// A negative finding.
    Absence(&'k AbsenceEntry),
    /// A derivation over facts.
    Derivation(&'k DerivationEntry),
}

/// What a task knows from its own work and from what was handed over to it.
#[derive(Debug, Clone, Default)]
pub struct Known<'k>(BTreeMap<NodeId, Citable<'k>>);

impl<'k> FromIterator<Citable<'k>> for Known<'k> {
    fn from_iter<I: IntoIterator<Item = Citable<'k>>>(nodes: I) -> Known<'k> {
        let id = |node: &Citable<'k>| match node {
            Citable::Fact(fact) => NodeId::Fact(fact.id),
            Citable::Absence(absence) => NodeId::Absence(absence.id),
            Citable::Derivation(derivation) => NodeId::Derivation(derivation.id),
        };
        Known(nodes.into_iter().map(|node| (id(&node), node)).collect())
    }
}

impl<'k> Known<'k> {
    pub(crate) fn get(&self, id: NodeId) -> Option<Citable<'k>> {
        self.0.get(&id).copied()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> {
        self.0.keys().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the facts of a node: the fact itself, or those that a derivation compares.
    pub(crate) fn facts_of(&self, id: NodeId) -> Vec<&'k FactEntry> {
        match self.get(id) {
            Some(Citable::Fact(fact)) => vec![fact],
            Some(Citable::Derivation(entry)) => {
                entry.derivation.facts().into_iter().filter_map(|id| self.fact(id)).collect()
            }
            Some(Citable::Absence(_)) | None => Vec::new(),
        }
    }

    fn fact(&self, id: FactId) -> Option<&'k FactEntry> {
        match self.get(NodeId::Fact(id)) {
            Some(Citable::Fact(fact)) => Some(fact),
            Some(Citable::Absence(_) | Citable::Derivation(_)) | None => None,
        }
    }
}

/// A value that a cited node states.
#[derive(Debug)]
pub(super) struct Stated<'k> {
    /// The fact that states it, by its position among the cited ones; `None` if an absence or a derivation states it.
    pub(super) fact: Option<usize>,
    /// Its field; empty if it has none.
    pub(super) field: &'k str,
    /// The stated value; for a quotation, only the quoted words.
    pub(super) value: Cow<'k, FieldValue>,
    /// The file that the value was read from.
    pub(super) place: &'k str,
}

/// The cited nodes with the facts behind them.
#[derive(Debug)]
pub(super) struct Cited<'k> {
    nodes: Vec<NodeId>,
    facts: Vec<&'k FactEntry>,
    stated: Vec<Stated<'k>>,
    absences: usize,
    /// The number of further absences that are about a hive as it stands: they deny nothing about the host.
    as_they_stand: usize,
}

impl<'k> Cited<'k> {
    pub(super) fn of(nodes: &[NodeId], known: &Known<'k>) -> Cited<'k> {
        let mut cited = Cited {
            nodes: nodes.to_vec(),
            facts: Vec::new(),
            stated: Vec::new(),
            absences: 0,
            as_they_stand: 0,
        };
        for node in nodes.iter().filter_map(|id| known.get(*id)) {
            match node {
                Citable::Fact(fact) => cited.fact(fact),
                Citable::Absence(absence) => cited.absence(absence),
                Citable::Derivation(derivation) => cited.derivation(derivation, known),
            }
        }
        cited
    }

    /// Returns the cited facts, cited directly or through a derivation, each once.
    pub(super) fn facts(&self) -> &[&'k FactEntry] {
        &self.facts
    }

    /// Returns the values that the facts, absences and derivations state.
    pub(super) fn stated(&self) -> &[Stated<'k>] {
        &self.stated
    }

    /// Checks whether an absence is cited that can deny an action.
    pub(super) fn has_absence(&self) -> bool {
        self.absences > 0
    }

    /// Checks whether an absence is cited that is about a hive file as it stands, without its transaction logs.
    pub(super) fn has_one_as_it_stands(&self) -> bool {
        self.as_they_stand > 0
    }

    /// Checks whether a number is the count of the cited nodes or facts.
    pub(super) fn counts(&self, number: i128) -> bool {
        [self.nodes.len(), self.facts.len()].iter().any(|count| i128::try_from(*count) == Ok(number))
    }

    /// Checks whether an id is that of a cited node, of a fact behind it, or of a call that one of the facts is based on.
    pub(super) fn names(&self, id: NodeId) -> bool {
        let made = |invocation: InvocationId| self.facts.iter().any(|fact| fact.invocation == invocation);
        let fact = |id: FactId| self.facts.iter().any(|fact| fact.id == id);
        self.nodes.contains(&id)
            || matches!(id, NodeId::Invocation(id) if made(id))
            || matches!(id, NodeId::Fact(id) if fact(id))
    }

    fn fact(&mut self, fact: &'k FactEntry) {
        if self.facts.iter().any(|known| known.id == fact.id) {
            return;
        }
        let place = Some(self.facts.len());
        self.facts.push(fact);
        let bound = std::iter::once(&fact.subject).chain(&fact.values);
        self.stated.extend(bound.map(|bound| Stated {
            fact: place,
            field: &bound.field,
            value: said(bound),
            place: &fact.locator.path,
        }));
    }

    fn absence(&mut self, entry: &'k AbsenceEntry) {
        match entry.absence.is_as_it_stands() {
            true => self.as_they_stand += 1,
            false => self.absences += 1,
        }
        let path = |text: &str| FieldValue::Path(text.to_owned());
        let values = match &entry.absence {
            Absence::File { name, under, .. } => vec![path(name), path(under)],
            Absence::RegistryKey { hive, key, .. } => vec![path(hive), FieldValue::RegistryPath(key.clone())],
            Absence::Text { text, under, .. } => vec![FieldValue::Text(text.clone()), path(under)],
            Absence::Events { channel, provider, ids, .. } => {
                let ids = ids.iter().map(|id| FieldValue::Integer(i128::from(*id)));
                let names = std::iter::once(channel).chain(provider).cloned().map(FieldValue::Name);
                names.chain(ids).collect()
            }
        };
        let place = match &entry.absence {
            Absence::RegistryKey { hive, .. } => hive.as_str(),
            Absence::File { .. } | Absence::Text { .. } | Absence::Events { .. } => "",
        };
        self.state(values, place);
    }

    fn derivation(&mut self, entry: &'k DerivationEntry, known: &Known<'k>) {
        entry.derivation.facts().into_iter().filter_map(|id| known.fact(id)).for_each(|fact| self.fact(fact));
        let number = match &entry.derivation {
            Derivation::Within { seconds, .. } => i128::from(*seconds),
            Derivation::Sum { total, .. } => i128::from(*total),
            Derivation::Same { .. }
            | Derivation::Different { .. }
            | Derivation::Order { .. }
            | Derivation::Below { .. } => return,
        };
        self.state(vec![FieldValue::Integer(number)], "");
    }

    fn state(&mut self, values: Vec<FieldValue>, place: &'k str) {
        let said = values.into_iter().filter(|value| !value.to_text().is_empty());
        self.stated.extend(said.map(|value| Stated {
            fact: None,
            field: "",
            value: Cow::Owned(value),
            place,
        }));
    }
}

/// Returns what a bound value states.
fn said(bound: &BoundValue) -> Cow<'_, FieldValue> {
    match &bound.quotation {
        Some(quotation) => Cow::Owned(FieldValue::Text(quotation.clone())),
        None => Cow::Borrowed(&bound.value),
    }
}
