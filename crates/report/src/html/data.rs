//! What the script of the page works on: of each fact what it is found and filtered by, and the times.

use super::narrative::rests_on_one;
use super::times::{lanes, times};
use super::{Scene, facts, say};
use crate::nodes;
use graph::{Fit, fact_title};
use ledger::{FactId, NodeId, Writer};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Names that things are filtered by; those that most facts name.
const NAMES: usize = 300;

/// JSON that can stand in a script element: no `<` is in it.
pub(super) fn data(scene: &Scene<'_>) -> String {
    let mut agents = Numbered::default();
    let mut places = Numbered::default();
    let mut kinds = Numbered::default();
    let (lanes, lane_of) = lanes(scene);
    let facts: Vec<Value> = scene
        .verdicts()
        .zip(&lane_of)
        .map(|((task, accepted), lane)| {
            let fact = &accepted.fact;
            let agent = scene.run.tasks.get(&task).map_or("", |view| &view.assigned.agent.name);
            let (title, path) = (fact_title(fact), say(&fact.locator.path));
            // A search looks into both together.
            let path = if title.contains(&path) { String::new() } else { path };
            json!([
                fact.id,
                title,
                agents.number(agent),
                places.number(&fact.locator.evidence),
                kinds.number(&fact.kind),
                lane,
                path,
                u8::from(rests_on_one(scene, &[NodeId::Fact(fact.id)])),
                u8::from(accepted.healing.is_some()),
                fact.writer().and_then(|writer| Writer::ALL.iter().position(|it| *it == writer)),
            ])
        })
        .collect();
    let times = times(scene);
    let events: Vec<Value> = times.events.iter().map(|event| json!([event.at, event.fact])).collect();
    let data = json!({
        "facts": facts,
        "agents": agents.names,
        "evidence": places.names,
        "kinds": kinds.names,
        "lanes": lanes.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        "things": things(scene),
        "techniques": techniques(scene),
        "times": events,
        "writers": Writer::ALL.map(Writer::name),
        "window": [times.window.0, times.window.1],
        "bulk": [times.bulk.0, times.bulk.1],
        "cited": scene.cited.len(),
        "plain": facts::PLAIN,
        "packed": facts::PACKED,
    });
    data.to_string().replace('<', "\\u003c")
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
            (format!("{} {}", kind.name(), say(&name)), named)
        })
        .collect();
    things.sort_by_key(|(_, facts)| std::cmp::Reverse(facts.len()));
    things.truncate(NAMES);
    things.into_iter().map(|(name, facts)| json!([name, facts])).collect()
}
