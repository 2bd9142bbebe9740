//! Checks the run as a whole: its tasks, its evidence, and the circumstances of events.

use super::log::{Found, Log, place};
use ledger::event::{EvidenceHashed, InvocationEnded, InvocationStarted};
use ledger::{Digest, Event, EvidenceEntry, IntegrityLevel, InvocationId, Output, Stream, TaskId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Returns where the run's own events and the circumstances of all events contradict the log.
pub(super) fn amiss(log: Log<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let mut seen = Seen::default();
    let calls = calls(log);
    for (position, (stream, event, circumstance)) in log.events.iter().enumerate() {
        let mut say = |what: &str| found.push((place(position, event), what.to_owned()));
        if let Err(what) = seen.take(log, event) {
            say(what);
        }
        if let Some(other) = circumstance.cost.and_then(|cost| cost.served_from) {
            let own = match (stream, event) {
                (Stream::Task(task), Event::InvocationEnded(ended)) => {
                    calls.get(&ended.invocation).zip(Some(*task))
                }
                _ => None,
            };
            let same = own.is_some_and(|(own, task)| {
                calls.get(&other).is_some_and(|other| other.0 != task && other.answers(own))
            });
            if !same {
                say("it was not answered by the invocation that it names");
            }
        }
        let goes_on = !circumstance.evidence.is_empty() || !circumstance.confinement.is_empty();
        let begins = circumstance.run.is_some() || circumstance.stamps.is_some();
        let place_for_it = match event {
            Event::RunOpened(_) => true,
            Event::RunResumed(_) => !begins,
            _ => !begins && !goes_on,
        };
        if !place_for_it {
            say("what stands beside it belongs to the event that opens the run, or that goes on with it");
        }
        let layers = &circumstance.confinement;
        let is_confined = layers.iter().all(|layer| layer.ends_with(": holds"));
        if !layers.is_empty() && is_confined != log.opened.confined {
            say("what held its tools is not what the run says of them");
        }
        for (label, kind) in labels(event, log.outputs) {
            if !log.opened.case.evidence.iter().any(|entry| entry.label == label) {
                say(&format!("{kind} names {label:?}, which is no evidence of the case"));
            }
        }
    }
    found
}

/// A call that has ended: its task, its start and its end.
struct Call<'l>(TaskId, &'l InvocationStarted, &'l InvocationEnded);

impl Call<'_> {
    /// Whether it and `other` made the same call and got the same result.
    fn answers(&self, other: &Call<'_>) -> bool {
        let asked = (&self.1.tool, &self.1.arguments) == (&other.1.tool, &other.1.arguments);
        let (own, of) = (self.2, other.2);
        asked
            && (own.outcome, own.completeness, own.output) == (of.outcome, of.completeness, of.output)
            && (&own.normalised, &own.gaps, &own.defects) == (&of.normalised, &of.gaps, &of.defects)
    }
}

fn calls(log: Log<'_>) -> BTreeMap<InvocationId, Call<'_>> {
    let mut started = BTreeMap::new();
    let mut calls = BTreeMap::new();
    for (_, task, event) in log.of_tasks() {
        match event {
            Event::InvocationStarted(start) => drop(started.insert(start.invocation, start)),
            Event::InvocationEnded(ended) => {
                if let Some(start) = started.remove(&ended.invocation) {
                    calls.insert(ended.invocation, Call(task, start, ended));
                }
            }
            _ => {}
        }
    }
    calls
}

/// Returns the evidence labels that an event names, and where it names them.
fn labels<'l>(event: &'l Event, outputs: &'l BTreeMap<Digest, Arc<Output>>) -> Vec<(&'l str, &'static str)> {
    match event {
        Event::NamesIndexed(indexed) => vec![(&indexed.evidence, "it")],
        Event::TimelineIndexed(indexed) => vec![(&indexed.evidence, "it")],
        Event::TablesRead(read) => vec![(&read.evidence, "it")],
        Event::RulesMatched(matched) => {
            let of_hits = matched.hits.iter().map(|hit| hit.locator.evidence.as_str());
            let distinct: BTreeSet<&str> = of_hits.collect();
            distinct.into_iter().map(|label| (label, "a hit of it")).collect()
        }
        Event::EvidenceHashed(hashed) => vec![(&hashed.evidence, "it")],
        Event::InvocationEnded(ended) => {
            let records = ended.output.and_then(|digest| outputs.get(&digest)).map(|output| output.records());
            let of_records =
                records.unwrap_or_default().iter().map(|record| record.locator.evidence.as_str());
            let distinct: BTreeSet<&str> = of_records.collect();
            distinct.into_iter().map(|label| (label, "a record of its output")).collect()
        }
        _ => Vec::new(),
    }
}

/// The run's own events so far.
#[derive(Default)]
struct Seen {
    tasks: BTreeSet<TaskId>,
    /// The number of tasks that ask what the others left open.
    sweeps: usize,
    ended: u64,
    names: BTreeSet<String>,
    timelines: BTreeSet<String>,
    tables: BTreeSet<String>,
    hashed: BTreeSet<String>,
}

impl Seen {
    fn take(&mut self, log: Log<'_>, event: &Event) -> Result<(), &'static str> {
        match event {
            Event::TaskAssigned(assigned) => {
                let (before, is_next) =
                    (self.tasks.len(), usize::from(assigned.task.0) == self.tasks.len() + 1);
                self.tasks.insert(assigned.task);
                self.sweeps += usize::from(assigned.sweep);
                match assigned.sweep {
                    // A question may be asked after everything else has ended.
                    _ if assigned.is_of_a_question() && is_next => Ok(()),
                    _ if !is_next => Err("its task is not the next one"),
                    // Several sweeps are assigned at once.
                    true if self.ended != (before + 1 - self.sweeps) as u64 => {
                        Err("a task before the sweep has not ended")
                    }
                    false if self.sweeps > 0 => Err("the sweep was begun before"),
                    true | false => Ok(()),
                }
            }
            Event::NamesIndexed(indexed) => once(&mut self.names, &indexed.evidence),
            Event::TimelineIndexed(indexed) => once(&mut self.timelines, &indexed.evidence),
            Event::TablesRead(read) => {
                once(&mut self.tables, &format!("{} of {}", read.group, read.evidence))
            }
            Event::EvidenceHashed(hashed) => {
                once(&mut self.hashed, &hashed.evidence)?;
                let entry = log.opened.case.evidence.iter().find(|entry| entry.label == hashed.evidence);
                entry
                    .is_none_or(|entry| promised(entry, hashed))
                    .then_some(())
                    .ok_or("whether it has the hash that the case promises is not what both hashes say")
            }
            Event::TaskEnded(_) => {
                self.ended += 1;
                Ok(())
            }
            Event::RunSealed(_) if self.ended != self.tasks.len() as u64 => {
                Err("a task of the run has not ended")
            }
            Event::RunSealed(_) if self.hashed.len() != log.opened.case.evidence.len() => {
                Err("the evidence was not hashed")
            }
            _ => Ok(()),
        }
    }
}

fn once(seen: &mut BTreeSet<String>, label: &str) -> Result<(), &'static str> {
    if seen.insert(label.to_owned()) { Ok(()) } else { Err("the same was said of this evidence before") }
}

/// Whether the stated result of the comparison is right; a hash over every byte cannot be compared with one over samples.
fn promised(entry: &EvidenceEntry, hashed: &EvidenceHashed) -> bool {
    let full = hashed.integrity.level == IntegrityLevel::Full;
    let expected = entry.expected_sha256.filter(|_| full);
    hashed.as_expected == expected.map(|expected| expected == hashed.integrity.sha256)
}
