//! The command-line arguments.

use crate::colour::Colour;
use crate::commands::ask::AskArguments;
use crate::commands::audit::AuditArguments;
use crate::commands::bench::BenchArguments;
use crate::commands::completions::CompletionsArguments;
use crate::commands::console::ConsoleArguments;
use crate::commands::diff::DiffArguments;
use crate::commands::export::ExportArguments;
use crate::commands::facts::FactsArguments;
use crate::commands::graph::GraphArguments;
use crate::commands::init::InitArguments;
use crate::commands::man::ManArguments;
use crate::commands::mcp::McpArguments;
use crate::commands::memory::MemoryCommandArguments;
use crate::commands::rejections::RejectionsArguments;
use crate::commands::replay::ReplayArguments;
use crate::commands::score::ScoreArguments;
use crate::commands::view::ViewArguments;
use crate::help;
use crate::instant::{since, until};
use crate::money::{dollars, prices};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use ledger::{Digest, MicroDollars, Prices, Utc};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Investigates digital evidence with agents and checks every fact that they record.
#[derive(Debug, Parser)]
#[command(name = "locard", version, about, max_term_width = 80, after_long_help = help::LOCARD)]
pub(crate) struct Arguments {
    /// Whether levels are coloured; NO_COLOR switches `auto` off
    #[arg(
        long = "color",
        value_name = "WHEN",
        value_enum,
        default_value_t,
        global = true,
        hide_short_help = true
    )]
    pub(crate) colour: Colour,
    /// Log what the program does into this file
    ///
    /// JSON lines where its name ends in .jsonl. LOCARD_LOG says how much: info,
    /// debug, or by crate, such as info,engine=debug. Only at debug do paths and
    /// texts of the evidence stand in it.
    #[arg(long, value_name = "FILE", global = true, hide_short_help = true)]
    pub(crate) log: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Investigate cases and seal a run for each
    #[command(after_long_help = help::RUN)]
    Run(Box<RunArguments>),
    /// Resume runs that broke off
    #[command(after_long_help = help::RESUME)]
    Resume(ResumeArguments),
    /// List runs, newest first
    #[command(after_long_help = help::RUNS)]
    Runs(RunsArguments),
    /// Show the answers to all questions, their facts, and the story
    #[command(after_long_help = help::ANSWERS)]
    Answers(AnswersArguments),
    /// Ask a question in words, in English or German
    #[command(after_long_help = help::ASK)]
    Ask(AskArguments),
    /// Ask one question after another in a console
    #[command(after_long_help = help::CONSOLE)]
    Console(ConsoleArguments),
    /// Show the facts of a run, each with its proof
    #[command(after_long_help = help::FACTS)]
    Facts(FactsArguments),
    /// Ask how things are connected: paths, stories, where else
    #[command(after_long_help = help::GRAPH)]
    Graph(GraphArguments),
    /// Verify a run: hash chain, outputs, facts and verdicts
    #[command(after_long_help = help::VERIFY)]
    Verify(VerifyArguments),
    /// Repeat the steps of a run from its log alone
    #[command(after_long_help = help::REPLAY)]
    Replay(ReplayArguments),
    /// Compare what two runs recorded, refused and cost
    #[command(after_long_help = help::DIFF)]
    Diff(DiffArguments),
    /// Export a run as an archive, or in another tool's format
    #[command(after_long_help = help::EXPORT)]
    Export(ExportArguments),
    /// Show the claims that the gateway refused, and why
    #[command(after_long_help = help::REJECTIONS)]
    Rejections(RejectionsArguments),
    /// Compare many runs: errors, corrections, cost, trends
    #[command(after_long_help = help::AUDIT)]
    Audit(AuditArguments),
    /// Score runs against the ground truth of their case
    #[command(after_long_help = help::SCORE)]
    Score(ScoreArguments),
    /// Test the gateway with claims known to be true or false
    #[command(after_long_help = help::BENCH)]
    Bench(BenchArguments),
    /// Write a run's report
    #[command(after_long_help = help::REPORT)]
    Report(ReportArguments),
    /// Search, open, follow and compare runs in a browser
    #[command(after_long_help = help::VIEW)]
    View(ViewArguments),
    /// Let another program's agent investigate a case (MCP)
    #[command(after_long_help = help::MCP)]
    Mcp(McpArguments),
    /// Apply detection rules to evidence, without a run
    #[command(after_long_help = help::HUNT)]
    Hunt(HuntArguments),
    /// Check detection rules written by others
    #[command(after_long_help = help::RULES)]
    Rules(RulesArguments),
    /// Call one tool on evidence, or list the tools
    #[command(after_long_help = help::TOOL)]
    Tool(ToolArguments),
    /// Query the records of a case in SQL, or list its tables
    #[command(after_long_help = help::SQL)]
    Sql(SqlArguments),
    /// Show, search, move and forget what earlier runs showed
    #[command(after_long_help = help::MEMORY)]
    Memory(MemoryCommandArguments),
    /// Create a case folder for evidence
    #[command(after_long_help = help::INIT)]
    Init(InitArguments),
    /// Print a completion script for a shell
    #[command(after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArguments),
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man(ManArguments),
    /// Show how tools are confined on this machine
    #[command(after_long_help = help::DOCTOR)]
    Doctor,
}

/// What kind of model a run is made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProfileArgument {
    /// Any model
    #[default]
    Full,
    /// A small model
    Small,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    /// Case folders, case files, or evidence (folder, archive, image)
    ///
    /// A case.toml that is found in a folder may name evidence inside that folder only;
    /// name the file itself to let it name evidence elsewhere.
    #[arg(required = true, value_name = "CASE")]
    pub(crate) cases: Vec<PathBuf>,
    /// How many cases to investigate at once
    ///
    /// By default, as many as there are processors.
    /// The agents of a case work in parallel, each with its own tool worker (up to 2 GiB of memory).
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Folder for run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// What drives the agents: playbook, sloppy, anthropic:MODEL, openai:MODEL@URL
    ///
    /// `playbook` is the embedded playbook of each agent.
    /// `sloppy` and `sloppy:SEED` are the same playbook with seeded mistakes.
    /// The next two are language models; their keys are read from ANTHROPIC_API_KEY
    /// and OPENAI_API_KEY. docs/models.md has more.
    /// `recorded:RUN` gives the replies of a recorded run, at no cost.
    #[arg(long, default_value = "playbook")]
    pub(crate) model: String,
    /// The kind of model: `small` for a few billion parameters, or a context below 40,000 tokens
    ///
    /// A small model works as one agent, the examiner, which has all questions and few tools; each turn suggests the next call (docs/models.md).
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) profile: ProfileArgument,
    /// Let the agents work in parallel, without a lead that assigns tasks
    #[arg(long, hide_short_help = true)]
    pub(crate) side_by_side: bool,
    /// Use only this agent; may be given several times, for agents that work in parallel
    ///
    /// By default, a lead assigns tasks to all agents (docs/agents.md).
    #[arg(long = "agent", value_name = "NAME", hide_short_help = true)]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) language_model: ModelArguments,
    /// Stop the agents once they have used this many tokens in total
    ///
    /// Checked before each turn; turns already under way still cost.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_tokens: Option<NonZeroU64>,
    /// Stop the agents once they have cost this many US dollars, by --price
    ///
    /// Checked before each turn; turns already under way still cost.
    #[arg(long, value_name = "USD", value_parser = dollars, hide_short_help = true)]
    pub(crate) max_cost: Option<MicroDollars>,
    /// Let other users read the run folders, as far as the umask allows
    ///
    /// By default only the owner can: a run contains content of its evidence.
    #[arg(long, hide_short_help = true)]
    pub(crate) shared: bool,
    /// Skip the final sweep over questions that the agents left open
    ///
    /// By default a last task, `sweep`, searches for answers before the run is sealed;
    /// what it records is marked as found by code (docs/recovery.md).
    #[arg(long, hide_short_help = true)]
    pub(crate) no_sweep: bool,
    /// The seed of the run's ids, 64 hexadecimal digits
    ///
    /// By default it is derived from the case and the rules, so that repeating a run
    /// gives the same ids; for `recorded:RUN` it is the recorded run's.
    #[arg(long, value_name = "DIGEST", hide_short_help = true)]
    pub(crate) seed: Option<Digest>,
    /// A TOML file with rules: budgets, gate, view, surfaces
    ///
    /// Anything it leaves out keeps its default; docs/rules.md lists them all.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) brought: BroughtArguments,
    /// Run tools even where they cannot be confined; every report says so
    #[arg(long)]
    pub(crate) unconfined: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// What a language model is asked with.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ModelArguments {
    /// The language model's context in tokens, including its reply
    ///
    /// By default 200000 for Anthropic's own models, 128000 for OpenAI's own,
    /// 65536 for other servers. A server set to less refuses or truncates requests.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) context_tokens: Option<u32>,
    /// Price of a million tokens in US dollars: INPUT,OUTPUT[,CACHED[,WRITTEN]]
    ///
    /// CACHED is input read from a cache, WRITTEN is input written to one;
    /// by default both cost as much as input.
    #[arg(long, value_name = "PRICES", value_parser = prices, hide_short_help = true)]
    pub(crate) price: Option<Prices>,
    /// For how many seconds to retry a turn that fails; 0: do not retry
    ///
    /// By default up to 10 times within 20 minutes. It does not cut off a reply
    /// that is under way.
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub(crate) patience: Option<u64>,
}

/// How evidence is checked, and where what is known of its names is kept.
#[derive(Debug, clap::Args)]
pub(crate) struct EvidenceArguments {
    /// How thoroughly to check the evidence before the run is sealed
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "full")]
    pub(crate) integrity: IntegrityArgument,
    #[command(flatten)]
    pub(crate) kept: CacheArguments,
}

/// Where what was decoded is kept for the next command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct CacheArguments {
    /// Folder that keeps indexes and decoded records (case tables) for later runs
    ///
    /// By default locard in $XDG_CACHE_HOME, or in ~/.cache.
    /// Its content is as confidential as the evidence, and can be deleted at any time.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Neither use nor keep cached indexes and case tables
    #[arg(long, conflicts_with = "cache", hide_short_help = true)]
    pub(crate) no_cache: bool,
}

/// What is kept of a run's head, once it is sealed.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SealArguments {
    /// Sign the manifest with this Ed25519 key, into manifest.json.sig beside it
    ///
    /// PEM over PKCS#8, as `openssl genpkey -algorithm ed25519` writes it;
    /// `locard verify RUN --key` checks it with the public key.
    #[arg(long, value_name = "PEM", hide_short_help = true)]
    pub(crate) sign: Option<PathBuf>,
    /// Do not add the head of the sealed run to the log of heads
    ///
    /// By default it goes to locard/heads in $XDG_STATE_HOME, or in ~/.local/state,
    /// and locard verify compares it. LOCARD_NO_HEAD_LOG has the same effect.
    #[arg(long, hide_short_help = true)]
    pub(crate) no_head_log: bool,
}

/// What a run has of the memory across runs.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct MemoryArguments {
    /// Folder of the memory across runs: what agents are told, and where lessons go
    ///
    /// By default locard/memory in $XDG_DATA_HOME, or in ~/.local/share (docs/memory.md).
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) memory: Option<PathBuf>,
    /// Recall nothing of earlier runs, and write no lessons of this one
    ///
    /// LOCARD_NO_MEMORY has the same effect, unless --memory is given.
    #[arg(long, conflicts_with = "memory", hide_short_help = true)]
    pub(crate) no_memory: bool,
    /// Print a line on standard error for each task whose lessons are written
    #[arg(long, hide = true)]
    pub(crate) report_memory: bool,
}

/// How the work on a run is done, and shown.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArguments {
    #[command(flatten)]
    pub(crate) evidence: EvidenceArguments,
    #[command(flatten)]
    pub(crate) seal: SealArguments,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    /// Conditions that make the exit code nonzero
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    /// Show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t, hide_short_help = true)]
    pub(crate) lang: report::Language,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ResumeArguments {
    /// Runs: folders, beginnings of their names, latest, or latest:CASE
    #[arg(required = true, value_name = "RUN")]
    pub(crate) names: Vec<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Where the evidence is now: a case, evidence, or LABEL=PATH
    ///
    /// It must be the same evidence, untouched; a copy does not count.
    /// By default, where the run found it.
    #[arg(long, value_name = "EVIDENCE")]
    pub(crate) evidence: Vec<PathBuf>,
    /// For how many seconds to retry a turn that fails; 0: do not retry
    ///
    /// By default up to 10 times within 20 minutes.
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub(crate) patience: Option<u64>,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunsArguments {
    /// Only runs of cases with this name; * matches any characters, ? one
    pub(crate) case: Option<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// How it is printed
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
    /// Something was not examined, or is damaged
    Gaps,
    /// A claim was refused
    Refused,
    /// A question of the case has no answer: it is open, or this evidence cannot answer it
    Unmet,
    /// A question of the case is open: not asked, partly searched, or seen but not recorded
    Open,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunFolder {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AnswersArguments {
    #[command(flatten)]
    pub(crate) of: RunFolder,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t)]
    pub(crate) lang: report::Language,
}

/// What becomes of a file that is there, for every command that writes one.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct OutputArguments {
    /// Write over a file that is there
    ///
    /// It is replaced once the new one is whole; a file of a run never is.
    #[arg(long, hide_short_help = true)]
    pub(crate) force: bool,
}

impl OutputArguments {
    pub(crate) const fn overwrite(self) -> app::Overwrite {
        if self.force { app::Overwrite::Asked } else { app::Overwrite::Never }
    }
}

/// Parses a path, and accepts an empty one.
fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    #[arg(required_unless_present = "report")]
    pub(crate) run: Option<String>,
    /// Check the facts of a JSON report instead; with RUN, also that they are the run's
    ///
    /// The hashes of the facts also cover what a redacted report withholds.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["unsealed", "evidence", "head", "key", "certificate"]
    )]
    pub(crate) report: Option<PathBuf>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Accept a run that is not sealed
    ///
    /// Events may be missing at the end of such a run, and nothing would show it.
    #[arg(long)]
    pub(crate) unsealed: bool,
    /// Run the tools again and read the raw bytes again, on the evidence at PATH
    ///
    /// PATH is a case, the only piece of evidence, or LABEL=PATH (several times);
    /// by default, where the run found it.
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "", value_parser = any_path())]
    pub(crate) evidence: Vec<PathBuf>,
    /// Run tools even where they cannot be confined
    #[arg(long, requires = "evidence", hide_short_help = true)]
    pub(crate) unconfined: bool,
    /// A head kept elsewhere: its digits, or a manifest, certificate or text file
    ///
    /// Only such a head shows whether the whole run was rewritten after it was sealed.
    #[arg(long, value_name = "FILE")]
    pub(crate) head: Option<PathBuf>,
    /// The public key that must have signed the file of --head (FILE.sig)
    ///
    /// Without --head it checks the run's own manifest, as `locard run --sign` signs it.
    #[arg(long, value_name = "PEM", hide_short_help = true)]
    pub(crate) key: Option<PathBuf>,
    /// Do not compare the head with the one noted when the run was sealed
    #[arg(long, hide_short_help = true)]
    pub(crate) no_head_log: bool,
    /// Write a certificate of what was verified to a new file
    ///
    /// JSON; the same run gives the same bytes.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Sign the certificate with this Ed25519 key, into FILE.sig
    ///
    /// PEM over PKCS#8, as `openssl genpkey -algorithm ed25519` writes it.
    #[arg(long, value_name = "PEM", requires = "certificate", hide_short_help = true)]
    pub(crate) sign: Option<PathBuf>,
    /// Write an RFC 3161 timestamp request for the certificate
    #[arg(long, value_name = "FILE", requires = "certificate", hide_short_help = true)]
    pub(crate) timestamp_request: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writing: OutputArguments,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// The report's format; by default the one that the file name ends in, or Markdown
    #[arg(long, value_enum)]
    pub(crate) format: Option<ReportFormat>,
    /// Write it into a new file instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writing: OutputArguments,
    /// Take the names of techniques and tactics from a newer MITRE bundle (enterprise-attack.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) attack: Option<PathBuf>,
    /// Withhold what a profile names: people, or a TOML file (docs/redaction.md)
    ///
    /// The facts keep the hashes that they have in the run (`locard verify --report`).
    #[arg(long, value_name = "PROFILE")]
    pub(crate) redact: Option<PathBuf>,
    /// Leave out agents' comments and notes, which nobody has checked
    #[arg(long)]
    pub(crate) no_comments: bool,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t)]
    pub(crate) lang: report::Language,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// One page for a browser, with the proof of each fact; needs no network
    Html,
    /// Text for people
    Markdown,
    /// For programs
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ToolArguments {
    /// The tool; without it, list the tools
    pub(crate) name: Option<String>,
    /// Its arguments as NAME=VALUE; a value that is JSON (true, 7) is read as JSON
    pub(crate) arguments: Vec<String>,
    /// A case folder or file, or evidence (folder, archive, image)
    #[arg(long, value_name = "CASE", default_value = ".")]
    pub(crate) evidence: PathBuf,
    /// Run the tool even where it cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Rules, indicators and known files that a team brings along.
#[derive(Debug, clap::Args)]
pub(crate) struct BroughtArguments {
    /// Sigma rules besides those of this program: files, or folders with .yml and .yaml files
    #[arg(long, value_name = "PATH", num_args = 1.., hide_short_help = true)]
    pub(crate) rules_sigma: Vec<PathBuf>,
    /// Indicators to look for in every record: STIX, MISP, OpenIOC, CSV, plain lists
    #[arg(long, value_name = "FILE", num_args = 1.., hide_short_help = true)]
    pub(crate) ioc: Vec<PathBuf>,
    /// Hashes of files that are known to be good: plain lists, NSRL as text
    #[arg(long, value_name = "FILE", num_args = 1.., hide_short_help = true)]
    pub(crate) known_good: Vec<PathBuf>,
}

impl BroughtArguments {
    /// The paths of these files.
    pub(crate) fn paths(&self) -> app::RulePaths {
        let BroughtArguments { rules_sigma, ioc, known_good } = self;
        app::RulePaths { sigma: rules_sigma.clone(), ioc: ioc.clone(), known_good: known_good.clone() }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct HuntArguments {
    /// A case folder or file, or evidence (folder, archive, image)
    #[arg(value_name = "CASE")]
    pub(crate) case: PathBuf,
    /// The lowest level to print
    #[arg(long, value_enum, default_value = "medium")]
    pub(crate) level: LevelArgument,
    /// Only times from then on, such as 2025-09-16
    ///
    /// Or an instant, 2025-09-16T09:44:12Z; without a zone it is taken as UTC.
    /// What has no time is left out.
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<Utc>,
    /// Only times up to then; a day to its end
    #[arg(long, value_name = "TIME", value_parser = until)]
    pub(crate) until: Option<Utc>,
    #[command(flatten)]
    pub(crate) brought: BroughtArguments,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: HuntFormat,
    #[command(flatten)]
    pub(crate) kept: CacheArguments,
    /// Decode the evidence even where that cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RulesArguments {
    #[command(subcommand)]
    pub(crate) command: RulesCommand,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum RulesCommand {
    /// Read Sigma rules, and say which are broken or can match no record, and why
    #[command(after_long_help = help::RULES)]
    Check(RulesCheckArguments),
}

#[derive(Debug, clap::Args)]
pub(crate) struct RulesCheckArguments {
    /// Files of rules, or folders with .yml and .yaml files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// For whom it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Let the rules be read where that cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArgument {
    /// Seen on many computers, and in many intrusions
    Low,
    /// Unusual, but administrators and some software do it too
    Medium,
    /// Rarely anything but an intrusion, or a test of one
    High,
    /// Almost always an attack
    Critical,
}

impl From<LevelArgument> for detect::Level {
    fn from(level: LevelArgument) -> detect::Level {
        match level {
            LevelArgument::Low => detect::Level::Low,
            LevelArgument::Medium => detect::Level::Medium,
            LevelArgument::High => detect::Level::High,
            LevelArgument::Critical => detect::Level::Critical,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArguments {
    /// A case folder or file, or evidence (folder, archive, image)
    #[arg(value_name = "CASE")]
    pub(crate) case: PathBuf,
    /// A SELECT statement, or a table name to list its columns; without it, list the tables that have rows
    #[arg(value_name = "STATEMENT", allow_hyphen_values = true)]
    pub(crate) statement: Option<String>,
    /// Only this piece of evidence
    #[arg(long, value_name = "LABEL")]
    pub(crate) evidence: Option<String>,
    /// Print the digest of each table's rows, in order; the same evidence gives the same digests
    #[arg(long, conflicts_with = "statement")]
    pub(crate) digests: bool,
    /// Maximum number of rows to print
    #[arg(long, value_name = "N", default_value = "1000000")]
    pub(crate) limit: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: SqlFormat,
    #[command(flatten)]
    pub(crate) kept: CacheArguments,
    /// Decode the evidence even where that cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HuntFormat {
    /// For people: two lines for each record
    Text,
    /// One page for a browser; needs no network and no script
    Html,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// One object with everything
    Json,
    /// An object for each record, a line each
    Jsonl,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SqlFormat {
    /// A table for people
    Text,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// One object with columns and rows
    Json,
    /// An object for each row, a line each
    Jsonl,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}
