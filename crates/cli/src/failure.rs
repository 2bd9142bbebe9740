//! Failures: their messages, and their exit codes (`docs/exit-codes.md`).

mod codes;

use crate::commands::graph::GraphFailure;
use crate::models::ModelFailure;
use crate::unknown::Unknown;
use codes::{
    again_code, ask_code, check_report_code, export_code, given_code, model_code, open_code, outside_code,
    run_code, show_code, spawn_code, tables_code, tool_code,
};
use llm::ModelError;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// Why a command could not do what it was asked to do.
#[derive(Debug, ThisError)]
pub(crate) enum Failure {
    #[error("failed to write the result")]
    Output(#[source] io::Error),
    #[error("failed to read what is typed")]
    Input(#[source] io::Error),
    #[error("failed to start the program's threads")]
    Runtime(#[source] io::Error),
    #[error("failed to find this program's own file")]
    Program(#[source] io::Error),
    #[error("failed to start a tool worker")]
    NoWorkers(#[source] sandbox::SpawnError),
    #[error(
        "failed to start: {limit} bytes of address space are allowed (ulimit -v), and {} are needed at least",
        Failure::ADDRESS_SPACE
    )]
    AddressSpace { limit: u64 },
    #[error("failed to make a folder for scratch files in {}", path.display())]
    Scratch {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to make a folder for scratch files: the temporary folder {} lies inside the evidence {}, which is never written", path.display(), evidence.display())]
    ScratchInEvidence { path: PathBuf, evidence: PathBuf },
    #[error("failed to open the log file {}", path.display())]
    LogFile {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("LOCARD_LOG: expected levels such as info or info,engine=debug, found {wanted:?}")]
    LogFilter {
        wanted: String,
        #[source]
        source: tracing_subscriber::filter::ParseError,
    },
    #[error("failed to write the manual pages into {}", path.display())]
    Man {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to read the rules {}", path.display())]
    RulesFile {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to {0}")]
    Brought(#[source] app::BroughtError),
    #[error("failed to read the rules {}", path.display())]
    Rules {
        path: PathBuf,
        #[source]
        source: Box<toml::de::Error>,
    },
    #[error("failed to use the rules {}: {rule} is a rule of earlier runs, and new runs do not have it", path.display())]
    RetiredRule { path: PathBuf, rule: &'static str },
    #[error("failed to use the cache {}: expected a folder, found a file", path.display())]
    Cache { path: PathBuf },
    #[error("failed to {0}")]
    Truth(#[source] app::TruthError),
    #[error("failed to {0}")]
    RuleSets(#[source] app::RuleSetError),
    #[error("failed to {0}")]
    Bench(#[source] app::MaterialError),
    #[error("failed to {0}")]
    Memory(#[source] app::MemoryError),
    #[error("failed to find the memory: neither XDG_DATA_HOME nor HOME is set; --memory FOLDER names it")]
    NoMemory,
    #[error("there is no lesson {id:?}; `locard memory list` lists them")]
    NoLesson { id: String },
    #[error("failed to read the lessons {}", path.display())]
    Lessons {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to {0}")]
    Init(#[source] app::InitError),
    #[error("failed to {0}")]
    Case(#[source] app::CaseError),
    #[error("failed to read the shipped agents")]
    Agents(#[source] app::AgentError),
    #[error("failed to choose agents: there is no agent {found:?}, only {}", known.join(", "))]
    NoSuchAgent { found: String, known: Vec<String> },
    #[error("there is no {} {:?}", .0.what, .0.found)]
    Unknown(Box<Unknown>),
    #[error("failed to {0}")]
    Model(#[source] ModelFailure),
    #[error("failed to investigate the case")]
    Run(#[source] Box<app::RunError>),
    #[error("failed to call the tool")]
    Tool(#[source] app::ToolError),
    #[error("failed to call the tool: expected NAME=VALUE, found {found:?}")]
    ToolArgument { found: String },
    #[error("failed to call the tool: there is no tool {found:?}; `locard tool` lists them")]
    NoSuchTool { found: String },
    #[error("failed to query the tables")]
    Tables(#[source] app::TablesError),
    #[error("failed to {0}")]
    Ask(#[source] app::AskError),
    #[error("failed to open the run")]
    Open(#[source] app::OpenRunError),
    #[error("failed to ask the graph: {0}")]
    Graph(GraphFailure),
    #[error("failed to {0}")]
    OutputFile(#[source] app::OutputFileError),
    #[error("failed to {0}")]
    InEvidence(#[source] app::OutsideError),
    #[error("failed to write the run: --attack belongs to formats that name techniques, {belongs}")]
    NoTechniques { belongs: &'static str },
    #[error("failed to {0}")]
    ReportPage(#[source] app::ReportPageError),
    #[error("failed to {0}")]
    Show(#[source] app::ShowError),
    #[error("failed to {0}")]
    Profile(#[source] app::ProfileError),
    #[error("failed to {0}")]
    CheckReport(#[source] app::CheckReportError),
    #[error(
        "failed to pack the run: an archive holds all of it; --redact is for reports and for the other formats of --as"
    )]
    RedactedArchive,
    /// An archive holds everything that was recorded, comments included.
    #[error(
        "--no-comments does not apply to --as tar: an archive verifies and replays, so it holds everything that was recorded"
    )]
    CommentsOfArchive,
    #[error("failed to {0}")]
    Replay(#[source] app::ReplayError),
    #[error("failed to {0}")]
    Head(#[source] app::HeadError),
    #[error("failed to read the head {}: it lies in the run's own folder, and vouches for nothing", path.display())]
    OwnHead { path: PathBuf },
    #[error("failed to {0}")]
    Key(#[source] app::SignatureError),
    #[error("failed to {0}")]
    Keep(#[source] app::KeepError),
    #[error("failed to {0}")]
    Export(#[source] app::ExportError),
    #[error("failed to write the statement: it needs at least one signature; give the key with --sign")]
    NoSigner,
    #[error("failed to write the run: --sign and --subject belong to --as in-toto")]
    NothingToSign,
    #[error("failed to write the result: it is not text, and standard output is a terminal")]
    BytesToTerminal,
    #[error("failed to {0}")]
    Rejudge(#[source] app::RejudgeError),
    #[error("failed to {0}")]
    Given(#[source] app::GivenError),
    #[error("failed to {0}")]
    Again(#[source] app::AgainError),
    #[error("interrupted")]
    Stopped { code: u8 },
    #[error("failed to {0}")]
    List(#[source] app::ListError),
    #[error("failed to {0}")]
    AuditState(#[source] app::AuditStateError),
    #[error("failed to {0}")]
    View(#[source] view::ViewError),
    #[error("failed to get ready to serve")]
    Mcp(#[source] mcp::SetupError),
    #[error("failed to {0}")]
    McpHttp(#[source] mcp::HttpError),
    #[error("failed to {0}")]
    McpStdio(#[source] mcp::StdioError),
    #[error("failed to investigate the case: a thread of the program panicked")]
    Panicked,
}

impl Failure {
    /// Wrong usage or configuration.
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const DEFECT: u8 = 1;
    const OUTPUT_CLOSED: u8 = 3;
    /// A question that the evidence does not answer.
    pub(crate) const NOT_DETERMINABLE: u8 = 26;
    pub(crate) const DIVERGED: u8 = 30;
    pub(crate) const TAMPERED: u8 = 31;
    pub(crate) const UNSEALED: u8 = 32;
    pub(crate) const UNFOUNDED: u8 = 33;
    pub(crate) const NOT_REPRODUCED: u8 = 34;
    pub(crate) const OTHER_BYTES: u8 = 35;
    pub(crate) const OTHER_HEAD: u8 = 36;
    const SIGNATURE: u8 = 37;
    pub(crate) const SANDBOX: u8 = 40;
    /// With less than this, the program or the worker that it forks would abort at some point.
    pub(crate) const ADDRESS_SPACE: u64 = 480 << 20;
    pub(crate) const MODEL: u8 = 50;
    pub(crate) const BUDGET: u8 = 60;
    /// Ended by SIGINT: 128 plus the signal's number, following the shells' convention.
    pub(crate) const INTERRUPTED: u8 = 130;
    /// Ended by SIGTERM.
    pub(crate) const TERMINATED: u8 = 143;

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Output(_) => Failure::OUTPUT_CLOSED,
            Failure::Runtime(_)
            | Failure::Program(_)
            | Failure::Agents(_)
            | Failure::Panicked
            | Failure::Mcp(mcp::SetupError::Agents(_) | mcp::SetupError::Vocabulary(_))
            | Failure::McpHttp(mcp::HttpError::Random(_) | mcp::HttpError::Serve(_))
            | Failure::McpStdio(mcp::StdioError::Panicked)
            | Failure::View(view::ViewError::Random(_) | view::ViewError::Serve(_)) => Failure::DEFECT,
            Failure::Input(_)
            | Failure::AddressSpace { .. }
            | Failure::Scratch { .. }
            | Failure::ScratchInEvidence { .. }
            | Failure::Man { .. }
            | Failure::OutputFile(_)
            | Failure::ReportPage(_)
            | Failure::NoTechniques { .. }
            | Failure::Profile(_)
            | Failure::RedactedArchive
            | Failure::CommentsOfArchive
            | Failure::RulesFile { .. }
            | Failure::Brought(_)
            | Failure::Rules { .. }
            | Failure::RetiredRule { .. }
            | Failure::Case(_)
            | Failure::Memory(_)
            | Failure::NoMemory
            | Failure::NoLesson { .. }
            | Failure::Lessons { .. }
            | Failure::Cache { .. }
            | Failure::Truth(_)
            | Failure::RuleSets(_)
            | Failure::Bench(app::MaterialError::Nothing { .. })
            | Failure::NoSuchAgent { .. }
            | Failure::Unknown(_)
            | Failure::Graph(_)
            | Failure::ToolArgument { .. }
            | Failure::List(_)
            | Failure::AuditState(_)
            | Failure::OwnHead { .. }
            | Failure::Key(_)
            | Failure::LogFile { .. }
            | Failure::LogFilter { .. }
            | Failure::Replay(app::ReplayError::NoTask { .. })
            | Failure::BytesToTerminal
            | Failure::NoSigner
            | Failure::NothingToSign
            | Failure::View(view::ViewError::Listen { .. })
            | Failure::Mcp(mcp::SetupError::Agent { .. })
            | Failure::McpHttp(mcp::HttpError::NotLoopback { .. } | mcp::HttpError::Listen { .. })
            | Failure::McpStdio(mcp::StdioError::Begin(_))
            | Failure::Rejudge(app::RejudgeError::Replay(app::ReplayError::NoTask { .. }))
            | Failure::Rejudge(app::RejudgeError::Rules(_))
            | Failure::NoSuchTool { .. } => Failure::USAGE,
            Failure::NoWorkers(error) => spawn_code(error),
            Failure::Model(failure) => model_code(failure),
            Failure::Export(error) => export_code(error),
            Failure::InEvidence(error) => outside_code(error),
            Failure::Show(error) => show_code(error),
            Failure::CheckReport(error) => check_report_code(error),
            Failure::Init(app::InitError::Hash { source, .. }) => tool_code(source),
            Failure::Init(app::InitError::Unreadable(_)) => Failure::DEFECT,
            Failure::Init(_) => Failure::USAGE,
            Failure::Head(app::HeadError::Signature(_)) => Failure::SIGNATURE,
            Failure::Head(_) => Failure::USAGE,
            Failure::Keep(app::KeepError::Encode(_)) => Failure::DEFECT,
            Failure::Keep(_) => Failure::USAGE,
            Failure::Run(error) => run_code(error),
            Failure::Given(error) => given_code(error),
            Failure::Again(error) => again_code(error),
            Failure::Stopped { code } => *code,
            Failure::Tool(error) => tool_code(error),
            Failure::Tables(error) => tables_code(error),
            Failure::Ask(error) => ask_code(error),
            Failure::Open(error)
            | Failure::Bench(app::MaterialError::Open(error))
            | Failure::Replay(app::ReplayError::Run(error))
            | Failure::Rejudge(app::RejudgeError::Replay(app::ReplayError::Run(error))) => open_code(error),
            Failure::Bench(_)
            | Failure::Replay(app::ReplayError::NotOpened { .. })
            | Failure::Rejudge(app::RejudgeError::Replay(app::ReplayError::NotOpened { .. })) => {
                Failure::TAMPERED
            }
        }
    }

    /// The folder of the run, if one was created before the failure.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Failure::Run(error) => error.folder(),
            _ => None,
        }
    }

    /// Whether the reader of the result just stopped reading, which is not worth a complaint.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) | Failure::Export(app::ExportError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// A hint at what to do next, if there is one.
    fn hint(&self) -> Option<String> {
        match self {
            Failure::NoWorkers(sandbox::SpawnError::NeedsFile { .. }) => Some(
                "mount /proc and make /dev/null (a container runtime does both); a finished run can be read, verified and replayed without".to_owned(),
            ),
            Failure::NoWorkers(_) => Some(
                "investigate on Linux, --unconfined needs it as well; a finished run can be read, verified and replayed here".to_owned(),
            ),
            Failure::Ask(_)
            | Failure::Tool(_) | Failure::Tables(_) | Failure::Run(_) | Failure::Init(_) | Failure::Again(_)
                if self.code() == Failure::SANDBOX =>
            {
                Some("`locard doctor` shows what works here; --unconfined runs without confinement".to_owned())
            }
            Failure::Run(error) if matches!(**error, app::RunError::IndexOfOther { .. }) => {
                Some("the index was dropped: investigate again".to_owned())
            }
            Failure::Run(error) if matches!(**error, app::RunError::NoPrice { .. }) => {
                Some("give the price of a million tokens in US dollars with --price INPUT,OUTPUT".to_owned())
            }
            Failure::Run(error) if begins_anew(error) => {
                Some("facts, report and verify --unsealed read what it holds; begin a new run".to_owned())
            }
            Failure::Run(error) if let app::RunError::Given(error) = &**error => given_hint(error),
            Failure::Run(error) => error.folder().map(|folder| {
                let folder = folder.display();
                format!("{folder} is not sealed; `locard resume` resumes it; facts, report and verify --unsealed read what it holds")
            }),
            Failure::Given(error) => given_hint(error),
            Failure::Unknown(unknown) => Some(unknown.hint()),
            Failure::Graph(failure) => failure.hint(),
            Failure::NoSuchTool { found } => {
                let catalogue = tools::catalogue();
                meant(found, catalogue.iter().map(|tool| tool.name.as_str()))
            }
            Failure::NoSuchAgent { found, known } => meant(found, known.iter().map(String::as_str)),
            Failure::Replay(app::ReplayError::NoTask { wanted, known })
            | Failure::Rejudge(app::RejudgeError::Replay(app::ReplayError::NoTask { wanted, known })) => {
                let agents = known.iter().filter_map(|task| task.split(['(', ')']).nth(1));
                meant(wanted, agents)
            }
            Failure::Profile(app::ProfileError::Unknown { name, known }) => meant(name, known.iter().copied()),
            Failure::Model(ModelFailure::Name { found }) => {
                let (name, rest) = found.split_at(found.find(':').unwrap_or(found.len()));
                app::nearest(name, crate::models::NAMES.iter().copied())
                    .filter(|nearest| *nearest != name)
                    .map(|nearest| format!("did you mean `{nearest}{rest}`?"))
            }
            Failure::Open(app::OpenRunError::NotFound { nearest: Some(nearest), .. })
            | Failure::Model(ModelFailure::Find(app::OpenRunError::NotFound { nearest: Some(nearest), .. })) => {
                Some(format!("did you mean `{nearest}`?"))
            }
            Failure::AddressSpace { .. } => Some("raise it with `ulimit -v`, or `ulimit -v unlimited`".to_owned()),
            Failure::ScratchInEvidence { .. } => Some("set TMPDIR to a folder elsewhere".to_owned()),
            Failure::Case(app::CaseError::Outside { folder, .. }) => {
                let file = folder.join("case.toml");
                Some(format!("to allow that, name the case file itself: {}", file.display()))
            }
            Failure::Case(app::CaseError::TimeZone { nearest, .. }) => {
                nearest.as_ref().map(|nearest| format!("did you mean \"{nearest}\"?"))
            }
            Failure::Case(app::CaseError::Malformed { source, .. })
            | Failure::Truth(app::TruthError::Toml { source, .. })
            | Failure::RuleSets(app::RuleSetError::Toml { source, .. })
            | Failure::Rules { source, .. } => {
                app::nearest_known(source).map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Failure::OutputFile(app::OutputFileError::Exists { .. })
            | Failure::Export(app::ExportError::File(app::OutputFileError::Exists { .. }))
            | Failure::Keep(app::KeepError::File(app::OutputFileError::Exists { .. })) => {
                Some("--force writes over it".to_owned())
            }
            Failure::Export(app::ExportError::Unsealed { .. }) => {
                Some("--unsealed accepts a run that broke off or was interrupted".to_owned())
            }
            Failure::Model(ModelFailure::Find(
                app::OpenRunError::NotFound { .. } | app::OpenRunError::Ambiguous { .. },
            ))
            | Failure::Open(app::OpenRunError::NotFound { .. } | app::OpenRunError::Ambiguous { .. }) => {
                Some("give a run folder, or a name under --runs, or enough of its beginning".to_owned())
            }
            Failure::Open(app::OpenRunError::NotARun { folder, holds_runs: true }) => {
                Some(format!("it holds runs: name one of them, with --runs {}", folder.display()))
            }
            Failure::Open(app::OpenRunError::AFile { path }) if path.ends_with(store::FILE_NAME) => {
                Some("give the folder that it lies in".to_owned())
            }
            Failure::Open(app::OpenRunError::NoneSealed { .. }) => {
                Some("give its name to read it as far as it goes; `locard resume` goes on with one that broke off".to_owned())
            }
            _ => None,
        }
    }
}

/// The known name that was probably meant.
fn meant<'k>(found: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    app::nearest(found, known).map(|nearest| format!("did you mean `{nearest}`?"))
}

/// Whether a run that broke off can never be resumed.
fn begins_anew(error: &app::RunError) -> bool {
    matches!(
        error,
        app::RunError::NothingRecorded { .. }
            | app::RunError::OtherEvidence { .. }
            | app::RunError::NotAsItWas { .. }
            | app::RunError::OtherProgram { .. }
            | app::RunError::OtherModel { .. }
            | app::RunError::Diverged { .. }
    )
}

fn given_hint(error: &app::GivenError) -> Option<String> {
    match error {
        app::GivenError::Missing { .. } | app::GivenError::Untold { .. } => {
            Some("give its present place with --evidence".to_owned())
        }
        app::GivenError::Which { .. }
        | app::GivenError::Label { .. }
        | app::GivenError::Kind { .. }
        | app::GivenError::Twice { .. } => {
            Some("--evidence LABEL=PATH gives one piece of evidence".to_owned())
        }
        app::GivenError::Run(_) | app::GivenError::NotOpened { .. } | app::GivenError::Case(_) => None,
    }
}

/// The failure, its causes one to a line, and the hint.
///
/// Causes quote case files and names from the evidence, so every line is made safe for a terminal.
pub(crate) fn describe(failure: &Failure) -> String {
    let asked = model_failure(failure);
    let mut text =
        asked.map_or_else(|| format!("error: {failure}"), |asked| format!("error: {}", sentence(asked)));
    let causes = if asked.is_some() { Vec::new() } else { app::causes(failure) };
    for cause in causes {
        text.push_str("\n  because: ");
        text.push_str(&cause);
    }
    if let Some(hint) = failure.hint() {
        text.push_str("\nhint: ");
        text.push_str(&hint);
    }
    text.lines().map(report::terminal).collect::<Vec<_>>().join("\n")
}

/// The model error that left a run unsealed, if that is the cause. A reader needs only this error, not the ones that wrap it.
fn model_failure(failure: &Failure) -> Option<&ModelError> {
    match failure {
        Failure::Run(error) => match &**error {
            app::RunError::Drive { source: app::DriveError::Model { source, .. }, .. } => Some(source),
            _ => None,
        },
        _ => None,
    }
}

/// One sentence: what is not available, and the root cause.
fn sentence(error: &ModelError) -> String {
    match error {
        ModelError::Unreachable { model, source } => {
            let mut text = format!("the model {model} cannot be reached: {source}");
            let mut last = source.source();
            while let Some(next) = last.and_then(Error::source) {
                last = Some(next);
            }
            if let Some(last) = last {
                text.push_str(": ");
                text.push_str(&last.to_string());
            }
            text
        }
        ModelError::Differs { model, differs } => {
            format!("the model {model} was asked something other than what was recorded: {differs}")
        }
        ModelError::Unusable { model, why } => format!("the model {model} cannot be used: {why}"),
        ModelError::Exhausted { .. }
        | ModelError::Gone { .. }
        | ModelError::TooLong { .. }
        | ModelError::AsRecorded { .. }
        | ModelError::NoReply { .. } => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::SpawnError;

    fn spawn(source: SpawnError) -> Failure {
        Failure::Tool(app::ToolError::Spawn(source))
    }

    #[test]
    fn only_a_worker_that_cannot_be_confined_ends_with_40_and_the_hint() {
        let refused = || SpawnError::ConfinementUnavailable { missing: Vec::new() };
        let run = app::RunError::Tools(app::ToolError::Spawn(refused()));
        for failure in [spawn(refused()), Failure::Run(Box::new(run))] {
            assert_eq!(failure.code(), 40);
            assert!(describe(&failure).contains("--unconfined"), "{failure}");
        }
        let elsewhere = Failure::NoWorkers(SpawnError::NeedsLinux { system: "windows" });
        assert_eq!(elsewhere.code(), 40);
        assert!(describe(&elsewhere).contains("--unconfined needs it as well"), "{elsewhere}");
        let bare = Failure::NoWorkers(SpawnError::NeedsFile { path: "/dev/null" });
        assert_eq!(bare.code(), 40);
        assert!(describe(&bare).contains("/dev/null") && describe(&bare).contains("mount /proc"), "{bare}");
        let late = SpawnError::NotReady { after: std::time::Duration::from_secs(1) };
        let hash = app::ToolError::Hash { ending: "it was killed".to_owned() };
        for failure in [spawn(late), Failure::Tool(hash)] {
            assert_eq!(failure.code(), 1);
            assert!(!describe(&failure).contains("--unconfined"), "{failure}");
        }
    }
}
