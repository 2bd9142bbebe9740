//! Sums of runs, grouped by what they have in common.

use super::{AuditedRun, Counts};
use std::collections::BTreeMap;

/// The property to group by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// Agents.
    Agent,
    /// What decided the agents' steps.
    Model,
    /// Tools.
    Tool,
    /// Codes of refusals.
    Code,
}

/// The sum of some runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The number of runs in which something was counted.
    pub runs: u64,
    /// The counts.
    pub counts: Counts,
}

impl Group {
    fn add(&mut self, counts: &Counts) {
        self.runs += 1;
        self.counts.add(counts);
    }
}

/// Sums the runs, grouped by name.
pub fn grouped<'a>(runs: impl IntoIterator<Item = &'a AuditedRun>, by: By) -> BTreeMap<String, Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for run in runs {
        for (name, counts) in of_run(run, by) {
            groups.entry(name.to_owned()).or_default().add(&counts);
        }
    }
    groups
}

/// Sums one run, grouped by name.
pub(crate) fn of_run(run: &AuditedRun, by: By) -> BTreeMap<&str, Counts> {
    let mut counted: BTreeMap<&str, Counts> = BTreeMap::new();
    for task in &run.tasks {
        let named: Vec<(&str, &Counts)> = match by {
            By::Agent => vec![(task.agent.as_str(), &task.counts)],
            By::Model => vec![(task.model.as_str(), &task.counts)],
            By::Tool => task.tools.iter().map(|(name, counts)| (name.as_str(), counts)).collect(),
            By::Code => task.codes.iter().map(|(name, counts)| (name.as_str(), counts)).collect(),
        };
        for (name, counts) in named {
            counted.entry(name).or_default().add(counts);
        }
    }
    counted
}

/// Sums the runs.
pub fn total<'a>(runs: impl IntoIterator<Item = &'a AuditedRun>) -> Group {
    let mut all = Group::default();
    runs.into_iter().for_each(|run| all.add(&run.counts()));
    all
}
