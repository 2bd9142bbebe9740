//! The cost of runs.

use crate::run::{Judged, Run, TaskView};
use serde::Serialize;
use std::collections::BTreeMap;

/// The cost of a run, or of one agent in it.
///
/// Times come from the circumstances in the log and differ in every run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Turns that models were asked for.
    pub turns: u64,
    /// Calls that were answered by running the tool, or by another task's run of it.
    pub invocations: u64,
    /// Calls answered from the task's own log.
    pub served: u64,
    /// Calls refused without running.
    pub refused_calls: u64,
    /// Claims made.
    pub claims: u64,
    /// Claims that were refused.
    pub refused_claims: u64,
    /// Bytes that tools returned.
    pub output_bytes: u64,
    /// Wall time of tools in microseconds; the times of several agents overlap.
    pub tool_wall_microseconds: u64,
    /// CPU time of tools in microseconds.
    pub tool_cpu_microseconds: u64,
}

impl Effort {
    fn of(view: &TaskView) -> Effort {
        let mut effort = Effort {
            turns: view.turns.into(),
            invocations: view.invocations.len() as u64,
            served: view.served.into(),
            refused_calls: view.refusals.len() as u64,
            claims: view.claims.len() as u64,
            ..Effort::default()
        };
        let refused = view.claims.iter().filter(|it| matches!(it.judged, Some(Judged::Rejected(_))));
        effort.refused_claims = refused.count() as u64;
        for invocation in &view.invocations {
            let bytes = invocation.ended.as_ref().map_or(0, |ended| ended.bytes);
            let cost = invocation.cost.unwrap_or_default();
            effort.output_bytes = effort.output_bytes.saturating_add(bytes);
            effort.tool_wall_microseconds =
                effort.tool_wall_microseconds.saturating_add(cost.wall_microseconds);
            effort.tool_cpu_microseconds = effort.tool_cpu_microseconds.saturating_add(cost.cpu_microseconds);
        }
        effort
    }

    fn add(&mut self, other: Effort) {
        self.turns += other.turns;
        self.invocations += other.invocations;
        self.served += other.served;
        self.refused_calls += other.refused_calls;
        self.claims += other.claims;
        self.refused_claims += other.refused_claims;
        self.output_bytes = self.output_bytes.saturating_add(other.output_bytes);
        self.tool_wall_microseconds =
            self.tool_wall_microseconds.saturating_add(other.tool_wall_microseconds);
        self.tool_cpu_microseconds = self.tool_cpu_microseconds.saturating_add(other.tool_cpu_microseconds);
    }
}

pub(super) fn of_run(run: &Run) -> Effort {
    let mut all = Effort::default();
    run.tasks.values().for_each(|view| all.add(Effort::of(view)));
    all
}

/// Returns the cost of each agent before and after; zero if it had no task.
pub(super) fn by_agent<'r>(before: &'r Run, after: &'r Run) -> BTreeMap<&'r str, [Effort; 2]> {
    let mut agents: BTreeMap<&str, [Effort; 2]> = BTreeMap::new();
    for view in before.tasks.values() {
        let [old, _] = agents.entry(&view.assigned.agent.name).or_default();
        old.add(Effort::of(view));
    }
    for view in after.tasks.values() {
        let [_, new] = agents.entry(&view.assigned.agent.name).or_default();
        new.add(Effort::of(view));
    }
    agents
}
