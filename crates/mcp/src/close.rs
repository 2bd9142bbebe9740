//! `close_task`, `close_run`, `list_runs`: how tasks and runs end, and what there is.

use crate::answer::{self, own, refused};
use crate::call::{NoAnswer, fulfil, waited};
use crate::house::{Came, House, OpenRun, OpenTask};
use crate::open::causes;
use app::{Certificate, Listed};
use llm::{Told, Wish};
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::{Value, json};

/// The most characters of closing words.
const LONGEST_WORDS: usize = 10_000;
/// Runs that a list names.
const MOST_LISTED: usize = 100;

/// Closing words, bounded; some where there are none, since a reply of nothing is none.
pub(crate) fn words(given: Option<&str>) -> String {
    match given.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => words.chars().take(LONGEST_WORDS).collect(),
        None => "(no words)".to_owned(),
    }
}

/// Ends the phase that a task is in; `all` of its phases where the client wants no more.
pub(crate) async fn close_task(
    task: &OpenTask,
    words: String,
    all: bool,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    match stop(task, words, all, context).await {
        Ok(told) => answer::of(task, &told),
        Err(no) => no_answer(no),
    }
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

/// Why the engine gave no answer, for the client.
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

/// Ends the tasks of a run, waits for its seal, and says what a verification finds.
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
                "the run {} broke off: {because}. What it recorded stays; locard resume goes on with it",
                run.name()
            );
            return refused("broken_off", &told);
        }
        Came::Sealed(tasks) => tasks,
    };
    let folder = run.folder.clone();
    let verifying = tokio::task::spawn_blocking(move || app::verify(&folder));
    let certificate = match waited(verifying, "close_run: verifying", context).await {
        Some(Ok(certificate)) => certificate,
        Some(Err(_)) => return refused("defect", "a thread of the program panicked"),
        None => return no_answer(NoAnswer::Withdrawn),
    };
    let tasks: Vec<Value> =
        tasks.iter().map(|(agent, ended)| json!({"agent": agent, "ended": ended})).collect();
    let verified = verified(&certificate);
    let mut text = format!("Closed and sealed the run {}.", run.name());
    for task in &tasks {
        let ended = &task["ended"];
        text.push_str(&format!(
            "\n{}: {}, {} facts, {} refused claims, {} turns",
            text_of(&task["agent"]),
            text_of(&ended["status"]),
            ended["facts"],
            ended["rejections"],
            ended["turns"]
        ));
    }
    text.push_str(&format!("\n{}", text_of(&verified["told"])));
    own(text, json!({"name": run.name(), "sealed": true, "tasks": tasks, "verification": verified}))
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What a verification reached, in short.
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

/// The runs of the case, the newest first.
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

/// The runs of the case as a list tells them.
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

/// A run that is open here; its file is its writer's.
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
