//! `locard replay`.

use super::live::{self, Asked, LiveArguments, ToolsFrom};
use crate::arguments::Format;
use crate::commands::{ended, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use app::{Divergence, ReplayRequest, Replayed};
use ledger::TaskId;
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Where run folders are looked for
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Replay this agent only
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Replay this task only, such as task-1 or 1
    #[arg(long, value_name = "TASK", value_parser = task)]
    pub(crate) task: Option<TaskId>,
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
    let request = ReplayRequest { agent: arguments.agent.clone(), task: arguments.task };
    if arguments.live.tools == Some(ToolsFrom::Live) {
        let (run, runs, format) = (&arguments.run, &arguments.runs, arguments.format);
        return live::execute(Asked { run, runs, only: request, format }, &arguments.live, printer);
    }
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let replayed = app::replay(&folder, &request).map_err(Failure::Replay)?;
    let same = replayed.iter().all(|task| task.divergence.is_none());
    let printed = print(printer, arguments.format, || text(&replayed, same), || value(&replayed, same));
    Ok(ended(printer, printed, if same { 0 } else { Failure::DIVERGED }))
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
                "{name} {agent}: {} of {} events the same, then other ones",
                task.same, task.stored
            ),
        };
        if let Some(divergence) = &task.divergence {
            diverged(&mut out, divergence);
        }
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

/// The most characters of an event on one line.
const LONGEST: usize = 240;

/// An event from a little before the first character in which both sides differ.
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
