//! The confusion table: what the gateway and other rules made of the claims, by kind.

use super::GateBenchRequest;
use super::kinds::{KINDS, Kind, Side};
use super::rulesets::RuleSet;
use super::seed::Seeded;
use super::told::LeftOut;
use super::verdict::{Court, Ending, Judged};
use ledger::Claim;
use serde::Serialize;
use std::collections::BTreeMap;

/// What seeding one run came to.
#[derive(Debug, Clone, Serialize)]
pub struct GateBench {
    /// The run.
    pub run: String,
    /// Claims that were judged; fewer than asked for where the run has no more that differ.
    pub claims: usize,
    /// Over all kinds.
    pub totals: Totals,
    /// Each kind in its order, those without claims too.
    pub kinds: Vec<KindResult>,
    /// What the rule sets let pass, over all kinds.
    pub rulesets: Vec<RuleSetResult>,
    /// Answers that are other than one would wish, with examples where they were asked for.
    pub wrong: Vec<WrongAnswer>,
}

/// Sums over all kinds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Totals {
    /// True claims.
    pub truths: usize,
    /// True claims that were accepted at the right place.
    pub true_accepts: usize,
    /// Those in a hundred of the truths that have but one place; `None` without any.
    pub true_accept_percent: Option<f64>,
    /// The same of those truths that name the call they were read from.
    pub cited_accept_percent: Option<f64>,
    /// The same of those that name another call, or none.
    pub miscited_accept_percent: Option<f64>,
    /// True claims refused as ambiguous for which the scan finds several places too.
    pub ambiguous: usize,
    /// True claims accepted at a place that is not the one they were read from.
    pub wrong_places: usize,
    /// False claims.
    pub falsehoods: usize,
    /// False claims that were accepted.
    pub false_accepts: usize,
    /// Claims that leave out what turns them.
    pub omissions: usize,
    /// Those that were accepted as they were.
    pub untold: usize,
}

/// What became of the claims of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct KindResult {
    /// Its name.
    pub kind: &'static str,
    /// What is expected of its claims.
    pub expected: Side,
    /// Of truths: whether its claims name another call than they were read from, or none.
    pub miscited: bool,
    /// Claims.
    pub claims: usize,
    /// What the run lacks for it; `None` where there are claims.
    pub lacks: Option<&'static str>,
    /// Claims accepted, whether right or not.
    pub accepted: usize,
    /// Truths accepted at the right place with the citation put right.
    pub healed_right: usize,
    /// Truths accepted at a wrong place.
    pub healed_wrong: usize,
    /// Truths refused as ambiguous.
    pub ambiguous: usize,
    /// Those of them for which the scan finds several places too.
    pub ambiguous_agreed: usize,
    /// Omissions accepted with what they leave out put in.
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
    /// The rule set.
    pub name: String,
    /// Truths that it let pass.
    pub truths: usize,
    /// Falsehoods that it let pass.
    pub falsehoods: usize,
    /// Omissions that it let pass.
    pub omissions: usize,
}

/// An answer that is other than one would wish.
#[derive(Debug, Clone, Serialize)]
pub struct WrongAnswer {
    /// The kind of its claims.
    pub kind: &'static str,
    /// What became of them.
    pub ending: Ending,
    /// The code with which they were refused; `None` where they were accepted.
    pub code: Option<&'static str>,
    /// How many there are.
    pub claims: usize,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// A claim with a wrong answer.
#[derive(Debug, Clone, Serialize)]
pub struct Example {
    /// The task against whose shelf it was judged.
    pub task: String,
    /// The claim, under the name of its form.
    #[serde(flatten)]
    pub claim: Claim,
    /// What was made up for it to be judged over, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
    /// What should have become of it.
    pub expected: String,
    /// The code of the refusal; `None` where it was accepted.
    pub code: Option<&'static str>,
    /// What the gateway said, or where it found the claim.
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

    /// Whether no falsehood was accepted, nothing was put at a wrong place, and no omission went untold.
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

/// Rounded to hundredths; `None` of nothing.
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
