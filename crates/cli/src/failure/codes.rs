//! The exit codes for errors of the crates below.

use super::Failure;
use crate::models::ModelFailure;
use sandbox::{CallError, SpawnError};

/// Only if a worker cannot be confined, or cannot exist on this system, does the code mean that the sandbox refused.
/// Any other reason why a worker did not start is a bug.
pub(super) fn spawn_code(error: &SpawnError) -> u8 {
    match error {
        SpawnError::ConfinementUnavailable { .. }
        | SpawnError::NeedsLinux { .. }
        | SpawnError::NeedsFile { .. } => Failure::SANDBOX,
        SpawnError::Path { .. }
        | SpawnError::Run { .. }
        | SpawnError::Pipes { .. }
        | SpawnError::Died { .. }
        | SpawnError::NotReady { .. }
        | SpawnError::Protocol { .. } => Failure::DEFECT,
    }
}

pub(super) fn tool_code(error: &app::ToolError) -> u8 {
    match error {
        app::ToolError::Spawn(source) | app::ToolError::Call(CallError::Respawn { source }) => {
            spawn_code(source)
        }
        app::ToolError::Evidence { .. }
        | app::ToolError::Call(CallError::Keep { .. })
        | app::ToolError::Wire(tools::WireError::Encode(_)) => Failure::USAGE,
        app::ToolError::Call(CallError::RequestTooLong { .. } | CallError::ZygoteKeepsDying { .. })
        | app::ToolError::Hash { .. }
        | app::ToolError::Index { .. }
        | app::ToolError::Tables { .. }
        | app::ToolError::Spans { .. }
        | app::ToolError::Sequences { .. }
        | app::ToolError::Wire(_) => Failure::DEFECT,
    }
}

pub(super) fn tables_code(error: &app::TablesError) -> u8 {
    match error {
        app::TablesError::Statement(app::StatementError::Tool(error)) => tool_code(error),
        app::TablesError::Panicked => Failure::DEFECT,
        app::TablesError::Statement(
            app::StatementError::Unreadable { .. } | app::StatementError::Refused { .. },
        )
        | app::TablesError::Unmade { .. }
        | app::TablesError::Refused { .. } => Failure::USAGE,
    }
}

pub(super) fn ask_code(error: &app::AskError) -> u8 {
    match error {
        app::AskError::Tables(error) => tables_code(error),
        app::AskError::Grammar { .. } => Failure::DEFECT,
    }
}

pub(super) fn model_code(failure: &ModelFailure) -> u8 {
    match failure {
        ModelFailure::Name { .. }
        | ModelFailure::NotRemote { .. }
        | ModelFailure::Address(_)
        | ModelFailure::Key { .. }
        | ModelFailure::Setup(_) => Failure::USAGE,
        ModelFailure::Find(error) | ModelFailure::Recorded(app::RecordedError::Run(error)) => {
            open_code(error)
        }
        ModelFailure::Recorded(app::RecordedError::NotOpened { .. }) => Failure::TAMPERED,
        ModelFailure::Recorded(app::RecordedError::Diverged { .. }) => Failure::DIVERGED,
    }
}

pub(super) fn resume_code(error: &store::ResumeError) -> u8 {
    match error {
        store::ResumeError::Open(store::OpenError::NoRun { .. })
        | store::ResumeError::Sealed { .. }
        | store::ResumeError::Seal(_)
        | store::ResumeError::Fault(_) => Failure::USAGE,
        store::ResumeError::Open(_) | store::ResumeError::Read(_) => Failure::TAMPERED,
    }
}

pub(super) fn given_code(error: &app::GivenError) -> u8 {
    match error {
        app::GivenError::Run(error) => open_code(error),
        app::GivenError::NotOpened { .. } => Failure::TAMPERED,
        app::GivenError::Case(_)
        | app::GivenError::Missing { .. }
        | app::GivenError::Untold { .. }
        | app::GivenError::Label { .. }
        | app::GivenError::Which { .. }
        | app::GivenError::Twice { .. }
        | app::GivenError::Kind { .. } => Failure::USAGE,
    }
}

pub(super) fn again_code(error: &app::AgainError) -> u8 {
    match error {
        app::AgainError::Log(app::ReplayError::Run(error)) => open_code(error),
        app::AgainError::Log(app::ReplayError::NotOpened { .. }) => Failure::TAMPERED,
        app::AgainError::Log(app::ReplayError::NoTask { .. }) => Failure::USAGE,
        app::AgainError::Evidence { source, .. } | app::AgainError::Tools(source) => tool_code(source),
        app::AgainError::Interrupted => Failure::INTERRUPTED,
        app::AgainError::Panicked => Failure::DEFECT,
    }
}

pub(super) fn run_code(error: &app::RunError) -> u8 {
    match error {
        app::RunError::Tools(source)
        | app::RunError::Evidence { source, .. }
        | app::RunError::Hash { source, .. } => tool_code(source),
        app::RunError::InsideEvidence { .. }
        | app::RunError::UnknownAgent { .. }
        | app::RunError::UnknownTool { .. }
        | app::RunError::Objective { .. }
        | app::RunError::SameObjective { .. }
        | app::RunError::HandedOut { .. }
        | app::RunError::NoPrice { .. }
        | app::RunError::NothingRecorded { .. }
        | app::RunError::NotSealed { .. }
        | app::RunError::NoSession { .. }
        | app::RunError::OtherEvidence { .. }
        | app::RunError::NotAsItWas { .. }
        | app::RunError::Brought(_)
        | app::RunError::OtherProgram { .. }
        | app::RunError::UnknownModel { .. }
        | app::RunError::NoModel { .. }
        | app::RunError::OtherModel { .. }
        | app::RunError::WhichTask { .. }
        | app::RunError::NoTurn { .. }
        | app::RunError::Create(_) => Failure::USAGE,
        app::RunError::Log(error) => open_code(error),
        app::RunError::Given(error) => given_code(error),
        app::RunError::Resume { source, .. } => resume_code(source),
        app::RunError::Diverged { .. } => Failure::DIVERGED,
        app::RunError::Drive { source: app::DriveError::Model { .. }, .. } => Failure::MODEL,
        app::RunError::ThreadPanicked
        | app::RunError::Vocabulary(_)
        | app::RunError::Agents(_)
        | app::RunError::Writers(_)
        | app::RunError::Canonical(_)
        | app::RunError::Panicked { .. } => Failure::DEFECT,
        // Somebody exchanged the evidence, either unnoticed by the cache or during the run.
        app::RunError::IndexOfOther { .. } | app::RunError::Changed { .. } => Failure::USAGE,
        app::RunError::Interrupted { .. } => Failure::INTERRUPTED,
        // A full or failing disk is not a bug in the program, and says nothing about the evidence either.
        app::RunError::Seal { .. } | app::RunError::Manifest { .. } => Failure::USAGE,
        app::RunError::Recording { source, .. }
        | app::RunError::Drive { source: app::DriveError::Recording { source, .. }, .. } => {
            recording_code(source)
        }
        app::RunError::Drive { .. } => Failure::DEFECT,
    }
}

pub(super) fn recording_code(stopped: &store::Stopped) -> u8 {
    match *stopped.reason {
        store::AppendError::Fault(_) => Failure::USAGE,
        _ => Failure::DEFECT,
    }
}

pub(super) fn export_code(error: &app::ExportError) -> u8 {
    match error {
        app::ExportError::Rows { source, .. } => match **source {
            store::ExportError::Write(_) => Failure::USAGE,
            store::ExportError::Open(_)
            | store::ExportError::Read(_)
            | store::ExportError::Schema(_)
            | store::ExportError::Empty { .. }
            | store::ExportError::Missing { .. }
            | store::ExportError::Unnamed { .. } => Failure::TAMPERED,
            store::ExportError::Interrupted => Failure::INTERRUPTED,
        },
        app::ExportError::Manifest { .. } | app::ExportError::Seal { .. } | app::ExportError::Name { .. } => {
            Failure::TAMPERED
        }
        app::ExportError::Show(error) => show_code(error),
        app::ExportError::Unsealed { .. } | app::ExportError::Unfinished { .. } => Failure::UNSEALED,
        app::ExportError::File(_) | app::ExportError::Write { .. } | app::ExportError::Subject { .. } => {
            Failure::USAGE
        }
        app::ExportError::Techniques(error) => techniques_code(error),
        app::ExportError::Statement(_) => Failure::DEFECT,
        app::ExportError::Output(_) => Failure::OUTPUT_CLOSED,
        app::ExportError::Interrupted { .. } => Failure::INTERRUPTED,
    }
}

pub(super) fn show_code(error: &app::ShowError) -> u8 {
    match error {
        app::ShowError::Open(error) => open_code(error),
        app::ShowError::Commit(_) | app::ShowError::Redact(_) => Failure::DEFECT,
    }
}

pub(super) fn check_report_code(error: &app::CheckReportError) -> u8 {
    match error {
        app::CheckReportError::File { .. }
        | app::CheckReportError::Form { .. }
        | app::CheckReportError::Scheme { .. } => Failure::USAGE,
        app::CheckReportError::Run(error) => open_code(error),
        app::CheckReportError::Commit(_) => Failure::DEFECT,
    }
}

fn techniques_code(error: &app::TechniquesError) -> u8 {
    match error {
        app::TechniquesError::Read { .. } | app::TechniquesError::Bundle { .. } => Failure::USAGE,
        app::TechniquesError::Shipped(_) => Failure::DEFECT,
    }
}

pub(super) fn outside_code(error: &app::OutsideError) -> u8 {
    match error {
        app::OutsideError::Open(error) => open_code(error),
        app::OutsideError::Inside { .. } => Failure::USAGE,
    }
}

pub(super) fn open_code(error: &app::OpenRunError) -> u8 {
    match error {
        app::OpenRunError::NotFound { .. }
        | app::OpenRunError::AFile { .. }
        | app::OpenRunError::NoneSealed { .. }
        | app::OpenRunError::Ambiguous { .. }
        | app::OpenRunError::NoFolder { .. }
        | app::OpenRunError::NotARun { .. } => Failure::USAGE,
        app::OpenRunError::Open { .. }
        | app::OpenRunError::Read { .. }
        | app::OpenRunError::Behaviour { .. }
        | app::OpenRunError::Fold { .. } => Failure::TAMPERED,
    }
}
