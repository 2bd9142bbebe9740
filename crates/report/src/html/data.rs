//! What the script of the page works on: of each fact what it is found and filtered by, and the times.

use super::times::{lanes, times};
use super::{Scene, facts, say};
use crate::nodes;
use graph::{Fit, fact_title};
use ledger::event::ClaimAccepted;
use ledger::{FactId, TaskId, Writer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Names that things are filtered by; those that most facts name.
const NAMES: usize = 300;

/// JSON that can stand in a script element: no `<` is in it.
///
/// Of the facts it holds one text and a column each: a browser searches one long text faster than many short ones, and has little to clear away.
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

/// What facts are found and filtered by, each column in the order of the page.
#[derive(Default)]
struct Facts {
    /// Of each fact a line that begins with a line feed: its id, that of its call, then in small letters what it says, its record type and where it stands.
    text: String,
    agents: Numbered,
    agent: Vec<usize>,
    places: Numbered,
    evidence: Vec<usize>,
    lane: Vec<usize>,
    kinds: Numbered,
    kind: Vec<usize>,
    /// The place in [`Writer::ALL`]; -1 where it is not recorded.
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

/// Names with numbers in the order of their coming.
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

/// The number of each fact on the page.
fn numbers(scene: &Scene<'_>) -> BTreeMap<FactId, usize> {
    scene.order.iter().enumerate().map(|(number, id)| (*id, number)).collect()
}

/// The techniques with the facts that fit them, by their numbers on the page.
fn techniques(scene: &Scene<'_>) -> Vec<Value> {
    let numbers = numbers(scene);
    let technique = |fit: &Fit<'_>| {
        let fitting = fit.facts.iter().filter_map(|fact| numbers.get(fact));
        json!([format!("{} {}", fit.technique.id, say(&fit.technique.name)), fitting.collect::<Vec<_>>()])
    };
    scene.fits.iter().map(technique).collect()
}

/// The entities with the facts that name them, by their numbers on the page.
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
