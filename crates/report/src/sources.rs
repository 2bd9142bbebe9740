//! On how many sources a statement rests: one rule for statements, answers and findings.
//!
//! What is told rests on one source where everything that it cites was read from one file of each piece of evidence, and no other kind of source names the same thing.
//! Pieces of evidence do not bear each other out: they may be of different computers.

use crate::story::Line;
use graph::{Question, Ranked, Run};
use ledger::{FactId, NodeId};
use std::collections::BTreeSet;

/// The words for something told that does.
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

    /// How many statements, answers and findings rest on one source, each of how many.
    fn count(
        &self,
        run: &Run,
        questions: &[Question<'_>],
        told: &[Line<'_>],
        ranked: &[Ranked<'_>],
    ) -> [(usize, usize, &'static str); 3] {
        let statements = told.iter().filter(|told| self.is_single(run, [told.statement.node]));
        let facts = questions.iter().filter(|it| it.is_of_case()).map(|it| it.stands.facts());
        let answers: Vec<_> = facts.filter(|facts| !facts.is_empty()).collect();
        let single = answers.iter().filter(|facts| self.is_single_of(run, facts));
        let findings = ranked.iter().filter(|it| self.is_single_of(run, &it.phenomenon.facts));
        [
            (statements.count(), told.len(), "statements"),
            (single.count(), answers.len(), "answers"),
            (findings.count(), ranked.len(), "findings"),
        ]
    }

    /// The counts in one line.
    pub(crate) fn line(
        &self,
        run: &Run,
        questions: &[Question<'_>],
        told: &[Line<'_>],
        ranked: &[Ranked<'_>],
    ) -> String {
        let [statements, answers, findings] = self
            .count(run, questions, told, ranked)
            .map(|(single, all, what)| format!("{single} of {all} {what}"));
        format!("{statements}, {answers} and {findings} have one source only")
    }
}
