//! The facts that are linked from the top facts, answers, findings and story: they come first in the list,
//! and the proofs of the first of them are printed.

use super::{answers, findings};
use crate::reach;
use crate::story::Line;
use graph::{FIRST, Foremost, Question, Ranked, Run, Stands};
use ledger::{FactId, NodeId};
use std::collections::BTreeSet;

/// The number of linked facts of an answer, and of a finding after its first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Led {
    answer: usize,
    finding: usize,
}

/// In a browser: the facts that are shown unfolded.
pub(super) const SHOWN: Led = Led { answer: answers::FIRST, finding: findings::OPEN };

/// On paper: the facts that report.css keeps.
pub(super) const PRINTED: Led = Led { answer: 2, finding: 0 };

/// Returns the facts that are linked.
pub(super) fn cited(
    led: Led,
    run: &Run,
    questions: &[Question<'_>],
    ranked: &[Ranked<'_>],
    foremost: &[Foremost<'_>],
    told: &[Line<'_>],
) -> BTreeSet<FactId> {
    let mut cited: BTreeSet<FactId> = BTreeSet::new();
    for question in questions {
        match &question.stands {
            Stands::Answered(facts) => cited.extend(facts.iter().take(led.answer)),
            Stands::Searched { .. } => {
                cited.extend(reach::logs(run, question.objective).iter().map(|(log, _)| log.id));
            }
            Stands::Seen { .. } | Stands::Partly { .. } | Stands::CannotBeTold(_) | Stands::NotAsked => {}
        }
    }
    for finding in ranked.iter().take(FIRST) {
        let facts = &finding.facts;
        let open = if facts.len() <= 1 + led.finding { facts.len() } else { 1 };
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
