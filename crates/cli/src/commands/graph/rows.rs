//! `--evidence`: rows of the case tables that name the thing that a question is about.

use super::{GraphArguments, GraphFailure};
use crate::commands::{tables, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use app::{NamingRows, rows_naming};
use graph::connections::{Connections, Found, find};
use report::connections::Answer;
use report::terminal;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// The most rows to list.
const LISTED: usize = 50;

/// Adds the rows that name the thing to an answer, separate from what the facts say.
pub(super) fn add(
    case: &Path,
    arguments: &GraphArguments,
    of: &Connections,
    answer: &mut Answer,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let entity = match arguments.ends.as_slice() {
        [one] => match find(of, one) {
            Found::One(entity) => entity,
            Found::Nothing | Found::Several(_) => return Ok(()),
        },
        _ => {
            let question = report::connections::Question::from(arguments.question).name();
            return Err(Failure::Graph(GraphFailure::Evidence { question }));
        }
    };
    let case = app::load_case(case).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let tables = tables(&case, None, (&request, &scratch), &arguments.kept, printer)?;
    let found = rows_naming(&tables, of, entity, LISTED).map_err(Failure::Tables)?;
    for note in tables.notes() {
        printer.complain(&format!("note: {}", terminal(&note)));
    }
    answer.text.push_str(&text(&found));
    if let Some(members) = answer.value.as_object_mut() {
        members.insert("rows".to_owned(), value(&found));
    }
    Ok(())
}

fn text(found: &NamingRows) -> String {
    let all: u64 = found.counts.iter().map(|(_, number)| number).sum();
    let mut text = String::from("rows of the evidence that name it (decoded records, not facts):\n");
    for row in &found.rows {
        let place = format!("{}:{}", row.evidence, row.path);
        let _ =
            writeln!(text, "  {}#{}  {}  {}", row.table, row.row, terminal(&place), terminal(&row.subject));
    }
    let counts: Vec<String> =
        found.counts.iter().map(|(table, number)| format!("{table} {number}")).collect();
    let listed = if (found.rows.len() as u64) < all {
        format!(", {} of them listed", found.rows.len())
    } else {
        String::new()
    };
    let _ = match found.counts.is_empty() {
        true => writeln!(text, "  none"),
        false => {
            let rows = if all == 1 { "row" } else { "rows" };
            writeln!(text, "{all} {rows}{listed}: {}", counts.join(", "))
        }
    };
    text
}

fn value(found: &NamingRows) -> serde_json::Value {
    let rows = found.rows.iter().map(|row| {
        json!({
            "table": row.table, "row": row.row, "evidence": row.evidence, "path": row.path, "subject": row.subject,
        })
    });
    json!({
        "patterns": found.patterns,
        "counts": found.counts.iter().map(|(table, number)| json!({"table": table, "rows": number})).collect::<Vec<_>>(),
        "listed": rows.collect::<Vec<_>>(),
    })
}
