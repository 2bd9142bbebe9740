//! Use case: a run that stays open while somebody asks: each question in words has a task of it, and it is sealed when they leave.
//!
//! Of a case it is a run, of a sealed run a branch; of one that broke off it goes on.
//! Its log is that of [`super::ask_case`], with more tasks behind: `resume` ends its last question and seals it, and `verify` follows it.

use super::asking::{AskBranch, Begun, ToAsk, begin, branch_to_ask, next_of, nobody_hires};
use super::evidence::hash;
use super::recording::{Open, Tasks};
use super::resume::{Found, ResumeRequest, TakenUp, ended, take_up};
use super::{Charge, Finished, RunError, Site, Unsealed, Workplace, asked, seal_when_hashed};
use crate::case_file::Case;
use crate::crew::{Crew, Hire};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::purse::Purse;
use crate::stored::StoredTask;
use crate::worker::Worker;
use ledger::event::{TaskAssigned, TaskEnded, TaskStatus};
use ledger::{Event, TaskId};
use std::path::Path;
use std::sync::Arc;

/// A run that is open for questions.
pub struct Session {
    unsealed: Unsealed,
    crew: Arc<Crew>,
    /// Tasks that have no end yet.
    due: Vec<(Charge, StoredTask)>,
    ended: Vec<(TaskId, String, TaskEnded)>,
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// Its task.
    pub task: TaskId,
    /// Whether it was ended before all was recorded.
    pub cancelled: bool,
}

/// What a session begins with: a run, the tasks that have ended, and those that have not.
struct Ready {
    open: Open,
    site: Site,
    hasher: Worker,
    hire: Box<Hire>,
    stored: Vec<StoredTask>,
    dispatched: Vec<StoredTask>,
    due: Vec<(Charge, StoredTask)>,
}

/// Opens a run of a case with the task of a first question.
///
/// # Errors
///
/// As [`super::ask_case`].
pub async fn session_of_case(
    case: Case,
    ask: ToAsk,
    runs: &Path,
    work: Workplace,
) -> Result<Session, RunError> {
    let Begun { open, site, hasher, charge } = begin(case, ask, runs, work).await?;
    let folder = open.folder.clone();
    let hire = Box::new(move |assigned: &TaskAssigned| Err(nobody_hires(&folder, assigned)));
    let stored = open.unbegun();
    let due = std::iter::once(charge).zip(stored.clone()).collect();
    Session::go_on(Ready { open, site, hasher, hire, stored, dispatched: Vec::new(), due }).await
}

/// Opens a branch of a sealed run with the task of a first question; `request` says how it is gone on with, whatever folder it names.
///
/// # Errors
///
/// As [`branch_to_ask`] and [`super::resume`].
pub async fn session_of_run(branch: AskBranch<'_>, request: ResumeRequest) -> Result<Session, RunError> {
    let folder = branch_to_ask(&branch)?;
    session_again(ResumeRequest { folder, ..request }).await
}

/// Goes on with a session that broke off; its last question is ended with the next one, or when it is sealed.
///
/// # Errors
///
/// As [`super::resume`]; and where the run has tasks without an end that are no questions, or is sealed.
pub async fn session_again(request: ResumeRequest) -> Result<Session, RunError> {
    let folder = request.folder.clone();
    let taken = match take_up(request).await? {
        Found::Sealed(_) => return Err(RunError::NoSession { folder }),
        Found::Open(taken) => *taken,
    };
    let TakenUp { open, site, hasher, tasks, stored } = taken;
    let Tasks { begun, dispatched, hunted, swept, asked, hire } = tasks;
    let others = begun.iter().chain(&hunted).chain(&swept).map(|(_, stored)| stored).chain(&dispatched);
    if others.into_iter().any(|task| ended(task).is_none()) {
        return Err(RunError::NoSession { folder });
    }
    let due = asked.into_iter().filter(|(_, stored)| ended(stored).is_none()).collect();
    Session::go_on(Ready { open, site, hasher, hire, stored, dispatched, due }).await
}

impl Session {
    async fn go_on(ready: Ready) -> Result<Session, RunError> {
        let Ready { open, site, hasher, hire, stored, dispatched, due } = ready;
        let stop_hashing = hasher.canceller();
        let names = open.index_names(&site, &hasher).await?;
        let hashing = hash(&site, open.folder.clone(), hasher);
        let tables = Arc::new(open.tables(&site));
        let purse = Purse::of(&open.opened.rules.budgets, &stored);
        let so_far = open.so_far(stored.iter(), &dispatched)?;
        let crew = open.crew(&site, (&names.files, &tables), hire, purse, so_far, dispatched);
        let end = |task: &StoredTask| ended(task).map(|(agent, end)| (task.assigned.task, agent, end));
        let ended = stored.iter().filter_map(end).collect();
        let unsealed = Unsealed { open, site, names, tables, hashing, stop_hashing };
        Ok(Session { unsealed, crew, due, ended })
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.unsealed.open.folder
    }

    /// Records what answers the question that the session was opened with; gives nothing where none is open.
    ///
    /// # Errors
    ///
    /// As those of [`Session::ask`].
    pub async fn first(&mut self, cancel: &Interrupt) -> Result<Option<Recorded>, RunError> {
        self.work(cancel).await
    }

    /// Assigns the task that answers a question, and waits until it ends. `cancel` ends this task and no other.
    ///
    /// # Errors
    ///
    /// If it cannot be recorded, or no tool runs. The session is then over and its run is not sealed.
    pub async fn ask(&mut self, ask: &ToAsk, cancel: &Interrupt) -> Result<Option<Recorded>, RunError> {
        let ToAsk { question, by } = ask;
        let open = &mut self.unsealed.open;
        let task = next_of(open.assigned.iter());
        let (charge, assigned) = asked::task(&open.opened, task, question, by)?;
        let assigned = TaskAssigned { asked: Some(Box::new(question.clone())), ..assigned };
        open.append(vec![open.recorder.run_entry(Event::TaskAssigned(assigned.clone()))])?;
        open.assigned.push(assigned.clone());
        self.due.push((charge, StoredTask { assigned, events: Vec::new() }));
        self.work(cancel).await
    }

    /// Does the tasks that are due; gives the last of them.
    async fn work(&mut self, cancel: &Interrupt) -> Result<Option<Recorded>, RunError> {
        let due = std::mem::take(&mut self.due);
        if due.is_empty() {
            return Ok(None);
        }
        let done = self.crew.work(due, cancel).await?;
        let mut last = None;
        for (task, agent, done) in done {
            let cancelled = done.ended.status == TaskStatus::Cancelled;
            last = Some(Recorded { task, cancelled });
            self.ended.push((task, agent, done.ended));
        }
        Ok(last)
    }

    /// Hashes the evidence to its end, and seals the run.
    ///
    /// # Errors
    ///
    /// As [`super::resume`], which goes on with it then.
    pub async fn seal(mut self) -> Result<Finished, RunError> {
        self.work(&Interrupt::new()).await?;
        let Session { unsealed, crew, due: _, mut ended } = self;
        drop(crew);
        ended.sort_by_key(|(task, ..)| *task);
        seal_when_hashed(unsealed, ended.into_iter().map(|(_, agent, ended)| (agent, ended)).collect()).await
    }

    /// Leaves the run as it is, not sealed; `resume` goes on with it.
    pub async fn leave(self) {
        let Unsealed { open, site, hashing, stop_hashing, .. } = self.unsealed;
        stop_hashing.cancel();
        (site.work.observe)(Progress::Note(format!(
            "{} is not sealed; `locard resume` seals it",
            open.folder.display()
        )));
        // Whatever it came to is not recorded.
        drop(hashing.await);
    }
}
