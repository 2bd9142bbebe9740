//! The calls in the log of a run.

use crate::replay::{ReplayError, ReplayRequest, chosen};
use crate::stored::Stored;
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{Event, InvocationId, TaskId};
use serde_json::Value;
use std::collections::BTreeMap;

/// One call, to be made once, with every invocation that made it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) recorded: Vec<Recorded>,
}

/// One invocation, and how it ended.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    pub(super) task: TaskId,
    pub(super) agent: String,
    pub(super) ended: InvocationEnded,
}

/// Returns the calls of the requested tasks, and the number of invocations without an end in the log.
pub(super) fn calls(log: &Stored, only: &ReplayRequest) -> Result<(Vec<Call>, u64), ReplayError> {
    let tasks = chosen(log, only)?;
    let mut calls: Vec<Call> = Vec::new();
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut endless = 0;
    for task in tasks {
        let mut open: BTreeMap<InvocationId, &InvocationStarted> = BTreeMap::new();
        for event in &task.events {
            match event {
                Event::InvocationStarted(started) => drop(open.insert(started.invocation, started)),
                Event::InvocationEnded(ended) => {
                    let Some(started) = open.remove(&ended.invocation) else { continue };
                    let key = (started.tool.clone(), started.arguments.to_string());
                    let place = *known.entry(key).or_insert_with(|| {
                        let (tool, arguments) = (started.tool.clone(), started.arguments.clone());
                        calls.push(Call { tool, arguments, recorded: Vec::new() });
                        calls.len() - 1
                    });
                    if let Some(call) = calls.get_mut(place) {
                        let agent = task.assigned.agent.name.clone();
                        let (task, ended) = (task.assigned.task, ended.clone());
                        call.recorded.push(Recorded { task, agent, ended });
                    }
                }
                _ => {}
            }
        }
        endless += open.len() as u64;
    }
    Ok((calls, endless))
}
