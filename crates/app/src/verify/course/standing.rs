//! Computes the state of each objective again, from the calls and facts of its task.

use super::{Course, Wrong};
use ledger::event::{InvocationEnded, InvocationStarted, ObjectiveResult, WithoutFact};
use ledger::placement::tells_of_host;
use ledger::{
    Behaviour, Cause, Completeness, EachSource, FactEntry, InvocationId, Objective, Outcome, Record,
    SearchedBy, Sources, Way,
};
use std::collections::BTreeSet;

/// The most reasons of one call and of one objective, and the most characters of each.
pub(super) const MOST_REASONS: usize = 8;
pub(super) const LONGEST_REASON: usize = 200;

pub(super) type Made<'l> = (&'l InvocationStarted, &'l InvocationEnded);

impl<'l> Course<'l> {
    pub(super) fn recovers(&self) -> bool {
        self.has(Behaviour::Recovers)
    }

    fn sources_first(&self) -> bool {
        self.has(Behaviour::SourcesFirst)
    }

    pub(super) fn has(&self, behaviour: Behaviour) -> bool {
        self.log.opened.behaviour.contains(&behaviour.into())
    }

    pub(super) fn questions(&self) -> bool {
        self.has(Behaviour::Questions)
    }

    /// Returns the facts that meet an objective.
    pub(super) fn meeting(&self, objective: &Objective) -> impl Iterator<Item = &'l FactEntry> {
        self.facts.iter().copied().filter(|fact| objective.is_answered_by(fact))
    }

    /// Returns the state of an objective without facts; `None` if facts meet it, or if the run does not record states.
    pub(super) fn without(&self, objective: &Objective) -> Option<WithoutFact> {
        if !self.recovers() || self.meeting(objective).next().is_some() {
            return None;
        }
        if self.questions() {
            return Some(self.looked(objective));
        }
        let way = objective.own_way();
        let lacking = self.lacking(way);
        let is_shown = self.is_source_shown(way);
        let searches = match self.whole_searches(way) {
            whole if whole.is_empty() && lacking.is_empty() => {
                self.searches_of_sources(way).unwrap_or_default()
            }
            whole => whole,
        };
        let unread = self.unread(way);
        let cannot = objective.is_required() || self.sources_first();
        Some(match () {
            () if cannot && !lacking.is_empty() => WithoutFact::NotDeterminable { needed: lacking },
            () if is_shown && !searches.is_empty() => WithoutFact::Empty { searches, lacking: Vec::new() },
            () if cannot && !unread.is_empty() => WithoutFact::NotDeterminable { needed: unread },
            () => WithoutFact::Unmet,
        })
    }

    /// Returns the objectives that facts meet, or whose search found nothing.
    pub(super) fn answered(&self) -> BTreeSet<&'l str> {
        let objectives = self.assigned.agent.objectives.iter();
        let answered = |objective: &&Objective| {
            self.meeting(objective).next().is_some()
                || matches!(self.without(objective), Some(WithoutFact::Empty { .. }))
        };
        objectives.filter(answered).map(|objective| objective.id.as_str()).collect()
    }

    /// Whether an answer to an objective is wanted but missing.
    pub(super) fn is_unmet(&self, objective: &Objective) -> bool {
        let found = self.meeting(objective).next().is_some();
        let told = matches!(
            self.without(objective),
            Some(WithoutFact::Empty { .. } | WithoutFact::NotDeterminable { .. })
        );
        (objective.is_required() || self.questions()) && !found && !told
    }

    /// Checks that the end of the task states the right state of each objective.
    pub(super) fn stand(&self, results: &[ObjectiveResult]) -> Result<(), Wrong> {
        for (objective, result) in self.assigned.agent.objectives.iter().zip(results) {
            if result.without != self.without(objective) {
                return Err("how an objective stands is not what its task's calls and facts say");
            }
        }
        Ok(())
    }

    /// Returns the sources that the evidence lacks: each kind was listed, and there are none.
    pub(super) fn lacking(&self, way: Way<'_>) -> Vec<String> {
        let lacking = way.kinds().map(|(by, sources)| match self.sources_of(by, sources)?.is_empty() {
            true => Some(sources.needed.clone()),
            false => None,
        });
        let mut lacking = lacking.collect::<Option<Vec<_>>>().unwrap_or_default();
        if self.sources_first() {
            lacking.dedup();
        }
        lacking
    }

    /// Whether an empty search of the way is conclusive: some kind of source exists, or none is needed.
    pub(super) fn is_source_shown(&self, way: Way<'_>) -> bool {
        !self.sources_first()
            || way.kinds().next().is_none()
            || way
                .kinds()
                .any(|(by, sources)| self.sources_of(by, sources).is_some_and(|there| !there.is_empty()))
    }

    /// Returns the sources of a kind that its listing names; `None` if they were not listed.
    pub(super) fn sources_of(&self, by: &SearchedBy, sources: &Sources) -> Option<Vec<&'l Record>> {
        let kind_of = |label: &str| {
            let entry = self.log.opened.case.evidence.iter().find(|entry| entry.label == label)?;
            Some(entry.kind)
        };
        let is_of =
            |record: &Record| sources.of.is_none_or(|kind| kind_of(&record.locator.evidence) == Some(kind));
        let listed = self.records(self.listing(by)?).iter();
        let listed = listed.filter(|record| tells_of_host(record.placement));
        Some(listed.filter(|record| sources.names(record) && is_of(record)).collect())
    }

    pub(super) fn listing(&self, by: &SearchedBy) -> Option<Made<'l>> {
        let listings = self.made.iter().rev().filter(|made| by.is(&made.0.tool, &made.0.arguments));
        listings.copied().find(|(_, ended)| {
            is_whole(ended) && (ended.outcome == Outcome::Ok || ended.outcome == Outcome::Empty)
        })
    }

    pub(super) fn records(&self, (_, ended): Made<'l>) -> &'l [Record] {
        let output = ended.output.and_then(|digest| self.log.outputs.get(&digest));
        output.map_or(&[], |output| output.records())
    }

    fn whole_searches(&self, way: Way<'_>) -> Vec<InvocationId> {
        let empty = self.made.iter().filter(|(_, ended)| found_nothing(ended));
        let covering =
            empty.filter(|(started, _)| way.plain().any(|by| by.is(&started.tool, &started.arguments)));
        covering.map(|(_, ended)| ended.invocation).collect()
    }

    /// Returns the listings and the searches of every source that they name;
    /// `None` if one was not searched, or its search found something.
    fn searches_of_sources(&self, way: Way<'_>) -> Option<Vec<InvocationId>> {
        let mut all = Vec::new();
        for (by, sources) in way.kinds() {
            if self.sources_first() && sources.each.is_none() {
                continue;
            }
            let (listing, each) = (self.listing(by)?, sources.each.as_ref()?);
            all.push(listing.1.invocation);
            for record in self.sources_of(by, sources)? {
                let mut of_it =
                    self.made.iter().filter(|made| each.is(record, &made.0.tool, &made.0.arguments));
                all.push(of_it.find(|made| found_nothing(made.1))?.1.invocation);
            }
        }
        Some(all)
    }

    /// Whether a tool that only searches the way's sources one by one was called for a different source.
    pub(super) fn is_of_another_source(&self, way: Way<'_>, started: &InvocationStarted) -> bool {
        let each: Vec<_> = way
            .kinds()
            .filter_map(|(by, sources)| Some((by, sources, sources.each.as_ref()?)))
            .filter(|(_, _, each)| each.tool == started.tool)
            .collect();
        let is_plain = way.searched.iter().any(|by| by.tool == started.tool);
        let is_one = |(by, sources, each): &(&SearchedBy, &Sources, &EachSource)| {
            let listed = self.sources_of(by, sources).unwrap_or_default();
            listed.into_iter().any(|record| each.is(record, &started.tool, &started.arguments))
        };
        !each.is_empty() && !is_plain && !each.iter().any(is_one)
    }

    pub(super) fn unread(&self, way: Way<'_>) -> Vec<String> {
        let tools = &self.log.opened.tools;
        let mut all = Vec::new();
        for (started, ended) in &self.made {
            let spec = tools.iter().find(|spec| spec.name == started.tool);
            if spec.is_none_or(|spec| !way.may_be_answered_by(spec, &started.arguments)) {
                continue;
            }
            if self.sources_first() && self.is_of_another_source(way, started) {
                continue;
            }
            for reason in reasons(ended) {
                if !all.contains(&reason) {
                    all.push(reason);
                }
            }
        }
        all.truncate(MOST_REASONS);
        all
    }
}

/// Returns why a call could not read everything.
pub(super) fn reasons(ended: &InvocationEnded) -> Vec<String> {
    let mut all: Vec<String> = ended.gaps.iter().map(|gap| format!("{}: {}", gap.path, gap.reason)).collect();
    if ended.outcome != Outcome::Ok {
        all.extend(ended.defects.iter().map(|defect| format!("{}: {}", defect.path, defect.what)));
    }
    let refused = Cause::of(ended.outcome, &ended.notes).is_some_and(Cause::is_access);
    if ended.gaps.is_empty() && refused {
        all.extend(ended.notes.first().cloned());
    }
    let mut short = Vec::new();
    for reason in all {
        let cut = match reason.char_indices().nth(LONGEST_REASON) {
            Some((end, _)) => format!("{}…", reason.get(..end).unwrap_or_default()),
            None => reason,
        };
        if !short.contains(&cut) && short.len() < MOST_REASONS {
            short.push(cut);
        }
    }
    short
}

fn is_whole(ended: &InvocationEnded) -> bool {
    (ended.completeness, ended.gaps.len(), ended.defects.len()) == (Completeness::Complete, 0, 0)
}

fn found_nothing(ended: &InvocationEnded) -> bool {
    ended.outcome == Outcome::Empty && is_whole(ended)
}
