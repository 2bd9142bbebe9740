//! `locard rejections`.

use crate::commands::run_folder;
use crate::failure::Failure;
use crate::printer::Printer;
use clap::ValueEnum;
use graph::{Run, refused_claims, tallies};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct RejectionsArguments {
    /// Run folders, or the beginnings of their names
    #[arg(required = true, value_name = "RUN")]
    pub(crate) run: Vec<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// List each refused claim of several runs; for one run they are always listed
    #[arg(long)]
    pub(crate) details: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: RejectionsFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RejectionsFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// An object for each refused claim, a line each
    Jsonl,
    /// A page for a browser, with each refused claim
    Html,
}

pub(super) fn execute(arguments: &RejectionsArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let mut runs = Vec::new();
    for name in &arguments.run {
        let run = app::load_run(&run_folder(name, &arguments.runs)?).map_err(Failure::Open)?;
        runs.push(run);
    }
    let details = arguments.details || runs.len() == 1;
    match arguments.format {
        RejectionsFormat::Text => printer.result(&text(&runs, details))?,
        RejectionsFormat::Json => printer.result(&report::json_text(&value(&runs, details)))?,
        RejectionsFormat::Jsonl => printer.lines(&listed(&runs))?,
        RejectionsFormat::Html => printer.result(&report::rejections_page(&runs))?,
    }
    Ok(0)
}

fn text(runs: &[Run], details: bool) -> String {
    let mut out = report::tallies(&tallies(runs));
    for run in runs.iter().filter(|_| details) {
        let _ = writeln!(out);
        if runs.len() > 1 {
            let _ = writeln!(out, "{}", report::terminal(run.name()));
        }
        out.push_str(&report::rejections(&refused_claims(run)));
    }
    out
}

/// Each refused claim, with the name of its run.
fn listed(runs: &[Run]) -> Vec<Value> {
    let mut rejections = Vec::new();
    for run in runs {
        for refused in refused_claims(run) {
            let mut claim = json!(refused);
            if let Some(members) = claim.as_object_mut() {
                members.insert("run".to_owned(), json!(run.name()));
            }
            rejections.push(claim);
        }
    }
    rejections
}

fn value(runs: &[Run], details: bool) -> Value {
    json!({
        "locard_rejections": 1,
        "runs": runs.iter().map(Run::name).collect::<Vec<_>>(),
        "summary": report::tallies_json(&tallies(runs)),
        "rejections": if details { listed(runs) } else { Vec::new() },
    })
}
