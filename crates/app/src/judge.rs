//! Glue: passes claims to the gateway.

use engine::{Input, Judgement};
use ground::{AbsenceVerdict, RecheckError, Searchable, Setting, Shelf, Verdict};
use ledger::event::RunOpened;
use ledger::{
    AbsenceClaim, AbsenceId, Behaviour, Coverage, FactEntry, FactId, GateRules, Output, Reading, RecordType,
    Vocabulary, Writers,
};
use std::collections::{BTreeMap, BTreeSet};

/// What every judgement of a run needs, taken from the run's first event.
pub(crate) struct Bench {
    rules: GateRules,
    vocabulary: Vocabulary,
    writers: Writers,
    types: BTreeMap<String, RecordType>,
    coverage: BTreeMap<String, Vec<Coverage>>,
    evidence: BTreeSet<String>,
    by_reference: bool,
    dated: bool,
    said_apart: bool,
}

impl Bench {
    pub(crate) fn new(opened: &RunOpened) -> Bench {
        let types = opened.tools.iter().flat_map(|tool| &tool.records);
        Bench {
            rules: opened.rules.gate.clone(),
            vocabulary: opened.vocabulary.clone(),
            writers: opened.writers.clone(),
            types: types.map(|kind| (kind.name.clone(), kind.clone())).collect(),
            coverage: opened.tools.iter().map(|tool| (tool.name.clone(), tool.covers.clone())).collect(),
            evidence: opened.case.evidence.iter().map(|piece| piece.label.clone()).collect(),
            by_reference: opened.behaviour.contains(&Behaviour::ByReference.into()),
            dated: opened.behaviour.contains(&Behaviour::DatedFirst.into()),
            said_apart: opened.behaviour.contains(&Behaviour::SaidApart.into()),
        }
    }

    /// Judges a reading against what its task has seen.
    pub(crate) fn judge(&self, reading: &Reading, fact: FactId, shelf: &Shelf) -> Verdict {
        let setting = Setting {
            rules: &self.rules,
            vocabulary: &self.vocabulary,
            types: &self.types,
            writers: &self.writers,
            by_reference: self.by_reference,
            dated: self.dated,
        };
        ground::judge(reading, fact, shelf, &setting)
    }

    /// Judges an absence against what its task has searched.
    pub(crate) fn judge_absence(&self, claim: &AbsenceClaim, id: AbsenceId, shelf: &Shelf) -> AbsenceVerdict {
        let searchable =
            Searchable { coverage: &self.coverage, evidence: &self.evidence, as_it_stands: self.said_apart };
        ground::judge_absence(claim, id, shelf, &searchable)
    }

    /// Judges whatever the engine asks for, against what its task has seen.
    pub(crate) fn answer(&self, judgement: &Judgement, shelf: &Shelf) -> Input {
        match judgement {
            Judgement::Reading { fact, reading, .. } => {
                Input::Judged(Box::new(self.judge(reading, *fact, shelf)))
            }
            Judgement::Absence { id, absence, .. } => {
                Input::AbsenceJudged(Box::new(self.judge_absence(absence, *id, shelf)))
            }
        }
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns what an empty result of each tool proves.
    pub(crate) fn coverage(&self) -> &BTreeMap<String, Vec<Coverage>> {
        &self.coverage
    }

    pub(crate) fn types(&self) -> &BTreeMap<String, RecordType> {
        &self.types
    }

    /// Checks a stored fact again.
    pub(crate) fn recheck(&self, fact: &FactEntry, output: &Output) -> Result<(), RecheckError> {
        ground::recheck(fact, output, &self.vocabulary, &self.types, &self.writers)
    }
}
