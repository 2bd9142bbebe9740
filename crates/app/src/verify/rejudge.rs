//! Every verdict again: the gateway over the stored claims and outputs.

use crate::judge::Bench;
use engine::Setting;
use ground::{AbsenceVerdict, DerivationVerdict, Shelf, Verdict, judge_derivation};
use ledger::event::{ClaimSubmitted, InvocationStarted, RecordRange, RunOpened};
use ledger::{
    AbsenceId, Claim, ClaimId, DerivationId, Digest, Event, FactEntry, FactId, InvocationId, Output, Reading,
    Stream, TaskId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What judging a run's claims again gave.
pub(super) struct Rejudged {
    /// Verdicts that came out the same.
    pub(super) same: u64,
    /// Claims whose verdict came out otherwise, and how.
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
    let setting = Setting::new(opened.rules.clone(), opened.seed, &opened.tools, tasks);
    let mut rejudged = Rejudged { same: 0, other: Vec::new() };
    let mut folds: BTreeMap<TaskId, TaskFold> = BTreeMap::new();
    for (stream, event) in events {
        let Stream::Task(task) = stream else { continue };
        let fold = folds.entry(task).or_default();
        if let Some(claim) = verdict_of(event) {
            match fold.verdict.take() {
                Some((judged, verdict)) if judged == claim && same(&verdict, event) => rejudged.same += 1,
                Some((judged, verdict)) if judged == claim => {
                    rejudged.other.push((claim, describe(&verdict)));
                }
                Some(_) | None => rejudged.other.push((claim, "no claim waited for this verdict".to_owned())),
            }
        }
        if let Some(claim) = fold.unjudged(event) {
            rejudged.other.push((claim, "it was never judged".to_owned()));
        }
        fold.apply(task, event, &setting, &bench, outputs);
    }
    rejudged
}

/// What one task had seen, and the verdict on its last claim.
#[derive(Default)]
struct TaskFold {
    shelf: Shelf,
    started: BTreeMap<InvocationId, InvocationStarted>,
    facts: BTreeMap<FactId, FactEntry>,
    /// The last reading that was claimed.
    reading: Option<Reading>,
    claims: u32,
    verdict: Option<(ClaimId, Again)>,
}

/// A claim's verdict, judged again.
enum Again {
    Reading(Verdict),
    Absence(AbsenceVerdict),
    Derivation(DerivationVerdict),
}

impl TaskFold {
    /// The claim that waits for its verdict where the task goes on, or ends, without one.
    fn unjudged(&mut self, event: &Event) -> Option<ClaimId> {
        let goes_on =
            matches!(event, Event::ClaimSubmitted(_) | Event::TurnRequested(_) | Event::TaskEnded(_));
        self.verdict.take_if(|_| goes_on).map(|(claim, _)| claim)
    }

    fn apply(
        &mut self,
        task: TaskId,
        event: &Event,
        setting: &Setting,
        bench: &Bench,
        outputs: &BTreeMap<Digest, Arc<Output>>,
    ) {
        match event {
            Event::InvocationStarted(started) => {
                self.started.insert(started.invocation, started.clone());
            }
            Event::InvocationEnded(ended) => {
                if let Some(started) = self.started.remove(&ended.invocation) {
                    let output = ended.output.and_then(|digest| outputs.get(&digest).cloned());
                    engine::hold(&mut self.shelf, &started, ended, output);
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
            Event::ClaimAccepted(accepted) => {
                self.facts.insert(accepted.fact.id, accepted.fact.clone());
            }
            Event::ClaimRejected(rejected) => {
                if let Some(reading) = self.reading.take() {
                    self.shelf.note_refused(&reading, rejected.rejection.code);
                }
            }
            Event::ClaimSubmitted(submitted) => self.judge(task, submitted, setting, bench),
            _ => {}
        }
    }

    fn judge(&mut self, task: TaskId, submitted: &ClaimSubmitted, setting: &Setting, bench: &Bench) {
        engine::cite(&mut self.shelf, setting, task, &submitted.stated);
        self.reading = match &submitted.stated {
            Claim::Reading(reading) => Some(reading.clone()),
            Claim::Absence(_) | Claim::Derivation(_) => None,
        };
        let again = match &submitted.stated {
            Claim::Reading(reading) => FactId::assign(&setting.ids, task, self.claims)
                .map(|fact| Again::Reading(bench.judge(reading, fact, &self.shelf))),
            Claim::Absence(absence) => AbsenceId::assign(&setting.ids, task, self.claims)
                .map(|id| Again::Absence(bench.judge_absence(absence, id, &self.shelf))),
            Claim::Derivation(derivation) => DerivationId::assign(&setting.ids, task, self.claims)
                .map(|id| Again::Derivation(judge_derivation(derivation, id, |fact| self.facts.get(&fact)))),
        };
        self.verdict = again.ok().map(|again| (submitted.claim, again));
        self.claims += 1;
    }
}

fn verdict_of(event: &Event) -> Option<ClaimId> {
    match event {
        Event::ClaimAccepted(accepted) => Some(accepted.claim),
        Event::AbsenceAccepted(accepted) => Some(accepted.claim),
        Event::DerivationAccepted(accepted) => Some(accepted.claim),
        Event::ClaimRejected(rejected) => Some(rejected.claim),
        _ => None,
    }
}

fn same(again: &Again, stored: &Event) -> bool {
    match (again, stored) {
        (Again::Reading(Verdict::Grounded { fact, healing }), Event::ClaimAccepted(accepted)) => {
            *fact.entry() == accepted.fact && *healing == accepted.healing
        }
        (Again::Absence(AbsenceVerdict::Covered(covered)), Event::AbsenceAccepted(accepted)) => {
            *covered.entry() == accepted.absence
        }
        (Again::Derivation(DerivationVerdict::Derived(derived)), Event::DerivationAccepted(accepted)) => {
            *derived.entry() == accepted.derivation
        }
        (
            Again::Reading(Verdict::Refused(rejection))
            | Again::Absence(AbsenceVerdict::Refused(rejection))
            | Again::Derivation(DerivationVerdict::Refused(rejection)),
            Event::ClaimRejected(rejected),
        ) => *rejection == rejected.rejection,
        (Again::Reading(_) | Again::Absence(_) | Again::Derivation(_), _) => false,
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
        Again::Reading(Verdict::Refused(rejection))
        | Again::Absence(AbsenceVerdict::Refused(rejection))
        | Again::Derivation(DerivationVerdict::Refused(rejection)) => {
            format!("judged again, it is refused: {}", rejection.code)
        }
    }
}
