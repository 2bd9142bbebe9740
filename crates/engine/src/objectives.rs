//! Objectives: code decides the status of each from grounded facts and the calls that were made.

use crate::made::Made;
use crate::setting::Setting;
use ledger::event::{ObjectiveResult, WithoutFact};
use ledger::placement::tells_of_host;
use ledger::{AgentSpec, FactEntry, InvocationId, Objective, Record, SearchedBy, Sources, Way};
use std::collections::BTreeSet;

/// The most lines that say what would be needed.
pub(crate) const MOST_NEEDED: usize = 8;

/// The basis for judging the objectives of a task.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'t> {
    pub(crate) agent: &'t AgentSpec,
    pub(crate) facts: &'t [FactEntry],
    pub(crate) made: &'t [Made],
    pub(crate) setting: &'t Setting,
}

impl Standing<'_> {
    /// Returns each objective of the agent with the facts that meet it, or with its status without a fact.
    pub(crate) fn results(&self) -> Vec<ObjectiveResult> {
        self.results_of(&self.agent.objectives)
    }

    /// Returns the same for these objectives.
    pub(crate) fn results_of(&self, objectives: &[Objective]) -> Vec<ObjectiveResult> {
        objectives.iter().map(|objective| self.result(objective)).collect()
    }

    fn result(&self, objective: &Objective) -> ObjectiveResult {
        let facts = self.meeting(objective).map(|fact| fact.id).collect::<Vec<_>>();
        let is_told = self.setting.recovers && facts.is_empty();
        let without = is_told.then(|| match self.setting.questions {
            true => self.stands(objective),
            false => self.without(objective),
        });
        let watched = !self.setting.is_wanted(objective);
        ObjectiveResult { id: objective.id.clone(), facts, watched, without }
    }

    /// Returns the facts that meet an objective.
    pub(crate) fn meeting(&self, objective: &Objective) -> impl Iterator<Item = &FactEntry> {
        self.facts.iter().filter(move |fact| objective.is_answered_by(fact))
    }

    /// Returns the questions of the unmet objectives; those that may well have no answer are not among them.
    pub(crate) fn unmet(&self) -> Vec<String> {
        let results = self.results();
        let unmet = results.iter().zip(&self.agent.objectives).filter(|(result, _)| result.is_unmet());
        unmet.map(|(_, objective)| objective.question.clone()).collect()
    }

    /// Returns the names of the answered objectives: met, or searched without result.
    pub(crate) fn answered(&self) -> BTreeSet<String> {
        let is_answered =
            |result: &ObjectiveResult| !result.facts.is_empty() || matches!(result.answer(), "empty");
        self.results().into_iter().filter(is_answered).map(|result| result.id).collect()
    }

    /// Returns the status of an objective that no fact meets, in runs before [`ledger::Behaviour::Questions`].
    ///
    /// A missing source takes precedence over empty searches: nobody searched what is not there.
    fn without(&self, objective: &Objective) -> WithoutFact {
        let may_be_undeterminable = objective.is_required() || self.setting.sources_first;
        let way = objective.own_way();
        let lacking = self.lacking(way);
        if may_be_undeterminable && !lacking.is_empty() {
            return WithoutFact::NotDeterminable { needed: lacking };
        }
        let searches = self.searches(way);
        if !searches.is_empty() && self.has_source(way) {
            return WithoutFact::Empty { searches, lacking: Vec::new() };
        }
        let needed = self.unread(way);
        match may_be_undeterminable && !needed.is_empty() {
            true => WithoutFact::NotDeterminable { needed },
            false => WithoutFact::Unmet,
        }
    }

    /// Returns what the evidence lacks, if it has none of the kinds of source that could answer in this way.
    pub(crate) fn lacking(&self, way: Way<'_>) -> Vec<String> {
        let mut needed = Vec::new();
        for (by, sources) in way.kinds() {
            match self.listing(by) {
                Some(listing) if self.named(sources, listing).next().is_none() => {
                    needed.push(sources.needed.clone());
                }
                Some(_) | None => return Vec::new(),
            }
        }
        if self.setting.sources_first {
            needed.dedup();
        }
        needed
    }

    /// Checks whether a listing shows a source that could answer: without one, an empty search says nothing about the computer.
    pub(crate) fn has_source(&self, way: Way<'_>) -> bool {
        let mut kinds = way.kinds().peekable();
        !self.setting.sources_first
            || kinds.peek().is_none()
            || kinds.any(|(by, sources)| {
                self.listing(by).is_some_and(|listing| self.named(sources, listing).next().is_some())
            })
    }

    /// Returns the sources of this kind that a listing names.
    pub(crate) fn named<'r>(
        &'r self,
        sources: &'r Sources,
        listing: &'r Made,
    ) -> impl Iterator<Item = &'r Record> {
        listed(listing).iter().filter(|record| sources.names_in(record, &self.setting.evidence))
    }

    /// Checks whether a listing names something of the host that is not a source of this kind.
    pub(crate) fn names_others(&self, sources: &Sources, listing: &Made) -> bool {
        let mut of_host = listed(listing).iter().filter(|record| tells_of_host(record.placement));
        of_host.any(|record| !sources.names_in(record, &self.setting.evidence))
    }

    /// Returns the last complete listing of sources.
    pub(crate) fn listing(&self, by: &SearchedBy) -> Option<&Made> {
        let is_listing =
            |made: &&Made| made.whole && !made.outcome.is_failure() && by.is(&made.tool, &made.arguments);
        self.made.iter().rev().find(is_listing)
    }

    /// Returns the calls that searched everything that could answer and found nothing; empty if something was left.
    fn searches(&self, way: Way<'_>) -> Vec<InvocationId> {
        let is_search = |made: &&Made| {
            made.is_empty_and_whole() && way.plain().any(|by| by.is(&made.tool, &made.arguments))
        };
        let whole: Vec<_> = self.made.iter().filter(is_search).map(|made| made.invocation).collect();
        if whole.is_empty() { self.one_by_one(way) } else { whole }
    }

    /// Checks whether some search of everything was made in each way, whatever it found: then the task has seen what there is.
    pub(crate) fn has_searched(&self, objective: &Objective) -> bool {
        let mut alternatives = objective.ways().skip(1).filter(|way| !way.searched.is_empty());
        self.has_gone(objective.own_way()) && alternatives.all(|way| self.has_gone(way))
    }

    fn has_gone(&self, way: Way<'_>) -> bool {
        let has_looked = |made: &&Made| !made.outcome.is_failure();
        let looked = self.made.iter().filter(has_looked);
        let at_once = way.plain().any(|by| looked.clone().any(|made| by.is(&made.tool, &made.arguments)));
        let mut kinds = self.kinds_to_search(way).peekable();
        let has_kinds = kinds.peek().is_some();
        let one_by_one = kinds.all(|(by, sources)| {
            let Some((listing, each)) = self.listing(by).zip(sources.each.as_ref()) else { return false };
            let mut named = self.named(sources, listing);
            named.all(|record| looked.clone().any(|made| each.is(record, &made.tool, &made.arguments)))
        });
        at_once || (has_kinds && one_by_one)
    }

    /// Returns the kinds whose sources are searched one by one; a run without [`ledger::Behaviour::SourcesFirst`] has no others.
    pub(crate) fn kinds_to_search<'o>(
        &self,
        way: Way<'o>,
    ) -> impl Iterator<Item = (&'o SearchedBy, &'o Sources)> + use<'o> {
        let all = !self.setting.sources_first;
        way.kinds().filter(move |(_, sources)| all || sources.each.is_some())
    }

    /// Returns the same if sources are searched one by one: the listings, then the search of each source.
    fn one_by_one(&self, way: Way<'_>) -> Vec<InvocationId> {
        let mut searches = Vec::new();
        // If there is no source at all, nothing was searched.
        if !self.lacking(way).is_empty() {
            return searches;
        }
        for (by, sources) in self.kinds_to_search(way) {
            let Some((listing, each)) = self.listing(by).zip(sources.each.as_ref()) else {
                return Vec::new();
            };
            searches.push(listing.invocation);
            for record in self.named(sources, listing) {
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

    /// Checks whether a call searched one of the way's sources, or uses a tool that does not search them one by one.
    pub(crate) fn is_of_its_sources(&self, way: Way<'_>, made: &Made) -> bool {
        let mut others = way.searched.iter().filter(|by| by.tool == made.tool);
        let mut kinds = way
            .kinds()
            .filter_map(|(by, sources)| Some((by, sources, sources.each.as_ref()?)))
            .filter(|(.., each)| each.tool == made.tool)
            .peekable();
        kinds.peek().is_none()
            || others.any(|_| true)
            || kinds.any(|(by, sources, each)| {
                let Some(listing) = self.listing(by) else { return false };
                self.named(sources, listing).any(|record| each.is(record, &made.tool, &made.arguments))
            })
    }

    /// Returns what the calls that could have answered in this way could not read.
    pub(crate) fn unread(&self, way: Way<'_>) -> Vec<String> {
        let mut needed: Vec<String> = Vec::new();
        for made in self.made {
            let spec = self.setting.spec(&made.tool);
            let may_answer = spec.is_some_and(|spec| way.may_be_answered_by(spec, &made.arguments));
            if may_answer && (!self.setting.sources_first || self.is_of_its_sources(way, made)) {
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

fn listed(listing: &Made) -> &[Record] {
    listing.output.as_ref().map_or(&[], |output| output.records())
}
