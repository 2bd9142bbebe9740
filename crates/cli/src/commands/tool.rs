//! `locard tool`.

use crate::arguments::{Format, ToolArguments};
use crate::commands::{ended, print, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use ledger::{Defect, Gap, Outcome, ToolSpec};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(super) fn execute(arguments: &ToolArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let catalogue = tools::catalogue();
    match &arguments.name {
        None => {
            let value = || json!({"locard_tool": 1, "tools": catalogue});
            print(printer, arguments.format, || list(&catalogue), value)?;
            Ok(0)
        }
        Some(name) if catalogue.iter().any(|tool| tool.name == *name) => call(name, arguments, printer),
        Some(name) => Err(Failure::NoSuchTool { found: name.clone() }),
    }
}

fn call(name: &str, arguments: &ToolArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let values = values(&arguments.arguments)?;
    let case = app::load_case(&arguments.evidence).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let returned =
        app::call_tool(&request, &case, scratch.indexes(), name, &values).map_err(Failure::Tool)?;
    let records = returned.output.as_ref().map_or(&[][..], |output| output.records());
    let value = || {
        json!({
            "locard_tool": 1,
            "outcome": returned.outcome,
            "completeness": returned.completeness,
            "arguments": returned.normalised,
            "records": records,
            "defects": returned.defects,
            "gaps": returned.gaps,
            "notes": returned.notes,
        })
    };
    let is_failure = returned.outcome.is_failure();
    let printed = match arguments.format {
        Format::Text if is_failure => Ok(()),
        format => print(printer, format, || report::records(records), value),
    };
    if arguments.format == Format::Text {
        for remark in remarks(is_failure, &returned.notes, &returned.gaps, &returned.defects) {
            printer.complain(&report::terminal(&remark));
        }
    }
    let code = match returned.outcome {
        Outcome::Ok | Outcome::Empty => 0,
        Outcome::Failed | Outcome::Timeout | Outcome::Denied => Failure::USAGE,
    };
    Ok(ended(printer, printed, code))
}

/// What a call reports besides its records. If it failed, the first note is the reason.
fn remarks(is_failure: bool, notes: &[String], gaps: &[Gap], defects: &[Defect]) -> Vec<String> {
    let notes = notes.iter().enumerate().map(|(at, note)| match (is_failure, at) {
        (true, 0) => format!("error: {note}"),
        _ => format!("note: {note}"),
    });
    let gaps = gaps.iter().map(|gap| format!("gap: {}: {}", gap.path, gap.reason));
    let defects = defects.iter().map(|defect| {
        let at = defect.offset.map_or(String::new(), |offset| format!(" at {offset:#x}"));
        format!("defect: {}{at}: {}", defect.path, defect.what)
    });
    notes.chain(gaps).chain(defects).collect()
}

fn list(catalogue: &[ToolSpec]) -> String {
    let mut out = String::new();
    for tool in catalogue {
        let _ = writeln!(out, "{}\n    {}", tool.name, tool.description);
        let properties = tool.arguments.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let _ = writeln!(out, "    {name}: {description}");
        }
    }
    out
}

fn values(arguments: &[String]) -> Result<Value, Failure> {
    let mut values = Map::new();
    for argument in arguments {
        let (name, text) =
            argument.split_once('=').ok_or_else(|| Failure::ToolArgument { found: argument.clone() })?;
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
            Ok(_) | Err(_) => Value::String(text.to_owned()),
        };
        values.insert(name.to_owned(), value);
    }
    Ok(Value::Object(values))
}
