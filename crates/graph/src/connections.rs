//! The connections of a run: entities and relations that code makes of its facts (`docs/graph.md`, decision 0058).
//!
//! Which fields name what is data (`data/connections.toml`). What is one is decided by strong keys alone: a SID, a GUID, a serial number, an entry of the file table.
//! A name stands for a strong key where only one is stated with it; otherwise it is something of its own, which is possibly the same.
//!
//! **Invariant:** a fold over facts. Their order changes nothing, every entity, name and relation rests on facts, and nothing here is an event.

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

/// The version of the rules that make entities and relations: those of data and those of code.
///
/// Whoever changes what they make of the same facts adds one and a [`Behaviour`], and keeps the rules of earlier runs: what an agent was answered and what a seal says has to come out again.
pub const RULES: u16 = 2;

/// The version of the rules by which connections are made in a run with these behaviours; of one from before there were rules the newest.
pub fn rules_of(has: impl Fn(Behaviour) -> bool) -> u16 {
    match has(Behaviour::Connects) && !has(Behaviour::ConnectsFurther) {
        true => 1,
        false => RULES,
    }
}

/// The connections of runs of one case: what they name alike by strong keys is one.
///
/// Those of one run are made by its own rules, those of several by the newest. Of redacted runs by what they show.
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

/// The connections that a version of the rules makes of facts, each with the place of its run; they are gone through twice.
pub fn connections_of<'f>(
    rules: u16,
    pieces: &[Piece],
    facts: impl Iterator<Item = (u16, &'f FactEntry)> + Clone,
) -> Connections {
    static NONE: std::sync::LazyLock<rules::Rules> = std::sync::LazyLock::new(rules::Rules::default);
    // The shipped rules are embedded, and read by a test.
    let rules = rules::shipped(rules).unwrap_or(&NONE);
    let mut survey = Survey::new(pieces, &rules.folders);
    facts.clone().for_each(|(run, fact)| survey.add(run, fact));
    let hosts = survey.hosts();
    let hosts = if rules.is_first() { hosts } else { hosts.without_doubtful_devices() };
    let mut collected = Collected::new(rules, hosts);
    facts.for_each(|(run, fact)| collected.add(run, fact));
    resolve::resolve(collected)
}
