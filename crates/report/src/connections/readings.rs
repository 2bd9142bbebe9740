//! The relations that agents added: their interpretations, shown and drawn apart from what code derives from the facts.

use super::Answer;
use crate::inert::terminal;
use graph::connections::EntityRef;
use graph::connections::readings::{Link, Readings};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A relation that an agent added, between two entities derived by code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLink {
    /// The agent that added it.
    pub agent: String,
    /// Its first end.
    pub from: EntityRef,
    /// How the first end relates to the second.
    pub words: String,
    /// Its second end.
    pub to: EntityRef,
    /// The facts that the agent cited for it.
    pub facts: Vec<String>,
}

/// Returns the agents' relations whose ends are both among the drawn entities.
pub(super) fn drawn(readings: &[Readings], entities: &BTreeSet<EntityRef>) -> Vec<AgentLink> {
    let is_drawn = |entity: &EntityRef| entities.contains(entity);
    let drawn = readings.iter().flat_map(|of_run| &of_run.links).filter_map(|link| {
        let from = link.from.entity.filter(is_drawn)?;
        let to = link.to.entity.filter(is_drawn)?;
        let facts = link.facts.iter().map(ToString::to_string).collect();
        Some(AgentLink { agent: link.agent.clone(), from, words: link.words.clone(), to, facts })
    });
    drawn.collect()
}

/// Adds the relations that agents added to an entity.
pub(super) fn add(readings: &[Readings], entity: EntityRef, mut answer: Answer) -> Answer {
    let mut links: Vec<&Link> = Vec::new();
    for of_run in readings {
        links.extend(of_run.about(entity).iter().filter_map(|at| of_run.links.get(*at)));
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
        members.insert("readings".to_owned(), links.iter().copied().map(told).collect());
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
