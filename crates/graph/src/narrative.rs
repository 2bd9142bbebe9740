//! The sentences of a run in chronological order, including where local times belong among instants.

use crate::run::Run;
use ledger::{BoundValue, FactEntry, FactId, FieldValue, NodeId, SentenceEntry, TaskId, Time, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// A sentence and its position in time.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'r> {
    /// Its task.
    pub task: TaskId,
    /// The sentence.
    pub sentence: &'r SentenceEntry,
    /// The instant used for sorting: its own, or its local time converted with the host's last known offset; `None` if neither is known.
    pub at: Option<Utc>,
    /// The earliest and the latest possible instant; `None` if it has no time.
    pub between: Option<(Utc, Utc)>,
    /// For a local time: the fact that gives the host's time zone, if any.
    pub zone: Option<FactId>,
    /// The fact that shows that the clock was set back across this time: it occurred twice, and its position is uncertain.
    pub twice: Option<FactId>,
}

/// Returns the sentences in chronological order, then those with a local time of unknown zone, then those without a time.
/// Duplicates appear once.
pub fn narrative(run: &Run) -> Vec<Placed<'_>> {
    let clocks = Clocks::of(run);
    let mut told = BTreeSet::new();
    let mut sentences: Vec<Placed<'_>> = run
        .sentences()
        .filter(|(_, accepted)| told.insert((&accepted.sentence.text, &accepted.sentence.cites)))
        .map(|(task, accepted)| {
            let sentence = &accepted.sentence;
            let Place { at, between, zone, twice } =
                clocks.place(run, &sentence.cites, sentence.time.as_ref());
            Placed { task, sentence, at, between, zone, twice }
        })
        .collect();
    let earliest = |placed: &Placed<'_>| placed.between.map(|(earliest, _)| earliest);
    sentences.sort_by_key(|placed| {
        (placed.at.is_none(), placed.between.is_none(), placed.at.or_else(|| earliest(placed)))
    });
    sentences
}

/// Minutes of daylight saving: no inhabited Windows time zone has more, except Troll in Antarctica.
const DAYLIGHT: i128 = 60;

/// The minutes to add to local time to get UTC: from 14 hours ahead of UTC to 12 hours behind.
const OFFSETS: std::ops::RangeInclusive<i128> = -14 * 60..=12 * 60;

/// The time zone of a host according to its registry.
#[derive(Debug, Clone, Copy)]
struct Zone {
    /// The minutes to add to local time to get UTC, by the clock's last setting, and their lower and upper bounds.
    last: i128,
    minutes: (i128, i128),
    fact: FactId,
}

/// Returns the time zone of each piece of evidence, from facts about `time_zone` records. If several differ, the bounds cover all of them.
fn zones(run: &Run) -> BTreeMap<&str, Zone> {
    let mut zones: BTreeMap<&str, Zone> = BTreeMap::new();
    for fact in facts(run, "time_zone") {
        let Some((told, host)) = Zone::of(fact).zip(evidence(run, fact.id)) else { continue };
        let zone = zones.entry(host).or_insert(told);
        let (least, most) = told.minutes;
        zone.minutes = (zone.minutes.0.min(least), zone.minutes.1.max(most));
    }
    zones
}

fn facts<'r>(run: &'r Run, kind: &str) -> impl Iterator<Item = &'r FactEntry> {
    run.facts().map(|(_, accepted)| &accepted.fact).filter(move |fact| fact.kind == kind)
}

/// The position of a node in chronological order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: Option<Utc>,
    pub(crate) between: Option<(Utc, Utc)>,
    pub(crate) zone: Option<FactId>,
    pub(crate) twice: Option<FactId>,
}

/// The time zones and clock steps of a run's hosts, according to its facts.
pub(crate) struct Clocks<'r> {
    zones: BTreeMap<&'r str, Zone>,
    steps: Vec<Step<'r>>,
}

impl<'r> Clocks<'r> {
    pub(crate) fn of(run: &'r Run) -> Clocks<'r> {
        Clocks { zones: zones(run), steps: steps(run) }
    }

    /// Returns the position of a node that is based on these nodes and dated by this time.
    pub(crate) fn place(&self, run: &'r Run, cites: &[NodeId], time: Option<&Time>) -> Place {
        let is_local = time.is_some_and(|time| time.zone.is_some());
        let host = time.and_then(|time| host(run, cites, time));
        let zone = host.filter(|_| is_local).and_then(|host| self.zones.get(host));
        let moved = |minutes: i128| moved(time?, minutes);
        let (at, between) = match zone {
            Some(zone) => (moved(zone.last), moved(zone.minutes.0).zip(moved(zone.minutes.1))),
            None if is_local => (None, time.and_then(Time::bounds)),
            None => (moved(0), moved(0).zip(moved(0))),
        };
        let twice = host.zip(at).and_then(|(host, at)| stood_twice(&self.steps, cites, host, at));
        Place { at, between, zone: zone.map(|zone| zone.fact), twice }
    }
}

/// A clock step back: the log's records continue with earlier times.
struct Step<'r> {
    evidence: &'r str,
    /// The time that the clock was set to, and the time before the step.
    between: (Utc, Utc),
    fact: FactId,
}

/// The minimum size of a clock step back, in nanoseconds: a minute. Time synchronisation causes smaller steps.
const STEP: i128 = 60_000_000_000;

fn steps(run: &Run) -> Vec<Step<'_>> {
    let step = |fact: &'_ FactEntry| {
        let time = |field: &str| fact.values.iter().find(|bound| bound.field == field).and_then(instant);
        let (after, before) = (time("after")?, time("before")?);
        let is_back = before.unix_nanoseconds() - after.unix_nanoseconds() > STEP;
        is_back.then_some((after, before)).zip(evidence(run, fact.id))
    };
    facts(run, "clock_step")
        .filter_map(|fact| step(fact).map(|(between, evidence)| Step { evidence, between, fact: fact.id }))
        .collect()
}

/// Returns the clock step that makes a sentence's position uncertain. A sentence about a step is positioned by that step itself.
fn stood_twice(steps: &[Step<'_>], cites: &[NodeId], host: &str, at: Utc) -> Option<FactId> {
    if steps.iter().any(|step| cites.contains(&NodeId::Fact(step.fact))) {
        return None;
    }
    let over = |step: &&Step<'_>| step.evidence == host && (step.between.0..=step.between.1).contains(&at);
    steps.iter().find(over).map(|step| step.fact)
}

fn instant(bound: &BoundValue) -> Option<Utc> {
    match &bound.value {
        FieldValue::Time(time) if time.zone.is_none() => time.utc,
        _ => None,
    }
}

impl Zone {
    /// Reads the zone from a fact, with or without daylight saving; `None` if it states no possible zone.
    fn of(fact: &FactEntry) -> Option<Zone> {
        let stated = |field: &str| fact.values.iter().find(|bound| bound.field == field).and_then(number);
        let bias = stated("bias")?;
        let last = stated("active_bias").unwrap_or(bias);
        let minutes = (last.min(bias - DAYLIGHT), last.max(bias));
        let there_is = OFFSETS.contains(&bias) && OFFSETS.contains(&last);
        there_is.then_some(Zone { last, minutes, fact: fact.id })
    }
}

/// Returns the instant this many minutes after a time. A local time is stored as if it were UTC.
fn moved(time: &Time, minutes: i128) -> Option<Utc> {
    Utc::from_unix_nanoseconds(time.utc?.unix_nanoseconds() + minutes * 60_000_000_000)
}

/// Returns the piece of evidence that a time was read from.
fn host<'r>(run: &'r Run, cites: &[NodeId], time: &Time) -> Option<&'r str> {
    let cited = cites.iter().flat_map(|id| run.facts_of(*id));
    let states = |fact: &&FactEntry| {
        let mut stated = std::iter::once(&fact.subject).chain(&fact.values);
        stated.any(|bound| matches!(&bound.value, FieldValue::Time(stated) if stated == time))
    };
    let fact = cited.filter_map(|id| run.fact(id)).find(states)?;
    evidence(run, fact.id)
}

/// Returns the piece of evidence of a fact. A redacted run uses the original values, because two may look the same after redaction.
fn evidence(run: &Run, fact: FactId) -> Option<&str> {
    run.as_recorded().fact(fact).map(|fact| fact.locator.evidence.as_str())
}

fn number(bound: &BoundValue) -> Option<i128> {
    match bound.value {
        FieldValue::Integer(number) => Some(number),
        _ => None,
    }
}
