//! Use case: replay a run's tasks from its log.
//!
//! The same [`Task::step`] goes over the stored log: model replies and tool returns come from the recording, every verdict is computed again.
//! The events that come of it must be the stored ones.
//! No key, no network and no evidence is needed; the clock is never asked.

use crate::judge::Bench;
use crate::names::told;
use crate::open::OpenRunError;
use crate::stored::{self, Stored, StoredTask};
use engine::{Command, Input, Judgement, Setting, Task};
use ledger::{Event, TaskId, canonical};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Reader;
use thiserror::Error;

/// How many events before a divergence are shown with it.
const CONTEXT: usize = 5;

/// Why a run cannot be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Its log cannot be read.
    #[error(transparent)]
    Run(OpenRunError),
    /// Its first event does not open a run.
    #[error("read the run {}: its first event does not open a run", folder.display())]
    NotOpened {
        /// The run folder.
        folder: PathBuf,
    },
    /// The run has no such task.
    #[error("replay {wanted}: the run has {}", known.join(", "))]
    NoTask {
        /// What was asked for.
        wanted: String,
        /// Its tasks with their agents.
        known: Vec<String>,
    },
}

/// What to replay; everything where nothing is named.
#[derive(Debug, Clone, Default)]
pub struct ReplayRequest {
    /// The only agent.
    pub agent: Option<String>,
    /// The only task.
    pub task: Option<TaskId>,
}

/// What became of one task.
#[derive(Debug, Clone, Serialize)]
pub struct Replayed {
    /// The task.
    pub task: String,
    /// Its agent.
    pub agent: String,
    /// Events that came out the same.
    pub same: u64,
    /// Events of the task in the log.
    pub stored: u64,
    /// Whether the log holds the task's end.
    pub ended: bool,
    /// The first thing that did not come out the same.
    pub divergence: Option<Divergence>,
}

/// The first event that did not come out the same.
#[derive(Debug, Clone, Serialize)]
pub struct Divergence {
    /// Its number in the task, from 0.
    pub event: u64,
    /// What stands in the log; `None` where the log of the task has ended.
    pub stored: Option<String>,
    /// What came out; `None` where nothing came.
    pub replayed: Option<String>,
    /// Why nothing came out, where that is known.
    pub because: Option<String>,
    /// The stored events before it.
    pub before: Vec<String>,
}

/// Replays the tasks of the run in `folder`.
///
/// # Errors
///
/// Where the log cannot be read, or has no such task. A divergence is a result.
pub fn replay(folder: &Path, request: &ReplayRequest) -> Result<Vec<Replayed>, ReplayError> {
    let (log, reader) = Stored::open(folder).map_err(ReplayError::Run)?;
    let Some(opened) = &log.opened else {
        return Err(ReplayError::NotOpened { folder: folder.to_owned() });
    };
    let setting = log.setting(opened);
    let bench = Bench::new(opened);
    let wanted = |task: &&StoredTask| {
        request.task.is_none_or(|id| task.assigned.task == id)
            && request.agent.as_ref().is_none_or(|agent| task.assigned.agent.name == *agent)
    };
    let tasks: Vec<&StoredTask> = log.tasks.iter().filter(wanted).collect();
    if tasks.is_empty() && (request.task.is_some() || request.agent.is_some()) {
        return Err(no_task(request, &log));
    }
    Ok(tasks.into_iter().map(|task| Player::of(task, &reader, &bench).play(&setting)).collect())
}

/// The refusal of a task that the run does not have.
pub(crate) fn no_task(request: &ReplayRequest, log: &Stored) -> ReplayError {
    let wanted = [request.task.map(|task| task.to_string()), request.agent.clone()];
    ReplayError::NoTask {
        wanted: wanted.into_iter().flatten().collect::<Vec<_>>().join(" of "),
        known: log
            .tasks
            .iter()
            .map(|it| format!("{} ({})", it.assigned.task, it.assigned.agent.name))
            .collect(),
    }
}

/// Plays one task: a cursor over its stored events.
struct Player<'l> {
    logged: &'l StoredTask,
    reader: &'l Reader,
    bench: &'l Bench,
    /// Stored events that came out the same.
    same: usize,
}

/// Why a task is not played on.
enum Stop {
    /// Its log has no more.
    LogEnds,
    Diverged(Divergence),
}

impl<'l> Player<'l> {
    fn of(logged: &'l StoredTask, reader: &'l Reader, bench: &'l Bench) -> Player<'l> {
        Player { logged, reader, bench, same: 0 }
    }

    fn play(mut self, setting: &Arc<Setting>) -> Replayed {
        let mut task = Task::new(self.logged.assigned.clone(), Arc::clone(setting));
        let divergence = match self.play_on(&mut task) {
            Stop::LogEnds => None,
            Stop::Diverged(divergence) => Some(divergence),
        };
        let ended = self.logged.has_end();
        Replayed {
            task: self.logged.assigned.task.to_string(),
            agent: self.logged.assigned.agent.name.clone(),
            same: self.same as u64,
            stored: self.logged.events.len() as u64,
            ended,
            divergence,
        }
    }

    fn play_on(&mut self, task: &mut Task) -> Stop {
        let mut input = Input::Begin;
        loop {
            let step = match task.step(input) {
                Ok(step) => step,
                Err(error) => return self.refused(&error),
            };
            for append in &step.append {
                match self.logged.events.get(self.same) {
                    // What an interrupted run had no time to record.
                    None if !self.logged.has_end() => return Stop::LogEnds,
                    Some(stored) if *stored == append.event => self.same += 1,
                    stored => return self.diverged(stored, Some(&append.event), None),
                }
            }
            input = match self.answer(task, step.command) {
                Ok(input) => input,
                Err(stop) => return stop,
            };
        }
    }

    /// What the recording answers to a command.
    fn answer(&self, task: &Task, command: Command) -> Result<Input, Stop> {
        let next = self.logged.events.get(self.same);
        match command {
            Command::Judge(Judgement::Reading { fact, reading, .. }) => {
                Ok(Input::Judged(Box::new(self.bench.judge(&reading, fact, task.shelf()))))
            }
            Command::Judge(Judgement::Absence { id, absence, .. }) => {
                Ok(Input::AbsenceJudged(Box::new(self.bench.judge_absence(&absence, id, task.shelf()))))
            }
            Command::End => Err(match next {
                None => Stop::LogEnds,
                stored => self.diverged(stored, None, None),
            }),
            Command::AskModel(_) => match next {
                Some(Event::TurnReplied(replied)) => stored::reply(self.reader, &replied.reply)
                    .map(Input::Replied)
                    .map_err(|error| self.refused(&error)),
                Some(Event::TurnFailed(failed)) => Ok(Input::ModelFailed(failed.reason.clone())),
                Some(Event::TimeSpent) => Ok(Input::TimeSpent),
                None if !self.logged.has_end() => Err(Stop::LogEnds),
                stored => Err(self.diverged(stored, None, Some("the model is asked"))),
            },
            Command::CallTool(invoke) => match next {
                Some(Event::InvocationEnded(ended)) if ended.invocation == invoke.invocation => {
                    stored::returned(self.reader, ended)
                        .map(Input::Returned)
                        .map_err(|error| self.refused(&error))
                }
                None if !self.logged.has_end() => Err(Stop::LogEnds),
                stored => Err(self.diverged(stored, None, Some(&format!("{} is called", invoke.invocation)))),
            },
        }
    }

    fn refused(&self, error: &dyn std::error::Error) -> Stop {
        self.diverged(self.logged.events.get(self.same), None, Some(&told(error)))
    }

    fn diverged(&self, stored: Option<&Event>, replayed: Option<&Event>, because: Option<&str>) -> Stop {
        let before = self.logged.events.get(..self.same).unwrap_or_default();
        let before = before.get(before.len().saturating_sub(CONTEXT)..).unwrap_or_default();
        Stop::Diverged(Divergence {
            event: self.same as u64,
            stored: stored.map(written),
            replayed: replayed.map(written),
            because: because.map(str::to_owned),
            before: before.iter().map(written).collect(),
        })
    }
}

/// An event in its canonical projection.
fn written(event: &Event) -> String {
    canonical::to_string(event).unwrap_or_else(|error| error.to_string())
}
