//! The connections of a run: entities and relations that code derives from its facts (`docs/graph.md`, decision 0058).
//!
//! Which fields name entities is data (`data/connections.toml`). Only strong keys decide identity: a SID, a GUID, a serial number,
//! a file table entry.
//! A name stands for a strong key only if exactly one is stated with it. Otherwise it is a separate entity that is possibly the same.
//!
//! **Invariant:** this is a fold over facts. The order of facts changes nothing; every entity, name and relation is based on facts;
//! and nothing here is an event.

mod ask;
mod collect;
mod hosts;
mod keys;
mod kind;
mod made;
mod model;
mod name;
mod path;
pub mod readings;
mod resolve;
mod rules;

pub use ask::{
    Contradiction, ContradictionKind, Filter, Found, Hop, Moment, Namesake, Neighbour, Part, Seen, StoryStep,
    between, contradictions, find, hubs, islands, namesakes, neighbours, paths, timeline, told_of,
    where_else,
};
pub use collect::FactRef;
pub use hosts::Piece;
pub use kind::{EntityKind, RelationKind};
pub use made::digest;
pub use model::{Connections, EntityId, EntityIdError, EntityRef, RelationRef, Told, When};
pub use rules::{AccountFields, Named, RulesError, accounts_of, named_by_rules};

use crate::run::Run;
use collect::Collected;
use hosts::Survey;
use ledger::{Behaviour, FactEntry, IntegrityLevel};

/// The version of the rules that derive entities and relations, both data and code.
///
/// If you change what they derive from the same facts, increment this, add a [`Behaviour`], and keep the rules of earlier runs:
/// the answers that an agent got and the digests in a seal must be reproducible.
pub const RULES: u16 = 2;

/// Returns the version of the connection rules for a run with these behaviours; the newest for runs from before there were rules.
pub fn rules_of(has: impl Fn(Behaviour) -> bool) -> u16 {
    match has(Behaviour::Connects) && !has(Behaviour::ConnectsFurther) {
        true => 1,
        false => RULES,
    }
}

/// Returns the connections of runs of one case: entities with the same strong key are merged.
///
/// A single run uses its own version of the rules; several runs use the newest. A redacted run contributes only what it shows.
pub fn connections(runs: &[&Run]) -> Connections {
    let rules = match runs {
        [run] => rules_of(|it| run.opened.behaviour.contains(&it.into())),
        _ => RULES,
    };
    let mut pieces = Vec::new();
    for (at, run) in (0..).zip(runs) {
        for evidence in &run.opened.case.evidence {
            let hashed = run.integrity.iter().find(|hashed| hashed.evidence == evidence.label);
            pieces.push(Piece {
                run: at,
                run_name: run.name().to_owned(),
                label: evidence.label.clone(),
                digest: hashed
                    .filter(|it| it.integrity.level == IntegrityLevel::Full && it.integrity.files > 0)
                    .map(|it| it.integrity.sha256.to_string()),
            });
        }
    }
    let facts: Vec<(u16, &FactEntry)> = (0..)
        .zip(runs)
        .flat_map(|(at, run)| run.facts().map(move |(_, accepted)| (at, &accepted.fact)))
        .collect();
    connections_of(rules, &pieces, facts.iter().copied())
}

/// Returns the connections that a version of the rules derives from facts.
///
/// Each fact comes with the index of its run. The iterator is cloned, because the facts are read twice.
pub fn connections_of<'f>(
    rules: u16,
    pieces: &[Piece],
    facts: impl Iterator<Item = (u16, &'f FactEntry)> + Clone,
) -> Connections {
    static NONE: std::sync::LazyLock<rules::Rules> = std::sync::LazyLock::new(rules::Rules::default);
    // The shipped rules are embedded, and a test checks that they parse.
    let rules = rules::shipped(rules).unwrap_or(&NONE);
    let mut survey = Survey::new(pieces, &rules.folders);
    facts.clone().for_each(|(run, fact)| survey.add(run, fact));
    let hosts = survey.hosts();
    let hosts = if rules.is_first() { hosts } else { hosts.without_doubtful_devices() };
    let mut collected = Collected::new(rules, hosts);
    facts.for_each(|(run, fact)| collected.add(run, fact));
    resolve::resolve(collected)
}
