//! `locard run`.

use crate::arguments::{FailOn, IntegrityArgument, RunArguments};
use crate::commands::{conditions, ended, print, worker};
use crate::failure::Failure;
use crate::printer::{Printer, progress};
use app::{Agent, Finished, Models, Progress, RunRequest, SystemClock};
use graph::{Judged, Run};
use ledger::event::{EvidenceHashed, TaskStatus};
use ledger::{IntegrityLevel, Rules, Seed, TaskId};
use llm::{Model, Playbook, Sloppy};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

pub(super) fn execute(arguments: RunArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    let (worker, _scratch) = worker(arguments.unconfined, &case)?;
    let shows_progress = printer.shows_progress();
    let request = RunRequest {
        case,
        agents: app::shipped_agents().map_err(Failure::Agents)?,
        models: models(&arguments.model)?,
        rules: rules(arguments.rules.as_deref())?,
        runs: arguments.runs.clone(),
        seed: None,
        integrity: level(arguments.integrity),
        worker,
        clock: Arc::new(SystemClock),
        observe: Arc::new(move |event| {
            if shows_progress {
                progress(&report::terminal(&line(&event)));
            }
        }),
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let finished = runtime.block_on(app::run(request)).map_err(|error| Failure::Run(Box::new(error)))?;
    let run = app::load_run(&finished.folder).map_err(Failure::Open)?;
    for warning in mismatches(&run) {
        printer.complain(&report::terminal(&warning));
    }
    let printed = print(printer, arguments.format, || summary(&finished, &run), || value(&finished, &run));
    Ok(ended(printer, printed, code(&finished, &run, &arguments.fail_on)))
}

fn level(argument: IntegrityArgument) -> IntegrityLevel {
    match argument {
        IntegrityArgument::Full => IntegrityLevel::Full,
        IntegrityArgument::Sampled => IntegrityLevel::Sampled,
        IntegrityArgument::Stat => IntegrityLevel::Stat,
    }
}

/// A warning for each piece of evidence that is not what the case promises.
fn mismatches(run: &Run) -> Vec<String> {
    let differ = run.integrity.iter().filter(|hashed| hashed.as_expected == Some(false));
    let warning = |hashed: &EvidenceHashed| {
        let entry = run.opened.case.evidence.iter().find(|entry| entry.label == hashed.evidence);
        let expected = entry.and_then(|entry| entry.expected_sha256);
        let expected = expected.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        format!(
            "warning: the evidence {} does not have the hash that the case promises: expected {expected}, found {}",
            hashed.evidence, hashed.integrity.sha256
        )
    };
    differ.map(warning).collect()
}

fn rules(file: Option<&Path>) -> Result<Rules, Failure> {
    let Some(path) = file else { return Ok(Rules::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| Failure::RulesFile { path: path.to_owned(), source })?;
    toml::from_str(&text).map_err(|source| Failure::Rules { path: path.to_owned(), source: Box::new(source) })
}

fn models(name: &str) -> Result<Box<Models>, Failure> {
    let wrong = || Failure::Model { found: name.to_owned() };
    let seed = match name.split_once(':') {
        None if name == "playbook" => None,
        None if name == "sloppy" => Some(1),
        Some(("sloppy", seed)) => Some(seed.parse::<u64>().map_err(|_| wrong())?),
        _ => return Err(wrong()),
    };
    Ok(Box::new(move |agent: &Agent, _: TaskId, _: Seed| -> Box<dyn Model> {
        let playbook = Playbook::new(agent.steps.clone(), agent.digest);
        match seed {
            None => Box::new(playbook),
            Some(seed) => Box::new(Sloppy::new(playbook, seed)),
        }
    }))
}

fn line(event: &Progress) -> String {
    match event {
        Progress::Turn { agent, turn } => format!("{agent}: turn {turn}"),
        Progress::Tool { agent, invocation, tool } => format!("{agent}: {invocation} {tool}"),
        Progress::Ended { agent, ended } => format!("{agent}: {}", report::status(ended.status)),
    }
}

fn summary(finished: &Finished, run: &Run) -> String {
    let mut out = report::answers(run);
    let (mut facts, mut refused, mut healed) = (0, 0, 0);
    for claim in run.tasks.values().flat_map(|task| &task.claims) {
        match &claim.judged {
            Some(Judged::Accepted(accepted)) => {
                facts += 1;
                healed += u32::from(accepted.healing.is_some());
            }
            Some(Judged::Rejected(_)) => refused += 1,
            Some(Judged::Covered(_)) | None => {}
        }
    }
    let folder = report::terminal(&finished.folder.display().to_string());
    let _ = writeln!(out, "\n{facts} facts ({healed} with a healed citation), {refused} claims refused");
    let unexamined = graph::unexamined(run).len();
    if unexamined > 0 {
        let _ = writeln!(out, "{unexamined} things were not examined: the report says which, and why");
    }
    out.push_str(&conditions(run));
    let _ = writeln!(out, "sealed {folder}, head {}", finished.manifest.head.short());
    let _ = writeln!(out, "next: locard report {folder} · facts · rejections · verify");
    out
}

fn value(finished: &Finished, run: &Run) -> serde_json::Value {
    json!({
        "locard_run": 1,
        "folder": finished.folder.display().to_string(),
        "manifest": finished.manifest,
        "mismatches": finished.mismatches,
        "confined": run.opened.confined,
        "facts": run.facts().count(),
        "refused": graph::refused_claims(run).len(),
        "unexamined": graph::unexamined(run).len(),
        "tasks": finished.tasks.iter().map(|(agent, ended)| json!({"agent": agent, "ended": ended})).collect::<Vec<_>>(),
    })
}

/// 0, or the highest code that applies.
fn code(finished: &Finished, run: &Run, fail_on: &[FailOn]) -> u8 {
    let mut code = if finished.mismatches.is_empty() { 0 } else { Failure::USAGE };
    for (_, ended) in &finished.tasks {
        code = code.max(match ended.status {
            TaskStatus::ModelFailed => 50,
            TaskStatus::BudgetSpent => 60,
            TaskStatus::Completed | TaskStatus::Incomplete => 0,
        });
    }
    for fail_on in fail_on {
        let (applies, its) = match fail_on {
            FailOn::Gaps => (!graph::unexamined(run).is_empty(), 10),
            FailOn::Refused => (!graph::refused_claims(run).is_empty(), 20),
            FailOn::Unmet => (
                finished.tasks.iter().any(|(_, ended)| ended.objectives.iter().any(|o| o.facts.is_empty())),
                25,
            ),
        };
        code = if applies { code.max(its) } else { code };
    }
    code
}
