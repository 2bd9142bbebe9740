//! The matches of rules that a team supplied, indexed by record.
//!
//! A match is somebody's opinion of a record. It adds weight to a fact based on that record, but never creates a fact.

use crate::run::Run;
use detect::Level;
use ledger::brought::{RuleFit, RuleHit};
use ledger::{BroughtKind, FactEntry, FactId, Locator, RulesMatched};
use std::collections::BTreeMap;

/// The matches of the rules that a team supplied.
#[derive(Debug)]
pub struct Brought {
    /// The matches as the log recorded them.
    pub matched: RulesMatched,
    /// Index of each match, by the type and locator of its record.
    by_record: BTreeMap<(String, Locator), usize>,
}

/// The weight that supplied rules give a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) level: Level,
    /// Indexes of the rules in [`RulesMatched::fits`], highest level first.
    pub(crate) rules: Vec<u32>,
}

impl Brought {
    /// Builds the view from the recorded matches. Fails if a match names an unknown rule or an unknown level.
    pub(crate) fn of(matched: RulesMatched) -> Result<Brought, &'static str> {
        let hits = matched.hits.iter().enumerate();
        let by_record = hits.map(|(place, hit)| ((hit.record.clone(), hit.locator.clone()), place)).collect();
        let brought = Brought { matched, by_record };
        let levels = brought.matched.fits.iter().map(|fit| &fit.level);
        let of_hits = brought.matched.hits.iter().flat_map(|hit| hit.fits.iter().map(|of| &of.level));
        if levels.chain(of_hits).any(|level| Level::of_name(level).is_none()) {
            return Err("it names a level that is none");
        }
        let mut named = brought.matched.hits.iter().flat_map(|hit| &hit.fits);
        match named.all(|of| brought.fit(of.rule).is_some()) {
            true => Ok(brought),
            false => Err("a hit names a rule that is not there"),
        }
    }

    /// Returns the rule at this index.
    pub fn fit(&self, place: u32) -> Option<&RuleFit> {
        self.matched.fits.get(usize::try_from(place).ok()?)
    }

    /// Returns the match for the record of a fact.
    fn hit(&self, run: &Run, fact: &FactEntry) -> Option<&RuleHit> {
        // Without a byte span, another record may have the same locator: then only a fact of the hunt task counts, because hunts record matches.
        let is_of_hunt = || {
            let task = run.invocation(fact.invocation).and_then(|(task, _)| run.tasks.get(&task));
            task.is_some_and(|view| view.assigned.hunt)
        };
        let hit = self.by_record.get(&(fact.kind.clone(), fact.locator.clone()))?;
        (fact.locator.span.is_some() || is_of_hunt()).then(|| self.matched.hits.get(*hit)).flatten()
    }
}

/// Returns the weight that the supplied rules give the record of a fact.
pub(crate) fn said(run: &Run, fact: &FactEntry) -> Option<Said> {
    let hit = run.brought.as_ref()?.hit(run, fact)?;
    let level = hit.fits.iter().filter_map(|of| Level::of_name(&of.level)).max()?;
    let level = if hit.known_good.is_some() { level.min(Level::Low) } else { level };
    Some(Said { level, rules: hit.fits.iter().map(|of| of.rule).collect() })
}

/// Returns the facts whose records match supplied rules, each with the indexes of those rules.
pub fn rules_of_facts(run: &Run) -> BTreeMap<FactId, Vec<u32>> {
    let recorded = run.as_recorded();
    let facts = recorded.facts().map(|(_, accepted)| &accepted.fact);
    facts.filter_map(|fact| Some((fact.id, said(recorded, fact)?.rules))).collect()
}

/// Describes a supplied rule for people: `a rule that you brought: Title (sigma, high, file.yml)`.
pub fn brought_in_words(fit: &RuleFit) -> String {
    let what = match fit.kind {
        BroughtKind::Sigma => "a rule that you brought",
        BroughtKind::Ioc | BroughtKind::KnownGood => "an indicator that you brought",
    };
    format!("{what}: {} ({}, {}, {})", fit.title, fit.kind.name(), fit.level, fit.file)
}
