//! `locard ask`.

mod answerer;
mod recorded;
mod shown;

pub(super) use answerer::{AnswererArguments, Answerers};

use crate::arguments::{EvidenceArguments, Format, MemoryArguments, SealArguments};
use crate::commands::{ended, run_folder, tables, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use ::graph::Run;
use app::{ToAsk, Verdict};
use ledger::TaskId;
use ledger::event::TaskStatus;
use recorded::{Place, record};
use shown::{Line, Shown, all_are_facts, cited, text, value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    pub(crate) answerer: AnswererArguments,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
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
pub(super) struct Of {
    pub(super) case: app::Case,
    pub(super) run: Option<(PathBuf, Run)>,
}

pub(super) fn execute(arguments: &AskArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let answerers = Answerers::new(&arguments.answerer, &arguments.runs)?;
    let of = opened(&arguments.of, &arguments.runs, &arguments.evidence)?;
    let unconfined = arguments.unconfined || of.run.as_ref().is_some_and(|(_, run)| !run.opened.confined);
    let (worker, scratch) = worker(unconfined, &of.case.paths)?;
    let tables = tables(&of.case, None, (&worker, &scratch), &arguments.checked.kept, printer)?;
    let known = of.run.as_ref().map(|(_, run)| run);
    let question = app::read_question(&arguments.question).map_err(Failure::Ask)?;
    let mut answer = Answered::looked(&tables, question, known, arguments.lang)?;
    for note in tables.notes() {
        printer.complain(&report::terminal(&format!("note: {note}")));
    }
    let mut made = None;
    if let Some(ask) = answer.to_ask(&answerers)? {
        let place = Place { worker, indexes: scratch.indexes().to_owned(), arguments, answerers: &answerers };
        let folder = record(place, &of, ask, printer)?;
        let run = app::load_run(&folder).map_err(Failure::Open)?;
        let calls = answer.recorded(&tables, &run, last_question(&run))?;
        made = Some((folder, calls));
    }
    let printed = match arguments.format {
        Format::Json => {
            printer.result(&report::json_text(&value(&answer.shown(made.as_ref()), answer.read().text())))
        }
        Format::Text => printer.result(&text(&answer.shown(made.as_ref()))),
    };
    Ok(ended(printer, printed, answer.code()))
}

/// Returns the last task of a run that answers a question.
fn last_question(run: &Run) -> Option<TaskId> {
    run.tasks
        .values()
        .filter(|view| view.assigned.is_of_a_question())
        .map(|view| view.assigned.task)
        .next_back()
}

/// A question with its answer, as far as it is known.
pub(super) struct Answered {
    language: report::Language,
    asked: app::Asked,
    verdict: Verdict,
    lines: Vec<Line>,
    /// The model that looked for the answer, if one did.
    model: Option<String>,
    notes: Vec<String>,
}

impl Answered {
    /// Looks for the answer, and for what the run has of it as facts.
    pub(super) fn looked(
        tables: &app::CaseTables,
        question: app::Question,
        known: Option<&Run>,
        language: report::Language,
    ) -> Result<Answered, Failure> {
        let asked = app::asked(tables, question).map_err(Failure::Ask)?;
        let lines = cited(&asked, tables, known.map(|run| (run, None)), language)?;
        let verdict = asked.answer.verdict;
        let (model, notes) = (None, Vec::new());
        Ok(Answered { language, asked, verdict, lines, model, notes })
    }

    /// Returns the question as it was read.
    pub(super) const fn read(&self) -> &app::Question {
        &self.asked.question
    }

    /// Returns the task that the answer still needs, if any: code records the rows that are not facts yet, or a chosen model looks for
    /// what code did not find.
    pub(super) fn to_ask(&self, answerers: &Answerers) -> Result<Option<ToAsk>, Failure> {
        let question = || app::question_to_record(&self.asked);
        if !self.lines.is_empty() {
            let needs_facts = !all_are_facts(&self.lines);
            return Ok(needs_facts.then(|| ToAsk { question: question(), by: app::Answerer::Code }));
        }
        match self.is_for_a_model() {
            true => answerers.model(self.read().text(), &self.asked.records(), question()),
            false => Ok(None),
        }
    }

    /// Checks whether a model may find what code did not. A date with two readings is for the person to settle, and no evidence settles
    /// a matter of opinion.
    fn is_for_a_model(&self) -> bool {
        match self.verdict {
            Verdict::NotDeterminable(app::Reason::NoQuestionOfEvidence)
            | Verdict::Values
            | Verdict::Yes
            | Verdict::No => false,
            Verdict::NotDeterminable(_) => {
                let has_readings = app::first_reading(self.read()).is_some();
                !(self.asks_back() && (self.is_understood() || has_readings))
            }
        }
    }

    /// Takes over what the task has recorded, and returns how many tools it called.
    pub(super) fn recorded(
        &mut self,
        tables: &app::CaseTables,
        run: &Run,
        task: Option<TaskId>,
    ) -> Result<usize, Failure> {
        let view = task.and_then(|task| run.tasks.get(&task));
        if let Some(view) = view.filter(|view| !view.assigned.ask) {
            self.found_by_a_model(view);
            return Ok(calls(view));
        }
        self.lines = cited(&self.asked, tables, Some((run, task)), self.language)?;
        // What the gateway refused is no part of an answer.
        let before = self.lines.len();
        self.lines.retain(|line| line.fact.is_some());
        self.verdict = held(self.verdict, before, self.lines.len());
        Ok(view.map_or(0, calls))
    }

    /// Takes over what a model's task has recorded: its facts, or else its absences.
    fn found_by_a_model(&mut self, view: &::graph::TaskView) {
        let model = view.assigned.model.clone();
        let answers = |fact: &ledger::FactEntry| {
            view.assigned.agent.objectives.iter().any(|objective| objective.is_answered_by(fact))
        };
        let mut seen = BTreeSet::new();
        let facts = view.accepted().map(|accepted| &accepted.fact).filter(|fact| seen.insert(fact.id));
        let (expected, others): (Vec<_>, Vec<_>) = facts.partition(|fact| answers(fact));
        let is_expected = !expected.is_empty() || view.assigned.agent.objectives.is_empty();
        self.lines =
            expected.into_iter().chain(others).map(|fact| Line::of_fact(fact, self.language)).collect();
        self.notes = Vec::new();
        if self.lines.is_empty() {
            let absences = view.covered().map(|covered| Line::of_absence(&covered.absence, self.language));
            self.lines = absences.collect();
            // What is absent is proven; that it answers the question is not.
            self.verdict = Verdict::NotDeterminable(app::Reason::NotRecorded);
            if !self.lines.is_empty() {
                self.notes.push(
                    "only absences were recorded: whether they answer the question is for you to judge"
                        .to_owned(),
                );
            }
        } else {
            self.verdict = Verdict::Values;
            if !is_expected {
                self.notes.push(
                    "none of this is from a record that code expects to answer such a question".to_owned(),
                );
            }
        }
        self.notes.push(match self.lines.is_empty() {
            true => format!("{model} looked, and recorded nothing"),
            false => {
                format!("recorded by {model}: code checked each value, not whether it answers the question")
            }
        });
        let status = view.ended.as_ref().map(|ended| ended.status);
        if let Some(status @ (TaskStatus::BudgetSpent | TaskStatus::ModelFailed | TaskStatus::Cancelled)) =
            status
        {
            self.notes.push(format!("its task did not come to its end: {}", report::status(status)));
        }
        self.model = Some(model);
    }

    /// The answer as it is printed.
    fn shown<'a>(&'a self, made: Option<&'a (PathBuf, usize)>) -> Shown<'a> {
        let (model, notes) = (self.model.as_deref(), self.notes.as_slice());
        Shown { asked: &self.asked, verdict: self.verdict, lines: &self.lines, model, notes, made }
    }

    /// The same as a text for people.
    pub(super) fn told(&self) -> String {
        text(&self.shown(None))
    }

    /// Whether the person is asked back.
    pub(super) fn asks_back(&self) -> bool {
        let is_open = matches!(self.verdict, Verdict::NotDeterminable(_)) && self.model.is_none();
        is_open && !self.asked.answer.questions.is_empty()
    }

    /// Whether a model looked for it.
    pub(super) const fn is_of_a_model(&self) -> bool {
        self.model.is_some()
    }

    /// Whether it was understood what is asked about.
    pub(super) const fn is_understood(&self) -> bool {
        self.asked.answer.topic.is_some()
    }

    /// What questions behind it can go on from.
    pub(super) fn exchange(&self) -> app::Exchange {
        app::Exchange::of(&self.asked.question, &self.asked.answer, &self.asked.rows)
    }

    /// The exit code that says whether there is an answer.
    const fn code(&self) -> u8 {
        match self.verdict {
            Verdict::Values | Verdict::Yes | Verdict::No => 0,
            Verdict::NotDeterminable(_) => Failure::NOT_DETERMINABLE,
        }
    }
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
pub(super) fn opened(of: &Path, runs: &Path, evidence: &[PathBuf]) -> Result<Of, Failure> {
    let is_run = of.join(RUN_FILE).exists();
    if of.exists() && !is_run {
        return Ok(Of { case: app::load_case(of).map_err(Failure::Case)?, run: None });
    }
    let folder = match is_run {
        true => of.to_owned(),
        false => run_folder(&of.to_string_lossy(), runs)?,
    };
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let case = app::evidence_of(&folder, evidence).map_err(Failure::Given)?;
    Ok(Of { case, run: Some((folder, run)) })
}
