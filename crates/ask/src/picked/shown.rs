//! Which values of a row an answer shows.

use crate::answer::Cited;
use crate::decide::{Found, role, times};
use crate::question::{Order, Reading};
use crate::topic::Source;
use crate::world::Row;
use std::collections::BTreeSet;

/// Returns a row with the fields that answer what is wanted.
pub(super) fn shown(found: &Found<'_>, at: usize) -> Cited {
    let wants = found.question.wants;
    let mut cited = found.cited(at);
    let Some((row, source)) = found.row(at) else { return cited };
    let mut add = |fields: Vec<(&str, &str)>| {
        for (field, _) in fields {
            if !cited.fields.iter().any(|known| known == field) {
                cited.fields.push(field.to_owned());
            }
        }
    };
    add(role(row, &source.program).into_iter().take(1).collect());
    let times = dated(found, row, source);
    match found.question.order {
        Some(Order::First) => add(times.into_iter().min_by(|a, b| a.1.cmp(b.1)).into_iter().collect()),
        Some(Order::Last) => add(times.into_iter().max_by(|a, b| a.1.cmp(b.1)).into_iter().collect()),
        None => add(times),
    }
    let roles = [
        (wants.who || !wants.is_of_one(), &source.who),
        (wants.from, &source.from),
        (wants.by, &source.by),
        (wants.count, &source.count),
    ];
    for (_, fields) in roles.into_iter().filter(|it| it.0) {
        add(role(row, fields));
    }
    add(value(found, row, source));
    cited
}

/// Returns the other values of a row. Of several hashes, addresses and the like it returns only those that the question names.
fn value<'r>(found: &Found<'_>, row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    let Reading { topic, used, .. } = found.reading;
    let is_called = |field: &str| {
        let names = topic.called.get(field).into_iter().flatten();
        names.into_iter().any(|name| name.split(' ').all(|word| used.contains(word)))
    };
    let fields = found.sources().flat_map(|source| &source.value).map(String::as_str);
    let named: BTreeSet<&str> = fields.filter(|field| is_named(field, used) || is_called(field)).collect();
    let is_one = |field: &str| {
        named
            .iter()
            .any(|name| field == *name || field.strip_suffix(name).is_some_and(|it| it.ends_with('_')))
    };
    let all = role(row, &source.value);
    if named.is_empty() { all } else { all.into_iter().filter(|(field, _)| is_one(field)).collect() }
}

/// Whether words of a question are the name of a field, in one word or in several.
fn is_named(field: &str, words: &BTreeSet<String>) -> bool {
    words.contains(&field.replace('_', "")) || field.split('_').all(|part| words.contains(part))
}

/// Returns the rows by their times; those without a time come last.
pub(super) fn sorted(found: &Found<'_>, rows: &[usize]) -> Vec<usize> {
    let mut rows = rows.to_vec();
    let time = |at: &usize| {
        found.row(*at).and_then(|(row, source)| dated(found, row, source).first().map(|it| it.1.to_owned()))
    };
    rows.sort_by_key(|at| {
        let time = time(at);
        (time.is_none(), time)
    });
    rows
}

/// Returns the times of a row that count for the question.
pub(super) fn dated<'r>(found: &Found<'_>, row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    let mut times = times(row, source);
    if let Some(span) = &found.question.span {
        times.retain(|(_, time)| span.holds(time));
    }
    let wants_first = matches!(found.question.order, Some(Order::First));
    if wants_first && !source.first.is_empty() {
        times.retain(|(field, _)| source.first.iter().any(|first| first == field));
    }
    times
}
