//! What is asked: a case with its tables, and the one run in which answers are recorded.

use super::ConsoleArguments;
use super::stage::Stage;
use crate::commands::ask::{Answerers, Of, opened};
use crate::commands::memory::memory_use;
use crate::commands::run::{cache, level};
use crate::commands::{tables, worker};
use crate::failure::Failure;
use crate::heads;
use crate::printer::Printer;
use crate::scratch::Scratch;
use ::graph::Run;
use app::{
    AskBranch, CaseTables, Interrupt, MemoryUse, Progress, ResumeRequest, Session, SystemClock, ToAsk,
    WorkerRequest, Workplace, World,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is asked, and what is recorded of it.
pub(super) struct Desk {
    case: app::Case,
    /// The run that was named, with its folder: it is sealed, and stays as it is.
    of: Option<(PathBuf, Arc<Run>)>,
    /// A run of a console that broke off, which goes on.
    again: Option<PathBuf>,
    pub(super) answerers: Arc<Answerers>,
    memory: MemoryUse,
    worker: WorkerRequest,
    scratch: Scratch,
    /// Gone where a question was ended: they are opened again for the next one.
    tables: Option<Arc<CaseTables>>,
    pub(super) world: World,
    /// The run of this session, and what is in it.
    session: Option<Session>,
    recorded: Option<Arc<Run>>,
    pub(super) stage: Stage,
    /// What ends the session before its end.
    pub(super) interrupt: Interrupt,
}

impl Desk {
    pub(super) fn open(
        arguments: &ConsoleArguments,
        what: &Path,
        answerers: Arc<Answerers>,
        is_live: bool,
        printer: &Printer,
    ) -> Result<Desk, Failure> {
        let Of { case, run } = opened(what, &arguments.runs, &arguments.evidence)?;
        app::refuse_runs_inside(&arguments.runs, &case.paths)
            .map_err(|error| Failure::Run(Box::new(error)))?;
        let unconfined = arguments.unconfined || run.as_ref().is_some_and(|(_, run)| !run.opened.confined);
        let (worker, scratch) = worker(unconfined, &case.paths)?;
        let (of, again) = match run {
            Some((folder, run)) if run.sealed.is_none() => {
                drop(run);
                (None, Some(folder))
            }
            Some((folder, run)) => (Some((folder, Arc::new(run))), None),
            None => (None, None),
        };
        // A wrong key or cache is told before anything is asked.
        heads::keep(&arguments.seal, &case.paths, printer)?;
        // Code records rows that it has found already: there is nothing to recall for that.
        let memory = match answerers.has_model() {
            true => memory_use(&arguments.memory, &case.paths, printer)?,
            false => MemoryUse::None,
        };
        Ok(Desk {
            answerers,
            memory,
            case,
            of,
            again,
            worker,
            scratch,
            tables: None,
            world: World::default(),
            session: None,
            recorded: None,
            stage: Stage::new(is_live),
            interrupt: Interrupt::new(),
        })
    }

    /// Where the evidence lies.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.case.paths
    }

    /// What it is called.
    pub(super) fn name(&self) -> &str {
        &self.case.entry.name
    }

    /// The labels of the evidence.
    pub(super) fn labels(&self) -> Vec<String> {
        self.case.entry.evidence.iter().map(|entry| entry.label.clone()).collect()
    }

    /// The folder of the run that broke off, where one goes on.
    pub(super) const fn again(&self) -> Option<&PathBuf> {
        self.again.as_ref()
    }

    /// The tables, opened where they are not.
    pub(super) fn tables(
        &mut self,
        arguments: &ConsoleArguments,
        printer: &Printer,
    ) -> Result<Arc<CaseTables>, Failure> {
        if let Some(tables) = &self.tables {
            return Ok(Arc::clone(tables));
        }
        let made = tables(&self.case, None, (&self.worker, &self.scratch), &arguments.checked.kept, printer)?;
        Ok(Arc::clone(self.tables.insert(Arc::new(made))))
    }

    /// Lets go of the tables of a question that was ended.
    pub(super) fn drop_tables(&mut self) {
        self.tables = None;
    }

    /// The run whose facts are known, the newest.
    pub(super) fn run(&self) -> Option<Arc<Run>> {
        self.recorded.clone().or_else(|| self.of.as_ref().map(|(_, run)| Arc::clone(run)))
    }

    /// Its folder.
    pub(super) fn folder(&self) -> Option<&Path> {
        let of = || self.of.as_ref().map(|(folder, _)| folder.as_path());
        self.session.as_ref().map(Session::folder).or_else(of)
    }

    /// The folder of the run of this session, where it has one.
    pub(super) fn session_folder(&self) -> Option<&Path> {
        self.session.as_ref().map(Session::folder)
    }

    /// Reads what the run of the session has recorded by now.
    pub(super) fn read_again(&mut self) -> Result<Option<Arc<Run>>, Failure> {
        let Some(session) = &self.session else { return Ok(None) };
        let run = Arc::new(app::load_run(session.folder()).map_err(Failure::Open)?);
        self.recorded = Some(Arc::clone(&run));
        Ok(Some(run))
    }

    /// Goes on with the run that broke off.
    pub(super) async fn go_on(
        &mut self,
        arguments: &ConsoleArguments,
        printer: &Printer,
    ) -> Result<(), Failure> {
        let Some(folder) = self.again.clone() else { return Ok(()) };
        let request = self.resumed(folder, arguments, printer)?;
        let mut session = app::session_again(request).await.map_err(failed)?;
        session.first(&Interrupt::new()).await.map_err(failed)?;
        self.session = Some(session);
        self.read_again()?;
        Ok(())
    }

    /// Has a question answered in a task of the run. Returns the task; `None` if it was ended early.
    pub(super) async fn record(
        &mut self,
        ask: ToAsk,
        cancel: &Interrupt,
        arguments: &ConsoleArguments,
        printer: &Printer,
    ) -> Result<Option<ledger::TaskId>, Failure> {
        let done = match self.session.take() {
            Some(mut session) => {
                let done = session.ask(&ask, cancel).await;
                self.keep(session, done.is_ok()).await;
                done
            }
            None => {
                let mut session = self.begun(ask, arguments, printer).await?;
                let done = session.first(cancel).await;
                self.keep(session, done.is_ok()).await;
                done
            }
        };
        Ok(done.map_err(failed)?.filter(|done| !done.cancelled).map(|done| done.task))
    }

    /// After an error a session is over; its run is left as it is.
    async fn keep(&mut self, session: Session, is_well: bool) {
        match is_well {
            true => self.session = Some(session),
            false => {
                self.recorded = None;
                session.leave().await;
            }
        }
    }

    async fn begun(
        &self,
        ask: ToAsk,
        arguments: &ConsoleArguments,
        printer: &Printer,
    ) -> Result<Session, Failure> {
        match &self.of {
            None => {
                let work = self.work(arguments, printer)?;
                app::session_of_case(self.case.clone(), ask, &arguments.runs, work).await
            }
            Some((folder, _)) => {
                let branch = AskBranch { folder, ask: &ask, runs: &arguments.runs, clock: &SystemClock };
                let request = self.resumed(folder.clone(), arguments, printer)?;
                app::session_of_run(branch, request).await
            }
        }
        .map_err(failed)
    }

    /// Seals the run of the session; gives its folder, where there is one.
    pub(super) async fn seal(&mut self) -> Result<Option<PathBuf>, Failure> {
        let Some(session) = self.session.take() else { return Ok(None) };
        session.seal().await.map(|finished| Some(finished.folder)).map_err(failed)
    }

    fn work(&self, arguments: &ConsoleArguments, printer: &Printer) -> Result<Workplace, Failure> {
        let stage = self.stage.clone();
        Ok(Workplace {
            integrity: level(arguments.checked.integrity),
            worker: self.worker.clone(),
            indexes: self.scratch.indexes().to_owned(),
            cache: cache(&arguments.checked.kept, &self.case.paths, printer)?,
            recording: store::Options { shared: arguments.shared, ..store::Options::default() },
            clock: Arc::new(SystemClock),
            observe: Arc::new(move |event| {
                crate::log::progress(0, &event);
                match event {
                    Progress::Note(note) => stage.say(&report::terminal(&format!("note: {note}"))),
                    event => stage.hear(&event),
                }
            }),
            interrupt: self.interrupt.clone(),
            keep: heads::keep(&arguments.seal, &self.case.paths, printer)?,
            memory: self.memory.clone(),
        })
    }

    fn resumed(
        &self,
        folder: PathBuf,
        arguments: &ConsoleArguments,
        printer: &Printer,
    ) -> Result<ResumeRequest, Failure> {
        let chooser = Arc::clone(&self.answerers.chooser);
        Ok(ResumeRequest {
            folder,
            evidence: arguments.evidence.clone(),
            agents: app::shipped_crew().map_err(Failure::Agents)?,
            models: Box::new(move |task| chooser.of_task(task)),
            work: self.work(arguments, printer)?,
        })
    }
}

fn failed(error: app::RunError) -> Failure {
    Failure::Run(Box::new(error))
}
