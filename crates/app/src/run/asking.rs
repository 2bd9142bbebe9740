//! Use case: a run for a question in words. For a case it is a run whose only task answers the question; for a sealed run it is a branch
//! with one more task.

use super::asked::Answerer;
use super::folder::{create_folder, refuse_runs_inside};
use super::recording::{Open, Tasks};
use super::{Charge, Finished, RunError, Site, Workplace, asked, carry_on, opened};
use crate::brought::Brought;
use crate::case_file::Case;
use crate::clock::Clock;
use crate::open::OpenRunError;
use crate::progress::Progress;
use crate::stored::{Stored, StoredTask};
use crate::worker::Worker;
use ledger::event::{Parent, RunOpened, TaskAssigned};
use ledger::{
    AskedQuestion, Circumstance, Digest, Event, FORMAT, Rules, Seed, Stream, TaskId, ViewRules, Vocabulary,
    canonical,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Durability, Entry};

/// The first turn of a task.
const FIRST: u32 = 1;

/// A question with who answers it.
pub struct ToAsk {
    /// The question; for a model without rows.
    pub question: AskedQuestion,
    /// Who answers it.
    pub by: Answerer,
}

/// Begins a run of a case whose only task answers the question, and seals it.
///
/// # Errors
///
/// As [`super::run`].
pub async fn ask_case(case: Case, ask: ToAsk, runs: &Path, work: Workplace) -> Result<Finished, RunError> {
    let Begun { open, site, hasher, charge } = begin(case, ask, runs, work).await?;
    let folder = open.folder.clone();
    let hire = Box::new(move |assigned: &TaskAssigned| Err(nobody_hires(&folder, assigned)));
    let asked = std::iter::once(charge).zip(open.unbegun()).collect();
    let (begun, dispatched) = (Vec::new(), Vec::new());
    let tasks = Tasks { begun, dispatched, hunted: Vec::new(), swept: Vec::new(), asked, hire };
    carry_on(open, site, hasher, tasks).await
}

/// A run that was opened for a question, and what carries out its task.
pub(super) struct Begun {
    pub(super) open: Open,
    pub(super) site: Site,
    pub(super) hasher: Worker,
    pub(super) charge: Charge,
}

/// The error if a task is to be assigned in a run that only answers questions.
pub(super) fn nobody_hires(folder: &Path, assigned: &TaskAssigned) -> RunError {
    let (agent, model) = (assigned.agent.name.clone(), assigned.model.clone());
    RunError::OtherModel { folder: folder.to_owned(), agent, model }
}

/// Opens a run of a case whose only task answers the question.
pub(super) async fn begin(case: Case, ask: ToAsk, runs: &Path, work: Workplace) -> Result<Begun, RunError> {
    let vocabulary = Vocabulary::shipped().map_err(RunError::Vocabulary)?;
    for folder in [Some(runs), Some(&*work.indexes), work.cache.as_deref()].into_iter().flatten() {
        refuse_runs_inside(folder, &case.paths)?;
    }
    let ToAsk { question, by } = ask;
    // The run answers the question and nothing else.
    let rules = Rules { sweep: false, ..Rules::default() };
    let of = canonical::to_vec(&(&case.entry, &rules, &question)).map_err(RunError::Canonical)?;
    let seed = Seed(Digest::of_parts(&[b"locard seed", &of]));
    let confined = !work.worker.unconfined;
    let mut opened = opened(&case, rules, seed, vocabulary, Vec::new(), Vec::new(), confined)?;
    if matches!(by, Answerer::Code) {
        opened.asked.push(question.clone());
    }
    let (charge, assigned) = asked::task(&opened, TaskId(1), &question, &by)?;
    // A model whose context is small must be shown less.
    opened.rules.view = assigned.window.into_iter().fold(opened.rules.view, ViewRules::within);
    let assigned = vec![assigned];
    let site = Site { case, work, brought: Arc::new(Brought::default()), before: None };
    let (site, hasher) = site.enter().await?;
    let remembered = site.recall(&opened, &assigned).await?;
    let opened = RunOpened { remembered, ..opened };
    let open = Open::create(runs, &site, opened, assigned, hasher.confinement())?;
    (site.work.observe)(Progress::Opened { folder: open.folder.clone() });
    Ok(Begun { open, site, hasher, charge })
}

/// A run that a question branches off.
pub struct AskBranch<'r> {
    /// The folder of the other run.
    pub folder: &'r Path,
    /// The question.
    pub ask: &'r ToAsk,
    /// Where the new run's folder is made.
    pub runs: &'r Path,
    /// The clock, by which the new folder is named.
    pub clock: &'r dyn Clock,
}

/// Makes the folder of a run that has all of another one, and a task for the question; [`super::resume`] goes on with it.
///
/// # Errors
///
/// Where the other run cannot be read, or the new one not be written.
pub fn branch_to_ask(request: &AskBranch<'_>) -> Result<PathBuf, RunError> {
    let (stored, reader) = Stored::open(request.folder).map_err(RunError::Log)?;
    let folder = || request.folder.to_owned();
    let Some(opened) = &stored.opened else { return Err(RunError::NothingRecorded { folder: folder() }) };
    if !matches!(stored.of_run.last(), Some(Event::RunSealed(_))) {
        return Err(RunError::NotSealed { folder: folder() });
    }
    let task = next(&stored.tasks);
    let run = stored.name(request.folder);
    let parent = run.zip(stored.head).map(|(run, head)| Parent { run, head, task, turn: FIRST });
    let ToAsk { question, by } = request.ask;
    let by_code = matches!(by, Answerer::Code).then(|| question.clone());
    let asked = opened.asked.iter().cloned().chain(by_code).collect();
    let program = env!("CARGO_PKG_VERSION").to_owned();
    let opened = RunOpened { format: FORMAT, program, parent, asked, ..opened.clone() };
    let (_, assigned) = asked::task(&opened, task, question, by)?;
    let options = store::Options::default();
    let (made, id, writer) = create_folder(request.runs, &opened.case.name, request.clock, options)?;
    let read = |source| {
        RunError::Log(OpenRunError::Read { folder: request.folder.to_owned(), source: Box::new(source) })
    };
    let append = |entry: Entry| {
        writer
            .append(vec![entry], Durability::Buffered)
            .map_err(|source| RunError::Recording { folder: request.folder.to_owned(), source })
    };
    for event in reader.events() {
        let (link, event, circumstance) = event.map_err(read)?;
        let (event, circumstance) = match event {
            Event::RunOpened(_) => {
                let circumstance = Circumstance { run: Some(id.clone()), ..circumstance };
                (Event::RunOpened(Box::new(opened.clone())), circumstance)
            }
            Event::TablesRead(_) | Event::EvidenceHashed(_) | Event::RunSealed(_) => continue,
            event => (event, circumstance),
        };
        let payload = match event.payload() {
            Some(digest) => reader.payload(&digest).map_err(read)?.map(Arc::from),
            None => None,
        };
        append(Entry { stream: link.stream, event, circumstance, payload })?;
    }
    let circumstance = Circumstance::at(request.clock.now());
    append(Entry { stream: Stream::Run, event: Event::TaskAssigned(assigned), circumstance, payload: None })?;
    Ok(made)
}

/// The number of the next task.
fn next(tasks: &[StoredTask]) -> TaskId {
    next_of(tasks.iter().map(|task| &task.assigned))
}

/// The same by assignments.
pub(super) fn next_of<'t>(assigned: impl Iterator<Item = &'t TaskAssigned>) -> TaskId {
    let last = assigned.map(|assigned| assigned.task.0).max().unwrap_or(0);
    TaskId(last.saturating_add(1))
}
