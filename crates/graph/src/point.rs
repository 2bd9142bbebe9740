//! Decides which claims try to make the same point.
//!
//! This guesses intent and is used only in reports; it never accepts or refuses a claim.

use crate::run::TaskView;
use ledger::{Absence, Claim, Derivation, FactId, Reading, SentenceClaim, StatementClaim};
use std::collections::{BTreeMap, BTreeSet};

/// The minimum length in characters for a shared value to be significant.
const TELLING: usize = 4;
/// How many later claims are checked for each thing that a claim shares with them. It bounds the work on a log full of refusals.
const LOOKED_AT: usize = 500;

/// The claims of a task, indexed by what they cite and state.
pub(crate) struct Points<'a> {
    points: Vec<Point<'a>>,
    /// The claims that share a thing, in order. Two claims that make the same point share at least one.
    sharing: BTreeMap<Shared<'a>, Vec<usize>>,
}

enum Point<'a> {
    Reading(ReadingPoint<'a>),
    Absence(&'a Absence),
    Derivation(&'a Derivation),
    Sentence(&'a SentenceClaim),
    Statement(&'a StatementClaim),
}

struct ReadingPoint<'a> {
    reading: &'a Reading,
    values: BTreeSet<&'a str>,
    /// The values that name an object.
    names: BTreeSet<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shared<'a> {
    Record(&'a str, &'a str),
    Subject(&'a str, &'a str),
    Value(&'a str),
    Absent(&'a str),
    Derived(FactId),
    Cited(&'a str),
}

impl<'a> Points<'a> {
    pub(crate) fn of(view: &'a TaskView) -> Points<'a> {
        let points: Vec<_> = view.claims.iter().map(|claim| Point::of(&claim.submitted.stated)).collect();
        let mut sharing: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (index, point) in points.iter().enumerate() {
            for shared in point.shared() {
                sharing.entry(shared).or_default().push(index);
            }
        }
        Points { points, sharing }
    }

    /// Returns the later claims that make the same point as the one at `index`, in order.
    pub(crate) fn made_again(&self, index: usize) -> Vec<usize> {
        let Some(point) = self.points.get(index) else { return Vec::new() };
        let mut later = BTreeSet::new();
        for shared in point.shared() {
            let sharing = self.sharing.get(&shared).map(Vec::as_slice).unwrap_or_default();
            let first = sharing.partition_point(|other| *other <= index);
            later.extend(sharing.iter().skip(first).take(LOOKED_AT).copied());
        }
        later.retain(|other| self.points.get(*other).is_some_and(|other| same(point, other)));
        later.into_iter().collect()
    }
}

impl<'a> Point<'a> {
    fn of(claim: &'a Claim) -> Point<'a> {
        match claim {
            Claim::Reading(reading) => Point::Reading(ReadingPoint::of(reading)),
            Claim::Absence(absence) => Point::Absence(&absence.absence),
            Claim::Derivation(derivation) => Point::Derivation(derivation),
            Claim::Sentence(sentence) => Point::Sentence(sentence),
            Claim::Statement(statement) => Point::Statement(statement),
        }
    }

    fn shared(&self) -> Vec<Shared<'a>> {
        match self {
            Point::Reading(point) => point.shared(),
            Point::Absence(absence) => vec![Shared::Absent(absent(absence).0)],
            Point::Derivation(derivation) => derivation.facts().into_iter().map(Shared::Derived).collect(),
            Point::Sentence(sentence) => sentence.cites.iter().map(|id| Shared::Cited(id)).collect(),
            Point::Statement(statement) => vec![Shared::Cited(&statement.node)],
        }
    }
}

impl<'a> ReadingPoint<'a> {
    fn of(reading: &'a Reading) -> ReadingPoint<'a> {
        let values = || reading.values.iter();
        let names = values().filter(|value| names_a_thing(value.field.as_deref(), &value.value));
        ReadingPoint {
            reading,
            values: values().map(|value| value.value.as_str()).collect(),
            names: names.map(|value| value.value.as_str()).collect(),
        }
    }

    fn shared(&self) -> Vec<Shared<'a>> {
        let Reading { subject, invocation, record, .. } = self.reading;
        let mut shared: Vec<_> = self.values.iter().filter(|v| tells(v)).map(|v| Shared::Value(v)).collect();
        if let Some(record) = record {
            shared.push(Shared::Record(invocation, record));
        }
        if !subject.is_empty() {
            shared.push(Shared::Subject(invocation, subject));
        }
        shared
    }
}

/// Checks whether two claims try to make the same point; claims of different kinds never do.
fn same(a: &Point<'_>, b: &Point<'_>) -> bool {
    match (a, b) {
        (Point::Reading(a), Point::Reading(b)) => same_reading(a, b),
        (Point::Absence(a), Point::Absence(b)) => a.form() == b.form() && absent(a) == absent(b),
        (Point::Derivation(a), Point::Derivation(b)) => a.form() == b.form() && same_facts(a, b),
        // They share a citation, or this would not be called.
        (Point::Sentence(_), Point::Sentence(_)) | (Point::Statement(_), Point::Statement(_)) => true,
        (
            Point::Reading(_)
            | Point::Absence(_)
            | Point::Derivation(_)
            | Point::Sentence(_)
            | Point::Statement(_),
            _,
        ) => false,
    }
}

/// Checks whether two derivations use the same facts, in any order.
fn same_facts(a: &Derivation, b: &Derivation) -> bool {
    let sorted = |derivation: &Derivation| derivation.facts().into_iter().collect::<BTreeSet<_>>();
    sorted(a) == sorted(b)
}

/// Returns what is claimed to be absent, wherever it was searched for.
fn absent(absence: &Absence) -> (&str, Option<&BTreeSet<u32>>) {
    let what = match absence {
        Absence::File { name: what, .. }
        | Absence::RegistryKey { key: what, .. }
        | Absence::Text { text: what, .. } => what,
        Absence::Events { channel, ids, .. } => return (channel, Some(ids)),
    };
    (what, None)
}

/// Checks whether two readings try to make the same point.
///
/// Different subjects are different points.
/// Within one invocation, the record ids or else the subjects decide. If they are equal, it is one place,
/// and the predicate or all values must agree;
/// if they differ, these are two points.
/// Otherwise the values decide, since ids may be mistyped.
fn same_reading(a: &ReadingPoint<'_>, b: &ReadingPoint<'_>) -> bool {
    let (x, y) = (a.reading, b.reading);
    let both_subjects = !x.subject.is_empty() && !y.subject.is_empty();
    if both_subjects && x.subject != y.subject {
        return false;
    }
    let says_the_same = x.predicate == y.predicate || a.values == b.values;
    let one_call = x.invocation == y.invocation;
    match (&x.record, &y.record) {
        (Some(record), Some(other)) if one_call => record == other && says_the_same,
        _ if one_call && both_subjects => says_the_same,
        _ => says_the_same && same_values(a, b),
    }
}

/// Checks whether at least half of the values agree, including a significant one, and the two do not name different objects.
fn same_values(a: &ReadingPoint<'_>, b: &ReadingPoint<'_>) -> bool {
    let agreed: Vec<_> = a.values.intersection(&b.values).collect();
    let named_apart = !a.names.is_empty() && !b.names.is_empty() && a.names.is_disjoint(&b.names);
    !named_apart
        && agreed.len() * 2 >= a.values.len().max(b.values.len())
        && agreed.iter().any(|value| tells(value))
}

fn tells(value: &str) -> bool {
    value.chars().nth(TELLING - 1).is_some()
}

/// Checks whether a value is the name or path of the reading's object.
fn names_a_thing(field: Option<&str>, value: &str) -> bool {
    field.is_some_and(|field| field.ends_with("name") || field.ends_with("path"))
        || value.contains(['\\', '/'])
}
