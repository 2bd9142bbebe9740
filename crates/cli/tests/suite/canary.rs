//! An echo proves nothing: text that an agent puts into a call's arguments appears in no record and supports no fact.

use crate::support::{Place, answers, script};
use ledger::turn::{Answer, ReadingResult};
use ledger::{Rules, ToolSpec};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use testkit::scripted::calls;

const CANARY: &str = "kanarienvogel-7731";

const HISTORY: &str = "p1/Users/mara/AppData/Local/Chromium/User Data/Default/History";

/// SQL statements that return the canary beside real columns, or in their place.
fn queries() -> impl Iterator<Item = String> {
    [
        "SELECT 'CANARY' AS url FROM urls",
        "SELECT url AS 'CANARY', title FROM urls",
        "SELECT url, title || 'CANARY' AS title FROM urls",
        "SELECT upper('CANARY') AS url, replace(url, 'http', 'CANARY') AS title FROM urls",
        "SELECT url FROM urls UNION ALL SELECT 'CANARY'",
        "WITH made(url) AS (VALUES ('CANARY')) SELECT made.url, urls.title FROM made, urls",
        "SELECT url, CASE WHEN id > 0 THEN 'CANARY' END AS title FROM urls",
        "SELECT (SELECT 'CANARY') AS url, max(title) AS title FROM urls",
    ]
    .into_iter()
    .map(|sql| sql.replace("CANARY", CANARY))
}

/// Calls of every tool with the canary in all text arguments: alone, and appended to a value that works.
fn calls_with_canaries(tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for tool in tools {
        for working in [false, true] {
            let mut arguments = Map::new();
            for (name, schema) in tool.arguments["properties"].as_object().unwrap() {
                if schema["type"] == "string" && schema.get("enum").is_none() {
                    let works = match name.as_str() {
                        "hive" => "p1/Windows/System32/config/SYSTEM",
                        "key" => "Select",
                        "path" => "p1/Users/mara/Documents/handover.txt",
                        _ => "",
                    };
                    let value = if working { format!("{works}{CANARY}") } else { CANARY.to_owned() };
                    arguments.insert(name.clone(), Value::String(value));
                }
            }
            calls.push((tool.name.clone(), Value::Object(arguments.clone())));
            if tool.name == "sqlite_query" {
                calls.extend(queries().map(|sql| (tool.name.clone(), json!({"path": HISTORY, "sql": sql}))));
            }
            if let Some(hive) = arguments.get_mut("hive") {
                *hive = json!("p1/Windows/System32/config/SYSTEM");
                arguments.remove("evidence");
                calls.push((tool.name.clone(), Value::Object(arguments)));
            }
        }
    }
    calls
}

#[test]
fn a_canary_in_the_arguments_stands_in_no_record_and_grounds_nothing() {
    let place = Place::new();
    let made = calls_with_canaries(&tools::catalogue());
    let mut rules = Rules::default();
    rules.budgets.calls_per_turn = made.len() as u32;
    let results: Arc<Mutex<Vec<Answer>>> = Arc::default();
    let told = Arc::clone(&results);
    let script = script(vec![
        Box::new(move |_| {
            let made: Vec<_> = made.iter().map(|(tool, value)| (tool.as_str(), value.clone())).collect();
            calls(1, &made)
        }),
        Box::new(|request| {
            let cited = answers(request).iter().find_map(|answer| match answer {
                Answer::Returned(returned) => Some(returned.invocation.to_string()),
                _ => None,
            });
            let readings: Vec<_> = ["present", "configured", "quoted"]
                .iter()
                .flat_map(|predicate| {
                    let cited = cited.clone().unwrap();
                    [CANARY.to_owned(), format!("Select{CANARY}")]
                        .map(|value| json!({"predicate": predicate, "values": [value], "invocation": cited}))
                })
                .collect();
            calls(2, &[("record_phenomenon", json!({"readings": readings}))])
        }),
        Box::new(move |request| {
            *told.lock().unwrap() = answers(request);
            testkit::scripted::words("done")
        }),
    ]);
    let (finished, run) = place.investigate(rules, vec![("filesystem", script)]);

    let reader = store::Reader::open(&finished.folder).unwrap();
    let mut outputs = 0;
    for invocation in &run.tasks.values().next().unwrap().invocations {
        let ended = invocation.ended.as_ref().unwrap();
        if let Some(digest) = ended.output {
            let bytes = reader.payload(&digest).unwrap().unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{}", invocation.started.tool);
            outputs += 1;
        }
    }
    assert!(outputs > 0, "at least one call with a canary worked");
    let results = results.lock().unwrap();
    let Answer::Recorded(recorded) = &results[0] else { panic!("{results:?}") };
    assert_eq!(recorded.readings.len(), 6);
    assert!(recorded.readings.iter().all(|result| matches!(result, ReadingResult::Rejected { .. })));
    assert_eq!(run.facts().count(), 0);
}
