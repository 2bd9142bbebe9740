//! Titles rendered by code: an agent's own words never become a title.

use crate::printable::{printable, value_text};
use ledger::{BoundValue, Condition, Derivation, FactEntry, FactId, Objective, Placement, Term};

/// The longest value shown in a title.
const LONGEST: usize = 120;

/// Describes a fact in one line: predicate, subject, values.
///
/// If the fact states several items of a list, the list appears once.
pub fn fact_title(fact: &FactEntry) -> String {
    title(fact, values(fact), shown)
}

/// Returns the values of a fact without repeats: if several items of a list are stated, each carries the whole list.
pub fn values(fact: &FactEntry) -> impl Iterator<Item = &BoundValue> {
    let values = &fact.values;
    values.iter().enumerate().filter(|(at, _)| is_first(values, *at)).map(|(_, value)| value)
}

/// Describes a fact in one line, repeating a list for each stated item. Agents are shown this form, so a replay needs it;
/// older reports used it.
pub fn fact_title_as_told(fact: &FactEntry) -> String {
    title(fact, fact.values.iter(), shown)
}

/// Describes a fact in one line with quoted words alone, as reports showed it before format 2.16.
pub fn fact_title_of_words(fact: &FactEntry) -> String {
    title(fact, fact.values.iter(), words)
}

/// Checks whether no earlier value says the same.
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
        // The path of a file system entry already shows where it is.
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

/// Describes a fact as an answer, in one line: predicate, subject, the fields that the objective asks for,
/// and what shows that the entity is not in force.
///
/// If no condition holds, one is chosen by predicate and record type: a redacted run no longer has the values that met it.
pub fn answer_title(fact: &FactEntry, objective: &Objective) -> String {
    let conditions = || objective.ways().map(|way| way.condition);
    let is_its = |it: &&Condition| it.record == fact.kind && it.predicate == fact.predicate;
    let condition = conditions().find(|it| it.holds(fact)).or_else(|| conditions().find(is_its));
    let mut values: Vec<BoundValue> =
        condition.unwrap_or(&objective.condition).answers(fact).cloned().collect();
    values.extend(fact.unusual_state().filter(|state| !values.contains(state)).cloned());
    fact_title(&FactEntry { values, ..fact.clone() })
}

/// Describes a phenomenon in one line: its first fact and how many more there are.
pub fn phenomenon_title(facts: &[&FactEntry]) -> String {
    title_of_first(facts, fact_title)
}

/// Describes a phenomenon in one line, in the form shown to agents.
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

/// Describes what facts say together, with their values.
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

/// Checks whether the value is the name at the end of the subject's path, so that the title already says it.
///
/// Only a field called `name` counts: data that happens to repeat the name is what the fact is about.
fn is_named_by(subject: &BoundValue, value: &BoundValue) -> bool {
    let (path, name) = (subject.value.to_text(), value.value.to_text());
    let last = path.strip_suffix(&*name).is_some_and(|parent| parent.ends_with(['\\', '/']));
    value.field == "name" && !name.is_empty() && last
}

/// Formats a value; a quotation is shown with the line around it.
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

/// Puts text on one line, in quotation marks if it could be read as several values or as the title's own words: `C:\a.exe, start = 2`.
fn delimited(text: &str) -> String {
    const PARTS: [&str; 5] = [" = ", ", ", "; ", ". ", ": "];
    let line = one_line(text);
    match PARTS.iter().any(|part| line.contains(part)) || line.contains(['“', '”']) {
        true => format!("“{}”", line.replace('“', "\\u{201c}").replace('”', "\\u{201d}")),
        false => line,
    }
}

/// Puts text from the evidence on one line, cut at [`LONGEST`] characters.
fn one_line(text: &str) -> String {
    let mut line = value_text(&text.chars().take(LONGEST).collect::<String>());
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}
