//! `locard report`.

use crate::arguments::{ReportArguments, ReportFormat};
use crate::commands::run_folder;
use crate::failure::Failure;
use crate::printer::Printer;
use app::{Comments, Profile, Wording};
use std::path::Path;

pub(super) fn execute(arguments: &ReportArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let (output, overwrite) = (arguments.output.as_deref(), arguments.writing.overwrite());
    let format = arguments.format.or_else(|| by_name(output?)).unwrap_or(ReportFormat::Markdown);
    if arguments.attack.is_some() && format != ReportFormat::Html {
        return Err(Failure::NoTechniques { belongs: "--format html" });
    }
    if let Some(file) = output {
        app::refuse_file_inside(&folder, file).map_err(Failure::InEvidence)?;
        app::room_for(file, overwrite).map_err(Failure::OutputFile)?;
    }
    let profile = arguments.redact.as_deref().map(Profile::of_argument).transpose();
    let profile = profile.map_err(Failure::Profile)?;
    let wording = Wording { language: arguments.lang, comments: comments(arguments.no_comments) };
    let shown = || app::show_run(&folder, profile.as_ref(), wording).map_err(show_failed);
    let text = match format {
        ReportFormat::Html => {
            app::report_page(&folder, arguments.attack.as_deref(), profile.as_ref(), wording)
                .map_err(failed)?
        }
        ReportFormat::Markdown => report::markdown(&shown()?.run),
        ReportFormat::Json => report::json_text(&report::json(&shown()?.run)),
    };
    match output {
        None => printer.result(&text)?,
        Some(file) => {
            app::write_output(file, overwrite, text.as_bytes()).map_err(Failure::OutputFile)?;
            printer.complain(&report::terminal(&format!("wrote {}, {} bytes", file.display(), text.len())));
        }
    }
    Ok(0)
}

/// Whether to show agents' comments.
pub(super) const fn comments(left_out: bool) -> Comments {
    if left_out { Comments::LeftOut } else { Comments::Shown }
}

fn failed(error: app::ReportPageError) -> Failure {
    match error {
        app::ReportPageError::Show(error) => show_failed(error),
        other => Failure::ReportPage(other),
    }
}

fn show_failed(error: app::ShowError) -> Failure {
    match error {
        app::ShowError::Open(error) => Failure::Open(*error),
        other => Failure::Show(other),
    }
}

/// The report format for a file name's extension.
fn by_name(file: &Path) -> Option<ReportFormat> {
    match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "html" | "htm" => Some(ReportFormat::Html),
        "md" | "markdown" => Some(ReportFormat::Markdown),
        "json" => Some(ReportFormat::Json),
        _ => None,
    }
}
