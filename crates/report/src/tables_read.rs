//! A summary of the case tables that the calls of a run read.

use graph::Run;
use std::collections::BTreeMap;

/// Returns, for each piece of evidence, how many non-empty tables were read and how many rows they have.
pub(crate) fn tables_read(run: &Run) -> Vec<(&str, usize, u64)> {
    let mut read: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for group in run.tables.iter().filter(|group| !group.tables.is_empty()) {
        let (tables, rows) = read.entry(&group.evidence).or_default();
        *tables += group.tables.len();
        *rows = rows.saturating_add(group.rows());
    }
    read.into_iter().map(|(label, (tables, rows))| (label, tables, rows)).collect()
}
