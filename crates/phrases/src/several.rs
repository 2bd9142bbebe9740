//! Several facts in one line: how many there are, and what all of them state.

use crate::book::Book;
use crate::fact::{FILE, NUMBER, Teller};
use crate::language::Language;
use crate::obligatory::obligatory;
use crate::phrase::Phrase;
use crate::template::Template;
use ledger::{FactEntry, FieldValue, Placement};
use std::collections::BTreeSet;

/// Record types whose records are separate files: facts from several files can share one line.
const HAVE_A_FILE_EACH: [&str; 9] = [
    "deleted_entry",
    "download_mark",
    "file_hash",
    "prefetch",
    "recent_shortcut",
    "recycled_file",
    "scheduled_job",
    "scheduled_task",
    "startup_item",
];

/// The fewest facts that one line can summarise.
pub const FEWEST: usize = 3;

/// What facts in one line have in common: facts with equal keys can share a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alike {
    kind: String,
    predicate: String,
    evidence: String,
    /// Whether the file is one of the host's own, and which file it is; not set for records that are separate files.
    placement: Option<Placement>,
    path: Option<String>,
    /// The fields, with their values, that the line says or that every sentence about such a fact must say.
    shared: BTreeSet<(String, String)>,
}

/// Returns what a fact has in common with facts that can share its line; `None` if a line about several would say nothing about it.
///
/// It includes what every sentence about such a fact must say: failures do not share a line with successes.
/// Facts with quoted words never share a line.
pub fn alike(fact: &FactEntry) -> Option<Alike> {
    let template = template(Language::English.book(), fact)?;
    let fields = template.fields();
    let held = || fact.values.iter().chain([&fact.subject]);
    if held().any(|bound| bound.quotation.is_some()) {
        return None;
    }
    let bounds = obligatory(fact);
    let is_shared = |field: &str| {
        let is_own = field == fact.subject.field;
        fields.contains(field) || is_own && fields.contains("subject") || !is_own && bounds.contains(field)
    };
    let shared = held().filter(|bound| is_shared(&bound.field) && !is_time(&bound.value));
    Some(Alike {
        kind: fact.kind.clone(),
        predicate: fact.predicate.0.clone(),
        evidence: fact.locator.evidence.clone(),
        placement: fact.placement,
        path: (!HAVE_A_FILE_EACH.contains(&fact.kind.as_str()) || fact.placement.is_some())
            .then(|| fact.locator.path.clone()),
        shared: shared.map(|bound| (bound.field.clone(), bound.value.to_text().into_owned())).collect(),
    })
}

/// Phrases facts that are [alike](Alike) in one line, with the span of their times if all of them have one.
///
/// The number counts the records that they were read from, not events.
/// `None` if they are not alike, or are from fewer than [`FEWEST`] records.
pub fn several(language: Language, facts: &[&FactEntry], span: Option<(&str, &str)>) -> Option<Phrase> {
    let first = facts.first()?;
    let key = alike(first)?;
    if facts.iter().any(|fact| alike(fact).as_ref() != Some(&key)) {
        return None;
    }
    let places: BTreeSet<String> =
        facts.iter().map(|fact| format!("{} {}", fact.locator, fact.record)).collect();
    if places.len() < FEWEST {
        return None;
    }
    let book = language.book();
    let template = template(book, first)?;
    let mut shared = (*first).clone();
    shared.values.retain(|bound| key.shared.iter().any(|(field, _)| *field == bound.field));
    let mut phrase = Phrase::default();
    Teller::tell_several(book, &shared, template, places.len(), &mut phrase);
    match span {
        Some((from, to)) if from == to => book.say(&mut phrase, "all_at", &[("from", from)]),
        Some((from, to)) => book.say(&mut phrase, "between", &[("from", from), ("to", to)]),
        None => {}
    }
    phrase.words(":");
    Some(phrase)
}

/// Phrases the heading of an episode: its time span and its number of statements.
pub fn episode(language: Language, from: &str, to: &str, number: usize) -> Phrase {
    let mut phrase = Phrase::default();
    let number = number.to_string();
    let name = if from == to { "episode_at" } else { "episode" };
    language.book().say(&mut phrase, name, &[("from", from), ("to", to), ("number", &number)]);
    phrase
}

/// Phrases the heading of statements that belong to no episode.
pub fn apart(language: Language, is_dated: bool) -> Phrase {
    let mut phrase = Phrase::default();
    language.book().say(&mut phrase, if is_dated { "apart" } else { "undated" }, &[]);
    phrase
}

fn template<'b>(book: &'b Book, fact: &FactEntry) -> Option<&'b Template> {
    let template = book.several.get(&fact.kind)?.get(&fact.predicate.0)?;
    let holds = |field: &str| {
        [FILE, NUMBER, "subject"].contains(&field) || fact.values.iter().any(|bound| bound.field == field)
    };
    template.core().all(|slot| holds(&slot.field)).then_some(template)
}

const fn is_time(value: &FieldValue) -> bool {
    matches!(value, FieldValue::Time(_))
}
