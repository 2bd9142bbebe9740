//! On how many sources a statement rests: one rule for sentences, answers and findings.
//!
//! A statement rests on one source where everything that it cites was read from one file of each piece of evidence, and no other kind of source names the same thing.
//! Pieces of evidence do not bear each other out: they may be of different computers.

use graph::{Placed, Ranked, Run, Stands};
use ledger::{FactId, NodeId};
use std::collections::BTreeSet;

/// The words for a statement that does.
pub(crate) const ONE: &str = "one source";

/// The facts of a run of which another kind of source names what they name.
#[derive(Debug, Default)]
pub(crate) struct Corroborated(BTreeSet<FactId>);

impl Corroborated {
    /// Those of a run.
    pub(crate) fn of(run: &Run) -> Corroborated {
        Corroborated(run.named_elsewhere())
    }

    /// Whether what rests on these nodes rests on one source.
    pub(crate) fn is_single(&self, run: &Run, cites: impl IntoIterator<Item = NodeId>) -> bool {
        let facts: Vec<FactId> = cites.into_iter().flat_map(|id| run.facts_of(id)).collect();
        !facts.iter().any(|fact| self.0.contains(fact)) && run.most_files(facts) == 1
    }

    /// The same of facts.
    pub(crate) fn is_single_of(&self, run: &Run, facts: &[FactId]) -> bool {
        self.is_single(run, facts.iter().copied().map(NodeId::Fact))
    }

    /// How many sentences, answers and findings rest on one source, each of how many.
    fn count(
        &self,
        run: &Run,
        told: &[Placed<'_>],
        ranked: &[Ranked<'_>],
    ) -> [(usize, usize, &'static str); 3] {
        let sentences = told.iter().filter(|told| self.is_single(run, told.sentence.cites.iter().copied()));
        let mut answers = (0, 0);
        for question in graph::questions(run) {
            if let Stands::Answered(facts) = &question.stands {
                answers.1 += 1;
                answers.0 += usize::from(self.is_single_of(run, facts));
            }
        }
        let findings = ranked.iter().filter(|it| self.is_single_of(run, &it.phenomenon.facts));
        [
            (sentences.count(), told.len(), "sentences"),
            (answers.0, answers.1, "answers"),
            (findings.count(), ranked.len(), "findings"),
        ]
    }

    /// The counts in one line.
    pub(crate) fn line(&self, run: &Run, told: &[Placed<'_>], ranked: &[Ranked<'_>]) -> String {
        let [sentences, answers, findings] =
            self.count(run, told, ranked).map(|(single, all, what)| format!("{single} of {all} {what}"));
        format!("{sentences}, {answers} and {findings} rest on one source")
    }
}
