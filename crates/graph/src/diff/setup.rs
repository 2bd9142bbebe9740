//! Compares the inputs of two runs.

use crate::run::{Run, TaskView};
use ledger::{Digest, EvidenceKind, IntegrityLevel};
use std::collections::{BTreeMap, BTreeSet};

/// An input of a run that may differ in another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setup {
    /// The name of the case.
    Case,
    /// The labels, kinds and hashes of the evidence.
    Evidence,
    /// The version of Locard.
    Program,
    /// The format of the log.
    Format,
    /// The rules.
    Rules,
    /// The predicates and what proves them.
    Vocabulary,
    /// Which writers could have written what.
    Writers,
    /// The tools that are available.
    Tools,
    /// The behaviour flags.
    Behaviour,
    /// Whether tools ran in a sandbox.
    Confinement,
    /// The agents and their objectives.
    Agents,
    /// What decides the agents' steps.
    Models,
    /// What was recalled from earlier runs.
    Memory,
}

impl Setup {
    /// Returns its name in formats.
    pub const fn name(self) -> &'static str {
        match self {
            Setup::Case => "case",
            Setup::Evidence => "evidence",
            Setup::Program => "program",
            Setup::Format => "format",
            Setup::Rules => "rules",
            Setup::Vocabulary => "vocabulary",
            Setup::Writers => "writers",
            Setup::Tools => "tools",
            Setup::Behaviour => "behaviour",
            Setup::Confinement => "confinement",
            Setup::Agents => "agents",
            Setup::Models => "models",
            Setup::Memory => "memory",
        }
    }
}

/// Returns the inputs in which the two runs differ.
pub(super) fn setup(before: &Run, after: &Run) -> BTreeSet<Setup> {
    let (old, new) = (&before.opened, &after.opened);
    let other = [
        (Setup::Case, old.case.name != new.case.name),
        (Setup::Evidence, evidence(before) != evidence(after) || is_other(before, after)),
        (Setup::Program, old.program != new.program),
        (Setup::Format, old.format != new.format),
        (Setup::Rules, old.rules != new.rules),
        (Setup::Vocabulary, old.vocabulary != new.vocabulary),
        (Setup::Writers, old.writers != new.writers),
        (Setup::Tools, old.tools != new.tools),
        (Setup::Behaviour, old.behaviour != new.behaviour),
        (Setup::Confinement, old.confined != new.confined),
        (Setup::Agents, agents(before) != agents(after)),
        (Setup::Models, models(before) != models(after)),
        (Setup::Memory, old.remembered != new.remembered),
    ];
    other.into_iter().filter(|(_, other)| *other).map(|(what, _)| what).collect()
}

/// Returns the kind of each piece of evidence by label.
fn evidence(run: &Run) -> BTreeMap<&str, EvidenceKind> {
    run.opened.case.evidence.iter().map(|it| (it.label.as_str(), it.kind)).collect()
}

/// Checks whether a piece of evidence has a different hash in the other run; hashes of different levels cannot be compared.
fn is_other(before: &Run, after: &Run) -> bool {
    let hashes = |run: &Run| -> BTreeMap<(String, IntegrityLevel), Digest> {
        let hashed = run.integrity.iter();
        hashed.map(|it| ((it.evidence.clone(), it.integrity.level), it.integrity.sha256)).collect()
    };
    let after = hashes(after);
    hashes(before).iter().any(|(piece, hash)| after.get(piece).is_some_and(|other| other != hash))
}

/// Returns the prompt and objectives of each agent, in an order independent of their tasks.
fn agents(run: &Run) -> Vec<String> {
    sorted(run, |view| format!("{:?}", view.assigned.agent))
}

fn models(run: &Run) -> Vec<String> {
    sorted(run, |view| {
        let assigned = &view.assigned;
        format!("{:?}", (&assigned.agent.name, &assigned.model, assigned.model_digest))
    })
}

fn sorted(run: &Run, said: impl Fn(&TaskView) -> String) -> Vec<String> {
    let mut all: Vec<String> = run.tasks.values().map(said).collect();
    all.sort();
    all
}
