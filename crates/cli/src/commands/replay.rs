//! `locard replay`.

mod other_rules;
mod step;

use super::live::{self, Asked, LiveArguments, ToolsFrom};
use crate::arguments::Format;
use crate::commands::{ended, fork, print, rules, run_folder};
use crate::failure::Failure;
use crate::money::prices;
use crate::printer::Printer;
use app::{Divergence, OtherRules, ReplayRequest, Replayed, WalkRequest};
use ledger::{Prices, TaskId};
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Replay this agent only
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Replay this task only, such as task-1 or 1
    #[arg(long, value_name = "TASK", value_parser = task)]
    pub(crate) task: Option<TaskId>,
    /// Judge the recorded replies again under the rules in a TOML file
    ///
    /// Anything the file leaves out keeps the value it had in the run, not its default.
    /// docs/replay.md explains the output.
    #[arg(long, value_name = "FILE", conflicts_with = "tools")]
    pub(crate) rules: Option<PathBuf>,
    /// Step through the turns: what the agent saw, did, claimed and was told
    #[arg(long, conflicts_with_all = ["rules", "tools"])]
    pub(crate) step: bool,
    /// With --step: begin at this turn; when not on a terminal, show only this turn
    #[arg(long, value_name = "N", requires = "step", hide_short_help = true)]
    pub(crate) turn: Option<u32>,
    /// Branch off at this turn of one agent and continue live, as a new run
    #[arg(long, value_name = "TURN", group = "live", conflicts_with_all = ["rules", "step", "tools"])]
    pub(crate) from_turn: Option<u32>,
    /// The model that continues from there; by default the same
    #[arg(long, requires = "from_turn")]
    pub(crate) model: Option<String>,
    /// With --from-turn: what the model's tokens cost (run --help)
    #[arg(long, value_name = "PRICES", value_parser = prices, requires = "from_turn", hide_short_help = true)]
    pub(crate) price: Option<Prices>,
    /// With --from-turn: for how many seconds to retry a turn that fails
    #[arg(long, value_name = "SECONDS", requires = "from_turn", hide_short_help = true)]
    pub(crate) patience: Option<u64>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) live: LiveArguments,
}

fn task(text: &str) -> Result<TaskId, String> {
    let number = text.strip_prefix("task-").unwrap_or(text).parse();
    number.map(TaskId).map_err(|_| "expected the number of a task, such as task-1 or 1".to_owned())
}

pub(super) fn execute(arguments: &ReplayArguments, printer: &mut Printer) -> Result<u8, Failure> {
    if let Some(turn) = arguments.from_turn {
        return fork::execute(arguments, turn, printer);
    }
    let request = ReplayRequest { agent: arguments.agent.clone(), task: arguments.task };
    if arguments.live.tools == Some(ToolsFrom::Live) {
        let (run, runs, format) = (&arguments.run, &arguments.runs, arguments.format);
        return live::execute(Asked { run, runs, only: request, format }, &arguments.live, printer);
    }
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    if arguments.step {
        return walk(&folder, request, arguments, printer);
    }
    if let Some(file) = &arguments.rules {
        return under_other_rules(&folder, &request, file, arguments.format, printer);
    }
    let replayed = app::replay(&folder, &request).map_err(Failure::Replay)?;
    let same = replayed.iter().all(|task| task.divergence.is_none());
    let printed = print(printer, arguments.format, || text(&replayed, same), || value(&replayed, same));
    Ok(ended(printer, printed, if same { 0 } else { Failure::DIVERGED }))
}

/// Shows the steps turn by turn on a terminal, otherwise all at once.
fn walk(
    folder: &Path,
    of: ReplayRequest,
    arguments: &ReplayArguments,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let is_text = arguments.format == Format::Text;
    let live = is_text && io::stdin().is_terminal() && io::stdout().is_terminal();
    let lines = if is_text { step::LINES } else { usize::MAX };
    let request = WalkRequest { of, turn: arguments.turn.filter(|_| !live), lines };
    let tasks = app::walk(folder, &request).map_err(Failure::Replay)?;
    if live {
        step::walk(&tasks, arguments.turn, &mut io::stdin().lock(), &mut |text| printer.result(text))?;
        return Ok(0);
    }
    let value = || json!({ "locard_replay": 1, "steps": tasks });
    print(printer, arguments.format, || step::text(&tasks), value)?;
    Ok(0)
}

fn under_other_rules(
    folder: &Path,
    request: &ReplayRequest,
    file: &Path,
    format: Format,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let other = OtherRules::read(&rules::text(file)?).map_err(|source| rules::wrong(file, source))?;
    let rejudged = app::rejudge(folder, request, &other).map_err(Failure::Rejudge)?;
    let value = || json!({ "locard_replay": 1, "rejudged": rejudged });
    print(printer, format, || other_rules::text(&rejudged), value)?;
    Ok(0)
}

fn value(replayed: &[Replayed], same: bool) -> Value {
    json!({ "locard_replay": 1, "same": same, "tasks": replayed })
}

fn text(replayed: &[Replayed], same: bool) -> String {
    let mut out = String::new();
    for task in replayed {
        let (name, agent) = (terminal(&task.task), terminal(&task.agent));
        let end = if task.ended { "" } else { ", where its log breaks off" };
        let _ = match &task.divergence {
            None => writeln!(out, "{name} {agent}: {} events the same{end}", task.same),
            Some(_) => writeln!(
                out,
                "{name} {agent}: {} of {} events the same, then different ones",
                task.same, task.stored
            ),
        };
        if let Some(divergence) = &task.divergence {
            diverged(&mut out, divergence);
        }
    }
    if !same && replayed.iter().any(|task| task.unnumbered) {
        let _ = writeln!(
            out,
            "the run was made before behaviours were numbered (format 2.4): this version reads and verifies it, but may not repeat it exactly"
        );
    }
    let _ = writeln!(out, "{}", if same { "replayed: every event came out the same" } else { "DIVERGED" });
    out
}

fn diverged(out: &mut String, divergence: &Divergence) {
    for (place, event) in (divergence.event - divergence.before.len() as u64..).zip(&divergence.before) {
        let _ = writeln!(out, "    {place}  {}", short(event));
    }
    let side =
        |event: &Option<String>| event.as_deref().map_or_else(|| "nothing".to_owned(), around(divergence));
    let _ = writeln!(out, "  event {} of the log:  {}", divergence.event, side(&divergence.stored));
    let _ = writeln!(out, "  event {} replayed:    {}", divergence.event, side(&divergence.replayed));
    if let Some(because) = &divergence.because {
        let _ = writeln!(out, "  because: {}", terminal(because));
    }
}

/// The most characters of an event to print on one line.
const LONGEST: usize = 240;

/// Cuts an event, starting a little before the first character in which the two sides differ.
fn around(divergence: &Divergence) -> impl Fn(&str) -> String {
    let both = (divergence.stored.as_deref(), divergence.replayed.as_deref());
    let common = match both {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let start = common.saturating_sub(LONGEST / 4);
    move |event: &str| {
        let rest: String = event.chars().skip(start).collect();
        let head = if start > 0 { "…" } else { "" };
        format!("{head}{}", short(&rest))
    }
}

fn short(event: &str) -> String {
    let cut: String = event.chars().take(LONGEST).collect();
    let more = if event.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("{}{more}", terminal(&cut))
}
