//! Failures: what a person is told, and the exit code that says the same (DESIGN §7).

use std::error::Error;
use std::io;
use std::path::PathBuf;
use thiserror::Error as ThisError;

/// Why a command did not do what it was asked.
#[derive(Debug, ThisError)]
pub(crate) enum Failure {
    #[error("failed to write the result")]
    Output(#[source] io::Error),
    #[error("failed to start the program's threads")]
    Runtime(#[source] io::Error),
    #[error("failed to find this program's own file")]
    Program(#[source] io::Error),
    #[error("failed to make a folder for scratch files in {}", path.display())]
    Scratch {
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
    #[error("failed to read the rules {}", path.display())]
    Rules {
        path: PathBuf,
        #[source]
        source: Box<toml::de::Error>,
    },
    #[error("failed to {0}")]
    Case(#[source] app::CaseError),
    #[error("failed to read the shipped agents")]
    Agents(#[source] app::AgentError),
    #[error("failed to choose a model: expected `playbook`, `sloppy` or `sloppy:SEED`, found {found:?}")]
    Model { found: String },
    #[error("failed to investigate the case")]
    Run(#[source] Box<app::RunError>),
    #[error("failed to call the tool")]
    Tool(#[source] app::ToolError),
    #[error("failed to call the tool: expected NAME=VALUE, found {found:?}")]
    ToolArgument { found: String },
    #[error("failed to call the tool: there is no tool {found:?}; `locard tool` lists them")]
    NoSuchTool { found: String },
    #[error("failed to open the run")]
    Open(#[source] app::OpenRunError),
    #[error("failed to encode the result")]
    Json(#[source] serde_json::Error),
}

impl Failure {
    /// Wrong usage or configuration.
    pub(crate) const USAGE: u8 = 2;
    const DEFECT: u8 = 1;
    const OUTPUT_CLOSED: u8 = 3;
    pub(crate) const TAMPERED: u8 = 31;
    const SANDBOX: u8 = 40;

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Output(_) => Failure::OUTPUT_CLOSED,
            Failure::Runtime(_) | Failure::Program(_) | Failure::Agents(_) | Failure::Json(_) => {
                Failure::DEFECT
            }
            Failure::Scratch { .. }
            | Failure::RulesFile { .. }
            | Failure::Rules { .. }
            | Failure::Case(_)
            | Failure::Model { .. }
            | Failure::ToolArgument { .. }
            | Failure::NoSuchTool { .. } => Failure::USAGE,
            Failure::Run(error) => run_code(error),
            Failure::Tool(_) => Failure::SANDBOX,
            Failure::Open(error) => open_code(error),
        }
    }

    /// What to do next, where that is known.
    fn hint(&self) -> Option<&'static str> {
        match self {
            Failure::Tool(_) => {
                Some("`locard doctor` shows what holds here; --unconfined goes on without it")
            }
            Failure::Run(error) if run_code(error) == Failure::SANDBOX => {
                Some("`locard doctor` shows what holds here; --unconfined goes on without it")
            }
            Failure::Open(app::OpenRunError::NotFound { .. }) => {
                Some("give a run folder, or the beginning of a name under --runs")
            }
            _ => None,
        }
    }
}

fn run_code(error: &app::RunError) -> u8 {
    match error {
        app::RunError::Tools(_) => Failure::SANDBOX,
        app::RunError::InsideEvidence { .. }
        | app::RunError::UnknownAgent { .. }
        | app::RunError::Create(_) => Failure::USAGE,
        app::RunError::Vocabulary(_)
        | app::RunError::Canonical(_)
        | app::RunError::Recording { .. }
        | app::RunError::Drive { .. }
        | app::RunError::Hash { .. }
        | app::RunError::Panicked { .. }
        | app::RunError::Seal { .. }
        | app::RunError::Manifest { .. } => Failure::DEFECT,
    }
}

fn open_code(error: &app::OpenRunError) -> u8 {
    match error {
        app::OpenRunError::NotFound { .. } => Failure::USAGE,
        app::OpenRunError::Open { .. } | app::OpenRunError::Read { .. } | app::OpenRunError::Fold { .. } => {
            Failure::TAMPERED
        }
    }
}

/// The failure with its causes, one to a line, and the hint.
pub(crate) fn describe(failure: &Failure) -> String {
    let mut text = format!("error: {failure}");
    let mut source = failure.source();
    while let Some(error) = source {
        // A cause that its effect has quoted already is not said twice.
        let cause = error.to_string();
        if !text.ends_with(&cause) {
            text.push_str("\n  because: ");
            text.push_str(&cause);
        }
        source = error.source();
    }
    if let Some(hint) = failure.hint() {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    text
}
