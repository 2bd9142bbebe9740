//! What the gateway made of a seeded claim, held against what is known of it.

use super::kinds::Side;
use super::material::Material;
use super::rulesets::{RuleSet, passes};
use super::scan::{Scan, Seen};
use super::seed::Seeded;
use super::text::RunText;
use ground::Verdict;
use ledger::{FactEntry, FactId, RejectionCode};
use serde::Serialize;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A truth was accepted as it was cited.
    Accepted,
    /// A truth was accepted, its citation put right.
    Healed,
    /// A truth was accepted at a place that is not the one it was read from.
    WrongPlace,
    /// A truth was refused as ambiguous, and the scan finds several places too.
    Ambiguous,
    /// A truth was refused as ambiguous, and the scan finds but one place.
    NotAmbiguous,
    /// A truth was refused for another reason.
    TruthRefused,
    /// A falsehood was refused.
    FalsehoodRefused,
    /// A falsehood was accepted.
    FalseAccept,
}

impl Ending {
    /// Whether the gateway erred: it let something in that is not so.
    pub(super) const fn is_error(self) -> bool {
        match self {
            Ending::WrongPlace | Ending::FalseAccept => true,
            Ending::Accepted
            | Ending::Healed
            | Ending::Ambiguous
            | Ending::NotAmbiguous
            | Ending::TruthRefused
            | Ending::FalsehoodRefused => false,
        }
    }

    /// Whether it is other than one would wish.
    pub(super) const fn is_wrong(self) -> bool {
        self.is_error() || matches!(self, Ending::NotAmbiguous | Ending::TruthRefused)
    }
}

/// A claim's ending and what led to it.
pub(super) struct Judged {
    pub(super) ending: Ending,
    pub(super) code: Option<RejectionCode>,
    /// The gateway's words, or where it found the claim; of wrong answers only.
    pub(super) words: String,
    /// Which rule sets let it pass, in their order.
    pub(super) passed: Vec<bool>,
}

/// What claims are judged with.
pub(super) struct Court<'m> {
    pub(super) material: &'m Material,
    pub(super) scans: &'m [Scan<'m>],
    pub(super) text: &'m RunText,
    pub(super) sets: &'m [RuleSet],
}

/// Judges a claim; `None` where its task is not there.
pub(super) fn judge(court: &Court<'_>, side: Side, seeded: &Seeded) -> Option<Judged> {
    let task = court.material.task(seeded.task)?;
    let scan = court.scans.get(seeded.task)?;
    let fact = FactId::assign(&court.material.setting.ids, task.task, 0).ok()?;
    let verdict = court.material.bench.judge(&seeded.reading, fact, &task.shelf);
    let (ending, code, words) = match &verdict {
        Verdict::Grounded { fact, healing } => {
            let (fact, healed) = (fact.entry(), healing.is_some());
            let ending = match side {
                Side::Falsehood => Ending::FalseAccept,
                Side::Truth if !is_right(scan, seeded, fact, healed) => Ending::WrongPlace,
                Side::Truth if healed => Ending::Healed,
                Side::Truth => Ending::Accepted,
            };
            (ending, None, ending.is_wrong().then(|| told(fact, healed)))
        }
        Verdict::Refused(rejection) => {
            let ending = match (side, rejection.code) {
                (Side::Falsehood, _) => Ending::FalsehoodRefused,
                (Side::Truth, RejectionCode::Ambiguous) if has_several(scan, seeded) => Ending::Ambiguous,
                (Side::Truth, RejectionCode::Ambiguous) => Ending::NotAmbiguous,
                (Side::Truth, _) => Ending::TruthRefused,
            };
            (ending, Some(rejection.code), ending.is_wrong().then(|| rejection.reason.clone()))
        }
    };
    let gateway = matches!(verdict, Verdict::Grounded { .. });
    let passed = court.sets.iter().map(|set| passes(set, &seeded.reading, court.text, gateway)).collect();
    Some(Judged { ending, code, words: words.unwrap_or_default(), passed })
}

/// Whether the fact is the evidence that the reading was taken from.
///
/// Of several records of the cited output, one that fits byte for byte may win: it is one the scan finds too, and nothing was healed.
fn is_right(scan: &Scan<'_>, seeded: &Seeded, fact: &FactEntry, healed: bool) -> bool {
    let read_from = seeded.read_from.and_then(|place| scan.get(place));
    let own = read_from.is_some_and(|seen| is_evidence(&seen, fact));
    own || !healed
        && scan
            .places(&seeded.reading)
            .into_iter()
            .filter_map(|place| scan.get(place))
            .any(|seen| seen.invocation == fact.invocation && seen.record.id == fact.record)
}

/// Whether a fact is about the place of this record, with the values that it has.
fn is_evidence(seen: &Seen<'_>, fact: &FactEntry) -> bool {
    let stands = |bound: &ledger::BoundValue| {
        seen.record.fields.get(&bound.field).is_some_and(|field| field.value == bound.value)
    };
    seen.record.kind == fact.kind
        && seen.record.locator == fact.locator
        && stands(&fact.subject)
        && fact.values.iter().all(stands)
}

/// Whether the scan finds the reading at several places of the evidence, or with several values at one.
fn has_several(scan: &Scan<'_>, seeded: &Seeded) -> bool {
    let places = scan.proofs(&seeded.reading);
    let mut seen = places.into_iter().filter_map(|place| scan.get(place));
    let Some(first) = seen.next() else { return false };
    let same = |other: &Seen<'_>| {
        let field = |name: &String| {
            let value = |seen: &Seen<'_>| seen.record.fields.get(name).map(|field| field.value.clone());
            value(&first) == value(other)
        };
        first.record.locator == other.record.locator
            && first.subject == other.subject
            && seeded.reading.values.iter().filter_map(|value| value.field.as_ref()).all(field)
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
