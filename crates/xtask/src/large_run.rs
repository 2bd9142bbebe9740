//! Generates a run with many facts, to measure what a reader's browser and our commands need for it.
//!
//! It uses the real engine, gateway and store, so that the run verifies; the model and the tools are scripted,
//! and nothing in it is from a real computer.

mod records;
mod script;

use app::RunError;
use ledger::event::{EvidenceHashed, TaskAssigned};
use ledger::{
    AgentSpec, Budgets, Condition, Digest, EvidenceEntry, EvidenceKind, Integrity, IntegrityLevel, Objective,
    Predicate, RecoveryRules, Rules, Surface, TaskId, ToolClass, Weight,
};
use records::Source;
use script::Script;
use std::fmt;
use std::path::Path;
use store::Options;
use testkit::recording::{Recording, RecordingError, opened};
use thiserror::Error;

/// The default number of facts in a run.
pub(crate) const FACTS: usize = 50_000;

/// The pieces of evidence.
const EVIDENCE: [(&str, EvidenceKind); 3] =
    [("ws-14", EvidenceKind::Image), ("fs-02", EvidenceKind::Archive), ("laptop-3", EvidenceKind::Image)];

/// The reason why the run could not be generated.
#[derive(Debug, Error)]
pub(crate) enum LargeRunError {
    #[error("record a large run")]
    Recording(#[from] RecordingError),
    #[error("write its manifest")]
    Manifest(#[from] RunError),
    #[error("follow its script: expected {expected} facts, found {found}")]
    Facts { expected: usize, found: usize },
}

/// Counts of what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    facts: usize,
    healed: usize,
    refused: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} facts, {} of them healed, {} claims refused", self.facts, self.healed, self.refused)
    }
}

/// Writes a sealed run with this many facts into a new folder.
pub(crate) fn write(folder: &Path, facts: usize) -> Result<Tally, LargeRunError> {
    let evidence = EVIDENCE.map(|(label, kind)| EvidenceEntry {
        in_place: Vec::new(),
        label: label.into(),
        kind,
        expected_sha256: None,
    });
    let opened = opened("large-run", evidence.into(), rules(), tools::catalogue())?;
    let recording = Recording::begin(folder, Options::default(), opened, tasks())?;
    let mut script = Script::new(facts);
    recording.live(&mut script)?;
    recording.seal(EVIDENCE.map(|(label, _)| hashed(label)).into())?;
    app::conclude(folder)?;
    let tally = script.tally();
    match tally.facts == facts {
        true => Ok(tally),
        false => Err(LargeRunError::Facts { expected: facts, found: tally.facts }),
    }
}

/// Returns rules under which no budget ends a task, there are no recoveries, and code asks nothing: the script decides everything.
fn rules() -> Rules {
    Rules {
        budgets: Budgets {
            investigate_turns: u32::MAX,
            rejected_claims: u32::MAX,
            accepted_facts: u32::MAX,
            ..Budgets::default()
        },
        recovery: RecoveryRules { attempts: 0, ..RecoveryRules::default() },
        sweep: false,
        ..Rules::default()
    }
}

fn hashed(label: &str) -> EvidenceHashed {
    let sha256 = Digest::of(label.as_bytes());
    let integrity = Integrity { level: IntegrityLevel::Full, sha256, files: 1, bytes: 1 << 36 };
    EvidenceHashed { evidence: label.to_owned(), integrity, as_expected: None, gaps: Vec::new() }
}

/// Returns a task for each source; the first one also tells the narrative, as a lead would.
fn tasks() -> Vec<TaskAssigned> {
    let task = |(number, source): (u16, &Source)| {
        let mut surface: Surface = [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite].into();
        if number == 1 {
            surface.insert(ToolClass::Dispatch);
        }
        let agent = AgentSpec {
            name: source.agent().to_owned(),
            prompt: "A script decides.".to_owned(),
            surface,
            tools: None,
            objectives: objectives(*source),
        };
        TaskAssigned::new(TaskId(number), agent, "scripted")
    };
    (1..).zip(&Source::ALL).map(task).collect()
}

/// Returns three objectives: one that many facts meet, one that few meet, and one that none meets.
fn objectives(source: Source) -> Vec<Objective> {
    let (predicate, record, subject) = source.says();
    let objective = |id: &str, question: &str, weight, pattern: &str| Objective {
        id: id.into(),
        question: question.into(),
        applies: None,
        weight,
        condition: Condition {
            predicate: Predicate(predicate.into()),
            record: record.into(),
            subject: pattern.into(),
            field: subject.into(),
            value: None,
            unless: None,
            earlier: None,
        },
        searched: Vec::new(),
        or: Vec::new(),
    };
    vec![
        objective("drivers", "Which of them belong to device drivers?", Weight::Context, "*driver*"),
        objective("scanner", "Is there a trace of the scanner?", Weight::Finding, "*scanner-1*7*"),
        objective("nothing", "Is there a trace of the other tool?", Weight::Finding, "*no-such-tool*"),
    ]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_as_many_facts_as_asked_for_and_verifies() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("large");
        let tally = write(&run, 700).unwrap();
        assert!(tally.facts == 700 && tally.healed > 0 && tally.refused > 0, "{tally}");
        let certificate = app::verify(&run);
        assert!(certificate.holds() && certificate.sealed && certificate.facts == 700, "{certificate:?}");
    }
}
