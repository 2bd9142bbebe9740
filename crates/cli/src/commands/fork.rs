//! `locard replay --from-turn`: a new run that branches off a recorded one.

use super::replay::ReplayArguments;
use super::run::{Begin, begin_all};
use super::run_folder;
use crate::arguments::{
    CacheArguments, EvidenceArguments, IntegrityArgument, MemoryArguments, SealArguments, WorkArguments,
};
use crate::failure::Failure;
use crate::models::{Chooser, Given};
use crate::printer::Printer;
use app::{ForkRequest, ReplayRequest, SystemClock};
use std::sync::Arc;
use std::time::Duration;

pub(super) fn execute(arguments: &ReplayArguments, turn: u32, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let given = Given {
        context: None,
        prices: arguments.price,
        patience: arguments.patience.map(Duration::from_secs),
    };
    // The other tasks keep the models that the log names; --model and --price apply to the branching task only.
    let later = Given { patience: given.patience, ..Given::default() };
    let (branch, chooser) =
        (Chooser::new(given, &arguments.runs), Arc::new(Chooser::new(later, &arguments.runs)));
    let request = ForkRequest {
        folder,
        of: ReplayRequest { agent: arguments.agent.clone(), task: arguments.task },
        turn,
        model: arguments.model.clone(),
        runs: arguments.runs.clone(),
        agents: app::shipped_crew().map_err(Failure::Agents)?,
        models: Box::new(move |task| branch.of_branch(task)),
        clock: Arc::new(SystemClock),
    };
    let made = app::fork(&request).map_err(|error| Failure::Run(Box::new(error)))?;
    printer.complain(&report::terminal(&format!("branched off to {}", made.display())));
    let work = WorkArguments {
        evidence: EvidenceArguments { integrity: IntegrityArgument::Full, kept: CacheArguments::default() },
        seal: SealArguments::default(),
        // The branch already has what the original run recalled. It writes no lessons, because it is only a what-if.
        memory: MemoryArguments { no_memory: true, ..MemoryArguments::default() },
        fail_on: Vec::new(),
        quiet: false,
        format: arguments.format,
        lang: report::Language::default(),
    };
    let begin = Ok(Begin::BrokenOff { folder: made.clone(), evidence: arguments.live.evidence.clone() });
    begin_all(vec![(made, begin)], &[], None, &work, chooser, printer)
}
