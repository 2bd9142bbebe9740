//! A run on its way to its first turn, or back to its last one: who waits for it, and where its tasks wait for a client.

use crate::handle::Handle;
use crate::house::{Came, House, OpenTask, UnderWay};
use crate::open::causes;
use app::{Finished, Interrupt, Progress, RunError, SoFar, Workplace};
use ledger::TaskId;
use llm::{Begun, Desk, Outside};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// A task that waits for a client, and its starting messages, which may become known only later.
pub(crate) struct Seat<B> {
    pub(crate) task: TaskId,
    pub(crate) agent: String,
    pub(crate) desk: Desk,
    pub(crate) begun: B,
}

pub(crate) type Waiting = Seat<oneshot::Receiver<Begun>>;

/// Returns the model of a task for which a client decides, and announces the task's seat.
pub(crate) fn seated(
    task: TaskId,
    agent: &str,
    model: String,
    idle: Duration,
    seats: &mpsc::UnboundedSender<Waiting>,
) -> Outside {
    let (outside, desk, begun) = Outside::new(model, idle);
    // If nobody waits for the run any more, the task ends at once.
    let _ = seats.send(Seat { task, agent: agent.to_owned(), desk, begun });
    outside
}

/// The handles of a run and its tasks, created before the run begins, because a run without a handle could never be used.
pub(crate) struct Handles {
    pub(crate) run: Handle,
    tasks: Vec<Handle>,
}

impl Handles {
    pub(crate) fn new(tasks: usize) -> Result<Handles, getrandom::Error> {
        let tasks = (0..tasks).map(|_| Handle::new("task")).collect::<Result<_, _>>()?;
        Ok(Handles { run: Handle::new("run")?, tasks })
    }

    /// Assigns the handles to the tasks, and returns the starting messages of each.
    pub(crate) fn given(&self, seated: Vec<Seat<Begun>>) -> (Vec<Arc<OpenTask>>, Vec<Begun>) {
        let given = self.tasks.iter().cloned().zip(seated).map(|(handle, seat)| {
            let Seat { task, agent, desk, begun } = seat;
            (Arc::new(OpenTask::new(handle, task, agent, begun.fence.clone(), desk)), begun)
        });
        given.unzip()
    }
}

/// A run that begins or is resumed.
pub(crate) struct Beginning {
    pub(crate) under_way: UnderWay,
    /// The progress of its tasks before the interruption.
    pub(crate) so_far: Arc<Mutex<BTreeMap<TaskId, SoFar>>>,
}

impl Beginning {
    /// Begins a run, or resumes the one in `folder`; `None` if no more may be begun.
    pub(crate) fn of<F>(
        house: &House,
        folder: Option<PathBuf>,
        start: impl FnOnce(Workplace) -> F,
    ) -> Option<Beginning>
    where
        F: Future<Output = Result<Finished, RunError>> + Send + 'static,
    {
        let (folder_is, folder) = watch::channel(folder);
        let (came_is, came) = watch::channel(None);
        let under_way = UnderWay { folder, came, interrupt: Interrupt::new() };
        if !house.begin(&under_way) {
            return None;
        }
        let so_far = Arc::new(Mutex::new(BTreeMap::new()));
        let mut work = house.settings.work.clone();
        work.interrupt = under_way.interrupt.clone();
        let (observe, goes_on) = (Arc::clone(&work.observe), Arc::clone(&so_far));
        work.observe = Arc::new(move |progress| {
            if let Progress::Opened { folder } = &progress {
                if let Some(note) = without_key(folder) {
                    observe(note);
                }
                folder_is.send_replace(Some(folder.clone()));
            }
            if let Progress::GoesOn { task, so_far } = &progress {
                goes_on.lock().unwrap_or_else(PoisonError::into_inner).insert(*task, so_far.clone());
            }
            observe(progress);
        });
        let running = start(work);
        tokio::spawn(async move {
            let came = match running.await {
                Ok(finished) => Came::Sealed(finished.tasks),
                Err(error) if error.is_held() => Came::BrokenOff(HELD.to_owned()),
                Err(error) => Came::BrokenOff(causes(&error)),
            };
            came_is.send_replace(Some(Arc::new(came)));
        });
        Some(Beginning { under_way, so_far })
    }

    /// Waits until each task has its starting messages; an error says why the run did not get that far.
    ///
    /// If nobody waits any more, `interrupt` leaves the run as it is; without it, the run's tasks end.
    pub(crate) async fn seated(
        mut self,
        mut taken: mpsc::UnboundedReceiver<Waiting>,
        number: usize,
        interrupt: Option<Interrupt>,
    ) -> Result<(PathBuf, Vec<Seat<Begun>>), String> {
        let mut seats: Vec<Waiting> = Vec::new();
        // Declared so that it is dropped before the seats: a task ends as soon as its seat is dropped.
        let mut unless = Unless(interrupt);
        while seats.len() < number {
            let Some(seat) = taken.recv().await else { return Err(self.why().await) };
            seats.push(seat);
        }
        let mut begins = Vec::new();
        for seat in &mut seats {
            let Ok(begun) = (&mut seat.begun).await else { return Err(self.why().await) };
            begins.push(begun);
        }
        let folder = &mut self.under_way.folder;
        let folder = folder.wait_for(Option::is_some).await.ok().and_then(|folder| folder.clone());
        let Some(folder) = folder else { return Err(self.why().await) };
        unless.0 = None;
        let seated = seats.into_iter().zip(begins);
        let seated = seated.map(|(Seat { task, agent, desk, .. }, begun)| Seat { task, agent, desk, begun });
        Ok((folder, seated.collect()))
    }

    async fn why(&self) -> String {
        match &*self.under_way.came().await {
            Came::BrokenOff(because) => because.clone(),
            Came::Sealed(_) => "it ended before its first turn".to_owned(),
        }
    }
}

/// The message about a run that another process writes.
const HELD: &str = "another process holds it: another server that has it open, or locard resume";

/// Interrupts a run when dropped.
struct Unless(Option<Interrupt>);

impl Drop for Unless {
    fn drop(&mut self) {
        if let Some(interrupt) = &self.0 {
            interrupt.interrupt();
        }
    }
}

/// Writes the key file with which the run can be opened again; returns a note if that fails, since the run can still be closed.
fn without_key(folder: &Path) -> Option<Progress> {
    let error = app::leave_key(folder).err()?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let told = format!("{name} cannot be opened again should the server end: its key file: {error}");
    Some(Progress::Note(told))
}
