//! `ask_graph`: answers questions about how the facts of recorded runs are connected.

use crate::answer::{own, refused};
use crate::house::House;
use crate::open::causes;
use crate::resources::load;
use graph::Run;
use graph::connections::{Filter, RelationKind, connections};
use ledger::{Fence, TaskId, Utc, Writer};
use report::connections::{Ask, Asked, FilterBy, Question, ask};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The arguments of the tool.
pub(crate) const MEMBERS: [&str; 11] = [
    "runs",
    "question",
    "of",
    "depth",
    "ways",
    "since",
    "until",
    "relations",
    "hosts",
    "confidence",
    "writer",
];

/// The maximum number of runs that are combined, and of texts in any list.
const MOST: usize = 16;
/// The maximum length of an answer, in characters.
const LONGEST: usize = 24_000;

/// Returns the schema of the arguments.
pub(crate) fn arguments() -> (Value, Value) {
    let questions: Vec<&str> = Question::ALL.into_iter().map(Question::name).collect();
    let kinds: Vec<&str> = RelationKind::ALL.into_iter().map(RelationKind::name).collect();
    let texts = |about: &str| json!({"type": "array", "items": {"type": "string"}, "maxItems": MOST, "description": about});
    let properties = json!({
        "runs": texts("names of recorded runs of the case, from list_runs; several are joined by strong keys alone"),
        "question": {"type": "string", "enum": questions},
        "of": texts("what it is asked about: ids or names; path takes two, summary, hubs, islands and contradictions none"),
        "depth": {"type": "integer", "minimum": 1, "maximum": 12, "description": "how many relations away, for neighbours and story"},
        "ways": {"type": "integer", "minimum": 1, "maximum": 10, "description": "how many paths"},
        "since": {"type": "string", "description": "RFC 3339"},
        "until": {"type": "string", "description": "RFC 3339"},
        "relations": {"type": "array", "items": {"type": "string", "enum": kinds}, "maxItems": MOST},
        "hosts": texts("labels of evidence, or names of computers"),
        "confidence": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "the least confidence of a relation"},
        "writer": {"type": "string", "enum": Writer::ALL.map(Writer::name), "description": "only what nobody less trusted could have written"},
    });
    (properties, json!(["runs", "question"]))
}

/// Answers the question, or says what is wrong with it.
pub(crate) fn answer(house: &House, arguments: &JsonObject) -> CallToolResult {
    match asked(house, arguments) {
        Ok(result) => result,
        Err(wrong) => refused("bad_arguments", &wrong),
    }
}

fn asked(house: &House, arguments: &JsonObject) -> Result<CallToolResult, String> {
    let mut names = texts(arguments, "runs")?;
    // A run that is named twice counts once.
    let mut known = BTreeSet::new();
    names.retain(|name| known.insert(name.clone()));
    if names.is_empty() {
        return Err("runs: expected names of recorded runs; list_runs lists them".to_owned());
    }
    let question = arguments.get("question").and_then(Value::as_str);
    let question = Question::ALL.into_iter().find(|it| Some(it.name()) == question);
    let question = question.ok_or("question: expected one of those that the schema lists")?;
    let runs: Vec<Run> = names
        .iter()
        .map(|name| load(house, name).map_err(|error| format!("runs: {}", causes(&error))))
        .collect::<Result<_, _>>()?;
    let runs: Vec<&Run> = runs.iter().collect();
    let of = connections(&runs);
    let whole = |name: &str, usual: u64, most: u64| match arguments.get(name) {
        None | Some(Value::Null) => Ok(usual),
        Some(value) => {
            let number = value.as_u64().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("{name}: expected a whole number from 1 to {most}"))
        }
    };
    let depth = whole("depth", if question == Question::Story { 8 } else { 1 }, 12)?;
    let mut hosts = BTreeSet::new();
    for name in texts(arguments, "hosts")? {
        let called: Vec<String> = of.hosts_called(&name).map(str::to_owned).collect();
        if called.is_empty() {
            return Err(format!("hosts: no run has one that is called {name:?}"));
        }
        hosts.extend(called);
    }
    let kinds = texts(arguments, "relations")?.into_iter().map(|name| {
        RelationKind::of_name(&name)
            .ok_or_else(|| format!("relations: there is none that is called {name:?}"))
    });
    let filter = Filter {
        since: time(arguments, "since")?,
        until: time(arguments, "until")?,
        kinds: kinds.collect::<Result<_, _>>()?,
        hosts,
        writer: writer(arguments)?,
        ..Filter::default()
    };
    let least = whole("confidence", 0, 1000)?;
    let question = Ask {
        question,
        ends: texts(arguments, "of")?,
        depth: u32::try_from(depth).unwrap_or(1),
        ways: usize::try_from(whole("ways", 1, 10)?).unwrap_or(1),
        most: 20,
        filter,
        least: u16::try_from(least).unwrap_or(1000),
    };
    Ok(told(&runs, ask(&runs, &of, &question)))
}

fn told(runs: &[&Run], asked: Asked) -> CallToolResult {
    let fenced = |text: &str| fenced(runs, text);
    match asked {
        Asked::Answer(answer) => {
            let text = fenced(&shortened(&answer.text));
            own(text, answer.value)
        }
        Asked::Several { text, candidates } => {
            let listed: Vec<&str> = candidates.iter().take(20).map(String::as_str).collect();
            let told = format!("of: {text:?} fits {} things alike; name one by its id:", candidates.len());
            refused("several", &format!("{told}\n{}", fenced(&listed.join("\n"))))
        }
        Asked::Span => refused("bad_arguments", "since: expected a time before until"),
        Asked::Filter { question, by } => {
            let by = match by {
                FilterBy::Relation => "relations",
                FilterBy::Confidence => "confidence",
            };
            let wrong = format!("{by}: {} is about facts, which this does not tell apart", question.name());
            refused("bad_arguments", &wrong)
        }
        Asked::Nothing { text } => refused("nothing", &format!("of: no fact of these runs names {text:?}")),
        Asked::Ends { question } => {
            refused("bad_arguments", &format!("of: {} takes {} of them", question.name(), question.ends()))
        }
    }
}

/// Puts text from the evidence between fence lines that nothing in it can imitate: its own line ends are escaped.
fn fenced(runs: &[&Run], text: &str) -> String {
    let Some(opened) = runs.first().map(|run| &run.opened) else { return String::new() };
    let (writers, vocabulary) = (Arc::new(opened.writers.clone()), Arc::new(opened.vocabulary.clone()));
    let fence = Fence::new(opened.seed, TaskId(0), writers, vocabulary);
    format!("{}\n{}\n{}", fence.begin(), text.trim_end(), fence.end())
}

/// Cuts the answer after the last line that fits.
fn shortened(text: &str) -> String {
    let mut lines = String::new();
    for (at, line) in text.lines().enumerate() {
        if lines.len() + line.len() > LONGEST {
            let left = text.lines().count() - at;
            return format!("{lines}and {left} more lines: ask for less of it by time, relation or host\n");
        }
        lines.push_str(line);
        lines.push('\n');
    }
    lines
}

fn texts(arguments: &JsonObject, name: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{name}: expected a list of at most {MOST} texts");
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) if items.len() <= MOST => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn writer(arguments: &JsonObject) -> Result<Option<Writer>, String> {
    match arguments.get("writer") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let named = value.as_str().and_then(Writer::of_name);
            named.map(Some).ok_or_else(|| "writer: expected one of those that the schema lists".to_owned())
        }
    }
}

fn time(arguments: &JsonObject, name: &str) -> Result<Option<Utc>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let read = value.as_str().and_then(|text| text.parse().ok());
            read.map(Some).ok_or_else(|| format!("{name}: expected an instant such as 2025-09-16T09:40:00Z"))
        }
    }
}
