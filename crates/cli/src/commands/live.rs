//! `locard replay --tools live`: runs the tools of a run again on its evidence.

use super::signalled::until_signal;
use crate::arguments::Format;
use crate::commands::{ended, print, run_folder, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::screen::Screen;
use app::{
    Again, AgainError, CallDiffers, Difference, EvidenceAgain, FieldDiffers, Interrupt, Part, RecordChange,
    RecordDiffers, RecordsDiffer, ReplayRequest, ReproduceRequest, Reproduced, TextsDiffer,
};
use clap::ValueEnum;
use ledger::IntegrityLevel;
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(crate) struct LiveArguments {
    /// Where tool outputs come from; by default, the recording
    #[arg(long, value_enum, value_name = "FROM", group = "live")]
    pub(crate) tools: Option<ToolsFrom>,
    /// Where the run's evidence is now: a case, evidence, or LABEL=PATH
    ///
    /// With --tools live and --from-turn; may be given several times.
    /// By default, where the run found it.
    #[arg(long, value_name = "EVIDENCE", requires = "live", hide_short_help = true)]
    pub(crate) evidence: Vec<PathBuf>,
    /// Run tools even where they cannot be confined
    #[arg(long, requires = "tools", hide_short_help = true)]
    pub(crate) unconfined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsFrom {
    /// The recording; no evidence is needed
    Recorded,
    /// The tools themselves, run again in the sandbox
    Live,
}

/// Which run, which of its calls, and the output format.
pub(super) struct Asked<'a> {
    pub(super) run: &'a str,
    pub(super) runs: &'a Path,
    pub(super) only: ReplayRequest,
    pub(super) format: Format,
}

/// The most examples to show of one kind of change in one call.
const EXAMPLES: usize = 5;

pub(super) fn execute(
    asked: Asked<'_>,
    arguments: &LiveArguments,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let folder = run_folder(asked.run, asked.runs)?;
    let (only, run) = (asked.only, folder.as_path());
    let reproduced = over_evidence(run, &arguments.evidence, arguments.unconfined, |request| {
        let request = ReproduceRequest { only, ..request };
        async move { app::reproduce(run, &request).await }
    })?;
    let printed = print(printer, asked.format, || text(&reproduced), || value(&reproduced));
    Ok(ended(printer, printed, if reproduced.same { 0 } else { Failure::NOT_REPRODUCED }))
}

/// Runs `work` on the evidence of a run, wherever that is now; a signal stops it cleanly.
pub(super) fn over_evidence<T, W: Future<Output = Result<T, AgainError>>>(
    folder: &Path,
    given: &[PathBuf],
    unconfined: bool,
    work: impl FnOnce(ReproduceRequest) -> W,
) -> Result<T, Failure> {
    let case = app::evidence_of(folder, given).map_err(Failure::Given)?;
    let (worker, scratch) = worker(unconfined, &case.paths)?;
    let interrupt = Interrupt::new();
    let screen = Arc::new(Screen::new(false));
    let painter = Arc::clone(&screen);
    let request = ReproduceRequest {
        case,
        only: ReplayRequest::default(),
        jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        examples: EXAMPLES,
        worker,
        indexes: scratch.indexes().to_owned(),
        observe: Arc::new(move |again| show(&painter, &again)),
        interrupt: interrupt.clone(),
    };
    let done = until_signal(&interrupt, &screen, work(request));
    screen.clear();
    done?.map_err(Failure::Again)
}

/// Shows progress on a terminal.
fn show(screen: &Screen, again: &Again) {
    match again {
        Again::Note(note) => screen.say(&terminal(&format!("note: {note}"))),
        Again::Called { done, of, tool } if screen.is_live() => {
            let line = format!("{done} of {of} calls repeated: {}", terminal(tool));
            screen.paint(&[line], Screen::size());
        }
        Again::Looked { done, of } if screen.is_live() => {
            screen.paint(&[format!("{done} of {of} facts compared with raw bytes")], Screen::size());
        }
        Again::Called { .. } | Again::Looked { .. } => {}
    }
}

fn value(reproduced: &Reproduced) -> Value {
    json!({ "locard_reproduce": 1, "same": reproduced.same, "reproduced": reproduced })
}

fn text(reproduced: &Reproduced) -> String {
    let mut out = String::new();
    for evidence in &reproduced.evidence {
        let _ = writeln!(out, "{}", of_evidence(evidence));
    }
    for tables in &reproduced.tables_differing {
        let (evidence, group) = (&tables.recorded.evidence, &tables.recorded.group);
        let place = terminal(&format!("case tables of {evidence} ({group})"));
        let _ = writeln!(out, "{place}: the evidence now gives other rows than the run's calls read");
    }
    for call in &reproduced.differing {
        of_call(&mut out, call);
    }
    for call in &reproduced.not_compared {
        let _ = writeln!(out, "{} {}: not compared: {}", call.invocation, terminal(&call.tool), call.because);
    }
    if !reproduced.tools_changed.is_empty() {
        let tools = terminal(&reproduced.tools_changed.join(", "));
        let by = terminal(&reproduced.made_by);
        let _ = writeln!(out, "described differently by locard {by}, which made the run: {tools}");
    }
    for note in &reproduced.notes {
        let _ = writeln!(out, "note: {}", terminal(note));
    }
    let _ = writeln!(
        out,
        "{} calls repeated for {} invocations: {} the same, {} different",
        reproduced.calls,
        reproduced.invocations,
        reproduced.invocations_same,
        reproduced.differing.len()
    );
    let _ = writeln!(
        out,
        "{}",
        match (reproduced.same, reproduced.differing.is_empty() && reproduced.tables_differing.is_empty()) {
            (true, _) => "reproduced: the tools give the recorded outputs",
            (false, true) =>
                "NOT REPRODUCED: the tools give the recorded outputs, but the evidence has another hash",
            (false, false) => "NOT REPRODUCED",
        }
    );
    out
}

fn of_evidence(evidence: &EvidenceAgain) -> String {
    let place = terminal(&format!("evidence {} at {}", evidence.label, evidence.path.display()));
    let level = |integrity: &ledger::Integrity| format!("{:?}", integrity.level).to_lowercase();
    match (&evidence.recorded, &evidence.now, evidence.same) {
        (Some(recorded), _, Some(true)) => {
            format!("{place}: the hash of the run ({}, {})", level(recorded), recorded.sha256)
        }
        (Some(recorded), Some(_), _) if recorded.level == IntegrityLevel::Stat => {
            format!(
                "{place}: names, sizes or times differ from those recorded, as in a copy; its bytes were not hashed"
            )
        }
        (Some(recorded), Some(now), _) => format!(
            "{place}: ANOTHER HASH ({}): recorded {} over {} files of {} bytes, now {} over {} of {}",
            level(recorded),
            recorded.sha256,
            recorded.files,
            recorded.bytes,
            now.sha256,
            now.files,
            now.bytes
        ),
        (Some(_), None, _) => {
            let because = evidence.failed.as_deref().unwrap_or("it was not taken");
            format!("{place}: its hash cannot be compared: {}", terminal(because))
        }
        (None, ..) => format!("{place}: the run has no hash of it"),
    }
}

fn of_call(out: &mut String, call: &CallDiffers) {
    let (agent, tool) = (terminal(&call.agent), terminal(&call.tool));
    let _ = writeln!(out, "{} {agent} {tool} {}", call.invocation, terminal(&call.arguments.to_string()));
    for difference in &call.differences {
        match difference {
            Difference::Outcome { recorded, now } => {
                let _ = writeln!(out, "  outcome: recorded {}, now {}", plain(recorded), plain(now));
            }
            Difference::Completeness { recorded, now } => {
                let _ = writeln!(out, "  completeness: recorded {}, now {}", plain(recorded), plain(now));
            }
            Difference::Arguments { recorded, now } => {
                let side = |value: &Option<Value>| {
                    value.as_ref().map_or_else(|| "none".to_owned(), |value| terminal(&value.to_string()))
                };
                let _ = writeln!(out, "  arguments as used: recorded {}, now {}", side(recorded), side(now));
            }
            Difference::Defects(texts) => of_texts(out, "defects", texts),
            Difference::Gaps(texts) => of_texts(out, "gaps", texts),
            Difference::Notes(texts) => of_texts(out, "notes", texts),
            Difference::Output { records: Some(records), .. } => of_records(out, records),
            Difference::Output { recorded, now, unreadable, records: None } => {
                let side = |digest: &Option<ledger::Digest>| {
                    digest.map_or_else(|| "none".to_owned(), |digest| digest.to_string())
                };
                let _ = writeln!(out, "  output: recorded {}, now {}", side(recorded), side(now));
                if let Some(because) = unreadable {
                    let _ = writeln!(out, "    records cannot be compared: {}", terminal(because));
                }
            }
        }
    }
}

/// An outcome or a completeness in one word.
fn plain(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn of_texts(out: &mut String, what: &str, texts: &TextsDiffer) {
    let TextsDiffer { missing, added, moved, missing_examples, added_examples } = texts;
    let order = if *moved { ", in another order" } else { "" };
    let _ = writeln!(out, "  {what}: {missing} missing, {added} added{order}");
    for (sign, text) in
        missing_examples.iter().map(|text| ('-', text)).chain(added_examples.iter().map(|text| ('+', text)))
    {
        let _ = writeln!(out, "    {sign} {}", terminal(text));
    }
}

fn of_records(out: &mut String, records: &RecordsDiffer) {
    let RecordsDiffer { recorded, now, missing, added, differing, moved, examples } = records;
    let _ = writeln!(
        out,
        "  records: {recorded} recorded, {now} now: {differing} differ, {missing} missing, {added} added, {moved} in another place"
    );
    for example in examples {
        of_record(out, example);
    }
    let left = (missing + added + differing).saturating_sub(examples.len() as u64);
    if left > 0 {
        let _ = writeln!(out, "    and {left} more");
    }
}

fn of_record(out: &mut String, record: &RecordDiffers) {
    let number = match (record.record, record.now) {
        (Some(id), _) => id.to_string(),
        (None, Some(id)) => format!("{id} of now"),
        (None, None) => String::new(),
    };
    let change = match record.change {
        RecordChange::Missing => "missing",
        RecordChange::Added => "added",
        RecordChange::Differs => "differs",
    };
    let subject = record.subject.as_deref().map(terminal).unwrap_or_default();
    let (kind, place) = (terminal(&record.kind), terminal(&record.place));
    let _ = writeln!(out, "    {number} {change}: {kind} {subject} ({place})");
    for FieldDiffers { what, field, recorded, now } in &record.fields {
        let what = match (what, field) {
            (Part::Value, Some(field)) => terminal(field),
            (Part::Span, Some(field)) => format!("the place of {}", terminal(field)),
            (Part::Value, None) => "value".to_owned(),
            (Part::Span, None) => "place".to_owned(),
            (Part::Locator, _) => "locator".to_owned(),
            (Part::Kind, _) => "type".to_owned(),
            (Part::Defects, _) => "defects".to_owned(),
        };
        let side = |value: &Option<String>| value.as_deref().map_or_else(|| "nothing".to_owned(), terminal);
        let _ = writeln!(out, "      {what}: recorded {}, now {}", side(recorded), side(now));
    }
}
