//! Compares what was flagged with what should have been.

use super::label::Labels;
use std::collections::{BTreeMap, BTreeSet};

/// The result of a campaign.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Judged {
    /// The number of labelled events.
    pub(super) labelled: usize,
    /// The number of labelled events that are flagged.
    pub(super) found: usize,
    /// The number of flagged events.
    pub(super) flagged: usize,
    /// The number of flagged events that were generated as ordinary activity.
    pub(super) ordinary: usize,
    /// The number of recordings with a flagged labelled event, and of those with any labelled event.
    pub(super) recordings: (usize, usize),
    /// The same by tactic of the labels.
    pub(super) tactics: BTreeMap<String, (usize, usize)>,
    /// Labelled events that are not flagged, by rule, most frequent first.
    pub(super) missed: Vec<(String, usize)>,
    /// Flagged events that are not labelled, by rule, most frequent first.
    pub(super) extra: Vec<(String, usize)>,
    pub(super) seconds: f64,
}

/// Compares labels with what was flagged, by file and offset.
pub(super) fn judge(
    labels: &BTreeMap<String, Labels>,
    flagged: &BTreeMap<(String, u64), String>,
    seconds: f64,
) -> Judged {
    let mut judged = Judged { seconds, flagged: flagged.len(), ..Judged::default() };
    let mut missed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut hit: BTreeSet<&str> = BTreeSet::new();
    for (file, of) in labels {
        judged.recordings.1 += usize::from(!of.events.is_empty());
        for (offset, label) in &of.events {
            judged.labelled += 1;
            let is_flagged = flagged.contains_key(&(file.clone(), *offset));
            judged.found += usize::from(is_flagged);
            if is_flagged {
                hit.insert(file);
            } else {
                *missed.entry(&label.title).or_default() += 1;
            }
            for tactic in &label.tactics {
                let (found, labelled) = judged.tactics.entry(tactic.clone()).or_default();
                *found += usize::from(is_flagged);
                *labelled += 1;
            }
        }
    }
    judged.recordings.0 = hit.len();
    let mut extra: BTreeMap<&str, usize> = BTreeMap::new();
    for ((file, offset), rule) in flagged {
        judged.ordinary += usize::from(file.contains(super::ordinary::PREFIX));
        if !labels.get(file).is_some_and(|of| of.events.contains_key(offset)) {
            *extra.entry(rule).or_default() += 1;
        }
    }
    (judged.missed, judged.extra) = (most(missed), most(extra));
    judged
}

fn most(counted: BTreeMap<&str, usize>) -> Vec<(String, usize)> {
    let mut all: Vec<_> = counted.into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
    all.sort_by_key(|(name, number)| (std::cmp::Reverse(*number), name.clone()));
    all
}

#[cfg(test)]
mod tests {
    use super::super::label::Label;
    use super::*;

    #[test]
    fn labelled_events_that_are_flagged_count_and_others_are_told_by_their_rules() {
        let label = |title: &str, tactic: &str| Label {
            title: title.to_owned(),
            tactics: BTreeSet::from([tactic.to_owned()]),
        };
        let events = BTreeMap::from([(0, label("a", "execution")), (9, label("b", "discovery"))]);
        let labels = BTreeMap::from([("x.json".to_owned(), Labels { read: 3, events })]);
        let flagged = BTreeMap::from([
            (("x.json".to_owned(), 0), "one".to_owned()),
            ((format!("{}1.jsonl", super::super::ordinary::PREFIX), 5), "two".to_owned()),
        ]);
        let judged = judge(&labels, &flagged, 1.0);
        assert_eq!((judged.labelled, judged.found, judged.flagged, judged.ordinary), (2, 1, 2, 1));
        assert_eq!(judged.recordings, (1, 1));
        assert_eq!(judged.tactics["execution"], (1, 1));
        assert_eq!(judged.tactics["discovery"], (0, 1));
        assert_eq!((judged.missed, judged.extra), (vec![("b".to_owned(), 1)], vec![("two".to_owned(), 1)]));
    }
}
