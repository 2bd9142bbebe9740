//! Describes problems with rules and indicators that others wrote.

use std::collections::BTreeMap;
use tools::{Broken, Check, Matched};

/// One line that says what is wrong with a rule.
pub(super) fn wrong(broken: &Broken) -> String {
    let line = broken.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", broken.file, broken.reason)
}

/// The log sources whose rules no record can match, one line each.
pub(super) fn unmatched(check: &Check) -> Vec<String> {
    let line = |(source, rules): (&String, &Vec<usize>)| {
        format!("cannot match here: log source {source} ({})", rules_in_words(rules.len()))
    };
    check.no_records.iter().map(line).collect()
}

/// The fields that rules use and no record has, one line each.
pub(super) fn fieldless(check: &Check) -> Vec<String> {
    let line = |(field, rules): (&String, &Vec<usize>)| {
        format!("no record has this field: {field} ({})", rules_in_words(rules.len()))
    };
    check.no_field.iter().map(line).collect()
}

pub(super) fn rules_in_words(number: usize) -> String {
    format!("{number} {}", if number == 1 { "rule" } else { "rules" })
}

/// The files of indicators, or parts of them, that cannot be used, one line each.
pub(super) fn unusable(matched: &Matched) -> Vec<String> {
    let at = |line: Option<u64>| line.map(|line| format!(":{line}")).unwrap_or_default();
    let unreadable = matched.unreadable.iter();
    let unreadable =
        unreadable.map(|it| format!("cannot be read: {}{}: {}", it.file, at(it.line), it.reason));
    let skipped = matched.skipped.iter();
    let skipped =
        skipped.map(|it| format!("left out: {}{}: {} ({} times)", it.file, at(it.line), it.what, it.times));
    unreadable.chain(skipped).collect()
}

/// How many records match each rule, by the rule's name in hits.
pub(super) fn counts(check: &Check, counts: &[u64]) -> BTreeMap<String, u64> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for (rule, count) in check.rules.iter().zip(counts).filter(|(_, count)| **count > 0) {
        *all.entry(app::named(rule).to_owned()).or_default() += count;
    }
    all
}
