//! The arguments as they are typed.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Investigates evidence with agents whose every fact is checked against what their tools returned.
#[derive(Debug, Parser)]
#[command(name = "locard", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Investigate a case and seal the run
    Run(RunArguments),
    /// Show the facts of a run and what each rests on
    Facts(RunFolder),
    /// Check a run: its chain, its outputs, every fact and every verdict again
    Verify(RunFolder),
    /// Show the claims that the gateway refused, and how each ended
    Rejections(RunFolder),
    /// Write a run's report
    Report(ReportArguments),
    /// Call one tool on evidence, as an agent would; without a name: list the tools
    Tool(ToolArguments),
    /// Show what confines tools on this machine
    Doctor,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 sealed; 2 usage or configuration; 40 tools cannot be confined here; \
    50 model failed; 60 budget spent before anything was recorded; with --fail-on: 10 gaps, 20 refused, 25 unmet.")]
pub(crate) struct RunArguments {
    /// A folder with case.toml, or a folder of evidence
    pub(crate) case: PathBuf,
    /// Where run folders are made
    #[arg(long, default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// What decides the agents' steps: `playbook`, or `sloppy` or `sloppy:SEED` for a playbook with seeded mistakes
    #[arg(long, default_value = "playbook")]
    pub(crate) model: String,
    /// A TOML file with rules (budgets, gate, view); what it leaves out keeps its default
    #[arg(long)]
    pub(crate) rules: Option<PathBuf>,
    /// How closely the evidence's bytes are checked before the run is sealed
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) integrity: IntegrityArgument,
    /// Let tools run where they cannot be confined; every report will say so
    #[arg(long)]
    pub(crate) unconfined: bool,
    /// End with an error code when the run has gaps, refused claims or unmet objectives
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum IntegrityArgument {
    /// Every byte
    Full,
    /// The first and last 64 KiB of each file
    Sampled,
    /// Names, sizes and times
    Stat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Something was not examined
    Gaps,
    /// A claim was refused
    Refused,
    /// An objective is unmet
    Unmet,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunFolder {
    /// A run folder, or the beginning of its name
    pub(crate) run: String,
    /// Where run folders are looked for
    #[arg(long, default_value = "runs")]
    pub(crate) runs: PathBuf,
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArguments {
    /// A run folder, or the beginning of its name
    pub(crate) run: String,
    /// Where run folders are looked for
    #[arg(long, default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// The report's format
    #[arg(long, value_enum, default_value = "markdown")]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Markdown,
    /// For programs
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ToolArguments {
    /// The tool; none: list them
    pub(crate) name: Option<String>,
    /// Its arguments as NAME=VALUE; a value that is JSON (true, 7) is taken as such
    pub(crate) arguments: Vec<String>,
    /// A folder with case.toml, or a folder of evidence
    #[arg(long, default_value = ".")]
    pub(crate) evidence: PathBuf,
    /// Let the tool run where it cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}
