//! The confusion table: the answers of the gateway and of other rule sets to the claims, by kind.

use super::GateBenchRequest;
use super::kinds::{KINDS, Kind, Side};
use super::rulesets::RuleSet;
use super::seed::Seeded;
use super::told::LeftOut;
use super::verdict::{Court, Ending, Judged};
use ledger::Claim;
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of seeding one run.
#[derive(Debug, Clone, Serialize)]
pub struct GateBench {
    /// The name of the run.
    pub run: String,
    /// The number of judged claims; fewer than requested if the run has no further distinct ones.
    pub claims: usize,
    /// Totals over all kinds.
    pub totals: Totals,
    /// Each kind in order, including those without claims.
    pub kinds: Vec<KindResult>,
    /// What the rule sets let pass, over all kinds.
    pub rulesets: Vec<RuleSetResult>,
    /// Undesired answers, with examples if they were requested.
    pub wrong: Vec<WrongAnswer>,
}

/// Totals over all kinds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Totals {
    /// The number of true claims.
    pub truths: usize,
    /// The number of true claims that were accepted at the right place.
    pub true_accepts: usize,
    /// The percentage of accepted claims among the true claims with a single place; `None` if there are none.
    pub true_accept_percent: Option<f64>,
    /// The same percentage among those that cite the call they were read from.
    pub cited_accept_percent: Option<f64>,
    /// The same percentage among those that cite another call, or none.
    pub miscited_accept_percent: Option<f64>,
    /// The number of true claims refused as ambiguous for which the scan also finds several places.
    pub ambiguous: usize,
    /// The number of true claims accepted at another place than they were read from.
    pub wrong_places: usize,
    /// The number of false claims.
    pub falsehoods: usize,
    /// The number of false claims that were accepted.
    pub false_accepts: usize,
    /// The number of claims that omit something that changes their meaning.
    pub omissions: usize,
    /// The number of these that were accepted without the omitted part.
    pub untold: usize,
}

/// The results of the claims of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct KindResult {
    /// Its name.
    pub kind: &'static str,
    /// The expected result of its claims.
    pub expected: Side,
    /// For true claims: whether they cite another call than they were read from, or none.
    pub miscited: bool,
    /// The number of claims.
    pub claims: usize,
    /// What the run lacks for this kind; `None` if there are claims.
    pub lacks: Option<&'static str>,
    /// The number of accepted claims, right or wrong.
    pub accepted: usize,
    /// True claims accepted at the right place with a corrected citation.
    pub healed_right: usize,
    /// True claims accepted at a wrong place.
    pub healed_wrong: usize,
    /// True claims refused as ambiguous.
    pub ambiguous: usize,
    /// Those of them for which the scan also finds several places.
    pub ambiguous_agreed: usize,
    /// Omissions accepted with the omitted part added.
    pub told: usize,
    /// Claims refused for other reasons.
    pub refused: usize,
    /// Refused claims by code.
    pub codes: BTreeMap<&'static str, usize>,
    /// Claims that each rule set let pass, by its name.
    pub passed: BTreeMap<String, usize>,
}

/// What a rule set let pass.
#[derive(Debug, Clone, Serialize)]
pub struct RuleSetResult {
    /// The name of the rule set.
    pub name: String,
    /// The number of true claims that it let pass.
    pub truths: usize,
    /// The number of false claims that it let pass.
    pub falsehoods: usize,
    /// The number of omissions that it let pass.
    pub omissions: usize,
}

/// A kind of undesired answer.
#[derive(Debug, Clone, Serialize)]
pub struct WrongAnswer {
    /// The kind of its claims.
    pub kind: &'static str,
    /// The result of these claims.
    pub ending: Ending,
    /// The code of the refusal; `None` if they were accepted.
    pub code: Option<&'static str>,
    /// The number of these claims.
    pub claims: usize,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// A claim with an undesired answer.
#[derive(Debug, Clone, Serialize)]
pub struct Example {
    /// The task against whose shelf it was judged.
    pub task: String,
    /// The claim, under the name of its form.
    #[serde(flatten)]
    pub claim: Claim,
    /// A description of the material that was made up for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
    /// The expected result.
    pub expected: String,
    /// The code of the refusal; `None` if it was accepted.
    pub code: Option<&'static str>,
    /// The gateway's reason, or where it found the claim.
    pub verdict: String,
}

impl GateBench {
    pub(super) fn new(
        court: &Court<'_>,
        request: &GateBenchRequest,
        seeded: &[Vec<Seeded>],
        judged: &[Vec<Option<Judged>>],
    ) -> GateBench {
        let (mut kinds, mut wrong) = (Vec::new(), Vec::new());
        for ((kind, seeded), judged) in KINDS.iter().zip(seeded).zip(judged) {
            kinds.push(of_kind(kind, judged, court.sets));
            wrong.extend(wrong_answers(court, kind, seeded, judged, request.examples));
        }
        GateBench {
            run: court.material.run.clone(),
            claims: kinds.iter().map(|kind| kind.claims).sum(),
            totals: totals(&kinds),
            rulesets: court.sets.iter().map(|set| of_set(set, &kinds)).collect(),
            kinds,
            wrong,
        }
    }

    /// Whether no false claim was accepted, nothing was accepted at a wrong place, and no omission was accepted without the omitted part.
    pub fn holds(&self) -> bool {
        let totals = &self.totals;
        (totals.false_accepts, totals.wrong_places, totals.untold) == (0, 0, 0)
    }
}

fn of_kind(kind: &'static Kind, judged: &[Option<Judged>], sets: &[RuleSet]) -> KindResult {
    let judged: Vec<&Judged> = judged.iter().flatten().collect();
    let ended = |endings: &[Ending]| judged.iter().filter(|it| endings.contains(&it.ending)).count();
    let mut codes = BTreeMap::new();
    for code in judged.iter().filter_map(|it| it.code) {
        *codes.entry(code.name()).or_default() += 1;
    }
    let passed = |(place, set): (usize, &RuleSet)| {
        let passed = judged.iter().filter(|it| it.passed.get(place) == Some(&true)).count();
        (set.name.clone(), passed)
    };
    KindResult {
        kind: kind.name,
        expected: kind.side,
        miscited: kind.miscited,
        claims: judged.len(),
        lacks: judged.is_empty().then_some(kind.needs),
        accepted: judged.iter().filter(|it| it.code.is_none()).count(),
        healed_right: ended(&[Ending::Healed]),
        healed_wrong: ended(&[Ending::WrongPlace]),
        ambiguous: ended(&[Ending::Ambiguous, Ending::NotAmbiguous]),
        ambiguous_agreed: ended(&[Ending::Ambiguous]),
        told: ended(&[Ending::Told]),
        refused: ended(&[Ending::TruthRefused, Ending::FalsehoodRefused]),
        codes,
        passed: sets.iter().enumerate().map(passed).collect(),
    }
}

fn totals(kinds: &[KindResult]) -> Totals {
    let mut totals = Totals::default();
    for kind in kinds {
        match kind.expected {
            Side::Truth => {
                totals.truths += kind.claims;
                totals.true_accepts += kind.accepted - kind.healed_wrong;
                totals.ambiguous += kind.ambiguous_agreed;
                totals.wrong_places += kind.healed_wrong;
            }
            Side::Falsehood => {
                totals.falsehoods += kind.claims;
                totals.false_accepts += kind.accepted;
            }
            Side::Omission => {
                totals.omissions += kind.claims;
                totals.untold += kind.accepted - kind.told;
            }
        }
    }
    let accepted_of = |which: &dyn Fn(&KindResult) -> bool| {
        let truths = kinds.iter().filter(|kind| kind.expected == Side::Truth && which(kind));
        let accepted = truths.clone().map(|kind| kind.accepted - kind.healed_wrong).sum();
        percent(accepted, truths.map(|kind| kind.claims - kind.ambiguous_agreed).sum())
    };
    totals.true_accept_percent = accepted_of(&|_| true);
    totals.cited_accept_percent = accepted_of(&|kind| !kind.miscited);
    totals.miscited_accept_percent = accepted_of(&|kind| kind.miscited);
    totals
}

/// Returns a percentage rounded to hundredths; `None` if `whole` is 0.
pub(super) fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 100.0)
}

fn of_set(set: &RuleSet, kinds: &[KindResult]) -> RuleSetResult {
    let passed = |side: Side| {
        let of_side = kinds.iter().filter(|kind| kind.expected == side);
        of_side.filter_map(|kind| kind.passed.get(&set.name)).sum()
    };
    RuleSetResult {
        name: set.name.clone(),
        truths: passed(Side::Truth),
        falsehoods: passed(Side::Falsehood),
        omissions: passed(Side::Omission),
    }
}

fn wrong_answers(
    court: &Court<'_>,
    kind: &'static Kind,
    seeded: &[Seeded],
    judged: &[Option<Judged>],
    most: usize,
) -> Vec<WrongAnswer> {
    let mut wrong: BTreeMap<(Ending, Option<&str>), WrongAnswer> = BTreeMap::new();
    for (seeded, judged) in seeded.iter().zip(judged) {
        let Some(judged) = judged.as_ref().filter(|judged| judged.ending.is_wrong()) else { continue };
        let code = judged.code.map(|code| code.name());
        let (kind_name, ending) = (kind.name, judged.ending);
        let empty = WrongAnswer { kind: kind_name, ending, code, claims: 0, examples: Vec::new() };
        let answer = wrong.entry((judged.ending, code)).or_insert(empty);
        answer.claims += 1;
        if answer.examples.len() < most {
            answer.examples.push(example(court, kind.side, seeded, judged));
        }
    }
    wrong.into_values().collect()
}

fn example(court: &Court<'_>, side: Side, seeded: &Seeded, judged: &Judged) -> Example {
    let task = court.material.task(seeded.task);
    let scan = court.scans.get(seeded.task);
    let place = seeded.read_from.and_then(|place| scan?.get(place));
    Example {
        task: task.map(|task| task.task.to_string()).unwrap_or_default(),
        claim: seeded.posed.claim(),
        over: seeded.posed.over(),
        expected: match (side, place) {
            (Side::Truth, Some(seen)) => {
                format!("accepted: {} of {}", seen.record.id, seen.invocation)
            }
            (Side::Truth, None) => "accepted".to_owned(),
            (Side::Falsehood, _) => "refused".to_owned(),
            (Side::Omission, _) => {
                let left_out = seeded.left_out.as_ref().map(LeftOut::words).unwrap_or_default();
                format!("refused, or accepted with {left_out}")
            }
        },
        code: judged.code.map(|code| code.name()),
        verdict: judged.words.clone(),
    }
}
