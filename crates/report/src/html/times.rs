//! The times of the facts, for the timeline.

use super::Scene;
use graph::SourceKind;
use ledger::{Clock, FactEntry, FieldValue, Utc, Weight};
use std::collections::BTreeMap;

const MILLION: i128 = 1_000_000;
/// The minimum width of the initial window, in milliseconds: a minute.
const LEAST: i64 = 60_000;

/// A time that a fact states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event<'r> {
    /// Milliseconds since 1970-01-01 UTC.
    pub(super) at: i64,
    /// The number of the fact, in page order.
    pub(super) fact: usize,
    /// The field that states it.
    pub(super) field: &'r str,
}

/// All times of a run that have a position on the timeline.
pub(super) struct Times<'r> {
    /// The times in chronological order.
    pub(super) events: Vec<Event<'r>>,
    /// The number of times left out: local times of unknown zone, and times that the examined host did not keep.
    pub(super) left_out: usize,
    /// The start and end of the initial window, in milliseconds.
    pub(super) window: (i64, i64),
    /// The range of the strip with all times, which excludes the few that are far away.
    pub(super) bulk: (i64, i64),
}

impl Times<'_> {
    /// Returns the first and the last time; `None` if there is none.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        Some((self.events.first()?.at, self.events.last()?.at))
    }
}

pub(super) fn times<'r>(scene: &Scene<'r>) -> Times<'r> {
    let (mut events, mut left_out) = (Vec::new(), 0);
    for (number, (_, fact)) in scene.entries().enumerate() {
        for bound in &fact.values {
            if let FieldValue::Time(time) = &bound.value {
                match time.utc.filter(|_| time.zone.is_none() && time.clock == Clock::Host) {
                    Some(utc) => {
                        events.push(Event { at: milliseconds(utc), fact: number, field: &bound.field })
                    }
                    None => left_out += usize::from(time.utc.is_some()),
                }
            }
        }
    }
    events.sort_unstable();
    let window = window(scene, &events);
    let (from, to) = bulk(events.iter().map(|event| event.at).collect(), 19);
    let bulk = (from.min(window.0), to.max(window.1));
    Times { events, left_out, window, bulk }
}

fn milliseconds(utc: Utc) -> i64 {
    i64::try_from(utc.unix_nanoseconds().div_euclid(MILLION)).unwrap_or(i64::MAX)
}

/// Chooses the initial window: the bulk of the story's times, or else of the answers to the heaviest objectives.
/// Either must contain half of all times; otherwise the bulk of all times is used.
fn window(scene: &Scene<'_>, events: &[Event<'_>]) -> (i64, i64) {
    let told = scene.told.iter().filter_map(|line| line.statement.at);
    let told: Vec<i64> = told.map(milliseconds).collect();
    let heavy = |event: &&Event<'_>| is_finding(scene, event.fact);
    let heavy: Vec<i64> = events.iter().filter(heavy).map(|event| event.at).collect();
    let all: Vec<i64> = events.iter().map(|event| event.at).collect();
    let holds = |(from, to): &(i64, i64)| {
        2 * all.iter().filter(|at| (*from..=*to).contains(*at)).count() >= all.len()
    };
    let windows = [told, heavy].into_iter().filter(|times| times.len() >= 2).map(|times| bulk(times, 16));
    windows.into_iter().find(holds).unwrap_or_else(|| bulk(all.clone(), 16))
}

fn is_finding(scene: &Scene<'_>, fact: usize) -> bool {
    let id = scene.order.get(fact);
    let ranked = id.and_then(|id| scene.ranked.get(*scene.carried.get(id)?));
    ranked.and_then(|ranked| ranked.rank.objective).is_some_and(|it| it.weight == Weight::Finding)
}

/// Returns the range with most of the times: the shortest span that contains this many twentieths of them, plus the times on both sides
/// within the span's own length.
///
/// A few outliers, however far away, cannot change it.
fn bulk(mut times: Vec<i64>, twentieths: usize) -> (i64, i64) {
    times.sort_unstable();
    let inside = (times.len() * twentieths / 20).max(2);
    let spans = times.windows(inside.min(times.len()).max(1));
    let ends = spans.filter_map(|span| Some((*span.first()?, *span.last()?)));
    let Some((from, to)) = ends.min_by_key(|(from, to)| to.saturating_sub(*from)) else { return (0, LEAST) };
    let beside = to.saturating_sub(from).max(LEAST);
    let near = (from.saturating_sub(beside), to.saturating_add(beside));
    let first = times.iter().find(|at| **at >= near.0).copied().unwrap_or(from);
    let last = times.iter().rfind(|at| **at <= near.1).copied().unwrap_or(to);
    let margin = (last.saturating_sub(first) / 20).max(LEAST / 2);
    (first.saturating_sub(margin), last.saturating_add(margin))
}

/// Returns the lanes of the picture (the kinds of sources that facts were read from) and the lane of each fact.
pub(super) fn lanes(scene: &Scene<'_>) -> (Vec<SourceKind>, Vec<usize>) {
    let kinds: Vec<SourceKind> = scene.entries().map(|(_, fact)| kind(fact)).collect();
    let present: BTreeMap<SourceKind, usize> = {
        let mut present: Vec<SourceKind> = kinds.clone();
        present.sort_unstable();
        present.dedup();
        present.into_iter().enumerate().map(|(lane, kind)| (kind, lane)).collect()
    };
    let of = |kind: &SourceKind| present.get(kind).copied().unwrap_or(0);
    (present.keys().copied().collect(), kinds.iter().map(of).collect())
}

fn kind(fact: &FactEntry) -> SourceKind {
    SourceKind::of(&fact.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn times_far_away_do_not_stretch_the_window_and_times_nearby_are_in_it() {
        let mut times: Vec<i64> = (0..20).map(|day| 20_000 * DAY + day * DAY).collect();
        let (from, to) = bulk(times.clone(), 16);
        assert!(from < 20_000 * DAY && to > 20_019 * DAY, "{from} {to}");
        times.extend([0, 0, 41_000 * DAY]);
        assert_eq!(bulk(times, 16), (from, to));
    }

    #[test]
    fn the_bulk_of_few_times_is_what_they_span() {
        assert_eq!(bulk(Vec::new(), 16), (0, LEAST));
        assert_eq!(bulk(vec![5], 16), (5 - LEAST / 2, 5 + LEAST / 2));
        assert_eq!(bulk(vec![DAY, 0], 16), (-DAY / 20, DAY + DAY / 20));
        bulk(vec![i64::MIN, i64::MAX], 16);
    }
}
