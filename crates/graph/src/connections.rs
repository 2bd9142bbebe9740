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
    Contradiction, ContradictionKind, Filter, Found, Hop, Moment, Neighbour, Part, Seen, StoryStep,
    contradictions, find, hubs, islands, neighbours, paths, possibly_same, timeline, told_of, where_else,
};
pub use collect::FactRef;
pub use hosts::Piece;
pub use kind::{EntityKind, RelationKind};
pub use made::digest;
pub use model::{Connections, EntityId, EntityIdError, EntityRef, RelationRef, Told, When};
pub use rules::{Named, RulesError, named_by_rules};

use crate::run::Run;
use collect::Collected;
use hosts::Survey;
use ledger::{FactEntry, IntegrityLevel};

/// The version of the rules that make entities and relations: those of data and those of code.
///
/// Whoever changes what they make of the same facts adds one, and keeps the rules of runs whose seal names an earlier version.
pub const RULES: u16 = 1;

/// The connections of runs of one case: what they name alike by strong keys is one.
///
/// Of redacted runs by what they show.
pub fn connections(runs: &[&Run]) -> Connections {
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
    connections_of(&pieces, facts.iter().copied())
}

/// The connections of facts, each with the place of its run; they are gone through twice.
pub fn connections_of<'f>(
    pieces: &[Piece],
    facts: impl Iterator<Item = (u16, &'f FactEntry)> + Clone,
) -> Connections {
    static NONE: std::sync::LazyLock<rules::Rules> = std::sync::LazyLock::new(rules::Rules::default);
    // The shipped rules are embedded, and read by a test.
    let rules = rules::shipped().unwrap_or(&NONE);
    let mut survey = Survey::new(pieces, &rules.folders);
    facts.clone().for_each(|(run, fact)| survey.add(run, fact));
    let mut collected = Collected::new(rules, survey.hosts());
    facts.for_each(|(run, fact)| collected.add(run, fact));
    resolve::resolve(collected)
}
