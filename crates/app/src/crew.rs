//! Runs the tasks of a run: replays the log of each task as far as it goes, and continues from there.

use crate::case_file::Case;
use crate::drive::{Done, Drive, DriveError};
use crate::finder::Finder;
use crate::interrupt::Interrupt;
use crate::judge::Bench;
use crate::made_tables::MadeTables;
use crate::memory::Learner;
use crate::progress::Progress;
use crate::purse::Purse;
use crate::record::Recorder;
use crate::replay::{Played, play};
use crate::run::{Charge, RunError, Workplace};
use crate::shared::Shared;
use crate::siblings::Siblings;
use crate::stored::StoredTask;
use crate::worker::Worker;
use engine::{Assignment, Setting, Step, Task};
use ledger::event::{RunOpened, TaskAssigned, TaskEnded};
use ledger::turn::TurnRequest;
use ledger::{Event, Handed, TaskId};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Entry, Reader};
use tokio::task::JoinSet;
use tools::Indexes;

/// Decides which agent and model do a task, from its assignment.
pub(crate) type Hire = dyn Fn(&TaskAssigned) -> Result<Charge, RunError> + Send + Sync;

/// The state that all tasks of a run share.
pub(crate) struct Crew {
    pub(crate) folder: PathBuf,
    pub(crate) opened: RunOpened,
    pub(crate) setting: Arc<Setting>,
    pub(crate) bench: Arc<Bench>,
    pub(crate) shared: Shared,
    pub(crate) purse: Purse,
    pub(crate) recorder: Recorder,
    pub(crate) case: Case,
    pub(crate) work: Workplace,
    /// The tasks that the run began with.
    pub(crate) begun: Vec<TaskAssigned>,
    pub(crate) indexes: Indexes,
    pub(crate) made: Arc<MadeTables>,
    pub(crate) hire: Box<Hire>,
    /// The interrupt of the whole run.
    pub(crate) stop: Interrupt,
    /// Tasks that other tasks have assigned, in this process or an earlier one.
    pub(crate) siblings: Siblings,
    /// The existing logs of those tasks.
    pub(crate) logged: BTreeMap<TaskId, StoredTask>,
    /// How those tasks ended.
    pub(crate) ended: Mutex<Vec<(TaskId, String, TaskEnded)>>,
    /// Writes the lessons of a task to the memory across runs.
    pub(crate) learner: Option<Arc<Learner>>,
}

/// A replayed task, ready to continue: its state and its next step.
struct Ready {
    task: Task,
    first: Step,
    charge: Charge,
    /// The turns whose ends are recorded, for a model with a memory besides the conversation.
    asked: Vec<TurnRequest>,
}

/// The result of a task: its id, its agent, and how it ended.
pub(crate) type Driven = (TaskId, String, Result<Done, DriveError>);

/// The pending results of assigned tasks.
pub(crate) type Dispatched<'a> = Pin<Box<dyn Future<Output = Result<Vec<Handed>, DriveError>> + Send + 'a>>;

impl Crew {
    /// Runs the tasks concurrently, each from where its log leaves off.
    pub(crate) async fn work(
        self: &Arc<Crew>,
        tasks: Vec<(Charge, StoredTask)>,
        cancel: &Interrupt,
    ) -> Result<Vec<(TaskId, String, Done)>, RunError> {
        let reader = Reader::open(&self.folder).map_err(|source| self.unreadable(source))?;
        let (mut ready, mut done) = (Vec::new(), Vec::new());
        for (charge, stored) in tasks {
            let agent = charge.agent.clone();
            match self.take_up(&stored, charge, &reader)? {
                Ok(task) => ready.push((task, stored)),
                Err(ended) => {
                    // The process that ended the task may have stopped before it wrote the lessons.
                    self.learn(stored.assigned.clone(), stored.events.clone()).await;
                    done.push((
                        stored.assigned.task,
                        agent,
                        Done { ended, events: stored.events, outputs: Vec::new() },
                    ));
                }
            }
        }
        // SQLite folds the write-ahead log into the file only if nobody else reads it.
        drop(reader);
        let mut running = JoinSet::new();
        for (ready, stored) in ready {
            let drive = self.drive(&ready.charge.agent.clone(), ready, stored, cancel)?;
            running.spawn(drive);
        }
        done.extend(self.join(running).await?);
        done.sort_by_key(|(id, ..)| *id);
        Ok(done)
    }

    fn drive(
        self: &Arc<Crew>,
        agent: &str,
        ready: Ready,
        stored: StoredTask,
        cancel: &Interrupt,
    ) -> Result<impl Future<Output = Driven> + Send + 'static, RunError> {
        let Ready { task, first, charge, asked } = ready;
        let made = Some(Arc::clone(&self.made));
        let worker = Worker::start_with(&self.work.worker, &self.case, &self.indexes, made);
        let hands_over = stored.assigned.dispatch.is_some();
        let (assigned, crew) = (stored.assigned, Arc::clone(self));
        let drive = Drive {
            agent: agent.to_owned(),
            model: charge.model,
            crew: Arc::clone(self),
            prices: assigned.prices,
            finder: Finder::default(),
            worker: worker.map_err(RunError::Tools)?,
            wall: Duration::from_secs(self.opened.rules.budgets.wall_seconds),
            cancel: cancel.clone(),
            // Only an assigned task reports its events to another task, and only a memory learns from them.
            kept: (hands_over || self.learner.is_some()).then_some(stored.events),
            hands_over,
            task,
        };
        let (id, agent) = (drive.task.id(), agent.to_owned());
        Ok(async move {
            let done = drive.finish(first, asked).await;
            if let Ok(done) = &done {
                crew.learn(assigned, done.events.clone()).await;
            }
            (id, agent, done)
        })
    }

    /// Writes the lessons of a task that has ended; when this returns they are durable, or the failure was reported.
    async fn learn(&self, assigned: TaskAssigned, events: Vec<Event>) {
        let Some(learner) = self.learner.clone() else { return };
        let opened = self.opened.clone();
        // If the thread panicked it wrote nothing, and the run continues.
        drop(tokio::task::spawn_blocking(move || learner.learn(&opened, &assigned, &events)).await);
    }

    /// Replays a task's log to its end; returns the task, ready to continue, or how it ended.
    fn take_up(
        &self,
        stored: &StoredTask,
        charge: Charge,
        reader: &Reader,
    ) -> Result<Result<Ready, TaskEnded>, RunError> {
        let mut asked = Vec::new();
        let hear = |request: &TurnRequest, _: &Event| asked.push(request.clone());
        let (task, _, played) = play(stored, reader, &self.siblings, &self.setting, &self.bench, hear);
        match played {
            Played::LogEnds(first) => Ok(Ok(Ready { task, first: *first, charge, asked })),
            Played::Ended(end) => Ok(Err(end)),
            Played::Diverged(divergence) => Err(RunError::Diverged {
                folder: self.folder.clone(),
                task: stored.assigned.task,
                divergence,
            }),
        }
    }

    /// Assigns tasks and waits until all of them have ended; `cancel` ends those that run.
    pub(crate) fn dispatch<'a>(
        self: &'a Arc<Crew>,
        by: TaskId,
        assignments: Vec<Assignment>,
        cancel: &'a Interrupt,
    ) -> Dispatched<'a> {
        let failed = move |source| DriveError::Crew { task: by, source: Box::new(source) };
        Box::pin(async move {
            let tasks = self.assign(by, &assignments).map_err(failed)?;
            let done = self.work(tasks, cancel).await.map_err(failed)?;
            for (id, agent, done) in done {
                if let Some(assigned) = self.siblings.assigned(id) {
                    let outputs: BTreeMap<_, _> =
                        done.outputs.iter().map(|output| (output.digest(), output)).collect();
                    let output = |digest: &_| outputs.get(digest).map(|output| Arc::clone(output));
                    if self.siblings.handed(id).is_none()
                        && let Some(handed) = engine::handed(&assigned, &done.events, output)
                    {
                        self.siblings.ended(handed);
                    }
                }
                let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
                ended.push((id, agent, done.ended));
            }
            self.siblings.reported(&assignments).ok_or(DriveError::Panicked { task: by })
        })
    }

    /// Returns the tasks with the agents that do them; records those that are not in the log yet first, in one append.
    fn assign(&self, by: TaskId, assignments: &[Assignment]) -> Result<Vec<(Charge, StoredTask)>, RunError> {
        let model = self.model_of(by);
        let (mut tasks, mut entries) = (Vec::new(), Vec::new());
        for assignment in assignments {
            if let Some(assigned) = self.siblings.assigned(assignment.task) {
                let events = self.logged.get(&assignment.task).map(|task| task.events.clone());
                let charge = (self.hire)(&assigned)?;
                tasks.push((charge, StoredTask { assigned, events: events.unwrap_or_default() }));
                continue;
            }
            let fresh = TaskAssigned {
                dispatch: Some(Box::new(assignment.dispatch.clone())),
                ..TaskAssigned::new(assignment.task, assignment.agent.clone(), &model)
            };
            let charge = (self.hire)(&fresh)?;
            crate::run::priced(&self.opened, &*charge.model)?;
            let assigned = charge.assigned(fresh);
            entries.push(self.recorder.run_entry(Event::TaskAssigned(assigned.clone())));
            tasks.push((charge, StoredTask { assigned, events: Vec::new() }));
        }
        self.append(entries)?;
        for (_, task) in &tasks {
            if self.siblings.assigned(task.assigned.task).is_none() {
                self.siblings.add(task.assigned.clone());
            }
        }
        Ok(tasks)
    }

    fn append(&self, entries: Vec<Entry>) -> Result<(), RunError> {
        if entries.is_empty() {
            return Ok(());
        }
        let folder = || self.folder.clone();
        self.recorder
            .append_to_run(entries)
            .map_err(|source| RunError::Recording { folder: folder(), source })
    }

    /// Returns the name of the model of the task that assigns another.
    fn model_of(&self, task: TaskId) -> String {
        let assigned = self.begun.iter().find(|assigned| assigned.task == task);
        assigned.map(|assigned| assigned.model.clone()).unwrap_or_default()
    }

    fn unreadable(&self, source: store::OpenError) -> RunError {
        let folder = self.folder.clone();
        RunError::Log(crate::open::OpenRunError::Open { folder, source: Box::new(source) })
    }

    /// Waits for every task. If one fails or the run is interrupted, stops the others and waits for them too.
    ///
    /// If only the model of a task cannot be reached, the others continue: their paid replies are recorded.
    async fn join(&self, mut running: JoinSet<Driven>) -> Result<Vec<(TaskId, String, Done)>, RunError> {
        let (mut ended, mut failed) = (Vec::new(), None);
        while let Some(joined) = running.join_next().await {
            let folder = self.folder.clone();
            let error = match joined {
                Ok((id, agent, Ok(end))) => {
                    ended.push((id, agent, end));
                    continue;
                }
                Ok((.., Err(DriveError::Interrupted { .. }))) => {
                    // A task that stopped because another one failed does not decide the run's error.
                    failed.get_or_insert(RunError::Interrupted { folder });
                    continue;
                }
                Ok((.., Err(source @ DriveError::Model { .. }))) => {
                    failed.get_or_insert(RunError::Drive { folder, source });
                    continue;
                }
                Ok((.., Err(DriveError::Crew { source, .. }))) => *source,
                Ok((.., Err(source))) => RunError::Drive { folder, source },
                Err(_) => RunError::Panicked { folder },
            };
            self.stop.interrupt();
            let first = match &failed {
                None | Some(RunError::Interrupted { .. }) => true,
                Some(RunError::Drive { source, .. }) => matches!(source, DriveError::Model { .. }),
                Some(_) => false,
            };
            if first {
                failed = Some(error);
            }
        }
        failed.map_or(Ok(ended), Err)
    }

    /// Returns how the assigned tasks ended.
    pub(crate) fn ended(&self) -> Vec<(TaskId, String, TaskEnded)> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reports progress to the observer.
    pub(crate) fn tell(&self, progress: Progress) {
        (self.work.observe)(progress);
    }
}
