//! Checks times against the clock steps that tasks listed, without code of the gateway.

use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{ClockListing, ClockStep, DerivationEntry, FactEntry, InvocationId, Output, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// The listings of clock steps that tasks have made so far.
#[derive(Default)]
pub(super) struct Listings<'l> {
    started: BTreeMap<InvocationId, &'l InvocationStarted>,
    made: Vec<(TaskId, ClockListing)>,
}

impl<'l> Listings<'l> {
    pub(super) fn begin(&mut self, started: &'l InvocationStarted) {
        self.started.insert(started.invocation, started);
    }

    pub(super) fn end(&mut self, task: TaskId, ended: &InvocationEnded, output: Option<&Output>) {
        let started = self.started.remove(&ended.invocation);
        let listing = started.and_then(|started| ClockListing::of(started, ended, output));
        self.made.extend(listing.map(|listing| (task, listing)));
    }

    /// Returns the listings of these tasks.
    pub(super) fn of(&self, tasks: impl Iterator<Item = TaskId> + Clone) -> Vec<&ClockListing> {
        let known = self.made.iter().filter(|(by, _)| tasks.clone().any(|task| task == *by));
        known.map(|(_, listing)| listing).collect()
    }
}

/// Whether a derivation names a listing for the clock of each of its facts, and only listings that its task knows.
pub(super) fn are_listed(entry: &DerivationEntry, facts: &[&FactEntry], known: &[&ClockListing]) -> bool {
    let named = |listing: &&&ClockListing| entry.clocks.contains(&listing.listed);
    let is_known = |id: &InvocationId| known.iter().any(|listing| listing.listed == *id);
    let is_of = |fact: &&FactEntry| known.iter().filter(named).any(|it| it.is_of(&fact.locator.evidence));
    entry.clocks.iter().all(is_known) && facts.iter().all(is_of)
}

/// A fact with its time span in nanoseconds: from its first instant to the first after it.
pub(super) type Read<'f> = (&'f FactEntry, (i128, i128));

/// Returns the total set-back of the clock in the stretches that a time overlaps.
fn off(read: &Read<'_>, steps: &[Stretch]) -> i128 {
    let around = steps.iter().filter(|step| step.0 < read.1.1 && read.1.0 <= step.1);
    around.map(|step| step.2).sum()
}

/// Whether one time is certainly before another.
pub(super) fn is_before(one: &Read<'_>, other: &Read<'_>, known: &[&ClockListing]) -> bool {
    let (own, others) = (steps(known, one.0), steps(known, other.0));
    if one.0.locator.evidence != other.0.locator.evidence {
        return one.1.1 + off(one, &own) <= other.1.0 - off(other, &others);
    }
    let shares = |step: &Stretch| {
        let is_in = |read: &Read<'_>| step.0 < read.1.1 && read.1.0 <= step.1;
        is_in(one) && is_in(other)
    };
    one.1.1 <= other.1.0 && !own.iter().any(shares) || is_numbered_before(one.0, other.0)
}

fn is_numbered_before(one: &FactEntry, other: &FactEntry) -> bool {
    let number = |fact: &FactEntry| {
        let stated = fact.values.iter().find(|value| value.field == "record_id")?;
        super::number(stated)
    };
    one.locator.path == other.locator.path && number(one).zip(number(other)).is_some_and(|(a, b)| a < b)
}

/// Returns the most nanoseconds between the first and the last of these times.
pub(super) fn apart(reads: &[Read<'_>], known: &[&ClockListing]) -> i128 {
    let begin = reads.iter().map(|read| read.1.0).min().unwrap_or_default();
    let end = reads.iter().map(|read| read.1.1).max().unwrap_or_default();
    let one_host =
        reads.iter().all(|read| reads.iter().all(|it| it.0.locator.evidence == read.0.locator.evidence));
    let Some(first) = reads.first().filter(|_| one_host) else {
        let shift = |read: &Read<'_>| off(read, &steps(known, read.0));
        let begin = reads.iter().map(|read| read.1.0 - shift(read)).min().unwrap_or(begin);
        let end = reads.iter().map(|read| read.1.1 + shift(read)).max().unwrap_or(end);
        return end - 1 - begin;
    };
    let between = steps(known, first.0).into_iter().filter(|step| step.0 < end && begin <= step.1);
    end - 1 - begin + between.map(|step| step.2).sum::<i128>()
}

/// A time span that a clock passed more than once: start, end, and the total set-back within it.
type Stretch = (i128, i128, i128);

/// Returns the stretches of a fact's clock; overlapping ones are merged. Steps in
/// several logs count once, because the logs describe the same step.
fn steps<'s>(known: &[&'s ClockListing], fact: &FactEntry) -> Vec<Stretch> {
    let label = &fact.locator.evidence;
    let listed = known.iter().filter(|listing| listing.is_of(label)).flat_map(|listing| &listing.steps);
    let of_host = listed.filter(|step: &&ClockStep| step.evidence == *label);
    // The step is somewhere between its two records, so it may affect times up to its own length on either side.
    let around = |step: &'s ClockStep| {
        let (after, before) = (step.after.unix_nanoseconds(), step.before.unix_nanoseconds());
        (after - (before - after), before + (before - after), step.log.as_str())
    };
    let steps: BTreeSet<(i128, i128, &str)> = of_host.map(around).collect();
    let mut stretches: Vec<(i128, i128)> = Vec::new();
    for (from, to, _) in &steps {
        match stretches.last_mut().filter(|last| *from <= last.1) {
            Some(last) => last.1 = last.1.max(*to),
            None => stretches.push((*from, *to)),
        }
    }
    let logs: BTreeSet<&str> = steps.iter().map(|(.., log)| *log).collect();
    let back = |(from, to): (i128, i128)| {
        let of_log = |log: &&str| {
            let own = steps.iter().filter(|step| step.2 == *log && from <= step.0 && step.1 <= to);
            own.map(|step| step.1 - step.0).sum::<i128>()
        };
        (from, to, logs.iter().map(of_log).max().unwrap_or(0).max(to - from))
    };
    stretches.into_iter().map(back).collect()
}
