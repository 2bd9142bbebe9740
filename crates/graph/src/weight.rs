//! How much facts stand out: the rules that they match, and what makes them ordinary.
//!
//! The rules are those of this version of the program ([`detect::shipped`]). A level is a view of a run, not part of its log.
//! Rules that a team supplied were compared when the run was made; their matches are in its log.

use crate::brought::said;
use crate::run::Run;
use detect::{Hit, Level, Trace, shipped};
use ledger::placement::tells_of_host;
use ledger::{FactEntry, NodeId};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The weight of one or more facts, and the reasons for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// The level of the fact that stands out most.
    pub level: Level,
    /// The rules that one of them matches, highest level first.
    pub hits: Vec<Hit<'static>>,
    /// Why they are normal on any computer, if the data says so.
    pub ordinary: Option<&'static str>,
    /// The supplied rules that match one of their records, by index ([`crate::Brought::fit`]).
    pub brought: Vec<u32>,
    /// Whether the level is low because the file is in a place where it proves nothing about the host.
    pub is_elsewhere: bool,
}

/// Combines the weights of facts that belong together.
pub(crate) fn together(each: Vec<Weighed>) -> Weighed {
    let mut all = Weighed {
        level: Level::Ordinary,
        hits: Vec::new(),
        ordinary: None,
        brought: Vec::new(),
        is_elsewhere: false,
    };
    for one in each {
        all.level = all.level.max(one.level);
        all.is_elsewhere |= one.is_elsewhere;
        all.ordinary = all.ordinary.or(one.ordinary);
        all.hits.extend(one.hits);
        all.brought.extend(one.brought);
    }
    all.brought.sort_unstable();
    all.brought.dedup();
    all.hits.sort_by_key(|hit| Reverse(hit.level));
    let mut met = BTreeSet::new();
    all.hits.retain(|hit| met.insert(hit.rule));
    if all.level > Level::Ordinary {
        all.ordinary = None;
    }
    all
}

/// Weighs the facts that a node is based on, together. For a redacted run, it uses the original values.
pub fn weight_of(run: &Run, node: NodeId) -> Weighed {
    let recorded = run.as_recorded();
    let facts = recorded.facts_of(node);
    together(facts.iter().filter_map(|id| recorded.fact(*id)).map(|fact| weighed(recorded, fact)).collect())
}

/// Weighs a fact of a run as it was recorded.
pub(crate) fn weighed(recorded: &Run, fact: &FactEntry) -> Weighed {
    let trace = Trace::of_fact(fact);
    let mut hits = shipped().hits(&trace);
    let ordinary = shipped().ordinary(&trace);
    if ordinary.is_some() {
        hits.retain(|hit| hit.level > Level::Low);
    }
    let said = said(recorded, fact).filter(|said| ordinary.is_none() || said.level > Level::Low);
    let level = hits.first().map_or(Level::Ordinary, |hit| hit.level);
    let level = said.as_ref().map_or(level, |said| level.max(said.level));
    let brought = said.map(|said| said.rules).unwrap_or_default();
    let is_elsewhere = level > Level::Low && !tells_of_host(fact.placement);
    let level = if is_elsewhere { Level::Low } else { level };
    Weighed { level, hits, ordinary, brought, is_elsewhere }
}
