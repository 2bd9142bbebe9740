//! What is put to the gateway: a claim of any form, and the material it is judged against besides the shelf of its task.

use ground::Shelf;
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{AbsenceClaim, Claim, ClockListing, Derivation, FactEntry, InvocationId, Reading, Term};
use std::borrow::Cow;

/// A claim, with its own material if it is not judged against the shelf of its task.
#[derive(Debug, Clone)]
pub(super) enum Posed {
    /// A reading of the task's outputs.
    Reading(Reading),
    /// An absence, with the searches that are made up for it.
    Absence { claim: AbsenceClaim, searches: Vec<Searched> },
    /// A derivation, with the facts that it compares and the known listings of clock steps.
    Derivation { derivation: Derivation, facts: Vec<FactEntry>, clocks: Vec<ClockListing> },
}

/// A search in the form of a log.
#[derive(Debug, Clone)]
pub(super) struct Searched {
    pub(super) started: InvocationStarted,
    pub(super) ended: InvocationEnded,
}

/// What a claim says and cites, for rule sets that do not distinguish forms of claims.
pub(super) struct Wording<'p> {
    /// The ids that it cites.
    pub(super) cites: Vec<Option<InvocationId>>,
    /// The cited ids that were made up with the claim and have no output in the run.
    pub(super) own: Vec<InvocationId>,
    /// The texts that it says are present.
    pub(super) says: Vec<Cow<'p, str>>,
    /// The text that it says is absent.
    pub(super) denies: Option<&'p str>,
}

impl Posed {
    /// Returns the claim as an agent would submit it.
    pub(super) fn claim(&self) -> Claim {
        match self {
            Posed::Reading(reading) => Claim::Reading(reading.clone()),
            Posed::Absence { claim, .. } => Claim::Absence(claim.clone()),
            Posed::Derivation { derivation, .. } => Claim::Derivation(derivation.clone()),
        }
    }

    pub(super) fn reading(&self) -> Option<&Reading> {
        match self {
            Posed::Reading(reading) => Some(reading),
            Posed::Absence { .. } | Posed::Derivation { .. } => None,
        }
    }

    pub(super) fn wording(&self) -> Wording<'_> {
        match self {
            Posed::Reading(reading) => Wording {
                cites: vec![reading.invocation.parse().ok()],
                own: Vec::new(),
                says: reading.values.iter().map(|value| value.value.as_str().into()).collect(),
                denies: None,
            },
            Posed::Absence { claim, searches } => Wording {
                cites: claim.searches.iter().map(|cited| cited.parse().ok()).collect(),
                own: searches.iter().map(|search| search.ended.invocation).collect(),
                says: Vec::new(),
                denies: absent(claim),
            },
            Posed::Derivation { derivation, facts, .. } => Wording {
                cites: facts.iter().map(|fact| Some(fact.invocation)).collect(),
                own: Vec::new(),
                says: derivation.terms().iter().filter_map(|term| stated(term, facts)).collect(),
                denies: None,
            },
        }
    }

    /// Describes the material that it is judged against besides the shelf of its task.
    pub(super) fn over(&self) -> Vec<String> {
        match self {
            Posed::Reading(_) => Vec::new(),
            Posed::Absence { searches, .. } => searches
                .iter()
                .map(|Searched { started, ended }| {
                    let (id, tool, used) = (ended.invocation, &started.tool, &started.arguments);
                    format!("{id}: {tool} {used}, which found nothing; notes: {:?}", ended.notes)
                })
                .collect(),
            Posed::Derivation { facts, clocks, .. } => {
                let fact = |fact: &FactEntry| format!("{}: {}", fact.id, graph::fact_title(fact));
                let listing = |it: &ClockListing| {
                    let step = |step: &ledger::ClockStep| {
                        format!(
                            "{} of {} from {} back to {}",
                            step.log, step.evidence, step.before, step.after
                        )
                    };
                    format!("{}: {}", it.listed, it.steps.iter().map(step).collect::<Vec<_>>().join(", "))
                };
                facts.iter().map(fact).chain(clocks.iter().map(listing)).collect()
            }
        }
    }
}

impl Searched {
    /// Returns the shelf of a task that has made only these searches.
    pub(super) fn shelf(searches: &[Searched]) -> Shelf {
        let mut shelf = Shelf::default();
        for Searched { started, ended } in searches {
            engine::hold(&mut shelf, started, ended, None);
        }
        shelf
    }
}

/// Returns what an absence says is absent, as one text.
fn absent(claim: &AbsenceClaim) -> Option<&str> {
    match &claim.absence {
        ledger::Absence::File { name, .. } => Some(name),
        ledger::Absence::RegistryKey { key, .. } => Some(key),
        ledger::Absence::Text { text, .. } => Some(text),
        ledger::Absence::Events { channel, .. } => Some(channel),
    }
}

/// Returns the value that a term names, as models see it.
fn stated<'f>(term: &Term, facts: &'f [FactEntry]) -> Option<Cow<'f, str>> {
    let fact = facts.iter().find(|fact| fact.id == term.fact)?;
    let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
    bound.find(|bound| bound.field == term.field).map(|bound| bound.value.to_text())
}
