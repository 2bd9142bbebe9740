//! Computes again, from the lengths of the lines, which records of an output an agent was shown.

use ledger::event::RecordRange;
use ledger::{Output, RecordId, ViewRules};

/// Returns the records that the answer to a call shows: all if they fit, otherwise those that fit from the start and from the end.
pub(super) fn at_first(output: &Output, rules: &ViewRules) -> Vec<RecordRange> {
    let lines = lengths(output);
    let both = rules.head_bytes.saturating_add(rules.tail_bytes);
    if sum(&lines) <= both {
        return range(0, lines.len()).into_iter().collect();
    }
    let mut head = longest(lines.iter(), rules.head_bytes);
    head = head.max(1).min(lines.len());
    let rest = lines.get(head..).unwrap_or_default();
    let tail = longest(rest.iter().rev(), rules.tail_bytes);
    [range(0, head), range(lines.len() - tail, lines.len())].into_iter().flatten().collect()
}

/// Returns the records of a page that begins at `first`; `None` if there are none.
pub(super) fn on_page(output: &Output, first: RecordId, rules: &ViewRules) -> Option<RecordRange> {
    let lines = lengths(output);
    let first = usize::try_from(first.0).ok()?;
    let rest = lines.get(first..)?;
    let number = longest(rest.iter(), rules.head_bytes.saturating_add(rules.tail_bytes)).max(1);
    range(first, (first + number).min(lines.len()))
}

fn lengths(output: &Output) -> Vec<u64> {
    let length = |record: &ledger::Record| output.line_length(record.id).unwrap_or(0) as u64;
    output.records().iter().map(length).collect()
}

fn sum(lines: &[u64]) -> u64 {
    lines.iter().fold(0, |sum, line| sum.saturating_add(*line))
}

/// Returns how many lines from the first on fit into `most` bytes.
fn longest<'l>(lines: impl Iterator<Item = &'l u64>, most: u64) -> usize {
    let mut left = Some(most);
    let mut number = 0;
    for line in lines {
        left = left.and_then(|left| left.checked_sub(*line));
        match left {
            Some(_) => number += 1,
            None => break,
        }
    }
    number
}

fn range(first: usize, end: usize) -> Option<RecordRange> {
    let id = |number: usize| u32::try_from(number).ok().map(RecordId);
    (first < end).then_some(RecordRange { first: id(first)?, end: id(end)? })
}
