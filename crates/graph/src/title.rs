//! Titles rendered by code: an agent's own words never become one.

use ledger::{BoundValue, FactEntry};

/// The longest value shown in a title.
const LONGEST: usize = 120;

/// What a fact says, in one line: predicate, subject, values.
pub fn fact_title(fact: &FactEntry) -> String {
    let subject = &fact.subject;
    let values: Vec<_> = fact
        .values
        .iter()
        .filter(|value| value.field != subject.field && !is_named_by(subject, value))
        .map(|value| format!("{} = {}", value.field, shown(value)))
        .collect();
    let subject = subject.value.to_text();
    let subject = if subject.is_empty() { "(root)".into() } else { one_line(&subject) };
    match values.is_empty() {
        true => format!("{} {subject}", fact.predicate),
        false => format!("{} {subject}: {}", fact.predicate, values.join(", ")),
    }
}

/// What a phenomenon says, in one line: its first fact, and how many more there are.
pub fn phenomenon_title(facts: &[&FactEntry]) -> String {
    match facts {
        [] => String::new(),
        [only] => fact_title(only),
        [first, rest @ ..] => format!("{} (and {} more)", fact_title(first), rest.len()),
    }
}

/// Whether the value is the last component of the subject's path, so that the title says it already.
fn is_named_by(subject: &BoundValue, value: &BoundValue) -> bool {
    let (path, name) = (subject.value.to_text(), value.value.to_text());
    path.strip_suffix(&*name).is_some_and(|parent| parent.ends_with(['\\', '/']) && !name.is_empty())
}

fn shown(value: &BoundValue) -> String {
    match &value.quotation {
        Some(quotation) => format!("“{}”", one_line(quotation)),
        None => one_line(&value.value.to_text()),
    }
}

/// Text of the evidence on one line, without control characters, cut at [`LONGEST`] characters.
fn one_line(text: &str) -> String {
    let mut line: String = text.chars().take(LONGEST).flat_map(printable).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

fn printable(c: char) -> Box<dyn Iterator<Item = char>> {
    match c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    {
        true => Box::new(c.escape_unicode()),
        false => Box::new(std::iter::once(c)),
    }
}
