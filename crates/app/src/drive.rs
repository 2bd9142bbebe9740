//! Drives one task: the engine decides, the adapters act.

use crate::crew::Crew;
use crate::finder::Finder;
use crate::interrupt::Interrupt;
use crate::progress::{self, Progress};
use crate::record::Recorder;
use crate::run::RunError;
use crate::worker::Worker;
use engine::{Assignment, Command, Input, Invoke, Step, StepError, Task, ToolReturn};
use ledger::chain::Cost;
use ledger::event::TaskEnded;
use ledger::turn::TurnRequest;
use ledger::{Event, Exchange, Handed, Output, Prices, Stream, TaskId};
use llm::{Model, ModelError};
use std::sync::Arc;
use std::time::Duration;
use store::{Stopped, TextIndexError};
use thiserror::Error;
use tokio::time::Instant;

/// Why a task could not continue. None of these causes lies in the evidence or in the model's replies.
#[derive(Debug, Error)]
pub enum DriveError {
    /// The engine received an input that it did not ask for, or ran out of ids.
    #[error("drive {task}")]
    Step {
        /// The task.
        task: TaskId,
        /// The cause.
        #[source]
        source: StepError,
    },
    /// Recording stopped; nothing runs that is not recorded.
    #[error("drive {task}")]
    Recording {
        /// The task.
        task: TaskId,
        /// The cause.
        #[source]
        source: Stopped,
    },
    /// The model cannot be reached, is not set up for use, or was recorded with another request.
    /// The task has not ended, and can be resumed later.
    #[error("drive {task}")]
    Model {
        /// The task.
        task: TaskId,
        /// The cause.
        #[source]
        source: ModelError,
    },
    /// The task's own outputs cannot be searched.
    #[error("drive {task}")]
    Find {
        /// The task.
        task: TaskId,
        /// The cause.
        #[source]
        source: TextIndexError,
    },
    /// A task that this one assigned could not continue.
    #[error("drive {task}")]
    Crew {
        /// The task that assigned it.
        task: TaskId,
        /// The cause.
        #[source]
        source: Box<RunError>,
    },
    /// The run was interrupted.
    #[error("drive {task}: it was interrupted")]
    Interrupted {
        /// The task.
        task: TaskId,
    },
    /// A thread of the program panicked.
    #[error("drive {task}: a thread of the program panicked")]
    Panicked {
        /// The task.
        task: TaskId,
    },
}

/// Everything that one task needs.
pub(crate) struct Drive {
    pub(crate) task: Task,
    pub(crate) agent: String,
    pub(crate) model: Box<dyn Model>,
    pub(crate) worker: Worker,
    pub(crate) finder: Finder,
    pub(crate) crew: Arc<Crew>,
    /// The prices of the model's tokens.
    pub(crate) prices: Option<Prices>,
    pub(crate) wall: Duration,
    /// Ends this task and no other, when the task that assigned it no longer waits.
    pub(crate) cancel: Interrupt,
    /// The task's events, if something needs them at the end.
    pub(crate) kept: Option<Vec<Event>>,
    /// Whether the outputs of its calls are passed to the task that assigned it.
    pub(crate) hands_over: bool,
}

/// The result of a task.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) ended: TaskEnded,
    /// Its events, if they were kept.
    pub(crate) events: Vec<Event>,
    /// The outputs of its calls, if they are passed on.
    pub(crate) outputs: Vec<Arc<Output>>,
}

impl Drive {
    /// Runs the task from its `first` step to its end, or to an interruption, after which nothing more of the task is recorded.
    ///
    /// `asked` are the turns whose ends are in its log.
    pub(crate) async fn finish(mut self, first: Step, asked: Vec<TurnRequest>) -> Result<Done, DriveError> {
        // A wall time beyond the range of the clock means no deadline.
        let deadline = Instant::now().checked_add(self.wall);
        self.remind(&asked).await;
        let task = self.task.id();
        self.go_on()?;
        self.crew.tell(progress::assigned(&self.task));
        if !asked.is_empty() {
            self.crew.tell(Progress::GoesOn { task, so_far: self.task.so_far() });
        }
        let mut step = first;
        let mut cost = None;
        loop {
            let (ended, exchanges) = (ended(&step), exchanges(&step));
            let told = progress::of(&self.task, &step.append);
            let durable = self.model.needs_durable_requests();
            if let Some(kept) = &mut self.kept {
                kept.extend(step.append.iter().map(|append| append.event.clone()));
            }
            let command = record(&self.crew.recorder, task, step, cost.take(), durable).await?;
            self.crew.purse.pay(&exchanges, self.prices);
            told.into_iter().for_each(|it| self.crew.tell(it));
            let input = match command {
                Command::AskModel(request) => self.ask(&request, deadline).await?,
                Command::CallTool(invoke) => {
                    let (returned, spent) = self.call(invoke).await?;
                    cost = spent;
                    Input::Returned(returned)
                }
                Command::Judge(judgement) => self.crew.bench.answer(&judgement, self.task.shelf()),
                Command::Find(sought) => self
                    .finder
                    .find(self.task.shelf(), &sought)
                    .map(Input::Found)
                    .map_err(|source| DriveError::Find { task, source })?,
                Command::Dispatch(assignments) => {
                    Input::Reported(self.dispatch(assignments, deadline).await?)
                }
                Command::End => {
                    let ended = ended.ok_or(DriveError::Panicked { task })?;
                    self.model.ended(self.task.unsaid(), &ended);
                    return Ok(self.done(ended));
                }
            };
            // After an interruption, the call that it cancelled gets no end in the log.
            self.go_on()?;
            step = self.task.step(input).map_err(|source| DriveError::Step { task, source })?;
        }
    }

    fn done(self, ended: TaskEnded) -> Done {
        let Some(events) = self.kept else {
            return Done { ended, events: Vec::new(), outputs: Vec::new() };
        };
        let held = self.task.shelf().held().iter().filter(|_| self.hands_over);
        let outputs = held.filter_map(|held| held.output.clone()).collect();
        Done { ended, events, outputs }
    }

    /// Assigns tasks and waits for them until this task's deadline, or until this task is cancelled; then cancels them.
    async fn dispatch(
        &mut self,
        assignments: Vec<Assignment>,
        deadline: Option<Instant>,
    ) -> Result<Vec<Handed>, DriveError> {
        let cancel = Interrupt::new();
        let mut running = self.crew.dispatch(self.task.id(), assignments, &cancel);
        let late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            reported = &mut running => return reported,
            () = late => {}
            () = self.cancel.interrupted() => {}
        }
        cancel.interrupt();
        running.await
    }

    /// Asks the recorded turns again if the model has a memory besides the conversation.
    async fn remind(&mut self, asked: &[TurnRequest]) {
        if !self.model.remembers() {
            return;
        }
        for request in asked {
            // The replies are ignored: they were recorded the first time.
            drop(self.model.turn(request).await);
        }
    }

    fn go_on(&self) -> Result<(), DriveError> {
        match self.crew.stop.is_interrupted() {
            true => Err(DriveError::Interrupted { task: self.task.id() }),
            false => Ok(()),
        }
    }

    async fn ask(&mut self, request: &TurnRequest, deadline: Option<Instant>) -> Result<Input, DriveError> {
        self.go_on()?;
        if self.cancel.is_interrupted() {
            return Ok(Input::Cancelled);
        }
        if let Some(spent) = self.crew.purse.spent().filter(|_| self.model.is_paid()) {
            return Ok(Input::PurseSpent(spent));
        }
        // A model that answers at once would never time out while it is asked.
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Input::TimeSpent);
        }
        self.crew.tell(Progress::Turn {
            task: self.task.id(),
            agent: self.agent.clone(),
            turn: request.turn,
        });
        let (interrupt, cancel) = (self.crew.stop.clone(), self.cancel.clone());
        let task = self.task.id();
        let asking = async {
            match deadline {
                Some(deadline) => tokio::time::timeout_at(deadline, self.model.turn(request)).await,
                None => Ok(self.model.turn(request).await),
            }
        };
        let reply = tokio::select! {
            biased;
            () = interrupt.interrupted() => return Err(DriveError::Interrupted { task }),
            () = cancel.interrupted() => return Ok(Input::Cancelled),
            reply = asking => reply,
        };
        let exchange = self.model.last_exchange().cloned();
        match reply {
            Ok(Ok(reply)) => Ok(Input::Replied(reply, exchange)),
            Ok(Err(ModelError::Gone { .. })) => Ok(Input::Cancelled),
            Ok(Err(error)) => failed(error, exchange).map_err(|source| DriveError::Model { task, source }),
            Err(_) => Ok(Input::TimeSpent),
        }
    }

    /// Calls a tool. An interruption, a cancellation or a withdrawal stops the call; this returns after the call has ended.
    async fn call(&mut self, invoke: Invoke) -> Result<(ToolReturn, Option<Cost>), DriveError> {
        let task = self.task.id();
        self.crew.tell(Progress::Tool {
            task,
            agent: self.agent.clone(),
            objective: self.task.towards(&invoke.tool).map(str::to_owned),
            invocation: invoke.invocation,
            tool: invoke.tool.clone(),
        });
        let canceller = self.worker.canceller();
        let (worker, shared) = (self.worker.clone(), self.crew.shared.clone());
        let mut calling = tokio::task::spawn_blocking(move || {
            let asked = (invoke.tool.as_str(), &invoke.arguments);
            shared.call(invoke.invocation, asked, || worker.call(asked.0, asked.1))
        });
        let returned = tokio::select! {
            returned = &mut calling => returned,
            () = self.crew.stop.interrupted() => {
                canceller.cancel();
                calling.await
            }
            () = self.cancel.interrupted() => {
                canceller.cancel();
                calling.await
            }
            () = self.model.withdrawn() => {
                canceller.cancel();
                let stopped = calling.await;
                // The task continues, and must be able to make later calls.
                canceller.rearm();
                stopped
            }
        };
        returned.map_err(|_| DriveError::Panicked { task })
    }
}

/// Converts a failure to an input for the engine; returns the error itself if the same turn may be asked again later.
fn failed(error: ModelError, exchange: Option<Exchange>) -> Result<Input, ModelError> {
    match error {
        ModelError::Unreachable { .. }
        | ModelError::Unusable { .. }
        | ModelError::Differs { .. }
        | ModelError::Gone { .. } => Err(error),
        ModelError::TooLong { .. } | ModelError::AsRecorded { too_long: true, .. } => {
            Ok(Input::TooLong(error.to_string(), exchange))
        }
        ModelError::Exhausted { .. } | ModelError::NoReply { .. } | ModelError::AsRecorded { .. } => {
            Ok(Input::ModelFailed(error.to_string(), exchange))
        }
    }
}

/// Appends the events before the command is carried out: what is not recorded does not happen.
async fn record(
    recorder: &Recorder,
    task: TaskId,
    step: Step,
    cost: Option<Cost>,
    durable_requests: bool,
) -> Result<Command, DriveError> {
    let Step { append, command } = step;
    if append.is_empty() {
        return Ok(command);
    }
    let recorder = recorder.clone();
    let is_awaited = durable_requests && matches!(command, Command::AskModel(_));
    let appended =
        tokio::task::spawn_blocking(move || recorder.append(Stream::Task(task), append, cost, is_awaited));
    appended
        .await
        .map_err(|_| DriveError::Panicked { task })?
        .map_err(|source| DriveError::Recording { task, source })?;
    Ok(command)
}

fn ended(step: &Step) -> Option<TaskEnded> {
    step.append.iter().find_map(|append| match &append.event {
        Event::TaskEnded(ended) => Some(ended.clone()),
        _ => None,
    })
}

fn exchanges(step: &Step) -> Vec<Exchange> {
    step.append.iter().filter_map(|append| append.event.exchange().cloned()).collect()
}
