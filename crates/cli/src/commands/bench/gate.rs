//! `locard bench gate`.

use crate::arguments::Format;
use crate::commands::{ended, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use app::{GateBench, GateBenchRequest};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct GateArguments {
    /// Sealed run folders, or the beginnings of their names
    #[arg(required = true, value_name = "RUN")]
    run: Vec<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    runs: PathBuf,
    /// Maximum number of claims to seed into each run, in equal shares by kind
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    claims: usize,
    /// Seed for drawing the claims; equal seeds give equal claims
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// A TOML file with rule sets to compare with, beside the shipped ones
    ///
    /// docs/gate-bench.md describes it.
    #[arg(long, value_name = "FILE")]
    rulesets: Option<PathBuf>,
    /// Show this many examples of each wrong answer
    #[arg(long, value_name = "K", default_value_t = 0)]
    examples: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value = "table")]
    format: GateFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// For people
    #[value(alias = "text")]
    Table,
    /// For programs
    Json,
}

pub(super) fn execute(arguments: &GateArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let request = GateBenchRequest {
        claims: arguments.claims,
        seed: arguments.seed,
        sets: app::rule_sets(arguments.rulesets.as_deref()).map_err(Failure::RuleSets)?,
        examples: arguments.examples,
    };
    let mut benches = Vec::new();
    for name in &arguments.run {
        let folder = run_folder(name, &arguments.runs)?;
        benches.push(app::bench_gate(&folder, &request).map_err(Failure::Bench)?);
    }
    let format = match arguments.format {
        GateFormat::Table => Format::Text,
        GateFormat::Json => Format::Json,
    };
    let printed = print(printer, format, || text(&benches), || value(&request, &benches));
    let holds = benches.iter().all(GateBench::holds);
    Ok(ended(printer, printed, if holds { 0 } else { Failure::DEFECT }))
}

fn text(benches: &[GateBench]) -> String {
    benches.iter().map(app::gate_table).collect::<Vec<_>>().join("\n")
}

fn value(request: &GateBenchRequest, benches: &[GateBench]) -> Value {
    json!({
        "locard_bench_gate": 1,
        "holds": benches.iter().all(GateBench::holds),
        "seed": request.seed,
        "claims": request.claims,
        "rulesets": request.sets,
        "runs": benches,
    })
}
