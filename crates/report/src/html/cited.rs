//! The facts that answers, findings and the narrative lead to: they come first in the list, and their proofs are printed.

use super::{answers, findings};
use crate::reach;
use crate::synthesis::{Answered, answered};
use graph::{FIRST, Placed, Ranked, Run};
use ledger::{FactId, NodeId};
use std::collections::BTreeSet;

/// Of an answer those that are shown unfolded, and so stand on paper.
pub(super) fn cited(run: &Run, ranked: &[Ranked<'_>], told: &[Placed<'_>]) -> BTreeSet<FactId> {
    let mut cited: BTreeSet<FactId> = BTreeSet::new();
    for view in run.tasks.values() {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            match answered(view, index, objective) {
                Answered::Met(facts) => cited.extend(facts.iter().take(answers::FIRST)),
                Answered::Empty(_) => cited.extend(reach::logs(run, objective).iter().map(|(log, _)| log.id)),
                Answered::Nothing
                | Answered::Unmet
                | Answered::NotDeterminable(_)
                | Answered::Unseen
                | Answered::Unended => {}
            }
        }
    }
    for finding in ranked.iter().take(FIRST) {
        let facts = &finding.phenomenon.facts;
        let open = if facts.len() <= 1 + findings::OPEN { facts.len() } else { 1 };
        cited.extend(facts.iter().take(open));
    }
    for placed in told {
        cited.extend(placed.zone);
        cited.extend(placed.twice);
        cited.extend(placed.sentence.cites.iter().filter_map(|node| match node {
            NodeId::Fact(fact) => Some(*fact),
            _ => None,
        }));
    }
    cited
}
