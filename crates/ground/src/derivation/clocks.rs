//! Times of clocks that were set back.
//!
//! If a log says that a clock was set back from B to A, the clock went through the stretch from A to B twice.
//! A time in that stretch may be from the first or the second pass.
//! The step itself is somewhere between two records, and nobody knows how long the log was silent around it.
//! So the stretch is extended on both sides by its own length, and a time in the extension may be from either pass, too.
//! Times of one host are put on a timeline of their own that never goes back:
//! times after a step are moved by its length, and times in its stretch may be moved or not.
//! With several hosts, nothing shows which clock was right.
//! So a time in such a stretch may be off by the stretch's length in either direction.

use super::{Span, plain};
use ledger::{ClockListing, ClockStep, InvocationId, Rejection, RejectionCode};
use std::collections::{BTreeMap, BTreeSet};

/// A stretch through which a clock went more than once.
struct Stretch {
    /// Its first and last nanosecond.
    from: i128,
    to: i128,
    /// The most that the clock was set back within it, from the log that gives the largest sum.
    back: i128,
}

impl Stretch {
    /// Checks whether a time may be in the stretch.
    fn holds(&self, span: &Span) -> bool {
        self.from < span.end && span.start <= self.to
    }
}

/// What is known about the clocks of some evidence.
pub(super) struct Clocks {
    stretches: Vec<(String, Vec<Stretch>)>,
    /// The listings that the knowledge comes from.
    pub(super) listed: Vec<InvocationId>,
}

impl Clocks {
    /// Builds the clocks of these pieces of evidence from all listings of clock steps; refused if one of them was not listed.
    pub(super) fn of(labels: &BTreeSet<&str>, listings: &[&ClockListing]) -> Result<Clocks, Rejection> {
        let mut clocks = Clocks { stretches: Vec::new(), listed: Vec::new() };
        for label in labels {
            let of_label = || listings.iter().filter(|listing| listing.is_of(label));
            // The same listing is named whatever the order in which tasks were handed over.
            let Some(listed) = of_label().map(|listing| listing.listed).min() else {
                return Err(unlisted(label));
            };
            let steps = of_label().flat_map(|listing| &listing.steps);
            clocks
                .stretches
                .push(((*label).to_owned(), stretches(steps.filter(|step| step.evidence == **label))));
            if !clocks.listed.contains(&listed) {
                clocks.listed.push(listed);
            }
        }
        Ok(clocks)
    }

    /// Returns the span in which a time of this evidence certainly lies.
    pub(super) fn settle(&self, label: &str, span: Span) -> Span {
        let found = self.stretches.iter().find(|(of, _)| of == label);
        let stretches = found.map_or(&[][..], |(_, stretches)| stretches.as_slice());
        let sum = |is: &dyn Fn(&Stretch) -> bool| {
            stretches.iter().filter(|stretch| is(stretch)).map(|stretch| stretch.back).sum::<i128>()
        };
        if self.stretches.len() > 1 {
            let unsure = sum(&|stretch| stretch.holds(&span));
            return Span { start: span.start - unsure, end: span.end + unsure };
        }
        Span {
            start: span.start + sum(&|stretch| stretch.to < span.start),
            end: span.end + sum(&|stretch| stretch.from < span.end),
        }
    }

    /// Checks whether a time is in a stretch that its clock went through twice.
    pub(super) fn is_unsure(&self, label: &str, span: &Span) -> bool {
        let of_label = self.stretches.iter().filter(|(of, _)| of == label);
        of_label.flat_map(|(_, all)| all).any(|stretch| stretch.holds(span))
    }
}

fn unlisted(label: &str) -> Rejection {
    plain(
        RejectionCode::NotDerived,
        format!("no complete listing says whether the clock of {label} was set back"),
        "Call timeline_anomalies with record = clock_step for the same evidence first: where a clock was set back, times do not tell the order.",
    )
}

/// Returns the stretches in order, merged so that none touch: several logs report the same step, and a clock may be set back twice.
fn stretches<'s>(steps: impl Iterator<Item = &'s ClockStep>) -> Vec<Stretch> {
    let mut steps: Vec<&ClockStep> = steps.collect();
    let begins = |step: &ClockStep| {
        let after = step.after.unix_nanoseconds();
        after - (step.before.unix_nanoseconds() - after)
    };
    steps.sort_unstable_by_key(|step| (begins(step), step.before, step.log.as_str()));
    // Two listings may report the same step.
    steps.dedup();
    let mut groups: Vec<(i128, i128, BTreeMap<&str, i128>)> = Vec::new();
    for step in steps {
        let (after, before) = (step.after.unix_nanoseconds(), step.before.unix_nanoseconds());
        let length = before - after;
        let (from, to) = (after - length, before + length);
        if groups.last().is_none_or(|last| last.1 < from) {
            groups.push((from, to, BTreeMap::new()));
        }
        if let Some((_, end, by_log)) = groups.last_mut() {
            *end = to.max(*end);
            *by_log.entry(step.log.as_str()).or_default() += 3 * length;
        }
    }
    let told = |(from, to, by_log): (i128, i128, BTreeMap<&str, i128>)| {
        let back = by_log.into_values().max().unwrap_or(0).max(to - from);
        Stretch { from, to, back }
    };
    groups.into_iter().map(told).collect()
}
