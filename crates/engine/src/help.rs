//! The tool `help`: the full description of a tool or record type that is described only briefly elsewhere.

use crate::arguments::Arguments;
use crate::shelf::bounded;
use crate::step::Append;
use crate::task::{Task, event};
use ledger::event::{GraphRead, Refusal};
use ledger::turn::{Answer, ToolCall};
use ledger::{Event, RecordType, ToolSpec, Vocabulary, canonical};
use std::collections::BTreeSet;

impl Task {
    /// Describes the tool or record type that the call names.
    pub(crate) fn help(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let told = Arguments::of(&call.arguments, &["about"])
            .and_then(|arguments| arguments.text("about").map(str::to_owned))
            .map_err(|malformed| malformed.to_string())
            .and_then(|about| self.of(about.trim()));
        match told {
            Err(told) => self.refuse(call, Refusal::BadArguments, told, append),
            Ok(text) => {
                self.turn_record.fruitful = true;
                append.push(event(Event::GraphRead(GraphRead {
                    turn: self.turn,
                    call: call.call.clone(),
                    tool: call.tool.clone(),
                    shown: 1,
                    left_out: 0,
                })));
                self.answer(call, Answer::Noted { text });
            }
        }
    }

    fn of(&self, about: &str) -> Result<String, String> {
        let tools = self.phase.tools();
        let in_full = || tools.iter().filter_map(|tool| self.setting.tool(&tool.name));
        if let Some(tool) = in_full().find(|tool| tool.name == about) {
            return Ok(of_tool(tool));
        }
        let mut records = in_full().flat_map(|tool| &tool.records);
        if let Some(record) = records.find(|record| record.name == about) {
            return Ok(of_record(record, &self.setting.vocabulary));
        }
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        Err(format!(
            "about: expected a tool ({}) or a type of record, found {:?}",
            names.join(", "),
            bounded(about)
        ))
    }
}

fn of_tool(tool: &ToolSpec) -> String {
    let mut text = format!("{}: {}", tool.name, tool.description);
    let empty = serde_json::Map::new();
    let members = |name: &str| tool.arguments.get(name);
    let properties = members("properties").and_then(serde_json::Value::as_object).unwrap_or(&empty);
    let required: BTreeSet<&str> = members("required")
        .and_then(serde_json::Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str())
        .collect();
    let sorted: std::collections::BTreeMap<&String, &serde_json::Value> = properties.iter().collect();
    for (name, schema) in sorted {
        let must = if required.contains(name.as_str()) { ", must be given" } else { "" };
        // In the order of the log: a replay describes the tools as they are stored.
        let schema = canonical::to_string(schema).unwrap_or_default();
        text.push_str(&format!("\n- {name}{must}: {schema}"));
    }
    let records: BTreeSet<&str> = tool.records.iter().map(|record| record.name.as_str()).collect();
    if !records.is_empty() {
        let records: Vec<&str> = records.into_iter().collect();
        text.push_str(&format!("\nTypes of its records: {}", records.join(", ")));
    }
    text
}

fn of_record(record: &RecordType, vocabulary: &Vocabulary) -> String {
    let mut text = format!("{}: {}\nIts subject is `{}`.", record.name, record.meaning, record.subject);
    for (name, field) in &record.fields {
        text.push_str(&format!("\n- {name}: {}", field.meaning));
    }
    for (predicate, meaning) in
        vocabulary.entries().filter(|(_, meaning)| meaning.proved_by.contains(&record.name))
    {
        text.push_str(&format!("\nProves `{predicate}`: {}", meaning.meaning));
        if let Some(field) = meaning.states.get(&record.name) {
            text.push_str(&format!("; the reading must state `{field}`"));
        }
        if let Some(values) = meaning.unless.get(&record.name) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            text.push_str(&format!(", and not as one of: {}", values.join(", ")));
        }
    }
    text
}
