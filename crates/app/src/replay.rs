//! Use case: replay a run's tasks from its log.
//!
//! The same [`Task::step`] runs over the stored log: model replies and tool
//! outputs come from the recording, every verdict is computed again.
//! The resulting events must equal the stored ones.
//! This needs no key, no network and no evidence, and never reads the clock.

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

/// The number of events that are shown before a divergence.
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
        /// The task or agent that was asked for.
        wanted: String,
        /// The tasks of the run with their agents.
        known: Vec<String>,
    },
}

/// What to replay; everything if nothing is named.
#[derive(Debug, Clone, Default)]
pub struct ReplayRequest {
    /// Only tasks of this agent.
    pub agent: Option<String>,
    /// Only this task.
    pub task: Option<TaskId>,
}

impl ReplayRequest {
    /// Whether the request includes the task.
    pub(crate) fn wants(&self, task: &StoredTask) -> bool {
        self.task.is_none_or(|id| task.assigned.task == id)
            && self.agent.as_ref().is_none_or(|agent| task.assigned.agent.name == *agent)
    }
}

/// The result of one task.
#[derive(Debug, Clone, Serialize)]
pub struct Replayed {
    /// The task.
    pub task: String,
    /// Its agent.
    pub agent: String,
    /// The number of events that are equal to the stored ones.
    pub same: u64,
    /// The number of the task's events in the log.
    pub stored: u64,
    /// Whether the log contains the task's end.
    pub ended: bool,
    /// The first difference.
    pub divergence: Option<Divergence>,
    /// Whether the run predates numbered behaviours: an equal result is then not guaranteed.
    pub unnumbered: bool,
}

/// The first event that differs.
#[derive(Debug, Clone, Serialize)]
pub struct Divergence {
    /// Its number in the task, from 0.
    pub event: u64,
    /// The event in the log; `None` if the log of the task ends before.
    pub stored: Option<String>,
    /// The event of the replay; `None` if there is none.
    pub replayed: Option<String>,
    /// Why the replay produced no event, if known.
    pub because: Option<String>,
    /// The stored events before it.
    pub before: Vec<String>,
}

/// Replays the tasks of the run in `folder`.
///
/// # Errors
///
/// Fails if the log cannot be read or has no such task. A divergence is a result, not an error.
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

/// Returns the requested tasks.
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

/// Where the log leaves a task.
pub(crate) enum Played {
    /// The log ends before the task does; the step is what the task would record and do next.
    LogEnds(Box<Step>),
    /// The task has ended.
    Ended(TaskEnded),
    /// Something differs.
    Diverged(Box<Divergence>),
}

/// Repeats a task's steps as far as its log goes; `asked` receives each request with the event that answered it.
///
/// Returns the task, the number of equal events, and where the log leaves the task.
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

/// Replays one task: a cursor over its stored events.
struct Player<'l, A> {
    logged: &'l StoredTask,
    recording: &'l dyn Recording,
    siblings: &'l Siblings,
    bench: &'l Bench,
    finder: Finder,
    asked: A,
    /// The number of stored events that were equal.
    same: usize,
}

/// Why the replay of a task stops.
enum Stop {
    /// The log has no more.
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

    /// Compares the events of a step with the log; returns the step's command if all of them are there.
    fn compare(&mut self, step: Step) -> Result<Command, Played> {
        let Step { append, command } = step;
        let mut append = append.into_iter();
        while let Some(next) = append.next() {
            match self.logged.events.get(self.same) {
                // An interrupted run had no time to record this.
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

    /// Returns the recorded answer to a command.
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

/// Returns an event in its canonical form.
fn written(event: &Event) -> String {
    canonical::to_string(event).unwrap_or_else(|error| error.to_string())
}
