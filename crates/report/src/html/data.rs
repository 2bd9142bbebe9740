//! The data for the script of the page: what facts are searched and filtered by, and the times.

use super::times::{lanes, times};
use super::{Scene, facts, say};
use crate::nodes;
use graph::{Fit, fact_title};
use ledger::event::ClaimAccepted;
use ledger::{FactId, TaskId, Writer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The maximum number of entity names to filter by; those that most facts name are kept.
const NAMES: usize = 300;

/// Returns JSON for a script element: it contains no `<`.
///
/// The facts are stored as one text and one array per column: a browser searches one long text faster than many short ones, and has little
/// garbage to collect.
pub(super) fn data(scene: &Scene<'_>) -> String {
    let (lanes, lane_of) = lanes(scene);
    let mut facts = Facts::default();
    for ((task, accepted), lane) in scene.verdicts().zip(&lane_of) {
        facts.add(scene, task, accepted, *lane);
    }
    let times = times(scene);
    let data = json!({
        "text": facts.text,
        "columns": {
            "agent": facts.agent,
            "evidence": facts.evidence,
            "lane": facts.lane,
            "kind": facts.kind,
            "writer": facts.writer,
            "one": facts.one,
            "healed": facts.healed,
        },
        "agents": facts.agents.names,
        "evidence": facts.places.names,
        "kinds": facts.kinds.names,
        "lanes": lanes.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        "things": things(scene),
        "techniques": techniques(scene),
        "writers": Writer::ALL.map(Writer::name),
        "times": {
            "at": times.events.iter().map(|event| event.at).collect::<Vec<_>>(),
            "fact": times.events.iter().map(|event| event.fact).collect::<Vec<_>>(),
        },
        "window": [times.window.0, times.window.1],
        "bulk": [times.bulk.0, times.bulk.1],
        "cited": scene.cited.len(),
        "plain": facts::plain(scene),
        "packed": facts::PACKED,
    });
    data.to_string().replace('<', "\\u003c")
}

/// The columns that facts are searched and filtered by, each in page order.
#[derive(Default)]
struct Facts {
    /// One line for each fact, starting with a line feed: its id and its call's id, then in lower case its title, record type and place.
    text: String,
    agents: Numbered,
    agent: Vec<usize>,
    places: Numbered,
    evidence: Vec<usize>,
    lane: Vec<usize>,
    kinds: Numbered,
    kind: Vec<usize>,
    /// The index in [`Writer::ALL`]; -1 if it was not recorded.
    writer: Vec<i8>,
    one: Vec<u8>,
    healed: Vec<u8>,
}

impl Facts {
    fn add(&mut self, scene: &Scene<'_>, task: TaskId, accepted: &ClaimAccepted, lane: usize) {
        let fact = &accepted.fact;
        let agent = scene.run.tasks.get(&task).map_or("", |view| &view.assigned.agent.name);
        let (title, path) = (say(&fact_title(fact)), say(&fact.locator.path));
        let _ = write!(self.text, "\n{} {} {}", fact.id, fact.invocation, title.to_lowercase());
        let _ = write!(self.text, " {}", fact.kind);
        if !title.contains(&path) {
            let _ = write!(self.text, " {}", path.to_lowercase());
        }
        self.agent.push(self.agents.number(agent));
        self.evidence.push(self.places.number(&fact.locator.evidence));
        self.lane.push(lane);
        self.kind.push(self.kinds.number(&fact.kind));
        let writer = fact.writer().and_then(|writer| Writer::ALL.iter().position(|it| *it == writer));
        self.writer.push(writer.and_then(|it| i8::try_from(it).ok()).unwrap_or(-1));
        self.one.push(scene.corroborated.is_single_of(scene.run, &[fact.id]).into());
        self.healed.push(accepted.healing.is_some().into());
    }
}

/// Names, numbered in the order in which they first appear.
#[derive(Default)]
struct Numbered {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> usize {
        let names = &mut self.names;
        *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            names.push(say(name));
            names.len() - 1
        })
    }
}

/// Returns the number of each fact on the page.
fn numbers(scene: &Scene<'_>) -> BTreeMap<FactId, usize> {
    scene.order.iter().enumerate().map(|(number, id)| (*id, number)).collect()
}

/// Returns the techniques with the facts that fit them, by their numbers on the page.
fn techniques(scene: &Scene<'_>) -> Vec<Value> {
    let numbers = numbers(scene);
    let technique = |fit: &Fit<'_>| {
        let fitting = fit.facts.iter().filter_map(|fact| numbers.get(fact));
        json!([format!("{} {}", fit.technique.id, say(&fit.technique.name)), fitting.collect::<Vec<_>>()])
    };
    scene.fits.iter().map(technique).collect()
}

/// Returns the entities with the facts that name them, by their numbers on the page.
fn things(scene: &Scene<'_>) -> Vec<Value> {
    let numbers = numbers(scene);
    let mut things: Vec<(String, Vec<usize>)> = nodes::entities(scene.run)
        .into_iter()
        .map(|((kind, name), facts)| {
            let named = facts.iter().filter_map(|fact| numbers.get(fact)).copied().collect();
            (format!("{} {}", kind.name(), graph::value_text(&name)), named)
        })
        .collect();
    things.sort_by_key(|(_, facts)| std::cmp::Reverse(facts.len()));
    things.truncate(NAMES);
    things.into_iter().map(|(name, facts)| json!([name, facts])).collect()
}
