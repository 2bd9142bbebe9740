//! How much facts stand out: the rules that they fit, and what makes them ordinary.
//!
//! The rules are those of this version of the program ([`detect::shipped`]): a level is a view of a run, and no part of its log.

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
    /// Whether the level is low because the file lies where it says nothing of the host.
    pub is_elsewhere: bool,
}

/// What facts that belong together weigh, by what each weighs alone.
pub(crate) fn together(each: Vec<Weighed>) -> Weighed {
    let mut all = Weighed { level: Level::Ordinary, hits: Vec::new(), ordinary: None, is_elsewhere: false };
    for one in each {
        all.level = all.level.max(one.level);
        all.is_elsewhere |= one.is_elsewhere;
        all.ordinary = all.ordinary.or(one.ordinary);
        all.hits.extend(one.hits);
    }
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
    together(facts.iter().filter_map(|id| recorded.fact(*id)).map(weighed).collect())
}

/// Weighs a fact.
pub(crate) fn weighed(fact: &FactEntry) -> Weighed {
    let trace = Trace::of_fact(fact);
    let mut hits = shipped().hits(&trace);
    let ordinary = shipped().ordinary(&trace);
    if ordinary.is_some() {
        hits.retain(|hit| hit.level > Level::Low);
    }
    let level = hits.first().map_or(Level::Ordinary, |hit| hit.level);
    let is_elsewhere = level > Level::Low && !tells_of_host(fact.placement);
    let level = if is_elsewhere { Level::Low } else { level };
    Weighed { level, hits, ordinary, is_elsewhere }
}
