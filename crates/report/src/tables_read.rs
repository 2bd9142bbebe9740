//! The case tables that calls of a run have read, in short.

use graph::Run;
use std::collections::BTreeMap;

/// Of each piece of evidence how many tables with rows were read, and how many rows these have.
pub(crate) fn tables_read(run: &Run) -> Vec<(&str, usize, u64)> {
    let mut read: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for group in run.tables.iter().filter(|group| !group.tables.is_empty()) {
        let (tables, rows) = read.entry(&group.evidence).or_default();
        *tables += group.tables.len();
        *rows = rows.saturating_add(group.rows());
    }
    read.into_iter().map(|(label, (tables, rows))| (label, tables, rows)).collect()
}
