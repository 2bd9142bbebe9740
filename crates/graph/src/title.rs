//! Titles rendered by code: an agent's own words never become one.

use crate::printable::{printable, value_text};
use ledger::{BoundValue, Condition, Derivation, FactEntry, FactId, Objective, Placement, Term};

/// The longest value shown in a title.
const LONGEST: usize = 120;

/// What a fact says, in one line: predicate, subject, values.
///
/// A list of which a fact states several items stands there once.
pub fn fact_title(fact: &FactEntry) -> String {
    title(fact, values(fact), shown)
}

/// The values of a fact, each once: of a list of which several items are stated, each of them says all of it.
pub fn values(fact: &FactEntry) -> impl Iterator<Item = &BoundValue> {
    let values = &fact.values;
    values.iter().enumerate().filter(|(at, _)| is_first(values, *at)).map(|(_, value)| value)
}

/// The same with a list as often as its items are stated: what agents are told, which a replay must tell again, and what reports had for a while.
pub fn fact_title_as_told(fact: &FactEntry) -> String {
    title(fact, fact.values.iter(), shown)
}

/// The same with quoted words alone, as reports had it before format 2.16.
pub fn fact_title_of_words(fact: &FactEntry) -> String {
    title(fact, fact.values.iter(), words)
}

/// Whether no value before this one says the same.
fn is_first(values: &[BoundValue], at: usize) -> bool {
    let (before, rest) = values.split_at(at.min(values.len()));
    let is_same = |one: &BoundValue, other: &BoundValue| {
        one.field == other.field && one.value == other.value && one.quotation == other.quotation
    };
    rest.first().is_some_and(|value| !before.iter().any(|it| is_same(value, it)))
}

fn title<'v>(
    fact: &FactEntry,
    values: impl Iterator<Item = &'v BoundValue>,
    shown: fn(&BoundValue) -> String,
) -> String {
    let subject = &fact.subject;
    let values: Vec<_> = values
        .filter(|value| value.field != subject.field && !is_named_by(subject, value))
        .map(|value| format!("{} = {}", printable(&value.field), shown(value)))
        .collect();
    let subject = subject.value.to_text();
    let subject = if subject.is_empty() { "(root)".into() } else { delimited(&subject) };
    let predicate = printable(&fact.predicate.0);
    let predicate = match fact.placement {
        None => predicate,
        Some(Placement::Stated) => format!("{predicate} (place stated by the case file)"),
        Some(Placement::Assumed) => format!("{predicate} (place assumed)"),
        // Of an entry of the file system its path says where it stands.
        Some(Placement::Elsewhere) if fact.subject.value.to_text() == fact.locator.path => {
            format!("{predicate} (not where Windows keeps such files)")
        }
        Some(Placement::Elsewhere) => {
            format!("a file at {} says: {predicate}", one_line(&fact.locator.path))
        }
        Some(Placement::Foreign) => {
            format!("a log of another computer at {} says: {predicate}", one_line(&fact.locator.path))
        }
    };
    match values.is_empty() {
        true => format!("{predicate} {subject}"),
        false => format!("{predicate} {subject}: {}", values.join(", ")),
    }
}

/// What a fact answers, in one line: predicate, subject, the fields that the objective asks for, and what says that the thing is not in force.
///
/// The condition goes by what the fact is, not by its values: of a redacted run these are not what met it.
pub fn answer_title(fact: &FactEntry, objective: &Objective) -> String {
    let conditions = || objective.ways().map(|way| way.condition);
    let is_its = |it: &&Condition| it.record == fact.kind && it.predicate == fact.predicate;
    let condition = conditions().find(|it| it.holds(fact)).or_else(|| conditions().find(is_its));
    let mut values: Vec<BoundValue> =
        condition.unwrap_or(&objective.condition).answers(fact).cloned().collect();
    values.extend(fact.unusual_state().filter(|state| !values.contains(state)).cloned());
    fact_title(&FactEntry { values, ..fact.clone() })
}

/// What a phenomenon says, in one line: its first fact, and how many more there are.
pub fn phenomenon_title(facts: &[&FactEntry]) -> String {
    title_of_first(facts, fact_title)
}

/// The same as agents are told it.
pub fn phenomenon_title_as_told(facts: &[&FactEntry]) -> String {
    title_of_first(facts, fact_title_as_told)
}

fn title_of_first(facts: &[&FactEntry], title: fn(&FactEntry) -> String) -> String {
    match facts {
        [] => String::new(),
        [only] => title(only),
        [first, rest @ ..] => format!("{} (and {} more)", title(first), rest.len()),
    }
}

/// What facts say together, with the values as they state them.
pub fn derivation_title<'f>(
    derivation: &Derivation,
    fact: impl Fn(FactId) -> Option<&'f FactEntry>,
) -> String {
    let said = |term: &Term| {
        let known = fact(term.fact).and_then(|fact| {
            let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
            let value = bound.find(|bound| bound.field == term.field)?;
            Some(format!(
                "{} of {} {} ({})",
                term.field,
                fact.predicate,
                one_line(&fact.subject.value.to_text()),
                shown(value)
            ))
        });
        known.unwrap_or_else(|| term.to_string())
    };
    let said: Vec<_> = derivation.terms().iter().map(said).collect();
    match derivation {
        Derivation::Same { .. } => format!("the same: {}", said.join(" and ")),
        Derivation::Different { .. } => format!("different: {}", said.join(" and ")),
        Derivation::Order { .. } => said.join(", then "),
        Derivation::Within { seconds, .. } => format!("within {seconds} seconds: {}", said.join(" and ")),
        Derivation::Below { .. } => said.join(", and below it "),
        Derivation::Sum { total, .. } => format!("{total} in all: {}", said.join(" and ")),
    }
}

/// Whether the value is the name that the subject's path ends in, so that the title says it already.
///
/// Only a field called `name` is one: data that happens to repeat the name is what the fact is about.
fn is_named_by(subject: &BoundValue, value: &BoundValue) -> bool {
    let (path, name) = (subject.value.to_text(), value.value.to_text());
    let last = path.strip_suffix(&*name).is_some_and(|parent| parent.ends_with(['\\', '/']));
    value.field == "name" && !name.is_empty() && last
}

/// A value; of a quotation with the line around it.
fn shown(value: &BoundValue) -> String {
    match value.line(LONGEST) {
        Some(line) => format!("{} in “{}”", words(value), one_line(&line)),
        None => words(value),
    }
}

fn words(value: &BoundValue) -> String {
    match &value.quotation {
        Some(quotation) => format!("“{}”", one_line(quotation)),
        None => delimited(&value.value.to_text()),
    }
}

/// A text on one line, in marks where it reads like several values or as words of the title: `C:\a.exe, start = 2`.
fn delimited(text: &str) -> String {
    const PARTS: [&str; 5] = [" = ", ", ", "; ", ". ", ": "];
    let line = one_line(text);
    match PARTS.iter().any(|part| line.contains(part)) || line.contains(['“', '”']) {
        true => format!("“{}”", line.replace('“', "\\u{201c}").replace('”', "\\u{201d}")),
        false => line,
    }
}

/// Text of the evidence on one line, cut at [`LONGEST`] characters.
fn one_line(text: &str) -> String {
    let mut line = value_text(&text.chars().take(LONGEST).collect::<String>());
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}
