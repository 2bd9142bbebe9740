//! Yes or no.

use super::shown::{shown, sorted};
use super::{not_recorded, values};
use crate::answer::{Answer, Cited, Verdict};
use crate::decide::{CITED, Found, role, times};
use std::collections::BTreeSet;

/// Returns the answer to a question for yes or no, by the chosen rows.
pub(super) fn yes_or_no(found: &Found<'_>) -> Answer {
    let all = found.chosen.as_slice();
    if found.sources().any(|source| source.state) {
        return by_state(found, all);
    }
    if found.sources().any(|source| source.off_flag.is_some()) {
        return by_flags(found, all);
    }
    by_occasions(found, all)
}

/// Answers by the field `state` of settings.
fn by_state(found: &Found<'_>, all: &[usize]) -> Answer {
    let state = |at: &usize| {
        let (row, source) = found.row(*at)?;
        match row.get("state").filter(|_| source.state)? {
            "on" => Some((*at, true)),
            "off" => Some((*at, false)),
            _ => None,
        }
    };
    let states: Vec<(usize, bool)> = all.iter().filter_map(state).collect();
    let rows: Vec<usize> = states.iter().map(|it| it.0).collect();
    let (on, off) = (states.iter().any(|it| it.1), states.iter().any(|it| !it.1));
    match (on, off) {
        (true, false) | (false, true) => match on != found.reading.is_negated {
            true => yes(found, &rows),
            false => found.no(cited(found, &rows)),
        },
        (true, true) | (false, false) => not_recorded(found, "no state that is the same everywhere"),
    }
}

/// Answers by the flags of accounts.
fn by_flags(found: &Found<'_>, all: &[usize]) -> Answer {
    let states: BTreeSet<Option<bool>> = all.iter().map(|at| found.is_in_force(*at)).collect();
    let state = if states.len() == 1 { states.into_iter().next().flatten() } else { None };
    match state {
        Some(on) if on != found.reading.is_negated => yes(found, all),
        Some(_) => found.no(all.iter().map(|at| shown(found, *at)).collect()),
        None => not_recorded(found, "no state that is the same everywhere"),
    }
}

/// Answers by whether there are rows. A row that counts no occasion and has no time says "no".
fn by_occasions(found: &Found<'_>, all: &[usize]) -> Answer {
    let is_undated = |at: &usize| found.row(*at).is_some_and(|(row, source)| times(row, source).is_empty());
    let counts = |at: &usize| found.is(*at, |source| source.never.is_some());
    let is_never = |at: &usize| {
        let is_zero = found.row(*at).is_some_and(|(row, source)| {
            source.never.as_deref().is_some_and(|field| row.get(field) == Some("0"))
        });
        is_zero && is_undated(at)
    };
    let rest: Vec<usize> = all.iter().copied().filter(|at| !is_never(at)).collect();
    let shows: Vec<usize> = rest.iter().copied().filter(|at| !(counts(at) && is_undated(at))).collect();
    match (shows.is_empty(), rest.is_empty()) {
        (false, _) => yes(found, &shows),
        (true, true) => found.no(all.iter().map(|at| with_count(found, *at)).collect()),
        (true, false) => not_recorded(found, "no time"),
    }
}

fn yes(found: &Found<'_>, rows: &[usize]) -> Answer {
    Answer { verdict: Verdict::Yes, cited: cited(found, rows), ..values(found, &found.chosen, None) }
}

fn cited(found: &Found<'_>, rows: &[usize]) -> Vec<Cited> {
    sorted(found, rows).into_iter().take(CITED).map(|at| shown(found, at)).collect()
}

fn with_count(found: &Found<'_>, at: usize) -> Cited {
    let mut cited = found.cited(at);
    if let Some((row, source)) = found.row(at) {
        cited.fields.extend(role(row, &source.count).into_iter().map(|it| it.0.to_owned()));
    }
    cited
}
