//! `locard tool`.

use crate::arguments::{Format, ToolArguments};
use crate::commands::worker;
use crate::failure::Failure;
use crate::printer::Printer;
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(super) fn execute(arguments: &ToolArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let catalogue = tools::catalogue();
    let Some(name) = &arguments.name else {
        printer.result(&list(&catalogue, arguments.format)?)?;
        return Ok(0);
    };
    if !catalogue.iter().any(|tool| tool.name == *name) {
        return Err(Failure::NoSuchTool { found: name.clone() });
    }
    let values = values(&arguments.arguments)?;
    let case = app::load_case(&arguments.evidence).map_err(Failure::Case)?;
    let (request, _scratch) = worker(arguments.unconfined)?;
    let returned = app::call_tool(&request, &case, name, values).map_err(Failure::Tool)?;
    let records = returned.output.as_ref().map_or(&[][..], |output| output.records());
    match arguments.format {
        Format::Json => {
            let value = json!({
                "outcome": returned.outcome,
                "completeness": returned.completeness,
                "arguments": returned.normalised,
                "records": records,
                "defects": returned.defects,
                "gaps": returned.gaps,
                "notes": returned.notes,
            });
            printer.result(&serde_json::to_string(&value).map_err(Failure::Json)?)?;
        }
        Format::Text => {
            printer.result(&report::records(records))?;
            for note in &returned.notes {
                printer.complain(&format!("note: {}", report::terminal(note)));
            }
            for gap in &returned.gaps {
                let line = format!("gap: {}: {}", gap.path, gap.reason);
                printer.complain(&report::terminal(&line));
            }
            for defect in &returned.defects {
                let at = defect.offset.map_or(String::new(), |offset| format!(" at {offset:#x}"));
                printer.complain(&report::terminal(&format!("defect: {}{at}: {}", defect.path, defect.what)));
            }
        }
    }
    Ok(match returned.outcome {
        ledger::Outcome::Ok | ledger::Outcome::Empty => 0,
        ledger::Outcome::Failed | ledger::Outcome::Timeout | ledger::Outcome::Denied => Failure::USAGE,
    })
}

fn list(catalogue: &[ledger::ToolSpec], format: Format) -> Result<String, Failure> {
    if format == Format::Json {
        return serde_json::to_string(catalogue).map_err(Failure::Json);
    }
    let mut out = String::new();
    for tool in catalogue {
        let _ = writeln!(out, "{}\n    {}", tool.name, tool.description);
        let properties = tool.arguments.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let _ = writeln!(out, "    {name}: {description}");
        }
    }
    Ok(out)
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
