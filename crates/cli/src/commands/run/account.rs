//! The outcome of each case, and the exit code for it.

use crate::arguments::FailOn;
use crate::commands::conditions;
use crate::failure::Failure;
use app::{Finished, Manifest};
use graph::{Judged, Run};
use ledger::event::{EvidenceHashed, TaskEnded, TaskStatus};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A requested case and its outcome.
pub(super) struct Asked {
    /// The path as it was typed.
    pub(super) case: PathBuf,
    pub(super) outcome: Outcome,
}

/// How a case ended.
pub(super) enum Outcome {
    Sealed(Box<Account>),
    Failed(Failure),
    /// The run in this folder was interrupted by a signal.
    Interrupted(PathBuf),
    /// The command was interrupted before this case began.
    NotBegun,
}

/// The numbers of a sealed run, and the texts that a summary shows.
pub(super) struct Account {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    /// The labels of evidence whose hash is not the one that the case gives.
    pub(super) mismatches: Vec<String>,
    pub(super) tasks: Vec<(String, TaskEnded)>,
    /// The names of the final sweeps, which search for answers to questions that agents left open.
    sweeps: BTreeSet<String>,
    pub(super) confined: bool,
    pub(super) numbers: Numbers,
    /// The number of facts whose citation was healed.
    pub(super) healed: usize,
    pub(super) summary: String,
    /// The cost of language models, one line for each agent.
    pub(super) costs: String,
    /// The same costs for programs, by agent.
    pub(super) cost_of: BTreeMap<String, Value>,
    pub(super) conditions: String,
    pub(super) warnings: Vec<String>,
    /// How many lessons of earlier runs its agents were given.
    pub(super) remembered: usize,
}

/// The numbers that can be added up over cases.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Numbers {
    pub(super) facts: usize,
    pub(super) refused: usize,
    /// The case's questions without an answer: open, or not answerable from the evidence.
    pub(super) unmet: usize,
    /// Of those, the open ones.
    pub(super) open: usize,
    pub(super) unexamined: usize,
    /// The number of places where evidence is damaged.
    pub(super) damaged: usize,
}

impl Outcome {
    /// The exit code; `stopped` is the signal's code, if one arrived.
    pub(super) fn code(&self, stopped: Option<u8>, fail_on: &[FailOn]) -> u8 {
        match self {
            Outcome::Sealed(account) => account.code(fail_on),
            Outcome::Failed(failure) => failure.code(),
            Outcome::Interrupted(_) | Outcome::NotBegun => stopped.unwrap_or(Failure::INTERRUPTED),
        }
    }
}

impl Account {
    pub(super) fn of(finished: Finished, run: &Run) -> Account {
        let claims = run.tasks.values().flat_map(|task| &task.claims);
        let healed = claims.filter(|claim| match &claim.judged {
            Some(Judged::Accepted(accepted)) => accepted.healing.is_some(),
            Some(Judged::Repeated(repeated)) => repeated.healing.is_some(),
            Some(
                Judged::Covered(_)
                | Judged::Derived(_)
                | Judged::Told(_)
                | Judged::Stated(_)
                | Judged::Rejected(_),
            )
            | None => false,
        });
        let questions = graph::questions(run);
        let of_case = || questions.iter().filter(|it| it.is_of_case());
        let is_unmet = |it: &&graph::Question<'_>| {
            it.stands.is_open() || matches!(it.stands, graph::Stands::CannotBeTold(_))
        };
        let numbers = Numbers {
            facts: run.facts().count(),
            refused: graph::refused_claims(run).len(),
            unmet: of_case().filter(is_unmet).count(),
            open: of_case().filter(|it| it.stands.is_open()).count(),
            unexamined: graph::unexamined(run).len(),
            damaged: graph::damage(run).len(),
        };
        let sweeps = run.tasks.values().filter(|task| task.assigned.sweep);
        let cost_of = run.tasks.values().map(|task| (task.assigned.agent.name.clone(), report::cost(task)));
        Account {
            healed: healed.count(),
            numbers,
            confined: run.opened.confined,
            summary: report::summary(run),
            costs: report::costs(run),
            cost_of: cost_of.collect(),
            conditions: conditions(run),
            warnings: mismatches(run),
            remembered: run.opened.remembered.iter().map(|of| of.lessons.len()).sum(),
            folder: finished.folder,
            manifest: finished.manifest,
            mismatches: finished.mismatches,
            tasks: finished.tasks,
            sweeps: sweeps.map(|task| task.assigned.agent.name.clone()).collect(),
        }
    }

    /// The highest code that applies, or 0.
    fn code(&self, fail_on: &[FailOn]) -> u8 {
        let mut code = if self.mismatches.is_empty() { 0 } else { Failure::USAGE };
        // A sweep's own status does not count: the questions it could not answer are reported as open.
        let of_agents = self.tasks.iter().filter(|(agent, _)| !self.sweeps.contains(agent));
        for (_, ended) in of_agents {
            code = code.max(task_code(ended.status));
        }
        for fail_on in fail_on {
            let (applies, its) = match fail_on {
                FailOn::Gaps => (self.numbers.unexamined + self.numbers.damaged > 0, 10),
                FailOn::Refused => (self.numbers.refused > 0, 20),
                FailOn::Unmet => (self.numbers.unmet > 0, 25),
                FailOn::Open => (self.numbers.open > 0, 25),
            };
            code = if applies { code.max(its) } else { code };
        }
        code
    }
}

fn task_code(status: TaskStatus) -> u8 {
    match status {
        TaskStatus::ModelFailed => Failure::MODEL,
        TaskStatus::BudgetSpent => Failure::BUDGET,
        TaskStatus::Completed | TaskStatus::Incomplete | TaskStatus::Cancelled => 0,
    }
}

impl std::ops::AddAssign for Numbers {
    fn add_assign(&mut self, other: Numbers) {
        self.facts += other.facts;
        self.refused += other.refused;
        self.unmet += other.unmet;
        self.open += other.open;
        self.unexamined += other.unexamined;
        self.damaged += other.damaged;
    }
}

/// A warning for each piece of evidence whose hash is not the one that the case gives.
fn mismatches(run: &Run) -> Vec<String> {
    let differ = run.integrity.iter().filter(|hashed| hashed.as_expected == Some(false));
    let warning = |hashed: &EvidenceHashed| {
        let entry = run.opened.case.evidence.iter().find(|entry| entry.label == hashed.evidence);
        let expected = entry.and_then(|entry| entry.expected_sha256);
        let expected = expected.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        format!(
            "warning: the evidence {} does not have the hash that the case gives: expected {expected}, found {}",
            hashed.evidence, hashed.integrity.sha256
        )
    };
    differ.map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_its_model_or_a_budget_ended_has_a_code_of_its_own() {
        let codes =
            [TaskStatus::Completed, TaskStatus::Incomplete, TaskStatus::ModelFailed, TaskStatus::BudgetSpent];
        assert_eq!(codes.map(task_code), [0, 0, 50, 60]);
    }

    #[test]
    fn a_case_that_was_stopped_ends_with_the_code_of_the_signal() {
        for (stopped, code) in [(Some(143), 143), (Some(130), 130)] {
            assert_eq!(Outcome::Interrupted(PathBuf::new()).code(stopped, &[]), code);
            assert_eq!(Outcome::NotBegun.code(stopped, &[]), code);
        }
    }
}
