//! `locard verify --report`.

use crate::arguments::Format;
use crate::commands::{ended, print};
use crate::failure::Failure;
use crate::printer::Printer;
use app::CheckedReport;
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

pub(super) fn execute(
    file: &Path,
    folder: Option<&Path>,
    format: Format,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let checked = app::check_report(file, folder).map_err(Failure::CheckReport)?;
    let code = if checked.findings.is_empty() { 0 } else { Failure::TAMPERED };
    let printed = print(printer, format, || text(&checked), || value(&checked, code));
    Ok(ended(printer, printed, code))
}

fn value(checked: &CheckedReport, code: u8) -> Value {
    let findings = checked.findings.iter().map(|(place, what)| json!({"place": place, "what": what}));
    json!({
        "locard_verify_report": 1,
        "holds": code == 0,
        "exit_code": code,
        "root": checked.root,
        "facts": checked.facts,
        "redacted": checked.redacted,
        "withheld": checked.withheld,
        "profile": checked.profile,
        "against_run": checked.against_run,
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn text(checked: &CheckedReport) -> String {
    let mut out = String::new();
    for (place, what) in &checked.findings {
        let _ = writeln!(out, "does not hold: {}: {}", terminal(place), terminal(what));
    }
    let CheckedReport { facts, redacted, withheld, root, .. } = checked;
    let _ = writeln!(out, "{facts} facts, {redacted} of them with {withheld} withheld members");
    if let Some(profile) = &checked.profile {
        let _ = writeln!(out, "redacted by the profile {}", terminal(profile));
    }
    let _ = writeln!(out, "root of the facts {root}");
    let _ = writeln!(out, "{}", verdict(checked));
    out
}

/// The last line: the verdict, and what it does not cover.
fn verdict(checked: &CheckedReport) -> &'static str {
    match (checked.findings.is_empty(), checked.against_run) {
        (true, true) => {
            "the facts are those of the run, including what is withheld of them; nothing else in the report is covered"
        }
        (true, false) => {
            "the facts have their hashes, and these the root; compare the root with the run's, from `locard verify` or a signed statement; words beside a mark, and anything else in the report, are not covered"
        }
        (false, _) => "THE REPORT DOES NOT HOLD",
    }
}
