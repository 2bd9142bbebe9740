//! The run in which an answer's rows become facts: of a case a new one, of a run a branch.

use super::{Answerers, AskArguments, Of};
use crate::commands::memory::memory_use;
use crate::commands::run::{cache, level};
use crate::failure::Failure;
use crate::heads;
use crate::platform::Signals;
use crate::printer::{Printer, complain};
use app::{
    Answerer, AskBranch, Finished, Interrupt, MemoryUse, Progress, ResumeRequest, SystemClock, ToAsk,
    WorkerRequest, Workplace,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the work is done.
pub(super) struct Place<'a> {
    pub(super) worker: WorkerRequest,
    pub(super) indexes: PathBuf,
    pub(super) arguments: &'a AskArguments,
    pub(super) answerers: &'a Answerers,
}

/// Makes the run, and gives its folder.
pub(super) fn record(place: Place<'_>, of: &Of, ask: ToAsk, printer: &Printer) -> Result<PathBuf, Failure> {
    let (arguments, answerers) = (place.arguments, place.answerers);
    // Code records rows that it has found already: there is nothing to recall for that.
    let memory = match ask.by {
        Answerer::Code => MemoryUse::None,
        Answerer::Model { .. } => memory_use(&arguments.memory, &of.case.paths, printer)?,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let signals = runtime.block_on(async { Signals::listen() })?;
    let interrupt = Interrupt::new();
    let work = Workplace {
        integrity: level(arguments.checked.integrity),
        worker: place.worker,
        indexes: place.indexes,
        cache: cache(&arguments.checked.kept, &of.case.paths, printer)?,
        recording: store::Options { shared: arguments.shared, ..store::Options::default() },
        clock: Arc::new(SystemClock),
        observe: Arc::new(|event| {
            crate::log::progress(0, &event);
            if let Progress::Note(note) = event {
                complain(&report::terminal(&format!("note: {note}")));
            }
        }),
        interrupt: interrupt.clone(),
        keep: heads::keep(&arguments.seal, &of.case.paths, printer)?,
        memory,
    };
    let finished = match &of.run {
        None => {
            let asking = app::ask_case(of.case.clone(), ask, &arguments.runs, work);
            runtime.block_on(interruptible(asking, signals, &interrupt))
        }
        Some((folder, _)) => {
            let request = resumed(folder, of, &ask, work, (arguments, answerers))?;
            runtime.block_on(interruptible(app::resume(request), signals, &interrupt))
        }
    };
    finished.map(|finished| finished.folder).map_err(|error| Failure::Run(Box::new(error)))
}

/// The branch, as a run that is gone on with.
fn resumed(
    folder: &Path,
    of: &Of,
    ask: &ToAsk,
    work: Workplace,
    (arguments, answerers): (&AskArguments, &Answerers),
) -> Result<ResumeRequest, Failure> {
    let branch = AskBranch { folder, ask, runs: &arguments.runs, clock: &SystemClock };
    app::refuse_runs_inside(&arguments.runs, &of.case.paths)
        .map_err(|error| Failure::Run(Box::new(error)))?;
    let made = app::branch_to_ask(&branch).map_err(|error| Failure::Run(Box::new(error)))?;
    let chooser = Arc::clone(&answerers.chooser);
    Ok(ResumeRequest {
        folder: made,
        evidence: arguments.evidence.clone(),
        agents: app::shipped_crew().map_err(Failure::Agents)?,
        models: Box::new(move |task| chooser.of_task(task)),
        work,
    })
}

/// Stops in order at the first signal.
async fn interruptible(
    asking: impl Future<Output = Result<Finished, app::RunError>>,
    mut signals: Signals,
    interrupt: &Interrupt,
) -> Result<Finished, app::RunError> {
    let mut asking = std::pin::pin!(asking);
    loop {
        tokio::select! {
            finished = &mut asking => return finished,
            _ = signals.next() => interrupt.interrupt(),
        }
    }
}
