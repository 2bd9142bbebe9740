//! How much facts stand out: the rules that they fit, and what makes them ordinary.
//!
//! The rules are those of this version of the program ([`detect::shipped`]): a level is a view of a run, and no part of its log.
//! Those that a team brought along to the run were compared when it was made: what they found stands in its log.

use crate::brought::said;
use crate::run::Run;
use detect::{Hit, Level, Trace, shipped};
use ledger::placement::tells_of_host;
use ledger::{FactEntry, NodeId};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How much one or several facts stand out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// As the fact that does most.
    pub level: Level,
    /// The rules that one of them fits, the highest level first.
    pub hits: Vec<Hit<'static>>,
    /// Why they belong to any computer, where the data says so.
    pub ordinary: Option<&'static str>,
    /// The rules that were brought along and fit a record of them, by their places ([`crate::Brought::fit`]).
    pub brought: Vec<u32>,
    /// Whether the level is low because the file lies where it says nothing of the host.
    pub is_elsewhere: bool,
}

/// What facts that belong together weigh, by what each weighs alone.
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

/// How much the facts that a node rests on stand out together; of a redacted run by what was recorded.
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
