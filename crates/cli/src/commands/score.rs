//! `locard score`.

use crate::arguments::Format;
use crate::commands::{ended, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use report::score::{Score, Truth, score, score_json, score_text};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct ScoreArguments {
    /// Run folders of one case, or the beginnings of their names
    #[arg(required = true, value_name = "RUN")]
    pub(crate) run: Vec<String>,
    /// The ground truth of the case, as JSON or TOML
    ///
    /// docs/scoring.md describes both forms, and what counts as found.
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: PathBuf,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Exit with 25 if a run finds less than this percentage of the facts
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) fail_under: Option<u8>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// The same code as `run --fail-on unmet`: something was not found that should have been.
const UNMET: u8 = 25;

pub(super) fn execute(arguments: &ScoreArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let truth = app::load_truth(&arguments.truth).map_err(Failure::Truth)?;
    let mut scores = Vec::new();
    for name in &arguments.run {
        let run = app::load_run(&run_folder(name, &arguments.runs)?).map_err(Failure::Open)?;
        scores.push(score(&truth, &run));
    }
    for score in scores.iter().filter(|score| !truth.case.is_empty() && score.case != truth.case) {
        let remark = format!(
            "remark: the run {} is of the case {:?}, the truth of {:?}",
            score.run, score.case, truth.case
        );
        printer.complain(&report::terminal(&remark));
    }
    let printed = print(printer, arguments.format, || score_text(&truth, &scores), || value(&truth, &scores));
    let least = arguments.fail_under.map_or(0.0, f64::from);
    // If the truth is empty, recall counts as 0, so that a truth emptied by mistake passes no limit.
    let under = scores.iter().any(|score| score.recall().unwrap_or(0.0) < least);
    Ok(ended(printer, printed, if under { UNMET } else { 0 }))
}

fn value(truth: &Truth, scores: &[Score]) -> Value {
    let mut members = score_json(truth, scores);
    members.insert("locard_score".to_owned(), json!(1));
    Value::Object(members)
}
