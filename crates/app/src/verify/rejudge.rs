//! Computes every verdict again: runs the gateway over the stored claims and outputs.

use super::handed::Handing;
use crate::judge::Bench;
use engine::Setting;
use ground::{
    AbsenceVerdict, Citable, DerivationVerdict, Known, SentenceVerdict, Shelf, StatementVerdict, Verdict,
    judge_derivation, judge_sentence, judge_statement,
};
use ledger::event::{ClaimSubmitted, InvocationStarted, RecordRange, RunOpened};
use ledger::{
    AbsenceEntry, AbsenceId, Claim, ClaimId, ClockListing, DerivationEntry, DerivationId, Digest, Event,
    FactEntry, FactId, InvocationId, Output, Reading, SentenceId, StatementId, Stream, TaskId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The result of judging a run's claims again.
pub(super) struct Rejudged {
    /// The number of verdicts that are the same.
    pub(super) same: u64,
    /// Claims whose verdict differs, and how.
    pub(super) other: Vec<(ClaimId, String)>,
}

/// Judges every claim of `events` again, each against what its task had seen by then.
pub(super) fn rejudge<'e>(
    opened: &RunOpened,
    events: impl Iterator<Item = (Stream, &'e Event)>,
    outputs: &BTreeMap<Digest, Arc<Output>>,
    tasks: &[TaskId],
) -> Rejudged {
    let bench = Bench::new(opened);
    let setting = Setting::new(opened.rules.clone(), opened.seed, &opened.tools, tasks)
        .with_behaviours(|behaviour| opened.behaviour.contains(&behaviour.into()));
    let mut rejudged = Rejudged { same: 0, other: Vec::new() };
    let mut folds: BTreeMap<TaskId, TaskFold> = BTreeMap::new();
    let (mut handing, mut recorded) = (Handing::default(), BTreeMap::<TaskId, Recorded>::new());
    for (stream, event) in events {
        handing.apply(stream, event);
        let Stream::Task(task) = stream else { continue };
        let fold = folds.entry(task).or_default();
        if let Some(claim) = verdict_of(event) {
            match fold.verdict.take() {
                Some((judged, verdict)) if judged == claim && same(&verdict, event, recorded.get(&task)) => {
                    rejudged.same += 1
                }
                Some((judged, verdict)) if judged == claim => {
                    rejudged.other.push((claim, describe(&verdict)));
                }
                Some(_) | None => rejudged.other.push((claim, "no claim waited for this verdict".to_owned())),
            }
        }
        if let Some(claim) = fold.unjudged(event) {
            rejudged.other.push((claim, "it was never judged".to_owned()));
        }
        let known = || handing.of(task).filter_map(|task| recorded.get(&task)).collect::<Vec<_>>();
        match event {
            Event::ClaimSubmitted(submitted) => fold.judge(task, submitted, &setting, &bench, &known()),
            event => {
                let clocks = fold.apply(event, outputs);
                recorded.entry(task).or_default().clocks.extend(clocks);
            }
        }
        recorded.entry(task).or_default().take(event);
    }
    rejudged
}

/// What one task has recorded.
#[derive(Default)]
struct Recorded {
    facts: BTreeMap<FactId, FactEntry>,
    absences: Vec<AbsenceEntry>,
    derivations: Vec<DerivationEntry>,
    /// The clock set-backs that its calls have listed.
    clocks: Vec<ClockListing>,
}

impl Recorded {
    fn take(&mut self, event: &Event) {
        match event {
            Event::ClaimAccepted(accepted) => {
                self.facts.insert(accepted.fact.id, accepted.fact.clone());
            }
            Event::AbsenceAccepted(accepted) => self.absences.push(accepted.absence.clone()),
            Event::DerivationAccepted(accepted) => self.derivations.push(accepted.derivation.clone()),
            _ => {}
        }
    }

    fn citable(&self) -> impl Iterator<Item = Citable<'_>> {
        let facts = self.facts.values().map(Citable::Fact);
        let absences = self.absences.iter().map(Citable::Absence);
        facts.chain(absences).chain(self.derivations.iter().map(Citable::Derivation))
    }
}

/// What one task had seen, and the verdict on its last claim.
#[derive(Default)]
struct TaskFold {
    shelf: Shelf,
    started: BTreeMap<InvocationId, InvocationStarted>,
    /// The last reading that was claimed.
    reading: Option<Reading>,
    claims: u32,
    verdict: Option<(ClaimId, Again)>,
}

/// The recomputed verdict on a claim.
enum Again {
    Reading(Verdict),
    Absence(AbsenceVerdict),
    Derivation(DerivationVerdict),
    Sentence(SentenceVerdict),
    Statement(StatementVerdict),
}

impl TaskFold {
    /// Returns the claim that still waits for its verdict when the task continues or ends without one.
    fn unjudged(&mut self, event: &Event) -> Option<ClaimId> {
        let goes_on =
            matches!(event, Event::ClaimSubmitted(_) | Event::TurnRequested(_) | Event::TaskEnded(_));
        self.verdict.take_if(|_| goes_on).map(|(claim, _)| claim)
    }

    /// Processes the next event; returns a listing of clock steps if the event ends one.
    fn apply(&mut self, event: &Event, outputs: &BTreeMap<Digest, Arc<Output>>) -> Option<ClockListing> {
        match event {
            Event::InvocationStarted(started) => {
                self.started.insert(started.invocation, started.clone());
            }
            Event::InvocationEnded(ended) => {
                if let Some(started) = self.started.remove(&ended.invocation) {
                    let output = ended.output.and_then(|digest| outputs.get(&digest).cloned());
                    let clocks = ClockListing::of(&started, ended, output.as_deref());
                    engine::hold(&mut self.shelf, &started, ended, output);
                    return clocks;
                }
            }
            Event::OutputPaged(paged) => {
                self.shelf.show(paged.invocation, paged.shown);
            }
            Event::Recalled(recalled) => {
                for shown in &recalled.shown {
                    self.shelf.show(shown.invocation, RecordRange::of(shown.record));
                }
            }
            Event::ClaimRejected(rejected) => {
                if let Some(reading) = self.reading.take() {
                    self.shelf.note_refused(&reading, rejected.rejection.code);
                }
            }
            _ => {}
        }
        None
    }

    /// Judges a claim against what its task had seen, and against what the task and those whose results it has received had recorded.
    fn judge(
        &mut self,
        task: TaskId,
        submitted: &ClaimSubmitted,
        setting: &Setting,
        bench: &Bench,
        known: &[&Recorded],
    ) {
        engine::cite(&mut self.shelf, setting, task, &submitted.stated);
        self.reading = match &submitted.stated {
            Claim::Reading(reading) => Some(reading.clone()),
            Claim::Absence(_) | Claim::Derivation(_) | Claim::Sentence(_) | Claim::Statement(_) => None,
        };
        let again = match &submitted.stated {
            Claim::Reading(reading) => FactId::assign(&setting.ids, task, self.claims)
                .map(|fact| Again::Reading(bench.judge(reading, fact, &self.shelf))),
            Claim::Absence(absence) => AbsenceId::assign(&setting.ids, task, self.claims)
                .map(|id| Again::Absence(bench.judge_absence(absence, id, &self.shelf))),
            Claim::Derivation(derivation) => {
                DerivationId::assign(&setting.ids, task, self.claims).map(|id| {
                    let fact = |id| known.iter().find_map(|recorded| recorded.facts.get(&id));
                    let basis = setting.basis(known.iter().flat_map(|recorded| &recorded.clocks));
                    Again::Derivation(judge_derivation(derivation, id, &basis, fact))
                })
            }
            Claim::Sentence(sentence) => SentenceId::assign(&setting.ids, task, self.claims).map(|id| {
                let known: Known<'_> = known.iter().flat_map(|recorded| recorded.citable()).collect();
                Again::Sentence(judge_sentence(sentence, id, &known, setting.telling()))
            }),
            Claim::Statement(statement) => StatementId::assign(&setting.ids, task, self.claims).map(|id| {
                let known: Known<'_> = known.iter().flat_map(|recorded| recorded.citable()).collect();
                Again::Statement(judge_statement(statement, id, &known))
            }),
        };
        self.verdict = again.ok().map(|again| (submitted.claim, again));
        self.claims += 1;
    }
}

fn verdict_of(event: &Event) -> Option<ClaimId> {
    match event {
        Event::ClaimAccepted(accepted) => Some(accepted.claim),
        Event::ClaimRepeated(repeated) => Some(repeated.claim),
        Event::AbsenceAccepted(accepted) => Some(accepted.claim),
        Event::DerivationAccepted(accepted) => Some(accepted.claim),
        Event::SentenceAccepted(accepted) => Some(accepted.claim),
        Event::StatementTold(told) => Some(told.claim),
        Event::ClaimRejected(rejected) => Some(rejected.claim),
        _ => None,
    }
}

fn same(again: &Again, stored: &Event, recorded: Option<&Recorded>) -> bool {
    match (again, stored) {
        (Again::Reading(Verdict::Grounded { fact, healing }), Event::ClaimAccepted(accepted)) => {
            *fact.entry() == accepted.fact && *healing == accepted.healing
        }
        (Again::Reading(Verdict::Grounded { fact, healing }), Event::ClaimRepeated(repeated)) => {
            let known = recorded.and_then(|recorded| recorded.facts.get(&repeated.fact));
            known.is_some_and(|known| known.says_the_same(fact.entry())) && *healing == repeated.healing
        }
        (Again::Absence(AbsenceVerdict::Covered(covered)), Event::AbsenceAccepted(accepted)) => {
            *covered.entry() == accepted.absence
        }
        (Again::Derivation(DerivationVerdict::Derived(derived)), Event::DerivationAccepted(accepted)) => {
            *derived.entry() == accepted.derivation
        }
        (Again::Sentence(SentenceVerdict::Told(told)), Event::SentenceAccepted(accepted)) => {
            *told.entry() == accepted.sentence
        }
        (Again::Statement(StatementVerdict::Told { statement, .. }), Event::StatementTold(told)) => {
            *statement.entry() == told.statement
        }
        (
            Again::Reading(Verdict::Refused(rejection))
            | Again::Absence(AbsenceVerdict::Refused(rejection))
            | Again::Derivation(DerivationVerdict::Refused(rejection))
            | Again::Sentence(SentenceVerdict::Refused(rejection))
            | Again::Statement(StatementVerdict::Refused(rejection)),
            Event::ClaimRejected(rejected),
        ) => *rejection == rejected.rejection,
        (
            Again::Reading(_)
            | Again::Absence(_)
            | Again::Derivation(_)
            | Again::Sentence(_)
            | Again::Statement(_),
            _,
        ) => false,
    }
}

fn describe(again: &Again) -> String {
    match again {
        Again::Reading(Verdict::Grounded { .. }) => {
            "judged again, it is grounded otherwise than the log says".to_owned()
        }
        Again::Absence(AbsenceVerdict::Covered(_)) => {
            "judged again, it is covered otherwise than the log says".to_owned()
        }
        Again::Derivation(DerivationVerdict::Derived(_)) => {
            "judged again, it is derived otherwise than the log says".to_owned()
        }
        Again::Sentence(SentenceVerdict::Told(_)) | Again::Statement(StatementVerdict::Told { .. }) => {
            "judged again, it is told otherwise than the log says".to_owned()
        }
        Again::Reading(Verdict::Refused(rejection))
        | Again::Absence(AbsenceVerdict::Refused(rejection))
        | Again::Derivation(DerivationVerdict::Refused(rejection))
        | Again::Sentence(SentenceVerdict::Refused(rejection))
        | Again::Statement(StatementVerdict::Refused(rejection)) => {
            format!("judged again, it is refused: {}", rejection.code)
        }
    }
}
