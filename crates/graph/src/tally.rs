//! Counts of refused claims, over one run or several.

use crate::rejections::{Fate, refused_claims};
use crate::run::{ClaimView, Judged, Run, TaskView};
use ledger::{Claim, InvocationId, RejectionCode};
use std::collections::{BTreeMap, BTreeSet};

/// The outcomes of one kind of claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Claims that were judged.
    pub claims: u32,
    /// Those that were refused.
    pub refused: u32,
    /// Claims whose citation was healed; they are facts.
    pub healed: u32,
    /// Refused claims whose point was grounded later, by the number of claims that it took ([`Fate::Corrected`]).
    pub corrected: BTreeMap<u32, u32>,
    /// Refused claims whose point was not made again, or was never grounded.
    pub abandoned: u32,
    /// Wasted turns: such a claim was refused, no claim was accepted, and no tool ran.
    pub lost_turns: u32,
}

/// Counts of claims, grouped by various properties.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tallies {
    /// All claims.
    pub all: Tally,
    /// By the code of the refusal, or the code that a healing prevented.
    pub by_code: BTreeMap<RejectionCode, Tally>,
    /// By agent.
    pub by_agent: BTreeMap<String, Tally>,
    /// By what decided the agent's steps.
    pub by_model: BTreeMap<String, Tally>,
    /// By the tool of the cited invocation, or of the one that a healing substituted; `None` if no such invocation is known.
    pub by_tool: BTreeMap<Option<String>, Tally>,
    /// Tokens of all turns; `None` if no model was asked over a network.
    pub tokens: Option<u64>,
}

/// Counts the claims of `runs`.
pub fn tallies<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Tallies {
    let mut tallies = Tallies::default();
    for run in runs {
        let fates: BTreeMap<_, _> =
            refused_claims(run).iter().map(|refused| (refused.claim, refused.fate)).collect();
        for view in run.tasks.values() {
            if view.requests > 0 {
                let tokens = tallies.tokens.unwrap_or(0);
                tallies.tokens = Some(tokens.saturating_add(view.usage.tokens()));
            }
            let lost = lost_turns(view);
            let mut counted = Counted::default();
            for claim in &view.claims {
                let Some(kind) = Kind::of(run, view, claim) else { continue };
                let lost = lost.contains(&claim.submitted.turn) && kind.refused;
                let fate = fates.get(&claim.submitted.claim).copied();
                tallies.count(&kind, fate, lost.then_some(claim.submitted.turn), &mut counted);
            }
        }
    }
    tallies
}

/// The groups in which a judged claim is counted.
pub(crate) struct Kind<'a> {
    pub(crate) code: Option<RejectionCode>,
    agent: &'a str,
    model: &'a str,
    pub(crate) tool: Option<String>,
    pub(crate) refused: bool,
}

impl<'a> Kind<'a> {
    pub(crate) fn of(run: &Run, view: &'a TaskView, claim: &ClaimView) -> Option<Kind<'a>> {
        let (agent, model) = (view.assigned.agent.name.as_str(), view.assigned.model.as_str());
        let tool = |invocation: InvocationId| Some(run.invocation(invocation)?.1.started.tool.clone());
        match claim.judged.as_ref()? {
            Judged::Accepted(accepted) => {
                let code = accepted.healing.as_ref().map(|healing| healing.because);
                Some(Kind { code, agent, model, tool: tool(accepted.fact.invocation), refused: false })
            }
            Judged::Repeated(repeated) => {
                let code = repeated.healing.as_ref().map(|healing| healing.because);
                let tool = run.fact(repeated.fact).and_then(|fact| tool(fact.invocation));
                Some(Kind { code, agent, model, tool, refused: false })
            }
            Judged::Covered(covered) => {
                let tool = covered.absence.searches.first().copied().and_then(tool);
                Some(Kind { code: None, agent, model, tool, refused: false })
            }
            Judged::Derived(_) | Judged::Told(_) | Judged::Stated(_) => {
                Some(Kind { code: None, agent, model, tool: None, refused: false })
            }
            Judged::Rejected(rejection) => {
                let cited = match &claim.submitted.stated {
                    Claim::Reading(reading) => Some(&reading.invocation),
                    Claim::Absence(absence) => absence.searches.first(),
                    Claim::Derivation(_) | Claim::Sentence(_) | Claim::Statement(_) => None,
                };
                let tool = cited.and_then(|cited| cited.parse().ok()).and_then(tool);
                Some(Kind { code: Some(rejection.code), agent, model, tool, refused: true })
            }
        }
    }
}

/// The wasted turns of one task that were already counted, so that a turn with two refusals counts once.
#[derive(Default)]
struct Counted {
    all: BTreeSet<u32>,
    codes: BTreeSet<(RejectionCode, u32)>,
    tools: BTreeSet<(Option<String>, u32)>,
}

impl Tallies {
    fn count(&mut self, kind: &Kind<'_>, fate: Option<Fate>, lost: Option<u32>, counted: &mut Counted) {
        let first = lost.is_some_and(|turn| counted.all.insert(turn));
        self.all.add(kind, fate, first);
        self.by_agent.entry(kind.agent.to_owned()).or_default().add(kind, fate, first);
        self.by_model.entry(kind.model.to_owned()).or_default().add(kind, fate, first);
        let first = lost.is_some_and(|turn| counted.tools.insert((kind.tool.clone(), turn)));
        self.by_tool.entry(kind.tool.clone()).or_default().add(kind, fate, first);
        if let Some(code) = kind.code {
            let first = lost.is_some_and(|turn| counted.codes.insert((code, turn)));
            self.by_code.entry(code).or_default().add(kind, fate, first);
        }
    }
}

impl Tally {
    fn add(&mut self, kind: &Kind<'_>, fate: Option<Fate>, lost: bool) {
        self.claims += 1;
        self.lost_turns += u32::from(lost);
        if !kind.refused {
            self.healed += u32::from(kind.code.is_some());
            return;
        }
        self.refused += 1;
        match fate {
            Some(Fate::Corrected { tries, .. }) => *self.corrected.entry(tries).or_default() += 1,
            Some(Fate::Abandoned) | None => self.abandoned += 1,
        }
    }
}

/// Returns the turns in which claims were refused and nothing else happened.
pub(crate) fn lost_turns(view: &TaskView) -> BTreeSet<u32> {
    let turns = |wanted: fn(&Judged) -> bool| {
        let of = view.claims.iter().filter(move |claim| claim.judged.as_ref().is_some_and(wanted));
        of.map(|claim| claim.submitted.turn)
    };
    let mut lost: BTreeSet<u32> = turns(|judged| matches!(judged, Judged::Rejected(_))).collect();
    let useful = turns(Judged::stands);
    for turn in useful.chain(view.invocations.iter().map(|invocation| invocation.started.turn)) {
        lost.remove(&turn);
    }
    lost
}
