//! Measures how much an investigation costs a client of `locard mcp`: the bytes of what the server lists and answers (`docs/mcp.md`).
//!
//! The requests come from a playbook run over the same case, so every case has a suitable script, and its claims are true.

mod server;
mod step;

use crate::program;
use ledger::Event;
use serde_json::{Value, json};
use server::Server;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
pub(crate) use step::Step;
use store::Reader;

/// A step and its result.
#[derive(Debug)]
pub(crate) struct Carried {
    /// The step.
    pub(crate) step: Step,
    /// The size of its text answer, in bytes.
    pub(crate) text: usize,
    /// The number of records that were shown.
    pub(crate) records: usize,
    /// The number of readings that were accepted.
    pub(crate) accepted: usize,
    /// Whether the server answered with an error.
    pub(crate) failed: bool,
}

/// An investigation that was carried out.
#[derive(Debug)]
pub(crate) struct Investigation {
    /// The size of the answer to `tools/list`, in bytes.
    pub(crate) listed: usize,
    /// The size of the instructions of all tasks, in bytes.
    pub(crate) instructions: usize,
    /// The steps, in order.
    pub(crate) carried: Vec<Carried>,
}

/// Returns the steps of a playbook run over `case`, which is made in `work`.
pub(crate) fn script(locard: &Path, case: &Path, work: &Path) -> io::Result<Vec<Step>> {
    let runs = work.join("playbook");
    let mut command = program::locard(locard);
    command.arg("run").arg(case).arg("--runs").arg(&runs).args(["--quiet", "--no-cache"]);
    let ended = command.output()?;
    let run = match std::fs::read_dir(&runs).ok().and_then(|mut entries| entries.next()) {
        Some(run) => run?.path(),
        None => return Err(io::Error::other(String::from_utf8_lossy(&ended.stderr).into_owned())),
    };
    let reader = Reader::open(&run).map_err(io::Error::other)?;
    let mut events = Vec::new();
    for link in reader.events() {
        let (link, event, _) = link.map_err(io::Error::other)?;
        events.push((link.stream, event));
    }
    // Which task continues first is random, but the order within each is not.
    events.sort_by_key(|(stream, _)| stream.number());
    let mut replies = BTreeMap::new();
    for (_, event) in &events {
        if let Event::TurnReplied(replied) = event {
            let stored = reader.payload(&replied.reply).map_err(io::Error::other)?;
            let stored = stored.ok_or_else(|| io::Error::other("a reply is not in the run"))?;
            replies.insert(replied.reply, serde_json::from_slice(&stored)?);
        }
    }
    Ok(step::steps(&events, &replies))
}

/// Carries out the steps with a separate server, whose run is made in `work`.
pub(crate) fn carry_out(
    locard: &Path,
    case: &Path,
    work: &Path,
    steps: Vec<Step>,
) -> io::Result<Investigation> {
    let mut server = Server::start(locard, case, &work.join("clients"))?;
    let listed = server.ask("tools/list", json!({}))?.to_string().len();
    let mut agents: Vec<&str> = steps.iter().map(|step| step.agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    let opened = server.call("open_run", json!({ "agents": agents }))?;
    if opened["isError"] == true {
        return Err(io::Error::other(format!("the run was not opened: {}", text(&opened))));
    }
    let opened = text(&opened);
    let tasks = handles(&opened, "task-");
    let handles: BTreeMap<String, String> =
        agents.iter().map(|agent| (*agent).to_owned()).zip(tasks).collect();
    let instructions = opened.len();
    let run = self::handles(&opened, "run-").into_iter().next().unwrap_or_default();
    let mut invocations = Vec::new();
    let mut carried = Vec::new();
    for step in steps {
        let task = handles.get(&step.agent).cloned().unwrap_or_default();
        let answer = server.call(&step.tool, step.arguments_for(&task, &invocations))?;
        let is_error = answer["isError"] == true;
        let answer = text(&answer);
        let lines = data(&answer);
        let invocation = lines.first().and_then(|head| head["invocation"].as_str());
        invocations.push(invocation.unwrap_or_default().to_owned());
        carried.push(Carried {
            step,
            text: answer.len(),
            records: lines.iter().filter(|line| line.is_array() || line.get("record").is_some()).count(),
            accepted: lines.iter().filter_map(|line| line["facts"].as_array()).map(Vec::len).sum(),
            failed: is_error,
        });
    }
    let closed = server.call("close_run", json!({ "run": run }))?;
    if !text(&closed).contains("Verified: ") {
        return Err(io::Error::other(format!("the client's run does not verify: {closed}")));
    }
    Ok(Investigation { listed, instructions, carried })
}

/// Returns the text of an answer.
fn text(answer: &Value) -> String {
    let parts = answer["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part["text"].as_str()).collect()
}

/// Returns the handles of this kind, in order.
fn handles(text: &str, kind: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| word.starts_with(kind) && word.len() > 30);
    words.map(str::to_owned).collect()
}

/// Returns the lines of an answer that are data.
fn data(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|line: &Value| !line.is_number())
        .collect()
}

impl Investigation {
    /// Formats one JSON value per line: what the server lists, then each step; `claims` says whether the claims' values may be shown.
    pub(crate) fn lines(&self, claims: bool) -> String {
        let mut lines =
            format!("{}\n", json!({"tools_list": self.listed, "instructions": self.instructions}));
        for carried in &self.carried {
            let mut line = carried.step.to_json(claims);
            line["text"] = json!(carried.text);
            line["records"] = json!(carried.records);
            line["accepted"] = json!(carried.accepted);
            lines.push_str(&format!("{line}\n"));
        }
        lines
    }

    /// Formats the sums, for people.
    pub(crate) fn summary(&self) -> String {
        let (claims, calls): (Vec<&Carried>, Vec<&Carried>) =
            self.carried.iter().partition(|carried| carried.step.is_claim());
        let sum = |of: &[&Carried], what: fn(&Carried) -> usize| {
            of.iter().map(|carried| what(carried)).sum::<usize>()
        };
        let accepted = sum(&claims, |carried| carried.accepted);
        format!(
            "tools/list {} bytes, instructions {}\n{} calls: {} records, answers {} bytes\n\
             {} claims: {accepted} readings accepted, answers {} bytes ({} for each accepted reading)\n\
             {} answers are errors",
            self.listed,
            self.instructions,
            calls.len(),
            sum(&calls, |carried| carried.records),
            sum(&calls, |carried| carried.text),
            claims.len(),
            sum(&claims, |carried| carried.text),
            sum(&claims, |carried| carried.text).checked_div(accepted).unwrap_or_default(),
            self.carried.iter().filter(|carried| carried.failed).count(),
        )
    }
}
