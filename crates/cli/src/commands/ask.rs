//! `locard ask`.

mod recorded;
mod shown;

use crate::arguments::{EvidenceArguments, Format, SealArguments};
use crate::commands::{ended, run_folder, tables, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use ::graph::Run;
use app::Verdict;
use ledger::TaskId;
use recorded::{Place, record};
use shown::{Shown, all_are_facts, cited, text, value};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct AskArguments {
    /// A case, evidence, or a run (its folder, the beginning of its name, latest)
    #[arg(value_name = "CASE|RUN")]
    pub(crate) of: PathBuf,
    /// The question, in English or German
    pub(crate) question: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Where the run's evidence is now: a case, evidence, or LABEL=PATH
    ///
    /// By default, where the run found it.
    #[arg(long, value_name = "EVIDENCE", hide_short_help = true)]
    pub(crate) evidence: Vec<PathBuf>,
    /// How to print the answer
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Let other users read the run folder, as far as the umask allows
    #[arg(long, hide_short_help = true)]
    pub(crate) shared: bool,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t)]
    pub(crate) lang: report::Language,
    #[command(flatten)]
    pub(crate) checked: EvidenceArguments,
    #[command(flatten)]
    pub(crate) seal: SealArguments,
    /// Run tools even where they cannot be confined; every report says so
    #[arg(long)]
    pub(crate) unconfined: bool,
}

/// The name of the file that makes a folder a run.
const RUN_FILE: &str = "run.db";

/// What is asked: a case, or a run with the case that it is of.
struct Of {
    case: app::Case,
    run: Option<(PathBuf, Run)>,
}

pub(super) fn execute(arguments: &AskArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let of = opened(arguments)?;
    let unconfined = arguments.unconfined || of.run.as_ref().is_some_and(|(_, run)| !run.opened.confined);
    let (worker, scratch) = worker(unconfined, &of.case.paths)?;
    let tables = tables(&of.case, None, (&worker, &scratch), &arguments.checked.kept, printer)?;
    let asked = app::asked(&tables, &arguments.question).map_err(Failure::Ask)?;
    for note in tables.notes() {
        printer.complain(&report::terminal(&format!("note: {note}")));
    }
    let known = of.run.as_ref().map(|(_, run)| (run, None));
    let mut lines = cited(&asked, &tables, known, arguments.lang)?;
    let mut made = None;
    let mut verdict = asked.answer.verdict;
    if !lines.is_empty() && !all_are_facts(&lines) {
        let question = app::question_to_record(&asked, &arguments.question);
        let place = Place { worker, indexes: scratch.indexes().to_owned(), arguments };
        let folder = record(place, &of, question, printer)?;
        let run = app::load_run(&folder).map_err(Failure::Open)?;
        let task: Option<TaskId> =
            run.tasks.values().filter(|view| view.assigned.ask).map(|view| view.assigned.task).next_back();
        lines = cited(&asked, &tables, Some((&run, task)), arguments.lang)?;
        // What the gateway refused is no part of an answer.
        let before = lines.len();
        lines.retain(|line| line.fact.is_some());
        verdict = held(verdict, before, lines.len());
        let calls = task.and_then(|task| run.tasks.get(&task)).map_or(0, calls);
        made = Some((folder, calls));
    }
    let shown = Shown { asked: &asked, verdict, lines: &lines, made: made.as_ref() };
    let printed = match arguments.format {
        Format::Json => printer.result(&report::json_text(&value(&shown, &arguments.question))),
        Format::Text => printer.result(&text(&shown)),
    };
    let code = match verdict {
        Verdict::Values | Verdict::Yes | Verdict::No => 0,
        Verdict::NotDeterminable(_) => Failure::NOT_DETERMINABLE,
    };
    Ok(ended(printer, printed, code))
}

/// What an answer says of which so many rows are left: without any nothing bears it out, and a no that named rows needs all of them.
fn held(verdict: Verdict, before: usize, left: usize) -> Verdict {
    let is_short = match verdict {
        Verdict::No => left < before,
        Verdict::Values | Verdict::Yes | Verdict::NotDeterminable(_) => left == 0,
    };
    if is_short { Verdict::NotDeterminable(app::Reason::NotRecorded) } else { verdict }
}

/// How many tools were called for a task.
fn calls(view: &::graph::TaskView) -> usize {
    view.invocations.len()
}

/// The case that is asked, and the run, where one is named.
fn opened(arguments: &AskArguments) -> Result<Of, Failure> {
    let of = &arguments.of;
    let is_run = of.join(RUN_FILE).exists();
    if of.exists() && !is_run {
        return Ok(Of { case: app::load_case(of).map_err(Failure::Case)?, run: None });
    }
    let folder = match is_run {
        true => of.clone(),
        false => run_folder(&of.to_string_lossy(), &arguments.runs)?,
    };
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let case = app::evidence_of(&folder, &arguments.evidence).map_err(Failure::Given)?;
    Ok(Of { case, run: Some((folder, run)) })
}
