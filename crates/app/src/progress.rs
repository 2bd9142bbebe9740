//! What the observer of a run is told while it runs.

use engine::{Append, SoFar, Task};
use ledger::event::TaskEnded;
use ledger::{Event, InvocationId, TaskId};
use std::path::PathBuf;

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub enum Progress {
    /// A note about a run that continues anyway.
    Note(String),
    /// The run's folder exists, and its first events are recorded.
    Opened {
        /// The folder.
        folder: PathBuf,
    },
    /// An agent starts a task, or resumes it where its log leaves off.
    Assigned {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// Its number in the plan of the assigning task; `None` for a task that the run began with.
        sequence: Option<u32>,
        /// The task that assigned it and waits for it.
        by: Option<TaskId>,
        /// How many of its objectives want an answer.
        objectives: u32,
        /// How many of those have one already.
        met: u32,
    },
    /// A task that was begun before continues where its log leaves off.
    GoesOn {
        /// The task.
        task: TaskId,
        /// Its results so far.
        so_far: SoFar,
    },
    /// An agent's turn began.
    Turn {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The number of the turn.
        turn: u32,
    },
    /// An agent's tool call started.
    Tool {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The invocation.
        invocation: InvocationId,
        /// The tool.
        tool: String,
        /// The objective that the call serves, if its output could answer an open one.
        objective: Option<String>,
    },
    /// Facts of an agent were recorded.
    Recorded {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The number of facts in one step.
        facts: u32,
    },
    /// An objective has its first fact.
    Answered {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The objective.
        objective: String,
        /// How many objectives that want an answer have one now.
        met: u32,
    },
    /// A claim or a call was refused.
    Refused {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The code of the rejection or of the refusal.
        code: &'static str,
        /// The objective that it missed, if it can be determined.
        objective: Option<String>,
    },
    /// A task tries another strategy.
    Recovering {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The number of the recovery in the task.
        attempt: u32,
        /// The strategy.
        strategy: String,
        /// The objective that the recovery serves.
        objective: String,
    },
    /// An assigned task has ended, and was reported to the task that assigned it.
    Reported {
        /// The task that has ended.
        task: TaskId,
        /// Whether all its objectives are answered.
        accepted: bool,
    },
    /// The lessons of a task are stored durably in the memory across runs.
    Learned {
        /// The shortened digest by which the memory identifies the run.
        run: String,
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// How many lessons were written; 0 if the task's lessons were already there.
        lessons: usize,
    },
    /// A task ended.
    Ended {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// How it ended.
        ended: TaskEnded,
    },
}

/// Returns the progress for a task that starts or resumes.
pub(crate) fn assigned(task: &Task) -> Progress {
    let dispatch = task.assigned().dispatch.as_deref();
    let (met, objectives) = task.met();
    Progress::Assigned {
        task: task.id(),
        agent: task.assigned().agent.name.clone(),
        sequence: dispatch.map(|dispatch| dispatch.sequence),
        by: dispatch.map(|dispatch| dispatch.by),
        objectives,
        met,
    }
}

/// Returns the progress for the events of a step that the task has already taken.
///
/// Turns and tool calls are not among them: their callers report those,
/// because after an interruption they are repeated without a new event.
pub(crate) fn of(task: &Task, append: &[Append]) -> Vec<Progress> {
    let mut told: Vec<Progress> = append.iter().filter_map(|append| of_event(task, &append.event)).collect();
    let accepted = append.iter().filter_map(|append| match &append.event {
        Event::ClaimAccepted(accepted) => Some(accepted.fact.id),
        _ => None,
    });
    let accepted: Vec<_> = accepted.collect();
    if accepted.is_empty() {
        return told;
    }
    let (id, agent, (met, _)) = (task.id(), || task.assigned().agent.name.clone(), task.met());
    let facts = u32::try_from(accepted.len()).unwrap_or(u32::MAX);
    told.insert(0, Progress::Recorded { task: id, agent: agent(), facts });
    let answered = accepted.into_iter().flat_map(|fact| task.answered_first_by(fact));
    let answered =
        answered.map(|it| Progress::Answered { task: id, agent: agent(), objective: it.to_owned(), met });
    // The end of the task comes last.
    told.splice(1..1, answered);
    told
}

fn of_event(of: &Task, event: &Event) -> Option<Progress> {
    let (task, agent) = (of.id(), || of.assigned().agent.name.clone());
    match event {
        Event::ClaimRejected(rejected) => Some(Progress::Refused {
            task,
            agent: agent(),
            code: rejected.rejection.code.name(),
            objective: of.missed().map(str::to_owned),
        }),
        Event::CallRefused(refused) => Some(Progress::Refused {
            task,
            agent: agent(),
            code: refused.refusal.name(),
            objective: of.towards(&refused.tool).map(str::to_owned),
        }),
        Event::RecoveryBegun(begun) => Some(Progress::Recovering {
            task,
            agent: agent(),
            attempt: begun.attempt,
            strategy: begun.strategy.clone(),
            objective: begun.objective.clone(),
        }),
        Event::TaskReported(reported) => {
            Some(Progress::Reported { task: reported.task, accepted: reported.accepted })
        }
        Event::TaskEnded(ended) => Some(Progress::Ended { task, agent: agent(), ended: ended.clone() }),
        _ => None,
    }
}
