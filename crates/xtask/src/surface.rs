//! How much an investigation costs a client of `locard mcp`: bytes of what the server lists and answers (`docs/mcp.md`).
//!
//! What is asked comes from a run of the playbook over the same case, so every case has a script that fits it, and its claims are true.

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

/// What an answer of the server weighs, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// The text, which a model reads.
    pub(crate) text: usize,
    /// The structured content, which a program reads.
    pub(crate) structured: usize,
}

/// A step and what came of it.
#[derive(Debug)]
pub(crate) struct Carried {
    /// The step.
    pub(crate) step: Step,
    /// Its answer.
    pub(crate) weight: Weight,
    /// Records that were shown.
    pub(crate) records: usize,
    /// Readings that were accepted.
    pub(crate) accepted: usize,
    /// Whether the server answered with an error.
    pub(crate) failed: bool,
}

/// An investigation that was carried out.
#[derive(Debug)]
pub(crate) struct Investigation {
    /// The answer to `tools/list`.
    pub(crate) listed: usize,
    /// The instructions of all tasks.
    pub(crate) instructions: usize,
    /// The steps in their order.
    pub(crate) carried: Vec<Carried>,
}

/// The steps of a playbook run over `case`, which is made in `work`.
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
    // Which task goes on first is chance; the order inside each is not.
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

/// Carries the steps out through a server of its own, whose run is made in `work`.
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
    let opened = &opened["structuredContent"];
    let tasks: Vec<&Value> =
        opened["tasks"].as_array().map(|tasks| tasks.iter().collect()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let handles: BTreeMap<String, String> = agents
        .iter()
        .map(|agent| (*agent).to_owned())
        .zip(tasks.iter().map(|task| text(&task["task"])))
        .collect();
    let instructions = tasks.iter().map(|task| text(&task["instructions"]).len()).sum();
    let run = opened["run"].clone();
    let mut invocations = Vec::new();
    let mut carried = Vec::new();
    for step in steps {
        let task = handles.get(&step.agent).cloned().unwrap_or_default();
        let answer = server.call(&step.tool, step.arguments_for(&task, &invocations))?;
        invocations.push(text(&answer["structuredContent"]["answer"]["invocation"]));
        carried.push(weighed(step, &answer));
    }
    let closed = server.call("close_run", json!({ "run": run }))?;
    if closed["structuredContent"]["verification"]["verified"] != true {
        return Err(io::Error::other(format!("the client's run does not verify: {closed}")));
    }
    Ok(Investigation { listed, instructions, carried })
}

fn weighed(step: Step, answer: &Value) -> Carried {
    let structured = &answer["structuredContent"];
    let content = answer["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = content.iter().filter_map(|part| part["text"].as_str()).map(str::len).sum();
    let readings = structured["answer"]["readings"].as_array().map(Vec::as_slice).unwrap_or_default();
    Carried {
        step,
        weight: Weight { text, structured: structured.to_string().len() },
        records: structured["records"].as_array().map_or(0, Vec::len),
        accepted: readings.iter().filter(|reading| reading["verdict"] == "accepted").count(),
        failed: answer["isError"] == true,
    }
}

impl Investigation {
    /// A JSON value a line: what the server lists, then each step; `claims` says whether the claims' values may be told.
    pub(crate) fn lines(&self, claims: bool) -> String {
        let mut lines =
            format!("{}\n", json!({"tools_list": self.listed, "instructions": self.instructions}));
        for carried in &self.carried {
            let mut line = carried.step.to_json(claims);
            line["text"] = json!(carried.weight.text);
            line["structured"] = json!(carried.weight.structured);
            line["records"] = json!(carried.records);
            line["accepted"] = json!(carried.accepted);
            lines.push_str(&format!("{line}\n"));
        }
        lines
    }

    /// The sums, for people.
    pub(crate) fn summary(&self) -> String {
        let (claims, calls): (Vec<&Carried>, Vec<&Carried>) =
            self.carried.iter().partition(|carried| carried.step.is_claim());
        let sum = |of: &[&Carried], what: fn(&Carried) -> usize| {
            of.iter().map(|carried| what(carried)).sum::<usize>()
        };
        let accepted = sum(&claims, |carried| carried.accepted);
        format!(
            "tools/list {} bytes, instructions {}\n{} calls: {} records, answers {} bytes of text, {} structured\n\
             {} claims: {accepted} readings accepted, answers {} bytes of text ({} for each accepted reading), {} structured\n\
             {} answers are errors",
            self.listed,
            self.instructions,
            calls.len(),
            sum(&calls, |carried| carried.records),
            sum(&calls, |carried| carried.weight.text),
            sum(&calls, |carried| carried.weight.structured),
            claims.len(),
            sum(&claims, |carried| carried.weight.text),
            sum(&claims, |carried| carried.weight.text).checked_div(accepted).unwrap_or_default(),
            sum(&claims, |carried| carried.weight.structured),
            self.carried.iter().filter(|carried| carried.failed).count(),
        )
    }
}
