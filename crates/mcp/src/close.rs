//! `close_task`, `close_run`, `list_runs`: ends tasks and runs, and lists runs.

use crate::answer::{self, own, refused, some_of};
use crate::call::{NoAnswer, fulfil, waited};
use crate::house::{Came, House, OpenRun, OpenTask};
use crate::open::causes;
use app::{Certificate, Listed};
use ledger::event::TaskEnded;
use llm::{Told, Wish};
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::path::Path;

/// The maximum length of closing words, in characters.
const LONGEST_WORDS: usize = 10_000;
/// The maximum number of lines of what the engine says when a task is being closed.
const MOST_LINES: usize = 10;
/// The maximum number of open questions that are named.
const MOST_OPEN: usize = 20;
/// The maximum number of tasks that get a line each.
const MOST_TASK_LINES: usize = 5;
/// The maximum number of runs in a list.
const MOST_LISTED: usize = 100;

/// Limits the length of closing words, and replaces missing ones, since a reply must not be empty.
pub(crate) fn words(given: Option<&str>) -> String {
    match given.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => words.chars().take(LONGEST_WORDS).collect(),
        None => "(no words)".to_owned(),
    }
}

/// Ends the current phase of a task, or all of its phases with `all`.
pub(crate) async fn close_task(
    task: &OpenTask,
    words: String,
    all: bool,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    match stop(task, words, all, context).await {
        Ok(told) => in_short(answer::of(task, &told), task, &told),
        Err(no) => no_answer(no),
    }
}

/// Returns the answer with a text of a few lines: how the task ended, or what the engine says instead.
fn in_short(mut answer: CallToolResult, task: &OpenTask, told: &Told) -> CallToolResult {
    let text = match &told.ended {
        Some(ended) => format!("{}\nclose_run seals its run.", ended_in_short(&task.agent, ended)),
        None => answer::said_in_short(&told.said, &task.fence, MOST_LINES),
    };
    answer.content = vec![ContentBlock::text(text)];
    answer
}

/// Describes how a task ended in one line, and what it leaves open in a second one.
fn ended_in_short(agent: &str, ended: &TaskEnded) -> String {
    let open = ended.objectives.iter().filter(|result| result.is_unmet());
    let open: Vec<String> = open.map(|result| result.id.clone()).collect();
    let mut text = outcome(agent, ended);
    if !open.is_empty() {
        text.push_str(&format!("\n{} objectives are open: {}", open.len(), some_of(&open, MOST_OPEN)));
    }
    text
}

fn outcome(agent: &str, ended: &TaskEnded) -> String {
    let TaskEnded { status, facts, rejections, turns, .. } = ended;
    format!("{agent}: {}, {facts} facts, {rejections} refused claims, {turns} turns", answer::word(status))
}

async fn stop(
    task: &OpenTask,
    words: String,
    all: bool,
    context: &RequestContext<RoleServer>,
) -> Result<Told, NoAnswer> {
    loop {
        let told = fulfil(task, Wish::Stop { words: words.clone() }, context).await?;
        // Each phase ends once, and there are few of them.
        if told.ended.is_some() || !all {
            return Ok(told);
        }
    }
}

/// Tells the client why the engine gave no answer.
pub(crate) fn no_answer(no: NoAnswer) -> CallToolResult {
    match no {
        NoAnswer::Gone => refused(
            "task_ended",
            "the task has ended; what it recorded stands in its run, which close_run seals; open_run opens another",
        ),
        NoAnswer::Full => {
            refused("too_many_calls", "calls of this task wait already; make this one again later")
        }
        NoAnswer::Withdrawn => refused("withdrawn", "the call was withdrawn"),
    }
}

/// Ends the tasks of a run, waits for its seal, and returns the result of verifying it.
pub(crate) async fn close_run(run: &OpenRun, context: &RequestContext<RoleServer>) -> CallToolResult {
    for task in &run.tasks {
        match stop(task, words(None), true, context).await {
            Ok(_) | Err(NoAnswer::Gone) => {}
            Err(no @ (NoAnswer::Full | NoAnswer::Withdrawn)) => return no_answer(no),
        }
    }
    let Some(came) = waited(run.under_way.came(), "close_run: hashing the evidence", context).await else {
        return no_answer(NoAnswer::Withdrawn);
    };
    let tasks = match &*came {
        Came::BrokenOff(because) => {
            let told = format!(
                "the run {} broke off: {because}. What it recorded stays; locard resume resumes it",
                run.name()
            );
            return refused("broken_off", &told);
        }
        Came::Sealed(tasks) => tasks,
    };
    let folder = run.folder.clone();
    let verifying = tokio::task::spawn_blocking(move || (app::verify(&folder), closed(&folder)));
    let (certificate, closed) = match waited(verifying, "close_run: verifying", context).await {
        Some(Ok(verified)) => verified,
        Some(Err(_)) => return refused("defect", "a thread of the program panicked"),
        None => return no_answer(NoAnswer::Withdrawn),
    };
    let verified = verified(&certificate);
    let mut lines = vec![format!("Closed and sealed the run {}.", run.name())];
    let tasks = closed.as_ref().map_or(tasks, |closed| &closed.tasks);
    let outcomes: Vec<String> = tasks.iter().map(|(agent, ended)| outcome(agent, ended)).collect();
    match outcomes.len() > MOST_TASK_LINES {
        true => lines.push(some_of(&outcomes, MOST_OPEN)),
        false => lines.extend(outcomes),
    }
    lines.push(match &closed {
        None => "Its questions could not be read; locard report tells why.".to_owned(),
        Some(Closed { open, questions, .. }) if open.is_empty() => {
            format!("None of {questions} questions of the case is open.")
        }
        Some(Closed { open, questions, .. }) => {
            let named = some_of(open, MOST_OPEN);
            format!("{} of {questions} questions of the case are open: {named}", open.len())
        }
    });
    let open = closed.as_ref().map(|closed| json!({"open": closed.open, "questions": closed.questions}));
    lines.push(text_of(&verified["told"]).to_owned());
    let tasks: Vec<Value> =
        tasks.iter().map(|(agent, ended)| json!({"agent": agent, "ended": ended})).collect();
    let told = json!({"name": run.name(), "sealed": true, "tasks": tasks, "questions": open, "verification": verified});
    own(lines.join("\n"), told)
}

/// The result of a sealed run, from its log.
struct Closed {
    /// How each of its tasks ended, by agent; this includes tasks of an earlier server.
    tasks: Vec<(String, TaskEnded)>,
    /// The names of the open questions of the case.
    open: Vec<String>,
    /// The number of questions of the case.
    questions: usize,
}

/// Returns the result; `None` if the run cannot be read.
fn closed(folder: &Path) -> Option<Closed> {
    let run = app::load_run(folder).ok()?;
    let questions: Vec<_> =
        graph::questions(&run).into_iter().filter(|question| question.is_of_case()).collect();
    let named = |id: &str| questions.iter().filter(|other| other.objective.id == id).count();
    let open = questions.iter().filter(|question| question.stands.is_open());
    // Two agents may have questions with the same name.
    let open = open.map(|question| match (question.objective.id.as_str(), question.agent) {
        (id, agent) if named(id) > 1 => format!("{id} ({agent})"),
        (id, _) => id.to_owned(),
    });
    let open = open.collect();
    let ended = run.tasks.values();
    let ended = ended.filter_map(|task| Some((task.assigned.agent.name.clone(), task.ended.clone()?)));
    Some(Closed { tasks: ended.collect(), open, questions: questions.len() })
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Summarises the result of a verification.
fn verified(certificate: &Certificate) -> Value {
    let head = certificate.head.map(|head| head.to_string());
    let told = match (certificate.failed(), certificate.level) {
        (None, Some(level)) => format!(
            "Verified: {level}; {} events, {} facts. Head of its chain: {}. Keep it elsewhere: locard verify --head compares it.",
            certificate.events,
            certificate.facts,
            head.as_deref().unwrap_or("none")
        ),
        (Some(level), _) => format!("NOT VERIFIED: {level} does not hold; locard verify tells why."),
        (None, None) => "NOT VERIFIED; locard verify tells why.".to_owned(),
    };
    json!({
        "verified": certificate.failed().is_none() && certificate.level.is_some(),
        "head": head,
        "events": certificate.events,
        "facts": certificate.facts,
        "verdicts": certificate.verdicts,
        "levels": certificate.levels,
        "findings": certificate.findings.iter().take(20).collect::<Vec<_>>(),
        "told": told,
    })
}

/// Lists the runs of the case, newest first.
pub(crate) fn list(house: &House) -> CallToolResult {
    match listed(house) {
        Ok(runs) => {
            let mut text = format!("{} runs of this case, the newest first:", runs.len());
            for run in &runs {
                text.push_str(&format!("\n{} ({})", text_of(&run["name"]), text_of(&run["state"])));
            }
            own(text, json!({ "runs": runs }))
        }
        Err(error) => refused("no_list", &error),
    }
}

/// Returns the runs of the case in the form of a list.
pub(crate) fn listed(house: &House) -> Result<Vec<Value>, String> {
    let settings = &house.settings;
    // Before the first run there is no folder.
    if !settings.runs.exists() {
        return Ok(Vec::new());
    }
    let folders = app::run_folders(&settings.runs).map_err(|error| causes(&error))?;
    let open = house.open_runs();
    let entries = folders.iter().filter_map(|folder| match open.iter().find(|run| run.folder == *folder) {
        Some(run) => Some(under_way(run)),
        None => {
            let run = app::list_run(folder);
            (run.case.as_ref() == Some(&settings.case.entry.name)).then(|| entry(&run))
        }
    });
    Ok(entries.take(MOST_LISTED).collect())
}

/// Describes a run that is open here, without reading its file, which its writer is using.
fn under_way(run: &OpenRun) -> Value {
    let agents: Vec<&str> = run.tasks.iter().map(|task| task.agent.as_str()).collect();
    json!({"name": run.name(), "state": "open", "begun": null, "agents": agents, "facts": null, "refused": null})
}

fn entry(run: &Listed) -> Value {
    json!({
        "name": run.name,
        "state": run.state,
        "begun": run.begun,
        "agents": run.agents,
        "facts": run.facts,
        "refused": run.refused,
    })
}
