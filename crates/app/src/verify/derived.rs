//! Checks derivations against the values of their facts, without code of the gateway.
//!
//! Numbers and times are computed again. For texts, only errors that no spelling can explain are reported: values that are said to be the
//! same but share nothing, and values that are said to be different but are equal character by character.

mod clocks;

use super::handed::Handing;
use super::log::{Found, Log};
use clocks::{Listings, Read};
use ledger::{
    Behaviour, BoundValue, Clock, ClockListing, Derivation, DerivationEntry, Event, FactEntry, FactId,
    FieldType, FieldValue, Stream, Term,
};
use std::collections::BTreeMap;

const SECOND: i128 = 1_000_000_000;

/// Returns the derivations that their facts do not support.
pub(super) fn unfounded(log: Log<'_>) -> Vec<Found> {
    let mut facts = BTreeMap::new();
    let has = |behaviour: Behaviour| log.opened.behaviour.contains(&behaviour.into());
    let rules = Rules { disjoint: has(Behaviour::Provable), follows_dots: has(Behaviour::CopiesApart) };
    let (mut found, mut handing, mut listings) = (Vec::new(), Handing::default(), Listings::default());
    for (stream, event, _) in log.events {
        handing.apply(*stream, event);
        let Stream::Task(task) = *stream else { continue };
        match event {
            Event::ClaimAccepted(accepted) => drop(facts.insert((task, accepted.fact.id), &accepted.fact)),
            Event::InvocationStarted(started) => listings.begin(started),
            Event::InvocationEnded(ended) => {
                let output = ended.output.and_then(|digest| log.outputs.get(&digest));
                listings.end(task, ended, output.map(AsRef::as_ref));
            }
            Event::DerivationAccepted(accepted) => {
                let clocks = has(Behaviour::ClockSteps).then(|| listings.of(handing.of(task)));
                let known = |id: FactId| handing.of(task).find_map(|task| facts.get(&(task, id)).copied());
                if let Err(what) = bears_out(&accepted.derivation, rules, clocks.as_deref(), known) {
                    found.push((accepted.derivation.id.to_string(), what.to_owned()));
                }
            }
            _ => {}
        }
    }
    found
}

/// The rules that the run's derivations must follow.
#[derive(Clone, Copy)]
struct Rules {
    /// Counts of one sum must not overlap.
    disjoint: bool,
    /// A path with `.` or `..` must not be called below another path, or different from one.
    follows_dots: bool,
}

fn bears_out<'l>(
    entry: &DerivationEntry,
    rules: Rules,
    clocks: Option<&[&ClockListing]>,
    fact: impl Fn(FactId) -> Option<&'l FactEntry>,
) -> Result<(), &'static str> {
    let value = |term: &Term| {
        let fact = fact(term.fact).ok_or("it names no fact that its task had by then")?;
        let mut stated = std::iter::once(&fact.subject).chain(&fact.values);
        stated.find(|bound| bound.field == term.field).ok_or("its fact does not state its field")
    };
    let values = entry.derivation.terms().iter().map(value).collect::<Result<Vec<&BoundValue>, _>>()?;
    if values.len() < 2 {
        return Err("it compares nothing");
    }
    let all = |holds: fn(&BoundValue, &BoundValue) -> bool, what| {
        let mut pairs = values
            .iter()
            .enumerate()
            .flat_map(|(at, one)| values.iter().skip(at + 1).map(move |two| (one, two)));
        if pairs.all(|(one, two)| holds(one, two)) { Ok(()) } else { Err(what) }
    };
    let goes_by_letters = matches!(entry.derivation, Derivation::Different { .. } | Derivation::Below { .. });
    if goes_by_letters && rules.follows_dots && values.iter().any(|bound| leads_back(bound)) {
        return Err("one of its paths leads back");
    }
    match &entry.derivation {
        Derivation::Same { .. } => all(may_be_same, "its values are not the same"),
        Derivation::Different { .. } => all(may_differ, "its values are the same"),
        Derivation::Order { .. } => {
            let times = times(entry, &values, clocks, &fact)?;
            let mut next = times.iter().zip(times.iter().skip(1));
            let ordered = next.all(|(one, other)| clocks::is_before(one, other, clocks.unwrap_or_default()));
            ordered.then_some(()).ok_or("its times are not surely in this order")
        }
        Derivation::Within { seconds, .. } => {
            let times = times(entry, &values, clocks, &fact)?;
            let within = clocks::apart(&times, clocks.unwrap_or_default()) <= i128::from(*seconds) * SECOND;
            within.then_some(()).ok_or("its times may lie further apart")
        }
        Derivation::Below { .. } => {
            let is_key = values.iter().any(|bound| bound.value.field_type() == FieldType::RegistryPath);
            let of = |term: &Term| {
                let locator = &fact(term.fact)?.locator;
                Some((&locator.evidence, is_key.then_some(&locator.path)))
            };
            let is_one_tree = entry.derivation.terms().windows(2).all(|two| match two {
                [one, other] => of(one) == of(other),
                _ => false,
            });
            let is_inside = |(one, other): (&&BoundValue, &&BoundValue)| {
                names(other).strip_prefix(&names(one)).is_some_and(|rest| rest.starts_with('/'))
            };
            let inside = values.iter().zip(values.iter().skip(1)).all(is_inside);
            (is_one_tree && inside).then_some(()).ok_or("one of its paths does not lie below the one before")
        }
        Derivation::Sum { total, .. } => {
            let numbers: Option<Vec<i128>> = values.iter().map(|bound| number(bound)).collect();
            let counts = entry.derivation.terms().iter().filter_map(|term| fact(term.fact));
            let counts: Vec<_> = counts.filter(|fact| fact.predicate.0 == "counted").collect();
            let mut pairs = counts
                .iter()
                .enumerate()
                .flat_map(|(at, one)| counts.iter().skip(at + 1).map(move |two| (one, two)));
            if rules.disjoint && pairs.any(|(one, two)| is_one_count(one, two)) {
                return Err("two of its counts may have counted the same");
            }
            let sum = numbers.ok_or("a value of it is no number")?.into_iter().try_fold(0, i128::checked_add);
            (sum == Some((*total).into())).then_some(()).ok_or("its numbers have another sum")
        }
    }
}

/// Whether nothing separates two counts: neither their places, nor their subjects, nor the values or the time span that were counted.
fn is_one_count(one: &FactEntry, other: &FactEntry) -> bool {
    let texts = |fact: &FactEntry, names: &[&str]| -> Vec<String> {
        let stated = fact.values.iter().filter(|value| names.contains(&value.field.as_str()));
        stated.map(|value| format!("{} {}", value.field, value.value.to_text())).collect()
    };
    let place = |fact: &FactEntry| (fact.locator.evidence.clone(), fact.locator.path.clone());
    let told = ["values", "from", "to"];
    place(one) == place(other)
        && (one.kind != other.kind || one.kind == "record_count" || one.subject.value == other.subject.value)
        && texts(one, &told) == texts(other, &told)
}

/// Returns each time with its fact, and checks that the clocks of all facts
/// were listed; `clocks` is `None` in runs that require no listing.
fn times<'l>(
    entry: &DerivationEntry,
    values: &[&BoundValue],
    clocks: Option<&[&ClockListing]>,
    fact: &impl Fn(FactId) -> Option<&'l FactEntry>,
) -> Result<Vec<Read<'l>>, &'static str> {
    let facts: Vec<&FactEntry> = entry.derivation.terms().iter().filter_map(|term| fact(term.fact)).collect();
    if clocks.is_some_and(|known| !clocks::are_listed(entry, &facts, known)) {
        return Err("it names no listing of the steps of its clocks that its task knew");
    }
    let read = |bound: &&BoundValue| time(bound).ok_or("a value of it is no instant of the examined host");
    facts.into_iter().zip(values).map(|(fact, bound)| Ok((fact, read(bound)?))).collect()
}

fn time(bound: &BoundValue) -> Option<(i128, i128)> {
    let FieldValue::Time(time) = &bound.value else { return None };
    let utc = time.utc.filter(|_| time.zone.is_none() && time.clock == Clock::Host)?;
    let start = utc.unix_nanoseconds();
    Some((start, start + time.precision.nanoseconds()))
}

fn number(bound: &BoundValue) -> Option<i128> {
    match bound.value {
        FieldValue::Integer(number) => Some(number),
        FieldValue::Size(size) => Some(size.into()),
        _ => None,
    }
}

fn may_be_same(one: &BoundValue, other: &BoundValue) -> bool {
    match (time(one).zip(time(other)), number(one).zip(number(other))) {
        (Some((one, other)), _) => one.0 < other.1 && other.0 < one.1,
        (None, Some((one, other))) => one == other,
        (None, None) => {
            let (one, other) = (letters(one), letters(other));
            // Roots of paths and keys can be written in several ways.
            !one.is_ascii() || !other.is_ascii() || one.ends_with(last(&other)) || other.ends_with(last(&one))
        }
    }
}

fn may_differ(one: &BoundValue, other: &BoundValue) -> bool {
    match (time(one).zip(time(other)), number(one).zip(number(other))) {
        (Some((one, other)), _) => one.1 <= other.0 || other.1 <= one.0,
        (None, Some((one, other))) => one != other,
        (None, None) => {
            let text = |bound: &BoundValue| {
                bound.quotation.clone().unwrap_or_else(|| bound.value.to_text().into_owned())
            };
            text(one) != text(other)
        }
    }
}

/// Whether a path contains `.` or `..`.
fn leads_back(bound: &BoundValue) -> bool {
    let is_path = bound.value.field_type() == FieldType::Path;
    let names = names(bound);
    is_path && names.split('/').any(|name| name == "." || name == "..")
}

/// Returns the names of a path with `/` between them; a registry key in lower case.
fn names(bound: &BoundValue) -> String {
    let text = bound.value.to_text().replace('\\', "/");
    let text = text.trim_matches('/');
    if bound.value.field_type() == FieldType::RegistryPath { text.to_lowercase() } else { text.to_owned() }
}

/// Returns a text in lower case, with all punctuation unified to one separator.
fn letters(bound: &BoundValue) -> String {
    let text = bound.quotation.clone().unwrap_or_else(|| bound.value.to_text().into_owned());
    let kept = |c: char| if c.is_ascii_punctuation() { '/' } else { c };
    text.trim().to_lowercase().chars().map(kept).collect::<String>().trim_matches('/').to_owned()
}

fn last(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{
        ByteSpan, DerivationId, Digest, IdSpace, InvocationId, Locator, Predicate, RecordId, Seed, TaskId,
        Tier,
    };

    fn ids() -> IdSpace {
        IdSpace::new(Seed(Digest::of(b"derived")))
    }

    fn fact(ordinal: u32, value: FieldValue) -> FactEntry {
        let bound = |field: &str, value| BoundValue {
            field: field.into(),
            value,
            quotation: None,
            tier: Tier::Exact,
            span: ByteSpan::new(0, 1),
            at: None,
            writer: None,
        };
        FactEntry {
            placement: None,
            id: FactId::assign(&ids(), TaskId(1), ordinal).unwrap(),
            predicate: Predicate("present".into()),
            subject: bound("path", FieldValue::Path("p".into())),
            values: vec![bound("value", value)],
            invocation: InvocationId::assign(&ids(), TaskId(1), 0).unwrap(),
            output: Digest::of(b"o"),
            record: RecordId(0),
            kind: "dir_entry".into(),
            locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
            shown: true,
        }
    }

    fn holds(values: [FieldValue; 2], derive: fn(Vec<Term>) -> Derivation) -> bool {
        let facts: Vec<FactEntry> = (0..).zip(values).map(|(ordinal, value)| fact(ordinal, value)).collect();
        let terms = facts.iter().map(|fact| Term { fact: fact.id, field: "value".into() }).collect();
        let id = DerivationId::assign(&ids(), TaskId(1), 0).unwrap();
        let entry = DerivationEntry { id, derivation: derive(terms), clocks: vec![] };
        let known = |id| facts.iter().find(|fact| fact.id == id);
        let rules = Rules { disjoint: true, follows_dots: true };
        assert!(bears_out(&entry, rules, None, |_| None).is_err());
        bears_out(&entry, rules, None, known).is_ok()
    }

    #[test]
    fn what_the_values_do_not_bear_out_is_found() {
        let time = |second: u64| FieldValue::Time(ledger::Time::from_filetime(second * 10_000_000));
        let text = |text: &str| FieldValue::Path(text.into());
        let number = FieldValue::Integer;
        assert!(holds([number(2), number(3)], |terms| Derivation::Sum { terms, total: 5 }));
        assert!(!holds([number(2), number(3)], |terms| Derivation::Sum { terms, total: 6 }));
        assert!(holds([time(20), time(21)], |terms| Derivation::Order { terms }));
        assert!(!holds([time(21), time(20)], |terms| Derivation::Order { terms }));
        assert!(holds([time(21), time(20)], |terms| Derivation::Within { terms, seconds: 2 }));
        assert!(!holds([time(21), time(24)], |terms| Derivation::Within { terms, seconds: 2 }));
        assert!(holds([text(r"C:\A\b.exe"), text("c:/a/B.EXE")], |terms| Derivation::Same { terms }));
        assert!(!holds([text("a.exe"), text("b.dll")], |terms| Derivation::Same { terms }));
        assert!(holds([text("a"), text("b")], |terms| Derivation::Different { terms }));
        assert!(!holds([text("a"), text("a")], |terms| Derivation::Different { terms }));
        assert!(holds([text("p1/Users"), text(r"p1\Users\mara")], |terms| Derivation::Below { terms }));
        assert!(!holds([text("p1/Users"), text("p1/Users-old/mara")], |terms| Derivation::Below { terms }));
        assert!(!holds([text("p1/Users"), text("p1/Users/../mara")], |terms| Derivation::Below { terms }));
        assert!(!holds([text("p1/./a"), text("p1/a")], |terms| Derivation::Different { terms }));
        assert!(!holds([text("p1/Users"), text("p1/Users")], |terms| Derivation::Below { terms }));
        assert!(!holds([text("1"), number(1)], |terms| Derivation::Sum { terms, total: 2 }));
    }
}
