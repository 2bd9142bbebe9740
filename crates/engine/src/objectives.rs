//! Objectives: how each stands, by code, over grounded facts and the calls that were made.

use crate::made::Made;
use crate::setting::Setting;
use ledger::event::{ObjectiveResult, WithoutFact};
use ledger::{
    AgentSpec, Condition, FactEntry, InvocationId, Objective, Outcome, Record, SearchedBy, Sources,
};
use std::collections::BTreeSet;

/// The most lines that say what would be needed.
pub(crate) const MOST_NEEDED: usize = 8;

/// What the objectives of a task are judged by.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'t> {
    pub(crate) agent: &'t AgentSpec,
    pub(crate) facts: &'t [FactEntry],
    pub(crate) made: &'t [Made],
    pub(crate) setting: &'t Setting,
}

impl Standing<'_> {
    /// Each objective of the agent with the facts that meet it, or how it stands without.
    pub(crate) fn results(&self) -> Vec<ObjectiveResult> {
        self.agent.objectives.iter().map(|objective| self.result(objective)).collect()
    }

    fn result(&self, objective: &Objective) -> ObjectiveResult {
        let facts = self.meeting(&objective.condition).map(|fact| fact.id).collect::<Vec<_>>();
        let is_told = self.setting.recovers && facts.is_empty();
        let without = is_told.then(|| self.without(objective));
        ObjectiveResult { id: objective.id.clone(), facts, watched: !objective.is_required(), without }
    }

    /// The facts that meet a condition.
    pub(crate) fn meeting(&self, condition: &Condition) -> impl Iterator<Item = &FactEntry> {
        self.facts.iter().filter(move |fact| condition.holds(fact))
    }

    /// The questions of the unmet ones; what may well have no answer is none of them.
    pub(crate) fn unmet(&self) -> Vec<String> {
        let results = self.results();
        let unmet = results.iter().zip(&self.agent.objectives).filter(|(result, _)| result.is_unmet());
        unmet.map(|(_, objective)| objective.question.clone()).collect()
    }

    /// The names of those that are answered: met, or searched for in vain.
    pub(crate) fn answered(&self) -> BTreeSet<String> {
        let is_answered =
            |result: &ObjectiveResult| !result.facts.is_empty() || matches!(result.answer(), "empty");
        self.results().into_iter().filter(is_answered).map(|result| result.id).collect()
    }

    /// How an objective stands that no fact meets.
    ///
    /// That the evidence lacks what could answer comes before the empty searches of it: nobody searched what is not there.
    fn without(&self, objective: &Objective) -> WithoutFact {
        let lacking = self.lacking(objective);
        if objective.is_required() && !lacking.is_empty() {
            return WithoutFact::NotDeterminable { needed: lacking };
        }
        let searches = self.searches(objective);
        if !searches.is_empty() {
            return WithoutFact::Empty { searches };
        }
        let needed = self.unread(objective);
        match objective.is_required() && !needed.is_empty() {
            true => WithoutFact::NotDeterminable { needed },
            false => WithoutFact::Unmet,
        }
    }

    /// What the evidence lacks, where none of the kinds of source that could answer the objective is there.
    pub(crate) fn lacking(&self, objective: &Objective) -> Vec<String> {
        let mut needed = Vec::new();
        for (by, sources) in kinds_of_source(objective) {
            match self.listing(by) {
                Some(listing) if !listed(listing).iter().any(|record| sources.names(record)) => {
                    needed.push(sources.needed.clone());
                }
                Some(_) | None => return Vec::new(),
            }
        }
        needed
    }

    /// The whole listing of sources that was made last.
    fn listing(&self, by: &SearchedBy) -> Option<&Made> {
        let is_listing = |made: &&Made| {
            made.whole
                && matches!(made.outcome, Outcome::Ok | Outcome::Empty)
                && by.is(&made.tool, &made.arguments)
        };
        self.made.iter().rev().find(is_listing)
    }

    /// The calls that searched everything that could answer, and found nothing; none where something was left.
    fn searches(&self, objective: &Objective) -> Vec<InvocationId> {
        let is_search = |made: &&Made| {
            let mut searches = objective.searched.iter().filter(|by| by.sources.is_none());
            made.is_empty_and_whole() && searches.any(|by| by.is(&made.tool, &made.arguments))
        };
        let whole: Vec<_> = self.made.iter().filter(is_search).map(|made| made.invocation).collect();
        if whole.is_empty() { self.one_by_one(objective) } else { whole }
    }

    /// Whether some search of everything was made, whatever it found: its task has seen what there is.
    pub(crate) fn has_searched(&self, objective: &Objective) -> bool {
        let has_looked = |made: &&Made| matches!(made.outcome, Outcome::Ok | Outcome::Empty);
        let looked = self.made.iter().filter(has_looked);
        let mut plain = objective.searched.iter().filter(|by| by.sources.is_none());
        let at_once = plain.any(|by| looked.clone().any(|made| by.is(&made.tool, &made.arguments)));
        let mut kinds = kinds_of_source(objective).peekable();
        let has_kinds = kinds.peek().is_some();
        let one_by_one = kinds.all(|(by, sources)| {
            let Some((listing, each)) = self.listing(by).zip(sources.each.as_ref()) else { return false };
            let mut named = listed(listing).iter().filter(|record| sources.names(record));
            named.all(|record| looked.clone().any(|made| each.is(record, &made.tool, &made.arguments)))
        });
        at_once || (has_kinds && one_by_one)
    }

    /// The same, where sources are searched one by one: the listings, then the search of each source.
    fn one_by_one(&self, objective: &Objective) -> Vec<InvocationId> {
        let mut searches = Vec::new();
        // Where there is no source at all, nothing was searched.
        if !self.lacking(objective).is_empty() {
            return searches;
        }
        for (by, sources) in kinds_of_source(objective) {
            let Some((listing, each)) = self.listing(by).zip(sources.each.as_ref()) else {
                return Vec::new();
            };
            searches.push(listing.invocation);
            for record in listed(listing).iter().filter(|record| sources.names(record)) {
                let searched =
                    |made: &&Made| made.is_empty_and_whole() && each.is(record, &made.tool, &made.arguments);
                match self.made.iter().find(searched) {
                    Some(made) => searches.push(made.invocation),
                    None => return Vec::new(),
                }
            }
        }
        searches
    }

    /// What the calls that could have answered it could not read.
    pub(crate) fn unread(&self, objective: &Objective) -> Vec<String> {
        let mut needed: Vec<String> = Vec::new();
        for made in self.made {
            let spec = self.setting.spec(&made.tool);
            if spec.is_some_and(|spec| objective.may_be_answered_by(spec, &made.arguments)) {
                for reason in &made.unread {
                    if needed.len() < MOST_NEEDED && !needed.contains(reason) {
                        needed.push(reason.clone());
                    }
                }
            }
        }
        needed
    }
}

fn kinds_of_source(objective: &Objective) -> impl Iterator<Item = (&SearchedBy, &Sources)> {
    objective.searched.iter().filter_map(|by| Some((by, by.sources.as_ref()?)))
}

fn listed(listing: &Made) -> &[Record] {
    listing.output.as_ref().map_or(&[], |output| output.records())
}
