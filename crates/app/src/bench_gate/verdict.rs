//! Compares the gateway's answer to a seeded claim with what is known about the claim.

use super::kinds::Side;
use super::material::Material;
use super::posed::{Posed, Searched};
use super::rulesets::{RuleSet, passes};
use super::scan::{Scan, Seen};
use super::seed::Seeded;
use super::text::RunText;
use ground::{AbsenceVerdict, Adding, Basis, DerivationVerdict, Verdict, judge_derivation};
use ledger::{
    AbsenceEntry, AbsenceId, DerivationEntry, DerivationId, FactEntry, FactId, Rejection, RejectionCode,
};
use serde::Serialize;

/// The result of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A true claim was accepted with its citation unchanged.
    Accepted,
    /// A true claim was accepted with a corrected citation.
    Healed,
    /// A true claim was accepted at another place than it was read from.
    WrongPlace,
    /// A true claim was refused as ambiguous, and the scan also finds several places.
    Ambiguous,
    /// A true claim was refused as ambiguous, but the scan finds only one place.
    NotAmbiguous,
    /// A true claim was refused for another reason.
    TruthRefused,
    /// A false claim or an omission was refused.
    FalsehoodRefused,
    /// A false claim was accepted.
    FalseAccept,
    /// An omission was accepted with the omitted part added.
    Told,
    /// An omission was accepted without the omitted part.
    Untold,
}

impl Ending {
    /// Whether the gateway made an error: it accepted something that is not so.
    pub(super) const fn is_error(self) -> bool {
        match self {
            Ending::WrongPlace | Ending::FalseAccept | Ending::Untold => true,
            Ending::Accepted
            | Ending::Healed
            | Ending::Ambiguous
            | Ending::NotAmbiguous
            | Ending::TruthRefused
            | Ending::FalsehoodRefused
            | Ending::Told => false,
        }
    }

    /// Whether the result is undesired.
    pub(super) const fn is_wrong(self) -> bool {
        self.is_error() || matches!(self, Ending::NotAmbiguous | Ending::TruthRefused)
    }
}

/// The result of a claim, and its reasons.
pub(super) struct Judged {
    pub(super) ending: Ending,
    pub(super) code: Option<RejectionCode>,
    /// The gateway's reason, or where it found the claim; only for undesired results.
    pub(super) words: String,
    /// Which rule sets let it pass, in the order of the sets.
    pub(super) passed: Vec<bool>,
}

/// What claims are judged with.
pub(super) struct Court<'m> {
    pub(super) material: &'m Material,
    pub(super) scans: &'m [Scan<'m>],
    /// The texts of the run, then of each world.
    pub(super) texts: &'m [RunText],
    pub(super) sets: &'m [RuleSet],
}

/// The gateway's answer to a claim of any form.
enum Answer {
    Fact { fact: Box<FactEntry>, healed: bool },
    Absence(AbsenceEntry),
    Derivation(DerivationEntry),
    Refused(Rejection),
}

/// Judges a claim; `None` if its task does not exist.
pub(super) fn judge(court: &Court<'_>, side: Side, seeded: &Seeded) -> Option<Judged> {
    let scan = court.scans.get(seeded.task)?;
    let answer = answer(court, seeded)?;
    let (code, gateway) = match &answer {
        Answer::Refused(rejection) => (Some(rejection.code), false),
        Answer::Fact { .. } | Answer::Absence(_) | Answer::Derivation(_) => (None, true),
    };
    let ending = ending(court, scan, side, seeded, &answer);
    let words = if ending.is_wrong() { answer.words() } else { String::new() };
    let text = court.texts.get(seeded.task / court.material.tasks.len().max(1))?;
    let wording = seeded.posed.wording();
    let passed = court.sets.iter().map(|set| passes(set, &wording, text, gateway)).collect();
    Some(Judged { ending, code, words, passed })
}

fn answer(court: &Court<'_>, seeded: &Seeded) -> Option<Answer> {
    let task = court.material.task(seeded.task)?;
    let ids = &court.material.setting.ids;
    Some(match &seeded.posed {
        Posed::Reading(reading) => {
            let id = FactId::assign(ids, task.task, 0).ok()?;
            match court.material.bench.judge(reading, id, &task.shelf) {
                Verdict::Grounded { fact, healing } => {
                    Answer::Fact { fact: Box::new(fact.into_entry()), healed: healing.is_some() }
                }
                Verdict::Refused(rejection) => Answer::Refused(rejection),
            }
        }
        Posed::Absence { claim, searches } => {
            let id = AbsenceId::assign(ids, task.task, 0).ok()?;
            match court.material.bench.judge_absence(claim, id, &Searched::shelf(searches)) {
                AbsenceVerdict::Covered(covered) => Answer::Absence(covered.into_entry()),
                AbsenceVerdict::Refused(rejection) => Answer::Refused(rejection),
            }
        }
        Posed::Derivation { derivation, facts, clocks } => {
            let id = DerivationId::assign(ids, task.task, 0).ok()?;
            // Judges by the rules of this version, whatever rules the run itself had.
            let basis =
                Basis { adding: Adding::Disjoint, follows_dots: true, clocks: Some(clocks.iter().collect()) };
            match judge_derivation(derivation, id, &basis, |id| facts.iter().find(|fact| fact.id == id)) {
                DerivationVerdict::Derived(derived) => Answer::Derivation(derived.into_entry()),
                DerivationVerdict::Refused(rejection) => Answer::Refused(rejection),
            }
        }
    })
}

fn ending(court: &Court<'_>, scan: &Scan<'_>, side: Side, seeded: &Seeded, answer: &Answer) -> Ending {
    match (side, answer) {
        (Side::Truth, Answer::Refused(rejection)) if rejection.code == RejectionCode::Ambiguous => {
            if has_several(court, scan, seeded) {
                Ending::Ambiguous
            } else {
                Ending::NotAmbiguous
            }
        }
        (Side::Truth, Answer::Refused(_)) => Ending::TruthRefused,
        (Side::Truth, Answer::Fact { fact, healed }) if !is_right(scan, seeded, fact, *healed) => {
            Ending::WrongPlace
        }
        (Side::Truth, Answer::Fact { healed: true, .. }) => Ending::Healed,
        (Side::Truth, _) => Ending::Accepted,
        (Side::Falsehood | Side::Omission, Answer::Refused(_)) => Ending::FalsehoodRefused,
        (Side::Falsehood, _) => Ending::FalseAccept,
        (Side::Omission, answer) => {
            let is_told = seeded.left_out.as_ref().is_some_and(|left_out| match answer {
                Answer::Fact { fact, .. } => left_out.is_told_by(seeded.task, fact, &court.material.counts),
                Answer::Absence(absence) => left_out.is_told_by_absence(absence),
                Answer::Derivation(_) | Answer::Refused(_) => false,
            });
            if is_told { Ending::Told } else { Ending::Untold }
        }
    }
}

impl Answer {
    fn words(&self) -> String {
        match self {
            Answer::Fact { fact, healed } => told(fact, *healed),
            Answer::Absence(absence) => absence.absence.to_string(),
            Answer::Derivation(entry) => {
                let clocks: Vec<String> = entry.clocks.iter().map(ToString::to_string).collect();
                format!("derived, by the clocks of {}", clocks.join(", "))
            }
            Answer::Refused(rejection) => rejection.reason.clone(),
        }
    }
}

/// Whether the fact is about the record that the reading was taken from.
///
/// If several records of the cited output fit, one that matches byte for byte may
/// win; it counts if the scan finds it too and the citation was not healed.
fn is_right(scan: &Scan<'_>, seeded: &Seeded, fact: &FactEntry, healed: bool) -> bool {
    let read_from = seeded.read_from.and_then(|place| scan.get(place));
    let own = read_from.is_some_and(|seen| is_evidence(&seen, fact));
    own || !healed
        && seeded
            .posed
            .reading()
            .map(|reading| scan.places(reading))
            .unwrap_or_default()
            .into_iter()
            .filter_map(|place| scan.get(place))
            .any(|seen| seen.invocation == fact.invocation && seen.record.id == fact.record)
}

/// Whether a fact is about the place of this record, with its values.
fn is_evidence(seen: &Seen<'_>, fact: &FactEntry) -> bool {
    let stands = |bound: &ledger::BoundValue| {
        seen.record.fields.get(&bound.field).is_some_and(|field| field.value == bound.value)
    };
    seen.record.kind == fact.kind
        && seen.record.locator == fact.locator
        && stands(&fact.subject)
        && fact.values.iter().all(stands)
}

/// Whether the scan finds the reading at several places of the evidence, or with several values at one place.
///
/// The scope of a record type distinguishes records of one place: two counts of one file differ in what they have counted.
fn has_several(court: &Court<'_>, scan: &Scan<'_>, seeded: &Seeded) -> bool {
    let Some(reading) = seeded.posed.reading() else { return false };
    let places = scan.proofs(reading);
    let mut seen = places.into_iter().filter_map(|place| scan.get(place));
    let Some(first) = seen.next() else { return false };
    let same = |other: &Seen<'_>| {
        let field = |name: &String| {
            let value = |seen: &Seen<'_>| seen.record.fields.get(name).map(|field| field.value.clone());
            value(&first) == value(other)
        };
        let scope = court.material.bench.types().get(&first.record.kind).map(|kind| kind.scope.as_slice());
        first.record.locator == other.record.locator
            && first.subject == other.subject
            && scope.unwrap_or_default().iter().all(field)
            && reading.values.iter().filter_map(|value| value.field.as_ref()).all(field)
    };
    !seen.all(|other| same(&other))
}

fn told(fact: &FactEntry, healed: bool) -> String {
    let how = if healed { "healed to" } else { "found in" };
    let values: Vec<String> = fact
        .values
        .iter()
        .map(|bound| format!("{} = {:?} ({:?})", bound.field, bound.value.to_text(), bound.tier))
        .collect();
    format!("{how} {} of {}: {}", fact.record, fact.invocation, values.join(", "))
}
