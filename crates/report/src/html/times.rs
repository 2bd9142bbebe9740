//! The times of the facts: which event stands where on the line of time.

use super::Scene;
use crate::synthesis::narrative;
use graph::SourceKind;
use ledger::{Clock, FactEntry, FieldValue, Utc, Weight};
use std::collections::BTreeMap;

const MILLION: i128 = 1_000_000;
/// The least width of the window that is shown first, in milliseconds: a minute.
const LEAST: i64 = 60_000;

/// A time that a fact states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event<'r> {
    /// Milliseconds since 1970-01-01 UTC.
    pub(super) at: i64,
    /// The number of the fact in the order of the page.
    pub(super) fact: usize,
    /// The field that states it.
    pub(super) field: &'r str,
}

/// All times of a run that have a place on the line.
pub(super) struct Times<'r> {
    /// In the order of time.
    pub(super) events: Vec<Event<'r>>,
    /// Times that name an instant only if a zone were known, or that the examined host did not keep.
    pub(super) left_out: usize,
    /// From when to when is shown first, in milliseconds.
    pub(super) window: (i64, i64),
}

impl Times<'_> {
    /// The first and the last time; `None` where there is none.
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
    Times { events, left_out, window }
}

fn milliseconds(utc: Utc) -> i64 {
    i64::try_from(utc.unix_nanoseconds().div_euclid(MILLION)).unwrap_or(i64::MAX)
}

/// The time in which most of what was told happened, or else what answers the heaviest objectives, or else everything: single outliers decide nothing.
fn window(scene: &Scene<'_>, events: &[Event<'_>]) -> (i64, i64) {
    let told = narrative(scene.run).into_iter().filter_map(|(_, sentence)| sentence.time.as_ref()?.utc);
    let told: Vec<i64> = told.map(milliseconds).collect();
    let heavy = |event: &&Event<'_>| is_finding(scene, event.fact);
    let heavy: Vec<i64> = events.iter().filter(heavy).map(|event| event.at).collect();
    let all: Vec<i64> = events.iter().map(|event| event.at).collect();
    let most = [told, heavy, all].into_iter().find(|times| times.len() >= 2).unwrap_or_default();
    let (from, to) = middle(most);
    let margin = ((to - from) / 20).max(LEAST / 2);
    (from - margin, to + margin)
}

fn is_finding(scene: &Scene<'_>, fact: usize) -> bool {
    let id = scene.order.get(fact);
    let ranked = id.and_then(|id| scene.ranked.get(*scene.carried.get(id)?));
    ranked.and_then(|ranked| ranked.objective).is_some_and(|it| it.weight == Weight::Finding)
}

/// Between the tenth and the ninetieth percentile.
fn middle(mut times: Vec<i64>) -> (i64, i64) {
    times.sort_unstable();
    let at = |tenths: usize| times.get(times.len().saturating_sub(1) * tenths / 10).copied().unwrap_or(0);
    (at(1), at(9))
}

/// The lanes of the picture: the kinds of sources that facts were read from, and the lane of each fact.
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
