//! Use case: replay a run's tasks from its log.
//!
//! The same [`Task::step`] goes over the stored log: model replies and tool returns come from the recording, every verdict is computed again.
//! The events that come of it must be the stored ones.
//! No key, no network and no evidence is needed; the clock is never asked.

use crate::finder::Finder;
use crate::judge::Bench;
use crate::names::told;
use crate::open::OpenRunError;
use crate::siblings::Siblings;
use crate::stored::{self, AnswerError, Recording, Stored, StoredTask};
use engine::{Command, Input, Setting, Step, Task};
use ledger::event::TaskEnded;
use ledger::turn::TurnRequest;
use ledger::{Event, TaskId, canonical};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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

impl ReplayRequest {
    /// Whether the task is asked for.
    pub(crate) fn wants(&self, task: &StoredTask) -> bool {
        self.task.is_none_or(|id| task.assigned.task == id)
            && self.agent.as_ref().is_none_or(|agent| task.assigned.agent.name == *agent)
    }
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
    /// Whether the run was made when behaviours had no numbers yet: then it is not promised to come out the same.
    pub unnumbered: bool,
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
    let (log, recording) = Stored::open_whole(folder).map_err(ReplayError::Run)?;
    let Some(opened) = &log.opened else {
        return Err(ReplayError::NotOpened { folder: folder.to_owned() });
    };
    let setting = log.setting(opened);
    let bench = Bench::new(opened);
    let unnumbered = opened.behaviour.is_empty();
    let siblings = Siblings::of(&log.tasks, &recording);
    let replayed = |task| Replayed { unnumbered, ..replayed(task, &recording, &siblings, &setting, &bench) };
    Ok(chosen(&log, request)?.into_iter().map(replayed).collect())
}

/// The tasks that are asked for.
pub(crate) fn chosen<'l>(
    log: &'l Stored,
    request: &ReplayRequest,
) -> Result<Vec<&'l StoredTask>, ReplayError> {
    let tasks: Vec<&StoredTask> = log.tasks.iter().filter(|task| request.wants(task)).collect();
    if tasks.is_empty() && (request.task.is_some() || request.agent.is_some()) {
        return Err(no_task(request, log));
    }
    Ok(tasks)
}

fn no_task(request: &ReplayRequest, log: &Stored) -> ReplayError {
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

fn replayed(
    logged: &StoredTask,
    recording: &dyn Recording,
    siblings: &Siblings,
    setting: &Arc<Setting>,
    bench: &Bench,
) -> Replayed {
    let (_, same, played) = play(logged, recording, siblings, setting, bench, |_, _| ());
    Replayed {
        task: logged.assigned.task.to_string(),
        agent: logged.assigned.agent.name.clone(),
        same,
        stored: logged.events.len() as u64,
        ended: logged.has_end(),
        divergence: match played {
            Played::Diverged(divergence) => Some(*divergence),
            Played::LogEnds(_) | Played::Ended(_) => None,
        },
        unnumbered: false,
    }
}

/// Where its log leaves a task.
pub(crate) enum Played {
    /// The log ends before the task does: what it would record next, and do then.
    LogEnds(Box<Step>),
    /// The task has ended.
    Ended(TaskEnded),
    /// Something came out otherwise.
    Diverged(Box<Divergence>),
}

/// Takes a task's steps again, as far as its log goes; `asked` hears each request and the event that says what came of it.
///
/// Gives the task, how many events came out the same, and where the log leaves it.
pub(crate) fn play(
    logged: &StoredTask,
    recording: &dyn Recording,
    siblings: &Siblings,
    setting: &Arc<Setting>,
    bench: &Bench,
    asked: impl FnMut(&TurnRequest, &Event),
) -> (Task, u64, Played) {
    let task = Task::new(logged.assigned.clone(), Arc::clone(setting));
    let mut task = task.with_handed(siblings.before(&logged.assigned));
    let mut player = Player { logged, recording, siblings, bench, finder: Finder::default(), asked, same: 0 };
    let played = player.play(&mut task);
    (task, player.same as u64, played)
}

/// Plays one task: a cursor over its stored events.
struct Player<'l, A> {
    logged: &'l StoredTask,
    recording: &'l dyn Recording,
    siblings: &'l Siblings,
    bench: &'l Bench,
    finder: Finder,
    asked: A,
    /// Stored events that came out the same.
    same: usize,
}

/// Why a task is not played on.
enum Stop {
    /// Its log has no more.
    LogEnds,
    Ended(TaskEnded),
    Diverged(Box<Divergence>),
}

impl<A: FnMut(&TurnRequest, &Event)> Player<'_, A> {
    fn play(&mut self, task: &mut Task) -> Played {
        let mut input = Input::Begin;
        loop {
            let step = match task.step(input) {
                Ok(step) => step,
                Err(error) => return Played::Diverged(self.refused(&error)),
            };
            let command = match self.compare(step) {
                Ok(command) => command,
                Err(played) => return played,
            };
            input = match self.answer(task, &command) {
                Ok(input) => input,
                Err(Stop::LogEnds) => return Played::LogEnds(Box::new(Step { append: Vec::new(), command })),
                Err(Stop::Ended(ended)) => return Played::Ended(ended),
                Err(Stop::Diverged(divergence)) => return Played::Diverged(divergence),
            };
        }
    }

    /// Holds what a step appends against the log; where all of it stands there, gives what comes next.
    fn compare(&mut self, step: Step) -> Result<Command, Played> {
        let Step { append, command } = step;
        let mut append = append.into_iter();
        while let Some(next) = append.next() {
            match self.logged.events.get(self.same) {
                // What an interrupted run had no time to record.
                None if !self.logged.has_end() => {
                    let append = std::iter::once(next).chain(append).collect();
                    return Err(Played::LogEnds(Box::new(Step { append, command })));
                }
                Some(stored) if *stored == next.event => self.same += 1,
                stored => return Err(Played::Diverged(self.diverged(stored, Some(&next.event), None))),
            }
        }
        Ok(command)
    }

    /// What the recording answers to a command.
    fn answer(&mut self, task: &Task, command: &Command) -> Result<Input, Stop> {
        let next = self.logged.events.get(self.same);
        let unreadable = |error: AnswerError| Stop::Diverged(self.refused(&error));
        let otherwise = |because: Option<&str>| Stop::Diverged(self.diverged(next, None, because));
        match command {
            Command::Judge(judgement) => Ok(self.bench.answer(judgement, task.shelf())),
            Command::Find(sought) => match self.finder.find(task.shelf(), sought) {
                Ok(found) => Ok(Input::Found(found)),
                Err(error) => Err(Stop::Diverged(self.refused(&error))),
            },
            Command::End => match (next, self.logged.events.last()) {
                (None, Some(Event::TaskEnded(ended))) => Err(Stop::Ended(ended.clone())),
                (None | Some(_), _) => Err(otherwise(None)),
            },
            Command::AskModel(request) => {
                if next.is_none() && !self.logged.has_end() {
                    return Err(Stop::LogEnds);
                }
                let came = next.map(|event| stored::came(self.recording, event)).transpose();
                let came = came.map_err(unreadable)?.flatten();
                let (Some(input), Some(event)) = (came, next) else {
                    return Err(otherwise(Some("the model is asked")));
                };
                (self.asked)(request, event);
                Ok(input)
            }
            Command::Dispatch(assignments) => {
                if let Some(other) = assignments.iter().find(|it| self.siblings.differs(it)) {
                    let because = format!("{} is handed out otherwise", other.task);
                    return Err(otherwise(Some(&because)));
                }
                match self.siblings.reported(assignments) {
                    _ if next.is_none() && !self.logged.has_end() => Err(Stop::LogEnds),
                    Some(reported) => Ok(Input::Reported(reported)),
                    None => Err(otherwise(Some("tasks are handed out that have not ended"))),
                }
            }
            Command::CallTool(invoke) => match next {
                Some(Event::InvocationEnded(ended)) if ended.invocation == invoke.invocation => {
                    stored::returned(self.recording, ended).map(Input::Returned).map_err(unreadable)
                }
                None if !self.logged.has_end() => Err(Stop::LogEnds),
                None | Some(_) => Err(otherwise(Some(&format!("{} is called", invoke.invocation)))),
            },
        }
    }

    fn refused(&self, error: &dyn std::error::Error) -> Box<Divergence> {
        self.diverged(self.logged.events.get(self.same), None, Some(&told(error)))
    }

    fn diverged(
        &self,
        stored: Option<&Event>,
        replayed: Option<&Event>,
        because: Option<&str>,
    ) -> Box<Divergence> {
        let before = self.logged.events.get(..self.same).unwrap_or_default();
        let before = before.get(before.len().saturating_sub(CONTEXT)..).unwrap_or_default();
        Box::new(Divergence {
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
