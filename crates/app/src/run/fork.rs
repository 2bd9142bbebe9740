//! Use case: branch a run off another one at a turn, to continue it differently.
//!
//! The new run's log contains the events of the other run up to that turn of
//! one task, and the other tasks unchanged; it names its parent.
//! [`super::resume`] continues it.

use super::folder::create_folder;
use super::resume::{ModelsByName, agent_of};
use super::{RunError, priced};
use crate::agents::Agent;
use crate::clock::Clock;
use crate::replay::ReplayRequest;
use crate::stored::{Stored, StoredTask};
use ledger::event::{Parent, RunOpened, TaskAssigned};
use ledger::{Circumstance, Event, FORMAT, InvocationId, RunId, Stream, TaskId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Durability, Entry, Reader, Writer};

/// Where to branch off, and with which model.
pub struct ForkRequest {
    /// The folder of the other run.
    pub folder: PathBuf,
    /// The one task that continues differently.
    pub of: ReplayRequest,
    /// Its first turn that is asked anew.
    pub turn: u32,
    /// The name of the model to ask; `None` keeps the model.
    pub model: Option<String>,
    /// The folder in which the new run's folder is made.
    pub runs: PathBuf,
    /// The agents that have a playbook here.
    pub agents: Vec<Agent>,
    /// Makers of models, by name.
    pub models: Box<ModelsByName>,
    /// The clock, which determines the name of the new folder.
    pub clock: Arc<dyn Clock>,
}

/// Makes the folder of a run that branches off another one; returns its path.
///
/// # Errors
///
/// Fails if the run cannot be read, the request does not match exactly one task with that turn, or the model is not available.
pub fn fork(request: &ForkRequest) -> Result<PathBuf, RunError> {
    let (stored, reader) = Stored::open(&request.folder).map_err(RunError::Log)?;
    let folder = || request.folder.clone();
    let Some(opened) = &stored.opened else { return Err(RunError::NothingRecorded { folder: folder() }) };
    let task = chosen(request, &stored)?;
    if let Some(dispatch) = &task.assigned.dispatch {
        let (agent, by) = (task.assigned.agent.name.clone(), dispatch.by);
        return Err(RunError::HandedOut { folder: folder(), agent, by, turn: dispatch.turn });
    }
    let asked = |event: &Event| matches!(event, Event::TurnRequested(asked) if asked.turn == request.turn);
    if !task.events.iter().any(asked) {
        let (agent, turn) = (task.assigned.agent.name.clone(), request.turn);
        return Err(RunError::NoTurn { folder: folder(), agent, turn });
    }
    let assigned = reassigned(request, opened, &task.assigned)?;
    let (made, id, writer) =
        create_folder(&request.runs, &opened.case.name, &*request.clock, store::Options::default())?;
    let run = stored.name(&request.folder);
    let parent =
        run.zip(stored.head).map(|(run, head)| Parent { run, head, task: assigned.task, turn: request.turn });
    let opened = RunOpened {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        parent,
        // The tasks of these questions come after the turn, and are not asked anew.
        asked: Vec::new(),
        ..opened.clone()
    };
    let behind = behind(&stored, task.assigned.task, request.turn);
    let mut gone = gone(task, request.turn);
    for task in stored.tasks.iter().filter(|task| behind.contains(&task.assigned.task)) {
        gone.extend(self::gone(task, 0));
    }
    let branch = Branch { opened, id, assigned, turn: request.turn, past: false, gone, behind };
    branch.copy(&request.folder, &reader, &writer)?;
    Ok(made)
}

fn chosen<'s>(request: &ForkRequest, stored: &'s Stored) -> Result<&'s StoredTask, RunError> {
    // The sweep, the comparison with rules and questions come after the agents have ended, so they are made anew.
    let mut fitting =
        stored.tasks.iter().filter(|task| !is_of_code(&task.assigned) && request.of.wants(task));
    match (fitting.next(), fitting.next()) {
        (Some(task), None) => Ok(task),
        (None | Some(_), _) => Err(RunError::WhichTask {
            folder: request.folder.clone(),
            known: stored.tasks.iter().map(|task| task.assigned.agent.name.clone()).collect(),
        }),
    }
}

fn reassigned(
    request: &ForkRequest,
    opened: &RunOpened,
    before: &TaskAssigned,
) -> Result<TaskAssigned, RunError> {
    let wanted = match &request.model {
        Some(model) => TaskAssigned {
            window: before.window,
            ..TaskAssigned::new(before.task, before.agent.clone(), model)
        },
        None => before.clone(),
    };
    let models = (request.models)(&wanted).map_err(|no| no.of(request.folder.clone(), &wanted.model))?;
    let model = models(&agent_of(&request.agents, before), before.task, opened.seed);
    priced(opened, &*model)?;
    // The window stays, because what was shown up to the turn was cut to it.
    Ok(TaskAssigned {
        model: model.name().to_owned(),
        model_digest: model.digest(),
        prices: model.prices(),
        ..before.clone()
    })
}

/// Returns the invocations of a task from a turn on.
fn gone(task: &StoredTask, turn: u32) -> BTreeSet<InvocationId> {
    let started = task.events.iter().filter_map(|event| match event {
        Event::InvocationStarted(started) if started.turn >= turn => Some(started.invocation),
        _ => None,
    });
    started.collect()
}

/// Whether code does the task after the agents have ended.
const fn is_of_code(assigned: &TaskAssigned) -> bool {
    assigned.sweep || assigned.hunt || assigned.ask
}

/// Returns the tasks that a task assigned from a turn on, and those that code does after the agents have ended.
fn behind(stored: &Stored, by: TaskId, turn: u32) -> BTreeSet<TaskId> {
    let later = |task: &&StoredTask| {
        let dispatch = task.assigned.dispatch.as_deref();
        is_of_code(&task.assigned)
            || task.assigned.is_of_a_question() && task.assigned.task != by
            || dispatch.is_some_and(|dispatch| dispatch.by == by && dispatch.turn >= turn)
    };
    stored.tasks.iter().filter(later).map(|task| task.assigned.task).collect()
}

/// The differences of the new log from the old one.
struct Branch {
    opened: RunOpened,
    id: RunId,
    assigned: TaskAssigned,
    turn: u32,
    /// Whether the turn has been passed.
    past: bool,
    /// The invocations after the turn.
    gone: BTreeSet<InvocationId>,
    /// The tasks after the turn: those assigned later, and those that code does at the end.
    behind: BTreeSet<TaskId>,
}

impl Branch {
    fn copy(mut self, folder: &Path, reader: &Reader, writer: &Writer) -> Result<(), RunError> {
        let read = |source| {
            RunError::Log(crate::open::OpenRunError::Read {
                folder: folder.to_owned(),
                source: Box::new(source),
            })
        };
        for event in reader.events() {
            let (link, event, circumstance) = event.map_err(read)?;
            let Some((event, circumstance)) = self.on_it(link.stream, event, circumstance) else { continue };
            let payload = match event.payload() {
                Some(digest) => reader.payload(&digest).map_err(read)?.map(Arc::from),
                None => None,
            };
            let entry = Entry { stream: link.stream, event, circumstance, payload };
            writer
                .append(vec![entry], Durability::Buffered)
                .map_err(|source| RunError::Recording { folder: folder.to_owned(), source })?;
        }
        Ok(())
    }

    /// Converts an event of the old log for the new one; `None` if the new log does not have it.
    fn on_it(
        &mut self,
        stream: Stream,
        event: Event,
        mut circumstance: Circumstance,
    ) -> Option<(Event, Circumstance)> {
        if let Some(cost) = &mut circumstance.cost {
            // The invocation that answered this call may be missing in the branch; the answer itself is kept.
            cost.served_from = cost.served_from.filter(|other| !self.gone.contains(other));
        }
        match event {
            Event::TaskAssigned(assigned) if self.behind.contains(&assigned.task) => None,
            _ if matches!(stream, Stream::Task(task) if self.behind.contains(&task)) => None,
            Event::RunOpened(_) => {
                let circumstance = Circumstance { run: Some(self.id.clone()), ..circumstance };
                Some((Event::RunOpened(Box::new(self.opened.clone())), circumstance))
            }
            Event::TaskAssigned(assigned) if assigned.task == self.assigned.task => {
                Some((Event::TaskAssigned(self.assigned.clone()), circumstance))
            }
            Event::TablesRead(_)
            | Event::RulesMatched(_)
            | Event::EvidenceHashed(_)
            | Event::RunSealed(_) => None,
            event if stream == Stream::Task(self.assigned.task) => {
                let before = !self.past;
                self.past |= matches!(&event, Event::TurnRequested(asked) if asked.turn == self.turn);
                before.then_some((event, circumstance))
            }
            event => Some((event, circumstance)),
        }
    }
}
