//! The first or the last of several occasions.

use super::not_recorded;
use super::shown::dated;
use crate::answer::Answer;
use crate::decide::{Found, role};
use crate::question::Order;
use crate::topic::Source;
use crate::world::Row;

/// Returns the first or the last of the rows, with those of the same second.
pub(super) fn one_of(found: &Found<'_>, rows: &[usize], order: Order) -> Result<Vec<usize>, Answer> {
    if let Some(latest) = latest_by_place(found, rows).filter(|_| matches!(order, Order::Last)) {
        return Ok(latest);
    }
    let mut rows = rows.to_vec();
    if matches!(order, Order::First) {
        let is_certain = |at: &usize| {
            found.row(*at).is_some_and(|(row, source)| source.every || is_kept_whole(row, source))
        };
        let is_one_thing = found.names_something() && rows.iter().any(is_certain);
        if !is_one_thing && !rows.iter().all(is_certain) {
            return Err(not_recorded(found, "the time of the last occasion alone"));
        }
        rows.retain(is_certain);
    }
    let time = |at: &usize| {
        let (row, source) = found.row(*at)?;
        let times = dated(found, row, source).into_iter().map(|it| it.1.to_owned());
        match order {
            Order::First => times.min(),
            Order::Last => times.max(),
        }
    };
    let all = rows.iter().filter_map(time);
    let wanted = match order {
        Order::First => all.min(),
        Order::Last => all.max(),
    };
    let Some(wanted) = wanted else {
        let is_open = rows.len() > 1 && rows.iter().any(|at| found.is(*at, |source| !source.time.is_empty()));
        return if is_open { Err(not_recorded(found, "no time")) } else { Ok(rows) };
    };
    // Sources write down the same instant with different precision.
    let second = |time: &str| time.get(..19).unwrap_or(time).to_owned();
    rows.retain(|at| time(at).is_some_and(|time| second(&time) == second(&wanted)));
    Ok(rows)
}

/// Returns the most recent rows if most of them have a place in an order.
fn latest_by_place(found: &Found<'_>, rows: &[usize]) -> Option<Vec<usize>> {
    let place = |at: &usize| {
        let (row, source) = found.row(*at)?;
        row.get(source.order.as_deref()?)?.parse::<u64>().ok()
    };
    let placed: Vec<(u64, usize)> = rows.iter().filter_map(|at| Some((place(at)?, *at))).collect();
    let least = placed.iter().map(|it| it.0).min()?;
    let is_most = placed.len() * 2 > rows.len();
    is_most.then(|| placed.into_iter().filter(|it| it.0 == least).map(|it| it.1).collect())
}

/// Whether a row has the time of every occasion that it counts.
fn is_kept_whole(row: &Row, source: &Source) -> bool {
    if !role(row, &source.first).is_empty() {
        return true;
    }
    let count = role(row, &source.count).first().and_then(|(_, count)| count.parse::<usize>().ok());
    count.is_some_and(|count| count > 0 && count <= role(row, &source.time).len())
}
