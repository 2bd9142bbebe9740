//! What agents added as relations of their own: their readings, told and drawn apart from what code makes of the facts.

use super::Answer;
use super::context::Context;
use crate::inert::terminal;
use graph::connections::EntityRef;
use graph::connections::readings::{Link, Readings};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A relation by an agent, between two entities of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLink {
    /// The agent.
    pub agent: String,
    /// Its first end.
    pub from: EntityRef,
    /// How the first end relates to the second.
    pub words: String,
    /// Its second end.
    pub to: EntityRef,
    /// The facts that the agent named for it.
    pub facts: Vec<String>,
}

/// The relations by agents whose ends are both among what is drawn.
pub(super) fn drawn(context: &Context<'_>, entities: &BTreeSet<EntityRef>) -> Vec<AgentLink> {
    let is_drawn = |entity: &EntityRef| entities.contains(entity);
    let links = context.runs().iter().flat_map(|run| Readings::of(run, context.of).links);
    let drawn = links.filter_map(|link| {
        let from = link.from.entity.filter(is_drawn)?;
        let to = link.to.entity.filter(is_drawn)?;
        let facts = link.facts.iter().map(ToString::to_string).collect();
        Some(AgentLink { agent: link.agent, from, words: link.words, to, facts })
    });
    drawn.collect()
}

/// Adds what agents related an entity to.
pub(super) fn add(context: &Context<'_>, entity: EntityRef, mut answer: Answer) -> Answer {
    let mut links: Vec<Link> = Vec::new();
    for run in context.runs() {
        let readings = Readings::of(run, context.of);
        let about: BTreeSet<usize> = readings.about(entity).iter().copied().collect();
        links.extend(
            readings.links.into_iter().enumerate().filter(|(at, _)| about.contains(at)).map(|(_, it)| it),
        );
    }
    if links.is_empty() {
        return answer;
    }
    answer.text.push_str("agents' readings of it (interpretation, and no part of the graph):\n");
    for link in &links {
        let _ = writeln!(
            answer.text,
            "  {} {} {}, by {}",
            terminal(&link.from.said),
            link.words,
            terminal(&link.to.said),
            terminal(&link.agent)
        );
    }
    if let Some(members) = answer.value.as_object_mut() {
        members.insert("readings".to_owned(), links.iter().map(told).collect());
    }
    answer
}

fn told(link: &Link) -> Value {
    json!({
        "agent": link.agent,
        "from": link.from.said,
        "relation": link.words,
        "to": link.to.said,
        "facts": link.facts,
    })
}
