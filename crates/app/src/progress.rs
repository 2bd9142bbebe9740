//! What an observer of a run is told as it happens.

use engine::{Append, SoFar, Task};
use ledger::event::TaskEnded;
use ledger::{Event, InvocationId, TaskId};
use std::path::PathBuf;

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub enum Progress {
    /// Something to know of a run that goes on all the same.
    Note(String),
    /// The run's folder is there, and its first events are recorded.
    Opened {
        /// The folder.
        folder: PathBuf,
    },
    /// An agent takes up a task, from its beginning or from where its log leaves it.
    Assigned {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// Its place in the plan of who handed it out; `None` for a task that the run began with.
        sequence: Option<u32>,
        /// The task that handed it out, and waits for it.
        by: Option<TaskId>,
        /// How many of its objectives want an answer.
        objectives: u32,
        /// How many of those have one already.
        met: u32,
    },
    /// A task that was begun before goes on where its log leaves it.
    GoesOn {
        /// The task.
        task: TaskId,
        /// What it has come to.
        so_far: SoFar,
    },
    /// An agent's turn began.
    Turn {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The turn.
        turn: u32,
    },
    /// An agent's tool runs.
    Tool {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The invocation.
        invocation: InvocationId,
        /// The tool.
        tool: String,
        /// The objective that the call works towards, where what the tool returns could answer one that is open.
        objective: Option<String>,
    },
    /// An agent's facts were recorded.
    Recorded {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// How many, of one step.
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
        /// Why, in a word: that of a rejection or of a refused call.
        code: &'static str,
        /// The objective that it missed, where one can be told.
        objective: Option<String>,
    },
    /// A task tries another way.
    Recovering {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// The number of the recovery in the task.
        attempt: u32,
        /// The strategy.
        strategy: String,
        /// The objective that it is for.
        objective: String,
    },
    /// A task that was handed out has ended, and whoever handed it out was told.
    Reported {
        /// The task that has ended.
        task: TaskId,
        /// Whether every objective of it is answered.
        accepted: bool,
    },
    /// What a task showed stands in the memory across runs, durably.
    Learned {
        /// The run, by the digest that the memory knows it by, shortened.
        run: String,
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// How many lessons were written; 0 where those of the task were before.
        lessons: usize,
    },
    /// A task ended.
    Ended {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: String,
        /// How.
        ended: TaskEnded,
    },
}

/// That the task is taken up.
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

/// What the events of a step tell an observer; the task has taken the step.
///
/// A turn and a call are told by whoever has them done: after an interruption they are done again without an event.
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
    // The end of the task is told last.
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
