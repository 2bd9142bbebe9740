//! The facts that what stands out, answers, findings and the story lead to: they come first in the list, and their proofs are printed.

use super::{answers, findings};
use crate::reach;
use crate::story::Line;
use graph::{FIRST, Foremost, Question, Ranked, Run, Stands};
use ledger::{FactId, NodeId};
use std::collections::BTreeSet;

/// Of an answer those that are shown unfolded, and so stand on paper.
pub(super) fn cited(
    run: &Run,
    questions: &[Question<'_>],
    ranked: &[Ranked<'_>],
    foremost: &[Foremost<'_>],
    told: &[Line<'_>],
) -> BTreeSet<FactId> {
    let mut cited: BTreeSet<FactId> = BTreeSet::new();
    for question in questions {
        match &question.stands {
            Stands::Answered(facts) => cited.extend(facts.iter().take(answers::FIRST)),
            Stands::Searched { .. } => {
                cited.extend(reach::logs(run, question.objective).iter().map(|(log, _)| log.id));
            }
            Stands::Seen { .. } | Stands::Partly { .. } | Stands::CannotBeTold(_) | Stands::NotAsked => {}
        }
    }
    for finding in ranked.iter().take(FIRST) {
        let facts = &finding.facts;
        let open = if facts.len() <= 1 + findings::OPEN { facts.len() } else { 1 };
        cited.extend(facts.iter().take(open));
    }
    cited.extend(foremost.iter().map(|it| it.fact.id));
    for line in told {
        cited.extend(line.statement.zone);
        cited.extend(line.statement.twice);
        cited.extend(match line.statement.node {
            NodeId::Fact(fact) => Some(fact),
            _ => None,
        });
    }
    cited
}
