//! The arguments as they are typed.

use crate::commands::bench::BenchArguments;
use crate::commands::completions::CompletionsArguments;
use crate::commands::diff::DiffArguments;
use crate::commands::export::ExportArguments;
use crate::commands::init::InitArguments;
use crate::commands::man::ManArguments;
use crate::commands::mcp::McpArguments;
use crate::commands::rejections::RejectionsArguments;
use crate::commands::replay::ReplayArguments;
use crate::commands::score::ScoreArguments;
use crate::commands::view::ViewArguments;
use crate::help;
use crate::money::{dollars, prices};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use ledger::{Digest, MicroDollars, Prices};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Investigates evidence with agents whose every fact is checked.
#[derive(Debug, Parser)]
#[command(name = "locard", version, about, max_term_width = 80, after_long_help = help::LOCARD)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Investigate cases and seal a run of each
    #[command(after_long_help = help::RUN)]
    Run(RunArguments),
    /// Go on with runs that broke off
    #[command(after_long_help = help::RESUME)]
    Resume(ResumeArguments),
    /// List the runs, the newest first
    #[command(after_long_help = help::RUNS)]
    Runs(RunsArguments),
    /// Show how each question stands, the facts behind it, the story
    #[command(after_long_help = help::ANSWERS)]
    Answers(RunFolder),
    /// Show the facts of a run and what each rests on
    #[command(after_long_help = help::FACTS)]
    Facts(RunFolder),
    /// Check a run: its chain, outputs, facts and verdicts again
    #[command(after_long_help = help::VERIFY)]
    Verify(VerifyArguments),
    /// Take the steps of a run again, from its log alone
    #[command(after_long_help = help::REPLAY)]
    Replay(ReplayArguments),
    /// Compare what two runs recorded, refused and cost
    #[command(after_long_help = help::DIFF)]
    Diff(DiffArguments),
    /// Pack a run into an archive that verifies elsewhere
    #[command(after_long_help = help::EXPORT)]
    Export(ExportArguments),
    /// Show what the gateway refused, what it cost, how it ended
    #[command(after_long_help = help::REJECTIONS)]
    Rejections(RejectionsArguments),
    /// Measure runs against what is known to be true of their case
    #[command(after_long_help = help::SCORE)]
    Score(ScoreArguments),
    /// Measure the gateway with claims known to be true or false
    #[command(after_long_help = help::BENCH)]
    Bench(BenchArguments),
    /// Write a run's report
    #[command(after_long_help = help::REPORT)]
    Report(ReportArguments),
    /// Search, open, follow and compare runs in a browser
    #[command(after_long_help = help::VIEW)]
    View(ViewArguments),
    /// Let an agent of another program investigate a case (MCP)
    #[command(after_long_help = help::MCP)]
    Mcp(McpArguments),
    /// Print what stands out in evidence by rules, without a run
    #[command(after_long_help = help::HUNT)]
    Hunt(HuntArguments),
    /// Look at rules that others wrote
    #[command(after_long_help = help::RULES)]
    Rules(RulesArguments),
    /// Call one tool on evidence; without a name: list the tools
    #[command(after_long_help = help::TOOL)]
    Tool(ToolArguments),
    /// Ask the records of a case in SQL, or list its tables
    #[command(after_long_help = help::SQL)]
    Sql(SqlArguments),
    /// Make a case folder for evidence
    #[command(after_long_help = help::INIT)]
    Init(InitArguments),
    /// Print a completion script for a shell
    #[command(after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArguments),
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man(ManArguments),
    /// Show what confines tools on this machine
    #[command(after_long_help = help::DOCTOR)]
    Doctor,
}

/// What kind of model a run is made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProfileArgument {
    /// Any model
    #[default]
    Full,
    /// A small one
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
    /// How many cases are investigated at once
    ///
    /// Without it: as many as there are processors.
    /// The agents of a case work side by side, a tool worker each (up to 2 GiB of memory).
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Where run folders are made
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// What decides: playbook, sloppy, anthropic:MODEL, openai:MODEL@URL
    ///
    /// `playbook` is the embedded playbook of each agent.
    /// `sloppy` and `sloppy:SEED` are the same playbook with seeded mistakes.
    /// The next two are language models; their keys stand in ANTHROPIC_API_KEY
    /// and OPENAI_API_KEY. docs/models.md has more.
    /// `recorded:RUN` answers as a recorded run was answered, at no cost.
    #[arg(long, default_value = "playbook")]
    pub(crate) model: String,
    /// What kind of model it is: `small` for one of few billion parameters, or with a context below 40,000 tokens
    ///
    /// A small one has all questions as one agent, the examiner, with few tools, and each turn is told the call that comes next (docs/models.md).
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) profile: ProfileArgument,
    /// Let the agents work side by side, without a lead that hands out tasks
    #[arg(long, hide_short_help = true)]
    pub(crate) side_by_side: bool,
    /// An agent that works, side by side with others that are named so; may be given several times
    ///
    /// Without it: a lead hands tasks to all of them (docs/agents.md).
    #[arg(long = "agent", value_name = "NAME", hide_short_help = true)]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) language_model: ModelArguments,
    /// End the agents once they have used so many tokens together
    ///
    /// Looked at before each turn: turns under way are paid for all the same.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_tokens: Option<NonZeroU64>,
    /// End the agents once they have cost so many US dollars, by --price
    ///
    /// Looked at before each turn: turns under way are paid for all the same.
    #[arg(long, value_name = "USD", value_parser = dollars, hide_short_help = true)]
    pub(crate) max_cost: Option<MicroDollars>,
    /// Let others read the run folders, as far as the umask lets them
    ///
    /// Otherwise only the owner can: a run holds what its evidence holds.
    #[arg(long, hide_short_help = true)]
    pub(crate) shared: bool,
    /// Do not ask by code what the agents left open
    ///
    /// Otherwise a last task, `sweep`, asks it before the run is sealed; what
    /// it records is marked as found by code (docs/recovery.md).
    #[arg(long, hide_short_help = true)]
    pub(crate) no_sweep: bool,
    /// What the run's ids are derived from, 64 hexadecimal digits
    ///
    /// Without it: the case and the rules, so that equal runs are equal;
    /// for `recorded:RUN` that of the recorded run.
    #[arg(long, value_name = "DIGEST", hide_short_help = true)]
    pub(crate) seed: Option<Digest>,
    /// A TOML file with rules: budgets, gate, view, surfaces
    ///
    /// What it leaves out keeps its default; docs/rules.md shows them all.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Let tools run where they cannot be confined; every report says so
    #[arg(long)]
    pub(crate) unconfined: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// What a language model is asked with.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ModelArguments {
    /// How many tokens a language model takes at once, its reply included
    ///
    /// Without it: 200000 for anthropic's own models, 128000 for OpenAI's own,
    /// 65536 for other servers. A server set to less refuses or cuts requests.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) context_tokens: Option<u32>,
    /// What a million tokens cost in US dollars: INPUT,OUTPUT[,CACHED[,WRITTEN]]
    ///
    /// CACHED: input that is read from a cache, WRITTEN: input that is written
    /// into one; without them both cost what input does.
    #[arg(long, value_name = "PRICES", value_parser = prices, hide_short_help = true)]
    pub(crate) price: Option<Prices>,
    /// How many seconds a turn that fails is tried again; 0: not at all
    ///
    /// Without it: up to 10 times within 20 minutes. A reply on its way is
    /// waited for all the same.
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub(crate) patience: Option<u64>,
}

/// How evidence is checked, and where what is known of its names is kept.
#[derive(Debug, clap::Args)]
pub(crate) struct EvidenceArguments {
    /// How closely the evidence is checked before the run is sealed
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "full")]
    pub(crate) integrity: IntegrityArgument,
    /// Where indexes and decoded records (case tables) are kept for later runs
    ///
    /// Without it: locard in $XDG_CACHE_HOME, or in ~/.cache.
    /// What it holds is as confidential as the evidence, and can be removed at any time.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Keep nothing for later runs, and take nothing of earlier ones
    #[arg(long, conflicts_with = "cache", hide_short_help = true)]
    pub(crate) no_cache: bool,
}

/// What is kept of a run's head, once it is sealed.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SealArguments {
    /// An ed25519 key to sign the manifest with, into manifest.json.sig beside it
    ///
    /// PEM over PKCS#8, as `openssl genpkey -algorithm ed25519` writes it;
    /// `locard verify RUN --key` checks it with the public key.
    #[arg(long, value_name = "PEM", hide_short_help = true)]
    pub(crate) sign: Option<PathBuf>,
    /// Do not note the head of the sealed run in the log of heads
    ///
    /// Otherwise it is noted in locard/heads in $XDG_STATE_HOME, or in
    /// ~/.local/state, and locard verify compares. LOCARD_NO_HEAD_LOG does the same.
    #[arg(long, hide_short_help = true)]
    pub(crate) no_head_log: bool,
}

/// How the work on a run is done, and shown.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArguments {
    #[command(flatten)]
    pub(crate) evidence: EvidenceArguments,
    #[command(flatten)]
    pub(crate) seal: SealArguments,
    /// What makes the exit code other than 0
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    /// Show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ResumeArguments {
    /// Runs: folders, beginnings of their names, latest, or latest:CASE
    #[arg(required = true, value_name = "RUN")]
    pub(crate) names: Vec<String>,
    /// Where run folders are looked for
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Where the evidence lies now: a case, evidence, or LABEL=PATH
    ///
    /// It must be the same evidence, untouched; a copy is not.
    /// Without it: where the run found it.
    #[arg(long, value_name = "EVIDENCE")]
    pub(crate) evidence: Vec<PathBuf>,
    /// How many seconds a turn that fails is tried again; 0: not at all
    ///
    /// Without it: up to 10 times within 20 minutes.
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub(crate) patience: Option<u64>,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunsArguments {
    /// Only runs of cases of this name; * stands for any characters, ? for one
    pub(crate) case: Option<String>,
    /// Where run folders are looked for
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
    /// A question of the case has no answer: it is open, or cannot be told from the evidence
    Unmet,
    /// A question of the case is open: not asked, partly searched, or seen and not recorded
    Open,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunFolder {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Where run folders are looked for
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// Takes a path that may be empty.
fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    #[arg(required_unless_present = "report")]
    pub(crate) run: Option<String>,
    /// Check the facts of a JSON report instead; with RUN: that they are the run's
    ///
    /// What is withheld of a redacted report is covered by the hashes of its facts.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["unsealed", "evidence", "head", "key", "certificate"]
    )]
    pub(crate) report: Option<PathBuf>,
    /// Where run folders are looked for
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Accept a run that is not sealed
    ///
    /// Nothing tells whether events are missing at the end of such a run.
    #[arg(long)]
    pub(crate) unsealed: bool,
    /// Run the tools again and read raw bytes again, over the evidence at PATH
    ///
    /// PATH is a case, the only piece of evidence, or LABEL=PATH (several times);
    /// without a path: where the run found it.
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "", value_parser = any_path())]
    pub(crate) evidence: Vec<PathBuf>,
    /// Let tools run where they cannot be confined
    #[arg(long, requires = "evidence", hide_short_help = true)]
    pub(crate) unconfined: bool,
    /// A head kept elsewhere: its digits, or a manifest, certificate or text
    ///
    /// Only such a head tells a run that was written anew as a whole from the one that was sealed.
    #[arg(long, value_name = "FILE")]
    pub(crate) head: Option<PathBuf>,
    /// The public key that must have signed the file of --head (FILE.sig)
    ///
    /// Without --head: the run's own manifest, as `locard run --sign` signs it.
    #[arg(long, value_name = "PEM", hide_short_help = true)]
    pub(crate) key: Option<PathBuf>,
    /// Do not compare the head with the one that was noted when the run was sealed
    #[arg(long, hide_short_help = true)]
    pub(crate) no_head_log: bool,
    /// Write what was verified into a new file
    ///
    /// JSON; the same run gives the same bytes.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// An ed25519 key to sign the certificate with, into FILE.sig
    ///
    /// PEM over PKCS#8, as `openssl genpkey -algorithm ed25519` writes it.
    #[arg(long, value_name = "PEM", requires = "certificate", hide_short_help = true)]
    pub(crate) sign: Option<PathBuf>,
    /// Write a request (RFC 3161) for a timestamp over the certificate
    #[arg(long, value_name = "FILE", requires = "certificate", hide_short_help = true)]
    pub(crate) timestamp_request: Option<PathBuf>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// Where run folders are looked for
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// The report's format; without it, what the name of the file ends in, or else Markdown
    #[arg(long, value_enum)]
    pub(crate) format: Option<ReportFormat>,
    /// Write it into a file, which must not exist, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// A newer bundle of MITRE's (enterprise-attack.json): its names and tactics are told in the page
    #[arg(long, value_name = "FILE")]
    pub(crate) attack: Option<PathBuf>,
    /// Withhold what a profile names: people, or a TOML file (docs/redaction.md)
    ///
    /// The hashes of the facts stay those of the run: `locard verify --report`.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) redact: Option<PathBuf>,
    /// Leave out agents' comments, which nobody has checked
    #[arg(long)]
    pub(crate) no_comments: bool,
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
    /// The tool; none: list them
    pub(crate) name: Option<String>,
    /// Its arguments as NAME=VALUE; a value that is JSON (true, 7) is taken as such
    pub(crate) arguments: Vec<String>,
    /// A case folder or file, or evidence (folder, archive, image)
    #[arg(long, value_name = "CASE", default_value = ".")]
    pub(crate) evidence: PathBuf,
    /// Let the tool run where it cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct HuntArguments {
    /// A case folder or file, or evidence (folder, archive, image)
    #[arg(value_name = "CASE")]
    pub(crate) case: PathBuf,
    /// The least that a record must stand out
    #[arg(long, value_enum, default_value = "medium")]
    pub(crate) level: LevelArgument,
    /// Sigma rules besides those of this program: files, or folders with .yml and .yaml files
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) rules_sigma: Vec<PathBuf>,
    /// Indicators to look for in every record: STIX, MISP, OpenIOC, CSV, plain lists
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) ioc: Vec<PathBuf>,
    /// Hashes of files that are known to be good: plain lists, NSRL as text
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) known_good: Vec<PathBuf>,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: SqlFormat,
    /// Where tables are kept for the next hunt by rules of others
    ///
    /// Without it: locard in $XDG_CACHE_HOME, or in ~/.cache.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Keep no tables for the next hunt, and take none of an earlier one
    #[arg(long, conflicts_with = "cache", hide_short_help = true)]
    pub(crate) no_cache: bool,
    /// Let the evidence be decoded where that cannot be confined
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
    /// Read Sigma rules, and tell which cannot be used or cannot fit any record, and why
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
    /// Unusual; administrators and some software do so, too
    Medium,
    /// Rarely anything but an intrusion, or a test of one
    High,
    /// Next to nothing but an attack
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
    /// One SELECT, or the name of a table: its columns; none: list the tables that have rows
    #[arg(value_name = "STATEMENT", allow_hyphen_values = true)]
    pub(crate) statement: Option<String>,
    /// Only this piece of evidence
    #[arg(long, value_name = "LABEL")]
    pub(crate) evidence: Option<String>,
    /// Print the digest of each table: over its rows in their order, the same wherever the evidence is the same
    #[arg(long, conflicts_with = "statement")]
    pub(crate) digests: bool,
    /// Most rows to print
    #[arg(long, value_name = "N", default_value = "1000000")]
    pub(crate) limit: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: SqlFormat,
    /// Where tables are kept for the next question
    ///
    /// Without it: locard in $XDG_CACHE_HOME, or in ~/.cache.
    /// What it holds can be removed at any time.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Keep no tables for the next question, and take none of an earlier one
    #[arg(long, conflicts_with = "cache", hide_short_help = true)]
    pub(crate) no_cache: bool,
    /// Let the evidence be decoded where that cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
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
