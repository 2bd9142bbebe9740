//! Which of the rows that fit are the answer, and which of their values.

mod order;
mod several;
mod shown;
mod yes_or_no;

use crate::answer::{Answer, Cited, Reason, Verdict};
use crate::decide::{CITED, Found, role};
use crate::topic::{OWNER, Source};
use crate::world::Row;
use shown::{dated, shown, sorted};
use std::collections::BTreeSet;

/// Returns the answer that the chosen rows support.
pub(crate) fn picked(found: &Found<'_>) -> Answer {
    let wants = found.question.wants;
    if wants.yes_or_no {
        return yes_or_no::yes_or_no(found);
    }
    if let Some(question) = several::several_places(found) {
        let note = "programs of this name lie in several folders".to_owned();
        let topic = found.reading.topic;
        return Answer::not_determinable(Reason::Ambiguous, Some(&topic.id), note).asking(question);
    }
    let mut rows = found.chosen.clone();
    rows.retain(|at| found.is_in_force(*at).is_none_or(|on| on != found.reading.is_negated));
    if rows.is_empty() {
        return found.no(Vec::new());
    }
    match with_roles(found, rows).and_then(|rows| in_order(found, rows)) {
        Ok(rows) => counted(found, &rows),
        Err(answer) => answer,
    }
}

/// Keeps the rows that have what is wanted. Returns an answer if none has.
fn with_roles(found: &Found<'_>, mut rows: Vec<usize>) -> Result<Vec<usize>, Answer> {
    let wants = found.question.wants;
    if let Some(missing) = missing_role(found, &rows) {
        return Err(missing);
    }
    if wants.who {
        rows.retain(|at| found.row(*at).is_some_and(|(row, source)| has_who(row, source)));
    }
    if wants.time || found.question.order.is_some() {
        let is_placed = |at: &usize| found.is(*at, |source| source.order.is_some());
        if rows.iter().any(|at| is_dated(found, *at)) {
            rows.retain(|at| is_dated(found, *at) || is_placed(at));
        } else if wants.time {
            return Err(not_recorded(found, "no time"));
        }
    }
    let roles: [(bool, Fields); 3] = [
        (wants.from, |source| &source.from),
        (wants.by, |source| &source.by),
        (wants.count, |source| &source.count),
    ];
    for (_, of) in roles.into_iter().filter(|it| it.0) {
        if rows.iter().any(|at| has_role(found, *at, of)) {
            rows.retain(|at| has_role(found, *at, of));
        }
    }
    Ok(rows)
}

/// Keeps the first or the last of the rows if the question asks for it. A number of things is not narrowed.
fn in_order(found: &Found<'_>, rows: Vec<usize>) -> Result<Vec<usize>, Answer> {
    let Some(order) = found.question.order.filter(|_| !wants_number(found)) else { return Ok(rows) };
    let is_each_dated = rows.iter().all(|at| is_dated(found, *at));
    if found.reading.topic.undated && rows.len() > 1 && !is_each_dated {
        return Err(not_recorded(found, "no time"));
    }
    order::one_of(found, &rows, order)
}

/// Counts the rows if the question asks for it.
fn counted(found: &Found<'_>, rows: &[usize]) -> Answer {
    let wants = found.question.wants;
    if wants_number(found) {
        return number(found, rows);
    }
    if wants.most {
        return most(found, rows);
    }
    let is_counted = rows.iter().any(|at| has_role(found, *at, |source| &source.count));
    if !wants.count || is_counted {
        return values(found, rows, None);
    }
    // If no record has a count, the records of sources that have one for each occasion are counted.
    let each: Vec<usize> = rows.iter().copied().filter(|at| found.is(*at, |source| source.every)).collect();
    match each.is_empty() || found.is_cut() {
        true => not_recorded(found, "no count"),
        false => values(found, &each, Some(each.len() as u64)),
    }
}

/// Whether the question asks how many things there are, and not for a count that records hold.
fn wants_number(found: &Found<'_>) -> bool {
    let is_unit =
        found.question.counted.as_ref().is_some_and(|counted| found.reading.topic.units.contains(counted));
    found.question.wants.number && !is_unit
}

/// Returns what was done most often, by each source that counts.
fn most(found: &Found<'_>, rows: &[usize]) -> Answer {
    let count = |at: &usize| {
        let (row, source) = found.row(*at)?;
        role(row, &source.count).first()?.1.parse::<u64>().ok()
    };
    let counted: Vec<(Option<usize>, u64, usize)> =
        rows.iter().filter_map(|at| Some((found.source_of(*at), count(at)?, *at))).collect();
    if counted.is_empty() || found.is_cut() {
        return not_recorded(found, "no count");
    }
    let is_most =
        |one: &(Option<usize>, u64, usize)| counted.iter().all(|other| other.0 != one.0 || other.1 <= one.1);
    let rows: Vec<usize> = counted.iter().filter(|one| is_most(one)).map(|one| one.2).collect();
    values(found, &rows, None)
}

/// Returns how many things there are. Several sources record the same things, so that only the first one is counted.
fn number(found: &Found<'_>, rows: &[usize]) -> Answer {
    let first = rows.iter().filter_map(|at| found.source_of(*at)).min();
    let rows: Vec<usize> = rows.iter().copied().filter(|at| found.source_of(*at) == first).collect();
    let named = |at: &usize| {
        let (row, source) = found.row(*at)?;
        let names: Vec<String> = role(row, &source.name).into_iter().map(|it| it.1.to_owned()).collect();
        Some((row.evidence.clone(), names))
    };
    let each = rows.iter().any(|at| found.is(*at, |source| source.every));
    let names: BTreeSet<_> = rows.iter().map(named).collect();
    let count = if each { rows.len() } else { names.len() };
    if found.is_cut() {
        return not_recorded(found, "too many records to count");
    }
    values(found, &rows, Some(count as u64))
}

/// Returns the values of rows, by time. Rows that say the same are cited once.
fn values(found: &Found<'_>, rows: &[usize], count: Option<u64>) -> Answer {
    let mut seen = BTreeSet::new();
    let mut cited: Vec<Cited> = Vec::new();
    for at in sorted(found, rows) {
        let one = shown(found, at);
        let said = found.row(at).map(|(row, source)| {
            let values: Vec<&str> = one.fields.iter().filter_map(|field| row.get(field)).collect();
            (source.record.as_str(), row.evidence.as_str(), values)
        });
        if seen.insert(said) {
            cited.push(one);
        }
    }
    let more = cited.len() > CITED || found.is_cut();
    cited.truncate(CITED);
    Answer {
        verdict: Verdict::Values,
        topic: Some(&found.reading.topic.id),
        cited,
        count,
        more,
        notes: Vec::new(),
        questions: Vec::new(),
    }
}

/// The fields of a source that have one role.
type Fields = fn(&Source) -> &[String];

fn has_role(found: &Found<'_>, at: usize, of: Fields) -> bool {
    found.row(at).is_some_and(|(row, source)| !role(row, of(source)).is_empty())
}

fn is_dated(found: &Found<'_>, at: usize) -> bool {
    found.row(at).is_some_and(|(row, source)| !dated(found, row, source).is_empty())
}

fn has_who(row: &Row, source: &Source) -> bool {
    !role(row, &source.who).is_empty() || source.who.iter().any(|it| it == OWNER) && row.owner().is_some()
}

/// Returns an answer if no row has something that is wanted.
fn missing_role(found: &Found<'_>, rows: &[usize]) -> Option<Answer> {
    let wants = found.question.wants;
    let is_who = |at: &usize| found.row(*at).is_some_and(|(row, source)| has_who(row, source));
    let has = |of: Fields| rows.iter().any(|at| has_role(found, *at, of));
    let checks: [(bool, &str, Fields); 3] = [
        (wants.from && !has(|source| &source.from), "where it came from", |source| &source.from),
        (wants.by && !has(|source| &source.by), "what it was done with", |source| &source.by),
        (wants.who && !rows.iter().any(is_who), "who it was", |source| &source.who),
    ];
    let (_, what, of) = checks.into_iter().find(|(is_missing, ..)| *is_missing)?;
    let has_source = found.sources().any(|source| !of(source).is_empty() && found.is_there(source));
    let reason = if has_source { Reason::NotRecorded } else { Reason::NoSource };
    let note = format!("what is recorded does not say {what}");
    Some(Answer::not_determinable(reason, Some(&found.reading.topic.id), note))
}

fn not_recorded(found: &Found<'_>, what: &str) -> Answer {
    let note = format!("what is recorded of it has {what}");
    Answer::not_determinable(Reason::NotRecorded, Some(&found.reading.topic.id), note)
}
