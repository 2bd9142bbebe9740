//! Counts the sources that a statement is based on: one rule for statements, answers and findings.
//!
//! A statement has one source if everything it cites was read from one file in each piece of evidence,
//! and no other kind of source names the same thing.
//! Pieces of evidence do not corroborate each other: they may be of different computers.

use crate::story::Line;
use graph::{Question, Ranked, Run};
use ledger::{FactId, NodeId};
use std::collections::BTreeSet;

/// The words for a statement with a single source.
pub(crate) const ONE: &str = "one source";

/// The facts of a run that name a thing which another kind of source also names.
#[derive(Debug, Default)]
pub(crate) struct Corroborated(BTreeSet<FactId>);

impl Corroborated {
    /// Collects the corroborated facts of a run.
    pub(crate) fn of(run: &Run) -> Corroborated {
        Corroborated(run.named_elsewhere())
    }

    /// Checks whether a statement that is based on these nodes has one source.
    pub(crate) fn is_single(&self, run: &Run, cites: impl IntoIterator<Item = NodeId>) -> bool {
        let facts: Vec<FactId> = cites.into_iter().flat_map(|id| run.facts_of(id)).collect();
        !facts.iter().any(|fact| self.0.contains(fact)) && run.most_files(facts) == 1
    }

    /// Checks whether a statement that is based on these facts has one source.
    pub(crate) fn is_single_of(&self, run: &Run, facts: &[FactId]) -> bool {
        self.is_single(run, facts.iter().copied().map(NodeId::Fact))
    }

    /// Counts the statements, answers and findings with one source, each with the total.
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

    /// Returns the counts in one line.
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
