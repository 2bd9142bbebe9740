//! `locard runs`.

use crate::arguments::RunsArguments;
use crate::commands::print;
use crate::failure::Failure;
use crate::printer::Printer;
use app::{Listed, State};
use report::terminal;
use serde_json::json;
use std::fmt::Write;

pub(super) fn execute(arguments: &RunsArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let listed = app::list_runs(&arguments.runs, arguments.case.as_deref()).map_err(Failure::List)?;
    print(printer, arguments.format, || text(&listed), || json!({"locard_runs": 1, "runs": listed}))?;
    Ok(0)
}

/// A table of runs; unknown values are shown as a dash.
fn text(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "no runs\n".to_owned();
    }
    let title = ["run", "case", "begun (UTC)", "state", "facts", "refused", "open", "agents"];
    let mut table: Vec<[String; 8]> = vec![title.map(str::to_owned)];
    table.extend(listed.iter().map(row));
    let width = |column: usize| {
        let cells = table.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..title.len()).map(width).collect();
    let mut out = String::new();
    for row in &table {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Numbers are aligned to the right.
            let _ = match column {
                4..=6 => write!(line, "{cell:>width$}  "),
                _ => write!(line, "{cell:<width$}  "),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for listed in listed {
        if let Some(because) = &listed.because {
            let _ = writeln!(out, "{}: failed to {}", terminal(&listed.name), terminal(because));
        }
    }
    out
}

fn row(listed: &Listed) -> [String; 8] {
    let dash = || "-".to_owned();
    let number = |number: Option<u64>| number.map_or_else(dash, |number| number.to_string());
    let state = match listed.state {
        State::Sealed => "sealed",
        State::Unsealed => "unsealed",
        State::Unreadable => "unreadable",
    };
    let agents = if listed.agents.is_empty() { dash() } else { terminal(&listed.agents.join(", ")) };
    [
        terminal(&listed.name),
        listed.case.as_deref().map_or_else(dash, terminal),
        listed.begun.as_deref().map_or_else(dash, to_the_second),
        state.to_owned(),
        number(listed.facts),
        number(listed.refused),
        number(listed.unmet),
        agents,
    ]
}

/// Formats an RFC 3339 time as `2026-01-01 12:00:00`, and leaves any other text alone.
fn to_the_second(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..19)) {
        (Some(day), Some("T"), Some(time)) => terminal(&format!("{day} {time}")),
        _ => terminal(time),
    }
}
